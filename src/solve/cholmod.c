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
 * entry of the vector is read once for w columns. A joint's rows make such groups.
 *
 * Rows are left out by CHOLMOD's dbound, which is absolute and not exact, so S is scaled to a unit diagonal first and a
 * pivot at the bound gets d_j = infinity and a column of zeros afterwards. What the bound has let through by then is
 * l_ij^2 d_j in every later pivot i: rounding for redundant rows. Where it is more (rows nearly dependent, not
 * redundant) row and column j are taken out of S and it is factored again. */
#include "core/memory.h"
#include "solve/pivot.h"
#include "solve/solver.h"

#include <stdint.h>
#include <suitesparse/cholmod.h>

enum {
    WIDEST = 6
}; /* columns swept together: the rows of a joint. 1000 joints of 5 rows: 38 us with 3, 28 us with 6 */

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
    Cholmod *c = (Cholmod *)solver;
    cholmod_free_factor(&c->l, &c->common);
    cholmod_finish(&c->common);
    crd_delete(c->width);
    crd_delete(c->last);
    crd_delete(c->scale);
    crd_delete(c->t);
    crd_solver_close(solver);
    crd_delete(c);
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

static cholmod_sparse header(const CrdPattern *p, const double *s) {
    return (cholmod_sparse){.nrow = (size_t)p->n,
                            .ncol = (size_t)p->n,
                            .nzmax = (size_t)p->start[p->n],
                            .p = without_const(p->start),
                            .i = without_const(p->row),
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
    case CHOLMOD_DSMALL: /* dbound was hit */
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
static CardanStatus prepare(Cholmod *c) {
    const CrdPattern *p = &c->base.pattern;
    for (int j = 0; j < p->n; j++) c->t[p->start[j + 1] - 1] = 1.0;
    c->s = header(p, c->t);
    c->l = cholmod_analyze(&c->s, &c->common);
    if (c->l != NULL) cholmod_factorize(&c->s, c->l, &c->common);
    c->s.x = NULL;
    CRD_TRY(status_of(&c->common));
    bool as_expected = c->l != NULL && !c->l->is_ll && !c->l->is_super && c->l->xtype == CHOLMOD_REAL;
    return as_expected ? CARDAN_OK : CARDAN_ERR_INTERNAL;
}

/* Whether the rows of column j are j and the rows of column j+1. The first row below j is its parent in the
 * elimination tree, whose rows contain those of j: equal numbers mean equal rows. */
static bool joins_next(const cholmod_factor *l, int j) {
    const int *start = l->p, *row = l->i, *count = l->nz;
    return count[j] > 1 && row[start[j] + 1] == j + 1 && count[j] == count[j + 1] + 1;
}

static void group_columns(Cholmod *c) {
    int n = c->base.pattern.n;
    for (int j = 0, w; j < n; j += w) {
        for (w = 1; w < WIDEST && j + w < n && joins_next(c->l, j + w - 1);) w++;
        c->width[j] = w;
        c->last[j + w - 1] = w;
    }
}

static CardanStatus create(const CrdPattern *pattern, int velocities, CrdSolver **out, CrdError *error) {
    (void)velocities;
    *out = NULL;
    Cholmod *c = crd_new(1, sizeof *c);
    if (c == NULL) return crd_fail_memory(error);
    configure(&c->common);
    CardanStatus status = crd_solver_open(&c->base, &crd_solver_cholmod, pattern, error);
    size_t n = (size_t)pattern->n;
    c->width = crd_new(n, sizeof *c->width);
    c->last = crd_new(n, sizeof *c->last);
    c->scale = crd_new(n, sizeof *c->scale);
    c->t = crd_new(n > 0 ? (size_t)pattern->start[n] : 0, sizeof *c->t);
    if (c->width == NULL || c->last == NULL || c->scale == NULL || c->t == NULL) status = CARDAN_ERR_MEMORY;
    if (status == CARDAN_OK && n > 0) status = prepare(c);
    if (status < 0) {
        destroy(&c->base);
        if (status == CARDAN_ERR_MEMORY) return crd_fail_memory(error);
        return crd_fail(error, status, "CHOLMOD cannot analyse a system of %d rows", pattern->n);
    }
    if (n > 0) group_columns(c);
    *out = &c->base;
    return CARDAN_OK;
}

static CardanStatus factorise(Cholmod *c, const double *s, double bound) {
    c->s.x = without_const(s);
    c->common.dbound = bound;
    cholmod_factorize(&c->s, c->l, &c->common);
    return status_of(&c->common);
}

/* t = E S E with a unit diagonal; one that is 0 stays 0, and one that is not finite becomes no number. */
static void scale(Cholmod *c, const double *s) {
    const CrdPattern *p = &c->base.pattern;
    for (int j = 0; j < p->n; j++) {
        double size = fabs(s[p->start[j + 1] - 1]), e = size == 0.0 ? 1.0 : 1.0 / sqrt(size);
        if (!isfinite(size)) e = (double)NAN;
        c->scale[j] = e;
        for (int k = p->start[j]; k < p->start[j + 1]; k++) c->t[k] = s[k] * c->scale[p->row[k]] * e;
    }
}

/* The largest part that a column left out still has in a later pivot. */
static double leak(const Cholmod *c, int j) {
    const int *start = c->l->p, *count = c->l->nz;
    const double *x = (const double *)c->l->x + start[j];
    double most = 0.0;
    for (int k = 1; k < count[j]; k++) most = fmax(most, fabs(x[k]));
    return most * most * fabs(x[0]);
}

/* Rows before `until` that are left out become those of the identity. */
static void take_out(Cholmod *c, int until) {
    const CrdPattern *p = &c->base.pattern;
    const unsigned char *out = c->base.is_dropped;
    for (int j = 0; j < p->n; j++)
        for (int k = p->start[j], i; k < p->start[j + 1]; k++)
            if (i = p->row[k], (out[i] && i < until) || (out[j] && j < until)) c->t[k] = i == j ? 1.0 : 0.0;
}

/* Judges the pivots; *leaking is the first row whose leaving out is not exact, n: there is none. Rows before `known`
 * that were left out stay so. */
static CrdPivotVerdict judge(Cholmod *c, int known, int *leaking, CrdPivot *pivot) {
    CrdSolver *base = &c->base;
    const int *start = c->l->p, n = base->pattern.n;
    const double *x = c->l->x;
    int good = c->l->minor < (size_t)n ? (int)c->l->minor : n;
    *pivot = crd_pivot_perfect(n);
    for (int j = 0; j < n; j++) {
        if (j < known && base->is_dropped[j]) {
            pivot->dropped++;
            continue;
        }
        base->is_dropped[j] = 0;
        CrdPivotVerdict verdict = crd_pivot_judge(base, pivot, j, j < good ? x[start[j]] : 0.0, 1.0);
        if (verdict == CRD_PIVOT_REFUSED) return verdict;
        if (verdict == CRD_PIVOT_KEPT || leak(c, j) <= CRD_EPS) continue;
        *leaking = j;
        return CRD_PIVOT_LEFT_OUT;
    }
    *leaking = n;
    return pivot->dropped > 0 ? CRD_PIVOT_LEFT_OUT : CRD_PIVOT_KEPT;
}

/* Columns left out in the finished factor. */
static void clear_columns(Cholmod *c) {
    const int *start = c->l->p, *count = c->l->nz;
    double *x = c->l->x;
    for (int j = 0; j < c->base.pattern.n; j++) {
        if (!c->base.is_dropped[j]) continue;
        x[start[j]] = (double)INFINITY;
        memset(x + start[j] + 1, 0, (size_t)(count[j] - 1) * sizeof *x);
    }
}

static CardanStatus factor_leaving_out(Cholmod *c, const CrdMatrix *matrix, CrdPivot *pivot) {
    int n = c->base.pattern.n, leaking = -1;
    scale(c, matrix->s);
    do {
        int known = leaking + 1;
        if (known > 0) take_out(c, known);
        CRD_TRY(factorise(c, c->t, c->base.drop));
        if (judge(c, known, &leaking, pivot) == CRD_PIVOT_REFUSED) return CARDAN_ERR_NUMERIC;
    } while (leaking < n);
    if (pivot->dropped > 0) clear_columns(c);
    c->factored = true;
    return CARDAN_OK;
}

static CardanStatus factor(CrdSolver *solver, const CrdMatrix *matrix, CrdPivot *pivot) {
    Cholmod *c = (Cholmod *)solver;
    const CrdPattern *p = &solver->pattern;
    *pivot = crd_pivot_start(solver);
    c->factored = p->n == 0;
    if (c->factored) return CARDAN_OK;
    c->scaled = solver->drop > 0.0;
    if (c->scaled) return factor_leaving_out(c, matrix, pivot);
    CRD_TRY(factorise(c, matrix->s, 0.0));
    const int *start = c->l->p;
    const double *x = c->l->x;
    int good = c->l->minor < (size_t)p->n ? (int)c->l->minor : p->n; /* columns CHOLMOD has computed */
    for (int j = 0; j < p->n; j++) {
        double d = j < good ? x[start[j]] : 0.0, s = matrix->s[p->start[j + 1] - 1];
        if (!crd_pivot_take(pivot, j, d, s)) return CARDAN_ERR_NUMERIC;
        solver->ratio[j] = d / s;
    }
    c->factored = true;
    return CARDAN_OK;
}

/* L as the sweeps read it. */
typedef struct Lower {
    const int *start, *row, *count;
    const double *x;
} Lower;

/* Forward through columns j .. j+w-1, w a constant where it is called, so that the inner loops are unrolled. */
static inline void forward(const Lower *l, int j, int w, double *r) {
    const double *x[WIDEST];
    double z[WIDEST];
    for (int c = 0; c < w; c++) {
        x[c] = l->x + l->start[j + c] + (w - 1 - c); /* x[c][k]: entry of column j+c in row k below the group */
        z[c] = r[j + c];
        for (int b = 0; b < c; b++) z[c] -= x[b][c - (w - 1)] * z[b];
        r[j + c] = z[c];
    }
    const int *row = l->row + l->start[j + w - 1];
    int count = l->count[j + w - 1];
    for (int k = 1; k < count; k++) {
        double sum = x[0][k] * z[0];
        for (int c = 1; c < w; c++) sum += x[c][k] * z[c];
        r[row[k]] -= sum;
    }
}

/* Diagonal and backward through the same columns. */
static inline void backward(const Lower *l, int j, int w, double *r) {
    const double *x[WIDEST];
    double z[WIDEST];
    for (int c = 0; c < w; c++) {
        const double *column = l->x + l->start[j + c];
        x[c] = column + (w - 1 - c);
        z[c] = r[j + c] / column[0];
    }
    const int *row = l->row + l->start[j + w - 1];
    int count = l->count[j + w - 1];
    for (int k = 1; k < count; k++) {
        double t = r[row[k]];
        for (int c = 0; c < w; c++) z[c] -= x[c][k] * t;
    }
    for (int c = w - 1; c >= 0; c--) {
        for (int b = w - 1; b > c; b--) z[c] -= x[c][b - (w - 1)] * z[b];
        r[j + c] = z[c];
    }
}

static void sweep_forward(const Lower *l, const int *width, int n, double *r) {
    for (int j = 0; j < n; j += width[j]) {
        switch (width[j]) {
        case 1:
            forward(l, j, 1, r);
            break;
        case 2:
            forward(l, j, 2, r);
            break;
        case 3:
            forward(l, j, 3, r);
            break;
        case 4:
            forward(l, j, 4, r);
            break;
        case 5:
            forward(l, j, 5, r);
            break;
        default:
            forward(l, j, WIDEST, r);
        }
    }
}

static void sweep_backward(const Lower *l, const int *last, int n, double *r) {
    for (int j = n; j > 0; j -= last[j - 1]) {
        switch (last[j - 1]) {
        case 1:
            backward(l, j - 1, 1, r);
            break;
        case 2:
            backward(l, j - 2, 2, r);
            break;
        case 3:
            backward(l, j - 3, 3, r);
            break;
        case 4:
            backward(l, j - 4, 4, r);
            break;
        case 5:
            backward(l, j - 5, 5, r);
            break;
        default:
            backward(l, j - WIDEST, WIDEST, r);
        }
    }
}

static CardanStatus solve(CrdSolver *solver, double *r) {
    const Cholmod *c = (const Cholmod *)solver;
    if (!c->factored) return CARDAN_ERR_INTERNAL;
    if (solver->pattern.n == 0) return CARDAN_OK;
    Lower l = {c->l->p, c->l->i, c->l->nz, c->l->x};
    int n = solver->pattern.n;
    for (int j = 0; c->scaled && j < n; j++) r[j] *= c->scale[j];
    sweep_forward(&l, c->width, n, r);
    sweep_backward(&l, c->last, n, r);
    for (int j = 0; c->scaled && j < n; j++) r[j] *= c->scale[j];
    return CARDAN_OK;
}

const CrdSolverOps crd_solver_cholmod = {"cholmod", create, factor, solve, destroy, false};
