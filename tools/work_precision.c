/* What work buys. */
#include "work_precision.h"

#include <math.h>
#include <stdlib.h>

static int by_work(const void *a, const void *b) {
    const WorkPoint *work_point = a, *q = b;
    return (work_point->work > q->work) - (work_point->work < q->work);
}

void work_sort(WorkPoint *points, int count) {
    if (count > 1) qsort(points, (size_t)count, sizeof *points, by_work);
}

bool work_bracket(const WorkPoint *points, int count, double level, int *looser, int *tighter) {
    int first = count;
    while (first > 0 && points[first - 1].error <= level) first--;
    *tighter = first;
    *looser = first - 1;
    return first < count;
}

double work_interpolate(WorkPoint looser, WorkPoint tighter, double level, double x_looser, double x_tighter) {
    if (!(tighter.error > 0.0) || !(looser.error > tighter.error)) return x_tighter;
    double part = log(looser.error / level) / log(looser.error / tighter.error);
    return x_looser * pow(x_tighter / x_looser, part);
}

double work_at_error(const WorkPoint *points, int count, double level) {
    int looser, tighter;
    if (!work_bracket(points, count, level, &looser, &tighter)) return (double)NAN;
    if (looser < 0) return points[tighter].work;
    return work_interpolate(points[looser], points[tighter], level, points[looser].work, points[tighter].work);
}

double work_least(const Contender *all, int count, int level, bool only_keeping) {
    double least = (double)NAN;
    for (int i = 0; i < count; i++) {
        if (isnan(all[i].work[level]) || (only_keeping && !all[i].keeps[level])) continue;
        if (isnan(least) || all[i].work[level] < least) least = all[i].work[level];
    }
    return least;
}

/* Is a the better choice than b, both being within the tie? */
static bool nearer(const Contender *contender, double work_a, const Contender *b, double work_b) {
    if (contender->departures != b->departures) return contender->departures < b->departures;
    return work_a < work_b;
}

int work_recommend(const Contender *all, int count, int level) {
    double least = work_least(all, count, level, true);
    int best = -1;
    for (int i = 0; i < count && !isnan(least); i++) {
        double work = all[i].work[level];
        if (isnan(work) || !all[i].keeps[level] || work > WORK_TIE * least) continue;
        if (best < 0 || nearer(&all[i], work, &all[best], all[best].work[level])) best = i;
    }
    return best;
}

/* The worst ratio of a contender to the least work over the levels that are reached at all; infinite when it misses
 * one. */
static double worst_ratio(const Contender *all, int count, int levels, int i) {
    double worst = 0.0;
    for (int level = 0; level < levels; level++) {
        double least = work_least(all, count, level, true);
        if (isnan(least)) continue;
        if (isnan(all[i].work[level]) || !all[i].keeps[level]) return (double)INFINITY;
        worst = fmax(worst, all[i].work[level] / least);
    }
    return worst > 0.0 ? worst : (double)INFINITY;
}

int work_recommend_overall(const Contender *all, int count, int levels, double *worst) {
    double least = (double)INFINITY;
    int best = -1;
    for (int i = 0; i < count; i++) least = fmin(least, worst_ratio(all, count, levels, i));
    *worst = (double)NAN;
    for (int i = 0; i < count && isfinite(least); i++) {
        double ratio = worst_ratio(all, count, levels, i);
        if (ratio > WORK_TIE * least) continue;
        if (best >= 0 && !nearer(&all[i], ratio, &all[best], *worst)) continue;
        best = i;
        *worst = ratio;
    }
    return best;
}
