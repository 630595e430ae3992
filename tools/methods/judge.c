/* Which combination is recommended. */
#include "methods.h"

#include <math.h>
#include <stdlib.h>

static const double closed = 0.1;       /* of the error: drift of a method that keeps the constraints */
static const double negligible = 1e-2;  /* of the run's own error: drift that may grow */
static const double growing = 2.0;      /* drift against that of the first part of the run */
static const double at_reference = 3.0; /* times the reference's error: smaller ones are not known */

bool level_is_known(const Matrix *matrix, int level) {
    return matrix->level[level] >= at_reference * matrix->reference.error;
}

bool run_keeps(const MethodRun *run, double level) {
    if (!(run->drift_share <= closed * level)) return false;
    return run->growth <= growing || run->drift_share <= negligible * run->error;
}

/* The run of a combination that costs so much. */
static int run_of(const Combination *combination, double cost) {
    for (int k = 0; k < combination->count; k++)
        if (combination->runs[k].done && combination->runs[k].cost == cost) return k;
    return -1;
}

static void judge(const Matrix *matrix, Combination *combination) {
    WorkPoint points[RUNGS];
    int n = combination_points(combination, points);
    for (int l = 0; l < matrix->levels; l++) {
        int looser = -1, tighter = 0;
        bool reached = level_is_known(matrix, l) && work_bracket(points, n, matrix->level[l], &looser, &tighter);
        combination->at[l] = reached ? work_at_error(points, n, matrix->level[l]) : (double)NAN;
        combination->reaching[l] = reached ? run_of(combination, points[tighter].work) : -1;
        combination->looser[l] = reached && looser >= 0 ? run_of(combination, points[looser].work) : -1;
        combination->keeps[l] =
            combination->reaching[l] >= 0 && run_keeps(&combination->runs[combination->reaching[l]], matrix->level[l]);
    }
}

int matrix_judge(Matrix *matrix) {
    static const bool never[LEVELS_MOST] = {false};
    Contender *all = calloc((size_t)matrix->count + 1, sizeof *all);
    if (all == NULL) return STATUS_FAULT;
    for (int i = 0; i < matrix->count; i++) {
        Combination *combination = &matrix->all[i];
        judge(matrix, combination);
        all[i] =
            (Contender){.work = combination->at, .keeps = combination->keeps, .departures = combination->departures};
        if (combination->laboratory) all[i].keeps = never; /* for comparing: `cardan run` has none of these */
    }
    for (int l = 0; l < matrix->levels; l++) {
        matrix->best[l] = work_recommend(all, matrix->count, l);
        matrix->least[l] = work_least(all, matrix->count, l, false);
    }
    matrix->overall = work_recommend_overall(all, matrix->count, matrix->levels, &matrix->overall_worst);
    free(all);
    return STATUS_DONE;
}

double setting_at(const Combination *combination, int level, const Matrix *matrix) {
    const MethodRun *tight = &combination->runs[combination->reaching[level]];
    double x = combination->controlled ? tight->rtol : tight->step;
    if (combination->looser[level] < 0) return x;
    const MethodRun *loose = &combination->runs[combination->looser[level]];
    double y = combination->controlled ? loose->rtol : loose->step;
    double between = work_interpolate((WorkPoint){loose->cost, loose->error}, (WorkPoint){tight->cost, tight->error},
                                      matrix->level[level], y, x);
    return fmin(fmax(between, fmin(x, y)), fmax(x, y));
}
