/* Large systems: S = L D L^T by CHOLMOD's simplicial code, analysed once, in natural order (S arrives permuted).
 *
 *     forward   z_i -= l_ij z_j  (i > j)      diagonal  w_j = z_j / d_j      backward  x_j = w_j - sum_i l_ij x_i
 *
 * CHOLMOD's simplicial Cholesky and Core are LGPL; nothing of its GPL modules is called. Three of its habits matter:
 * cholmod_factorize returns TRUE for a matrix that is not positive definite (status and L->minor tell, and for LDL^T
 * a negative d_j tells alone); cholmod_solve2 allocates and permutes, so the sweeps stand here; and the numeric factor
 * takes its memory at the first factorisation, so one of the identity in the pattern of S is made at creation.
 *
 * Columns j .. j+w-1 of L whose rows below j+w are the same go through the sweeps together: each row index and each
 * entry of the vector is read once for w columns, at most CRD_WIDEST. A joint's rows make such groups: 1000 joints of 5
 * rows take 38 us with 3 columns together, 28 us with 6.
 *
 * Rows are left out by CHOLMOD's dbound, which is absolute and not exact, so S is scaled to a unit diagonal first and a
 * pivot at the bound gets d_j = infinity and a column of zeros afterwards. What the bound has let through by then is
 * l_ij^2 d_j in every later pivot i: rounding for redundant rows. Where it is more (rows nearly dependent, not
 * redundant) row and column j are taken out of S and it is factored again. */
#include "core/memory.h"
#include "linear/pivot.h"
#include "linear/solver.h"
#include "linear/width.h"

#include <assert.h>
#include <stdint.h>
#include <suitesparse/cholmod.h>

typedef struct Cholmod {
    CrdSolver base;
    cholmod_common common;
    cholmod_sparse s; /* header over the pattern and the values of the matrix being factored; not owned */
    cholmod_factor *l;
    int *width;    /* (n x 1) at the first column of a group its width, elsewhere 0; constant after creation */
    int *last;     /* (n x 1) at the last column of a group its width, elsewhere 0; for the way back */
    double *scale; /* (n x 1) S is scaled by this on both sides; filled by factor where rows may be left out */
    double *t;     /* (values of S) the scaled S */
    bool scaled;   /* the factor is that of the scaled S */
    bool factored; /* a solve may follow */
} Cholmod;

/* CHOLMOD's structures know no const, but it does not write to a matrix it factors. */
static void *without_const(const void *pointer) {
    return (void *)(uintptr_t)pointer;
}

static void destroy(CrdSolver *solver) {
    if (solver == NULL) return;
    Cholmod *cholmod = (Cholmod *)solver;
    cholmod_free_factor(&cholmod->l, &cholmod->common);
    cholmod_finish(&cholmod->common);
    crd_solver_close(solver);
    crd_delete(cholmod);
}

static void configure(cholmod_common *common) {
    cholmod_start(common);
    common->print = 0;
    common->error_handler = NULL;
    common->nmethods = 1;
    common->method[0].ordering = CHOLMOD_NATURAL;
    common->postorder = 0;
    common->supernodal = CHOLMOD_SIMPLICIAL;
    common->final_ll = 0;
    common->grow0 = common->grow1 = 0.0; /* columns never grow: the pattern is fixed */
    common->grow2 = 0;
}

static cholmod_sparse header(const CrdPattern *pattern, const double *s) {
    return (cholmod_sparse){.nrow = (size_t)pattern->n,
                            .ncol = (size_t)pattern->n,
                            .nzmax = (size_t)pattern->start[pattern->n],
                            .p = without_const(pattern->start),
                            .i = without_const(pattern->row),
                            .x = without_const(s),
                            .stype = 1, /* upper triangle: what the simplicial code wants */
                            .itype = CHOLMOD_INT,
                            .xtype = CHOLMOD_REAL,
                            .dtype = CHOLMOD_DOUBLE,
                            .sorted = 1,
                            .packed = 1};
}

static CardanStatus status_of(const cholmod_common *common) {
    switch (common->status) {
    case CHOLMOD_OK:
    case CHOLMOD_NOT_POSDEF:
    case CHOLMOD_DSMALL:  /* dbound was hit */
        return CARDAN_OK; /* the pivots tell */
    case CHOLMOD_OUT_OF_MEMORY:
        return CARDAN_ERR_MEMORY;
    case CHOLMOD_TOO_LARGE:
        return CARDAN_ERR_LIMIT;
    default:
        return CARDAN_ERR_INTERNAL;
    }
}

/* Analysis, and a first factorisation that makes CHOLMOD take all its memory. */
static CardanStatus prepare(Cholmod *cholmod) {
    const CrdPattern *pattern = &cholmod->base.pattern;
    for (int j = 0; j < pattern->n; j++) cholmod->t[pattern->start[j + 1] - 1] = 1.0;
    cholmod->s = header(pattern, cholmod->t);
    cholmod->l = cholmod_analyze(&cholmod->s, &cholmod->common);
    if (cholmod->l != NULL) cholmod_factorize(&cholmod->s, cholmod->l, &cholmod->common);
    cholmod->s.x = NULL;
    CRD_TRY(status_of(&cholmod->common));
    bool as_expected =
        cholmod->l != NULL && !cholmod->l->is_ll && !cholmod->l->is_super && cholmod->l->xtype == CHOLMOD_REAL;
    return as_expected ? CARDAN_OK : CARDAN_ERR_INTERNAL;
}

/* Whether the rows of column j are j and the rows of column j+1. The first row below j is its parent in the
 * elimination tree, whose rows contain those of j: equal numbers mean equal rows. */
static bool joins_next(const cholmod_factor *l, int j) {
    const int *start = l->p, *row = l->i, *count = l->nz;
    return count[j] > 1 && row[start[j] + 1] == j + 1 && count[j] == count[j + 1] + 1;
}

static void group_columns(Cholmod *cholmod) {
    int n = cholmod->base.pattern.n;
    assert(cholmod->l->n == (size_t)n && cholmod->l->is_monotonic);
    for (int j = 0, w; j < n; j += w) {
        for (w = 1; w < CRD_WIDEST && j + w < n && joins_next(cholmod->l, j + w - 1);) w++;
        cholmod->width[j] = w;
        cholmod->last[j + w - 1] = w;
    }
}

static CardanStatus create(const CrdPattern *pattern, int velocities, CrdSolver **out, CrdError *error) {
    (void)velocities;
    *out = NULL;
    Cholmod *cholmod = crd_new(1, sizeof *cholmod);
    if (cholmod == NULL) return crd_fail_memory(error);
    configure(&cholmod->common);
    CardanStatus status = crd_solver_open(&cholmod->base, &crd_solver_cholmod, pattern, error);
    size_t n = (size_t)pattern->n;
    cholmod->width = crd_solver_new(&cholmod->base, n, sizeof *cholmod->width);
    cholmod->last = crd_solver_new(&cholmod->base, n, sizeof *cholmod->last);
    cholmod->scale = crd_solver_new(&cholmod->base, n, sizeof *cholmod->scale);
    cholmod->t = crd_solver_new(&cholmod->base, n > 0 ? (size_t)pattern->start[n] : 0, sizeof *cholmod->t);
    bool ready = !cholmod->base.lacks_memory && n > 0;
    if (ready) status = prepare(cholmod);
    if (ready && status >= 0) group_columns(cholmod);
    if (status == CARDAN_ERR_MEMORY)
        crd_fail_memory(error);
    else if (status < 0)
        crd_fail(error, status, "CHOLMOD cannot analyse a system of %d rows", pattern->n);
    return crd_solver_finish(&cholmod->base, status, out, error);
}

static CardanStatus factorise(Cholmod *cholmod, const double *s, double bound) {
    assert(s != NULL && bound >= 0.0);
    cholmod->s.x = without_const(s);
    cholmod->common.dbound = bound;
    cholmod_factorize(&cholmod->s, cholmod->l, &cholmod->common);
    return status_of(&cholmod->common);
}

/* t = E S E with a unit diagonal; one that is 0 stays 0, and one that is not finite becomes no number. */
static void scale(Cholmod *cholmod, const double *s) {
    const CrdPattern *pattern = &cholmod->base.pattern;
    for (int j = 0; j < pattern->n; j++) {
        double size = fabs(s[pattern->start[j + 1] - 1]), e = size == 0.0 ? 1.0 : 1.0 / sqrt(size);
        if (!isfinite(size)) e = (double)NAN;
        cholmod->scale[j] = e;
        for (int k = pattern->start[j]; k < pattern->start[j + 1]; k++)
            cholmod->t[k] = s[k] * cholmod->scale[pattern->row[k]] * e;
    }
}

/* The largest part that a column left out still has in a later pivot. */
static double leak(const Cholmod *cholmod, int j) {
    const int *start = cholmod->l->p, *count = cholmod->l->nz;
    const double *x = (const double *)cholmod->l->x + start[j];
    double max = 0.0;
    for (int k = 1; k < count[j]; k++) max = fmax(max, fabs(x[k]));
    return max * max * fabs(x[0]);
}

/* Rows before `until` that are left out become those of the identity. */
static void mask_redundant(Cholmod *cholmod, int until) {
    const CrdPattern *pattern = &cholmod->base.pattern;
    const unsigned char *out = cholmod->base.is_dropped;
    for (int j = 0; j < pattern->n; j++)
        for (int k = pattern->start[j], i; k < pattern->start[j + 1]; k++)
            if (i = pattern->row[k], (i < until && out[i]) || (j < until && out[j])) cholmod->t[k] = i == j ? 1.0 : 0.0;
}

/* Judges the pivots; *leaking is the first row whose leaving out is not exact, n: there is none. Rows before `known`
 * that were left out stay so. */
static CrdPivotVerdict judge(Cholmod *cholmod, int known, int *leaking, CrdPivot *pivot) {
    CrdSolver *base = &cholmod->base;
    assert(known <= base->pattern.n && base->drop > 0.0);
    const int *start = cholmod->l->p, n = base->pattern.n;
    const double *x = cholmod->l->x;
    int good = cholmod->l->minor < (size_t)n ? (int)cholmod->l->minor : n;
    *pivot = crd_pivot_perfect(n);
    for (int j = 0; j < n; j++) {
        if (j < known && base->is_dropped[j]) {
            pivot->dropped++;
            continue;
        }
        base->is_dropped[j] = 0;
        CrdPivotVerdict verdict = crd_pivot_judge_by(base, pivot, j, j < good ? x[start[j]] : 0.0, 1.0, 1.0);
        if (verdict == CRD_PIVOT_REFUSED) return verdict;
        if (verdict == CRD_PIVOT_KEPT || leak(cholmod, j) <= CRD_EPS) continue;
        *leaking = j;
        return CRD_PIVOT_LEFT_OUT;
    }
    *leaking = n;
    return pivot->dropped > 0 ? CRD_PIVOT_LEFT_OUT : CRD_PIVOT_KEPT;
}

/* Columns left out in the finished factor. */
static void clear_columns(Cholmod *cholmod) {
    const int *start = cholmod->l->p, *count = cholmod->l->nz;
    double *x = cholmod->l->x;
    for (int j = 0; j < cholmod->base.pattern.n; j++) {
        if (!cholmod->base.is_dropped[j]) continue;
        assert(count[j] >= 1);
        x[start[j]] = (double)INFINITY;
        memset(x + start[j] + 1, 0, (size_t)(count[j] - 1) * sizeof *x);
    }
}

static CardanStatus factor_leaving_out(Cholmod *cholmod, const CrdMatrix *matrix, CrdPivot *pivot) {
    int n = cholmod->base.pattern.n, leaking = -1;
    scale(cholmod, matrix->s);
    do {
        int known = leaking + 1;
        if (known > 0) mask_redundant(cholmod, known);
        CRD_TRY(factorise(cholmod, cholmod->t, cholmod->base.drop));
        if (judge(cholmod, known, &leaking, pivot) == CRD_PIVOT_REFUSED) return CARDAN_ERR_NUMERIC;
        assert(leaking >= known); /* so it ends */
    } while (leaking < n);
    if (pivot->dropped > 0) clear_columns(cholmod);
    cholmod->factored = true;
    return CARDAN_OK;
}

static CardanStatus factor(CrdSolver *solver, const CrdMatrix *matrix, CrdPivot *pivot) {
    Cholmod *cholmod = (Cholmod *)solver;
    const CrdPattern *pattern = &solver->pattern;
    *pivot = crd_pivot_start(solver);
    cholmod->factored = pattern->n == 0;
    if (cholmod->factored) return CARDAN_OK;
    cholmod->scaled = solver->drop > 0.0;
    if (cholmod->scaled) return factor_leaving_out(cholmod, matrix, pivot);
    CRD_TRY(factorise(cholmod, matrix->s, 0.0));
    const int *start = cholmod->l->p;
    const double *x = cholmod->l->x;
    int good =
        cholmod->l->minor < (size_t)pattern->n ? (int)cholmod->l->minor : pattern->n; /* columns CHOLMOD has computed */
    for (int j = 0; j < pattern->n; j++) {
        double d = j < good ? x[start[j]] : 0.0, s = matrix->s[pattern->start[j + 1] - 1];
        if (!crd_pivot_take(pivot, j, d, s)) return CARDAN_ERR_NUMERIC;
        solver->ratio[j] = d / s;
    }
    cholmod->factored = true;
    return CARDAN_OK;
}

/* L as the sweeps read it. */
typedef struct Lower {
    const int *start, *row, *count;
    const double *x;
} Lower;

/* Forward through columns j .. j+w-1. */
static inline void forward(int w, const Lower *lower, int j, double *r) {
    assert(w >= 1 && w <= CRD_WIDEST); /* j is the first column of a group */
    const double *x[CRD_WIDEST];
    double z[CRD_WIDEST];
    for (int c = 0; c < w; c++) {
        x[c] = lower->x + lower->start[j + c] + (w - 1 - c); /* x[c][k]: entry of column j+c in row k below the group */
        z[c] = r[j + c];
        for (int b = 0; b < c; b++) z[c] -= x[b][c - (w - 1)] * z[b];
        r[j + c] = z[c];
    }
    const int *row = lower->row + lower->start[j + w - 1];
    int count = lower->count[j + w - 1];
    for (int k = 1; k < count; k++) {
        /* cppcheck-suppress uninitvar ; w >= 1: see the assert */
        double sum = x[0][k] * z[0];
        for (int c = 1; c < w; c++) sum += x[c][k] * z[c];
        r[row[k]] -= sum;
    }
}

/* Diagonal and backward through columns end-w .. end-1. */
static inline void backward(int w, const Lower *lower, int end, double *r) {
    int j = end - w;
    assert(w >= 1 && w <= CRD_WIDEST && j >= 0);
    const double *x[CRD_WIDEST];
    double z[CRD_WIDEST];
    for (int c = 0; c < w; c++) {
        const double *column = lower->x + lower->start[j + c];
        x[c] = column + (w - 1 - c);
        z[c] = r[j + c] / column[0];
    }
    const int *row = lower->row + lower->start[j + w - 1];
    int count = lower->count[j + w - 1];
    for (int k = 1; k < count; k++) {
        double t = r[row[k]];
        for (int c = 0; c < w; c++) z[c] -= x[c][k] * t;
    }
    for (int c = w - 1; c >= 0; c--) {
        for (int b = w - 1; b > c; b--) z[c] -= x[c][b - (w - 1)] * z[b];
        r[j + c] = z[c];
    }
}

static CardanStatus solve(CrdSolver *solver, double *r) {
    const Cholmod *cholmod = (const Cholmod *)solver;
    if (!cholmod->factored) return CARDAN_ERR_INTERNAL;
    if (solver->pattern.n == 0) return CARDAN_OK;
    Lower l = {cholmod->l->p, cholmod->l->i, cholmod->l->nz, cholmod->l->x};
    int n = solver->pattern.n;
    for (int j = 0; cholmod->scaled && j < n; j++) r[j] *= cholmod->scale[j];
    for (int j = 0; j < n; j += cholmod->width[j]) CRD_WITH_WIDTH(cholmod->width[j], forward, &l, j, r);
    for (int end = n; end > 0; end -= cholmod->last[end - 1])
        CRD_WITH_WIDTH(cholmod->last[end - 1], backward, &l, end, r);
    for (int j = 0; cholmod->scaled && j < n; j++) r[j] *= cholmod->scale[j];
    return CARDAN_OK;
}

const CrdSolverOps crd_solver_cholmod = {.name = "cholmod",
                                         .summary = "CHOLMOD's simplicial LDL'",
                                         .create = create,
                                         .factor = factor,
                                         .solve = solve,
                                         .destroy = destroy,
                                         .work = {.known = true, .call = 135.0, .unit = {8.0, 6.0, 0.44}}};
