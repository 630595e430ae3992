/* Derivatives and the step matrix of implicit.c. */
#ifndef CRD_STEP_IMPLICIT_MATRIX_H
#define CRD_STEP_IMPLICIT_MATRIX_H

#include "step/implicit.h"

/* Multipliers in the slopes of one stage, and at the ends: one of them is 0. */
static inline int crd_stage_multipliers(const CrdImplicit *im) {
    return im->equations.in_slopes ? im->equations.multipliers : 0;
}
static inline int crd_end_multipliers(const CrdImplicit *im) {
    return im->equations.in_slopes ? 0 : im->equations.multipliers;
}

/* c (m x n) += a (m x k) b (k x n), all by columns. BLAS is no help: its kernels for small products may allocate. */
void crd_implicit_add_product(int m, int k, int n, const double *a, const double *b, double *c);

/* out (core x multipliers) <- D at (t, y), column by column. */
CardanStatus crd_implicit_directions(CrdImplicit *im, double t, const double *y, double *out);

/* J, and hold where multipliers are in slopes, by forward differences at (t, y, u). */
CardanStatus crd_implicit_differentiate(CrdImplicit *im, double t, const double *y, const double *u);

/* Multipliers of the ends: hold and D_end where the step ends at t by what is known so far. */
CardanStatus crd_implicit_differentiate_end(CrdImplicit *im, double t);

/* Makes and factors the matrix of a step of size h. CARDAN_ERR_NUMERIC without a sentence: see crd_newton_factor. */
CardanStatus crd_implicit_matrix(CrdImplicit *im, double h, double *rcond);

#endif
