/* Rows of all elements: kernels give twist rows on frames, which become pieces of G on coordinate blocks. */
#include "core/callback.h"
#include "core/unguarded.h"
#include "equations/block_derivatives.h"
#include "equations/each.h"
#include "equations/tree.h"

#include <assert.h>
#include <string.h>

void crd_add_twist_row(const CrdStructure *structure, const CrdSystem *system, int frame, const double *row,
                       double *piece) {
    const CrdBlock *block = &structure->blocks[structure->frames[frame].block];
    switch (block->kind) {
    case CRD_PLANAR_BODY:
        piece[2] += row[5]; /* fall through */
    case CRD_PLANAR_PARTICLE:
        piece[0] += row[0];
        piece[1] += row[1];
        break;
    case CRD_SPATIAL_BODY:
    case CRD_SPATIAL_PARTICLE:
        for (int k = 0; k < block->nv; k++) piece[k] += row[k];
        break;
    case CRD_CUSTOM_BLOCK: {
        const double *jacobian = system->frame_jacobian + structure->frames[frame].jacobian;
        for (int i = 0; i < 6; i++)
            for (int k = 0; k < block->nv; k++) piece[k] += row[i] * jacobian[i * block->nv + k];
        break;
    }
    default:
        assert(false); /* rows of a tree walk (tree_walk.c) */
    }
}

/* Adds twist rows (rows x 6, `stride` apart) of one attachment to the piece of its incidence. */
static void add_piece(const CrdStructure *structure, const CrdSystem *system, const CrdAttachment *at, int rows,
                      CardanTwistRow *twist, int stride, double *pieces) {
    assert(at->incidence >= 0 && rows == structure->incidences[at->incidence].rows);
    const CrdIncidence *incidence = &structure->incidences[at->incidence];
    double *piece = pieces + incidence->g;
    for (int r = 0; r < rows; r++, piece += incidence->width)
        crd_add_twist_row(structure, system, at->frame, twist[(size_t)r * (size_t)stride], piece);
}

/* A block frame's twist changes by J a + bias: what the bias contributes belongs to gamma. */
static void subtract_bias(const CrdStructure *structure, const CrdSystem *system, const CrdAttachment *at, int rows,
                          CardanTwistRow *twist, int stride, double *gamma) {
    if (structure->frames[at->frame].kind != CRD_FRAME_OF_BLOCK) return;
    const double *bias = system->frame_bias + structure->frames[at->frame].bias;
    for (int r = 0; r < rows; r++)
        for (int k = 0; k < 6; k++) gamma[r] -= twist[(size_t)r * (size_t)stride][k] * bias[k];
}

/* Pieces that are added to; those that a kernel writes itself only when `all` are. */
static void clear_pieces(const CrdStructure *structure, const CrdElement *element, bool all, double *pieces) {
    for (int i = 0; i < element->incidences; i++) {
        const CrdIncidence *in = &structure->incidences[element->incidence + i];
        if (all || !in->direct) memset(pieces + in->g, 0, (size_t)in->rows * (size_t)in->width * sizeof *pieces);
    }
}

/* Where the kernel writes the rows of a joint's side: the piece itself when it can, else scratch. */
static CardanTwistRow *side_rows(const CrdStructure *structure, const CrdAttachment *at, double *pieces,
                                 CardanTwistRow *scratch) {
    if (at->incidence >= 0 && structure->incidences[at->incidence].direct)
        return (CardanTwistRow *)(pieces + structure->incidences[at->incidence].g);
    return scratch;
}

static void spread_side(const CrdStructure *structure, CrdSystem *system, const CrdElement *element,
                        const CrdAttachment *at, CardanTwistRow *twist, double *pieces) {
    if (at->incidence >= 0 && !structure->incidences[at->incidence].direct)
        add_piece(structure, system, at, element->rows, twist, 1, pieces);
}

/* Twist rows of all attachments, side by side in each row, as pieces. */
static void spread_all(const CrdStructure *structure, CrdSystem *system, const CrdElement *element, double *pieces) {
    assert(element->rows <= structure->max_rows && element->attachments <= structure->max_attachments);
    clear_pieces(structure, element, true, pieces);
    for (int i = 0; i < element->attachments; i++) {
        const CrdAttachment *at = &structure->attachments[element->attachment + i];
        if (at->incidence >= 0)
            add_piece(structure, system, at, element->rows, system->twist_rows + i, element->attachments, pieces);
    }
}

static CrdSlots slots_of(const CrdSystem *system, const CrdElement *element) {
    return (CrdSlots){system->g + element->first, system->rate_t + element->first, system->gamma + element->first};
}

/* ---- joints ---- */

/* Where a whole joint writes the rows of its side: the piece itself, or of the ground and of a tree scratch. */
static double *whole_side(const CrdStructure *structure, const CrdAttachment *at, CrdSystem *system,
                          CardanTwistRow *scratch) {
    return at->incidence >= 0 ? system->G + structure->incidences[at->incidence].g : *scratch;
}

/* Rows (x, y, turn) of the plane become twist rows, which the walks of a tree take; from the last on, in place. */
static void widen(double *rows, int count) {
    for (int r = count - 1; r >= 0; r--) {
        double x = rows[3 * r], y = rows[3 * r + 1], turn = rows[3 * r + 2], *row = rows + 6 * r;
        row[0] = x;
        row[1] = y;
        row[2] = row[3] = row[4] = 0.0;
        row[5] = turn;
    }
}

/* Rows, rates and gamma without what a law of the time adds. */
static void evaluate_whole(const CrdScene *scene, const CrdElement *element, const CrdSystem *system,
                           CrdWholeRows rows) {
    const CrdAttachment *at = &scene->model->structure->attachments[element->attachment];
    CrdPair pair = {.a = &system->frames[at[0].frame], .b = &system->frames[at[1].frame]};
    assert(element->attachments == 2 && !element->turns);
    element->whole(&scene->model->values.joints[element - scene->model->structure->elements], &pair, rows);
}

static CardanStatus add_laws(const CrdScene *scene, const CrdElement *element, const CrdSystem *system, CrdSlots out,
                             double *rate, CrdError *error) {
    for (int r = 0; r < element->rows; r++) out.rate_t[r] = 0.0;
    if (element->laws == 0) return CARDAN_OK;
    CRD_TRY(crd_subtract_laws(scene->model, element, system, out, error));
    for (int r = 0; r < element->laws; r++) rate[r] += out.rate_t[r];
    return CARDAN_OK;
}

CRD_UNGUARDED static CardanStatus whole_rows(const CrdScene *scene, int index, CrdSystem *system, CrdError *error) {
    const CrdStructure *structure = scene->model->structure;
    const CrdElement *element = &structure->elements[index];
    const CrdAttachment *at = &structure->attachments[element->attachment];
    CrdSlots out = slots_of(system, element);
    double *rate = system->rate + element->first;
    CrdWholeRows rows = {out.g, rate, out.gamma, whole_side(structure, &at[0], system, system->twist_rows),
                         whole_side(structure, &at[1], system, system->twist_rows + element->rows)};
    evaluate_whole(scene, element, system, rows);
    if (structure->tree != NULL && structure->space == CARDAN_SPACE_PLANAR) {
        widen(rows.a, element->rows);
        widen(rows.b, element->rows);
    }
    return add_laws(scene, element, system, out, rate, error);
}

static CardanStatus joint_rows(const CrdScene *scene, int index, CrdSystem *system, CrdError *error) {
    const CrdStructure *structure = scene->model->structure;
    const CrdElement *element = &structure->elements[index];
    assert(element->attachments == 2 && element->rows <= CRD_JOINT_ROWS);
    if (element->whole != NULL) return whole_rows(scene, index, system, error);
    const CrdAttachment *at = &structure->attachments[element->attachment];
    CardanTwistRow *twist_row = side_rows(structure, &at[0], system->G, system->twist_rows);
    CardanTwistRow *b = side_rows(structure, &at[1], system->G, system->twist_rows + element->rows);
    CrdSlots out = slots_of(system, element);
    CRD_TRY(crd_evaluate_joint(scene->model, index, system, twist_row, b, out, error));
    clear_pieces(structure, element, false, system->G);
    for (int side = 0; side < 2; side++) {
        CardanTwistRow *rows = side == 0 ? twist_row : b;
        spread_side(structure, system, element, &at[side], rows, system->G);
        subtract_bias(structure, system, &at[side], element->rows, rows, 1, out.gamma);
    }
    return CARDAN_OK;
}

/* ---- rows over any number of attachments: couplers (one row, two twist rows for each term), the user's ---- */

typedef CardanStatus (*Evaluate)(const CardanModel *model, int index, CrdSystem *system, CardanTwistRow *twist,
                                 CrdSlots out, CrdError *error);

static CardanStatus wide_rows(const CrdScene *scene, int index, Evaluate evaluate, CrdSystem *system, CrdError *error) {
    const CrdStructure *structure = scene->model->structure;
    const CrdElement *element = &structure->elements[index];
    CrdSlots out = slots_of(system, element);
    CRD_TRY(evaluate(scene->model, index, system, system->twist_rows, out, error));
    spread_all(structure, system, element, system->G);
    const CrdAttachment *at = &structure->attachments[element->attachment];
    for (int i = 0, n = element->attachments; i < n; i++)
        subtract_bias(structure, system, &at[i], element->rows, system->twist_rows + i, n, out.gamma);
    return CARDAN_OK;
}

static CardanStatus coupler_rows(const CrdScene *scene, int index, CrdSystem *system, CrdError *error) {
    return wide_rows(scene, index, crd_evaluate_coupler, system, error);
}

static CardanStatus user_rows(const CrdScene *scene, int index, CrdSystem *system, CrdError *error) {
    return wide_rows(scene, index, crd_evaluate_user, system, error);
}

/* ---- rows of blocks ---- */

static CardanStatus block_rows(const CrdScene *scene, int index, CrdSystem *system, CrdError *error) {
    const CardanModel *model = scene->model;
    const CrdElement *element = &model->structure->elements[index];
    const CrdBlock *block = &model->structure->blocks[element->block];
    const CrdBlockDesc *desc = &model->description->blocks[block->object];
    CrdSlots out = slots_of(system, element);
    double *piece = system->G + model->structure->incidences[element->incidence].g;
    size_t bytes = (size_t)element->rows * sizeof *piece;
    assert(element->incidences == 1 && desc->def.rows == element->rows);
    memset(out.g, 0, bytes);
    memset(out.rate_t, 0, bytes);
    memset(out.gamma, 0, bytes);
    memset(piece, 0, bytes * (size_t)block->nv);
    CardanStatus status = desc->def.constraint(desc->def.user, system->t, scene->q + block->q, scene->v + block->v,
                                               out.g, piece, out.rate_t, out.gamma);
    size_t rows = (size_t)element->rows;
    bool finite = crd_are_finite(out.g, rows) && crd_are_finite(piece, rows * (size_t)block->nv) &&
                  crd_are_finite(out.rate_t, rows) && crd_are_finite(out.gamma, rows);
    return crd_callback_ended(error, status, finite, system->t, "block '%s': its constraint callback", desc->name);
}

/* ---- the derivative of G v ---- */

static CardanStatus joint_gradient(const CrdScene *scene, int index, CrdSystem *system, double *out, CrdError *error) {
    (void)error;
    const CardanModel *model = scene->model;
    const CrdStructure *structure = model->structure;
    const CrdElement *element = &structure->elements[index];
    const CrdAttachment *at = &structure->attachments[element->attachment];
    CrdPair pair = crd_pair_of(structure, system, index);
    CardanTwistRow *twist_row = side_rows(structure, &at[0], out, system->twist_rows);
    CardanTwistRow *b = side_rows(structure, &at[1], out, system->twist_rows + element->rows);
    CrdRows rows = {.a = twist_row, .b = b};
    crd_joint_gradient(element->kind, &model->values.joints[index], &pair, rows);
    clear_pieces(structure, element, false, out);
    spread_side(structure, system, element, &at[0], twist_row, out);
    spread_side(structure, system, element, &at[1], b, out);
    return CARDAN_OK;
}

static CardanStatus coupler_gradient(const CrdScene *scene, int index, CrdSystem *system, double *out,
                                     CrdError *error) {
    (void)error;
    crd_element_gradient(scene->model, index, system, system->twist_rows);
    spread_all(scene->model->structure, system, &scene->model->structure->elements[index], out);
    return CARDAN_OK;
}

static CardanStatus user_gradient(const CrdScene *scene, int index, CrdSystem *system, double *out, CrdError *error) {
    CRD_TRY(crd_user_gradient(scene->model, index, system, system->twist_rows, error));
    spread_all(scene->model->structure, system, &scene->model->structure->elements[index], out);
    return CARDAN_OK;
}

static CardanStatus block_gradient(const CrdScene *scene, int index, CrdSystem *system, double *out, CrdError *error) {
    const CrdStructure *structure = scene->model->structure;
    const CrdElement *element = &structure->elements[index];
    return crd_block_gradient(scene, element->block, system, out + structure->incidences[element->incidence].g, error);
}

/* ---- all of them ---- */

typedef struct ElementKind {
    CardanStatus (*rows)(const CrdScene *scene, int element, CrdSystem *system, CrdError *error);
    CardanStatus (*gradient)(const CrdScene *scene, int element, CrdSystem *system, double *out, CrdError *error);
} ElementKind;

static const ElementKind KINDS[CRD_ELEMENT_TYPES] = {
    [CRD_ELEMENT_JOINT] = {joint_rows, joint_gradient},
    [CRD_ELEMENT_COUPLER] = {coupler_rows, coupler_gradient},
    [CRD_ELEMENT_USER] = {user_rows, user_gradient},
    [CRD_ELEMENT_BLOCK] = {block_rows, block_gradient},
};

/* The twist of a block's frame is J v: at fixed v it changes by (J v)_q, which row after row meets the twist rows. The
 * element's rows are evaluated once more for them: those of frames are in system->twist_rows then. */
static CardanStatus add_frames(const CrdScene *scene, int index, CrdSystem *system, double *out, CrdError *error) {
    const CrdStructure *structure = scene->model->structure;
    const CrdElement *element = &structure->elements[index];
    bool by_side = element->type == CRD_ELEMENT_JOINT, evaluated = false;
    for (int i = 0; i < element->attachments; i++) {
        const CrdAttachment *at = &structure->attachments[element->attachment + i];
        if (structure->frames[at->frame].kind != CRD_FRAME_OF_BLOCK) continue;
        if (!evaluated) CRD_TRY(KINDS[element->type].rows(scene, index, system, error));
        evaluated = true;
        CRD_TRY(crd_frame_gradient(scene, at->frame, system, system->frame_gradient, error));
        const CrdIncidence *in = &structure->incidences[at->incidence];
        assert(!in->direct); /* its twist rows are in the scratch */
        for (int r = 0; r < element->rows; r++) {
            const double *row = system->twist_rows[by_side ? i * element->rows + r : r * element->attachments + i];
            double *piece = out + in->g + r * in->width;
            for (int k = 0; k < 6; k++)
                for (int j = 0; j < in->width; j++) piece[j] += row[k] * system->frame_gradient[k * in->width + j];
        }
    }
    return CARDAN_OK;
}

CardanStatus crd_element_rows(const CardanModel *model, int index, const double *q, const double *v, CrdSystem *system,
                              CrdError *error) {
    const CrdElement *element = &model->structure->elements[index];
    CrdScene scene = {model, q, v};
    assert(element->rows > 0 && crd_stamp_at(&system->stamp, q));
    return KINDS[element->type].rows(&scene, index, system, error);
}

/* Their rates, G v + g_t. */
static void rates_by_rows(const CrdScene *scene, int index, CrdSystem *system) {
    const CrdStructure *structure = scene->model->structure;
    const CrdElement *element = &structure->elements[index];
    for (int r = 0; r < element->rows; r++) {
        double sum = system->rate_t[element->first + r];
        for (int i = 0; i < element->incidences; i++) {
            const CrdIncidence *in = &structure->incidences[element->incidence + i];
            const double *piece = system->G + in->g + r * in->width;
            for (int k = 0; k < in->width; k++) sum += piece[k] * scene->v[in->v + k];
        }
        system->rate[element->first + r] = sum;
    }
}

static CardanStatus element_rows(const void *user, int index, CrdSystem *system, CrdError *error) {
    const CrdScene *scene = user;
    const CrdStructure *structure = scene->model->structure;
    CRD_TRY(KINDS[structure->elements[index].type].rows(scene, index, system, error));
    if (structure->tree != NULL)
        crd_tree_rows(scene->model, index, system);
    else if (structure->elements[index].whole == NULL)
        rates_by_rows(scene, index, system);
    return CARDAN_OK;
}

CardanStatus crd_constraints(const CardanModel *model, const double *q, const double *v, const CrdActions *actions,
                             CrdSystem *system, CrdError *error) {
    const CrdStructure *structure = model->structure;
    CrdScene scene = {model, q, v};
    assert(crd_stamp_at(&system->stamp, q));
    crd_stamp_drop(&system->stamp, CRD_HOLDS_ROWS);
    crd_begin_rows(model, actions, system);
    if (structure->curve_count > 0) CRD_TRY(crd_find_feet(model, system, error));
    CRD_TRY(crd_each_element(structure, system, element_rows, &scene, error));
    crd_stamp_add(&system->stamp, CRD_HOLDS_ROWS);
    return CARDAN_OK;
}

/* Of elements that are no joints by their rows. */
static CardanStatus residuals_by_rows(const CrdScene *scene, int index, CrdSystem *system, CrdError *error) {
    CRD_TRY(KINDS[scene->model->structure->elements[index].type].rows(scene, index, system, error));
    rates_by_rows(scene, index, system);
    return CARDAN_OK;
}

CRD_UNGUARDED static CardanStatus whole_residuals(const CrdScene *scene, const CrdElement *element, CrdSystem *system,
                                                  CrdError *error) {
    CrdSlots out = slots_of(system, element);
    double *rate = system->rate + element->first;
    CrdWholeRows rows = {.g = out.g, .rate = rate};
    evaluate_whole(scene, element, system, rows);
    return add_laws(scene, element, system, out, rate, error);
}

static CardanStatus joint_residuals(const CrdScene *scene, int index, CrdSystem *system, CrdError *error) {
    const CrdElement *element = &scene->model->structure->elements[index];
    if (element->whole != NULL) return whole_residuals(scene, element, system, error);
    CrdSlots out = slots_of(system, element);
    double *rate = system->rate + element->first;
    CRD_TRY(crd_evaluate_joint_residuals(scene->model, index, system, rate, out, error));
    for (int r = 0; r < element->rows; r++) rate[r] += out.rate_t[r];
    return CARDAN_OK;
}

static CardanStatus element_residuals(const void *user, int index, CrdSystem *system, CrdError *error) {
    const CrdScene *scene = user;
    bool joint = scene->model->structure->elements[index].type == CRD_ELEMENT_JOINT;
    return joint ? joint_residuals(scene, index, system, error) : residuals_by_rows(scene, index, system, error);
}

CardanStatus crd_residuals(const CardanModel *model, const double *q, const double *v, const CrdActions *actions,
                           CrdSystem *system, CrdError *error) {
    const CrdStructure *structure = model->structure;
    CrdScene scene = {model, q, v};
    assert(crd_stamp_at(&system->stamp, q));
    crd_stamp_drop(&system->stamp, CRD_HOLDS_RESIDUALS);
    crd_begin_rows(model, actions, system);
    if (structure->curve_count > 0) CRD_TRY(crd_find_feet(model, system, error));
    CRD_TRY(crd_each_element(structure, system, element_residuals, &scene, error));
    crd_stamp_add(&system->stamp, CRD_HOLDS_RESIDUALS);
    return CARDAN_OK;
}

CardanStatus crd_gradient(const CardanModel *model, const double *q, const double *v, CrdSystem *system, double *out,
                          CrdError *error) {
    const CrdStructure *structure = model->structure;
    CrdScene scene = {model, q, v};
    assert(crd_stamp_at(&system->stamp, q));
    assert(structure->curve_count == 0 || crd_stamp_holds(&system->stamp, CRD_HOLDS_ROWS)); /* feet */
    assert(structure->size_g == 0 || out != system->G);
    assert(structure->tree == NULL); /* implicit methods and the full form have absolute coordinates */
    for (int i = 0; i < structure->element_count; i++) {
        if (structure->elements[i].rows == 0) continue;
        CRD_TRY(KINDS[structure->elements[i].type].gradient(&scene, i, system, out, error));
        if (structure->size_jacobian > 0) CRD_TRY(add_frames(&scene, i, system, out, error));
    }
    return CARDAN_OK;
}
