/* What a stepping method sees of the world. Who owns a stepper hands in as much of it as the method needs: an ODE
 * (ode.h) always, and beyond it
 *
 *     CrdEquations    rates with multipliers, and the equations that hold those: implicit and half-explicit methods
 *     CrdMotion       positions, velocities and constraints of a second-order system: Verlet and RATTLE
 *
 * Compiled models do so in integrate/formulation.c and integrate/motion.c, problems of the laboratory in
 * lab/stepping.c. */
#ifndef CRD_INTEGRATE_METHODS_EQUATIONS_H
#define CRD_INTEGRATE_METHODS_EQUATIONS_H

#include "core/status.h"
#include "core/tiles.h"
#include "linear/dense.h"
#include "linear/sparse_lu.h"

#include <stdbool.h>

/* Equations linearised, as sparse matrices: of one stage, with x = (y, u, others), `others` being unknowns that slopes
 * were freed of (accelerations, multipliers),
 *
 *     rates dy' + state dx = rates R in the first rows, -residual in those of multipliers
 *
 * for corrections of slopes that miss by R; or of the projection of an end, with x = (y, u),
 *
 *     state dx = (0, -residual)       dy = D du       hold dy = -residual
 *
 * The pattern is made once. */
typedef struct CrdStageMatrix {
    void *user;
    CrdTiles tiles;
    double *rates, *state;    /* (entries) */
    CrdSparseLu *real, *both; /* both: complex; NULL: no method asks for it */

    /* Fills both at (t, y, u). */
    CardanStatus (*linearise)(void *user, double t, const double *y, const double *u);

    /* Would the same point give the same matrices again? Those that would be others are not kept: a run put back has to
     * make them. NULL: always. */
    bool (*would_be_same)(const void *user);
} CrdStageMatrix;

/*     y' = slope(t, y, u)          0 = residual(t, y, u)          mostly  slope(t, y) + D(t, y) u,  residual(t, y)
 *
 * Without multipliers it is an ODE. Multipliers stand in the slopes of stages (a system of index 1 to 3), or they are
 * those of a projection at the ends of a step. Only the first `core` components of y have a say in slopes; the rest are
 * sums that ride along. */
typedef struct CrdEquations {
    void *user;
    int n, core;
    int multipliers;       /* 0: none; else as many as equations that hold them */
    bool in_slopes;        /* the multipliers are unknowns of every stage; else of the ends of a step */
    bool ends_free;        /* an end that is no stage is left where it is; else put on the residual along D */
    bool ends_may_rest;    /* multipliers of ends may be 0: who owns the stepper puts what is left on the constraints */
    bool affine;           /* rates are affine in (y, u): differences over any step are exact */
    bool overdetermined;   /* equations without multipliers: the least |y' - slope| under them is sought */
    bool *held;            /* (multipliers) false: the equation of this one is u = 0 */
    const double *typical; /* (core) what a component is measured against where it is smaller */

    /* Before a step from (t, y): which multipliers are held, and a guess of them. */
    CardanStatus (*begin)(void *user, double t, const double *y, double *u);

    /* slope (n) with D u, and residual (multipliers). A pure function of its arguments, as CrdOde.rhs. Both u and
     * residual are NULL where there are no multipliers in slopes. */
    CardanStatus (*rates)(void *user, double t, const double *y, const double *u, double *slope, double *residual);

    /* The residual alone. */
    CardanStatus (*measure)(void *user, double t, const double *y, double *residual);

    /* out (n) += D u, where the residual was taken last, which was y. NULL: u may enter in any way, D is a difference.
     */
    CardanStatus (*push)(void *user, const double *y, const double *u, double *out);

    /* E (core x core) by columns, of E(t) y' = slope; it may be singular. NULL: the identity. */
    CardanStatus (*mass)(void *user, double t, double *e);

    /* Takes the multipliers at the end of a step. NULL: nobody asks. */
    void (*end)(void *user, const double *u);

    /* Noise of the slopes of this step so far, in units of the state a second: next to a singular pose accelerations
     * carry more than rounding. NULL: none. */
    double (*noise)(void *user);

    /* Exact derivatives: of stages, and of the projection of ends. NULL: there are none, differences are taken. */
    CrdStageMatrix *stage, *ends;
    int stage_size; /* unknowns of the first */
    /* Whether they cannot be relied on now: rows nearly depend on each other. NULL: they can. */
    bool (*rough)(void *user);

    /* Half-explicit stages: the multipliers of a stage are those that put the next one, next = ... + h a slope, on the
     * constraints. All NULL: there are none. */
    /* Begins a stage at (t, y) and gives its slope with some multipliers; slope NULL: it is known, where a step starts.
     */
    CardanStatus (*open)(void *user, double t, const double *y, double *slope);
    /* The next stage is expected at (t, next). */
    CardanStatus (*reach)(void *user, double t, const double *next);
    /* One correction of the multipliers: changes next, and the slope by scale = 1 / (h a) of that. change: the largest,
     * size: what it is measured against. */
    CardanStatus (*close)(void *user, double scale, double *slope, double *next, double *change, double *size);

    /* Of index 3, y = [ q | v | z | rest ], the multipliers being lambda: q' = N v, M v' + G^T lambda = f, 0 = g or, of
     * a nonholonomic row, 0 = A v + b. In the matrix of a stage the kinematics are position_scale dq' = N dv. */
    int nq, nv;
    double position_scale;
    /* q_new = q o exp(x), x (nv): turned about x. */
    void (*displace)(void *user, const double *q, const double *x, double *q_new);
    /* x (nv) <- W G^T (G W G^T)^-1 G x at (t, y): what of it the rows forbid; holonomic: of those alone. */
    CardanStatus (*normal_part)(void *user, double t, const double *y, bool holonomic, double *x);

    CrdLuCount *count; /* of factorisations; NULL: nobody counts */
    CrdError *error;   /* where sentences go; may be NULL */
} CrdEquations;

/*     y = [ q | v | z | rest ]       q' = N v       v' = a - W G^T lambda       0 = g(t, q)       0 = G v + g_t
 *
 * z: first-order states; the rest rides along. */
typedef struct CrdMotion {
    void *user;
    int nq, nv, nz, rows;
    int work; /* component of y that is the work done, summed by the trapezoidal rule; -1: none */

    /* Whether accelerations may depend on velocities or first-order states now. */
    bool (*is_implicit)(void *user);

    /* Holds the factor of G W G^T at the start of the step. */
    CardanStatus (*start)(void *user);

    /* Rows at (t, y). */
    CardanStatus (*evaluate)(void *user, double t, const double *y);

    /* Holds the factor where rows were evaluated last. */
    CardanStatus (*hold)(void *user);

    /* Whether the positions evaluated last are closed to rounding, or no better than `before` and good enough; *now:
     * largest |g|, to be handed in as `before`. */
    bool (*is_closed)(void *user, double before, double *now);

    /* x (nv) -= W G^T (G W G^T)^-1 r where the factor is held; r is g / h, or G v + g_t. */
    CardanStatus (*push_positions)(void *user, double h, double *x);
    CardanStatus (*push_velocities)(void *user, double *v);

    /* Free motion for a time h, by itself, from (q, u) to (q_new, u_new). CARDAN_ERR_NUMERIC: it turns too far. */
    CardanStatus (*drift)(void *user, double h, const double *q, const double *u, double *q_new, double *u_new);

    /* x (nv) += scale times the gyroscopic accelerations, which a drift has in itself, with the other sign. */
    void (*without_gyroscopic)(void *user, double scale, const double *v, double *x);

    /* Accelerations without reactions a (nv), and rates of z, at y, where rows were evaluated last. */
    CardanStatus (*accelerate)(void *user, const double *y, double *a, const double **z_rate);
} CrdMotion;

#endif
