/* Gaussian elimination with partial pivoting (LAPACK getrf) on a matrix whose rows and columns are first scaled to
 * largest entries of 1, so that the condition number speaks of dependence and not of units. LAPACK takes the row-major
 * matrix as its transpose, and getrs solves with the transpose of that. */
#include "lab/dense.h"

#include <lapacke.h>
#include <math.h>
#include <string.h>

#include "core/numbers.h"

void crd_lab_add_product(int m, int k, int n, double s, const double *a, const double *b, double *c) {
    for (int i = 0; i < m; i++)
        for (int l = 0; l < k; l++) {
            double factor = s * a[i * k + l];
            for (int j = 0; j < n; j++) c[i * n + j] += factor * b[l * n + j];
        }
}

void crd_lab_transpose(int m, int n, const double *a, double *c) {
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++) c[j * m + i] = a[i * n + j];
}

bool crd_lab_finite(const double *x, int n) {
    for (int i = 0; i < n; i++)
        if (!isfinite(x[i])) return false;
    return true;
}

double crd_lab_largest(const double *x, int n) {
    double largest = 0.0;
    for (int i = 0; i < n; i++)
        if (!(fabs(x[i]) <= largest)) largest = fabs(x[i]);
    return largest;
}

static CardanStatus not_finite(CrdLabPlace place) {
    return crd_fail(place.desk->error, CARDAN_ERR_NUMERIC, "%s has entries that are not finite at t = %.9g", place.what,
                    place.t);
}

static CardanStatus singular(CrdLabPlace place, double rcond) {
    return crd_fail(place.desk->error, CARDAN_ERR_NUMERIC,
                    "%s is singular at t = %.9g: reciprocal condition number %.2g", place.what, place.t, rcond);
}

/* One number needs no pivoting, and the regularised equations of a single row are solved millions of times. */
static CardanStatus divide(CrdLabPlace place, int columns, double a, double *b) {
    if (a == 0.0) return singular(place, 0.0);
    for (int j = 0; j < columns; j++) b[j] /= a;
    return crd_lab_finite(b, columns) ? CARDAN_OK : not_finite(place);
}

/* Scales row i of a and b by 1/r_i and column j of a by 1/c_j; false when one is zero. */
static bool equilibrate(int n, int columns, double *a, double *b, double *c) {
    for (int i = 0; i < n; i++) {
        double largest = crd_lab_largest(a + i * n, n);
        if (largest == 0.0) return false;
        for (int j = 0; j < n; j++) a[i * n + j] /= largest;
        for (int j = 0; j < columns; j++) b[i * columns + j] /= largest;
    }
    for (int j = 0; j < n; j++) {
        c[j] = 0.0;
        for (int i = 0; i < n; i++) c[j] = fmax(c[j], fabs(a[i * n + j]));
        if (c[j] == 0.0) return false;
        for (int i = 0; i < n; i++) a[i * n + j] /= c[j];
    }
    return true;
}

/* a <- its factor; the reciprocal condition number of a before. work: 4 n, iwork: n. */
static double factor(int n, double *a, lapack_int *pivots, double *work, lapack_int *iwork) {
    double rcond = 0.0, norm = LAPACKE_dlange_work(LAPACK_COL_MAJOR, '1', n, n, a, n, work);
    if (LAPACKE_dgetrf_work(LAPACK_COL_MAJOR, n, n, a, n, pivots) != 0) return 0.0;
    LAPACKE_dgecon_work(LAPACK_COL_MAJOR, '1', n, a, n, norm, &rcond, work, iwork);
    return rcond;
}

static void count(CrdLabDesk *desk, int n, int columns) {
    double size = n;
    desk->factorisations++;
    desk->solves += columns;
    desk->operations += size * size * (size / 3.0 + columns);
}

CardanStatus crd_lab_solve(CrdLabPlace place, int n, int columns, double *a, double *b) {
    if (n == 0 || columns == 0) return CARDAN_OK;
    count(place.desk, n, columns);
    if (!crd_lab_finite(a, n * n) || !crd_lab_finite(b, n * columns)) return not_finite(place);
    if (n == 1) return divide(place, columns, a[0], b);
    CrdLabMark mark = crd_lab_mark(place.desk);
    double *scale = crd_lab_numbers(place.desk, n, 1), *x = crd_lab_numbers(place.desk, n, 1),
           *work = crd_lab_numbers(place.desk, n, 4);
    lapack_int *pivots = crd_lab_take(place.desk, (size_t)n, sizeof *pivots),
               *iwork = crd_lab_take(place.desk, (size_t)n, sizeof *iwork);
    if (place.desk->empty) return crd_fail_memory(place.desk->error);
    if (!equilibrate(n, columns, a, b, scale)) return singular(place, 0.0);
    double rcond = factor(n, a, pivots, work, iwork);
    if (!(rcond >= CRD_LAB_RCOND)) return singular(place, rcond);
    for (int j = 0; j < columns; j++) {
        for (int i = 0; i < n; i++) x[i] = b[i * columns + j];
        LAPACKE_dgetrs_work(LAPACK_COL_MAJOR, 'T', n, 1, a, n, pivots, x, n);
        for (int i = 0; i < n; i++) b[i * columns + j] = x[i] / scale[i];
    }
    crd_lab_back(place.desk, mark);
    return crd_lab_finite(b, n * columns) ? CARDAN_OK : not_finite(place);
}

CardanStatus crd_lab_least_squares(CrdLabPlace place, int m, int n, int p, double *a, double *r, double *c, double *d,
                                   double *x) {
    enum { OPTIMAL = 64 }; /* columns at once, as LAPACK likes them */
    int room = p + (m < n ? m : n) + (m > n ? m : n) * OPTIMAL;
    CrdLabMark mark = crd_lab_mark(place.desk);
    double *at = crd_lab_numbers(place.desk, m, n), *ct = crd_lab_numbers(place.desk, p, n),
           *work = crd_lab_numbers(place.desk, room, 1);
    if (place.desk->empty) return crd_fail_memory(place.desk->error);
    count(place.desk, n, 1);
    if (!crd_lab_finite(a, m * n) || !crd_lab_finite(c, p * n) || !crd_lab_finite(r, m) || !crd_lab_finite(d, p))
        return not_finite(place);
    crd_lab_transpose(m, n, a, at);
    crd_lab_transpose(p, n, c, ct);
    if (LAPACKE_dgglse_work(LAPACK_COL_MAJOR, m, n, p, at, m, ct, p, r, d, x, work, room) != 0)
        return singular(place, 0.0);
    crd_lab_back(place.desk, mark);
    return crd_lab_finite(x, n) ? CARDAN_OK : not_finite(place);
}
