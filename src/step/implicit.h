/* Implicit Runge-Kutta steps by simplified Newton iteration.
 *
 *     Y_i   = y0 + h (s_i f + sum_j a_ij K_j)      K_i = slope(t + c_i h, Y_i) + D u_i      f = slope at the start
 *     y_new = y0 + h (s_end f + sum_j b_j K_j)
 *
 * With multipliers in slopes each stage also meets 0 = residual(t + c_i h, Y_i), and where the last stage is not the end
 * this is projected, y_new <- y_new + D(y_new) u with 0 = residual(t + h, y_new), without which Gauss would lose its
 * order (projected collocation: Ascher & Petzold, 10.1). With multipliers of the ends the step
 * is enclosed in a symmetric projection (Hairer, Lubich, Wanner, V.4.1),
 *     y0 <- y0 + D(y0) u,    y_new <- y_new + D(y_new) u,    0 = residual(t + h, y_new)
 * with one u for both, so that a symmetric method stays symmetric.
 *
 * The unknowns are the slopes of all stages and the multipliers. Derivatives of slopes and residuals are forward
 * differences, made afresh in each step: nothing is remembered, so a run that is put back goes on with the same bits.
 * They are not exact, because the derivative of gamma would need third derivatives of the rows, and need not be: they
 * steer the iteration and leave no trace in its result. Where it converges slowly they are made again at the last
 * stage.
 *
 * No number comes from a failed solve: a step matrix singular to rounding and an iteration that does not converge are
 * CARDAN_ERR_NUMERIC with a sentence. */
#ifndef CRD_STEP_IMPLICIT_H
#define CRD_STEP_IMPLICIT_H

#include "step/equations.h"
#include "step/newton.h"

enum { CRD_IMPLICIT_STAGES_MAX = 3 };

typedef struct CrdImplicitTableau {
    const char *name;
    int order; /* global error of y_new ~ h^order */
    int stages;
    double a[CRD_IMPLICIT_STAGES_MAX][CRD_IMPLICIT_STAGES_MAX];
    double b[CRD_IMPLICIT_STAGES_MAX], c[CRD_IMPLICIT_STAGES_MAX];
    double start[CRD_IMPLICIT_STAGES_MAX], start_end; /* weights of the slope at the start: in stages, in y_new */
    bool symmetric;                                   /* is its own adjoint: ends may be projected symmetrically */
    bool ends_on_stage;                               /* y_new is the last stage: what that meets the end meets */
} CrdImplicitTableau;

/* backward_euler, trapezoidal, implicit_midpoint, gauss. */
enum { CRD_IMPLICIT_METHODS = 4 };
extern const CrdImplicitTableau crd_implicit_methods[CRD_IMPLICIT_METHODS];

/* NULL when there is no implicit Runge-Kutta method of this name. */
const CrdImplicitTableau *crd_implicit_find(const char *name);

typedef struct CrdImplicit {
    const CrdImplicitTableau *method;
    CrdEquations equations;
    CrdNewton newton;
    CrdNewton projection; /* of the end; (multipliers) unknowns, where multipliers are in slopes */
    double *k;              /* (stages x n) slopes */
    double *u;              /* (stages x multipliers, or multipliers) */
    double *slope;          /* (n) of the stage looked at */
    double *residual;       /* (multipliers) */
    double *stage;          /* (n) */
    double *base;           /* (n) where the step starts, projected */
    double *end;            /* (n) where it ends by the last iterate */
    double *point;          /* (n) where derivatives are made again */
    double *jacobian;       /* (core x core) by columns: slopes over y */
    double *hold;           /* (multipliers x core) by columns: residuals over y */
    double *directions;     /* (core x multipliers) by columns: D, or with u at the ends D at the start */
    double *directions_end; /* the same at the end */
    double *pushed;         /* (core x multipliers): jacobian D; u at the ends */
    double *held_d;         /* (multipliers x multipliers): hold D; u at the ends */
    double *scale;          /* (core) */
    double *trial;          /* (n) and (multipliers) of differences */
    double *trial_residual;
} CrdImplicit;

/* Unknowns of one step. */
long crd_implicit_unknowns(const CrdImplicitTableau *method, const CrdEquations *equations);

/* Takes the arrays from the arena; called twice, measuring and real. */
void crd_implicit_layout(CrdImplicit *im, const CrdImplicitTableau *method, const CrdEquations *equations,
                         CrdArena *arena);

/* One step from (t, y), where the slope is f, to y_new (n), which may not overlap y. */
CardanStatus crd_implicit_attempt(CrdImplicit *im, double t, double h, const double *y, const double *f, double *y_new);

#endif
