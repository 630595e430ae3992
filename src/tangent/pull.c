#include "tangent/pull.h"

#include "equations/pullback.h"

#include <assert.h>
#include <string.h>

static CrdLinearisation *point_of(const CrdTrajectory *trajectory) {
    return trajectory->at->integrator.stepper.equations.stage->user;
}

static const double *stage_at(const CrdTrajectory *trajectory, int s) {
    return trajectory->stage + (size_t)s * (size_t)trajectory->n;
}

bool crd_trajectory_pulls(const CrdTrajectory *trajectory) {
    return crd_can_pull_back(trajectory->structure);
}

/* Rows, forces, accelerations and multipliers of the stage. */
static CardanStatus evaluate(CrdTrajectory *trajectory, double t, const double *y) {
    CrdIntegrator *integrator = &trajectory->at->integrator;
    CrdLinearisation *point = point_of(trajectory);
    const CrdStructure *structure = trajectory->structure;
    CRD_TRY(crd_integrator_evaluate_constraints(integrator, t, y));
    CRD_TRY(crd_integrator_derivative(integrator, y, point->slope, false));
    memcpy(point->a, integrator->dynamics.a, (size_t)structure->nv * sizeof *point->a);
    memcpy(point->lambda, integrator->dynamics.lambda, (size_t)structure->rows * sizeof *point->lambda);
    return CARDAN_OK;
}

CardanStatus crd_trajectory_solve_back(CrdTrajectory *trajectory, long i, int s, double *psi, CrdError *error) {
    CrdDynamics *dynamics = &trajectory->at->integrator.dynamics;
    const CrdStructure *structure = trajectory->structure;
    double *v = psi + structure->nq, *rows = psi + trajectory->core;
    assert(crd_trajectory_pulls(trajectory) && s < trajectory->tableau->stages);
    CardanStatus status = evaluate(trajectory, crd_trajectory_time(trajectory, i, s), stage_at(trajectory, s));
    if (status < 0) return crd_fail(error, status, "%s", trajectory->at->error.text);
    crd_solve_mass(dynamics->model, &dynamics->system, v);
    memset(rows, 0, (size_t)structure->rows * sizeof *rows);
    if (structure->rows == 0) return CARDAN_OK;
    crd_times_g(structure, dynamics->system.G, v, rows);
    status = crd_solve_rows(dynamics, rows);
    if (status < 0) return crd_fail(error, status, "an adjoint could not be solved for");
    crd_add_forced(dynamics->model, &dynamics->system, -1.0, rows, v);
    return CARDAN_OK;
}

/* over_q += psi (N v)_q of quaternions: psi p' = psi (p o w) / 2, and back by -w. */
static void pull_turning(const CrdStructure *structure, const double *v, const double *psi, double *over_q) {
    for (int b = 0; b < structure->block_count; b++) {
        const CrdBlock *block = &structure->blocks[b];
        if (block->kind != CRD_SPATIAL_BODY) continue;
        const double *p = psi + block->q + 3, *w = v + block->v + 3;
        double *out = over_q + block->q + 3;
        out[0] += 0.5 * (p[1] * w[0] + p[2] * w[1] + p[3] * w[2]);
        out[1] -= 0.5 * (p[0] * w[0] + p[2] * w[2] - p[3] * w[1]);
        out[2] -= 0.5 * (p[0] * w[1] + p[3] * w[0] - p[1] * w[2]);
        out[3] -= 0.5 * (p[0] * w[2] + p[1] * w[1] - p[2] * w[0]);
    }
}

CardanStatus crd_trajectory_pull(CrdTrajectory *trajectory, int s, const double *psi, double *back, CrdError *error) {
    CrdLinearisation *point = point_of(trajectory);
    CrdDynamics *dynamics = &trajectory->at->integrator.dynamics;
    CrdJacobian *jacobian = &point->jacobian;
    const CrdStructure *structure = trajectory->structure;
    const double *y = stage_at(trajectory, s), *v = y + structure->nq;
    int nq = structure->nq, nv = structure->nv;
    double *x = trajectory->u;
    assert(trajectory->size >= nv);
    jacobian->model = dynamics->model;
    jacobian->system = &dynamics->system;
    jacobian->actions = &dynamics->actions;
    jacobian->error = dynamics->error;
    const CrdPullback pullback = {psi + nq, psi + nq + nv, psi + trajectory->core, x, back + nq, back + nq + nv};
    CardanStatus status = crd_pull_back(jacobian, y, v, point->a, point->lambda, &pullback);
    if (status < 0) return crd_fail(error, status, "%s", trajectory->at->error.text);
    memset(back, 0, (size_t)nq * sizeof *back);
    crd_pull_to_positions(structure, y, x, back);
    pull_turning(structure, v, psi, back);
    crd_rates_back(structure, y, psi, x);
    for (int k = 0; k < nv; k++) back[nq + k] += x[k];
    return CARDAN_OK;
}
