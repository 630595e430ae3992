/* Small dense matrices: products, and one system of equations, factored once and solved as often as asked. A singular
 * or not finite system is always an error; nothing is ever returned from a failed solve. BLAS is no help with products:
 * its kernels for small ones may allocate. */
#ifndef CRD_LINEAR_DENSE_H
#define CRD_LINEAR_DENSE_H

#include <stdbool.h>

#include "core/memory.h"
#include "core/status.h"

/* Work, for those who compare. */
typedef struct CrdLuCount {
    long factorisations, solves;
    double operations; /* multiplications in them: n^3 / 3 and n^2 each */
} CrdLuCount;

typedef struct CrdLu {
    int n;                /* unknowns */
    double *matrix;       /* (n x n) by columns: filled by the caller, replaced by its factor */
    bool by_rows;         /* the matrix is row-major instead: LAPACK sees its transpose */
    double *row, *column; /* (n) what rows and columns were divided by */
    double *x;            /* (n) right side, then the solution */
    double *work;         /* (4 n) of the condition estimate */
    int *pivots, *iwork;  /* (n); of LAPACK, whose header, half of all that is compiled, stays out of this one */
    CrdLuCount *count;    /* NULL: nobody counts */
} CrdLu;

/* Takes the arrays from the arena; called twice, measuring and real. */
void crd_lu_layout(CrdLu *lu, int n, CrdLuCount *count, CrdArena *arena);

/* Entry of the matrix that is being filled. */
static inline double *crd_lu_at(const CrdLu *lu, int row, int column) {
    return lu->matrix + (size_t)column * (size_t)lu->n + (size_t)row;
}

/* Factors the matrix. CARDAN_ERR_NUMERIC: it is singular to rounding, and *rcond is its reciprocal condition number,
 * rows and columns scaled, or it is not finite, and *rcond is NaN. No solve may follow. */
CardanStatus crd_lu_factor(CrdLu *lu, double *rcond);

/* x <- matrix^-1 x. CARDAN_ERR_NUMERIC: the result is not finite. */
CardanStatus crd_lu_solve(CrdLu *lu);

/* Room that crd_least_squares needs. */
int crd_least_squares_room(int m, int n, int p);

/* x (n) with the least |a x - r| (a: m x n) under c x = d (c: p x n), p <= n <= p + m, both by columns. All but x are
 * overwritten. CARDAN_ERR_NUMERIC: there is no single one, or it is not finite. */
CardanStatus crd_least_squares(int m, int n, int p, double *a, double *r, double *c, double *d, double *x, double *work,
                               int room);

/* ---- row-major; a matrix by columns is the transpose of one by rows: (A B)^T = B^T A^T ---- */

/* c (m x n) += s a (m x k) b (k x n). */
void crd_add_product(int m, int k, int n, double s, const double *a, const double *b, double *c);

/* c (n x m) = a (m x n) transposed. */
void crd_dense_transpose(int m, int n, const double *a, double *c);

/* Largest |x_i|; NaN if there is one. */
double crd_largest(const double *x, int n);

#endif
