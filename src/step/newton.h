/* The linear algebra of implicit steps: one dense matrix, factored once, solved in each iteration. */
#ifndef CRD_STEP_NEWTON_H
#define CRD_STEP_NEWTON_H

#include <lapacke.h>

#include "core/memory.h"
#include "core/status.h"

typedef struct CrdNewton {
    int n;                      /* unknowns */
    double *matrix;             /* (n x n) by columns: filled by the caller, replaced by its factor */
    double *row, *column;       /* (n) what rows and columns were divided by */
    double *change;             /* (n) right side, then the correction */
    double *work;               /* (4 n) of the condition estimate */
    lapack_int *pivots, *iwork; /* (n) */
} CrdNewton;

/* Takes the arrays from the arena; called twice, measuring and real. */
void crd_newton_layout(CrdNewton *newton, int n, CrdArena *arena);

/* Entry of the matrix that is being filled. */
static inline double *crd_newton_at(const CrdNewton *newton, int row, int column) {
    return newton->matrix + (size_t)column * (size_t)newton->n + (size_t)row;
}

/* Factors the matrix. CARDAN_ERR_NUMERIC: it is singular to rounding, and *rcond is its reciprocal condition number,
 * rows and columns scaled, or it is not finite, and *rcond is NaN. No solve may follow. */
CardanStatus crd_newton_factor(CrdNewton *newton, double *rcond);

/* change <- matrix^-1 change. CARDAN_ERR_NUMERIC: the result is not finite. */
CardanStatus crd_newton_solve(CrdNewton *newton);

#endif
