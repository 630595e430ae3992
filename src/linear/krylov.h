/* Eigenvalues of largest size of an operator that can only be applied: block Krylov spaces with full
 * reorthogonalisation (Golub and Underwood 1977 for symmetric operators; Saad, Numerical Methods for Large Eigenvalue
 * Problems, 2011, ch. 6), the projected matrix dense. As many eigenvalues of the same size as there are vectors in a
 * block are found. The space grows until the wanted ones are there; nothing is restarted, which for some dozens of
 * eigenvalues costs less than it would save. */
#ifndef CRD_LINEAR_KRYLOV_H
#define CRD_LINEAR_KRYLOV_H

#include "core/status.h"

#include <stdbool.h>

typedef struct CrdOperator {
    int n;
    int block;      /* vectors in a block */
    bool symmetric; /* in the inner product of the metric */
    void *user;
    CardanStatus (*apply)(void *user, const double *x, double *y);
    void (*metric)(void *user, const double *x, double *y); /* y = M x, positive; NULL: the identity */
} CrdOperator;

/* Pairs are next to each other, the one with positive imaginary part first; vector (n x count, by columns): its real
 * part, and in the column of the other one its imaginary part. */
typedef struct CrdRitz {
    int count; /* converged ones, by falling size; fewer than wanted where the operator has fewer */
    double *re, *im;
    double *residual; /* |A x - theta x| against |theta| |x| */
    double *vector;
} CrdRitz;

/* Fails when the wanted ones are not there within the largest space: CARDAN_ERR_NUMERIC. */
CardanStatus crd_krylov(const CrdOperator *operator, int wanted, CrdRitz *out, CrdError *error);
void crd_ritz_free(CrdRitz *ritz);

#endif
