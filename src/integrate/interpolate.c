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

/* y at theta with unit quaternions, and its rows. */
static CardanStatus evaluate_at(CrdIntegrator *integrator, double t, double theta, double *y) {
    crd_integrator_dense_at(integrator, theta, y);
    crd_normalise(integrator->dynamics.model->structure, y);
    return crd_integrator_evaluate_constraints(integrator, t, y);
}

/* Is what y leaves of its rows below the tolerance, or nobody's business? */
static bool is_close(CrdIntegrator *integrator, double *y) {
    const CrdStabiliser *stabiliser = &integrator->stabiliser;
    if (!crd_stabiliser_moves(stabiliser)) return true;
    CrdResidual left =
        crd_stabiliser_judge(stabiliser, &integrator->dynamics, crd_integrator_v(integrator, y), CRD_ROW_TOLERANCES);
    return left.position <= 1.0 && left.velocity <= 1.0; /* false for a NaN */
}

static CardanStatus interpolate(CrdIntegrator *integrator, double t, double *y) {
    double theta;
    CRD_TRY(crd_integrator_prepare_dense(integrator));
    CRD_TRY(crd_halves_at(integrator, t, &theta));
    CRD_TRY(evaluate_at(integrator, t, theta, y));
    if (is_close(integrator, y)) {
        crd_integrator_track(integrator, y);
        return CARDAN_OK;
    }
    CardanStatus status =
        crd_stabilise_afresh(&integrator->stabiliser, &integrator->dynamics, t, y, crd_integrator_v(integrator, y));
    if (status >= 0) crd_integrator_track(integrator, y);
    if (status != CARDAN_ERR_NUMERIC) return status;
    crd_error_clear(integrator->stepper.error);
    CRD_TRY(evaluate_at(integrator, t, theta, y));
    return crd_integrator_project(integrator, t, y);
}

CardanStatus crd_integrator_interpolate(CrdIntegrator *integrator, double t, double *y) {
    const CrdStepper *stepper = &integrator->stepper;
    assert(t >= stepper->t_old && t < stepper->t);
    if (integrator->dense == CRD_DENSE_LOST)
        return crd_fail(stepper->error, CARDAN_ERR_NUMERIC,
                        "the last step can no longer be sampled: a step after it failed at t = %.9g", stepper->t);
    const CrdStabiliser stabiliser = integrator->stabiliser; /* a look counts for nothing */
    const CrdStages stages = integrator->stages;
    CardanStatus status = interpolate(integrator, t, y);
    integrator->stabiliser = stabiliser;
    integrator->stages = stages;
    return status;
}
