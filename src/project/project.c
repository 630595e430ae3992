/* States put on the constraints to rounding, positions first, then velocities. */
#include "core/numbers.h"
#include "project/stabilise.h"

#include <assert.h>
#include <math.h>

bool crd_is_projected(const CrdDynamics *dynamics, double before, double *now) {
    const CrdSystem *system = &dynamics->system;
    CrdAllowed floor = crd_part_of_size(dynamics->model, CRD_PROJECT_TOLERANCE);
    *now = crd_rows_excess(dynamics->model, system, system->g, floor, NULL);
    return *now <= 1.0 || (*now >= before && crd_position_excess(dynamics->model, system, floor, NULL) <= 1.0);
}

static CardanStatus check_projected(CrdStabiliser *st, const CrdDynamics *dynamics, const double *v) {
    CrdAllowed floor = crd_part_of_size(dynamics->model, CRD_PROJECT_TOLERANCE);
    return crd_position_excess(dynamics->model, &dynamics->system, floor, NULL) <= 1.0
               ? CARDAN_OK
               : crd_stabiliser_fail(st, dynamics, v);
}

/* Positions, from the rows at hand; factored: S is, too. */
static CardanStatus project_positions(CrdStabiliser *st, CrdDynamics *dynamics, double t, double *q, double *v,
                                      bool *factored) {
    double before = (double)INFINITY;
    for (int i = 0; i < CRD_PROJECT_ITERATIONS; i++) {
        double now;
        /* At round-off the residual stops falling; before that a Newton step may well raise it once. */
        if (crd_is_projected(dynamics, before, &now)) break;
        before = now;
        if (!*factored) CRD_TRY(crd_factor_unwatched(dynamics, st->options.stabilise.metric));
        CRD_TRY(crd_block_pass(st, dynamics, true, false, t, q, v));
        *factored = false;
    }
    return CARDAN_OK;
}

CardanStatus crd_project(CrdStabiliser *st, CrdDynamics *dynamics, double t, double *q, double *v) {
    bool factored = false;
    CRD_TRY(crd_evaluate_constraints(dynamics, t, q, v));
    CRD_TRY(project_positions(st, dynamics, t, q, v, &factored));
    CRD_TRY(crd_factor_unwatched(dynamics, st->options.stabilise.metric));
    for (int i = 0; i < 2; i++) CRD_TRY(crd_block_pass(st, dynamics, false, true, t, q, v));
    return check_projected(st, dynamics, v);
}

CardanStatus crd_project_stage(CrdStabiliser *st, CrdDynamics *dynamics, double t, double *q, double *v) {
    CrdStamp *stamp = &dynamics->system.stamp;
    bool plain = dynamics->redundancy.imperfect.kind == CRD_PERFECT,
         factored = crd_stamp_holds_of(stamp, CRD_HOLDS_ROWS | CRD_HOLDS_FACTOR, t, q);
    if (!plain || st->options.stabilise.metric != CARDAN_METRIC_MASS) return crd_project(st, dynamics, t, q, v);
    if (!factored) CRD_TRY(crd_evaluate_constraints(dynamics, t, q, v));
    CRD_TRY(project_positions(st, dynamics, t, q, v, &factored));
    if (!factored) CRD_TRY(crd_factor(dynamics, CARDAN_METRIC_MASS));
    for (int i = 0; i < 2; i++) CRD_TRY(crd_block_pass(st, dynamics, false, true, t, q, v));
    assert(crd_stamp_holds_of(stamp, CRD_HOLDS_ROWS, t, q));
    crd_stamp_add(stamp, CRD_HOLDS_SCHUR); /* other velocities do not change them */
    crd_stamp_add(stamp, CRD_HOLDS_FACTOR);
    return check_projected(st, dynamics, v);
}

CardanStatus crd_project_without_weak_rows(CrdStabiliser *st, CrdDynamics *dynamics, double t, double *q, double *v) {
    CardanMetric metric = st->options.stabilise.metric;
    CardanStatus status = CARDAN_OK;
    st->closed = false;
    st->options.stabilise.metric = CARDAN_METRIC_MASS; /* the watch is over S in this metric */
    for (int pass = 0; status >= 0 && pass < 3; pass++) {
        status = crd_factor_without_weak_rows(dynamics);
        if (status >= 0) status = crd_block_pass(st, dynamics, true, true, t, q, v);
    }
    st->options.stabilise.metric = metric;
    return status;
}
