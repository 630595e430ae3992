#include "step/failure.h"

#include "core/numbers.h"
#include "solve/regularise.h"
#include "step/attempt.h"

#include <math.h>
#include <string.h>

/* Closeness at the accepted state; the workspace then holds it. */
static double closeness_here(CrdRun *run) {
    CrdDynamics *d = &run->dynamics;
    if (crd_run_measure(run, run->t, run->y) < 0 || crd_factor(d, CARDAN_METRIC_MASS) < 0) return 1.0;
    return crd_closeness(d);
}

/* Goes on by one step of size h from (t, y), which becomes its end. */
static bool goes_on(CrdRun *run, double h) {
    double norm;
    if (run->method->begin != NULL) run->method->begin(run);
    bool succeeds = crd_attempt(run, h, &norm) >= 0 && crd_settle(run, run->t + h) >= 0;
    crd_error_clear(run->error);
    if (!succeeds) return false;
    run->t += h;
    memcpy(run->y, run->y_new, (size_t)run->n * sizeof *run->y);
    memcpy(run->f, run->f_new, (size_t)run->n * sizeof *run->f);
    run->passage.w_last = crd_closeness(&run->dynamics);
    return true;
}

/* A fixed step may fail far from the pose that stops it: closeness where ever shorter steps come to a halt, if they do so
 * within the step; *h becomes the way to there and the workspace holds that state. y_old is lost, the rest put back. */
static double closeness_ahead(CrdRun *run, double *h) {
    const double t = run->t, end = t + *h, closeness = run->passage.w_last;
    double part = *h, last = closeness;
    memcpy(run->y_old, run->y, (size_t)run->n * sizeof *run->y);
    for (int i = 0; i < CRD_FAILURE_STEPS && part > CRD_FAILURE_SHORTEST * *h && run->t < end; i++) {
        if (goes_on(run, fmin(part, end - run->t))) last = run->passage.w_last;
        else part *= 0.5;
    }
    bool halted = run->t < end;
    *h = run->t - t;
    closeness_here(run);
    run->t = t;
    run->passage.w_last = closeness;
    run->dense_lost = true;
    memcpy(run->y, run->y_old, (size_t)run->n * sizeof *run->y);
    return halted ? last : 1.0;
}

/* Looks whether a pose is where the motion ends; *ahead is how far beyond the accepted state. The look says nothing. */
static double closeness_of_the_end(CrdRun *run, double h, double *ahead) {
    CrdError *told = run->error, *kept = run->dynamics.error;
    CrdError quiet = {0};
    run->error = run->dynamics.error = &quiet;
    *ahead = run->options.step > 0.0 ? h : 0.0;
    double closeness = run->options.step > 0.0 ? closeness_ahead(run, ahead) : closeness_here(run);
    run->error = told;
    run->dynamics.error = kept;
    return closeness;
}

static CardanStatus lock_up(CrdRun *run, double ahead, double closeness, double h) {
    const CardanModel *model = run->dynamics.model;
    CardanEvent event = {0};
    crd_error_clear(run->error);
    crd_passage_name_joints(run, &event);
    return crd_fail(run->error, CARDAN_ERR_NUMERIC,
                    "the mechanism locks up at t = %.9g: constraint rows of joint '%s'%s become dependent there and no "
                    "motion goes on (closeness %.2g, step %.2g)",
                    run->t + ahead, event.joint_count > 0 ? cardan_model_joint_name(model, event.joint[0]) : "",
                    event.joint_count > 1 ? " and others" : "", closeness, h);
}

CardanStatus crd_explain_failure(CrdRun *run, CardanStatus status, double h, double norm) {
    const CrdDynamics *d = &run->dynamics;
    bool watched = d->regulariser->in_pose == CRD_IN_POSE_ACROSS && d->model->shape->rows > 0 && !run->method->iterates &&
                   (status == CARDAN_ERR_NUMERIC || status >= 0);
    double ahead = 0.0, closeness = watched ? closeness_of_the_end(run, h, &ahead) : 1.0;
    run->slope_known = run->solved = false;
    if (closeness < CRD_APPROACH) return lock_up(run, ahead, closeness, h);
    if (status < 0 && run->error->text[0] != '\0') return status; /* the sentence is already there */
    if (status < 0)
        return crd_fail(run->error, status, "the motion is no longer finite after t = %.9g (step %.3g)", run->t, h);
    return crd_fail(run->error, CARDAN_ERR_NUMERIC,
                    "the step size fell to %.3g at t = %.9g with an error of %.3g tolerances; the motion cannot be "
                    "resolved: loosen the tolerance or look at the model there", h, run->t, norm);
}
