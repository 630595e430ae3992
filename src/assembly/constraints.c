/* Rows of all elements: kernels give twist rows on frames, which become pieces of G on coordinate blocks. */
#include "assembly/system.h"

#include <string.h>

/* Adds twist rows (rows x 6, `stride` apart) of one attachment to the piece of its incidence. */
static void add_piece(const CrdShape *s, const CrdSystem *w, const CrdAttachment *at, int rows,
                      CardanTwistRow *twist, int stride, double *pieces) {
    const CrdIncidence *incidence = &s->incidences[at->incidence];
    double *piece = pieces + incidence->g;
    int n = incidence->width;
    CrdBlockKind kind = s->blocks[incidence->block].kind;
    for (int r = 0; r < rows; r++, piece += n) {
        const double *row = twist[(size_t)r * (size_t)stride];
        switch (kind) {
        case CRD_PLANAR_BODY: piece[2] += row[5]; /* fall through */
        case CRD_PLANAR_PARTICLE:
            piece[0] += row[0];
            piece[1] += row[1];
            break;
        case CRD_SPATIAL_BODY:
        case CRD_SPATIAL_PARTICLE:
            for (int k = 0; k < n; k++) piece[k] += row[k];
            break;
        case CRD_CUSTOM_BLOCK: {
            const double *jacobian = w->frame_jacobian + s->carriers[at->carrier].jacobian;
            for (int i = 0; i < 6; i++)
                for (int k = 0; k < n; k++) piece[k] += row[i] * jacobian[i * n + k];
        }
        }
    }
}

/* A block frame's twist changes by J a + bias: what the bias contributes belongs to gamma. */
static void subtract_bias(const CrdShape *s, const CrdSystem *w, const CrdAttachment *at, int rows,
                          CardanTwistRow *twist, int stride, double *gamma) {
    if (s->carriers[at->carrier].kind != CRD_CARRIER_FRAME) return;
    const double *bias = w->frame_bias + s->carriers[at->carrier].bias;
    for (int r = 0; r < rows; r++)
        for (int k = 0; k < 6; k++) gamma[r] -= twist[(size_t)r * (size_t)stride][k] * bias[k];
}

static void clear_pieces(const CrdShape *s, const CrdElement *e, double *pieces) {
    for (int i = e->incidence; i < e->incidence + e->incidences; i++)
        if (!s->incidences[i].direct)
            memset(pieces + s->incidences[i].g, 0,
                   (size_t)s->incidences[i].rows * (size_t)s->incidences[i].width * sizeof *pieces);
}

/* Where the kernel writes the rows of a joint's side: the piece itself when it can, else scratch. */
static CardanTwistRow *side_rows(const CrdShape *s, const CrdAttachment *at, double *pieces, CardanTwistRow *scratch) {
    if (at->incidence >= 0 && s->incidences[at->incidence].direct)
        return (CardanTwistRow *)(pieces + s->incidences[at->incidence].g);
    return scratch;
}

static void spread_side(const CrdShape *s, CrdSystem *w, const CrdElement *e, const CrdAttachment *at,
                        CardanTwistRow *twist, double *pieces) {
    if (at->incidence >= 0 && !s->incidences[at->incidence].direct) add_piece(s, w, at, e->rows, twist, 1, pieces);
}

static void joint_rows(const CardanModel *model, int index, CrdSystem *w) {
    const CrdShape *s = model->shape;
    const CrdElement *e = &s->elements[index];
    const CrdAttachment *at = &s->attachments[e->attachment];
    CrdPair pair = crd_pair_of(s, w, index);
    CardanTwistRow *a = side_rows(s, &at[0], w->G, w->twist_rows);
    CardanTwistRow *b = side_rows(s, &at[1], w->G, w->twist_rows + e->rows);
    CrdRows out = {w->g + e->first, w->rate_t + e->first, w->gamma + e->first, a, b};
    crd_joint_evaluate(e->kind, &model->numbers.joints[index], &pair, out);
    clear_pieces(s, e, w->G);
    for (int side = 0; side < 2; side++) {
        CardanTwistRow *rows = side == 0 ? a : b;
        spread_side(s, w, e, &at[side], rows, w->G);
        subtract_bias(s, w, &at[side], e->rows, rows, 1, out.gamma);
    }
}

static CardanStatus gather(const CrdShape *s, const CrdElement *e, CrdSystem *w) {
    for (int i = 0; i < e->attachments; i++) w->gathered[i] = w->frames[s->attachments[e->attachment + i].carrier];
    memset(w->twist_rows, 0, (size_t)e->rows * (size_t)e->attachments * sizeof *w->twist_rows);
    return CARDAN_OK;
}

static CardanStatus user_rows(const CardanModel *model, const CrdElement *e, CrdSystem *w, CrdError *error) {
    const CrdShape *s = model->shape;
    const CrdJointDesc *joint = &model->description->joints[e->joint];
    const CardanRowsDef *def = &joint->rows->def;
    double *g = w->g + e->first, *rate_t = w->rate_t + e->first, *gamma = w->gamma + e->first;
    size_t bytes = (size_t)e->rows * sizeof *g;
    gather(s, e, w);
    memset(g, 0, bytes);
    memset(rate_t, 0, bytes);
    memset(gamma, 0, bytes);
    CardanStatus status = def->evaluate(def->user, w->t, w->gathered, g, w->twist_rows, rate_t, gamma);
    if (status < 0) return crd_fail(error, status, "rows '%s': their callback failed at t = %.9g", joint->name, w->t);
    if (!e->holonomic) memset(g, 0, bytes);
    for (int i = e->incidence; i < e->incidence + e->incidences; i++)
        memset(w->G + s->incidences[i].g, 0, (size_t)e->rows * (size_t)s->incidences[i].width * sizeof *w->G);
    for (int i = 0; i < e->attachments; i++) {
        const CrdAttachment *at = &s->attachments[e->attachment + i];
        if (at->incidence >= 0) add_piece(s, w, at, e->rows, w->twist_rows + i, e->attachments, w->G);
        subtract_bias(s, w, at, e->rows, w->twist_rows + i, e->attachments, gamma);
    }
    return CARDAN_OK;
}

static CardanStatus block_rows(const CardanModel *model, const CrdElement *e, const double *q, const double *v,
                               CrdSystem *w, CrdError *error) {
    const CrdBlock *block = &model->shape->blocks[e->block];
    const CrdBlockDesc *desc = &model->description->blocks[block->object];
    double *g = w->g + e->first, *rate_t = w->rate_t + e->first, *gamma = w->gamma + e->first;
    double *piece = w->G + model->shape->incidences[e->incidence].g;
    size_t bytes = (size_t)e->rows * sizeof *g;
    memset(g, 0, bytes);
    memset(rate_t, 0, bytes);
    memset(gamma, 0, bytes);
    memset(piece, 0, bytes * (size_t)block->nv);
    CardanStatus status =
        desc->def.constraint(desc->def.user, w->t, q + block->q, v + block->v, g, piece, rate_t, gamma);
    if (status >= 0) return CARDAN_OK;
    return crd_fail(error, status, "block '%s': its constraint callback failed at t = %.9g", desc->name, w->t);
}

CardanStatus crd_constraints(const CardanModel *model, const double *q, const double *v, CrdSystem *w,
                             CrdError *error) {
    const CrdShape *s = model->shape;
    for (int i = 0; i < s->element_count; i++) {
        const CrdElement *e = &s->elements[i];
        if (e->kind != NULL)
            joint_rows(model, i, w);
        else if (e->joint >= 0)
            CRD_TRY(user_rows(model, e, w, error));
        else
            CRD_TRY(block_rows(model, e, q, v, w, error));
    }
    memcpy(w->rate, w->rate_t, (size_t)s->rows * sizeof *w->rate);
    crd_times_g(s, w->G, v, w->rate);
    return CARDAN_OK;
}

/* ---- the derivative of G v ---- */

static CardanStatus refuse(const CardanModel *model, int element, CrdError *error) {
    return crd_fail(error, CARDAN_ERR_MODEL,
                    "'%s' gives no derivative of G v, which the full form of post-stabilisation needs; use form: block",
                    crd_element_name(model, element));
}

static CardanStatus joint_gradient(const CardanModel *model, int index, CrdSystem *w, double *out, CrdError *error) {
    const CrdShape *s = model->shape;
    const CrdElement *e = &s->elements[index];
    const CrdAttachment *at = &s->attachments[e->attachment];
    for (int side = 0; side < 2; side++)
        if (s->carriers[at[side].carrier].kind == CRD_CARRIER_FRAME) return refuse(model, index, error);
    CrdPair pair = crd_pair_of(s, w, index);
    CardanTwistRow *a = side_rows(s, &at[0], out, w->twist_rows);
    CardanTwistRow *b = side_rows(s, &at[1], out, w->twist_rows + e->rows);
    CrdRows rows = {.a = a, .b = b};
    crd_joint_gradient(e->kind, &model->numbers.joints[index], &pair, rows);
    clear_pieces(s, e, out);
    spread_side(s, w, e, &at[0], a, out);
    spread_side(s, w, e, &at[1], b, out);
    return CARDAN_OK;
}

static CardanStatus user_gradient(const CardanModel *model, int index, CrdSystem *w, double *out, CrdError *error) {
    const CrdShape *s = model->shape;
    const CrdElement *e = &s->elements[index];
    const CardanRowsDef *def = &model->description->joints[e->joint].rows->def;
    for (int i = 0; i < e->attachments; i++)
        if (s->carriers[s->attachments[e->attachment + i].carrier].kind == CRD_CARRIER_FRAME)
            return refuse(model, index, error);
    if (def->gradient == NULL) return refuse(model, index, error);
    gather(s, e, w);
    CardanStatus status = def->gradient(def->user, w->t, w->gathered, w->twist_rows);
    if (status < 0) return crd_fail(error, status, "rows '%s': their gradient callback failed", crd_element_name(model, index));
    for (int i = e->incidence; i < e->incidence + e->incidences; i++)
        memset(out + s->incidences[i].g, 0, (size_t)e->rows * (size_t)s->incidences[i].width * sizeof *out);
    for (int i = 0; i < e->attachments; i++) {
        const CrdAttachment *at = &s->attachments[e->attachment + i];
        if (at->incidence >= 0) add_piece(s, w, at, e->rows, w->twist_rows + i, e->attachments, out);
    }
    return CARDAN_OK;
}

static CardanStatus block_gradient(const CardanModel *model, int index, const double *q, const double *v, CrdSystem *w,
                                   double *out, CrdError *error) {
    const CrdElement *e = &model->shape->elements[index];
    const CrdBlock *block = &model->shape->blocks[e->block];
    const CardanBlockDef *def = &model->description->blocks[block->object].def;
    if (def->constraint_gradient == NULL) return refuse(model, index, error);
    double *piece = out + model->shape->incidences[e->incidence].g;
    memset(piece, 0, (size_t)e->rows * (size_t)block->nv * sizeof *piece);
    CardanStatus status = def->constraint_gradient(def->user, w->t, q + block->q, v + block->v, piece);
    if (status >= 0) return CARDAN_OK;
    return crd_fail(error, status, "block '%s': its gradient callback failed", crd_element_name(model, index));
}

CardanStatus crd_gradient(const CardanModel *model, const double *q, const double *v, CrdSystem *w, double *out,
                          CrdError *error) {
    const CrdShape *s = model->shape;
    for (int i = 0; i < s->element_count; i++) {
        if (s->elements[i].kind != NULL)
            CRD_TRY(joint_gradient(model, i, w, out, error));
        else if (s->elements[i].joint >= 0)
            CRD_TRY(user_gradient(model, i, w, out, error));
        else
            CRD_TRY(block_gradient(model, i, q, v, w, out, error));
    }
    return CARDAN_OK;
}
