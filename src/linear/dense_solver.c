/* Small systems: S = U^T U by LAPACK on a full column-major matrix, upper triangle only.
 *
 *     u_jj^2 = s_jj - sum_{k<j} u_kj^2        pivot of row j: u_jj^2, watched against s_jj
 *
 * LAPACKE's _work calls neither allocate nor look for NaN; a NaN reaches the diagonal and the watch finds it. Where a
 * row is to be left out dpotrf cannot go on, and the same is done here column by column: its u_jj is 0 and so is its
 * inverse, and with it every entry of its row of U. */
#include "core/memory.h"
#include "linear/pivot.h"
#include "linear/solver.h"

#include <assert.h>
#include <lapacke.h>
#include <string.h>

typedef struct Dense {
    CrdSolver base;
    double *u;       /* (n x n) column-major; S, then its factor U above the diagonal; filled by factor */
    double *inverse; /* (n x 1) 1 / u_jj: no division stands in the way of the sweeps; filled by factor */
    bool factored;   /* a solve may follow */
} Dense;

static void expand(const CrdPattern *pattern, const double *s, double *u) {
    for (int j = 0; j < pattern->n; j++) {
        double *column = u + (size_t)j * (size_t)pattern->n;
        memset(column, 0, ((size_t)j + 1) * sizeof *column);
        for (int k = pattern->start[j]; k < pattern->start[j + 1]; k++) column[pattern->row[k]] = s[k];
    }
}

static void destroy(CrdSolver *solver) {
    if (solver == NULL) return;
    Dense *dense = (Dense *)solver;
    crd_solver_close(solver);
    crd_delete(dense);
}

/* OpenBLAS takes its own buffers at first use: let that happen now. */
static void warm_up(Dense *dense) {
    int n = dense->base.pattern.n;
    for (int j = 0; j < n; j++) dense->u[(size_t)j * (size_t)n + (size_t)j] = 1.0;
    if (n > 0) LAPACKE_dpotrf_work(LAPACK_COL_MAJOR, 'U', n, dense->u, n);
}

static CardanStatus create(const CrdPattern *pattern, int velocities, CrdSolver **out, CrdError *error) {
    (void)velocities;
    *out = NULL;
    Dense *dense = crd_new(1, sizeof *dense);
    if (dense == NULL) return crd_fail_memory(error);
    CardanStatus status = crd_solver_open(&dense->base, &crd_solver_dense, pattern, error);
    size_t n = (size_t)pattern->n;
    dense->u = crd_solver_new(&dense->base, n, n * sizeof *dense->u);
    dense->inverse = crd_solver_new(&dense->base, n, sizeof *dense->inverse);
    if (!dense->base.lacks_memory) warm_up(dense);
    return crd_solver_finish(&dense->base, status, out, error);
}

/* The pivot at which dpotrf stopped: it need not leave the number behind, but the column above is finished. */
static double failed_pivot(const double *column, int j, double s) {
    assert(j >= 0);
    for (int k = 0; k < j; k++) s -= column[k] * column[k];
    return s < 0.0 ? s : 0.0;
}

/* Judges the pivots of a factor that LAPACK finished up to row `good`. */
static CrdPivotVerdict judge(Dense *dense, const CrdMatrix *matrix, int good, CrdPivot *pivot) {
    const CrdPattern *pattern = &dense->base.pattern;
    for (int j = 0; j < pattern->n; j++) {
        const double *column = dense->u + (size_t)j * (size_t)pattern->n;
        double s = matrix->s[pattern->start[j + 1] - 1];
        double d = j < good ? column[j] * column[j] : failed_pivot(column, j, s);
        CrdPivotVerdict verdict = crd_pivot_judge(&dense->base, pivot, j, d, s);
        if (verdict != CRD_PIVOT_KEPT) return verdict;
        dense->inverse[j] = 1.0 / column[j];
    }
    return CRD_PIVOT_KEPT;
}

/* u_kj = (s_kj - sum_{i<k} u_ik u_ij) / u_kk, rows left out on the way. */
static bool factor_by_columns(Dense *dense, const CrdMatrix *matrix, CrdPivot *pivot) {
    const CrdPattern *pattern = &dense->base.pattern;
    expand(pattern, matrix->s, dense->u);
    for (int j = 0; j < pattern->n; j++) {
        double *column = dense->u + (size_t)j * (size_t)pattern->n, d = column[j];
        for (int k = 0; k < j; k++) {
            const double *other = dense->u + (size_t)k * (size_t)pattern->n;
            double sum = column[k];
            for (int i = 0; i < k; i++) sum -= other[i] * column[i];
            column[k] = sum * dense->inverse[k];
            d -= column[k] * column[k];
        }
        CrdPivotVerdict verdict = crd_pivot_judge(&dense->base, pivot, j, d, matrix->s[pattern->start[j + 1] - 1]);
        if (verdict == CRD_PIVOT_REFUSED) return false;
        column[j] = verdict == CRD_PIVOT_KEPT ? sqrt(d) : 0.0;
        dense->inverse[j] = verdict == CRD_PIVOT_KEPT ? 1.0 / column[j] : 0.0;
    }
    return true;
}

static CardanStatus factor(CrdSolver *solver, const CrdMatrix *matrix, CrdPivot *pivot) {
    Dense *dense = (Dense *)solver;
    const CrdPattern *pattern = &solver->pattern;
    dense->factored = false;
    *pivot = crd_pivot_start(solver);
    expand(pattern, matrix->s, dense->u);
    int stopped = pattern->n > 0 ? LAPACKE_dpotrf_work(LAPACK_COL_MAJOR, 'U', pattern->n, dense->u, pattern->n) : 0;
    if (stopped < 0) return CARDAN_ERR_INTERNAL;
    assert(stopped <= pattern->n);
    int good = stopped > 0 ? stopped - 1 : pattern->n; /* leading rows with a positive pivot or NaN */
    CrdPivotVerdict verdict = judge(dense, matrix, good, pivot);
    if (verdict == CRD_PIVOT_LEFT_OUT) { /* again, with care */
        *pivot = crd_pivot_start(solver);
        if (!factor_by_columns(dense, matrix, pivot)) verdict = CRD_PIVOT_REFUSED;
    }
    assert(pivot->dropped == 0 || solver->drop > 0.0);
    dense->factored = verdict != CRD_PIVOT_REFUSED;
    return dense->factored ? CARDAN_OK : CARDAN_ERR_NUMERIC;
}

/* U^T z = r down the columns, then U x = z. dpotrs does the same, but for 5 rows it costs four times as much. */
static CardanStatus solve(CrdSolver *solver, double *r) {
    const Dense *dense = (const Dense *)solver;
    int n = solver->pattern.n;
    if (!dense->factored) return CARDAN_ERR_INTERNAL;
    for (int j = 0; j < n; j++) {
        const double *column = dense->u + (size_t)j * (size_t)n;
        double sum = r[j];
        for (int k = 0; k < j; k++) sum -= column[k] * r[k];
        r[j] = sum * dense->inverse[j];
    }
    for (int j = n - 1; j >= 0; j--) {
        const double *column = dense->u + (size_t)j * (size_t)n;
        double x = r[j] * dense->inverse[j];
        for (int k = 0; k < j; k++) r[k] -= column[k] * x;
        r[j] = x;
    }
    return CARDAN_OK;
}

const CrdSolverOps crd_solver_dense = {.name = "dense",
                                       .summary = "LAPACK's Cholesky of the full matrix",
                                       .create = create,
                                       .factor = factor,
                                       .solve = solve,
                                       .destroy = destroy,
                                       .work = {.known = true, .full = true, .unit = {28.0, 2.9, 0.0084}}};
