/* What an implicit stepper sees of the world: rates with multipliers, and the equations that hold those.
 *
 *     y' = slope(t, y) + D(t, y) u          0 = residual(t, y)
 *
 * Without multipliers it is an ODE. Multipliers stand in the slopes of stages (an index-2 system), or they are those of
 * a projection at the ends of a step. Only the first `core` components of y have a say in slopes; the rest are sums
 * that ride along. */
#ifndef CRD_STEP_EQUATIONS_H
#define CRD_STEP_EQUATIONS_H

#include "core/status.h"

#include <stdbool.h>

typedef struct CrdEquations {
    void *user;
    int n, core;
    int multipliers;       /* 0: none; else as many as equations that hold them */
    bool in_slopes;        /* the multipliers are unknowns of every stage; else of the ends of a step */
    bool *held;            /* (multipliers) false: the equation of this one is u = 0 */
    const double *typical; /* (core) what a component is measured against where it is smaller */

    /* Before a step from (t, y): which multipliers are held, and a guess of them. */
    CardanStatus (*begin)(void *user, double t, const double *y, double *u);

    /* slope (n) with D u, and residual (multipliers). A pure function of its arguments, as CrdOde.rhs. Both u and
     * residual are NULL where there are no multipliers in slopes. */
    CardanStatus (*rates)(void *user, double t, const double *y, const double *u, double *slope, double *residual);

    /* The residual alone. */
    CardanStatus (*measure)(void *user, double t, const double *y, double *residual);

    /* out (n) += D u, at what was measured last, which was y. */
    CardanStatus (*push)(void *user, const double *y, const double *u, double *out);

    /* Noise of the slopes of this step so far, in units of the state a second: next to a singular pose accelerations carry
     * more than rounding. NULL: none. */
    double (*noise)(void *user);

    CrdError *error; /* where sentences go; may be NULL */
} CrdEquations;

#endif
