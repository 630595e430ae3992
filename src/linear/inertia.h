/* Sparse symmetric matrices of any inertia: A = L D L^T in the order given, D a diagonal, by CHOLMOD's simplicial code.
 * The signs of D are those of the eigenvalues (Sylvester). Nothing is pivoted, so the order has to keep pivots away
 * from zero, as one that takes multipliers after what they act on does; whoever uses it looks at what a solve leaves.
 */
#ifndef CRD_LINEAR_INERTIA_H
#define CRD_LINEAR_INERTIA_H

#include "core/compressed.h"

typedef struct CrdInertia CrdInertia;

/* upper: the upper triangle by columns with the whole diagonal. CARDAN_ERR_NUMERIC without a sentence: a pivot is zero
 * or not finite. On failure *out is NULL. */
CardanStatus crd_inertia_create(const CrdCompressed *upper, CrdInertia **out, CrdError *error);
void crd_inertia_destroy(CrdInertia *inertia);

/* How many eigenvalues are negative. */
int crd_inertia_negative(const CrdInertia *inertia);

/* x (n) <- A^-1 x. */
CardanStatus crd_inertia_solve(const CrdInertia *inertia, double *x);

#endif
