/* Changes of a state put on its constraints, forwards and backwards. */
#include "tangent/trajectory.h"

#include <assert.h>
#include <string.h>

CardanStatus crd_trajectory_rows(CrdTrajectory *trajectory, long i, CrdError *error) {
    CrdIntegrator *integrator = &trajectory->at->integrator;
    CrdDynamics *dynamics = &integrator->dynamics;
    const double *y = crd_trajectory_reached(trajectory, i);
    if (trajectory->structure->rows == 0) return CARDAN_OK;
    CardanStatus status = crd_integrator_evaluate_constraints(integrator, trajectory->t[i], y);
    if (status >= 0) status = crd_factor(dynamics, integrator->options.stabilise.metric);
    if (status >= 0)
        status = crd_gradient(dynamics->model, y, y + trajectory->structure->nq, &dynamics->system, trajectory->pieces,
                              dynamics->error);
    return status < 0 ? crd_fail(error, status, "%s", trajectory->at->error.text) : CARDAN_OK;
}

/* x (nv) <- displacement of a change of q, or the other way round, the length of quaternions left alone. */
static void displace(const CrdStructure *structure, const double *q, const double *dq, double *x) {
    for (int b = 0; b < structure->block_count; b++) {
        const CrdBlock *block = &structure->blocks[b];
        bool turns = block->kind == CRD_SPATIAL_BODY;
        for (int k = 0; k < (turns ? 3 : block->nv); k++) x[block->v + k] = dq[block->q + k];
        if (!turns) continue;
        const double *p = q + block->q + 3, *d = dq + block->q + 3;
        x[block->v + 3] = 2.0 * (p[0] * d[1] - p[1] * d[0] - p[2] * d[3] + p[3] * d[2]);
        x[block->v + 4] = 2.0 * (p[0] * d[2] + p[1] * d[3] - p[2] * d[0] - p[3] * d[1]);
        x[block->v + 5] = 2.0 * (p[0] * d[3] - p[1] * d[2] + p[2] * d[1] - p[3] * d[0]);
    }
}

void crd_displace_back(const CrdStructure *structure, const double *q, const double *x, double *dq) {
    for (int b = 0; b < structure->block_count; b++) {
        const CrdBlock *block = &structure->blocks[b];
        bool turns = block->kind == CRD_SPATIAL_BODY;
        for (int k = 0; k < (turns ? 3 : block->nv); k++) dq[block->q + k] = x[block->v + k];
        if (!turns) continue;
        const double *p = q + block->q + 3, *w = x + block->v + 3;
        double *d = dq + block->q + 3;
        d[0] = 2.0 * (-p[1] * w[0] - p[2] * w[1] - p[3] * w[2]);
        d[1] = 2.0 * (p[0] * w[0] - p[3] * w[1] + p[2] * w[2]);
        d[2] = 2.0 * (p[3] * w[0] + p[0] * w[1] - p[1] * w[2]);
        d[3] = 2.0 * (-p[2] * w[0] + p[1] * w[1] + p[0] * w[2]);
    }
}

void crd_rates_back(const CrdStructure *structure, const double *q, const double *dq, double *x) {
    displace(structure, q, dq, x);
    for (int b = 0; b < structure->block_count; b++)
        for (int k = 3; structure->blocks[b].kind == CRD_SPATIAL_BODY && k < 6; k++)
            x[structure->blocks[b].v + k] *= 0.25;
}

static void leave_nonholonomic(const CrdStructure *structure, double *r) {
    for (int i = 0; i < structure->rows; i++)
        if (!crd_row_is_holonomic(structure, i)) r[i] = 0.0;
}

CardanStatus crd_trajectory_project(CrdTrajectory *trajectory, const CrdKnob *knob, long i, double *w,
                                    CrdError *error) {
    CrdDynamics *dynamics = &trajectory->at->integrator.dynamics;
    const CrdStructure *structure = trajectory->structure;
    const double *q = crd_trajectory_reached(trajectory, i);
    double *x = trajectory->low, *v = w + structure->nq, *r = trajectory->high, *rate = r + structure->rows;
    if (structure->rows > 0) {
        assert(trajectory->size >= structure->nv && trajectory->size >= 2 * structure->rows);
        CRD_TRY(crd_trajectory_rows_over(trajectory, knob, i, r, error));
        CRD_TRY(crd_trajectory_rows(trajectory, i, error));
    }
    displace(structure, q, w, x);
    if (structure->rows > 0) {
        crd_times_g(structure, dynamics->system.G, x, r);
        leave_nonholonomic(structure, r);
        CRD_TRY(crd_solve_rows(dynamics, r));
        crd_add_forced(dynamics->model, &dynamics->system, -1.0, r, x);
        crd_times_g(structure, trajectory->pieces, x, rate);
        crd_times_g(structure, dynamics->system.G, v, rate);
        CRD_TRY(crd_solve_rows(dynamics, rate));
        crd_add_forced(dynamics->model, &dynamics->system, -1.0, rate, v);
    }
    crd_position_rates(structure, q, x, w);
    return CARDAN_OK;
}

CardanStatus crd_trajectory_project_back(CrdTrajectory *trajectory, long i, double *w, double *weight,
                                         CrdError *error) {
    CrdDynamics *dynamics = &trajectory->at->integrator.dynamics;
    const CrdStructure *structure = trajectory->structure;
    const double *q = crd_trajectory_reached(trajectory, i);
    double *x = trajectory->low, *v = w + structure->nq, *r = weight, *rate = weight + structure->rows;
    crd_rates_back(structure, q, w, x);
    memset(weight, 0, 2 * (size_t)structure->rows * sizeof *weight);
    if (structure->rows > 0) {
        /* v_new = v - W G^T S^-1 (G v + R x_new) */
        crd_times_g(structure, dynamics->system.T, v, rate);
        CardanStatus status = crd_solve_rows(dynamics, rate);
        for (int k = 0; k < structure->rows; k++) rate[k] = -rate[k];
        crd_times_gt(structure, dynamics->system.G, 1.0, rate, v);
        crd_times_gt(structure, trajectory->pieces, 1.0, rate, x);
        /* x_new = x - W G^T S^-1 (G x), holonomic rows */
        crd_times_g(structure, dynamics->system.T, x, r);
        if (status >= 0) status = crd_solve_rows(dynamics, r);
        if (status < 0) return crd_fail(error, status, "%s", trajectory->at->error.text);
        leave_nonholonomic(structure, r);
        for (int k = 0; k < structure->rows; k++) r[k] = -r[k];
        crd_times_gt(structure, dynamics->system.G, 1.0, r, x);
    }
    crd_displace_back(structure, q, x, w);
    return CARDAN_OK;
}
