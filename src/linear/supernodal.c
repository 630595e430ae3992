/* Heavy fill: S = L L^T by supernodes, groups of block columns with nearly the same rows, so that the work is done by
 * BLAS on dense panels. The structure is that of model/elimination.h with neighbouring columns joined where that brings
 * few zeros; the numeric part is left-looking (Ng and Peyton 1993):
 *
 *     X_t -= L_s L_ts^T  for every earlier supernode s with rows in t        L_t = X_t L_tt^-T
 *
 * CHOLMOD has such a code too, but in its GPL part; it allocates in every factorisation and cannot leave out a row.
 * Here a row left out gets a column of zeros and a unit pivot that nothing else sees, and nothing is allocated after
 * creation (OpenBLAS allocates when it uses several threads; the fronts here are too small to gain from them). */
#include "linear/supernodal.h"
#include "core/memory.h"
#include "linear/pivot.h"

#include <assert.h>
#include <cblas.h>

/* Columns of a supernode that are factored before BLAS takes the rest: wide enough for its products. */
#define CRD_STRIP 32

static void destroy(CrdSolver *solver) {
    if (solver == NULL) return;
    CrdSuper *super = (CrdSuper *)solver;
    crd_elimination_free(super->owned);
    crd_solver_close(solver);
    crd_delete(super);
}

/* ---- factor ---- */

static void load(CrdSuper *super, int t, const double *values) {
    const CrdPattern *pattern = &super->base.pattern;
    const CrdSuperNode *node = &super->nodes[t];
    int ld = node->width + node->height;
    double *x = super->x + node->x;
    memset(x, 0, (node[1].x - node->x) * sizeof *x);
    for (int panel = node->panel; panel < node[1].panel; panel++) {
        int first = super->e->panels[panel].first, at = first - node->first;
        for (int c = 0; c < super->e->panels[panel].width; c++) {
            const double *column = values + pattern->start[first + c + 1] - 1 - c;
            for (int r = 0; r <= c; r++) x[(size_t)(at + r) * (size_t)ld + (size_t)(at + c)] = column[r];
            super->s[first + c] = column[c];
        }
    }
    for (int i = node->part; i < node[1].part; i++) {
        const CrdSuperPart *part = &super->parts[i];
        const double *from = values + part->slot;
        double *to = super->x + part->to;
        for (int c = 0, step = part->above + 1; c < part->rows; c++, from += step++)
            for (int l = 0; l < part->columns; l++) to[(size_t)l * (size_t)ld + (size_t)c] = from[l];
    }
}

/* Where the rows of a change go; how many stretches. */
static int find_stretches(const CrdSuper *super, const CrdSuperChange *change) {
    const CrdElimination *elimination = super->e;
    int count = 0, start = elimination->below[change->from].at;
    for (int i = change->from; i < super->nodes[change->node].end; i++) {
        const CrdBelow *below = &elimination->below[i];
        int width = elimination->panels[below->panel].width, to = super->place[below->panel];
        CrdSuperStretch *last = &super->stretches[count > 0 ? count - 1 : 0];
        if (count > 0 && last->to + last->count == to)
            last->count += width;
        else
            super->stretches[count++] = (CrdSuperStretch){below->at - start, to, width};
    }
    return count;
}

/* X_t -= L_s L_ts^T; entries above the diagonal change too and are never read. */
static void apply(CrdSuper *super, const CrdSuperNode *node, const CrdSuperChange *change) {
    const CrdSuperNode *from = &super->nodes[change->node];
    int rows = crd_super_rows(super, change), columns = crd_super_columns(super, change),
        ld = from->width + from->height;
    assert(from < node && rows >= columns && columns >= 1);
    const double *l = super->x + from->x + from->width + super->e->below[change->from].at;
    cblas_dgemm(CblasColMajor, CblasNoTrans, CblasTrans, rows, columns, from->width, 1.0, l, ld, l, ld, 0.0, super->c,
                rows);
    int count = find_stretches(super, change), c = 0;
    size_t to_ld = (size_t)(node->width + node->height);
    for (int i = 0; c < columns; i++)
        for (int k = 0; k < super->stretches[i].count && c < columns; k++, c++) {
            const double *column = super->c + (size_t)c * (size_t)rows;
            double *x = super->x + node->x + (size_t)(super->stretches[i].to + k) * to_ld;
            for (int j = i; j < count; j++) {
                const CrdSuperStretch *stretch = &super->stretches[j];
                const double *a = column + stretch->from;
                double *b = x + stretch->to;
                for (int r = 0; r < stretch->count; r++) b[r] -= a[r];
            }
        }
}

/* Cholesky of `width` columns at a, rows `width` alone; rows left out get a unit pivot and zeros. false: refused. */
static bool factor_small(CrdSuper *super, double *a, int ld, int width, int first, CrdPivot *pivot) {
    for (int c = 0; c < width; c++) {
        double *column = a + (size_t)c * (size_t)ld, scale = 0.0;
        switch (crd_pivot_judge(&super->base, pivot, first + c, column[c], super->s[first + c])) {
        case CRD_PIVOT_REFUSED:
            return false;
        case CRD_PIVOT_LEFT_OUT:
            column[c] = 1.0;
            break;
        case CRD_PIVOT_KEPT:
            column[c] = sqrt(column[c]);
            scale = 1.0 / column[c];
            break;
        }
        for (int r = c + 1; r < width; r++) column[r] *= scale;
        for (int k = c + 1; k < width; k++) {
            double *other = a + (size_t)k * (size_t)ld, l = column[k];
            for (int r = k; r < width; r++) other[r] -= l * column[r];
        }
    }
    return true;
}

/* Cholesky of a supernode by strips of columns. */
static bool factor_node(CrdSuper *super, const CrdSuperNode *node, CrdPivot *pivot) {
    int ld = node->width + node->height;
    double *x = super->x + node->x;
    for (int at = 0; at < node->width; at += CRD_STRIP) {
        int strip = node->width - at < CRD_STRIP ? node->width - at : CRD_STRIP, below = ld - at - strip;
        double *a = x + (size_t)at * (size_t)ld + (size_t)at, *b = a + strip;
        if (!factor_small(super, a, ld, strip, node->first + at, pivot)) return false;
        if (below == 0) break;
        cblas_dtrsm(CblasColMajor, CblasRight, CblasLower, CblasTrans, CblasNonUnit, below, strip, 1.0, a, ld, b, ld);
        for (int c = 0; pivot->dropped > 0 && c < strip; c++)
            if (super->base.is_dropped[node->first + at + c])
                memset(b + (size_t)c * (size_t)ld, 0, (size_t)below * sizeof *b);
        int right = node->width - at - strip;
        if (right == 0) break;
        double *rest = b + (size_t)strip * (size_t)ld;
        cblas_dsyrk(CblasColMajor, CblasLower, CblasNoTrans, right, strip, -1.0, b, ld, 1.0, rest, ld);
        if (node->height > 0)
            cblas_dgemm(CblasColMajor, CblasNoTrans, CblasTrans, node->height, right, strip, -1.0, b + right, ld, b, ld,
                        1.0, rest + right, ld);
    }
    return true;
}

static CardanStatus factor(CrdSolver *solver, const CrdMatrix *matrix, CrdPivot *pivot) {
    CrdSuper *super = (CrdSuper *)solver;
    super->factored = false;
    *pivot = crd_pivot_start(solver);
    for (int t = 0; t < super->count; t++) {
        const CrdSuperNode *node = &super->nodes[t];
        load(super, t, matrix->s);
        crd_super_place(super, t);
        for (int i = node->change; i < node[1].change; i++) apply(super, node, &super->changes[i]);
        if (!factor_node(super, node, pivot)) return CARDAN_ERR_NUMERIC;
    }
    super->factored = true;
    return CARDAN_OK;
}

/* ---- solve ---- */

/* Adds the rows below a supernode to r, or takes them from there. */
static void gather(const CrdSuper *super, const CrdSuperNode *node, const double *r) {
    for (int i = node->block; i < node->end; i++) {
        const CrdBelow *below = &super->e->below[i];
        const CrdPanel *panel = &super->e->panels[below->panel];
        for (int k = 0; k < panel->width; k++) super->r[below->at + k] = r[panel->first + k];
    }
}

static void scatter(const CrdSuper *super, const CrdSuperNode *node, double *r) {
    for (int i = node->block; i < node->end; i++) {
        const CrdBelow *below = &super->e->below[i];
        const CrdPanel *panel = &super->e->panels[below->panel];
        for (int k = 0; k < panel->width; k++) r[panel->first + k] -= super->r[below->at + k];
    }
}

static CardanStatus solve(CrdSolver *solver, double *r) {
    CrdSuper *super = (CrdSuper *)solver;
    if (!super->factored) return CARDAN_ERR_INTERNAL;
    for (int t = 0; t < super->count; t++) {
        const CrdSuperNode *node = &super->nodes[t];
        int w = node->width, h = node->height, ld = w + h;
        const double *x = super->x + node->x;
        double *z = r + node->first;
        cblas_dtrsv(CblasColMajor, CblasLower, CblasNoTrans, CblasNonUnit, w, x, ld, z, 1);
        for (int c = 0; c < w; c++) /* a row left out: its column is zero, so only its own entry is to be cleared */
            if (solver->is_dropped[node->first + c]) z[c] = 0.0;
        if (h == 0) continue;
        cblas_dgemv(CblasColMajor, CblasNoTrans, h, w, 1.0, x + w, ld, z, 1, 0.0, super->r, 1);
        scatter(super, node, r);
    }
    for (int t = super->count - 1; t >= 0; t--) {
        const CrdSuperNode *node = &super->nodes[t];
        int w = node->width, h = node->height, ld = w + h;
        const double *x = super->x + node->x;
        double *z = r + node->first;
        if (h > 0) {
            gather(super, node, r);
            cblas_dgemv(CblasColMajor, CblasTrans, h, w, -1.0, x + w, ld, super->r, 1, 1.0, z, 1);
        }
        cblas_dtrsv(CblasColMajor, CblasLower, CblasTrans, CblasNonUnit, w, x, ld, z, 1);
    }
    return CARDAN_OK;
}

/* ---- creation ---- */

/* OpenBLAS takes its own buffers at first use: let that happen now, on the identity. */
static void warm_up(CrdSuper *super) {
    for (int t = 0; t < super->count; t++) {
        const CrdSuperNode *node = &super->nodes[t];
        size_t ld = (size_t)(node->width + node->height);
        for (int c = 0; c < node->width; c++) {
            super->x[node->x + (size_t)c * ld + (size_t)c] = 1.0;
            super->s[node->first + c] = 1.0;
        }
    }
    CrdPivot pivot = crd_pivot_start(&super->base);
    for (int t = 0; t < super->count; t++) {
        crd_super_place(super, t);
        for (int i = super->nodes[t].change; i < super->nodes[t + 1].change; i++)
            apply(super, &super->nodes[t], &super->changes[i]);
        factor_node(super, &super->nodes[t], &pivot);
    }
    super->factored = true;
    solve(&super->base, super->s);
    super->factored = false;
}

static CardanStatus create(const CrdPattern *pattern, int velocities, CrdSolver **out, CrdError *error) {
    (void)velocities;
    *out = NULL;
    CrdSuper *super = crd_new(1, sizeof *super);
    if (super == NULL) return crd_fail_memory(error);
    CardanStatus status = crd_solver_open(&super->base, &crd_solver_supernodal, pattern, error);
    if (status >= 0) status = crd_super_open(super, error);
    if (status >= 0) warm_up(super);
    return crd_solver_finish(&super->base, status, out, error);
}

const CrdSolverOps crd_solver_supernodal = {.name = "supernodal",
                                            .summary = "own LL' by supernodes with BLAS, for heavy fill",
                                            .create = create,
                                            .factor = factor,
                                            .solve = solve,
                                            .destroy = destroy,
                                            .work = {.known = true, .unit = {57.0, 3.4, 0.060}}};
