/* The corrections of implicit.c by exact sparse derivatives (CrdStageMatrix), the stages uncoupled (implicit_modes.h):
 *
 *     sum_j (A^-1)_ij / h rates dY_j + state (dY_i, du_i, ...) = rates R_i, -residual_i         dK = A^-1 dY / h
 *
 * Multipliers of the ends are found from hold (D + D_end) du, D for D_end: what moving the start by D du does to the
 * end beyond D du itself is a small part of it, because slopes keep to the constraints; the iteration takes it up. */
#ifndef CRD_INTEGRATE_METHODS_IMPLICIT_SPARSE_H
#define CRD_INTEGRATE_METHODS_IMPLICIT_SPARSE_H

#include "integrate/methods/implicit_modes.h"

enum { CRD_ENDS_TRIES = 10 }; /* directions in which multipliers of the ends are sought for one correction */

typedef struct CrdSparseStep {
    CrdModes modes;
    int size;             /* unknowns of one stage, those that slopes were freed of included */
    double *right;        /* (stages x size) */
    double *answer;       /* (stages x size) */
    double *vector;       /* (size) of the real mode */
    double complex *both; /* (size) of the pair */
    double *change;       /* (size of the ends) */
    double *moved;        /* (size of the ends) D du of the last correction */
    double *product;      /* (size of the ends) */

    /* of multipliers at the ends */
    double *direction, *image; /* (tries x multipliers) du tried, and what they do to the residual */
    double *start_move;        /* (tries x core) D du at the start */
    double *left_over;         /* (multipliers) of the residual */
    double *pushed;            /* (n) */
} CrdSparseStep;

/* Unknowns of the matrices, from what is known before they are made. NULL: the equations have none. */
CrdSparseStep *crd_sparse_step_layout(const CrdImplicitTableau *method, const CrdEquations *equations, CrdArena *arena);

/* Derivatives at im->point and `at`, and where ends are projected with the stages at im->end and `end`. */
CardanStatus crd_sparse_step_linearise(CrdImplicit *im, double at, double end, const double *u);

/* The same where im->kept says, unless the matrices there are were made there. */
CardanStatus crd_sparse_step_take_up(CrdImplicit *im, double end);

/* Factors for a step of size h, unless that was done. CARDAN_ERR_NUMERIC without a sentence: see crd_sparse_lu_factor.
 */
CardanStatus crd_sparse_step_factor(CrdImplicit *im, double h, double *weakest);

/* im->x: right sides as implicit.c makes them, then the correction. */
CardanStatus crd_sparse_step_solve(CrdImplicit *im, double h);

/* answer <- the stages' changes of (y, u, ...) for the right sides in `right`. */
CardanStatus crd_sparse_step_stages(CrdImplicit *im);

/* Adds dK = A^-1 dY / h, and du, of the answer to x. */
void crd_sparse_step_take(CrdImplicit *im, double h);

/* Multipliers of the ends, when the stages' own corrections stand in x, and what they do to the stages. */
CardanStatus crd_sparse_step_ends(CrdImplicit *im, double h);

/* D du of the last correction. */
const double *crd_sparse_step_moved(const CrdSparseStep *step);

/* Of the projection of im->end at t: its matrix, and im->trial from im->residual. */
CardanStatus crd_sparse_step_linearise_end(CrdImplicit *im, double t);
CardanStatus crd_sparse_step_project(CrdImplicit *im);

#endif
