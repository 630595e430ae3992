/* S = L D L^T over blocks of an element's rows, by the program of model/elimination.h: column by column, each taken
 * from S, changed by the earlier columns that reach it, factored in its diagonal block and divided by it below.
 *
 *     A_jj = L_jj D_j L_jj^T        Z_j = X_j L_jj^-T D_j^-1
 *     forward   z_j = L_jj^-1 r_j,  r -= Z_j z_j        backward   w = D_j^-1 z_j - Z_j^T x,  x_j = L_jj^-T w
 *
 * A row left out has d = 1/d = 0 and a column of zeros: it takes part in nothing after it and its multiplier is 0. */
#include "linear/block.h"
#include "core/memory.h"
#include "linear/block_kernels.h"
#include "linear/pivot.h"
#include "linear/width.h"

#include <assert.h>

static void destroy(CrdSolver *solver) {
    if (solver == NULL) return;
    CrdBlockSolver *block = (CrdBlockSolver *)solver;
    crd_elimination_free(block->owned);
    crd_solver_close(solver);
    crd_delete(block);
}

static CardanStatus open(CrdBlockSolver *block, CrdError *error) {
    const CrdPattern *pattern = &block->base.pattern;
    block->e = pattern->elimination;
    if (block->e == NULL) {
        CRD_TRY(crd_elimination_create(pattern->n, pattern->start, pattern->row, 0, NULL, &block->owned, error));
        block->e = block->owned;
    }
    if (!block->e->fits)
        return crd_fail(error, CARDAN_ERR_LIMIT, "the factor of %d rows is too large for the block solver", pattern->n);
    assert(block->e->n == pattern->n);
    block->x = crd_solver_new(&block->base, (size_t)block->e->size, sizeof *block->x);
    block->d = crd_solver_new(&block->base, (size_t)pattern->n, sizeof *block->d);
    block->inverse = crd_solver_new(&block->base, (size_t)pattern->n, sizeof *block->inverse);
    block->branches = crd_solver_new(&block->base, (size_t)block->e->branch_count, sizeof *block->branches);
    return CARDAN_OK;
}

static CardanStatus create(const CrdPattern *pattern, int velocities, CrdSolver **out, CrdError *error) {
    (void)velocities;
    *out = NULL;
    CrdBlockSolver *block = crd_new(1, sizeof *block);
    if (block == NULL) return crd_fail_memory(error);
    CardanStatus status = crd_solver_open(&block->base, &crd_solver_block, pattern, error);
    if (status >= 0) status = open(block, error);
    return crd_solver_finish(&block->base, status, out, error);
}

/* ---- factor ---- */

/* Entry i of the pattern. slot is NULL in one of two copies of the code. */
CRD_KERNEL double entry(const double *s, const int *slot, int i) {
    return s[slot == NULL ? i : slot[i]];
}

/* A part of S into the panel below; rows and columns constant where they are common. */
CRD_KERNEL void copy_source(int columns, const CrdSource *from, const double *s, const int *slot, double *below,
                            int height) {
    assert(from->at + from->rows <= height);
    below += (ptrdiff_t)from->column * height + from->at;
    for (int c = 0, at = from->slot, step = from->above + 1; c < from->rows; c++, at += step++)
        for (int l = 0; l < columns; l++) below[(ptrdiff_t)l * height + c] = entry(s, slot, at + l);
}

CRD_KERNEL void load_from(int w, const CrdBlockSolver *block, const CrdPanel *panel, const double *s, const int *slot,
                          double *a) {
    const int *start = block->base.pattern.start + panel->first;
    for (int c = 0; c < w; c++) {
        int column = start[c + 1] - 1 - c;
        for (int r = 0; r <= c; r++) a[r * w + c] = entry(s, slot, column + r);
        for (int r = c + 1; r < w; r++) a[r * w + c] = 0.0;
    }
    double *below = a + w * w;
    if (!panel->filled) memset(below, 0, (size_t)w * (size_t)panel->height * sizeof *below);
    for (int i = panel->source; i < panel[1].source; i++) {
        const CrdSource *from = &block->e->sources[i];
        if (from->columns == w)
            copy_source(w, from, s, slot, below, panel->height);
        else
            copy_source(from->columns, from, s, slot, below, panel->height);
    }
}

CRD_KERNEL void load(int w, const CrdBlockSolver *block, const CrdPanel *panel, const double *s, double *a) {
    if (block->base.pattern.slot == NULL)
        load_from(w, block, panel, s, NULL, a);
    else
        load_from(w, block, panel, s, block->base.pattern.slot, a);
}

/* Column j changed by panel k. */
CRD_KERNEL void update(int wk, int wj, const CrdBlockSolver *block, const CrdUpdate *u, const CrdPanel *panel) {
    const CrdPanel *k = &block->e->panels[u->panel];
    const double *z = block->x + k->diagonal + wk * wk;
    assert(k < panel && k->width == wk && u->at + wj <= k->height);
    double *a = block->x + panel->diagonal, *below = a + wj * wj;
    double y[CRD_WIDEST * CRD_WIDEST];
    crd_scale_rows(wk, wj, z + u->at, k->height, block->d + k->first, y);
    crd_update_diagonal(wk, wj, z + u->at, k->height, y, a);
    for (const CrdStretch *run = block->e->runs + u->run, *end = block->e->runs + u[1].run; run < end; run++)
        crd_update_rows(wk, wj, run->count, z + run->from, k->height, y, below + run->to, panel->height);
}

/* LDL^T of a diagonal block in place; s: its diagonal before it was changed. false: refused. */
CRD_KERNEL bool factor_diagonal(int w, CrdBlockSolver *block, int first, const double *s, double *a, CrdPivot *pivot) {
    CRD_UNROLLED for (int c = 0; c < w; c++) {
        double d = a[c * w + c], inverse = 0.0;
        switch (crd_pivot_judge(&block->base, pivot, first + c, d, s[c])) {
        case CRD_PIVOT_REFUSED:
            return false;
        case CRD_PIVOT_LEFT_OUT:
            d = 0.0;
            break;
        case CRD_PIVOT_KEPT:
            inverse = 1.0 / d;
            break;
        }
        block->d[first + c] = d;
        block->inverse[first + c] = inverse;
        CRD_UNROLLED for (int i = c + 1; i < w; i++) {
            double l = a[c * w + i] * inverse;
            CRD_UNROLLED for (int r = i; r < w; r++) a[i * w + r] -= l * a[c * w + r];
        }
        CRD_UNROLLED for (int i = c + 1; i < w; i++) a[c * w + i] *= inverse;
    }
    return true;
}

CRD_KERNEL bool column(int w, CrdBlockSolver *block, const CrdPanel *panel, const double *s, CrdPivot *pivot) {
    double *a = block->x + panel->diagonal, before[CRD_WIDEST];
    assert(panel->width == w);
    load(w, block, panel, s, a);
    for (int c = 0; c < w; c++) before[c] = a[c * w + c];
    for (int i = panel->update; i < panel[1].update; i++) {
        const CrdUpdate *u = &block->e->updates[i];
        CRD_WITH_WIDTH(block->e->panels[u->panel].width, update, w, block, u, panel);
    }
    if (!factor_diagonal(w, block, panel->first, before, a, pivot)) return false;
    crd_divide_rows(w, panel->height, a, block->inverse + panel->first, a + w * w);
    return true;
}

typedef struct Factoring {
    CrdBlockSolver *block;
    const double *s;
} Factoring;

CRD_KERNEL bool factor_range(CrdBlockSolver *block, CrdRange range, const double *s, CrdPivot *pivot) {
    for (const CrdPanel *panel = block->e->panels + range.first, *end = block->e->panels + range.end; panel < end;
         panel++) {
        bool good;
        CRD_WITH_WIDTH(panel->width, good = column, block, panel, s, pivot);
        if (!good) return false;
    }
    return true;
}

static bool factor_some(CrdBlockSolver *block, CrdRange range, const double *s, CrdPivot *pivot) {
    return factor_range(block, range, s, pivot);
}

static void factor_branch(void *user, int b) {
    const Factoring *all = user;
    const CrdElimination *e = all->block->e;
    CrdBlockBranch *branch = &all->block->branches[b];
    *branch = (CrdBlockBranch){crd_pivot_perfect(all->block->base.pattern.n), true};
    for (int i = e->branches[b]; branch->good && i < e->branches[b + 1]; i++)
        branch->good = factor_some(all->block, e->ranges[i], all->s, &branch->pivot);
}

static bool factor_divided(CrdBlockSolver *block, const double *s, CrdPivot *pivot) {
    const CrdElimination *e = block->e;
    Factoring all = {block, s};
    bool good = true;
    crd_pool_run(block->base.pool, factor_branch, &all, e->branch_count);
    for (int b = 0; good && b < e->branch_count; b++)
        good = crd_pivot_join(pivot, block->branches[b].pivot, block->branches[b].good);
    for (int i = 0; good && i < e->trunk_count; i++) good = factor_some(block, e->trunk[i], s, pivot);
    return good;
}

static CardanStatus factor(CrdSolver *solver, const CrdMatrix *matrix, CrdPivot *pivot) {
    CrdBlockSolver *block = (CrdBlockSolver *)solver;
    *pivot = crd_pivot_start(solver);
    block->factored = block->e->branch_count > 0
                          ? factor_divided(block, matrix->s, pivot)
                          : factor_range(block, (CrdRange){0, block->e->count}, matrix->s, pivot);
    return block->factored ? CARDAN_OK : CARDAN_ERR_NUMERIC;
}

const CrdSolverOps crd_solver_block = {.name = "block",
                                       .summary = "own LDL' by blocks of a joint's rows over the joint graph",
                                       .create = create,
                                       .factor = factor,
                                       .solve = crd_block_solve,
                                       .solve_twice = crd_block_solve_twice,
                                       .destroy = destroy,
                                       .takes_slots = true,
                                       .work = {.known = true, .unit = {14.0, 1.33, 0.089}}};
