/* The spine: one internal step.
 *
 *     stages  ->  error estimate  ->  post-stabilisation, twice  ->  slope at the new state  ->  accept
 *
 * Nothing of the state changes before the last line, so a step that fails leaves everything as it was. */
#include "core/numbers.h"
#include "solve/regularise.h"
#include "step/crossing.h"
#include "step/first_step.h"
#include "step/run.h"

#include <math.h>
#include <string.h>

/* The smallest step that still advances t reliably. */
static double smallest_step(double t) {
    return CRD_STEP_MIN_ULP * CRD_EPS * fmax(fabs(t), CRD_STEP_TIME_SCALE);
}

/* The size the method would take if nothing were in its way. */
static CardanStatus natural_step(CrdRun *run, double room, double *h) {
    const CardanOptions *o = &run->options;
    if (o->step > 0.0) {
        *h = o->step;
        return CARDAN_OK;
    }
    if (run->h_next <= 0.0) {
        CardanStatus status = CARDAN_OK;
        run->project_stages = true; /* one trial stage */
        double most = isfinite(room) ? room : CRD_FIRST_STEP_MOST;
        if (o->max_step > 0.0) most = fmin(most, o->max_step);
        CrdScale scale = {run->n, run->y, run->y, run->weight, o->rtol, o->atol};
        run->h_next = crd_first_step(&run->ode, run->t, &scale, run->f, run->method->error_order, most, run->y_new,
                                     run->f_new, &status);
        run->solved = false;
        crd_error_clear(run->error); /* a trial that fails only shortens the first step */
    }
    *h = o->max_step > 0.0 ? fmin(run->h_next, o->max_step) : run->h_next;
    return CARDAN_OK;
}

/* Lands on the limit: stretches a step that would stop just short of it, halves one that would leave a crumb. */
static double fit(const CrdRun *run, double h, double room) {
    if (h * (1.0 + CRD_STEP_STRETCH) >= room) return room;
    if (run->options.step <= 0.0 && 2.0 * h > room) return 0.5 * room;
    return h;
}

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

/* Work is under error control while there is any, against itself and the kinetic energy: the energy balance that is
 * reported must not be that of a careless quadrature. */
static void weigh_work(CrdRun *run) {
    const CardanOptions *o = &run->options;
    const CrdDynamics *d = &run->dynamics;
    double work = fabs(*crd_run_work(run, run->y)), own = o->atol + o->rtol * work;
    double kinetic = crd_kinetic(d->model, &d->system, crd_run_v(run, run->y));
    bool any = work != 0.0 || run->f[run->n - 1] != 0.0;
    run->weight[run->n - 1] = any ? own / (own + o->rtol * kinetic) : 0.0;
}

/* Stages and error estimate. norm <= 1: the error is small enough. */
static CardanStatus attempt(CrdRun *run, double h, double *norm) {
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

/* Puts the new state on its constraints, makes its followers exact, and finds its slope. Next to a singular pose a
 * correction that is long against the distance to it might change the branch: a shorter step is asked for, or, where steps
 * are fixed or the pose is right there, the correction leaves out the rows that vanish in it. */
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

/* The size to try after an attempt of size h. */
static double resized(CrdRun *run, double norm, double h, bool accepted) {
    const CrdMethod *m = run->method;
    if (m->resize != NULL) return m->resize(run, norm, h, accepted);
    return accepted ? crd_controller_accepted(&run->controller, m->error_order, m->beta, norm, h)
                    : crd_controller_rejected(&run->controller, m->error_order, norm, h);
}

static void swap(double **a, double **b) {
    double *keep = *a;
    *a = *b;
    *b = keep;
}

/* Redundant rows that were taken out at the start may be needed here: if so, others are taken out. */
static void choose_rows(CrdRun *run) {
    if (!crd_dynamics_doubts_choice(&run->dynamics)) return;
    run->solved = false; /* multipliers of other rows */
    if (crd_dynamics_choose_again(&run->dynamics) < 0) crd_error_clear(run->error);
}

static void accept(CrdRun *run, double t_new) {
    const CrdShape *s = run->dynamics.model->shape;
    run->t_old = run->t;
    run->t = t_new;
    swap(&run->y_old, &run->y);
    swap(&run->y, &run->y_new);
    swap(&run->f, &run->f_new);
    run->solved = run->slope_known = true;
    run->dense_known = run->dense_lost = false;
    run->steps++;
    if (run->method->accepted != NULL) run->method->accepted(run);
    crd_dynamics_healthy(&run->dynamics);
    choose_rows(run);
    run->drift_max = fmax(run->drift_max, fabs(crd_run_energy(run, run->y) - run->energy_start));
    run->position_max = fmax(run->position_max, crd_worst(run->dynamics.system.g, s->rows));
    run->velocity_max = fmax(run->velocity_max, crd_worst(run->dynamics.system.rate, s->rows));
}

/* Says why no step succeeds. Next to a singular pose from which no motion goes on: lock-up. */
static CardanStatus explain(CrdRun *run, CardanStatus status, double h, double norm) {
    CrdDynamics *d = &run->dynamics;
    run->slope_known = run->solved = false;
    bool watched = run->options.step <= 0.0 && d->model->shape->rows > 0 &&
                   d->regulariser->in_pose == CRD_IN_POSE_ACROSS &&
                   (status == CARDAN_ERR_NUMERIC || status >= 0);
    CrdError *told = run->error;
    CrdError quiet = {0};
    d->error = &quiet;
    bool close = watched && crd_run_measure(run, run->t, run->y) >= 0 &&
                 crd_factor(d, CARDAN_METRIC_MASS) >= 0 && crd_closeness(d) < CRD_APPROACH;
    d->error = told;
    if (close) {
        crd_error_clear(run->error);
        CardanEvent event = {0};
        crd_passage_name_joints(run, &event);
        return crd_fail(run->error, CARDAN_ERR_NUMERIC,
                        "the mechanism locks up at t = %.9g: constraint rows of joint '%s'%s become dependent there and no "
                        "motion goes on (closeness %.2g, step %.2g)",
                        run->t, event.joint_count > 0 ? cardan_model_joint_name(d->model, event.joint[0]) : "",
                        event.joint_count > 1 ? " and others" : "", crd_closeness(d), h);
    }
    if (status < 0 && run->error->text[0] != '\0') return status; /* the sentence is already there */
    if (status < 0)
        return crd_fail(run->error, status, "the motion is no longer finite after t = %.9g (step %.3g)", run->t, h);
    return crd_fail(run->error, CARDAN_ERR_NUMERIC,
                    "the step size fell to %.3g at t = %.9g with an error of %.3g tolerances; the motion cannot be "
                    "resolved: loosen the tolerance or look at the model there", h, run->t, norm);
}

/* A step that failed may succeed when shorter; programmers' and memory errors may not. */
static bool worth_another(const CrdRun *run, CardanStatus status, double h) {
    if (status < 0 && status != CARDAN_ERR_NUMERIC) return false;
    return run->options.step <= 0.0 && h > smallest_step(run->t);
}

/* The state with its memory is that before the step. */
static CardanStatus give_up(CrdRun *run, CardanStatus status, double h, double norm, const CrdController *controller,
                            double h_next) {
    run->controller = *controller;
    run->h_next = h_next;
    return explain(run, status, h, norm);
}

CardanStatus crd_step(CrdRun *run, double t_limit) {
    const double room = t_limit - run->t, h_before = run->h_next;
    const CrdController controller = run->controller;
    double natural, h, norm = 0.0;
    int moved = 0;
    CRD_TRY(crd_run_evaluate(run));
    weigh_work(run);
    if (run->method->begin != NULL) run->method->begin(run);
    CRD_TRY(natural_step(run, room, &natural));
    h = fit(run, natural, room);
    for (;;) {
        double t_new = h == room ? t_limit : run->t + h;
        CardanStatus status = attempt(run, h, &norm);
        bool small_enough = status >= 0 && (run->options.step > 0.0 || crd_controller_accepts(norm));
        if (small_enough) status = settle(run, t_new);
        double better = small_enough && status >= 0 && run->options.step <= 0.0 ? crd_crossing_plan(run, h) : h;
        if (better < h && moved++ < CRD_CROSSING_ATTEMPTS) {
            h = better;
            continue;
        }
        if (small_enough && status >= 0) {
            double proposal = run->options.step > 0.0 ? 0.0 : resized(run, norm, h, true);
            run->h_next = run->options.step <= 0.0 && h < natural ? fmax(proposal, natural) : proposal;
            accept(run, t_new);
            return crd_passage_follow(run);
        }
        run->rejected++;
        if (!worth_another(run, status, h)) return give_up(run, status, h, norm, &controller, h_before);
        h = status < 0 ? crd_controller_failed(&run->controller, h) : resized(run, norm, h, false);
        natural = h;
        crd_error_clear(run->error);
    }
}
