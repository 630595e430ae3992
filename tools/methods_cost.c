/* What a right-hand side, a factorisation and a solve cost on this model: minima of repeated short runs.
 *
 * Three runs of RK4 that differ in what they do after a step give the three costs: without stabilisation r + f + s a
 * stage, two passes with the kept factor add solves (a solve's cost includes looking at the constraints it is for), two
 * fresh factors add factorisations. What a combination factors may be another matrix (the full form's, a rank-revealing
 * one, a Newton matrix): where its time differs from the prediction, the difference is the cost of its factorisations.
 */
#include "methods.h"

#include <math.h>
#include <stdlib.h>

#include "interrupt.h"

enum { ROUNDS = 150, ROUNDS_EACH = 5, STEPS_MOST = 512, CONFIRMATIONS = 3 };

static const double batch_seconds = 1.5e-4; /* s; long against the clock, short against the scheduler */
static const double most_seconds = 1.0;     /* s; for the three costs together */
static const double most_each = 0.04;       /* s; for one combination */
static const double agreement = 1.2;        /* a prediction within this factor stands */
static const double steps_least = 1000.0;   /* of a run with small steps */
static const double small_part = 0.1;       /* of a coarse step: small ones, which any method takes */

static const double probing_share = 0.1; /* of the budget: for asking the engine what it refuses */

/* A short run that is repeated from one state. */
typedef struct Sample {
    Drive drive;
    double *start;
    int steps;
    double seconds;  /* least time of a batch */
    CardanWork work; /* of each batch */
} Sample;

/* One batch. false: a step failed or the end came near. */
static bool repeat(Sample *s) {
    CardanSim *sim = s->drive.sim;
    if (cardan_sim_set_state(sim, s->start) < 0) return false;
    CardanWork before = cardan_sim_work(sim);
    double began = thread_seconds();
    for (int i = 0; i < s->steps; i++)
        if (!(cardan_sim_time(sim) < s->drive.end) || cardan_sim_step(sim, s->drive.end) < 0) return false;
    double took = thread_seconds() - began;
    CardanWork after = cardan_sim_work(sim);
    s->work = (CardanWork){.rhs = after.rhs - before.rhs,
                           .factorisations = after.factorisations - before.factorisations,
                           .solves = after.solves - before.solves};
    s->seconds = fmin(s->seconds, took);
    return true;
}

static bool sample_open(Sample *s, const Matrix *m, const CardanOptions *options) {
    *s = (Sample){.steps = 4, .seconds = (double)INFINITY};
    if (!drive_open(&s->drive, m->model, options, &m->limits)) return false;
    s->start = calloc((size_t)cardan_sim_state_size(s->drive.sim) + 1, sizeof *s->start);
    bool good = s->start != NULL && cardan_sim_get_state(s->drive.sim, s->start) >= 0 && repeat(s);
    while (good && s->seconds < batch_seconds && s->steps < STEPS_MOST) {
        s->steps *= 2;
        s->seconds = (double)INFINITY;
        good = repeat(s);
    }
    return good;
}

static void sample_close(Sample *s) {
    drive_close(&s->drive);
    free(s->start);
}

/* Seconds of work at these costs. */
static double seconds_of(const Costs *c, const CardanWork *w) {
    return c->rhs * (double)w->rhs + c->factorisation * (double)w->factorisations + c->solve * (double)w->solves;
}

static double small_step(const Matrix *m) {
    return m->base.end / fmax(steps_least, (double)m->reference.coarse_steps / small_part);
}

/* ---- the three costs ---- */

static bool open_rk4(Sample *s, const Matrix *m, CardanStabiliseMethod method, int freeze) {
    CardanOptions o = cardan_default_options();
    o.end = m->base.end;
    o.solver = m->base.solver;
    o.stepper = CARDAN_RK4;
    o.step = small_step(m);
    o.stabilise.method = method;
    o.stabilise.freeze = freeze;
    return sample_open(s, m, &o);
}

/* From least times of the three runs, each in seconds a right-hand side. */
static void split(Costs *c, const Sample *plain, const Sample *kept, const Sample *fresh) {
    double n = (double)kept->work.rhs, n_fresh = (double)fresh->work.rhs;
    double a = plain->seconds / (double)plain->work.rhs, b = kept->seconds / n, f = fresh->seconds / n_fresh;
    double solves = (double)kept->work.solves / n - (double)plain->work.solves / (double)plain->work.rhs;
    double factors = (double)fresh->work.factorisations / n_fresh - (double)kept->work.factorisations / n;
    c->solve = solves > 0.0 ? fmax(b - a, 0.0) / solves : 0.0;
    c->factorisation = factors > 0.0 ? fmax(f - b, 0.0) / factors : 0.0;
    c->rhs = fmax(a - c->factorisation - c->solve, 0.1 * a);
    c->evaluation = c->rhs + c->factorisation + c->solve;
}

/* The three runs take turns, so that what else the machine does meets them alike. */
static bool measure_parts(Matrix *m) {
    Sample s[3] = {0};
    bool good = open_rk4(&s[0], m, CARDAN_STABILISE_NONE, 1) && open_rk4(&s[1], m, CARDAN_STABILISE_POST, 1) &&
                open_rk4(&s[2], m, CARDAN_STABILISE_POST, 0);
    double began = wall_seconds();
    for (int i = 0; i < ROUNDS && good && wall_seconds() - began < most_seconds; i++)
        for (int k = 0; k < 3 && good; k++) good = repeat(&s[k]);
    if (good) split(&m->costs, &s[0], &s[1], &s[2]);
    for (int k = 0; k < 3; k++) sample_close(&s[k]);
    return good && m->costs.evaluation > 0.0;
}

/* ---- what a combination's own matrices cost ---- */

/* Its time against the prediction, in turns with a run whose prediction is right. */
static double measure_scale(const Matrix *m, Sample *s, Sample *usual) {
    double began = thread_seconds();
    s->seconds = usual->seconds = (double)INFINITY;
    for (int i = 0; i < ROUNDS_EACH && (i == 0 || thread_seconds() - began < most_each); i++)
        if (!repeat(s) || !repeat(usual)) return 1.0;
    double other = s->seconds / seconds_of(&m->costs, &s->work);
    return other * seconds_of(&m->costs, &usual->work) / usual->seconds;
}

/* A scale other than 1 counts only when it is found every time; then the one nearest to 1. */
static double confirmed_scale(const Matrix *m, Sample *s, Sample *usual) {
    double nearest = (double)INFINITY;
    for (int i = 0; i < CONFIRMATIONS; i++) {
        double scale = measure_scale(m, s, usual);
        if (scale < agreement && scale > 1.0 / agreement) return 1.0;
        if (fabs(log(scale)) < fabs(log(nearest))) nearest = scale;
    }
    return nearest;
}

static void scale_combination(const Matrix *m, Sample *usual, Combination *c) {
    CardanOptions o = c->options;
    Sample s = {0};
    c->scale = 1.0;
    o.step = c->controlled ? 0.0 : small_step(m);
    bool good = sample_open(&s, m, &o);
    if (s.drive.sim == NULL || s.drive.why[0] != '\0') {
        c->fate = s.drive.refused ? FATE_REFUSED : FATE_FAILED;
        snprintf(c->why, sizeof c->why, "%s", s.drive.why);
    } else if (good) {
        c->scale = confirmed_scale(m, &s, usual);
    }
    sample_close(&s);
}

/* Whether the engine takes it: a simulation is made and thrown away. */
static void probe(const Matrix *m, Combination *c) {
    CardanOptions o = c->options;
    Drive d;
    o.step = c->controlled ? 0.0 : small_step(m);
    if (!drive_open(&d, m->model, &o, &m->limits)) {
        c->fate = d.refused ? FATE_REFUSED : FATE_FAILED;
        snprintf(c->why, sizeof c->why, "%s", d.why);
    }
    drive_close(&d);
}

int costs_scale(const Matrix *m, int count, Combination *const *some) {
    Sample usual = {0};
    bool good = open_rk4(&usual, m, CARDAN_STABILISE_POST, 1);
    for (int i = 0; good && i < count && interrupt_signal() == 0 && wall_seconds() < m->limits.deadline; i++)
        if (some[i]->laboratory)
            lab_scale(m, some[i]);
        else
            scale_combination(m, &usual, some[i]);
    sample_close(&usual);
    if (interrupt_signal() != 0) return STATUS_SIGNAL;
    return good ? STATUS_DONE : STATUS_STOPPED;
}

/* The other regularisers are scaled when it is known which of them run. */
static int scale_first_ones(Matrix *m) {
    Combination **some = calloc((size_t)m->count + 1, sizeof *some);
    if (some == NULL) {
        complain("out of memory");
        return STATUS_FAULT;
    }
    int n = 0;
    double began = wall_seconds();
    for (int i = 0; i < m->count; i++) {
        Combination *c = &m->all[i];
        c->scale = 1.0;
        if (c->fate != FATE_RUNNING) continue;
        if (c->first_regulariser)
            some[n++] = c;
        else if (wall_seconds() - began < probing_share * m->budget)
            probe(m, c);
    }
    int status = costs_scale(m, n, some);
    free(some);
    return status;
}

int costs_measure(Matrix *m) {
    int status = measure_parts(m) ? scale_first_ones(m) : STATUS_STOPPED;
    if (interrupt_signal() != 0) return STATUS_SIGNAL;
    if (status == STATUS_STOPPED)
        complain("methods: the cost of a step could not be measured: RK4 with steps of %.3g s does not get going",
                 small_step(m));
    return status;
}

double costs_of(const Matrix *m, const Combination *c, const CardanWork *work) {
    return c->scale * seconds_of(&m->costs, work) / m->costs.evaluation;
}
