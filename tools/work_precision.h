/* What work buys: from runs of several methods to the one that reaches an error with the least work. Pure functions. */
#ifndef TOOL_WORK_PRECISION_H
#define TOOL_WORK_PRECISION_H

#include <stdbool.h>

/* One finished run. */
typedef struct WorkPoint {
    double work, error; /* > 0; an error of exactly 0 counts as reaching everything */
} WorkPoint;

/* Sorts by work. */
void work_sort(WorkPoint *points, int count);

/* Where the error falls below the level for good: *tighter is the first point from which on no error is above it,
 * *looser the point before, -1 when there is none. False: the last error is above the level. Points are sorted. A
 * single lucky run amid worse ones thus counts for nothing. */
bool work_bracket(const WorkPoint *points, int count, double level, int *looser, int *tighter);

/* The work at which the error is reached, on the straight line between the two runs of the bracket in logarithms; the
 * loosest run's own work when it is below the level already (nothing is extrapolated). NaN: not reached. */
double work_at_error(const WorkPoint *points, int count, double level);

/* The same line for another quantity that was varied with the work, such as the tolerance. */
double work_interpolate(WorkPoint looser, WorkPoint tighter, double level, double x_looser, double x_tighter);

/* One method among others, at the levels asked for. */
typedef struct Contender {
    const double *work; /* one a level; NaN: not reached */
    const bool *keeps;  /* one a level: the constraints are kept there */
    int departures;     /* in how many choices it is not the default */
} Contender;

/* Differences of work below this factor do not decide: the one nearest the defaults is taken. */
#define WORK_TIE 1.1

/* The least work at a level; only_keeping: among those that keep the constraints. NaN: none reaches it. */
double work_least(const Contender *all, int count, int level, bool only_keeping);

/* The recommended one at a level: keeps the constraints and needs at most WORK_TIE times the least work of those that
 * do; of these the one nearest the defaults, then the cheapest. -1: none. */
int work_recommend(const Contender *all, int count, int level);

/* One for all levels that somebody reaches and keeps: its worst ratio to the least work is least, ties as above. -1: no
 * method reaches and keeps them all. *worst gets that ratio. */
int work_recommend_overall(const Contender *all, int count, int levels, double *worst);

#endif
