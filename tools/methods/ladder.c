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

int combination_points(const Combination *combination, WorkPoint points[RUNGS]) {
    int n = 0;
    for (int k = 0; k < combination->count; k++)
        if (combination->runs[k].done)
            points[n++] = (WorkPoint){.work = combination->runs[k].cost, .error = combination->runs[k].error};
    work_sort(points, n);
    return n;
}

/* ---- when to stop ---- */

/* The least work at an error over all combinations; *who gets the one that needs it. */
static double least_work(const Matrix *matrix, double error, const Combination **who) {
    double least = (double)NAN;
    for (int i = 0; i < matrix->count; i++) {
        WorkPoint points[RUNGS];
        int n = combination_points(&matrix->all[i], points);
        double work = work_at_error(points, n, error);
        if (isnan(work) || (!isnan(least) && work >= least)) continue;
        least = work;
        *who = &matrix->all[i];
    }
    return least;
}

static bool is_exact_enough(const Matrix *matrix, const Combination *combination) {
    const MethodRun *last = &combination->runs[combination->count - 1];
    double floor = at_reference * matrix->reference.error, level = fmax(matrix->level[matrix->levels - 1], floor);
    if (last->error <= floor) return true;
    return combination->count > 1 && last->error <= level && combination->runs[combination->count - 2].done &&
           combination->runs[combination->count - 2].error <= level;
}

/* The last runs cost much more than the best before them and are no better. */
static bool stands_still(const Combination *combination) {
    double before = (double)INFINITY, after = (double)INFINITY, cost = (double)INFINITY;
    for (int k = 0; k < combination->count; k++) {
        const MethodRun *method_run = &combination->runs[k];
        if (!method_run->done) continue;
        if (k >= combination->count - STANDSTILL) after = fmin(after, method_run->error);
        if (k >= combination->count - STANDSTILL || method_run->error >= before) continue;
        before = method_run->error;
        cost = method_run->cost;
    }
    return before < meaningful && after > 0.5 * before && combination->runs[combination->count - 1].cost > 2.0 * cost;
}

static int failures_in_a_row(const Combination *combination) {
    int n = 0;
    while (n < combination->count && !combination->runs[combination->count - 1 - n].done) n++;
    return n;
}

/* A finished run: is a finer one worth while? Else why says not. */
static void look_at_success(const Matrix *matrix, Combination *combination) {
    const MethodRun *last = &combination->runs[combination->count - 1];
    const Combination *who = NULL;
    int good = 0;
    for (int k = 0; k < combination->count; k++) good += combination->runs[k].done;
    double least =
        good >= FIRST_POINTS && !matrix->full ? least_work(matrix, fmin(last->error, meaningful), &who) : (double)NAN;
    double limit = combination->first_regulariser ? hopeless : unneeded;
    combination->fate = FATE_STOPPED;
    if (is_exact_enough(matrix, combination))
        combination->fate = FATE_COMPLETE;
    else if (stands_still(combination))
        snprintf(combination->why, sizeof combination->why, "the error no longer falls");
    else if (last->cost > limit * least)
        snprintf(combination->why, sizeof combination->why,
                 "more than %.0f times the work of the best at this error or a smaller one", limit);
    else if (finer_factor * last->seconds > matrix->limits.seconds)
        snprintf(combination->why, sizeof combination->why, "a finer run would take more than %.2g s",
                 matrix->limits.seconds);
    else
        combination->fate = FATE_RUNNING;
}

static void look_at_failure(const Matrix *matrix, Combination *combination) {
    int failed = failures_in_a_row(combination);
    const MethodRun *last = &combination->runs[combination->count - 1];
    if (last->refused) {
        combination->fate = FATE_REFUSED;
        snprintf(combination->why, sizeof combination->why, "%s", last->why);
        return;
    }
    bool slow = finer_factor * last->seconds > matrix->limits.seconds, working = false;
    for (int k = 0; k < combination->count; k++)
        working = working || (combination->runs[k].done && combination->runs[k].error < meaningful);
    if (failed < (working ? FAILURES_AFTER : FAILURES_ONLY) && !slow) return;
    combination->fate = failed == combination->count ? FATE_FAILED : FATE_STOPPED;
    snprintf(combination->why, sizeof combination->why, "%s", last->why != NULL ? last->why : "out of memory");
}

/* The budget is used up: a run that it cut off is no run. */
static void end_late(const Matrix *matrix, Combination *combination) {
    MethodRun *last = &combination->runs[combination->count - 1];
    if (!last->done) {
        free(last->why);
        *last = (MethodRun){0};
        combination->count--;
    }
    combination->fate = failures_in_a_row(combination) < combination->count ? FATE_STOPPED : FATE_LEFT_OUT;
    snprintf(combination->why, sizeof combination->why, "the time budget of %.3g s was used up", matrix->budget);
}

static void look_at(const Matrix *matrix, Combination *combination) {
    bool late = wall_seconds() > matrix->limits.deadline;
    if (late && !combination->runs[combination->count - 1].done) {
        end_late(matrix, combination);
        return;
    }
    if (combination->runs[combination->count - 1].done)
        look_at_success(matrix, combination);
    else
        look_at_failure(matrix, combination);
    if (combination->fate != FATE_RUNNING) return;
    if (late) end_late(matrix, combination);
    if (!late && combination->count == RUNGS) {
        combination->fate = failures_in_a_row(combination) == combination->count ? FATE_FAILED : FATE_STOPPED;
        snprintf(combination->why, sizeof combination->why, "there is no finer run");
    }
}

/* ---- rounds ---- */

static void task(void *user, int i) {
    Round *round = user;
    Matrix *matrix = round->matrix;
    Combination *combination = &matrix->all[round->active[i]];
    CardanOptions o = matrix_options(matrix, combination, combination->count);
    MethodRun *run = &combination->runs[combination->count];
    if (wall_seconds() > matrix->limits.deadline)
        *run = (MethodRun){.step = o.step, .rtol = o.rtol}; /* a failure that end_late takes back */
    else if (combination->laboratory)
        lab_run(matrix, combination, combination->count, run);
    else
        method_run(matrix->model, &o, &matrix->reference, &matrix->limits, run);
    combination->count++;
    run->cost = costs_of(matrix, combination, &run->work);
}

static void tick(void *user, int done) {
    Round *round = user;
    const Matrix *matrix = round->matrix;
    char text[160];
    double part = (round->finished + 0.3 * done / fmax(1.0, round->count)) / matrix->count;
    snprintf(text, sizeof text, "%d of %d combinations finished, %d runs", round->finished, matrix->count,
             round->runs + done);
    progress_say(&round->progress, text, part);
}

/* First the methods with error control, whose work tells when those with fixed steps are hopeless, and of them the
 * explicit ones, whose runs are short; the other regularisers of a row and the laboratory last. */
typedef enum Pass { PASS_EXPLICIT = 0, PASS_IMPLICIT, PASS_FIXED, PASS_REGULARISERS, PASS_LABORATORY } Pass;

static Pass pass_of(const Combination *combination) {
    if (combination->laboratory) return PASS_LABORATORY;
    if (!combination->first_regulariser) return PASS_REGULARISERS;
    if (!combination->controlled) return PASS_FIXED;
    return combination->implicit ? PASS_IMPLICIT : PASS_EXPLICIT;
}

static void choose_active(Round *round, Pass pass) {
    const Matrix *matrix = round->matrix;
    round->count = round->finished = 0;
    for (int i = 0; i < matrix->count; i++) {
        bool running = matrix->all[i].fate == FATE_RUNNING;
        if (running && pass_of(&matrix->all[i]) == pass) round->active[round->count++] = i;
        round->finished += !running;
    }
}

static int run_pass(Round *round, Pass pass) {
    Matrix *matrix = round->matrix;
    int status = STATUS_DONE;
    for (choose_active(round, pass); round->count > 0 && status == STATUS_DONE; choose_active(round, pass)) {
        status = pool_run(matrix->jobs, round->count, task, round, tick);
        round->runs += round->count;
        if (status == STATUS_DONE && interrupt_signal() != 0) status = STATUS_SIGNAL;
        for (int i = 0; status == STATUS_DONE && i < round->count; i++) look_at(matrix, &matrix->all[round->active[i]]);
    }
    return status;
}

/* What a combination is expected to need, in times of the best, from what its row needs with the first regulariser:
 * others change what an evaluation costs, hardly the error. At the error where it does best. */
static double expected_ratio(const Matrix *matrix, const Combination *leader) {
    double nearest = (double)INFINITY;
    for (int l = 0; l < matrix->levels; l++) {
        double least = matrix->best[l] >= 0 ? matrix->all[matrix->best[l]].at[l] : matrix->least[l];
        if (!isnan(leader->at[l])) nearest = fmin(nearest, leader->at[l] / least);
    }
    return nearest / leader->scale;
}

static bool is_recommended(const Matrix *matrix, const Combination *combination) {
    for (int l = 0; l < matrix->levels; l++)
        if (matrix->best[l] >= 0 && &matrix->all[matrix->best[l]] == combination) return true;
    return false;
}

/* Other regularisers are tried with the recommended rows, and wherever they may come near the best: before their own
 * scale is known (sift false) and after. */
static int leave_out(Matrix *matrix, bool sift, Combination **left) {
    const Combination *leader = NULL;
    int n = 0;
    for (int i = 0; i < matrix->count; i++) {
        Combination *combination = &matrix->all[i];
        if (combination->first_regulariser) leader = combination;
        if (combination->fate != FATE_RUNNING || combination->first_regulariser || leader->row != combination->row)
            continue;
        bool known = leader->fate == FATE_COMPLETE || leader->fate == FATE_STOPPED;
        double expected = expected_ratio(matrix, leader) * (sift ? combination->scale : fmin(1.0, leader->scale));
        if (matrix->full || !known || is_recommended(matrix, leader) || expected <= contender) {
            left[n++] = combination;
            continue;
        }
        combination->fate = FATE_LEFT_OUT;
        snprintf(combination->why, sizeof combination->why,
                 "expected to need more than %.0f times the work of the best, by %s and the cost of its steps",
                 contender, leader->regulariser);
    }
    return n;
}

/* Which regularisers besides the first run. */
static int choose_regularisers(Matrix *matrix) {
    Combination **left = calloc((size_t)matrix->count + 1, sizeof *left);
    if (left == NULL) return STATUS_FAULT;
    int n = leave_out(matrix, false, left), status = n > 0 ? costs_scale(matrix, n, left) : STATUS_DONE;
    if (status == STATUS_DONE) leave_out(matrix, true, left);
    free(left);
    return status;
}

int ladder_run(Matrix *matrix) {
    Round round = {.matrix = matrix, .active = calloc((size_t)matrix->count + 1, sizeof *round.active)};
    int status = round.active != NULL ? STATUS_DONE : STATUS_FAULT;
    progress_start(&round.progress);
    for (Pass pass = PASS_EXPLICIT; pass <= PASS_FIXED && status == STATUS_DONE; pass++)
        status = run_pass(&round, pass);
    if (status == STATUS_DONE) status = matrix_judge(matrix);
    if (status == STATUS_DONE) status = choose_regularisers(matrix);
    if (status == STATUS_DONE) status = run_pass(&round, PASS_REGULARISERS);
    if (status == STATUS_DONE) status = run_pass(&round, PASS_LABORATORY);
    progress_erase(&round.progress);
    if (status == STATUS_DONE) status = matrix_judge(matrix);
    if (status == STATUS_FAULT) complain("out of memory");
    free(round.active);
    return status;
}
