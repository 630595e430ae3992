#include "integrate/interpolate.h"

#include "core/numbers.h"
#include "integrate/hermite.h"

#include <assert.h>

/* Extra stages of an interpolation may come close to a singular pose that the step itself passed by. */
static CardanStatus prepare_by_method(CrdIntegrator *integrator) {
    integrator->stages.project = integrator->stages.lowest < CRD_PASSAGE_WATCH;
    return integrator->stepper.method->prepare_dense(&integrator->stepper);
}

CardanStatus crd_integrator_prepare_dense(CrdIntegrator *integrator) {
    CrdStepper *stepper = &integrator->stepper;
    if (integrator->dense == CRD_DENSE_READY) return CARDAN_OK;
    if (stepper->method->prepare_dense != NULL)
        CRD_TRY(prepare_by_method(integrator));
    else
        crd_dense_hermite(stepper->n, stepper->t - stepper->t_old, stepper->y_old, stepper->f_new, stepper->y,
                          stepper->f, stepper->hermite);
    integrator->dense = CRD_DENSE_READY;
    return CARDAN_OK;
}

CardanStatus crd_integrator_prepare_attempt(CrdIntegrator *integrator, double h) {
    CrdStepper *stepper = &integrator->stepper;
    const CrdStepper kept = *stepper;
    assert(stepper->method->looks_inside);
    stepper->t_old = kept.t;
    stepper->t = kept.t + h;
    stepper->y_old = kept.y;
    stepper->y = kept.y_new;
    stepper->y_new = kept.y_old;
    stepper->f = kept.f_new;
    stepper->f_new = kept.f;
    CardanStatus status = prepare_by_method(integrator);
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

CardanStatus crd_integrator_interpolate(CrdIntegrator *integrator, double t, double *y) {
    const CrdStepper *stepper = &integrator->stepper;
    assert(t >= stepper->t_old && t < stepper->t);
    if (integrator->dense == CRD_DENSE_LOST)
        return crd_fail(stepper->error, CARDAN_ERR_NUMERIC,
                        "the last step can no longer be sampled: a step after it failed at t = %.9g", stepper->t);
    CRD_TRY(crd_integrator_prepare_dense(integrator));
    crd_integrator_dense_at(integrator, (t - stepper->t_old) / (stepper->t - stepper->t_old), y);
    crd_normalise(integrator->dynamics.model->structure, y);
    if (crd_stabiliser_moves(&integrator->stabiliser)) return crd_integrator_project(integrator, t, y);
    CRD_TRY(crd_integrator_evaluate_constraints(integrator, t, y));
    crd_integrator_track(integrator, y);
    return CARDAN_OK;
}
