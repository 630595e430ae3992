/* Does a pose ahead stop the motion? */
#include "guard/singular/singular.h"

#include "core/numbers.h"
#include "integrate/attempt.h"

#include <math.h>
#include <string.h>

/* Where a fixed step failed, ever shorter ones look how far the motion goes on: at most so many, down to this part of
 * it. */
#define CRD_FAILURE_STEPS 400
#define CRD_FAILURE_SHORTEST 1e-7

/* Singularity measure of the present state; the workspace then holds it. */
static double singularity_here(CrdIntegrator *integrator) {
    CrdDynamics *dynamics = &integrator->dynamics;
    const CrdStepper *stepper = &integrator->stepper;
    if (crd_integrator_evaluate_constraints(integrator, stepper->t, stepper->y) < 0) return 1.0;
    return crd_factor(dynamics, CARDAN_METRIC_MASS) < 0 ? 1.0 : crd_singularity_measure(dynamics);
}

/* Goes on by one step of size h from (t, y), which becomes its end. */
static bool goes_on(CrdIntegrator *integrator, double h) {
    CrdStepper *stepper = &integrator->stepper;
    CrdTry attempt = {.h = h};
    if (stepper->method->begin != NULL) stepper->method->begin(stepper);
    bool succeeds = crd_attempt(integrator, &attempt) >= 0 && crd_project_step(integrator, stepper->t + h) >= 0;
    crd_error_clear(stepper->error);
    if (!succeeds) return false;
    crd_integrator_enter(integrator, stepper->t + h);
    integrator->stages.accepted = crd_singularity_measure(&integrator->dynamics);
    return true;
}

/* A fixed step may fail far from the pose that stops it: the singularity measure where ever shorter steps come to a
 * halt, if they do so within the step; *h becomes the way to there and the workspace holds that state. What was known
 * of the last step is lost, the rest put back. */
static double singularity_ahead(CrdIntegrator *integrator, double *h) {
    CrdStepper *stepper = &integrator->stepper;
    const double t = stepper->t, end = t + *h, singularity = integrator->stages.accepted;
    const size_t bytes = (size_t)stepper->n * sizeof *stepper->y;
    double part = *h, last = singularity;
    memcpy(stepper->y_old, stepper->y, bytes);
    for (int i = 0; i < CRD_FAILURE_STEPS && part > CRD_FAILURE_SHORTEST * *h && stepper->t < end; i++) {
        if (goes_on(integrator, fmin(part, end - stepper->t)))
            last = integrator->stages.accepted;
        else
            part *= 0.5;
    }
    bool halted = stepper->t < end;
    *h = stepper->t - t;
    singularity_here(integrator);
    stepper->t = t;
    integrator->stages.accepted = singularity;
    integrator->dense = CRD_DENSE_LOST;
    memcpy(stepper->y, stepper->y_old, bytes);
    return halted ? last : 1.0;
}

/* Looks whether a pose is where the motion ends; *ahead is how far beyond the accepted state. The look says nothing. */
static double singularity_of_the_end(CrdIntegrator *integrator, double *ahead) {
    CrdError *told = integrator->stepper.error, *kept = integrator->dynamics.error;
    CrdError quiet = {0};
    integrator->stepper.error = integrator->dynamics.error = &quiet;
    double singularity = *ahead > 0.0 ? singularity_ahead(integrator, ahead) : singularity_here(integrator);
    integrator->stepper.error = told;
    integrator->dynamics.error = kept;
    return singularity;
}

/* ---- drives ---- */

/* The first drive that is marked; NULL: none. */
static const char *first_drive(const CardanModel *model, const bool *element) {
    const CrdStructure *structure = model->structure;
    for (int j = 0; j < structure->joint_count; j++) {
        int e = structure->element_of_joint[j];
        if (element[e] && crd_element_is_driven(&structure->elements[e])) return crd_element_name(model, e);
    }
    return NULL;
}

/* Drives that agreed with what holds them at the start, and no longer do: the largest rate that stabilisation left is
 * one of theirs. */
static CardanStatus explain_drives(const CrdIntegrator *integrator) {
    const CrdDynamics *dynamics = &integrator->dynamics;
    const CrdStructure *structure = dynamics->model->structure;
    const char *drive = first_drive(dynamics->model, dynamics->redundancy.contested);
    int worst = 0;
    for (int i = 0; i < structure->rows; i++)
        if (fabs(dynamics->system.rate[i]) > fabs(dynamics->system.rate[worst])) worst = i;
    if (drive == NULL || !dynamics->redundancy.contested[structure->row_element[worst]]) return CARDAN_OK;
    crd_error_clear(integrator->stepper.error);
    return crd_fail(integrator->stepper.error, CARDAN_ERR_NUMERIC,
                    "driver '%s' contradicts what holds it from t = %.9g on: joint '%s' would have to open at %.2g per "
                    "s. Take one of the drivers out, or make their laws agree",
                    drive, integrator->stepper.t, crd_element_name(dynamics->model, structure->row_element[worst]),
                    fabs(dynamics->system.rate[worst]));
}

CardanStatus crd_explain_lock_up(void *self, const CrdTry *attempt, CardanStatus status) {
    CrdSingular *singular = self;
    CrdIntegrator *integrator = singular->integrator;
    CrdStepper *stepper = &integrator->stepper;
    if (crd_imperfect_is_spread(&integrator->dynamics)) return CARDAN_OK; /* it has said why */
    if (status == CARDAN_ERR_NUMERIC) CRD_TRY(explain_drives(integrator));
    bool watched = integrator->dynamics.regularisation.method->in_pose == CRD_IN_POSE_ACROSS &&
                   !crd_softens(&integrator->dynamics) && !stepper->method->iterates &&
                   (status == CARDAN_ERR_NUMERIC || status >= 0);
    if (!watched) return CARDAN_OK;
    double ahead = integrator->options.step > 0.0 ? attempt->h : 0.0;
    double singularity = singularity_of_the_end(integrator, &ahead);
    if (singularity >= CRD_APPROACH) return CARDAN_OK;
    CardanEvent event = {0};
    crd_error_clear(stepper->error);
    crd_singular_name_joints(singular, singular->look_mark, &event);
    const CardanModel *model = integrator->dynamics.model;
    const char *drive = first_drive(model, singular->element_mark);
    return crd_fail(stepper->error, CARDAN_ERR_NUMERIC,
                    "the mechanism locks up at t = %.9g: constraint rows of joint '%s'%s become dependent there and no "
                    "motion goes on (singularity measure %.2g, step %.2g)%s%s%s",
                    stepper->t + ahead, event.joint_count > 0 ? cardan_model_joint_name(model, event.joint[0]) : "",
                    event.joint_count > 1 ? " and others" : "", singularity, attempt->h,
                    drive != NULL ? ": driver '" : "", drive != NULL ? drive : "",
                    drive != NULL ? "' has led it to a dead point" : "");
}
