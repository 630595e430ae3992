/* Rows of all elements: kernels give twist rows on frames, which become pieces of G on coordinate blocks. */
#include "assembly/block_derivatives.h"

#include <string.h>

/* Adds twist rows (rows x 6, `stride` apart) of one attachment to the piece of its incidence. */
static void add_piece(const CrdShape *s, const CrdSystem *w, const CrdAttachment *at, int rows, CardanTwistRow *twist,
                      int stride, double *pieces) {
    const CrdIncidence *incidence = &s->incidences[at->incidence];
    double *piece = pieces + incidence->g;
    int n = incidence->width;
    CrdBlockKind kind = s->blocks[incidence->block].kind;
    for (int r = 0; r < rows; r++, piece += n) {
        const double *row = twist[(size_t)r * (size_t)stride];
        switch (kind) {
        case CRD_PLANAR_BODY:
            piece[2] += row[5]; /* fall through */
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

/* Twist rows of all attachments, side by side in each row, as pieces. */
static void spread_all(const CrdShape *s, CrdSystem *w, const CrdElement *e, double *pieces) {
    for (int i = e->incidence; i < e->incidence + e->incidences; i++)
        memset(pieces + s->incidences[i].g, 0, (size_t)e->rows * (size_t)s->incidences[i].width * sizeof *pieces);
    for (int i = 0; i < e->attachments; i++) {
        const CrdAttachment *at = &s->attachments[e->attachment + i];
        if (at->incidence >= 0) add_piece(s, w, at, e->rows, w->twist_rows + i, e->attachments, pieces);
    }
}

/* ---- joints ---- */

static CardanStatus joint_rows(const CrdScene *scene, int index, CrdSystem *w, CrdError *error) {
    const CrdShape *s = scene->model->shape;
    const CrdElement *e = &s->elements[index];
    const CrdAttachment *at = &s->attachments[e->attachment];
    CardanTwistRow *a = side_rows(s, &at[0], w->G, w->twist_rows);
    CardanTwistRow *b = side_rows(s, &at[1], w->G, w->twist_rows + e->rows);
    CrdSlots out = {w->g + e->first, w->rate_t + e->first, w->gamma + e->first};
    CRD_TRY(crd_evaluate_joint(scene->model, index, w, a, b, out, error));
    clear_pieces(s, e, w->G);
    for (int side = 0; side < 2; side++) {
        CardanTwistRow *rows = side == 0 ? a : b;
        spread_side(s, w, e, &at[side], rows, w->G);
        subtract_bias(s, w, &at[side], e->rows, rows, 1, out.gamma);
    }
    return CARDAN_OK;
}

/* One row, made of two twist rows for each term. */
static CardanStatus coupler_rows(const CrdScene *scene, int index, CrdSystem *w, CrdError *error) {
    const CrdShape *s = scene->model->shape;
    const CrdElement *e = &s->elements[index];
    CrdSlots out = {w->g + e->first, w->rate_t + e->first, w->gamma + e->first};
    CRD_TRY(crd_evaluate_coupler(scene->model, index, w, w->twist_rows, out, error));
    spread_all(s, w, e, w->G);
    for (int i = 0; i < e->attachments; i++)
        subtract_bias(s, w, &s->attachments[e->attachment + i], 1, w->twist_rows + i, 1, out.gamma);
    return CARDAN_OK;
}

/* ---- rows of the user's and of blocks ---- */

static CardanStatus user_rows(const CrdScene *scene, int index, CrdSystem *w, CrdError *error) {
    const CrdShape *s = scene->model->shape;
    const CrdElement *e = &s->elements[index];
    CrdSlots out = {w->g + e->first, w->rate_t + e->first, w->gamma + e->first};
    CRD_TRY(crd_evaluate_user(scene->model, index, w, w->twist_rows, out, error));
    spread_all(s, w, e, w->G);
    for (int i = 0; i < e->attachments; i++)
        subtract_bias(s, w, &s->attachments[e->attachment + i], e->rows, w->twist_rows + i, e->attachments, out.gamma);
    return CARDAN_OK;
}

static CardanStatus block_rows(const CrdScene *scene, int index, CrdSystem *w, CrdError *error) {
    const CardanModel *model = scene->model;
    const CrdElement *e = &model->shape->elements[index];
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
        desc->def.constraint(desc->def.user, w->t, scene->q + block->q, scene->v + block->v, g, piece, rate_t, gamma);
    if (status >= 0) return CARDAN_OK;
    return crd_fail(error, status, "block '%s': its constraint callback failed at t = %.9g", desc->name, w->t);
}

/* ---- the derivative of G v ---- */

static CardanStatus joint_gradient(const CrdScene *scene, int index, CrdSystem *w, double *out, CrdError *error) {
    (void)error;
    const CardanModel *model = scene->model;
    const CrdShape *s = model->shape;
    const CrdElement *e = &s->elements[index];
    const CrdAttachment *at = &s->attachments[e->attachment];
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

static CardanStatus coupler_gradient(const CrdScene *scene, int index, CrdSystem *w, double *out, CrdError *error) {
    (void)error;
    crd_element_gradient(scene->model, index, w, w->twist_rows);
    spread_all(scene->model->shape, w, &scene->model->shape->elements[index], out);
    return CARDAN_OK;
}

static CardanStatus user_gradient(const CrdScene *scene, int index, CrdSystem *w, double *out, CrdError *error) {
    CRD_TRY(crd_user_gradient(scene->model, index, w, w->twist_rows, error));
    spread_all(scene->model->shape, w, &scene->model->shape->elements[index], out);
    return CARDAN_OK;
}

static CardanStatus block_gradient(const CrdScene *scene, int index, CrdSystem *w, double *out, CrdError *error) {
    const CrdShape *s = scene->model->shape;
    const CrdElement *e = &s->elements[index];
    return crd_block_gradient(scene, e->block, w, out + s->incidences[e->incidence].g, error);
}

/* ---- all of them ---- */

typedef struct ElementKind {
    CardanStatus (*rows)(const CrdScene *scene, int element, CrdSystem *w, CrdError *error);
    CardanStatus (*gradient)(const CrdScene *scene, int element, CrdSystem *w, double *out, CrdError *error);
} ElementKind;

static const ElementKind KINDS[CRD_ELEMENT_TYPES] = {
    [CRD_ELEMENT_JOINT] = {joint_rows, joint_gradient},
    [CRD_ELEMENT_COUPLER] = {coupler_rows, coupler_gradient},
    [CRD_ELEMENT_USER] = {user_rows, user_gradient},
    [CRD_ELEMENT_BLOCK] = {block_rows, block_gradient},
};

/* The twist of a block's frame is J v: at fixed v it changes by (J v)_q, which row after row meets the twist rows. The
 * element's rows are evaluated once more for them: those of frames are in w->twist_rows then. */
static CardanStatus add_frames(const CrdScene *scene, int index, CrdSystem *w, double *out, CrdError *error) {
    const CrdShape *s = scene->model->shape;
    const CrdElement *e = &s->elements[index];
    bool by_side = e->type == CRD_ELEMENT_JOINT, evaluated = false;
    for (int i = 0; i < e->attachments; i++) {
        const CrdAttachment *at = &s->attachments[e->attachment + i];
        if (s->carriers[at->carrier].kind != CRD_CARRIER_FRAME) continue;
        if (!evaluated) CRD_TRY(KINDS[e->type].rows(scene, index, w, error));
        evaluated = true;
        CRD_TRY(crd_frame_gradient(scene, at->carrier, w, w->frame_gradient, error));
        const CrdIncidence *in = &s->incidences[at->incidence];
        for (int r = 0; r < e->rows; r++) {
            const double *row = w->twist_rows[by_side ? i * e->rows + r : r * e->attachments + i];
            double *piece = out + in->g + r * in->width;
            for (int k = 0; k < 6; k++)
                for (int j = 0; j < in->width; j++) piece[j] += row[k] * w->frame_gradient[k * in->width + j];
        }
    }
    return CARDAN_OK;
}

CardanStatus crd_constraints(const CardanModel *model, const double *q, const double *v, const CrdActions *actions,
                             CrdSystem *w, CrdError *error) {
    const CrdShape *s = model->shape;
    CrdScene scene = {model, q, v};
    crd_begin_rows(model, actions, w);
    if (s->curve_count > 0) CRD_TRY(crd_find_feet(model, w, error));
    for (int i = 0; i < s->element_count; i++)
        if (s->elements[i].rows > 0) CRD_TRY(KINDS[s->elements[i].type].rows(&scene, i, w, error));
    memcpy(w->rate, w->rate_t, (size_t)s->rows * sizeof *w->rate);
    crd_times_g(s, w->G, v, w->rate);
    return CARDAN_OK;
}

CardanStatus crd_gradient(const CardanModel *model, const double *q, const double *v, CrdSystem *w, double *out,
                          CrdError *error) {
    const CrdShape *s = model->shape;
    CrdScene scene = {model, q, v};
    for (int i = 0; i < s->element_count; i++) {
        if (s->elements[i].rows == 0) continue;
        CRD_TRY(KINDS[s->elements[i].type].gradient(&scene, i, w, out, error));
        if (s->size_jacobian > 0) CRD_TRY(add_frames(&scene, i, w, out, error));
    }
    return CARDAN_OK;
}
