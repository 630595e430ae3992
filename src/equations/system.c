/* Workspace and frames. */
#include "equations/block_derivatives.h"
#include "equations/tree.h"

#include "core/callback.h"
#include "model/body_values.h"

#include <assert.h>
#include <string.h>

static size_t frames_of(const CrdStructure *structure) {
    return (size_t)structure->frame_count + (structure->tree != NULL ? (size_t)structure->tree->inner : 0);
}

/* Is its whole rotation written whenever it is evaluated? Then its pages wait for that. */
static bool turns_anew(const CrdStructure *structure, size_t frame) {
    int block = structure->tree == NULL ? structure->frames[frame].block : -1;
    return block >= 0 && structure->blocks[block].kind == CRD_SPATIAL_BODY;
}

static CardanFrame *take_frames(const CrdStructure *structure, CrdArena *arena) {
    CardanFrame *frames = crd_take(arena, frames_of(structure), sizeof *frames);
    for (size_t i = 0; arena->base != NULL && i < frames_of(structure); i++)
        if (!turns_anew(structure, i)) frames[i].rotation[0] = frames[i].rotation[4] = frames[i].rotation[8] = 1.0;
    return frames;
}

static void layout_frames(CrdSystem *system, const CrdStructure *structure, CrdArena *arena) {
    system->frames = take_frames(structure, arena);
    bool quaternions = structure->space == CARDAN_SPACE_SPATIAL && structure->tree == NULL;
    system->quaternions = quaternions ? crd_take(arena, frames_of(structure), sizeof *system->quaternions) : NULL;
    if (structure->tree != NULL) crd_tree_layout_motion(&system->tree, structure, arena);
}

void crd_system_layout_aside(CrdSystem *aside, const CrdSystem *system, const CrdStructure *structure,
                             CrdArena *arena) {
    assert(structure->rows == 0 && structure->size_custom == 0 && structure->tree != NULL);
    *aside = *system;
    crd_stamp_clear(&aside->stamp);
    aside->tree.is_aside = true;
    if (structure->tree->inner > 0) {
        layout_frames(aside, structure, arena);
        return;
    }
    aside->frames = NULL;
    crd_tree_layout_motion(&aside->tree, structure, arena);
}

void crd_system_layout(CrdSystem *system, const CrdStructure *structure, CrdArena *arena) {
    size_t rows = (size_t)structure->rows, real = sizeof(double);
    layout_frames(system, structure, arena);
    system->frame_jacobian = crd_take(arena, (size_t)structure->size_jacobian, real);
    system->frame_bias = crd_take(arena, (size_t)structure->size_bias, real);
    system->custom_mass = crd_take(arena, (size_t)structure->size_custom, real);
    system->custom_matrix = crd_take(arena, (size_t)structure->size_custom, real);
    system->g = crd_take(arena, rows, real);
    system->rate = crd_take(arena, rows, real);
    system->rate_t = crd_take(arena, rows, real);
    system->gamma = crd_take(arena, rows, real);
    system->G = crd_take(arena, (size_t)structure->size_g, real);
    size_t numbers = (size_t)structure->parameter_count + (size_t)structure->input_count;
    system->drive_values = crd_take(arena, structure->drive_count > 0 ? 1 + numbers : 0, sizeof *system->drive_values);
    system->feet =
        crd_take(arena, structure->curve_count > 0 ? (size_t)structure->tracked_count : 0, sizeof *system->feet);
    system->elastic = crd_take(arena, (size_t)structure->elastic_rows, real);
    system->law_values = crd_take(arena, (size_t)crd_law_variables(structure), real);
    system->law_jets = crd_take(arena, (size_t)crd_law_variables(structure), sizeof *system->law_jets);
    system->switch_jets = crd_take(arena, (size_t)structure->switch_count, sizeof *system->switch_jets);
    system->loads = crd_take(arena, (size_t)structure->frame_count, sizeof *system->loads);
    system->f = crd_take(arena, (size_t)structure->nv, real);
    system->z_rate = crd_take(arena, (size_t)structure->first_order, real);
    system->T = crd_take(arena, (size_t)structure->size_g, real);
    system->S = crd_take(arena, (size_t)structure->size_s, real);
    size_t twists = (size_t)structure->max_rows * (size_t)structure->max_attachments;
    system->twist_rows = crd_take(arena, twists, sizeof *system->twist_rows);
    system->gradient_rows = crd_take(arena, twists, sizeof *system->gradient_rows);
    system->frame_gradient = crd_take(arena, 6 * (size_t)structure->max_coordinates, real);
    system->probe = crd_take(arena, crd_probe_size(structure), real);
    size_t gathered = (size_t)(structure->max_gathered > structure->max_attachments ? structure->max_gathered
                                                                                    : structure->max_attachments);
    system->gathered = crd_take(arena, gathered, sizeof *system->gathered);
    system->wrench = crd_take(arena, gathered, sizeof *system->wrench);
    system->changes = crd_take(arena, (size_t)structure->frame_count, sizeof *system->changes);
    system->gathered_changes = crd_take(arena, gathered, sizeof *system->gathered_changes);
    system->load_changes = crd_take(arena, (size_t)structure->frame_count, sizeof *system->load_changes);
    size_t measured = structure->force_count > 0 ? (size_t)structure->frame_count : 0;
    system->alone = crd_take(arena, measured, sizeof *system->alone);
    system->alone_changes = crd_take(arena, measured, sizeof *system->alone_changes);
    if (structure->tree != NULL) crd_tree_layout(&system->tree, structure, arena);
}

/* In-place Cholesky of the lower triangle of a row-major n x n matrix; false: not positive definite. */
static bool cholesky(double *m, int n) {
    for (int j = 0; j < n; j++) {
        double *row = m + (size_t)j * (size_t)n;
        double d = row[j];
        for (int k = 0; k < j; k++) d -= row[k] * row[k];
        if (!(d > 0.0)) return false;
        row[j] = sqrt(d);
        for (int i = j + 1; i < n; i++) {
            double *lower = m + (size_t)i * (size_t)n;
            double sum = lower[j];
            for (int k = 0; k < j; k++) sum -= lower[k] * row[k];
            lower[j] = sum / row[j];
        }
    }
    return true;
}

static CardanStatus custom_mass(const CardanModel *model, const CrdBlock *block, const double *q, CrdSystem *system,
                                CrdError *error) {
    const CrdBlockDesc *desc = &model->description->blocks[block->object];
    assert(block->mass >= 0 && block->mass + block->nv * block->nv <= model->structure->size_custom);
    double *m = system->custom_matrix + block->mass, *l = system->custom_mass + block->mass;
    size_t bytes = (size_t)block->nv * (size_t)block->nv * sizeof *m;
    memset(m, 0, bytes);
    CardanStatus status = desc->def.mass(desc->def.user, system->t, q + block->q, m);
    CRD_TRY(crd_callback_ended(error, status, crd_are_finite(m, (size_t)block->nv * (size_t)block->nv), system->t,
                               "block '%s': its mass callback", desc->name));
    memcpy(l, m, bytes);
    if (cholesky(l, block->nv)) return CARDAN_OK;
    return crd_fail(error, CARDAN_ERR_NUMERIC, "block '%s': its mass matrix is not positive definite at t = %.9g",
                    desc->name, system->t);
}

static CardanStatus block_frame(const CardanModel *model, int frame, const double *q, const double *v,
                                CrdSystem *system, CrdError *error) {
    const CrdFrame *c = &model->structure->frames[frame];
    const CrdBlock *block = &model->structure->blocks[c->block];
    const CrdBlockDesc *desc = &model->description->blocks[block->object];
    assert(c->jacobian + 6 * block->nv <= model->structure->size_jacobian &&
           c->bias + 6 <= model->structure->size_bias);
    double *jacobian = system->frame_jacobian + c->jacobian, *bias = system->frame_bias + c->bias;
    memset(jacobian, 0, 6 * (size_t)block->nv * sizeof *jacobian);
    memset(bias, 0, 6 * sizeof *bias);
    CardanStatus status = desc->def.frame(desc->def.user, c->frame, system->t, q + block->q, v + block->v,
                                          &system->frames[frame], jacobian, bias);
    bool finite = crd_are_finite(&system->frames[frame], sizeof(CardanFrame) / sizeof(double)) &&
                  crd_are_finite(jacobian, 6 * (size_t)block->nv) && crd_are_finite(bias, 6);
    return crd_callback_ended(error, status, finite, system->t, "block '%s': its frame callback", desc->name);
}

/* Quaternions as the coordinates have them. */
static void copy_quaternions(const CrdStructure *structure, CrdRange blocks, const double *q, CrdSystem *system) {
    for (int i = blocks.first; system->quaternions != NULL && i < blocks.end; i++) {
        const CrdBlock *block = &structure->blocks[i];
        if (block->kind == CRD_SPATIAL_BODY)
            memcpy(&system->quaternions[block->frame], q + block->q + 3, sizeof *system->quaternions);
    }
}

void crd_use_frames(const CardanModel *model, double t, const double *q, const CardanFrame *frames, CrdSystem *system) {
    const CrdStructure *structure = model->structure;
    assert(structure->tree == NULL && structure->size_custom == 0 && isfinite(t));
    if (frames != system->frames)
        memcpy(system->frames, frames, (size_t)structure->frame_count * sizeof *system->frames);
    copy_quaternions(structure, (CrdRange){0, structure->block_count}, q, system);
    system->t = t;
    crd_stamp_clear(&system->stamp);
    crd_stamp_frames(&system->stamp, t, q);
}

typedef struct Bodies {
    const CrdStructure *structure;
    const double *q, *v;
    CrdSystem *system;
} Bodies;

static void body_frames(void *user, CrdRange items) {
    const Bodies *bodies = user;
    for (int i = items.first; i < items.end; i++) {
        const CrdBlock *block = &bodies->structure->blocks[i];
        if (block->kind != CRD_CUSTOM_BLOCK)
            crd_body_frame(block, bodies->q, bodies->v, &bodies->system->frames[block->frame]);
    }
    copy_quaternions(bodies->structure, items, bodies->q, bodies->system);
}

CardanStatus crd_kinematics(const CardanModel *model, double t, const double *q, const double *v, CrdSystem *system,
                            CrdError *error) {
    const CrdStructure *structure = model->structure;
    assert(system->frames != NULL && isfinite(t)); /* the real layout came before */
    system->t = t;
    crd_stamp_frames(&system->stamp, t, NULL); /* until all are there */
    if (structure->tree != NULL) crd_tree_kinematics(model, q, v, system);
    if (structure->tree == NULL) {
        enum { PART = 256 }; /* some 10 us */
        Bodies bodies = {structure, q, v, system};
        crd_pool_each(system->pool, body_frames, &bodies, structure->block_count, PART);
    }
    for (int i = 0; structure->size_custom > 0 && i < structure->block_count; i++)
        if (structure->blocks[i].kind == CRD_CUSTOM_BLOCK)
            CRD_TRY(custom_mass(model, &structure->blocks[i], q, system, error));
    for (int i = 0; structure->size_bias > 0 && i < structure->frame_count; i++)
        if (structure->frames[i].kind == CRD_FRAME_OF_BLOCK) CRD_TRY(block_frame(model, i, q, v, system, error));
    crd_stamp_frames(&system->stamp, t, q);
    return CARDAN_OK;
}

CrdPair crd_pair_of(const CrdStructure *structure, const CrdSystem *system, int element) {
    const CrdElement *e = &structure->elements[element];
    assert(e->attachments >= 2);
    const CrdAttachment *side = &structure->attachments[e->attachment];
    CrdPair pair = {.a = &system->frames[side[0].frame], .b = &system->frames[side[1].frame]};
    if (e->tracked < 0) return pair;
    if (crd_counts_itself(structure)) {
        const CrdCounted *counted = &structure->tree->counted[e->tracked];
        pair.near = counted->sign * system->tree.q[counted->q];
        return pair;
    }
    assert(system->tracked != NULL && e->tracked < structure->tracked_count);
    pair.near = system->tracked[e->tracked];
    if (e->kind->curve) pair.foot = &system->feet[e->tracked];
    if (e->turns) pair.turn = &system->tracked[e->tracked];
    return pair;
}

/* p' = p o (0, w) / 2 for rates w in own axes; p as it is, so that its length is kept. */
static void quaternion_rate(const double *p, const double *w, double *rate) {
    double a = 0.5 * w[0], b = 0.5 * w[1], c = 0.5 * w[2];
    rate[0] = -p[1] * a - p[2] * b - p[3] * c;
    rate[1] = p[0] * a + p[2] * c - p[3] * b;
    rate[2] = p[0] * b - p[1] * c + p[3] * a;
    rate[3] = p[0] * c + p[1] * b - p[2] * a;
}

typedef struct Rates {
    const CrdBlock *blocks;
    const double *q, *v;
    double *rates;
} Rates;

static void rates_of_blocks(void *user, CrdRange items) {
    const Rates all = *(const Rates *)user;
    for (int i = items.first; i < items.end; i++) {
        const CrdBlock *block = &all.blocks[i];
        const double *u = all.v + block->v;
        double *rate = all.rates + block->q;
        int turns = crd_block_quaternion(block);
        for (int k = 0; k < (turns >= 0 ? turns : block->nq); k++) rate[k] = u[k];
        if (turns >= 0) quaternion_rate(all.q + block->q + turns, u + turns, rate + turns);
    }
}

void crd_position_rates_with(CrdPool *pool, const CrdStructure *structure, const double *q, const double *v,
                             double *rates) {
    enum { PART = 1024 }; /* some 10 us */
    Rates all = {structure->blocks, q, v, rates};
    assert(structure->nq == 0 || (rates != q && rates != v));
    if (structure->nq == structure->nv) /* no quaternions: N is the identity */
        memcpy(rates, v, (size_t)structure->nv * sizeof *rates);
    else
        crd_pool_each(pool, rates_of_blocks, &all, structure->block_count, PART);
}

void crd_position_rates(const CrdStructure *structure, const double *q, const double *v, double *rates) {
    crd_position_rates_with(NULL, structure, q, v, rates);
}

static void normalise_quaternion(double *p) {
    double s = 1.0 / sqrt(p[0] * p[0] + p[1] * p[1] + p[2] * p[2] + p[3] * p[3]);
    for (int k = 0; k < 4; k++) p[k] *= s;
}

void crd_normalise(const CrdStructure *structure, double *q) {
    for (int i = 0; structure->nq > structure->nv && i < structure->block_count; i++)
        if (crd_block_quaternion(&structure->blocks[i]) >= 0)
            normalise_quaternion(q + structure->blocks[i].q + crd_block_quaternion(&structure->blocks[i]));
}

void crd_move(const CrdStructure *structure, const double *dx, double *q) {
    for (int i = 0; i < structure->block_count; i++) {
        const CrdBlock *block = &structure->blocks[i];
        double *x = q + block->q, turned[4];
        const double *d = dx + block->v;
        int turns = crd_block_quaternion(block);
        for (int k = 0; k < (turns >= 0 ? turns : block->nq); k++) x[k] += d[k];
        if (turns < 0) continue;
        quaternion_rate(x + turns, d + turns, turned);
        for (int k = 0; k < 4; k++) x[turns + k] += turned[k];
        normalise_quaternion(x + turns);
    }
}
