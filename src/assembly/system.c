/* Workspace and frames. */
#include "assembly/block_derivatives.h"

#include "model/body_numbers.h"

#include <string.h>

void crd_system_layout(CrdSystem *w, const CrdShape *s, CrdArena *arena) {
    size_t rows = (size_t)s->rows, real = sizeof(double);
    w->frames = crd_take(arena, (size_t)s->carrier_count, sizeof *w->frames);
    w->frame_jacobian = crd_take(arena, (size_t)s->size_jacobian, real);
    w->frame_bias = crd_take(arena, (size_t)s->size_bias, real);
    w->custom_mass = crd_take(arena, (size_t)s->size_custom, real);
    w->custom_matrix = crd_take(arena, (size_t)s->size_custom, real);
    w->g = crd_take(arena, rows, real);
    w->rate = crd_take(arena, rows, real);
    w->rate_t = crd_take(arena, rows, real);
    w->gamma = crd_take(arena, rows, real);
    w->G = crd_take(arena, (size_t)s->size_g, real);
    size_t numbers = (size_t)s->parameter_count + (size_t)s->input_count;
    w->drive_values = crd_take(arena, s->drive_count > 0 ? 1 + numbers : 0, sizeof *w->drive_values);
    w->feet = crd_take(arena, s->curve_count > 0 ? (size_t)s->follower_count : 0, sizeof *w->feet);
    w->elastic = crd_take(arena, (size_t)s->elastic_rows, real);
    w->law_values = crd_take(arena, (size_t)crd_law_variables(s), real);
    w->law_jets = crd_take(arena, (size_t)crd_law_variables(s), sizeof *w->law_jets);
    w->switch_jets = crd_take(arena, (size_t)s->switch_count, sizeof *w->switch_jets);
    w->loads = crd_take(arena, (size_t)s->carrier_count, sizeof *w->loads);
    w->f = crd_take(arena, (size_t)s->nv, real);
    w->z_rate = crd_take(arena, (size_t)s->first_order, real);
    w->T = crd_take(arena, (size_t)s->size_g, real);
    w->S = crd_take(arena, (size_t)s->size_s, real);
    size_t twists = (size_t)s->most_rows * (size_t)s->most_attachments;
    w->twist_rows = crd_take(arena, twists, sizeof *w->twist_rows);
    w->gradient_rows = crd_take(arena, twists, sizeof *w->gradient_rows);
    w->frame_gradient = crd_take(arena, 6 * (size_t)s->most_coordinates, real);
    w->probe = crd_take(arena, crd_probe_size(s), real);
    size_t gathered = (size_t)(s->most_gathered > s->most_attachments ? s->most_gathered : s->most_attachments);
    w->gathered = crd_take(arena, gathered, sizeof *w->gathered);
    w->wrench = crd_take(arena, gathered, sizeof *w->wrench);
    w->changes = crd_take(arena, (size_t)s->carrier_count, sizeof *w->changes);
    w->gathered_changes = crd_take(arena, gathered, sizeof *w->gathered_changes);
    w->load_changes = crd_take(arena, (size_t)s->carrier_count, sizeof *w->load_changes);
    for (int i = 0; arena->base != NULL && i < s->carrier_count; i++)
        w->frames[i].rotation[0] = w->frames[i].rotation[4] = w->frames[i].rotation[8] = 1.0;
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

static CardanStatus custom_mass(const CardanModel *model, const CrdBlock *block, const double *q, CrdSystem *w,
                                CrdError *error) {
    const CrdBlockDesc *desc = &model->description->blocks[block->object];
    double *m = w->custom_matrix + block->mass, *l = w->custom_mass + block->mass;
    size_t bytes = (size_t)block->nv * (size_t)block->nv * sizeof *m;
    memset(m, 0, bytes);
    CardanStatus status = desc->def.mass(desc->def.user, w->t, q + block->q, m);
    if (status < 0) return crd_fail(error, status, "block '%s': its mass callback failed at t = %.9g", desc->name, w->t);
    memcpy(l, m, bytes);
    if (cholesky(l, block->nv)) return CARDAN_OK;
    return crd_fail(error, CARDAN_ERR_NUMERIC, "block '%s': its mass matrix is not positive definite at t = %.9g",
                    desc->name, w->t);
}

static CardanStatus block_frame(const CardanModel *model, int carrier, const double *q, const double *v, CrdSystem *w,
                                CrdError *error) {
    const CrdCarrier *c = &model->shape->carriers[carrier];
    const CrdBlock *block = &model->shape->blocks[c->block];
    const CrdBlockDesc *desc = &model->description->blocks[block->object];
    double *jacobian = w->frame_jacobian + c->jacobian, *bias = w->frame_bias + c->bias;
    memset(jacobian, 0, 6 * (size_t)block->nv * sizeof *jacobian);
    memset(bias, 0, 6 * sizeof *bias);
    CardanStatus status = desc->def.frame(desc->def.user, c->frame, w->t, q + block->q, v + block->v,
                                          &w->frames[carrier], jacobian, bias);
    if (status >= 0) return CARDAN_OK;
    return crd_fail(error, status, "block '%s': its frame callback failed at t = %.9g", desc->name, w->t);
}

CardanStatus crd_kinematics(const CardanModel *model, double t, const double *q, const double *v, CrdSystem *w,
                            CrdError *error) {
    const CrdShape *s = model->shape;
    w->t = t;
    for (int i = 0; i < s->block_count; i++) {
        const CrdBlock *block = &s->blocks[i];
        if (block->kind == CRD_CUSTOM_BLOCK)
            CRD_TRY(custom_mass(model, block, q, w, error));
        else
            crd_body_frame(block, q, v, &w->frames[block->carrier]);
    }
    if (s->size_bias == 0) return CARDAN_OK;
    for (int i = 0; i < s->carrier_count; i++)
        if (s->carriers[i].kind == CRD_CARRIER_FRAME) CRD_TRY(block_frame(model, i, q, v, w, error));
    return CARDAN_OK;
}

CrdPair crd_pair_of(const CrdShape *s, const CrdSystem *w, int element) {
    const CrdElement *e = &s->elements[element];
    const CrdAttachment *side = &s->attachments[e->attachment];
    CrdPair pair = {.a = &w->frames[side[0].carrier], .b = &w->frames[side[1].carrier]};
    if (e->follower < 0) return pair;
    pair.near = w->followers[e->follower];
    if (e->kind->needs & CRD_NEEDS_CURVE) pair.foot = &w->feet[e->follower];
    return pair;
}

void crd_position_rates(const CrdShape *s, const double *q, const double *v, double *rates) {
    for (int i = 0; i < s->block_count; i++) {
        const CrdBlock *block = &s->blocks[i];
        const double *x = q + block->q, *u = v + block->v;
        double *rate = rates + block->q;
        if (block->kind != CRD_SPATIAL_BODY) {
            for (int k = 0; k < block->nq; k++) rate[k] = u[k];
            continue;
        }
        /* p' = p o (0, w) / 2 for rates w in own axes; p as it is, so that its length is kept. */
        for (int k = 0; k < 3; k++) rate[k] = u[k];
        double a = 0.5 * u[3], b = 0.5 * u[4], c = 0.5 * u[5];
        rate[3] = -x[4] * a - x[5] * b - x[6] * c;
        rate[4] = x[3] * a + x[5] * c - x[6] * b;
        rate[5] = x[3] * b - x[4] * c + x[6] * a;
        rate[6] = x[3] * c + x[4] * b - x[5] * a;
    }
}

static void normalise_quaternion(double *p) {
    double s = 1.0 / sqrt(p[0] * p[0] + p[1] * p[1] + p[2] * p[2] + p[3] * p[3]);
    for (int k = 0; k < 4; k++) p[k] *= s;
}

void crd_normalise(const CrdShape *s, double *q) {
    for (int i = 0; s->space == CARDAN_SPATIAL && i < s->block_count; i++)
        if (s->blocks[i].kind == CRD_SPATIAL_BODY) normalise_quaternion(q + s->blocks[i].q + 3);
}

void crd_move(const CrdShape *s, const double *dx, double *q) {
    for (int i = 0; i < s->block_count; i++) {
        const CrdBlock *block = &s->blocks[i];
        double *x = q + block->q;
        const double *d = dx + block->v;
        if (block->kind != CRD_SPATIAL_BODY) {
            for (int k = 0; k < block->nq; k++) x[k] += d[k];
            continue;
        }
        for (int k = 0; k < 3; k++) x[k] += d[k];
        double a = 0.5 * d[3], b = 0.5 * d[4], c = 0.5 * d[5];
        double w = x[3], i1 = x[4], j1 = x[5], k1 = x[6];
        x[3] += -i1 * a - j1 * b - k1 * c;
        x[4] += w * a + j1 * c - k1 * b;
        x[5] += w * b - i1 * c + k1 * a;
        x[6] += w * c + i1 * b - j1 * a;
        normalise_quaternion(x + 3);
    }
}
