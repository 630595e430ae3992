#include "integrate/hermite.h"

#include <assert.h>
#include <stddef.h>

enum { BLOCK = 16 }; /* components at a time: a constant trip count lets the compiler vectorise */

void crd_dense_hermite(int count, double h, const double *y, const double *f, const double *y_new, const double *f_new,
                       double *restrict r) {
    size_t n = (size_t)count;
    for (size_t i = 0; i < n; ++i) {
        double difference = y_new[i] - y[i];
        double bend = h * f[i] - difference;
        r[i] = y[i];
        r[n + i] = difference;
        r[2 * n + i] = bend;
        r[3 * n + i] = difference - h * f_new[i] - bend;
    }
}

/* Horner from the innermost term, for the components from first on. */
static inline void block_at(size_t n, const double *dense, int rows, double theta, int first, int length,
                            double *restrict y) {
    int row = rows - 1;
    const double *r = dense + (size_t)row * n + (size_t)first;
    double sum[BLOCK];
    for (int i = 0; i < length; ++i) sum[i] = r[i];
    while (row-- > 0) {
        double factor = row % 2 == 0 ? theta : 1.0 - theta;
        r -= n;
        for (int i = 0; i < length; ++i) sum[i] = r[i] + factor * sum[i];
    }
    for (int i = 0; i < length; ++i) y[first + i] = sum[i];
}

void crd_dense_at(int n, const double *r, int rows, double theta, double *y) {
    assert(rows >= CRD_HERMITE_ROWS);
    int first = 0;
    for (; first <= n - BLOCK; first += BLOCK) block_at((size_t)n, r, rows, theta, first, BLOCK, y);
    if (first < n) block_at((size_t)n, r, rows, theta, first, n - first, y);
}
