/* Polynomials through values at some times, in Newton's form with divided differences. Nodes lie `age` back from a time
 * that everything is counted from, the newest first:
 *
 *     P(s) = sum_j d_j prod_{i<j} (s + age_i)           d_j = y[x_0 .. x_j]
 *
 * Differences are rows of n numbers. (Hairer, Norsett, Wanner, III.5) */
#ifndef CRD_INTEGRATE_METHODS_DIVIDED_H
#define CRD_INTEGRATE_METHODS_DIVIDED_H

#include <stddef.h>

/* d (count x n): values at the nodes become divided differences. */
void crd_divide(int n, int count, const double *age, double *d);

/* value and slope (n) of the polynomial at s; slope may be NULL. */
void crd_divided_at(int n, int count, const double *age, const double *d, double s, double *value, double *slope);

static inline double *crd_row(double *rows, int n, int j) {
    return rows + (size_t)j * (size_t)n;
}

#endif
