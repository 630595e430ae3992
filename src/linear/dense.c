/* Gaussian elimination (LAPACK getrf) on a matrix whose rows and columns are first scaled to largest entries of 1: the
 * unknowns may be slopes, multipliers and their rates in different units, and a condition number should speak of
 * dependence, not of units. */
#include "linear/dense.h"

#include <assert.h>
#include <float.h>
#include <lapacke.h>
#include <math.h>

_Static_assert(sizeof(lapack_int) == sizeof(int), "pivots of dense.h are handed to LAPACK");

/* Reciprocal condition number, after scaling rows and columns, at which a matrix is singular to rounding. Measured on
 * the papers' tables: exactly singular step matrices are left with 3e-17 and 5e-17 (LEC10, example 10.1, eta = -1;
 * AP93, table 4.7, d-2, nu = 100), the worst regular one has 3e-13 (ACR92, table 1.1, gamma = 1e8). */
#define CRD_DENSE_RCOND 1e-15

void crd_lu_layout(CrdLu *lu, int n, CrdLuCount *count, CrdArena *arena) {
    assert(n >= 0);
    size_t size = (size_t)n, real = sizeof(double);
    lu->n = n;
    lu->by_rows = false;
    lu->count = count;
    lu->matrix = crd_take(arena, size, size * real);
    lu->row = crd_take(arena, size, real);
    lu->column = crd_take(arena, size, real);
    lu->x = crd_take(arena, size, real);
    lu->work = crd_take(arena, 4 * size, real);
    lu->pivots = crd_take(arena, size, sizeof *lu->pivots);
    lu->iwork = crd_take(arena, size, sizeof *lu->iwork);
}

/* CARDAN_ERR_NUMERIC: a row or column is zero (*rcond 0), or an entry is not finite (*rcond NaN). */
static CardanStatus equilibrate(CrdLu *lu, double *rcond) {
    size_t n = (size_t)lu->n, down = lu->by_rows ? n : 1, right = lu->by_rows ? 1 : n;
    for (size_t i = 0; i < n; i++) lu->row[i] = 0.0;
    for (size_t j = 0; j < n; j++)
        for (size_t i = 0; i < n; i++) {
            double size = fabs(lu->matrix[i * down + j * right]);
            if (!(size <= lu->row[i])) lu->row[i] = size; /* also a NaN */
        }
    for (size_t i = 0; i < n; i++) {
        *rcond = lu->row[i] <= DBL_MAX ? 0.0 : (double)NAN;
        if (!(lu->row[i] > 0.0 && lu->row[i] <= DBL_MAX)) return CARDAN_ERR_NUMERIC;
    }
    for (size_t j = 0; j < n; j++) {
        double *a = lu->matrix + j * right, largest = 0.0;
        for (size_t i = 0; i < n; i++) {
            a[i * down] /= lu->row[i];
            largest = fmax(largest, fabs(a[i * down]));
        }
        if (!(largest > 0.0)) return CARDAN_ERR_NUMERIC;
        for (size_t i = 0; i < n; i++) a[i * down] /= largest;
        lu->column[j] = largest;
    }
    return CARDAN_OK;
}

CardanStatus crd_lu_factor(CrdLu *lu, double *rcond) {
    lapack_int n = lu->n;
    assert(n > 0);
    *rcond = 0.0;
    if (lu->count != NULL) {
        lu->count->factorisations++;
        lu->count->operations += (double)n * n * n / 3.0;
    }
    CRD_TRY(equilibrate(lu, rcond));
    double norm = LAPACKE_dlange_work(LAPACK_COL_MAJOR, '1', n, n, lu->matrix, n, lu->work);
    if (LAPACKE_dgetrf_work(LAPACK_COL_MAJOR, n, n, lu->matrix, n, lu->pivots) != 0) return CARDAN_ERR_NUMERIC;
    LAPACKE_dgecon_work(LAPACK_COL_MAJOR, '1', n, lu->matrix, n, norm, rcond, lu->work, lu->iwork);
    return *rcond >= CRD_DENSE_RCOND ? CARDAN_OK : CARDAN_ERR_NUMERIC; /* also a NaN */
}

CardanStatus crd_lu_solve(CrdLu *lu) {
    lapack_int n = lu->n;
    double *x = lu->x;
    assert(n > 0);
    if (lu->count != NULL) {
        lu->count->solves++;
        lu->count->operations += (double)n * n;
    }
    for (int i = 0; i < n; i++) x[i] /= lu->row[i];
    LAPACKE_dgetrs_work(LAPACK_COL_MAJOR, lu->by_rows ? 'T' : 'N', n, 1, lu->matrix, n, lu->pivots, x, n);
    bool finite = true;
    for (int i = 0; i < n; i++) {
        x[i] /= lu->column[i];
        finite = finite && fabs(x[i]) <= DBL_MAX;
    }
    return finite ? CARDAN_OK : CARDAN_ERR_NUMERIC;
}

int crd_least_squares_room(int m, int n, int p) {
    enum { OPTIMAL = 64 }; /* columns at once, as LAPACK likes them */
    return p + (m < n ? m : n) + (m > n ? m : n) * OPTIMAL;
}

static bool is_finite(const double *x, int n) {
    for (int i = 0; i < n; i++)
        if (!(fabs(x[i]) <= DBL_MAX)) return false;
    return true;
}

CardanStatus crd_least_squares(int m, int n, int p, double *a, double *r, double *c, double *d, double *x, double *work,
                               int room) {
    assert(p <= n && n <= p + m && room >= crd_least_squares_room(m, n, p));
    if (!is_finite(a, m * n) || !is_finite(c, p * n) || !is_finite(r, m) || !is_finite(d, p)) return CARDAN_ERR_NUMERIC;
    if (LAPACKE_dgglse_work(LAPACK_COL_MAJOR, m, n, p, a, m, c, p, r, d, x, work, room) != 0) return CARDAN_ERR_NUMERIC;
    return is_finite(x, n) ? CARDAN_OK : CARDAN_ERR_NUMERIC;
}

void crd_add_product(int m, int k, int n, double s, const double *a, const double *b, double *c) {
    for (int i = 0; i < m; i++)
        for (int l = 0; l < k; l++) {
            const double *from = b + (size_t)l * (size_t)n;
            double *to = c + (size_t)i * (size_t)n, factor = s * a[(size_t)i * (size_t)k + (size_t)l];
            for (int j = 0; j < n; j++) to[j] += factor * from[j];
        }
}

void crd_dense_transpose(int m, int n, const double *a, double *c) {
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++) c[j * m + i] = a[i * n + j];
}

double crd_largest(const double *x, int n) {
    double largest = 0.0;
    for (int i = 0; i < n; i++)
        if (!(fabs(x[i]) <= largest)) largest = fabs(x[i]);
    return largest;
}
