#include "dynamics/dynamics.h"

#include "core/numbers.h"

#include <assert.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

void crd_dynamics_layout(CrdDynamics *dynamics, const CardanModel *model, const CardanOptions *options,
                         CrdArena *arena) {
    const CrdStructure *structure = model->structure;
    size_t rows = (size_t)structure->rows, real = sizeof(double);
    dynamics->model = model;
    crd_system_layout(&dynamics->system, structure, arena);
    dynamics->target = crd_take(arena, rows, real);
    dynamics->lambda = crd_take(arena, rows, real);
    dynamics->a = crd_take(arena, (size_t)structure->nv, real);
    crd_uneven_layout(&dynamics->factor.uneven, model, arena);
    bool watched = structure->watched_count > 0;
    crd_geometry_layout(&dynamics->geometry, structure, watched || dynamics->factor.uneven.possible, arena);
    crd_monitor_layout(&dynamics->monitor, structure, arena);
    crd_redundancy_layout(&dynamics->redundancy, structure, options, arena);
    crd_regularisation_layout(&dynamics->regularisation, structure, options, arena);
    crd_near_pose_layout(&dynamics->near_pose, structure, arena);
    if (watched) crd_near_miss_layout(&dynamics->near_miss, structure, arena);
    dynamics->factor.pivot_min = dynamics->factor.pivot_last = 1.0;
}

CardanStatus crd_dynamics_open(CrdDynamics *dynamics, const CardanOptions *options) {
    const CrdStructure *structure = dynamics->model->structure;
    CRD_TRY(crd_factor_open(dynamics, options->solver));
    if (dynamics->geometry.wanted) CRD_TRY(crd_geometry_open(dynamics));
    CRD_TRY(crd_regularisation_open(dynamics));
    bool dense = dynamics->regularisation.method->dense;
    dynamics->reveals =
        structure->rows > 0 &&
        (dense || (structure->watched_count > 0 && (long long)structure->rows * structure->nv <= CRD_LOOK_IN_STEP));
    return dynamics->reveals ? crd_spectrum_open(&dynamics->spectrum, dynamics->model, dynamics->error) : CARDAN_OK;
}

void crd_dynamics_close(CrdDynamics *dynamics) {
    crd_factor_close(&dynamics->factor);
    crd_geometry_close(&dynamics->geometry);
    crd_regularisation_close(&dynamics->regularisation);
    crd_spectrum_close(&dynamics->spectrum);
    crd_imperfect_close(&dynamics->redundancy.imperfect);
}

void crd_dynamics_share(CrdDynamics *dynamics, CrdPool *pool) {
    CrdSolver *solvers[] = {dynamics->factor.all, dynamics->factor.reduced, dynamics->geometry.solver,
                            dynamics->regularisation.shifted};
    dynamics->system.pool = pool;
    for (size_t i = 0; i < sizeof solvers / sizeof *solvers; i++)
        if (solvers[i] != NULL) solvers[i]->pool = pool;
}

void crd_dynamics_use(CrdDynamics *dynamics, const CardanModel *model) {
    assert(model->structure == dynamics->model->structure);
    dynamics->model = model;
    crd_stamp_clear(&dynamics->system.stamp);
    if (dynamics->reveals) crd_spectrum_use(&dynamics->spectrum, model);
}

CardanStatus crd_evaluate_constraints(CrdDynamics *dynamics, double t, const double *q, const double *v) {
    CRD_TRY(crd_kinematics(dynamics->model, t, q, v, &dynamics->system, dynamics->error));
    CRD_TRY(crd_constraints(dynamics->model, q, v, &dynamics->actions, &dynamics->system, dynamics->error));
    crd_imperfect_mask(dynamics);
    return CARDAN_OK;
}

CardanStatus crd_evaluate_residuals(CrdDynamics *dynamics, double t, const double *q, const double *v) {
    if (dynamics->redundancy.imperfect.kind != CRD_PERFECT) /* their part that can be met takes all of the rows */
        return crd_evaluate_constraints(dynamics, t, q, v);
    CRD_TRY(crd_kinematics(dynamics->model, t, q, v, &dynamics->system, dynamics->error));
    return crd_residuals(dynamics->model, q, v, &dynamics->actions, &dynamics->system, dynamics->error);
}

void crd_set_target(CrdDynamics *dynamics) {
    const CrdSystem *system = &dynamics->system;
    int rows = dynamics->model->structure->rows;
    if (rows == 0) return;
    memcpy(dynamics->target, system->gamma, (size_t)rows * sizeof *dynamics->target);
    if (dynamics->first_derivatives) memset(dynamics->target, 0, (size_t)rows * sizeof *dynamics->target);
    if (dynamics->alpha == 0.0 && dynamics->beta == 0.0) return;
    for (int i = 0; i < rows; i++)
        dynamics->target[i] -= dynamics->alpha * system->rate[i] + dynamics->beta * system->g[i];
}

CardanStatus crd_solve_accelerations(CrdDynamics *dynamics, const double *q, const double *v) {
    CrdStamp *stamp = &dynamics->system.stamp;
    assert(crd_stamp_holds(stamp, CRD_HOLDS_ROWS) && crd_stamp_at(stamp, q));
    dynamics->work.rhs++;
    dynamics->near_pose.noise = 0.0;
    dynamics->regularisation.refined = false;
    crd_stamp_drop(stamp, CRD_HOLDS_ACCELERATIONS);
    CRD_TRY(crd_forces(dynamics->model, q, v, &dynamics->actions, &dynamics->system, dynamics->error));
    crd_set_target(dynamics);
    if (!crd_stamp_holds(stamp, CRD_HOLDS_FACTOR)) CRD_TRY(crd_factor(dynamics, CARDAN_METRIC_MASS));
    /* Least squares of all rows leave nothing to regularise. */
    bool spread = crd_imperfect_is_spread(dynamics), uneven = dynamics->factor.uneven.acts && !spread;
    CRD_TRY(spread   ? crd_plain_solve(dynamics)
            : uneven ? crd_solve_uneven(dynamics)
                     : dynamics->regularisation.method->solve(dynamics));
    if (crd_near_singular(dynamics) && !uneven) CRD_TRY(crd_solve_near_pose(dynamics, q, v));
    crd_stamp_add(stamp, CRD_HOLDS_ACCELERATIONS);
    return CARDAN_OK;
}

/* Sizes of numbers are in the order of their bits, with infinity above all and NaN above that. */
double crd_max_abs(const double *x, int n) {
    enum { LANES = 4 };
    uint64_t max[LANES] = {0}, bits, sign = (uint64_t)1 << 63;
    double size;
    int i = 0;
    for (; i + LANES <= n; i += LANES)
        for (int k = 0; k < LANES; k++) {
            memcpy(&bits, x + i + k, sizeof bits);
            bits &= ~sign;
            max[k] = bits > max[k] ? bits : max[k];
        }
    for (; i < n; i++) {
        memcpy(&bits, x + i, sizeof bits);
        bits &= ~sign;
        max[0] = bits > max[0] ? bits : max[0];
    }
    for (int k = 1; k < LANES; k++) max[0] = max[k] > max[0] ? max[k] : max[0];
    memcpy(&size, max, sizeof size);
    return size;
}
