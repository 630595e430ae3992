/* Gaussian elimination (LAPACK getrf) on a matrix whose rows and columns are first scaled to largest entries of 1: the
 * unknowns are slopes, multipliers and their rates in different units, and a condition number should speak of
 * dependence, not of units. */
#include "step/newton.h"

#include <float.h>
#include <math.h>

#include "core/numbers.h"

void crd_newton_layout(CrdNewton *newton, int n, CrdArena *arena) {
    size_t count = (size_t)n, real = sizeof(double);
    newton->n = n;
    newton->matrix = crd_take(arena, count, count * real);
    newton->row = crd_take(arena, count, real);
    newton->column = crd_take(arena, count, real);
    newton->change = crd_take(arena, count, real);
    newton->work = crd_take(arena, 4 * count, real);
    newton->pivots = crd_take(arena, count, sizeof *newton->pivots);
    newton->iwork = crd_take(arena, count, sizeof *newton->iwork);
}

/* CARDAN_ERR_NUMERIC: a row or column is zero (*rcond 0), or an entry is not finite (*rcond NaN). */
static CardanStatus equilibrate(CrdNewton *newton, double *rcond) {
    size_t n = (size_t)newton->n;
    for (size_t i = 0; i < n; i++) newton->row[i] = 0.0;
    for (size_t j = 0; j < n; j++)
        for (size_t i = 0; i < n; i++) {
            double size = fabs(newton->matrix[i + n * j]);
            if (!(size <= newton->row[i])) newton->row[i] = size; /* also a NaN */
        }
    for (size_t i = 0; i < n; i++) {
        *rcond = newton->row[i] <= DBL_MAX ? 0.0 : (double)NAN;
        if (!(newton->row[i] > 0.0 && newton->row[i] <= DBL_MAX)) return CARDAN_ERR_NUMERIC;
    }
    for (size_t j = 0; j < n; j++) {
        double *a = newton->matrix + n * j, largest = 0.0;
        for (size_t i = 0; i < n; i++) {
            a[i] /= newton->row[i];
            largest = fmax(largest, fabs(a[i]));
        }
        if (!(largest > 0.0)) return CARDAN_ERR_NUMERIC;
        for (size_t i = 0; i < n; i++) a[i] /= largest;
        newton->column[j] = largest;
    }
    return CARDAN_OK;
}

CardanStatus crd_newton_factor(CrdNewton *newton, double *rcond) {
    lapack_int n = newton->n;
    *rcond = 0.0;
    CRD_TRY(equilibrate(newton, rcond));
    double norm = LAPACKE_dlange_work(LAPACK_COL_MAJOR, '1', n, n, newton->matrix, n, newton->work);
    if (LAPACKE_dgetrf_work(LAPACK_COL_MAJOR, n, n, newton->matrix, n, newton->pivots) != 0) return CARDAN_ERR_NUMERIC;
    LAPACKE_dgecon_work(LAPACK_COL_MAJOR, '1', n, newton->matrix, n, norm, rcond, newton->work, newton->iwork);
    return *rcond >= CRD_STEP_RCOND ? CARDAN_OK : CARDAN_ERR_NUMERIC; /* also a NaN */
}

CardanStatus crd_newton_solve(CrdNewton *newton) {
    lapack_int n = newton->n;
    double *x = newton->change;
    for (int i = 0; i < n; i++) x[i] /= newton->row[i];
    LAPACKE_dgetrs_work(LAPACK_COL_MAJOR, 'N', n, 1, newton->matrix, n, newton->pivots, x, n);
    bool finite = true;
    for (int i = 0; i < n; i++) {
        x[i] /= newton->column[i];
        finite = finite && fabs(x[i]) <= DBL_MAX;
    }
    return finite ? CARDAN_OK : CARDAN_ERR_NUMERIC;
}
