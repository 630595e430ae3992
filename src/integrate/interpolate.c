#include "integrate/interpolate.h"

#include "core/numbers.h"
#include "integrate/hermite.h"

#include <assert.h>

/* Tolerances that rows may be open by, as the error of a step may be; beyond that they are put on the constraints. */
#define CRD_ROW_TOLERANCES 1.0

/* Extra stages of an interpolation may come close to a singular pose that the step itself passed by. */
CardanStatus crd_prepare_by_method(CrdIntegrator *integrator) {
    integrator->stages.project = integrator->stages.lowest < CRD_PASSAGE_WATCH;
    return integrator->stepper.method->prepare_dense(&integrator->stepper);
}

CardanStatus crd_integrator_prepare_dense(CrdIntegrator *integrator) {
    CrdStepper *stepper = &integrator->stepper;
    if (integrator->dense == CRD_DENSE_READY) return CARDAN_OK;
    if (stepper->method->prepare_dense != NULL)
        CRD_TRY(crd_prepare_by_method(integrator));
    else
        crd_dense_hermite(stepper->n, stepper->t - stepper->t_old, stepper->y_old, stepper->f_new, stepper->y,
                          stepper->f, stepper->hermite);
    integrator->dense = CRD_DENSE_READY;
    integrator->halves.piece = CRD_WHOLE_UNTRIED;
    return CARDAN_OK;
}

CardanStatus crd_integrator_prepare_attempt(CrdIntegrator *integrator, double h) {
    CrdStepper *stepper = &integrator->stepper;
    const CrdStepper kept = *stepper;
    assert(stepper->method->looks_inside);
    integrator->dense = CRD_DENSE_LOST; /* that of the last step is overwritten */
    stepper->t_old = kept.t;
    stepper->t = kept.t + h;
    stepper->y_old = kept.y;
    stepper->y = kept.y_new;
    stepper->y_new = kept.y_old;
    stepper->f = kept.f_new;
    stepper->f_new = kept.f;
    CardanStatus status = crd_prepare_by_method(integrator);
    *stepper = kept;
    return status;
}

void crd_integrator_dense_at(const CrdIntegrator *integrator, double theta, double *y) {
    const CrdStepper *stepper = &integrator->stepper;
    if (stepper->method->interpolate != NULL)
        stepper->method->interpolate(stepper, theta, y);
    else
        crd_dense_at(stepper->n, stepper->hermite, CRD_HERMITE_ROWS, theta, y);
}

/* ---- on the constraints ---- */

/* Are the residuals of y below the tolerance, or nobody's business? */
static bool is_close(CrdIntegrator *integrator, double *y) {
    const CrdStabiliser *stabiliser = &integrator->stabiliser;
    return !crd_stabiliser_moves(stabiliser) ||
           crd_stabiliser_excess(stabiliser, &integrator->dynamics, crd_integrator_v(integrator, y),
                                 CRD_ROW_TOLERANCES) <= 1.0; /* false for a NaN */
}

/* The same where they may be rounding; the workspace holds the rows. */
static bool is_judged_close(CrdIntegrator *integrator, double *y) {
    CrdResidual left = crd_stabiliser_judge(&integrator->stabiliser, &integrator->dynamics,
                                            crd_integrator_v(integrator, y), CRD_ROW_TOLERANCES);
    return left.position <= 1.0 && left.velocity <= 1.0;
}

static void state_at(const CrdIntegrator *integrator, double theta, double *y) {
    crd_integrator_dense_at(integrator, theta, y);
    crd_normalise(integrator->dynamics.model->structure, y);
}

/* Where a factor of its own does not do, Newton does. */
static CardanStatus put_on_constraints(CrdIntegrator *integrator, double t, double theta, double *y) {
    CardanStatus status =
        crd_stabilise_afresh(&integrator->stabiliser, &integrator->dynamics, t, y, crd_integrator_v(integrator, y));
    if (status != CARDAN_ERR_NUMERIC) return status;
    crd_error_clear(integrator->stepper.error);
    state_at(integrator, theta, y);
    return crd_integrator_project(integrator, t, y);
}

/* Numbers with memory stay as they were interpolated: what is made from them only asks which turn they are in. */
static CardanStatus interpolate(CrdIntegrator *integrator, double t, bool rows, double *y) {
    double theta;
    CRD_TRY(crd_integrator_prepare_dense(integrator));
    CRD_TRY(crd_halves_at(integrator, t, &theta));
    state_at(integrator, theta, y);
    if (!rows) {
        crd_integrator_use_tracked(integrator, y);
        CRD_TRY(crd_evaluate_residuals(&integrator->dynamics, t, y, crd_integrator_v(integrator, y)));
        if (is_close(integrator, y)) return CARDAN_OK;
    }
    CRD_TRY(crd_integrator_evaluate_constraints(integrator, t, y));
    if (is_close(integrator, y) || is_judged_close(integrator, y)) return CARDAN_OK;
    return put_on_constraints(integrator, t, theta, y);
}

CardanStatus crd_integrator_interpolate(CrdIntegrator *integrator, double t, bool rows, double *y) {
    const CrdStepper *stepper = &integrator->stepper;
    assert(t >= stepper->t_old && t < stepper->t);
    if (integrator->dense == CRD_DENSE_LOST)
        return crd_fail(stepper->error, CARDAN_ERR_NUMERIC,
                        "the last step can no longer be sampled: a step after it failed at t = %.9g", stepper->t);
    const CrdStabiliser stabiliser = integrator->stabiliser; /* a look counts for nothing */
    const CrdStages stages = integrator->stages;
    CardanStatus status = interpolate(integrator, t, rows, y);
    integrator->stabiliser = stabiliser;
    integrator->stages = stages;
    return status;
}
