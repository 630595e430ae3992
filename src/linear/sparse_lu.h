/* Sparse unsymmetric systems, real or complex: P R A C Q = L U with R, C scaling rows and columns.
 *
 * Columns are ordered once, by AMD (Amestoy, Davis, Duff 1996) on the pattern of A^T A: the factors then stay sparse
 * whatever pivots come. On A + A^T, which is right for pivots on the diagonal, those of saddle points, which leave it,
 * made steps of a chain of 256 links take 10 to 70 times as long. Each factorisation is the
 * left-looking one of Gilbert and Peierls (SIAM J. Sci. Stat. Comput. 9, 1988): its time is proportional to the
 * multiplications. Pivots are those of the diagonal unless they are small against their column, so saddle points and
 * blocks that vanish for some step are no trouble. Nothing is remembered from one factorisation to the next: the same
 * numbers give the same bits.
 *
 * Whatever the pivots, the factors fit into the rows of the orthogonal factorisation of A (George and Ng, SIAM J. Sci.
 * Stat. Comput. 8, 1987), whose pattern is found once by merging rows: room for it is taken at creation, and neither
 * factoring nor solving allocates. */
#ifndef CRD_LINEAR_SPARSE_LU_H
#define CRD_LINEAR_SPARSE_LU_H

#include "core/status.h"

#include <complex.h>
#include <stdbool.h>

typedef struct CrdSparseLu CrdSparseLu;

/* Pattern by columns, kept by the caller as long as the factor lives. */
CardanStatus crd_sparse_lu_create(int n, const int *start, const int *row, bool is_complex, CrdSparseLu **out,
                                  CrdError *error);
void crd_sparse_lu_destroy(CrdSparseLu *lu);

/* Factors first a + b, entry by entry: the matrices of a step are sums of two, and a changes with its length. *weakest:
 * smallest pivot against the largest, rows and columns scaled. CARDAN_ERR_NUMERIC without a sentence: singular to
 * rounding, or not finite, and *weakest is NaN. No solve may follow. */
CardanStatus crd_sparse_lu_factor(CrdSparseLu *lu, double first, const double *a, const double *b, double *weakest);
CardanStatus crd_sparse_lu_factor_complex(CrdSparseLu *lu, double complex first, const double *a, const double *b,
                                          double *weakest);

/* x (n) <- A^-1 x. CARDAN_ERR_NUMERIC: the result is not finite. */
CardanStatus crd_sparse_lu_solve(CrdSparseLu *lu, double *x);
CardanStatus crd_sparse_lu_solve_complex(CrdSparseLu *lu, double complex *x);

/* Entries of the factors, and room for them. */
long crd_sparse_lu_entries(const CrdSparseLu *lu);
long crd_sparse_lu_room(const CrdSparseLu *lu);

#endif
