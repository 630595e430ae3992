/* The slow reference: the saddle-point matrix itself, dense, by LAPACK's Bunch-Kaufman factorisation. S is never made.
 *
 *     [ M  G^T ] [ x      ]   [  0 ]
 *     [ G  0   ] [ lambda ] = [ -r ]      =>   G M^-1 G^T lambda = r
 *
 * The matrix is scaled on both sides, K <- E K E, so that M has a unit diagonal and the rows of G unit length: the
 * condition number then speaks of dependent rows and not of light and heavy bodies. With sigma the singular values of
 * the scaled M^-1/2 G^T, the eigenvalue of K next to 0 is about -sigma_min^2: the same size as the pivots of S.
 * K is invertible for some M that are not positive definite, so M is tried by Cholesky first. */
#include "core/memory.h"
#include "linear/pivot.h"
#include "linear/solver.h"

#include <assert.h>
#include <lapacke.h>
#include <limits.h>
#include <string.h>

/* Reciprocal condition of the scaled saddle matrix at which it is singular to rounding: dependent rows leave about
 * 2e-17, a chain of 60 rows with a mass ratio of 1e10 has 4e-14 (measured on the systems of tests/unit). */
#define CRD_SADDLE_RCOND 1e-15

typedef struct Saddle {
    CrdSolver base;
    int nv, order;      /* velocities; nv + n */
    double *k;          /* (order x order) column-major; K, then its factor in the lower triangle; filled by factor */
    double *e;          /* (order x 1) the scaling; filled by factor */
    double *x;          /* (order x 1) right side and solution; scratch of factor and solve */
    double *work;       /* (work_size x 1) LAPACK's */
    lapack_int *pivots; /* (order x 1) interchanges; filled by factor */
    lapack_int *iwork;  /* (order x 1) LAPACK's */
    lapack_int work_size;
    bool factored; /* a solve may follow */
} Saddle;

static double *column_of(const Saddle *saddle, int j) {
    assert(j >= 0 && j < saddle->order);
    return saddle->k + (size_t)j * (size_t)saddle->order;
}

static void destroy(CrdSolver *solver) {
    if (solver == NULL) return;
    Saddle *saddle = (Saddle *)solver;
    crd_solver_close(solver);
    crd_delete(saddle);
}

static bool allocate(Saddle *saddle) {
    size_t order = (size_t)saddle->order;
    double best = 0.0; /* LAPACK's wish for dsytrf; dsycon needs 2 order */
    LAPACKE_dsytrf_work(LAPACK_COL_MAJOR, 'L', saddle->order, &best, saddle->order, NULL, &best, -1);
    if (best < 2.0 * (double)order) best = 2.0 * (double)order;
    if (best > (double)INT_MAX) return false;
    saddle->work_size = (lapack_int)best;
    saddle->k = crd_solver_new(&saddle->base, order, order * sizeof *saddle->k);
    saddle->e = crd_solver_new(&saddle->base, order, sizeof *saddle->e);
    saddle->x = crd_solver_new(&saddle->base, order, sizeof *saddle->x);
    saddle->work = crd_solver_new(&saddle->base, (size_t)saddle->work_size, sizeof *saddle->work);
    saddle->pivots = crd_solver_new(&saddle->base, order, sizeof *saddle->pivots);
    saddle->iwork = crd_solver_new(&saddle->base, order, sizeof *saddle->iwork);
    return !saddle->base.lacks_memory;
}

/* x <- K^-1 x with the factor */
static void apply_inverse(Saddle *saddle) {
    int n = saddle->order;
    lapack_int info = LAPACKE_dsytrs_work(LAPACK_COL_MAJOR, 'L', n, 1, saddle->k, n, saddle->pivots, saddle->x, n);
    assert(info == 0);
    (void)info;
}

/* Factors K; its reciprocal condition number, 0 when a pivot is exactly 0, NaN when LAPACK met one. */
static double factor_scaled(Saddle *saddle) {
    int n = saddle->order, room = saddle->work_size;
    double *k = saddle->k, *work = saddle->work, norm = LAPACKE_dlansy_work(LAPACK_COL_MAJOR, '1', 'L', n, k, n, work);
    double rcond = 0.0;
    if (LAPACKE_dsytrf_work(LAPACK_COL_MAJOR, 'L', n, k, n, saddle->pivots, work, room) != 0) return 0.0;
    LAPACKE_dsycon_work(LAPACK_COL_MAJOR, 'L', n, k, n, saddle->pivots, norm, &rcond, work, saddle->iwork);
    return rcond;
}

static CardanStatus create(const CrdPattern *pattern, int velocities, CrdSolver **out, CrdError *error) {
    *out = NULL;
    if (pattern->n > INT_MAX - velocities)
        return crd_fail(error, CARDAN_ERR_LIMIT, "%d rows and %d velocities are too many for the saddle solver",
                        pattern->n, velocities);
    Saddle *saddle = crd_new(1, sizeof *saddle);
    if (saddle == NULL) return crd_fail_memory(error);
    saddle->base = (CrdSolver){.ops = &crd_solver_saddle, .pattern = *pattern};
    assert(velocities >= 0 && pattern->slot == NULL);
    saddle->nv = velocities;
    saddle->order = velocities + pattern->n;
    CardanStatus status = pattern->n > 0 && !allocate(saddle) ? crd_fail_memory(error) : CARDAN_OK;
    if (pattern->n > 0 && status >= 0) { /* OpenBLAS takes its own buffers at first use: let that happen now */
        for (int j = 0; j < saddle->order; j++) column_of(saddle, j)[j] = 1.0;
        factor_scaled(saddle);
        apply_inverse(saddle);
    }
    return crd_solver_finish(&saddle->base, status, out, error);
}

/* The first constraint row that moves velocity i: what to name when M is at fault. */
static int row_touching(const Saddle *saddle, int i) {
    for (int j = saddle->nv; j < saddle->order; j++)
        if (column_of(saddle, i)[j] != 0.0) return j - saddle->nv;
    return 0;
}

/* Whether all of K is finite; if not, *row is the first constraint row that shows it. */
static bool is_finite(const Saddle *saddle, int *row) {
    for (int j = 0; j < saddle->nv; j++)
        for (int i = 0; i < saddle->order; i++)
            if (!isfinite(column_of(saddle, j)[i])) {
                *row = i < saddle->nv ? row_touching(saddle, j) : i - saddle->nv;
                return false;
            }
    return true;
}

/* Fills e and scales the columns of M and G (M whole, G below it). false: the mass of velocity *at is not positive. */
static bool scale(Saddle *saddle, int *at) {
    for (int j = 0; j < saddle->nv; j++) {
        *at = j;
        double mass = column_of(saddle, j)[j];
        if (!(mass > 0.0)) return false;
        saddle->e[j] = 1.0 / sqrt(mass);
    }
    for (int i = saddle->nv; i < saddle->order; i++) {
        double sum = 0.0;
        for (int j = 0; j < saddle->nv; j++) {
            double g = column_of(saddle, j)[i] * saddle->e[j];
            sum += g * g;
        }
        saddle->e[i] = sum > 0.0 ? 1.0 / sqrt(sum) : 1.0;
    }
    for (int j = 0; j < saddle->nv; j++)
        for (int i = 0; i < saddle->order; i++) column_of(saddle, j)[i] *= saddle->e[i] * saddle->e[j];
    return true;
}

/* Tries the scaled M by Cholesky in its upper triangle, which dsytrf will not read; the diagonal is put back. */
static bool mass_is_positive(Saddle *saddle, CrdPivot *pivot) {
    for (int j = 0; j < saddle->nv; j++) saddle->x[j] = column_of(saddle, j)[j];
    lapack_int stopped = LAPACKE_dpotrf_work(LAPACK_COL_MAJOR, 'U', saddle->nv, saddle->k, saddle->order);
    bool good = true;
    for (int j = 0; good && j < saddle->nv; j++) {
        double u = stopped > 0 && j >= stopped - 1 ? 0.0 : column_of(saddle, j)[j];
        good = crd_pivot_take(pivot, j, u * u, saddle->x[j]);
    }
    for (int j = 0; j < saddle->nv; j++) column_of(saddle, j)[j] = saddle->x[j];
    return good;
}

/* The last row of a combination of rows that vanishes, found by inverse iteration: it depends on those before it. */
static int dependent_row(Saddle *saddle) {
    int n = saddle->base.pattern.n, row = 0;
    for (int j = 0; j < saddle->order; j++) {
        if (saddle->pivots[j] > 0 && column_of(saddle, j)[j] == 0.0) column_of(saddle, j)[j] = CRD_EPS;
        saddle->x[j] = 1.0 + 0.5 * sin((double)j); /* any vector with a part along the null vector */
    }
    double largest = 0.0;
    for (int pass = 0; pass < 2; pass++) {
        for (int j = 0; pass > 0 && j < saddle->order; j++) saddle->x[j] /= largest;
        apply_inverse(saddle);
        largest = 0.0;
        for (int j = saddle->nv; j < saddle->order; j++) largest = fmax(largest, fabs(saddle->x[j]));
        if (!(largest > 0.0)) return 0;
    }
    for (int j = 0; j < n; j++)
        if (fabs(saddle->x[saddle->nv + j]) > CRD_NULL_SUPPORT * largest) row = j;
    return row;
}

static CardanStatus factor(CrdSolver *solver, const CrdMatrix *matrix, CrdPivot *pivot) {
    Saddle *saddle = (Saddle *)solver;
    size_t order = (size_t)saddle->order;
    *pivot = crd_pivot_perfect(solver->pattern.n);
    saddle->factored = solver->pattern.n == 0;
    if (saddle->factored) return CARDAN_OK;
    if (matrix->fill_saddle == NULL || matrix->velocities != saddle->nv) return CARDAN_ERR_ARGUMENT;
    memset(saddle->k, 0, order * order * sizeof *saddle->k);
    matrix->fill_saddle(matrix->user, saddle->k, saddle->order);
    int at = 0;
    if (!is_finite(saddle, &at)) {
        *pivot = (CrdPivot){.ratio = (double)NAN, .row = at};
        return CARDAN_ERR_NUMERIC;
    }
    if (!scale(saddle, &at)) {
        *pivot = (CrdPivot){.ratio = 0.0, .row = row_touching(saddle, at)};
        return CARDAN_ERR_NUMERIC;
    }
    if (!mass_is_positive(saddle, pivot)) {
        pivot->row = row_touching(saddle, pivot->row);
        return CARDAN_ERR_NUMERIC;
    }
    *pivot = (CrdPivot){.ratio = factor_scaled(saddle), .row = 0};
    saddle->factored = pivot->ratio > CRD_SADDLE_RCOND;
    if (!saddle->factored) pivot->row = dependent_row(saddle);
    assert(pivot->row >= 0 && pivot->row < solver->pattern.n);
    return saddle->factored ? CARDAN_OK : CARDAN_ERR_NUMERIC;
}

static CardanStatus solve(CrdSolver *solver, double *r) {
    Saddle *saddle = (Saddle *)solver;
    int n = solver->pattern.n;
    if (!saddle->factored) return CARDAN_ERR_INTERNAL;
    if (n == 0) return CARDAN_OK;
    memset(saddle->x, 0, (size_t)saddle->nv * sizeof *saddle->x);
    for (int j = 0; j < n; j++) saddle->x[saddle->nv + j] = -r[j] * saddle->e[saddle->nv + j];
    apply_inverse(saddle);
    for (int j = 0; j < n; j++) r[j] = saddle->x[saddle->nv + j] * saddle->e[saddle->nv + j];
    return CARDAN_OK;
}

const CrdSolverOps crd_solver_saddle = {.name = "saddle",
                                        .summary = "the whole saddle-point matrix, a slow reference",
                                        .create = create,
                                        .factor = factor,
                                        .solve = solve,
                                        .destroy = destroy};
