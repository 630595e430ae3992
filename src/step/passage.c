#include "step/passage.h"

#include "core/numbers.h"
#include "step/run.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char *const REMEDIES[] = {
    [CRD_REMEDY_NONE] = "stepped over",
    [CRD_REMEDY_REFINED] = "refined solve",
    [CRD_REMEDY_ACROSS] = "accelerations across the pose",
    [CRD_REMEDY_SOFTENED] = "softened rows",
};

void crd_passage_begin(CrdPassage *p) {
    p->step_lowest = 1.0;
}

void crd_passage_see(CrdPassage *p, const CrdDynamics *d, double t) {
    double w = crd_closeness(d);
    if (w >= p->step_lowest) return;
    p->step_lowest = w;
    p->step_lowest_at = t;
}

/* Closeness of the motion between two steps, as the interpolation has it. */
static double closeness_at(CrdRun *run, double t) {
    CrdDynamics *d = &run->dynamics;
    crd_run_dense_at(run, (t - run->t_old) / (run->t - run->t_old), run->y_stage);
    crd_normalise(d->model->shape, run->y_stage);
    if (crd_run_measure(run, t, run->y_stage) < 0) return 1.0;
    return crd_factor(d, CARDAN_METRIC_MASS) < 0 ? 0.0 : crd_closeness(d);
}

/* The lowest closeness inside the last step, by golden sections around the lowest stage. */
static void find_lowest(CrdRun *run, double *t, double *lowest) {
    const double golden = 0.3819660112501051;
    double h = run->t - run->t_old, a = fmax(run->t_old, *t - CRD_PASSAGE_WINDOW * h);
    double b = fmin(run->t, *t + CRD_PASSAGE_WINDOW * h);
    double x = a + golden * (b - a), y = b - golden * (b - a), wx, wy;
    run->solved = false;
    if (crd_run_prepare_dense(run) < 0) {
        crd_error_clear(run->error); /* the pose stays where the lowest stage saw it */
        return;
    }
    wx = closeness_at(run, x);
    wy = closeness_at(run, y);
    for (int i = 0; i < CRD_PASSAGE_SECTIONS; i++) {
        if (wx < wy) {
            b = y, y = x, wy = wx;
            x = a + golden * (b - a);
            wx = closeness_at(run, x);
        } else {
            a = x, x = y, wx = wy;
            y = b - golden * (b - a);
            wy = closeness_at(run, y);
        }
    }
    double w = fmin(wx, wy);
    if (w >= *lowest) return;
    *lowest = w;
    *t = wx < wy ? x : y;
    /* The workspace holds a state next to the pose: its joints are named from it. */
    closeness_at(run, *t);
}

bool crd_passage_name_joints(CrdRun *run, CardanEvent *event) {
    CrdDynamics *d = &run->dynamics;
    const CrdShape *s = d->model->shape;
    bool confirmed = crd_singular_elements(d, run->element_mark);
    event->joint_count = 0;
    for (int j = 0; j < s->joint_count; j++) {
        if (!run->element_mark[s->element_of_joint[j]]) continue;
        if (event->joint_count < CARDAN_EVENT_JOINTS) event->joint[event->joint_count] = (CardanJoint){j + 1};
        event->joint_count++;
    }
    return confirmed;
}

/* The dip has a new lowest point in the last step, or has its lowest point at the step's start, so that the pose may be
 * right behind it: where exactly, and whose rows? */
static void look_closer(CrdRun *run, double w_start, double w_end) {
    CrdPassage *p = &run->passage;
    double lowest = p->step_lowest, at = p->step_lowest_at;
    if (w_start < lowest) lowest = w_start, at = run->t_old;
    if (w_end < lowest) lowest = w_end, at = run->t;
    bool behind = at == run->t_old && w_start < CRD_PASSAGE_BEHIND * p->lowest;
    if (lowest >= p->lowest && !behind) return;
    find_lowest(run, &at, &lowest);
    if (lowest >= p->lowest) return;
    p->lowest = lowest;
    p->lowest_at = at;
    if (lowest < CRD_PASSAGE) p->confirmed = crd_passage_name_joints(run, &p->found);
}

static CardanStatus log_passage(CrdRun *run) {
    CrdPassage *p = &run->passage;
    CardanEvent event = p->found;
    event.kind = "singularity";
    event.t = p->lowest_at;
    event.left_at = run->t;
    event.pivot_min = p->lowest * p->lowest;
    event.remedy = REMEDIES[p->remedy];
    event.epsilon = p->remedy == CRD_REMEDY_SOFTENED ? run->dynamics.shift : 0.0;
    event.lambda_max = p->lambda_max;
    event.branch = "kept";
    crd_log_add(&run->log, &event, true);
    const char *first = event.joint_count > 0 ? cardan_model_joint_name(run->dynamics.model, event.joint[0]) : "";
    crd_error_clear(run->error); /* of a look that failed in the pose */
    return crd_fail(run->error, CARDAN_REMARK, "passed a singular pose at t = %.9g (joint '%s'%s): %s", event.t, first,
                    event.joint_count > 1 ? " and others" : "", event.remedy);
}

CardanStatus crd_passage_follow(CrdRun *run) {
    CrdPassage *p = &run->passage;
    CrdDynamics *d = &run->dynamics;
    double w_start = p->w_last, w_end = crd_closeness(d);
    p->w_last = w_end;
    double low = fmin(p->step_lowest, w_end);
    if (!p->open && low >= CRD_PASSAGE_WATCH) return CARDAN_OK;
    if (!p->open) {
        p->open = true;
        p->entered = run->t_old;
        p->lowest = 1.0;
        p->lambda_max = 0.0;
        p->remedy = CRD_REMEDY_NONE;
    }
    p->lambda_max = fmax(p->lambda_max, crd_worst(d->lambda, d->model->shape->rows));
    if (d->remedy > p->remedy) p->remedy = d->remedy;
    look_closer(run, w_start, w_end);
    if (w_end < CRD_PASSAGE_LEFT) return CARDAN_OK;
    p->open = false;
    d->remedy = CRD_REMEDY_NONE;
    return p->lowest < CRD_PASSAGE && p->confirmed ? log_passage(run) : CARDAN_OK;
}
