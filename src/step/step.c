/* The spine: one internal step.
 *
 *     stages  ->  error estimate  ->  post-stabilisation, twice  ->  slope at the new state  ->  accept
 *
 * Nothing of the state changes before the last line, so a step that fails leaves everything as it was. */
#include "core/numbers.h"
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
        double most = isfinite(room) ? room : CRD_FIRST_STEP_MOST;
        if (o->max_step > 0.0) most = fmin(most, o->max_step);
        run->h_next =
            crd_rk_first_step(&run->rk, &run->ode, run->t, run->y, run->f, run->weight, o->rtol, o->atol, most, &status);
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

/* Stages and error estimate. norm <= 1: the error is small enough. */
static CardanStatus attempt(CrdRun *run, double h, double *norm) {
    bool adaptive = run->options.step <= 0.0;
    run->solved = false;
    CRD_TRY(crd_rk_attempt(&run->rk, &run->ode, run->t, h, run->y, adaptive, run->y_new));
    *norm = adaptive ? crd_rk_error_norm(&run->rk, h, run->y, run->y_new, run->weight, run->options.rtol,
                                         run->options.atol)
                     : 0.0;
    return CARDAN_OK;
}

/* Puts the new state on its constraints, counts turns, and finds its slope. */
static CardanStatus settle(CrdRun *run, double t_new) {
    CRD_TRY(crd_stabilise(&run->stabiliser, &run->dynamics, t_new, run->y_new, crd_run_v(run, run->y_new)));
    crd_run_count_turns(run, run->y_new);
    return crd_run_slope(run, run->y_new, run->f_new);
}

static void swap(double **a, double **b) {
    double *keep = *a;
    *a = *b;
    *b = keep;
}

static void accept(CrdRun *run, double t_new) {
    const CrdShape *s = run->dynamics.model->shape;
    run->t_old = run->t;
    run->t = t_new;
    swap(&run->y_old, &run->y);
    swap(&run->y, &run->y_new);
    swap(&run->f, &run->f_new);
    run->solved = run->slope_known = true;
    run->dense_known = false;
    run->steps++;
    run->drift_max = fmax(run->drift_max, fabs(crd_run_energy(run, run->y) - run->energy_start));
    run->position_max = fmax(run->position_max, crd_worst(run->dynamics.system.g, s->rows));
    run->velocity_max = fmax(run->velocity_max, crd_worst(run->dynamics.system.rate, s->rows));
}

static CardanStatus give_up(CrdRun *run, CardanStatus status, double h, double norm) {
    run->slope_known = run->solved = false;
    if (status < 0) return status; /* the sentence is already there */
    return crd_fail(run->error, CARDAN_ERR_NUMERIC,
                    "the step size fell to %.3g at t = %.9g with an error of %.3g tolerances; the motion cannot be "
                    "resolved: loosen the tolerance or look at the model there", h, run->t, norm);
}

/* A step that failed may succeed when shorter; programmers' and memory errors may not. */
static bool worth_another(const CrdRun *run, CardanStatus status, double h) {
    if (status < 0 && status != CARDAN_ERR_NUMERIC) return false;
    return run->options.step <= 0.0 && h > smallest_step(run->t);
}

CardanStatus crd_step(CrdRun *run, double t_limit) {
    const double room = t_limit - run->t;
    double natural, h, norm = 0.0;
    CRD_TRY(crd_run_evaluate(run));
    memcpy(crd_rk_slope(&run->rk, 0), run->f, (size_t)run->n * sizeof *run->f);
    CRD_TRY(natural_step(run, room, &natural));
    h = fit(run, natural, room);
    for (;;) {
        double t_new = h == room ? t_limit : run->t + h;
        CardanStatus status = attempt(run, h, &norm);
        bool small_enough = status >= 0 && (run->options.step > 0.0 || crd_controller_accepts(norm));
        if (small_enough) status = settle(run, t_new);
        if (small_enough && status >= 0) {
            double proposal = crd_controller_accepted(&run->controller, run->rk.method, norm, h);
            run->h_next = run->options.step > 0.0 ? 0.0 : h < natural ? fmax(proposal, natural) : proposal;
            accept(run, t_new);
            return CARDAN_OK;
        }
        run->rejected++;
        if (!worth_another(run, status, h)) return give_up(run, status, h, norm);
        h = status < 0 ? crd_controller_failed(&run->controller, h)
                       : crd_controller_rejected(&run->controller, run->rk.method, norm, h);
        natural = h;
        crd_error_clear(run->error);
    }
}
