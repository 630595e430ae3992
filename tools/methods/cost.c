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
static const double least_share = 0.01;  /* of a stage: what a solve or a factor costs at least, where noise hides it */

/* A short run that is repeated from one state. */
typedef struct Sample {
    Drive drive;
    double *start;
    int steps;
    double seconds;  /* least time of a batch */
    CardanWork work; /* of each batch */
} Sample;

/* One batch. false: a step failed or the end came near. */
static bool repeat(Sample *sample) {
    CardanSim *sim = sample->drive.sim;
    CardanWork before, after;
    if (cardan_sim_set_state(sim, sample->start) < 0 || cardan_sim_work(sim, &before) < 0) return false;
    double began = thread_seconds();
    for (int i = 0; i < sample->steps; i++)
        if (!(cardan_sim_time(sim) < sample->drive.end) || cardan_sim_step(sim, sample->drive.end) < 0) return false;
    double took = thread_seconds() - began;
    if (cardan_sim_work(sim, &after) < 0) return false;
    sample->work = (CardanWork){.rhs = after.rhs - before.rhs,
                                .factorisations = after.factorisations - before.factorisations,
                                .solves = after.solves - before.solves};
    sample->seconds = fmin(sample->seconds, took);
    return true;
}

static bool sample_open(Sample *sample, const Matrix *matrix, const CardanOptions *options) {
    *sample = (Sample){.steps = 4, .seconds = (double)INFINITY};
    if (!drive_open(&sample->drive, matrix->model, options, &matrix->limits)) return false;
    sample->start = calloc((size_t)cardan_sim_state_size(sample->drive.sim) + 1, sizeof *sample->start);
    bool good = sample->start != NULL && cardan_sim_get_state(sample->drive.sim, sample->start) >= 0 && repeat(sample);
    while (good && sample->seconds < batch_seconds && sample->steps < STEPS_MOST) {
        sample->steps *= 2;
        sample->seconds = (double)INFINITY;
        good = repeat(sample);
    }
    return good;
}

static void sample_close(Sample *sample) {
    drive_close(&sample->drive);
    free(sample->start);
}

/* Seconds of work at these costs. */
static double seconds_of(const Costs *costs, const CardanWork *work) {
    return costs->rhs * (double)work->rhs + costs->factorisation * (double)work->factorisations +
           costs->solve * (double)work->solves;
}

static double small_step(const Matrix *matrix) {
    return matrix->base.end / fmax(steps_least, (double)matrix->reference.coarse_steps / small_part);
}

/* ---- the three costs ---- */

static bool open_rk4(Sample *sample, const Matrix *matrix, CardanStabiliseMethod method, int freeze) {
    CardanOptions o = cardan_default_options();
    o.end = matrix->base.end;
    o.solver = matrix->base.solver;
    o.coordinates = matrix->base.coordinates;
    o.stepper = CARDAN_STEPPER_RK4;
    o.step = small_step(matrix);
    o.stabilise.method = method;
    o.stabilise.freeze = freeze;
    return sample_open(sample, matrix, &o);
}

/* From least times of the three runs, each in seconds a right-hand side. Differences of times may be lost in what else
 * the machine does; nothing that is done is free. */
static void split(Costs *costs, const Sample *plain, const Sample *kept, const Sample *fresh) {
    double n = (double)kept->work.rhs, n_fresh = (double)fresh->work.rhs;
    double a = plain->seconds / (double)plain->work.rhs, b = kept->seconds / n, f = fresh->seconds / n_fresh;
    double solves = (double)kept->work.solves / n - (double)plain->work.solves / (double)plain->work.rhs;
    double factors = (double)fresh->work.factorisations / n_fresh - (double)kept->work.factorisations / n;
    costs->solve = solves > 0.0 ? fmax(b - a, least_share * a) / solves : 0.0;
    costs->factorisation = factors > 0.0 ? fmax(f - b, least_share * a) / factors : 0.0;
    costs->rhs = fmax(a - costs->factorisation - costs->solve, 0.1 * a);
    costs->evaluation = costs->rhs + costs->factorisation + costs->solve;
}

/* The three runs take turns, so that what else the machine does meets them alike. */
static bool measure_parts(Matrix *matrix) {
    Sample s[3] = {0};
    bool good = open_rk4(&s[0], matrix, CARDAN_STABILISE_NONE, 1) &&
                open_rk4(&s[1], matrix, CARDAN_STABILISE_POST, 1) && open_rk4(&s[2], matrix, CARDAN_STABILISE_POST, 0);
    double began = wall_seconds();
    for (int i = 0; i < ROUNDS && good && wall_seconds() - began < most_seconds; i++)
        for (int k = 0; k < 3 && good; k++) good = repeat(&s[k]);
    if (good) split(&matrix->costs, &s[0], &s[1], &s[2]);
    for (int k = 0; k < 3; k++) sample_close(&s[k]);
    return good && matrix->costs.evaluation > 0.0;
}

/* ---- what a combination's own matrices cost ---- */

/* Its time against the prediction, in turns with a run whose prediction is right. */
static double measure_scale(const Matrix *matrix, Sample *sample, Sample *usual) {
    double began = thread_seconds();
    sample->seconds = usual->seconds = (double)INFINITY;
    for (int i = 0; i < ROUNDS_EACH && (i == 0 || thread_seconds() - began < most_each); i++)
        if (!repeat(sample) || !repeat(usual)) return 1.0;
    double other = sample->seconds / seconds_of(&matrix->costs, &sample->work);
    return other * seconds_of(&matrix->costs, &usual->work) / usual->seconds;
}

/* A scale other than 1 counts only when it is found every time; then the one nearest to 1. */
static double confirmed_scale(const Matrix *matrix, Sample *sample, Sample *usual) {
    double nearest = (double)INFINITY;
    for (int i = 0; i < CONFIRMATIONS; i++) {
        double scale = measure_scale(matrix, sample, usual);
        if (scale < agreement && scale > 1.0 / agreement) return 1.0;
        if (fabs(log(scale)) < fabs(log(nearest))) nearest = scale;
    }
    return nearest;
}

static void scale_combination(const Matrix *matrix, Sample *usual, Combination *combination) {
    CardanOptions o = combination->options;
    Sample s = {0};
    combination->scale = 1.0;
    o.step = combination->controlled ? 0.0 : small_step(matrix);
    bool good = sample_open(&s, matrix, &o);
    if (s.drive.sim == NULL || s.drive.why[0] != '\0') {
        combination->fate = s.drive.refused ? FATE_REFUSED : FATE_FAILED;
        snprintf(combination->why, sizeof combination->why, "%s", s.drive.why);
    } else if (good) {
        combination->scale = confirmed_scale(matrix, &s, usual);
    }
    sample_close(&s);
}

/* Whether the engine takes it: a simulation is made and thrown away. */
static void probe(const Matrix *matrix, Combination *combination) {
    CardanOptions o = combination->options;
    Drive d;
    o.step = combination->controlled ? 0.0 : small_step(matrix);
    if (!drive_open(&d, matrix->model, &o, &matrix->limits)) {
        combination->fate = d.refused ? FATE_REFUSED : FATE_FAILED;
        snprintf(combination->why, sizeof combination->why, "%s", d.why);
    }
    drive_close(&d);
}

int costs_scale(const Matrix *matrix, int count, Combination *const *some) {
    Sample usual = {0};
    bool good = open_rk4(&usual, matrix, CARDAN_STABILISE_POST, 1);
    for (int i = 0; good && i < count && interrupt_signal() == 0 && wall_seconds() < matrix->limits.deadline; i++)
        if (some[i]->laboratory)
            lab_scale(matrix, some[i]);
        else
            scale_combination(matrix, &usual, some[i]);
    sample_close(&usual);
    if (interrupt_signal() != 0) return STATUS_SIGNAL;
    return good ? STATUS_DONE : STATUS_STOPPED;
}

/* The other regularisers are scaled when it is known which of them run. */
static int scale_first_ones(Matrix *matrix) {
    Combination **some = calloc((size_t)matrix->count + 1, sizeof *some);
    if (some == NULL) {
        complain("out of memory");
        return STATUS_FAULT;
    }
    int n = 0;
    double began = wall_seconds();
    for (int i = 0; i < matrix->count; i++) {
        Combination *combination = &matrix->all[i];
        combination->scale = 1.0;
        if (combination->fate != FATE_RUNNING) continue;
        if (combination->first_regulariser)
            some[n++] = combination;
        else if (wall_seconds() - began < probing_share * matrix->budget)
            probe(matrix, combination);
    }
    int status = costs_scale(matrix, n, some);
    free(some);
    return status;
}

int costs_measure(Matrix *matrix) {
    int status = measure_parts(matrix) ? scale_first_ones(matrix) : STATUS_STOPPED;
    if (interrupt_signal() != 0) return STATUS_SIGNAL;
    if (status == STATUS_STOPPED)
        complain("methods: the cost of a step could not be measured: RK4 with steps of %.3g s does not get going",
                 small_step(matrix));
    return status;
}

double costs_of(const Matrix *matrix, const Combination *combination, const CardanWork *work) {
    return combination->scale * seconds_of(&matrix->costs, work) / matrix->costs.evaluation;
}
