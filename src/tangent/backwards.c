/* One adjoint carried back along the steps, for all knobs. */
#include "tangent/pull.h"
#include "tangent/sensitivity.h"

#include <assert.h>
#include <string.h>

/* Adds what the projection at the end of step i - 1 makes of the knobs. */
static CardanStatus projection(CrdSensitivity *work, long i) {
    CrdTrajectory *trajectory = &work->trajectory;
    double *derivative = crd_sensitivity_derivatives(work);
    int rows = trajectory->structure->rows;
    CRD_TRY(crd_trajectory_rows(trajectory, i, &work->error));
    CRD_TRY(crd_trajectory_project_back(trajectory, i, work->w, work->weight, &work->error));
    if (rows == 0) return CARDAN_OK;
    const double *y = crd_trajectory_reached(trajectory, i);
    CardanStatus status = crd_touches_rows(&work->touches, work->knob, &trajectory->at->integrator.dynamics, y,
                                           y + trajectory->structure->nq, work->weight, derivative);
    if (status < 0) return crd_fail(&work->error, status, "%s", trajectory->at->error.text);
    for (int k = 0; k < work->knobs; k++) {
        if (!work->knob[k].wide) continue;
        CRD_TRY(crd_trajectory_rows_over(trajectory, &work->knob[k], i, work->over, &work->error));
        for (int r = 0; r < 2 * rows; r++) derivative[k] += work->weight[r] * work->over[r];
    }
    return CARDAN_OK;
}

/* What the knobs that are not wide add at stage s, where rows and forces are evaluated. */
static CardanStatus add_touched(CrdSensitivity *work, int s, const double *psi) {
    CrdTrajectory *trajectory = &work->trajectory;
    const CrdStructure *structure = trajectory->structure;
    const CrdLinearisation *point = trajectory->at->integrator.stepper.equations.stage->user;
    const double *y = trajectory->stage + (size_t)s * (size_t)trajectory->n, *psi_v = psi + structure->nq;
    const CrdWeighed at = {
        y, y + structure->nq, point->a, point->lambda, psi_v, psi_v + structure->nv, psi + trajectory->core};
    CardanStatus status =
        crd_touches_over(&work->touches, work->knobs, work->knob, &trajectory->at->integrator.dynamics, &at, -1.0,
                         crd_sensitivity_derivatives(work));
    return status < 0 ? crd_fail(&work->error, status, "%s", trajectory->at->error.text) : CARDAN_OK;
}

/* psi <- L^-T psi, and Y in work->slope: by the matrices of the stage, */
static CardanStatus transpose_stage(CrdSensitivity *work, long i, int s, double *psi) {
    CrdTrajectory *trajectory = &work->trajectory;
    CRD_TRY(crd_trajectory_linearise(trajectory, i, s, &work->error));
    CardanStatus status = crd_sparse_lu_solve(trajectory->lu, psi);
    if (status < 0) return crd_fail(&work->error, status, "an adjoint could not be solved for");
    memset(work->slope, 0, (size_t)trajectory->core * sizeof *work->slope);
    crd_trajectory_state_transposed(trajectory, -1.0, psi, work->slope);
    const double *y = trajectory->stage + (size_t)s * (size_t)trajectory->n;
    status = crd_integrator_evaluate_constraints(&trajectory->at->integrator, crd_trajectory_time(trajectory, i, s), y);
    if (status >= 0) status = crd_integrator_forces(&trajectory->at->integrator, y);
    if (status < 0) return crd_fail(&work->error, status, "%s", trajectory->at->error.text);
    return add_touched(work, s, psi);
}

/* or by products alone. */
static CardanStatus pull_stage(CrdSensitivity *work, long i, int s, double *psi) {
    CrdTrajectory *trajectory = &work->trajectory;
    CRD_TRY(crd_trajectory_solve_back(trajectory, i, s, psi, &work->error));
    CRD_TRY(add_touched(work, s, psi));
    return crd_trajectory_pull(trajectory, s, psi, work->slope, &work->error);
}

/* What an integral adds to Y in work->slope and to the knobs. */
static CardanStatus integral_stage(CrdSensitivity *work, long i, int s) {
    CrdTrajectory *trajectory = &work->trajectory;
    CrdQuantity *quantity = &work->quantity;
    const CrdTableau *tableau = trajectory->tableau;
    double weight = (trajectory->t[i + 1] - trajectory->t[i]) * crd_tableau_row(tableau, tableau->stages)[s];
    double *derivative = crd_sensitivity_derivatives(work);
    if (weight == 0.0) return CARDAN_OK;
    CRD_TRY(crd_quantity_differentiate(quantity, trajectory, work->knobs, work->knob,
                                       crd_trajectory_time(trajectory, i, s),
                                       trajectory->stage + (size_t)s * (size_t)trajectory->n, &work->error));
    work->value[quantity->column] += weight * quantity->value;
    for (int c = 0; c < trajectory->core; c++) work->slope[c] += weight * quantity->slope[c];
    for (int k = 0; k < work->knobs; k++) derivative[k] += weight * quantity->over[k];
    return CARDAN_OK;
}

/* From the last stage to the first: psi, what it adds to the knobs, and Y in the place of psi. */
static CardanStatus stage(CrdSensitivity *work, long i, int s) {
    CrdTrajectory *trajectory = &work->trajectory;
    const CrdTableau *tableau = trajectory->tableau;
    size_t core = (size_t)trajectory->core, size = (size_t)trajectory->size;
    double h = trajectory->t[i + 1] - trajectory->t[i], *psi = work->k + (size_t)s * size;
    double b = crd_tableau_row(tableau, tableau->stages)[s], *derivative = crd_sensitivity_derivatives(work);
    memset(psi, 0, size * sizeof *psi);
    for (size_t c = 0; c < core; c++) psi[c] = h * b * work->w[c];
    for (int j = s + 1; j < tableau->stages; j++)
        for (size_t c = 0; c < core; c++) psi[c] += h * crd_tableau_row(tableau, j)[s] * work->k[(size_t)j * size + c];
    CRD_TRY(work->pulls ? pull_stage(work, i, s, psi) : transpose_stage(work, i, s, psi));
    for (int k = 0; k < work->knobs; k++) {
        if (work->knob[k].low == NULL || !work->knob[k].wide) continue;
        CRD_TRY(crd_trajectory_over(trajectory, &work->knob[k], i, s, &work->error));
        for (size_t r = 0; r < size; r++) derivative[k] -= psi[r] * trajectory->high[r];
    }
    if (crd_sensitivity_is_integral(work)) CRD_TRY(integral_stage(work, i, s));
    memset(psi, 0, size * sizeof *psi);
    memcpy(psi, work->slope, core * sizeof *psi);
    return CARDAN_OK;
}

static CardanStatus step(CrdSensitivity *work, long i) {
    CrdTrajectory *trajectory = &work->trajectory;
    size_t core = (size_t)trajectory->core, size = (size_t)trajectory->size;
    int stages = trajectory->tableau->stages;
    crd_trajectory_hold(trajectory, i);
    CRD_TRY(projection(work, i + 1));
    CRD_TRY(crd_trajectory_stages(trajectory, i, &work->error));
    for (int s = stages - 1; s >= 0; s--) CRD_TRY(stage(work, i, s));
    for (int s = 0; s < stages; s++)
        for (size_t c = 0; c < core; c++) work->w[c] += work->k[(size_t)s * size + c];
    return CARDAN_OK;
}

/* The adjoint where the run ends. */
static CardanStatus begin(CrdSensitivity *work) {
    CrdTrajectory *trajectory = &work->trajectory;
    CrdQuantity *quantity = &work->quantity;
    double t = trajectory->t[trajectory->steps], rate = 0.0, *derivative = crd_sensitivity_derivatives(work);
    const double *y = trajectory->y + (size_t)trajectory->steps * (size_t)trajectory->n;
    const CrdTransition *transition = crd_trajectory_transition(trajectory, trajectory->steps);
    bool integral = crd_sensitivity_is_integral(work), stops = transition != NULL && transition->stops;
    size_t core = (size_t)trajectory->core;
    memset(work->w, 0, core * sizeof *work->w);
    crd_trajectory_hold(trajectory, trajectory->steps - 1);
    if (integral && !stops) return CARDAN_OK;
    CRD_TRY(crd_quantity_differentiate(quantity, trajectory, work->knobs, work->knob, t, y, &work->error));
    if (!integral) {
        work->value[quantity->column] = quantity->value;
        memcpy(work->w, quantity->slope, core * sizeof *work->w);
        for (int k = 0; k < work->knobs; k++) derivative[k] += quantity->over[k];
    }
    if (!stops) return CARDAN_OK;
    CRD_TRY(crd_transition_slope(work, transition));
    rate = quantity->value;
    if (!integral) CRD_TRY(crd_quantity_rate(quantity, trajectory, t, y, work->jump.before, &rate, &work->error));
    return crd_transition_end_backwards(work, transition, rate);
}

CardanStatus crd_backwards(CrdSensitivity *work) {
    CrdTrajectory *trajectory = &work->trajectory;
    double *derivative = crd_sensitivity_derivatives(work);
    assert(trajectory->steps > 0 && trajectory->transposed);
    CRD_TRY(begin(work));
    for (long i = trajectory->steps - 1; i >= 0; i--) {
        CRD_TRY(step(work, i));
        const CrdTransition *transition = crd_trajectory_transition(trajectory, i);
        if (transition != NULL && i > 0) CRD_TRY(crd_transition_backwards(work, transition));
    }
    for (int k = 0; k < work->knobs; k++) {
        CRD_TRY(crd_start_change(work, &work->knob[k], work->slope));
        for (int c = 0; c < trajectory->core; c++) derivative[k] += work->slope[c] * work->w[c];
    }
    return CARDAN_OK;
}
