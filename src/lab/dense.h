/* Small dense linear algebra: row-major, through LAPACK. A singular or not finite system is always an error; nothing is
 * ever returned from a failed solve. */
#ifndef CRD_LAB_DENSE_H
#define CRD_LAB_DENSE_H

#include <stdbool.h>

#include "lab/desk.h"

/* Who asks and when, for the sentence of a failure. */
typedef struct CrdLabPlace {
    const char *what; /* "step matrix of backward_euler" */
    double t;
    CrdLabDesk *desk;
} CrdLabPlace;

/* c (m x n) += s a (m x k) b (k x n). */
void crd_lab_add_product(int m, int k, int n, double s, const double *a, const double *b, double *c);

/* c (n x m) = a (m x n) transposed. */
void crd_lab_transpose(int m, int n, const double *a, double *c);

bool crd_lab_finite(const double *x, int n);

/* Largest |x_i|; NaN if there is one. */
double crd_lab_largest(const double *x, int n);

/* b (n x columns) <- a^-1 b; a (n x n) is overwritten. The matrix counts as singular when the reciprocal
 * condition number, after rows and columns were scaled, is below CRD_LAB_RCOND. */
CardanStatus crd_lab_solve(CrdLabPlace place, int n, int columns, double *a, double *b);

/* x (n) with the least |a x - r| (a: m x n) under c x = d (c: p x n), p <= n <= p + m. All but x are overwritten. */
CardanStatus crd_lab_least_squares(CrdLabPlace place, int m, int n, int p, double *a, double *r, double *c, double *d,
                                   double *x);

#endif
