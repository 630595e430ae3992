/* Changes carried along with the steps, one direction a knob. */
#include "tangent/sensitivity.h"

#include <assert.h>
#include <string.h>

/* dY of stage s of knob number `knob`, into trajectory->low. */
static double *stage_change(const CrdSensitivity *work, long i, int s, int knob) {
    const CrdTrajectory *trajectory = &work->trajectory;
    const CrdTableau *tableau = trajectory->tableau;
    size_t core = (size_t)trajectory->core, size = (size_t)trajectory->size, stages = (size_t)tableau->stages;
    double h = trajectory->t[i + 1] - trajectory->t[i], *dy = trajectory->low;
    const double *own = work->k + (size_t)knob * stages * size;
    memcpy(dy, work->w + (size_t)knob * core, core * sizeof *dy);
    if (s == 0) return dy;
    const double *a = crd_tableau_row(tableau, s);
    for (int j = 0; j < s; j++)
        for (size_t c = 0; c < core; c++) dy[c] += h * a[j] * own[(size_t)j * size + c];
    return dy;
}

/* Slope of the change of knob number `knob` in stage s, into its place. */
static CardanStatus stage_slope(CrdSensitivity *work, long i, int s, int knob) {
    CrdTrajectory *trajectory = &work->trajectory;
    size_t size = (size_t)trajectory->size, stages = (size_t)trajectory->tableau->stages;
    double *k = work->k + ((size_t)knob * stages + (size_t)s) * size;
    CRD_TRY(crd_trajectory_over(trajectory, &work->knob[knob], i, s, &work->error));
    const double *dy = stage_change(work, i, s, knob);
    for (size_t r = 0; r < size; r++) k[r] = -trajectory->high[r];
    crd_trajectory_state(trajectory, -1.0, dy, k);
    CardanStatus status = crd_sparse_lu_solve(trajectory->lu, k);
    return status < 0 ? crd_fail(&work->error, status, "a change could not be solved for") : CARDAN_OK;
}

/* What stage s adds to integrals: those of the channel, and their changes. */
static CardanStatus stage_integrals(CrdSensitivity *work, long i, int s) {
    CrdTrajectory *trajectory = &work->trajectory;
    CrdQuantity *quantity = &work->quantity;
    const CrdTableau *tableau = trajectory->tableau;
    double weight = (trajectory->t[i + 1] - trajectory->t[i]) * crd_tableau_row(tableau, tableau->stages)[s];
    const double *y = trajectory->stage + (size_t)s * (size_t)trajectory->n;
    if (weight == 0.0) return CARDAN_OK;
    for (quantity->column = 0; quantity->column < quantity->channel.width; quantity->column++) {
        double *derivative = crd_sensitivity_derivatives(work);
        CRD_TRY(crd_quantity_differentiate(quantity, trajectory, work->knobs, work->knob,
                                           crd_trajectory_time(trajectory, i, s), y, &work->error));
        work->value[quantity->column] += weight * quantity->value;
        for (int k = 0; k < work->knobs; k++) {
            const double *dy = stage_change(work, i, s, k);
            derivative[k] += weight * quantity->over[k];
            for (int c = 0; c < trajectory->core; c++) derivative[k] += weight * quantity->slope[c] * dy[c];
        }
    }
    return CARDAN_OK;
}

static CardanStatus step(CrdSensitivity *work, long i) {
    CrdTrajectory *trajectory = &work->trajectory;
    const CrdTableau *tableau = trajectory->tableau;
    size_t core = (size_t)trajectory->core, size = (size_t)trajectory->size, stages = (size_t)tableau->stages;
    double h = trajectory->t[i + 1] - trajectory->t[i];
    const double *b = crd_tableau_row(tableau, tableau->stages);
    crd_trajectory_hold(trajectory, i);
    CRD_TRY(crd_trajectory_stages(trajectory, i, &work->error));
    for (int s = 0; s < tableau->stages; s++) {
        CRD_TRY(crd_trajectory_linearise(trajectory, i, s, &work->error));
        for (int k = 0; k < work->knobs; k++) CRD_TRY(stage_slope(work, i, s, k));
        if (crd_sensitivity_is_integral(work)) CRD_TRY(stage_integrals(work, i, s));
    }
    for (int k = 0; k < work->knobs; k++) {
        double *w = work->w + (size_t)k * core;
        for (size_t s = 0; s < stages; s++)
            for (size_t c = 0; c < core; c++) w[c] += h * b[s] * work->k[((size_t)k * stages + s) * size + c];
        CRD_TRY(crd_trajectory_project(trajectory, &work->knob[k], i + 1, w, &work->error));
    }
    return CARDAN_OK;
}

/* The column at hand where the run ends. */
static CardanStatus end_column(CrdSensitivity *work) {
    CrdTrajectory *trajectory = &work->trajectory;
    CrdQuantity *quantity = &work->quantity;
    double t = trajectory->t[trajectory->steps], *derivative = crd_sensitivity_derivatives(work), rate = 0.0;
    const double *y = trajectory->y + (size_t)trajectory->steps * (size_t)trajectory->n;
    const CrdTransition *transition = crd_trajectory_transition(trajectory, trajectory->steps);
    bool integral = crd_sensitivity_is_integral(work), stops = transition != NULL && transition->stops;
    if (integral && !stops) return CARDAN_OK;
    CRD_TRY(crd_quantity_differentiate(quantity, trajectory, work->knobs, work->knob, t, y, &work->error));
    if (stops) {
        CRD_TRY(crd_transition_slope(work, transition));
        rate = quantity->value;
        if (!integral) CRD_TRY(crd_quantity_rate(quantity, trajectory, t, y, work->jump.before, &rate, &work->error));
        CRD_TRY(crd_transition_end_forwards(work, transition, rate));
    }
    if (integral) return CARDAN_OK;
    work->value[quantity->column] = quantity->value;
    for (int k = 0; k < work->knobs; k++) {
        const double *w = work->w + (size_t)k * (size_t)trajectory->core;
        derivative[k] += quantity->over[k];
        for (int c = 0; c < trajectory->core; c++) derivative[k] += quantity->slope[c] * w[c];
    }
    return CARDAN_OK;
}

CardanStatus crd_forwards(CrdSensitivity *work) {
    CrdTrajectory *trajectory = &work->trajectory;
    CrdQuantity *quantity = &work->quantity;
    assert(trajectory->steps > 0 && !trajectory->transposed);
    for (int k = 0; k < work->knobs; k++)
        CRD_TRY(crd_start_change(work, &work->knob[k], work->w + (size_t)k * (size_t)trajectory->core));
    for (long i = 0; i < trajectory->steps; i++) {
        CRD_TRY(step(work, i));
        const CrdTransition *transition = crd_trajectory_transition(trajectory, i + 1);
        if (transition != NULL && i + 1 < trajectory->steps) CRD_TRY(crd_transition_forwards(work, transition));
    }
    for (quantity->column = 0; quantity->column < quantity->channel.width; quantity->column++)
        CRD_TRY(end_column(work));
    return CARDAN_OK;
}
