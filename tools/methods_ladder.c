/* Every combination from coarse to fine, in rounds, until it is exact enough or hopeless. */
#include "methods.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "interrupt.h"
#include "progress.h"

static const double hopeless = 20.0;    /* times the least work at the same error: refined no further */
static const double unneeded = 5.0;     /* the same for the other regularisers of a row */
static const double contender = 2.0;    /* times the least work: worth trying with other regularisers */
static const double meaningful = 0.1;   /* errors above are no answers: work is compared with what this one needs */
static const double at_reference = 3.0; /* times the reference's own error: no smaller one is known */
static const double finer_factor = 2.0; /* of the time from one rung to the next */
enum { FIRST_POINTS = 3, STANDSTILL = 4, FAILURES_AFTER = 3, FAILURES_ONLY = 12 };

typedef struct Round {
    Matrix *matrix;
    int *active, count; /* combinations that run */
    int finished, runs; /* of all combinations; so far */
    Progress progress;
} Round;

int combination_points(const Combination *c, WorkPoint points[RUNGS]) {
    int n = 0;
    for (int k = 0; k < c->count; k++)
        if (c->runs[k].done) points[n++] = (WorkPoint){.work = c->runs[k].cost, .error = c->runs[k].error};
    work_sort(points, n);
    return n;
}

/* ---- when to stop ---- */

/* The least work at an error over all combinations; *who gets the one that needs it. */
static double least_work(const Matrix *m, double error, const Combination **who) {
    double least = (double)NAN;
    for (int i = 0; i < m->count; i++) {
        WorkPoint points[RUNGS];
        int n = combination_points(&m->all[i], points);
        double work = work_at_error(points, n, error);
        if (isnan(work) || (!isnan(least) && work >= least)) continue;
        least = work;
        *who = &m->all[i];
    }
    return least;
}

static bool is_exact_enough(const Matrix *m, const Combination *c) {
    const MethodRun *last = &c->runs[c->count - 1];
    double floor = at_reference * m->reference.error, level = fmax(m->level[m->levels - 1], floor);
    if (last->error <= floor) return true;
    return c->count > 1 && last->error <= level && c->runs[c->count - 2].done && c->runs[c->count - 2].error <= level;
}

/* The last runs cost much more than the best before them and are no better. */
static bool stands_still(const Combination *c) {
    double before = (double)INFINITY, after = (double)INFINITY, cost = (double)INFINITY;
    for (int k = 0; k < c->count; k++) {
        const MethodRun *r = &c->runs[k];
        if (!r->done) continue;
        if (k >= c->count - STANDSTILL) after = fmin(after, r->error);
        if (k >= c->count - STANDSTILL || r->error >= before) continue;
        before = r->error;
        cost = r->cost;
    }
    return before < meaningful && after > 0.5 * before && c->runs[c->count - 1].cost > 2.0 * cost;
}

static int failures_in_a_row(const Combination *c) {
    int n = 0;
    while (n < c->count && !c->runs[c->count - 1 - n].done) n++;
    return n;
}

/* A finished run: is a finer one worth while? Else why says not. */
static void look_at_success(const Matrix *m, Combination *c) {
    const MethodRun *last = &c->runs[c->count - 1];
    const Combination *who = NULL;
    int good = 0;
    for (int k = 0; k < c->count; k++) good += c->runs[k].done;
    double least = good >= FIRST_POINTS && !m->full ? least_work(m, fmin(last->error, meaningful), &who) : (double)NAN;
    double limit = c->first_regulariser ? hopeless : unneeded;
    c->fate = FATE_STOPPED;
    if (is_exact_enough(m, c))
        c->fate = FATE_COMPLETE;
    else if (stands_still(c))
        snprintf(c->why, sizeof c->why, "the error no longer falls");
    else if (last->cost > limit * least)
        snprintf(c->why, sizeof c->why, "more than %.0f times the work of the best at this error or a smaller one",
                 limit);
    else if (finer_factor * last->seconds > m->limits.seconds)
        snprintf(c->why, sizeof c->why, "a finer run would take more than %.2g s", m->limits.seconds);
    else
        c->fate = FATE_RUNNING;
}

static void look_at_failure(const Matrix *m, Combination *c) {
    int failed = failures_in_a_row(c);
    const MethodRun *last = &c->runs[c->count - 1];
    if (last->refused) {
        c->fate = FATE_REFUSED;
        snprintf(c->why, sizeof c->why, "%s", last->why);
        return;
    }
    bool slow = finer_factor * last->seconds > m->limits.seconds, working = false;
    for (int k = 0; k < c->count; k++) working = working || (c->runs[k].done && c->runs[k].error < meaningful);
    if (failed < (working ? FAILURES_AFTER : FAILURES_ONLY) && !slow) return;
    c->fate = failed == c->count ? FATE_FAILED : FATE_STOPPED;
    snprintf(c->why, sizeof c->why, "%s", last->why != NULL ? last->why : "out of memory");
}

/* The budget is used up: a run that it cut off is no run. */
static void end_late(const Matrix *m, Combination *c) {
    MethodRun *last = &c->runs[c->count - 1];
    if (!last->done) {
        free(last->why);
        *last = (MethodRun){0};
        c->count--;
    }
    c->fate = failures_in_a_row(c) < c->count ? FATE_STOPPED : FATE_LEFT_OUT;
    snprintf(c->why, sizeof c->why, "the time budget of %.3g s was used up", m->budget);
}

static void look_at(const Matrix *m, Combination *c) {
    bool late = wall_seconds() > m->limits.deadline;
    if (late && !c->runs[c->count - 1].done) {
        end_late(m, c);
        return;
    }
    if (c->runs[c->count - 1].done)
        look_at_success(m, c);
    else
        look_at_failure(m, c);
    if (c->fate != FATE_RUNNING) return;
    if (late) end_late(m, c);
    if (!late && c->count == RUNGS) {
        c->fate = failures_in_a_row(c) == c->count ? FATE_FAILED : FATE_STOPPED;
        snprintf(c->why, sizeof c->why, "there is no finer run");
    }
}

/* ---- rounds ---- */

static void task(void *user, int i) {
    Round *round = user;
    Matrix *m = round->matrix;
    Combination *c = &m->all[round->active[i]];
    CardanOptions o = matrix_options(m, c, c->count);
    MethodRun *run = &c->runs[c->count];
    if (wall_seconds() > m->limits.deadline)
        *run = (MethodRun){.step = o.step, .rtol = o.rtol}; /* a failure that end_late takes back */
    else if (c->laboratory)
        lab_run(m, c, c->count, run);
    else
        method_run(m->model, &o, &m->reference, &m->limits, run);
    c->count++;
    run->cost = costs_of(m, c, &run->work);
}

static void tick(void *user, int done) {
    Round *round = user;
    const Matrix *m = round->matrix;
    char text[160];
    double part = (round->finished + 0.3 * done / fmax(1.0, round->count)) / m->count;
    snprintf(text, sizeof text, "%d of %d combinations finished, %d runs", round->finished, m->count,
             round->runs + done);
    progress_say(&round->progress, text, part);
}

/* First the methods with error control, whose work tells when those with fixed steps are hopeless; the other
 * regularisers of a row and the laboratory last. */
typedef enum Pass { PASS_CONTROLLED = 0, PASS_FIXED, PASS_REGULARISERS, PASS_LABORATORY } Pass;

static Pass pass_of(const Combination *c) {
    if (c->laboratory) return PASS_LABORATORY;
    if (!c->first_regulariser) return PASS_REGULARISERS;
    return c->controlled ? PASS_CONTROLLED : PASS_FIXED;
}

static void choose_active(Round *round, Pass pass) {
    const Matrix *m = round->matrix;
    round->count = round->finished = 0;
    for (int i = 0; i < m->count; i++) {
        bool running = m->all[i].fate == FATE_RUNNING;
        if (running && pass_of(&m->all[i]) == pass) round->active[round->count++] = i;
        round->finished += !running;
    }
}

static int run_pass(Round *round, Pass pass) {
    Matrix *m = round->matrix;
    int status = STATUS_DONE;
    for (choose_active(round, pass); round->count > 0 && status == STATUS_DONE; choose_active(round, pass)) {
        status = pool_run(m->jobs, round->count, task, round, tick);
        round->runs += round->count;
        if (status == STATUS_DONE && interrupt_signal() != 0) status = STATUS_SIGNAL;
        for (int i = 0; status == STATUS_DONE && i < round->count; i++) look_at(m, &m->all[round->active[i]]);
    }
    return status;
}

/* What a combination is expected to need, in times of the best, from what its row needs with the first regulariser:
 * others change what an evaluation costs, hardly the error. At the error where it does best. */
static double expected_ratio(const Matrix *m, const Combination *leader) {
    double nearest = (double)INFINITY;
    for (int l = 0; l < m->levels; l++) {
        double least = m->best[l] >= 0 ? m->all[m->best[l]].at[l] : m->least[l];
        if (!isnan(leader->at[l])) nearest = fmin(nearest, leader->at[l] / least);
    }
    return nearest / leader->scale;
}

static bool is_recommended(const Matrix *m, const Combination *c) {
    for (int l = 0; l < m->levels; l++)
        if (m->best[l] >= 0 && &m->all[m->best[l]] == c) return true;
    return false;
}

/* Other regularisers are tried with the recommended rows, and wherever they may come near the best: before their own
 * scale is known (sift false) and after. */
static int leave_out(Matrix *m, bool sift, Combination **left) {
    const Combination *leader = NULL;
    int n = 0;
    for (int i = 0; i < m->count; i++) {
        Combination *c = &m->all[i];
        if (c->first_regulariser) leader = c;
        if (c->fate != FATE_RUNNING || c->first_regulariser || leader->row != c->row) continue;
        bool known = leader->fate == FATE_COMPLETE || leader->fate == FATE_STOPPED;
        double expected = expected_ratio(m, leader) * (sift ? c->scale : fmin(1.0, leader->scale));
        if (m->full || !known || is_recommended(m, leader) || expected <= contender) {
            left[n++] = c;
            continue;
        }
        c->fate = FATE_LEFT_OUT;
        snprintf(c->why, sizeof c->why,
                 "expected to need more than %.0f times the work of the best, by %s and the cost of its steps",
                 contender, leader->regulariser);
    }
    return n;
}

/* Which regularisers besides the first run. */
static int choose_regularisers(Matrix *m) {
    Combination **left = calloc((size_t)m->count + 1, sizeof *left);
    if (left == NULL) return STATUS_FAULT;
    int n = leave_out(m, false, left), status = n > 0 ? costs_scale(m, n, left) : STATUS_DONE;
    if (status == STATUS_DONE) leave_out(m, true, left);
    free(left);
    return status;
}

int ladder_run(Matrix *m) {
    Round round = {.matrix = m, .active = calloc((size_t)m->count + 1, sizeof *round.active)};
    int status = round.active != NULL ? STATUS_DONE : STATUS_FAULT;
    progress_start(&round.progress);
    if (status == STATUS_DONE) status = run_pass(&round, PASS_CONTROLLED);
    if (status == STATUS_DONE) status = run_pass(&round, PASS_FIXED);
    if (status == STATUS_DONE) status = matrix_judge(m);
    if (status == STATUS_DONE) status = choose_regularisers(m);
    if (status == STATUS_DONE) status = run_pass(&round, PASS_REGULARISERS);
    if (status == STATUS_DONE) status = run_pass(&round, PASS_LABORATORY);
    progress_erase(&round.progress);
    if (status == STATUS_DONE) status = matrix_judge(m);
    if (status == STATUS_FAULT) complain("out of memory");
    free(round.active);
    return status;
}
