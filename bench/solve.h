/* What solve.c and solve_plain.c share: a case of S lambda = r, and how factors and solves of it are timed. */
#ifndef BENCH_SOLVE_H
#define BENCH_SOLVE_H

#include "equations/system.h"
#include "linear/solver.h"

/* A model at its pose as written, with S and the right side of S lambda = r. */
typedef struct Case {
    CardanModel *model;
    CrdSystem w;
    CrdArena arena;
    double *a, *r, *x; /* (nv) M^-1 f; (rows) right side; (rows) scratch */
    CrdPattern pattern;
    CrdSolver *solver;
} Case;

typedef struct Times {
    double factor, solve; /* s; < 0: not measured */
} Times;

/* Shortest of calls that take about half a second together. */
double solve_shortest(void (*call)(void *), void *user);

/* CHOLMOD's own calls. */
Times solve_time_plain(Case *c, bool supernodal);

#endif
