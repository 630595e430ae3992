/* Small systems: S = U^T U by LAPACK on a full column-major matrix, upper triangle only.
 *
 *     u_jj^2 = s_jj - sum_{k<j} u_kj^2        pivot of row j: u_jj^2, watched against s_jj
 *
 * LAPACKE's _work calls neither allocate nor look for NaN; a NaN reaches the diagonal and the watch finds it. */
#include "core/memory.h"
#include "solve/pivot.h"
#include "solve/solver.h"

#include <lapacke.h>
#include <string.h>

typedef struct Dense {
    CrdSolver base;
    double *u;       /* (n x n) column-major; S, then its factor U above the diagonal; filled by factor */
    double *inverse; /* (n x 1) 1 / u_jj: no division stands in the way of the sweeps; filled by factor */
    bool factored;   /* a solve may follow */
} Dense;

static void expand(const CrdPattern *p, const double *s, double *u) {
    for (int j = 0; j < p->n; j++) {
        double *column = u + (size_t)j * (size_t)p->n;
        memset(column, 0, ((size_t)j + 1) * sizeof *column);
        for (int k = p->start[j]; k < p->start[j + 1]; k++) column[p->row[k]] = s[k];
    }
}

static void destroy(CrdSolver *solver) {
    if (solver == NULL) return;
    Dense *dense = (Dense *)solver;
    crd_delete(dense->u);
    crd_delete(dense->inverse);
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
    dense->base = (CrdSolver){&crd_solver_dense, *pattern};
    size_t n = (size_t)pattern->n;
    dense->u = crd_new(n, n * sizeof *dense->u);
    dense->inverse = crd_new(n, sizeof *dense->inverse);
    if (dense->u == NULL || dense->inverse == NULL) {
        destroy(&dense->base);
        return crd_fail_memory(error);
    }
    warm_up(dense);
    *out = &dense->base;
    return CARDAN_OK;
}

/* The pivot at which dpotrf stopped: it need not leave the number behind, but the column above is finished. */
static double failed_pivot(const double *column, int j, double s) {
    for (int k = 0; k < j; k++) s -= column[k] * column[k];
    return s < 0.0 ? s : 0.0;
}

static CardanStatus factor(CrdSolver *solver, const CrdMatrix *matrix, CrdPivot *pivot) {
    Dense *dense = (Dense *)solver;
    const CrdPattern *p = &solver->pattern;
    dense->factored = false;
    *pivot = crd_pivot_perfect(p->n);
    expand(p, matrix->s, dense->u);
    int stopped = p->n > 0 ? LAPACKE_dpotrf_work(LAPACK_COL_MAJOR, 'U', p->n, dense->u, p->n) : 0;
    if (stopped < 0) return CARDAN_ERR_INTERNAL;
    int good = stopped > 0 ? stopped - 1 : p->n; /* leading rows with a positive pivot or NaN */
    for (int j = 0; j < p->n; j++) {
        const double *column = dense->u + (size_t)j * (size_t)p->n;
        double s = matrix->s[p->start[j + 1] - 1];
        double d = j < good ? column[j] * column[j] : failed_pivot(column, j, s);
        if (!crd_pivot_take(pivot, j, d, s)) return CARDAN_ERR_NUMERIC;
        dense->inverse[j] = 1.0 / column[j];
    }
    dense->factored = true;
    return CARDAN_OK;
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

const CrdSolverOps crd_solver_dense = {"dense", create, factor, solve, destroy};
