#include "step/attempt.h"

#include "core/numbers.h"
#include "solve/regularise.h"

#include <math.h>
#include <string.h>

/* Near a singular pose accelerations carry noise of eps v^2 / closeness^3: no error to be resolved, and a controller that
 * took it for one would shrink the step and so come ever closer. Its allowance enters as a smaller weight. */
static const double *weights(CrdRun *run, double h) {
    if (run->stage_noise == 0.0) return run->weight;
    int nq = run->dynamics.model->shape->nq;
    double allowed = CRD_NOISE_FACTOR * fabs(h) * run->stage_noise;
    for (int i = 0; i < run->n; i++) {
        double scale = run->options.atol + run->options.rtol * fmax(fabs(run->y[i]), fabs(run->y_new[i]));
        run->floor[i] = run->weight[i] * scale / (scale + (i < nq ? fabs(h) : 1.0) * allowed);
    }
    return run->floor;
}

CardanStatus crd_attempt(CrdRun *run, double h, double *norm) {
    bool adaptive = run->options.step <= 0.0;
    run->solved = false;
    run->stage_noise = 0.0;
    run->dense_lost = !run->dense_known;
    crd_passage_begin(&run->passage);
    run->project_stages = run->passage.w_last < CRD_APPROACH;
    run->wants_projection = false;
    CardanStatus status = run->method->attempt(run, h, adaptive);
    if (run->wants_projection) {
        run->project_stages = true;
        status = run->method->attempt(run, h, adaptive);
    }
    if (status < 0) return status;
    *norm = adaptive ? run->method->error_norm(run, h, weights(run, h)) : 0.0;
    return CARDAN_OK;
}

/* Followers and slope of a new state that was put on its constraints. */
static CardanStatus finish(CrdRun *run) {
    crd_run_follow(run, run->y_new);
    return crd_run_slope(run, run->y_new, run->f_new, false);
}

/* Right next to a singular pose: the rows that vanish there are left alone. */
static CardanStatus settle_strongly(CrdRun *run, double t_new) {
    CrdDynamics *d = &run->dynamics;
    crd_error_clear(run->error);
    memcpy(run->y_new, run->y_raw, (size_t)run->n * sizeof *run->y_raw);
    crd_normalise(d->model->shape, run->y_new);
    CRD_TRY(crd_run_measure(run, t_new, run->y_new));
    CRD_TRY(crd_project_strong(&run->stabiliser, d, t_new, run->y_new, crd_run_v(run, run->y_new)));
    return finish(run);
}

/* Rows that are softened give way, and post-stabilisation takes that back. When it takes back more than a share of the
 * velocity itself, momentum no longer decides on the motion: a shorter step gives way less. */
static CardanStatus check_softening(CrdRun *run) {
    CrdDynamics *d = &run->dynamics;
    const CrdShape *s = d->model->shape;
    if (d->regulariser->in_pose != CRD_IN_POSE_SOFTENED || s->rows == 0) return CARDAN_OK;
    const double *v = crd_run_v(run, run->y_new), *raw = crd_run_v(run, run->y_raw);
    for (int i = 0; i < s->nv; i++) run->floor[i] = v[i] - raw[i];
    double taken = sqrt(crd_kinetic(d->model, &d->system, run->floor)), speed = sqrt(crd_kinetic(d->model, &d->system, v));
    if (taken <= CRD_BRANCH_SHARE * speed) return CARDAN_OK;
    return crd_fail(run->error, CARDAN_ERR_NUMERIC,
                    "softened rows give way by %.2g of the speed in a step to t = %.9g, so that momentum does not decide on "
                    "the motion: a smaller step, a smaller epsilon (now %.3g) or regularise: auto will help",
                    taken / speed, run->dynamics.system.t, d->shift);
}

/* Puts the new state on the constraints as its closeness allows. */
static CardanStatus settle(CrdRun *run, double t_new) {
    CrdDynamics *d = &run->dynamics;
    bool fixed = run->options.step > 0.0, moves = crd_stabiliser_moves(&run->stabiliser);
    if (run->method->on_constraints) {
        CRD_TRY(crd_run_measure(run, t_new, run->y_new));
        return finish(run);
    }
    memcpy(run->y_raw, run->y_new, (size_t)run->n * sizeof *run->y_raw);
    crd_run_look_at(run, run->y_new);
    CardanStatus status = crd_stabilise(&run->stabiliser, d, t_new, run->y_new, crd_run_v(run, run->y_new));
    if (status >= 0) status = finish(run);
    if (status >= 0 && moves) CRD_TRY(check_softening(run));
    bool there = moves && crd_approaching(d) && crd_closeness(d) < CRD_LAND;
    if (status < 0) return there && status == CARDAN_ERR_NUMERIC ? settle_strongly(run, t_new) : status;
    if (!moves || !crd_approaching(d)) return CARDAN_OK;
    if (crd_run_moved(run, run->y_raw, run->y_new) <= CRD_BRANCH_SHARE * crd_closeness(d)) return CARDAN_OK;
    if (fixed || there) return settle_strongly(run, t_new);
    return crd_fail(run->error, CARDAN_ERR_NUMERIC,
                    "the step's end at t = %.9g is too far off the constraints next to a singular pose", t_new);
}

/* The last line of defence against going on wrongly: energy and work must balance over a step past a pose. */
static bool balances(CrdRun *run) {
    const CrdDynamics *d = &run->dynamics;
    const CardanOptions *o = &run->options;
    if (o->step > 0.0 || d->regulariser->in_pose != CRD_IN_POSE_ACROSS || fmin(run->passage.step_lowest, crd_closeness(d)) >= CRD_APPROACH)
        return true;
    double kinetic = crd_kinetic(d->model, &d->system, crd_run_v(run, run->y_new));
    double size = kinetic + fabs(d->system.potential) + fabs(*crd_run_work(run, run->y_new));
    double lost = crd_run_energy(run, run->y_new) - run->balance;
    return fabs(lost) <= fmax(CRD_BALANCE * size, CRD_BALANCE_TOLERANCES * (o->atol + o->rtol * size));
}

CardanStatus crd_settle(CrdRun *run, double t_new) {
    CRD_TRY(settle(run, t_new));
    if (balances(run)) return CARDAN_OK;
    return crd_fail(run->error, CARDAN_ERR_NUMERIC, "energy and work do not balance over the step to t = %.9g, which "
                    "passes a singular pose", t_new);
}
