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
#include "solve/pivot.h"
#include "solve/solver.h"

#include <lapacke.h>
#include <limits.h>
#include <string.h>

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

static double *column_of(const Saddle *s, int j) {
    return s->k + (size_t)j * (size_t)s->order;
}

static void destroy(CrdSolver *solver) {
    if (solver == NULL) return;
    Saddle *s = (Saddle *)solver;
    crd_delete(s->k);
    crd_delete(s->e);
    crd_delete(s->x);
    crd_delete(s->work);
    crd_delete(s->pivots);
    crd_delete(s->iwork);
    crd_delete(s);
}

static bool allocate(Saddle *s) {
    size_t order = (size_t)s->order;
    double best = 0.0; /* LAPACK's wish for dsytrf; dsycon needs 2 order */
    LAPACKE_dsytrf_work(LAPACK_COL_MAJOR, 'L', s->order, &best, s->order, NULL, &best, -1);
    if (best < 2.0 * (double)order) best = 2.0 * (double)order;
    if (best > (double)INT_MAX) return false;
    s->work_size = (lapack_int)best;
    s->k = crd_new(order, order * sizeof *s->k);
    s->e = crd_new(order, sizeof *s->e);
    s->x = crd_new(order, sizeof *s->x);
    s->work = crd_new((size_t)s->work_size, sizeof *s->work);
    s->pivots = crd_new(order, sizeof *s->pivots);
    s->iwork = crd_new(order, sizeof *s->iwork);
    return s->k != NULL && s->e != NULL && s->x != NULL && s->work != NULL && s->pivots != NULL && s->iwork != NULL;
}

/* x <- K^-1 x with the factor */
static void apply_inverse(Saddle *s) {
    LAPACKE_dsytrs_work(LAPACK_COL_MAJOR, 'L', s->order, 1, s->k, s->order, s->pivots, s->x, s->order);
}

/* Factors K; its reciprocal condition number, 0 when a pivot is exactly 0, NaN when LAPACK met one. */
static double factor_scaled(Saddle *s) {
    double norm = LAPACKE_dlansy_work(LAPACK_COL_MAJOR, '1', 'L', s->order, s->k, s->order, s->work), rcond = 0.0;
    lapack_int zero =
        LAPACKE_dsytrf_work(LAPACK_COL_MAJOR, 'L', s->order, s->k, s->order, s->pivots, s->work, s->work_size);
    if (zero != 0) return 0.0;
    LAPACKE_dsycon_work(LAPACK_COL_MAJOR, 'L', s->order, s->k, s->order, s->pivots, norm, &rcond, s->work, s->iwork);
    return rcond;
}

static CardanStatus create(const CrdPattern *pattern, int velocities, CrdSolver **out, CrdError *error) {
    *out = NULL;
    if (pattern->n > INT_MAX - velocities)
        return crd_fail(error, CARDAN_ERR_LIMIT, "%d rows and %d velocities are too many for the saddle solver",
                        pattern->n, velocities);
    Saddle *s = crd_new(1, sizeof *s);
    if (s == NULL) return crd_fail_memory(error);
    s->base = (CrdSolver){.ops = &crd_solver_saddle, .pattern = *pattern};
    s->nv = velocities;
    s->order = velocities + pattern->n;
    if (pattern->n > 0 && !allocate(s)) {
        destroy(&s->base);
        return crd_fail_memory(error);
    }
    if (pattern->n > 0) { /* OpenBLAS takes its own buffers at first use: let that happen now */
        for (int j = 0; j < s->order; j++) column_of(s, j)[j] = 1.0;
        factor_scaled(s);
        apply_inverse(s);
    }
    *out = &s->base;
    return CARDAN_OK;
}

/* The first constraint row that moves velocity i: what to name when M is at fault. */
static int row_touching(const Saddle *s, int i) {
    for (int j = s->nv; j < s->order; j++)
        if (column_of(s, i)[j] != 0.0) return j - s->nv;
    return 0;
}

/* Whether all of K is finite; if not, *row is the first constraint row that shows it. */
static bool is_finite(const Saddle *s, int *row) {
    for (int j = 0; j < s->nv; j++)
        for (int i = 0; i < s->order; i++)
            if (!isfinite(column_of(s, j)[i])) {
                *row = i < s->nv ? row_touching(s, j) : i - s->nv;
                return false;
            }
    return true;
}

/* Fills e and scales the columns of M and G (M whole, G below it). false: the mass of velocity *at is not positive. */
static bool scale(Saddle *s, int *at) {
    for (int j = 0; j < s->nv; j++) {
        *at = j;
        double mass = column_of(s, j)[j];
        if (!(mass > 0.0)) return false;
        s->e[j] = 1.0 / sqrt(mass);
    }
    for (int i = s->nv; i < s->order; i++) {
        double sum = 0.0;
        for (int j = 0; j < s->nv; j++) {
            double g = column_of(s, j)[i] * s->e[j];
            sum += g * g;
        }
        s->e[i] = sum > 0.0 ? 1.0 / sqrt(sum) : 1.0;
    }
    for (int j = 0; j < s->nv; j++)
        for (int i = 0; i < s->order; i++) column_of(s, j)[i] *= s->e[i] * s->e[j];
    return true;
}

/* Tries the scaled M by Cholesky in its upper triangle, which dsytrf will not read; the diagonal is put back. */
static bool mass_is_positive(Saddle *s, CrdPivot *pivot) {
    for (int j = 0; j < s->nv; j++) s->x[j] = column_of(s, j)[j];
    lapack_int stopped = LAPACKE_dpotrf_work(LAPACK_COL_MAJOR, 'U', s->nv, s->k, s->order);
    bool good = true;
    for (int j = 0; good && j < s->nv; j++) {
        double u = stopped > 0 && j >= stopped - 1 ? 0.0 : column_of(s, j)[j];
        good = crd_pivot_take(pivot, j, u * u, s->x[j]);
    }
    for (int j = 0; j < s->nv; j++) column_of(s, j)[j] = s->x[j];
    return good;
}

/* The last row of a combination of rows that vanishes, found by inverse iteration: it depends on those before it. */
static int dependent_row(Saddle *s) {
    int n = s->base.pattern.n, row = 0;
    for (int j = 0; j < s->order; j++) {
        if (s->pivots[j] > 0 && column_of(s, j)[j] == 0.0) column_of(s, j)[j] = CRD_EPS;
        s->x[j] = 1.0 + 0.5 * sin((double)j); /* any vector with a part along the null vector */
    }
    double largest = 0.0;
    for (int pass = 0; pass < 2; pass++) {
        for (int j = 0; pass > 0 && j < s->order; j++) s->x[j] /= largest;
        apply_inverse(s);
        largest = 0.0;
        for (int j = s->nv; j < s->order; j++) largest = fmax(largest, fabs(s->x[j]));
        if (!(largest > 0.0)) return 0;
    }
    for (int j = 0; j < n; j++)
        if (fabs(s->x[s->nv + j]) > CRD_NULL_SUPPORT * largest) row = j;
    return row;
}

static CardanStatus factor(CrdSolver *solver, const CrdMatrix *matrix, CrdPivot *pivot) {
    Saddle *s = (Saddle *)solver;
    size_t order = (size_t)s->order;
    *pivot = crd_pivot_perfect(solver->pattern.n);
    s->factored = solver->pattern.n == 0;
    if (s->factored) return CARDAN_OK;
    if (matrix->fill_saddle == NULL || matrix->velocities != s->nv) return CARDAN_ERR_ARGUMENT;
    memset(s->k, 0, order * order * sizeof *s->k);
    matrix->fill_saddle(matrix->user, s->k, s->order);
    int at = 0;
    if (!is_finite(s, &at)) {
        *pivot = (CrdPivot){.ratio = (double)NAN, .row = at};
        return CARDAN_ERR_NUMERIC;
    }
    if (!scale(s, &at)) {
        *pivot = (CrdPivot){.ratio = 0.0, .row = row_touching(s, at)};
        return CARDAN_ERR_NUMERIC;
    }
    if (!mass_is_positive(s, pivot)) {
        pivot->row = row_touching(s, pivot->row);
        return CARDAN_ERR_NUMERIC;
    }
    *pivot = (CrdPivot){.ratio = factor_scaled(s), .row = 0};
    s->factored = pivot->ratio > CRD_SADDLE_RCOND;
    if (!s->factored) pivot->row = dependent_row(s);
    return s->factored ? CARDAN_OK : CARDAN_ERR_NUMERIC;
}

static CardanStatus solve(CrdSolver *solver, double *r) {
    Saddle *s = (Saddle *)solver;
    int n = solver->pattern.n;
    if (!s->factored) return CARDAN_ERR_INTERNAL;
    if (n == 0) return CARDAN_OK;
    memset(s->x, 0, (size_t)s->nv * sizeof *s->x);
    for (int j = 0; j < n; j++) s->x[s->nv + j] = -r[j] * s->e[s->nv + j];
    apply_inverse(s);
    for (int j = 0; j < n; j++) r[j] = s->x[s->nv + j] * s->e[s->nv + j];
    return CARDAN_OK;
}

const CrdSolverOps crd_solver_saddle = {"saddle", create, factor, solve, destroy, false};
