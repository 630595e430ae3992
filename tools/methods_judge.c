/* Which combination is recommended. */
#include "methods.h"

#include <math.h>
#include <stdlib.h>

static const double closed = 0.1;       /* of the error: drift of a method that keeps the constraints */
static const double negligible = 1e-2;  /* of the run's own error: drift that may grow */
static const double growing = 2.0;      /* drift against that of the first part of the run */
static const double at_reference = 3.0; /* times the reference's error: smaller ones are not known */

bool level_is_known(const Matrix *m, int level) {
    return m->level[level] >= at_reference * m->reference.error;
}

bool run_keeps(const MethodRun *run, double level) {
    if (!(run->drift_share <= closed * level)) return false;
    return run->growth <= growing || run->drift_share <= negligible * run->error;
}

/* The run of a combination that costs so much. */
static int run_of(const Combination *c, double cost) {
    for (int k = 0; k < c->count; k++)
        if (c->runs[k].done && c->runs[k].cost == cost) return k;
    return -1;
}

static void judge(const Matrix *m, Combination *c) {
    WorkPoint points[RUNGS];
    int n = combination_points(c, points);
    for (int l = 0; l < m->levels; l++) {
        int looser = -1, tighter = 0;
        bool reached = level_is_known(m, l) && work_bracket(points, n, m->level[l], &looser, &tighter);
        c->at[l] = reached ? work_at_error(points, n, m->level[l]) : (double)NAN;
        c->reaching[l] = reached ? run_of(c, points[tighter].work) : -1;
        c->looser[l] = reached && looser >= 0 ? run_of(c, points[looser].work) : -1;
        c->keeps[l] = c->reaching[l] >= 0 && run_keeps(&c->runs[c->reaching[l]], m->level[l]);
    }
}

int matrix_judge(Matrix *m) {
    static const bool never[LEVELS_MOST] = {false};
    Contender *all = calloc((size_t)m->count + 1, sizeof *all);
    if (all == NULL) return STATUS_FAULT;
    for (int i = 0; i < m->count; i++) {
        Combination *c = &m->all[i];
        judge(m, c);
        all[i] = (Contender){.work = c->at, .keeps = c->keeps, .departures = c->departures};
        if (c->laboratory) all[i].keeps = never; /* for comparing: `cardan run` has none of these */
    }
    for (int l = 0; l < m->levels; l++) {
        m->best[l] = work_recommend(all, m->count, l);
        m->least[l] = work_least(all, m->count, l, false);
    }
    m->overall = work_recommend_overall(all, m->count, m->levels, &m->overall_worst);
    free(all);
    return STATUS_DONE;
}

double setting_at(const Combination *c, int level, const Matrix *m) {
    const MethodRun *tight = &c->runs[c->reaching[level]];
    double x = c->controlled ? tight->rtol : tight->step;
    if (c->looser[level] < 0) return x;
    const MethodRun *loose = &c->runs[c->looser[level]];
    double y = c->controlled ? loose->rtol : loose->step;
    double between = work_interpolate((WorkPoint){loose->cost, loose->error}, (WorkPoint){tight->cost, tight->error},
                                      m->level[level], y, x);
    return fmin(fmax(between, fmin(x, y)), fmax(x, y));
}
