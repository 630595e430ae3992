#include "integrate/free_rotation.h"

#include "core/rotation.h"

#include <math.h>

/* A body flying freely: Cayley vector (tangent of half the turn) beyond which a step is too long, 90 degrees;
 * iterations of Newton's method, which is quadratic, and their end. */
#define CRD_FREE_ROTATION_TURN 1.0
#define CRD_FREE_ROTATION_ITERATIONS 20
#define CRD_FREE_ROTATION_STILL 1e-15

/* x with A x = b by Cramer's rule; A by columns. */
static CrdVec solve3(CrdVec a, CrdVec b, CrdVec c, CrdVec right) {
    double det = crd_dot(a, crd_cross(b, c));
    return crd_vec(crd_dot(right, crd_cross(b, c)) / det, crd_dot(a, crd_cross(right, c)) / det,
                   crd_dot(a, crd_cross(b, right)) / det);
}

/* Column k of the Jacobian of r(c) = 2 (J c + c x J c) - (1 + c.c) hp. */
static CrdVec column(const double *inertia, CrdVec c, CrdVec hp, int k) {
    CrdVec unit = crd_vec(k == 0, k == 1, k == 2), jk = crd_apply(inertia, unit);
    CrdVec turn = crd_add(crd_cross(unit, crd_apply(inertia, c)), crd_cross(c, jk));
    return crd_axpy(crd_scale(2.0, crd_add(jk, turn)), -2.0 * crd_dot(c, unit), hp);
}

/* Newton's method for r(c) = 0 from c = J^-1 hp / 2, until it stands still. */
static bool cayley_vector(const CrdBlockValues *values, CrdVec hp, CrdVec *turn) {
    CrdVec c = crd_scale(0.5, crd_apply(values->inverse_inertia, hp));
    if (!(crd_norm(c) <= CRD_FREE_ROTATION_TURN)) return false;
    for (int i = 0; i < CRD_FREE_ROTATION_ITERATIONS; i++) {
        CrdVec jc = crd_apply(values->inertia, c);
        CrdVec r = crd_axpy(crd_scale(2.0, crd_add(jc, crd_cross(c, jc))), -(1.0 + crd_dot(c, c)), hp);
        CrdVec d = solve3(column(values->inertia, c, hp, 0), column(values->inertia, c, hp, 1),
                          column(values->inertia, c, hp, 2), r);
        c = crd_sub(c, d);
        *turn = c;
        if (crd_norm(d) <= CRD_FREE_ROTATION_STILL * crd_norm(c)) return crd_norm(c) <= CRD_FREE_ROTATION_TURN;
    }
    return false;
}

static bool turn_body(const CrdBlockValues *values, double h, const double *p, const double *w, double *p_new,
                      double *w_new) {
    CrdVec c, hp = crd_scale(h, crd_apply(values->inertia, crd_vec_of(w)));
    if (!cayley_vector(values, hp, &c)) return false;
    CrdVec jc = crd_apply(values->inertia, c);
    double scale = 2.0 / ((1.0 + crd_dot(c, c)) * h);
    CrdVec momentum = crd_scale(scale, crd_sub(jc, crd_cross(c, jc)));
    CardanQuat turned =
        crd_quat_normalised(crd_quat_mul((CardanQuat){p[0], p[1], p[2], p[3]}, (CardanQuat){1.0, c.x, c.y, c.z}));
    p_new[0] = turned.w, p_new[1] = turned.x, p_new[2] = turned.y, p_new[3] = turned.z;
    crd_put(w_new, crd_apply(values->inverse_inertia, momentum));
    return true;
}

CardanStatus crd_rotate_freely(const CardanModel *model, double h, const double *q, const double *u, double *q_new,
                               double *u_new) {
    const CrdStructure *structure = model->structure;
    for (int b = 0; b < structure->block_count; b++) {
        const CrdBlock *block = &structure->blocks[b];
        int straight = block->kind == CRD_SPATIAL_BODY ? 3 : block->nv;
        for (int k = 0; k < straight; k++) {
            q_new[block->q + k] = q[block->q + k] + h * u[block->v + k];
            u_new[block->v + k] = u[block->v + k];
        }
        if (block->kind != CRD_SPATIAL_BODY) continue;
        if (!turn_body(&model->values.blocks[b], h, q + block->q + 3, u + block->v + 3, q_new + block->q + 3,
                       u_new + block->v + 3))
            return CARDAN_ERR_NUMERIC;
    }
    return CARDAN_OK;
}

void crd_without_gyroscopic(const CardanModel *model, double scale, const double *v, double *x) {
    const CrdStructure *structure = model->structure;
    for (int b = 0; structure->space == CARDAN_SPACE_SPATIAL && b < structure->block_count; b++) {
        if (structure->blocks[b].kind != CRD_SPATIAL_BODY) continue;
        const CrdBlockValues *values = &model->values.blocks[b];
        CrdVec w = crd_vec_of(v + structure->blocks[b].v + 3);
        double *to = x + structure->blocks[b].v + 3;
        CrdVec moment = crd_cross(w, crd_apply(values->inertia, w));
        crd_put(to, crd_axpy(crd_vec_of(to), scale, crd_apply(values->inverse_inertia, moment)));
    }
}
