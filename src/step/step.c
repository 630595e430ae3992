/* The spine: one internal step.
 *
 *     stages  ->  error estimate  ->  post-stabilisation, twice  ->  slope at the new state  ->  events?  ->  accept
 *
 * Nothing of the state changes before the last line, so a step that fails leaves everything as it was. */
#include "core/numbers.h"
#include "solve/regularise.h"
#include "step/attempt.h"
#include "step/crossing.h"
#include "step/failure.h"
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
    if (o->step > 0.0) { /* a step that an event split goes on to its end */
        double left = run->events.grid - run->t;
        *h = left > smallest_step(run->t) ? left : o->step;
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
    run->balance = crd_run_energy(run, run->y);
    run->drift_max = fmax(run->drift_max, fabs(run->balance - run->energy_start));
    run->position_max = fmax(run->position_max, crd_worst(run->dynamics.system.g, s->rows));
    run->velocity_max = fmax(run->velocity_max, crd_worst(run->dynamics.system.rate, s->rows));
}

/* A step that failed may succeed when shorter; programmers' and memory errors may not. */
static bool worth_another(const CrdRun *run, CardanStatus status, double h) {
    if (status < 0 && status != CARDAN_ERR_NUMERIC) return false;
    return run->options.step <= 0.0 && h > smallest_step(run->t);
}

/* What lies at the end of a step that was accepted: the end of a singular passage, events. */
static CardanStatus pass(CrdRun *run) {
    CardanStatus passage = crd_passage_follow(run), events = crd_events_pass(run);
    return events != CARDAN_OK ? events : passage;
}

/* The state with its memory is that before the step. */
static CardanStatus give_up(CrdRun *run, CardanStatus status, double h, double norm, const CrdController *controller,
                            double h_next) {
    run->controller = *controller;
    run->h_next = h_next;
    return crd_explain_failure(run, status, h, norm);
}

CardanStatus crd_step(CrdRun *run, double t_limit) {
    const double h_before = run->h_next;
    const CrdController controller = run->controller;
    double natural, h, norm = 0.0;
    int moved = 0;
    CRD_TRY(crd_run_evaluate(run));
    weigh_work(run);
    if (run->method->begin != NULL) run->method->begin(run);
    CRD_TRY(natural_step(run, t_limit - run->t, &natural));
    const double limit = crd_events_limit(run, t_limit, natural), room = limit - run->t;
    run->natural = natural;
    h = fit(run, natural, room);
    for (;;) {
        CrdLook look = CRD_LOOK_CLEAR;
        double t_new = h == room ? limit : run->t + h;
        CardanStatus status = crd_attempt(run, h, &norm);
        bool small_enough = status >= 0 && (run->options.step > 0.0 || crd_controller_accepts(norm));
        if (small_enough) status = crd_settle(run, t_new);
        double better = small_enough && status >= 0 && run->options.step <= 0.0 ? crd_crossing_plan(run, h) : h;
        if (better < h && moved++ < CRD_CROSSING_ATTEMPTS) {
            h = better;
            continue;
        }
        if (small_enough && status >= 0) status = crd_events_look(run, t_new, &h, &look);
        if (look == CRD_LOOK_RESTART) return status != CARDAN_OK ? status : crd_step(run, t_limit);
        if (status >= 0 && look == CRD_LOOK_LAND) continue;
        if (small_enough && status >= 0) {
            double proposal = run->options.step > 0.0 ? 0.0 : resized(run, norm, h, true);
            run->h_next = run->options.step <= 0.0 && h < natural ? fmax(proposal, natural) : proposal;
            accept(run, t_new);
            return pass(run);
        }
        run->rejected++;
        if (!worth_another(run, status, h)) return give_up(run, status, h, norm, &controller, h_before);
        h = status < 0 ? crd_controller_failed(&run->controller, h) : resized(run, norm, h, false);
        run->natural = natural = h;
        crd_error_clear(run->error);
    }
}
