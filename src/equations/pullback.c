#include "equations/pullback.h"

#include "equations/element.h"
#include "equations/element_derivatives.h"
#include "equations/jacobian_parts.h"

#include <assert.h>
#include <string.h>

bool crd_can_pull_back(const CrdStructure *structure) {
    bool can = structure->tree == NULL && structure->states_count == 0 && structure->size_custom == 0;
    for (int i = 0; can && i < structure->block_count; i++) can = structure->blocks[i].kind != CRD_CUSTOM_BLOCK;
    return can && crd_jacobian_is_told(structure);
}

/* ---- loads on frames ---- */

static const CrdBlock *block_of(const CrdStructure *structure, int frame) {
    return structure->frames[frame].block < 0 ? NULL : &structure->blocks[structure->frames[frame].block];
}

/* out (nv) += psi, on velocities, times the loads on frame `to` over the motion of frame `from`: 6 x 6, rows `stride`
 * apart. */
static void pull_loads(const CrdStructure *structure, const double *psi, int to, int from, const double *loads,
                       int stride, double *out) {
    const CrdBlock *row = block_of(structure, to), *column = block_of(structure, from);
    if (row == NULL || column == NULL) return;
    assert(row->nv <= 6 && column->nv <= 6);
    for (int r = 0; r < row->nv; r++) {
        const double *load = loads + (size_t)crd_twist_component(row, r) * (size_t)stride;
        double weight = psi[row->v + r];
        if (weight == 0.0) continue;
        for (int k = 0; k < column->nv; k++) out[column->v + k] += weight * load[crd_twist_component(column, k)];
    }
}

static CardanStatus pull_compliant(CrdJacobian *jacobian, int index, const CrdPullback *pullback) {
    const CrdStructure *structure = jacobian->model->structure;
    const CrdElement *element = &structure->elements[index];
    const CrdAttachment *at = structure->attachments + element->attachment;
    double *over_x = jacobian->element[0], *over_v = jacobian->element[1];
    int stride = 6 * element->attachments;
    CRD_TRY(crd_compliant_derivatives(jacobian->model, index, jacobian->system, over_x, over_v, jacobian->error));
    for (int i = 0; i < element->attachments; i++)
        for (int j = 0; j < element->attachments; j++) {
            int place = 6 * i * stride + 6 * j;
            pull_loads(structure, pullback->v, at[i].frame, at[j].frame, over_x + place, stride, pullback->over_x);
            pull_loads(structure, pullback->v, at[i].frame, at[j].frame, over_v + place, stride, pullback->over_v);
        }
    return CARDAN_OK;
}

/* -w x J w of spatial bodies. */
static void pull_gyroscopic(const CrdJacobian *jacobian, const CrdPullback *pullback) {
    const CardanModel *model = jacobian->model;
    for (int i = 0; i < model->structure->block_count; i++) {
        const CrdBlock *block = &model->structure->blocks[i];
        if (block->kind != CRD_SPATIAL_BODY) continue;
        const double *inertia = model->values.blocks[i].inertia;
        CrdVec w = crd_vec_of(jacobian->v + block->v + 3), psi = crd_vec_of(pullback->v + block->v + 3);
        CrdVec d = crd_add(crd_cross(crd_apply(inertia, w), psi), crd_apply_t(inertia, crd_cross(psi, w)));
        double *out = pullback->over_v + block->v + 3;
        crd_put(out, crd_sub(crd_vec_of(out), d));
    }
}

static CardanStatus pull_forces(CrdJacobian *jacobian, const CrdPullback *pullback) {
    const CrdStructure *structure = jacobian->model->structure;
    double *const over[3] = {pullback->over_x, pullback->over_v, pullback->over_z};
    for (int i = 0; i < structure->force_count; i++)
        CRD_TRY(crd_force_pull(jacobian->model, i, jacobian->actions, jacobian->system, pullback->v, pullback->z, over,
                               jacobian->error));
    for (int i = 0; structure->compliant_count > 0 && i < structure->element_count; i++)
        if (structure->elements[i].compliant > 0) CRD_TRY(pull_compliant(jacobian, i, pullback));
    pull_gyroscopic(jacobian, pullback);
    return CARDAN_OK;
}

/* ---- rows ---- */

/* over_x -= weight (G x)_x, x fixed. */
static CardanStatus pull_along(CrdJacobian *jacobian, const double *x, const double *weight, double *over_x) {
    CrdSystem *system = jacobian->system;
    CRD_TRY(crd_kinematics(jacobian->model, system->t, jacobian->q, x, system, jacobian->error));
    CRD_TRY(crd_gradient(jacobian->model, jacobian->q, x, system, jacobian->pieces, jacobian->error));
    crd_times_gt(jacobian->model->structure, jacobian->pieces, -1.0, weight, over_x);
    return CARDAN_OK;
}

/* out (nv) of turns += s (x x w), x being given on turns of spatial bodies and w their spin. */
static void add_turned(const CrdJacobian *jacobian, double s, const double *x, double *out) {
    const CrdStructure *structure = jacobian->model->structure;
    for (int i = 0; i < structure->block_count; i++) {
        if (structure->blocks[i].kind != CRD_SPATIAL_BODY) continue;
        int at = structure->blocks[i].v + 3;
        CrdVec turned = crd_cross(crd_vec_of(x + at), crd_vec_of(jacobian->v + at));
        crd_put(out + at, crd_axpy(crd_vec_of(out + at), s, turned));
    }
}

/* What the point itself has of gamma's derivatives: R_x, brackets, G' where it follows from them. */
static CardanStatus pull_point(CrdJacobian *jacobian, const CrdPullback *pullback) {
    const CrdStructure *structure = jacobian->model->structure;
    double *x = pullback->over_x, *v = pullback->over_v, *pulled = jacobian->v_moved;
    size_t bytes = (size_t)structure->nv * sizeof *pulled;
    CRD_TRY(
        crd_gradient(jacobian->model, jacobian->q, jacobian->v, jacobian->system, jacobian->pieces, jacobian->error));
    memset(pulled, 0, bytes);
    crd_times_gt(structure, jacobian->pieces, 1.0, pullback->rows, pulled);
    add_turned(jacobian, 1.0, pulled, x);
    bool follows = crd_jacobian_turns_follow(structure);
    for (int i = 0; i < structure->nv; i++) v[i] -= (follows ? 2.0 : 1.0) * pulled[i];
    if (!follows) return CARDAN_OK;
    memset(pulled, 0, bytes);
    crd_times_gt(structure, jacobian->system->G, 1.0, pullback->rows, pulled);
    add_turned(jacobian, -1.0, pulled, v);
    return CARDAN_OK;
}

/* The changes of R_x and of G along the motion. */
static CardanStatus pull_motion(CrdJacobian *jacobian, const CrdPullback *pullback) {
    const CrdStructure *structure = jacobian->model->structure;
    for (int side = -1; side <= 1; side += 2) {
        double scale;
        CRD_TRY(crd_jacobian_later(jacobian, side, jacobian->pieces, &scale));
        crd_times_gt(structure, jacobian->pieces, -side * scale, pullback->rows, pullback->over_x);
        if (!crd_jacobian_turns_follow(structure))
            crd_times_gt(structure, jacobian->system->G, -side * scale, pullback->rows, pullback->over_v);
    }
    return CARDAN_OK;
}

CardanStatus crd_pull_back(CrdJacobian *jacobian, const double *q, const double *v, const double *a,
                           const double *lambda, const CrdPullback *pullback) {
    const CrdStructure *structure = jacobian->model->structure;
    assert(crd_can_pull_back(structure));
    jacobian->q = q;
    jacobian->v = v;
    memset(pullback->over_x, 0, (size_t)structure->nv * sizeof *pullback->over_x);
    memset(pullback->over_v, 0, (size_t)structure->nv * sizeof *pullback->over_v);
    memset(pullback->over_z, 0, (size_t)structure->first_order * sizeof *pullback->over_z);
    if (structure->rows > 0) CRD_TRY(pull_point(jacobian, pullback));
    CRD_TRY(pull_forces(jacobian, pullback));
    if (structure->rows == 0) return CARDAN_OK;
    CRD_TRY(pull_along(jacobian, a, pullback->rows, pullback->over_x));
    CRD_TRY(pull_along(jacobian, pullback->v, lambda, pullback->over_x));
    return pull_motion(jacobian, pullback);
}

void crd_pull_to_positions(const CrdStructure *structure, const double *q, const double *x, double *out) {
    for (int i = 0; i < structure->block_count; i++) {
        const CrdBlock *block = &structure->blocks[i];
        double over_q[7];
        assert(block->nq <= 7);
        crd_jacobian_columns(block, q, 1, x + block->v, block->nv, over_q);
        for (int k = 0; k < block->nq; k++) out[block->q + k] += over_q[k];
    }
}
