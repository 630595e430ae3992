/* Implicit Runge-Kutta steps by simplified Newton iteration.
 *
 *     Y_i   = y0 + h (s_i f + sum_j a_ij K_j)      K_i = slope(t + c_i h, Y_i) + D u_i      f = slope at the start
 *     y_new = y0 + h (s_end f + sum_j b_j K_j)
 *
 * With multipliers in slopes each stage also meets 0 = residual(t + c_i h, Y_i), and where the last stage is not the
 * end this is projected, y_new <- y_new + D(y_new) u with 0 = residual(t + h, y_new), without which Gauss would lose
 * its order (projected collocation: Ascher & Petzold, 10.1). With multipliers of the ends the step is enclosed in a
 * symmetric projection (Hairer, Lubich, Wanner, V.4.1), y0 <- y0 + D(y0) u,    y_new <- y_new + D(y_new) u,    0 =
 * residual(t + h, y_new) with one u for both, so that a symmetric method stays symmetric. Where no such u is found, in
 * steps that are too long for it, the end alone is projected.
 *
 * The unknowns are the slopes of all stages and the multipliers. Derivatives are exact and sparse where the equations
 * have them (CrdStageMatrix, implicit_sparse.c), else dense forward differences (implicit_matrix.c), as for problems of
 * the laboratory and next to singular poses. They steer the iteration and leave no trace in its result, and are made
 * afresh in each step: nothing is remembered, so a run that is put back goes on with the same bits. Where it converges
 * slowly they are made again at the last stage.
 *
 * No number comes from a failed solve: a step matrix singular to rounding and an iteration that does not converge are
 * CARDAN_ERR_NUMERIC with a sentence. */
#ifndef CRD_INTEGRATE_METHODS_IMPLICIT_H
#define CRD_INTEGRATE_METHODS_IMPLICIT_H

#include "integrate/methods/equations.h"
#include "integrate/methods/implicit_accelerate.h"
#include "linear/dense.h"

enum { CRD_IMPLICIT_STAGES_MAX = 3 };

typedef struct CrdImplicitTableau CrdImplicitTableau;
struct CrdImplicitTableau {
    const char *name;
    int order;       /* global error of y_new ~ h^order */
    int stage_order; /* of its stages; at most the order: what is left of it where forces are stiff */
    int stages;
    double a[CRD_IMPLICIT_STAGES_MAX][CRD_IMPLICIT_STAGES_MAX];
    double b[CRD_IMPLICIT_STAGES_MAX], c[CRD_IMPLICIT_STAGES_MAX];
    double start[CRD_IMPLICIT_STAGES_MAX], start_end; /* weights of the slope at the start: in stages, in y_new */
    bool symmetric;                                   /* is its own adjoint: ends may be projected symmetrically */
    bool ends_on_stage;                               /* y_new is the last stage: what that meets the end meets */
    double filter, estimate[CRD_IMPLICIT_STAGES_MAX]; /* of the error: filter h f + sum_i estimate_i (Y_i - y0), solved
                                                         with I - filter h J; filter 0: there is no estimate */
};

/* backward_euler, trapezoidal, implicit_midpoint, gauss, gauss4, radau5. */
enum { CRD_IMPLICIT_METHODS = 6 };
extern const CrdImplicitTableau crd_implicit_methods[CRD_IMPLICIT_METHODS];

/* NULL when there is no implicit Runge-Kutta method of this name. */
const CrdImplicitTableau *crd_implicit_find(const char *name);

struct CrdSparseStep;

typedef struct CrdImplicit {
    const CrdImplicitTableau *method;
    CrdEquations equations;
    int unknowns;
    bool dense;                   /* there is room for dense matrices */
    struct CrdSparseStep *sparse; /* of exact derivatives; NULL: there are none */
    bool is_sparse;               /* this attempt goes by them */
    double *x;                    /* (unknowns) right side, then the correction */
    double started_at;            /* where the attempt starts */
    const double *started;
    /* A step of a multistep method is one of another start and size: where it really starts, and how long it is. NULL:
     * as the attempt has it. */
    const double *origin;
    double origin_at, length;
    bool careful;        /* slopes of the start say nothing of stiff forces, and a shorter step helps more than another
                            matrix */
    const double *guess; /* (stages x n) slopes to begin with; NULL: that of the start */
    bool foresees;       /* an iteration ends where its rate leaves nothing to come, and kept derivatives that make it
                            slow are given up at once; else it ends with corrections that are small themselves */
    bool accelerates;    /* slow corrections are; there is room for it where the method has an estimate */
    CrdAcceleration acceleration;
    double rate; /* by which corrections fell in the mean; 0: one was enough */

    /* Where sparse derivatives were taken, (1 + n + multipliers) numbers: time, state, multipliers. `kept` are those
     * that an attempt is to begin with, NULL: new ones; `taken` those of the matrices there are, if `factored` is not
     * 0, factored for steps of that size. Matrices depend on nothing else, so it does not matter whose they are. */
    const double *kept;
    double *taken;
    double factored;
    CrdLu newton;
    bool rests;             /* multipliers of the ends are 0 in this attempt */
    bool projects;          /* the end is projected by itself */
    CrdLu projection;       /* of it; (multipliers) unknowns */
    CrdLu filter;           /* (core) of the error estimate */
    double *k;              /* (stages x n) slopes */
    double *u;              /* (stages x multipliers, or multipliers) */
    double *u_start;        /* (multipliers) at the start */
    double *u_trial;        /* (multipliers) of a difference */
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
    double *direct;         /* (multipliers x multipliers) by columns: residuals over u; without push */
    double *mass;           /* (core x core) by columns: E; NULL: the identity */
    double *least;          /* room of least squares, where there are more equations than unknowns */
    double *scale;          /* (core) of differences */
    double *measure;        /* (core) of corrections */
    double enough;          /* a correction so small ends the iteration; 0: rounding does */
    double *trial;          /* (n) and (multipliers) of differences */
    double *trial_residual;
} CrdImplicit;

/* Unknowns of a step whose matrix may be dense: 32 MB, a factorisation of half a second. */
enum { CRD_IMPLICIT_DENSE = 2000 };

/* Unknowns of one step. */
long crd_implicit_unknowns(const CrdImplicitTableau *method, const CrdEquations *equations);

/* Takes the arrays from the arena; called twice, measuring and real. */
void crd_implicit_layout(CrdImplicit *im, const CrdImplicitTableau *method, const CrdEquations *equations,
                         CrdArena *arena);

/* Corrections below a hundredth of these tolerances end an iteration; both 0: rounding does. absolute (core): in place
 * of atol; NULL: atol for all. */
void crd_implicit_tolerate(CrdImplicit *im, double rtol, double atol, const double *absolute, const double *y);

/* The same by each component: corrections may leave this share of its own tolerance. */
void crd_implicit_tolerate_each(CrdImplicit *im, double share, double rtol, double atol, const double *absolute,
                                const double *y);

/* error (core): estimate of the last attempt, of a tableau that has one; f is the slope at the start. */
CardanStatus crd_implicit_estimate(CrdImplicit *im, double h, const double *f, double *error);

/* error (core) <- (I - h J)^-1 error with the matrix of the last attempt, of one stage: what an error of the equations
 * is in the state. Stiff components, and those off the constraints, go. */
CardanStatus crd_implicit_filter(CrdImplicit *im, double h, double *error);

/* Length of `taken` and `kept`. */
static inline size_t crd_implicit_point_size(const CrdEquations *equations) {
    return 1 + (size_t)equations->n + (equations->in_slopes ? (size_t)equations->multipliers : 0);
}

/* One step from (t, y), where the slope is f, to y_new (n), which may not overlap y. */
CardanStatus crd_implicit_attempt(CrdImplicit *im, double t, double h, const double *y, const double *f, double *y_new);

#endif
