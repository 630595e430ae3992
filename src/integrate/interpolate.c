#include "integrate/interpolate.h"

#include "core/numbers.h"
#include "integrate/hermite.h"

#include <assert.h>
#include <math.h>

/* Which factor a row shares depends on its time alone, so that it is the same whatever rows are asked for beside it.
 * Nodes are few and closed in any case: that of the middle of the step does for all of them. */
const CrdRowClosing crd_close_row = {.open = 1.0, .left = 0.1, .parts = 8.0};
const CrdRowClosing crd_close_node = {.open = 0.02, .left = 0.02, .parts = 1.0};

/* Extra stages of an interpolation may come close to a singular pose that the step itself passed by. Where one cannot
 * be evaluated there, or relative coordinates doubt it, the slopes of the step have to do. */
CardanStatus crd_prepare_by_method(CrdIntegrator *integrator) {
    CrdStepper *stepper = &integrator->stepper;
    integrator->stages.project = integrator->stages.lowest < CRD_PASSAGE_WATCH;
    CardanStatus status = stepper->method->prepare_dense(stepper);
    if (status != CARDAN_ERR_NUMERIC || stepper->method->prepare_sparing == NULL) return status;
    crd_error_clear(stepper->error);
    integrator->conduct.doubts = false;
    stepper->method->prepare_sparing(stepper);
    return CARDAN_OK;
}

/* As the method has it, where the slopes of the step do not do. */
static CardanStatus prepare_own(CrdIntegrator *integrator) {
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

/* Where the slopes of the step do no polynomial is made of them: few rows are asked for in a step, and one takes hardly
 * more terms than the polynomial has. */
static bool goes_by_slopes(CrdIntegrator *integrator) {
    if (integrator->dense == CRD_DENSE_POSSIBLE && crd_slopes_do(integrator)) integrator->dense = CRD_DENSE_BY_SLOPES;
    return integrator->dense == CRD_DENSE_BY_SLOPES;
}

CardanStatus crd_integrator_prepare_dense(CrdIntegrator *integrator) {
    CrdStepper *stepper = &integrator->stepper;
    if (!goes_by_slopes(integrator)) return prepare_own(integrator);
    stepper->method->prepare_sparing(stepper); /* kept, whatever becomes of them */
    integrator->halves.piece = CRD_WHOLE_STEP;
    integrator->dense = CRD_DENSE_READY;
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
    if (integrator->dense == CRD_DENSE_BY_SLOPES)
        stepper->method->interpolate_sparing(stepper, theta, y);
    else if (stepper->method->interpolate != NULL)
        stepper->method->interpolate(stepper, theta, y);
    else
        crd_dense_at(stepper->n, stepper->hermite, CRD_HERMITE_ROWS, theta, y);
}

/* ---- on the constraints ---- */

/* Are the residuals of y below the tolerance, or nobody's business? */
static bool is_close(CrdIntegrator *integrator, const CrdRowClosing *closing, double *y) {
    const CrdStabiliser *stabiliser = &integrator->stabiliser;
    return !crd_stabiliser_moves(stabiliser) ||
           crd_stabiliser_excess(stabiliser, &integrator->dynamics, crd_integrator_v(integrator, y), closing->open) <=
               1.0; /* false for a NaN */
}

/* The same where they may be rounding; the workspace holds the rows. */
static bool is_judged_close(CrdIntegrator *integrator, const CrdRowClosing *closing, double *y) {
    CrdResidual left = crd_stabiliser_judge(&integrator->stabiliser, &integrator->dynamics,
                                            crd_integrator_v(integrator, y), closing->open);
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
static CardanStatus find_state(CrdIntegrator *integrator, double t, double *theta, double *y) {
    const CrdStepper *stepper = &integrator->stepper;
    *theta = (t - stepper->t_old) / (stepper->t - stepper->t_old);
    if (!goes_by_slopes(integrator)) {
        CRD_TRY(prepare_own(integrator));
        CRD_TRY(crd_halves_at(integrator, t, theta));
    }
    state_at(integrator, *theta, y);
    return CARDAN_OK;
}

/* ---- rows beside rows ---- */

/* The middle of the part of the step that t is in. */
static double middle_of_part(const CrdStepper *stepper, const CrdRowClosing *closing, double t) {
    double h = stepper->t - stepper->t_old, part = floor((t - stepper->t_old) / h * closing->parts);
    return stepper->t_old + (part + 0.5) / closing->parts * h;
}

/* Makes the factor there, in y and the workspace. */
static CardanStatus make_shared(CrdIntegrator *integrator, double middle, double *y) {
    CrdDynamics *dynamics = &integrator->dynamics;
    double theta;
    CRD_TRY(find_state(integrator, middle, &theta, y));
    CRD_TRY(crd_integrator_evaluate_constraints(integrator, middle, y));
    CRD_TRY(crd_factor(dynamics, CARDAN_METRIC_MASS));
    dynamics->system.shared.holds = true;
    dynamics->system.shared.t = middle;
    return CARDAN_OK;
}

static CardanStatus evaluate_residuals(CrdIntegrator *integrator, double t, double *y) {
    crd_integrator_use_tracked(integrator, y);
    return crd_evaluate_residuals(&integrator->dynamics, t, y, crd_integrator_v(integrator, y));
}

/* Puts y at t, whose residuals the workspace holds, on the constraints with the factor of its part; *good: it is. */
static CardanStatus close_with_shared(CrdIntegrator *integrator, double t, const CrdRowClosing *closing, double *y,
                                      bool *good) {
    CrdDynamics *dynamics = &integrator->dynamics;
    double middle = middle_of_part(&integrator->stepper, closing, t), theta;
    *good = false;
    if (!dynamics->system.shared.holds || dynamics->system.shared.t != middle) {
        CRD_TRY(make_shared(integrator, middle, y));
        CRD_TRY(find_state(integrator, t, &theta, y));
        CRD_TRY(evaluate_residuals(integrator, t, y));
    }
    if (!dynamics->system.shared.holds || !crd_stabiliser_lends(&integrator->stabiliser, dynamics)) return CARDAN_OK;
    return crd_stabilise_nearby(&integrator->stabiliser, dynamics, closing->left, t, y, crd_integrator_v(integrator, y),
                                good);
}

/* Positions and velocities at t, closed; *good: they are, and the workspace holds their residuals. */
static CardanStatus interpolate_lightly(CrdIntegrator *integrator, double t, const CrdRowClosing *closing, double *y,
                                        bool *good) {
    bool shares = integrator->stabiliser.options.stabilise.method == CARDAN_STABILISE_POST;
    CRD_TRY(evaluate_residuals(integrator, t, y));
    *good = is_close(integrator, closing, y);
    if (*good || !shares) return CARDAN_OK;
    CardanStatus status = close_with_shared(integrator, t, closing, y, good);
    if (status != CARDAN_ERR_NUMERIC) return status;
    crd_error_clear(integrator->stepper.error);
    return CARDAN_OK;
}

/* rows: all of them are asked for. */
static CardanStatus interpolate(CrdIntegrator *integrator, double t, bool rows, const CrdRowClosing *closing,
                                double *y) {
    double theta;
    bool good = false;
    CRD_TRY(find_state(integrator, t, &theta, y));
    if (!rows && !crd_imperfect_is_spread(&integrator->dynamics)) {
        CRD_TRY(interpolate_lightly(integrator, t, closing, y, &good));
        if (good) return CARDAN_OK;
        CRD_TRY(find_state(integrator, t, &theta, y));
    }
    CRD_TRY(crd_integrator_evaluate_rows(integrator, t, y));
    if (is_close(integrator, closing, y) || is_judged_close(integrator, closing, y)) return CARDAN_OK;
    return put_on_constraints(integrator, t, theta, y);
}

static CardanStatus need_step(const CrdIntegrator *integrator, double t) {
    const CrdStepper *stepper = &integrator->stepper;
    assert(t >= stepper->t_old && t < stepper->t);
    (void)t; /* in releases */
    if (integrator->dense != CRD_DENSE_LOST) return CARDAN_OK;
    return crd_fail(stepper->error, CARDAN_ERR_NUMERIC,
                    "the last step can no longer be sampled: a step after it failed at t = %.9g", stepper->t);
}

CardanStatus crd_integrator_interpolate_aside(CrdIntegrator *integrator, double t, double *y, CrdSystem *aside) {
    double theta;
    CRD_TRY(need_step(integrator, t));
    const CrdStabiliser stabiliser = integrator->stabiliser; /* a look counts for nothing */
    const CrdStages stages = integrator->stages;
    CardanStatus status = find_state(integrator, t, &theta, y);
    integrator->stabiliser = stabiliser;
    integrator->stages = stages;
    if (status < 0) return status;
    return crd_kinematics(integrator->dynamics.model, t, y, crd_integrator_v(integrator, y), aside,
                          integrator->dynamics.error);
}

CardanStatus crd_integrator_interpolate(CrdIntegrator *integrator, double t, bool rows, const CrdRowClosing *closing,
                                        double *y) {
    CRD_TRY(need_step(integrator, t));
    const CrdStabiliser stabiliser = integrator->stabiliser; /* a look counts for nothing */
    const CrdStages stages = integrator->stages;
    CardanStatus status = interpolate(integrator, t, rows, closing, y);
    integrator->stabiliser = stabiliser;
    integrator->stages = stages;
    return status;
}
