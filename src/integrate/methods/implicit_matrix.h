/* Derivatives and the step matrix of implicit.c. */
#ifndef CRD_INTEGRATE_METHODS_IMPLICIT_MATRIX_H
#define CRD_INTEGRATE_METHODS_IMPLICIT_MATRIX_H

#include "integrate/methods/implicit.h"

/* Multipliers in the slopes of one stage, and at the ends: one of them is 0. */
static inline int crd_stage_multipliers(const CrdImplicit *im) {
    return im->equations.in_slopes && !im->equations.overdetermined ? im->equations.multipliers : 0;
}
/* Those that rest are 0, and unknowns of dense matrices only. */
static inline int crd_end_multipliers(const CrdImplicit *im) {
    return im->equations.in_slopes || (im->rests && im->is_sparse) ? 0 : im->equations.multipliers;
}

/* out (core x multipliers) <- D at (t, y), column by column. */
CardanStatus crd_implicit_directions(CrdImplicit *im, double t, const double *y, double *out);

/* J, and hold where multipliers are in slopes, by forward differences at (t, y, u); without push D and the residual's
 * own dependence on u too. */
CardanStatus crd_implicit_differentiate(CrdImplicit *im, double t, const double *y, const double *u);

/* Multipliers of the ends: hold and D_end where the step ends at t by what is known so far. */
CardanStatus crd_implicit_differentiate_end(CrdImplicit *im, double t);

/* K and multipliers of one stage with more equations than unknowns: see least_squares.c. */
CardanStatus crd_implicit_least_squares(CrdImplicit *im, double t, double h, const double *y, const double *f);

/* Room of it. */
size_t crd_implicit_least_squares_size(const CrdEquations *equations);

/* Makes and factors the matrix of a step of size h. CARDAN_ERR_NUMERIC without a sentence: see crd_lu_factor. */
CardanStatus crd_implicit_matrix(CrdImplicit *im, double h, double *rcond);

/* Moves im->end along D_end until the residual at t is at rounding. */
CardanStatus crd_implicit_project_end(CrdImplicit *im, double t);

#endif
