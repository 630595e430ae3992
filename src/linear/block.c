/* S = L D L^T over blocks of an element's rows, by the program of model/elimination.h: column by column, each taken
 * from S, changed by the earlier columns that reach it, factored in its diagonal block and divided by it below.
 *
 *     A_jj = L_jj D_j L_jj^T        Z_j = X_j L_jj^-T D_j^-1
 *     forward   z_j = L_jj^-1 r_j,  r -= Z_j z_j        backward   w = D_j^-1 z_j - Z_j^T x,  x_j = L_jj^-T w
 *
 * A row left out has d = 1/d = 0 and a column of zeros: it takes part in nothing after it and its multiplier is 0. */
#include "core/memory.h"
#include "core/two.h"
#include "linear/block_kernels.h"
#include "linear/pivot.h"
#include "linear/solver.h"
#include "linear/width.h"

#include <assert.h>

/* What the factorisation of a branch leaves beside the factor. */
typedef struct Branch {
    CrdPivot pivot;
    bool good; /* none was refused */
} Branch;

typedef struct Block {
    CrdSolver base;
    const CrdElimination *e;
    CrdElimination *owned; /* where the pattern brought none; NULL: the model's */
    double *x;             /* (e->size) panels: S, then L; filled by factor */
    double *d, *inverse;   /* (n x 1) D and 1 / D; filled by factor */
    bool factored;         /* a solve may follow */
    Branch *branches;      /* (e->branch_count) */
} Block;

static void destroy(CrdSolver *solver) {
    if (solver == NULL) return;
    Block *block = (Block *)solver;
    crd_elimination_free(block->owned);
    crd_solver_close(solver);
    crd_delete(block);
}

static CardanStatus open(Block *block, CrdError *error) {
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
    Block *block = crd_new(1, sizeof *block);
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

CRD_KERNEL void load_from(int w, const Block *block, const CrdPanel *panel, const double *s, const int *slot,
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

CRD_KERNEL void load(int w, const Block *block, const CrdPanel *panel, const double *s, double *a) {
    if (block->base.pattern.slot == NULL)
        load_from(w, block, panel, s, NULL, a);
    else
        load_from(w, block, panel, s, block->base.pattern.slot, a);
}

/* Column j changed by panel k. */
CRD_KERNEL void update(int wk, int wj, const Block *block, const CrdUpdate *u, const CrdPanel *panel) {
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
CRD_KERNEL bool factor_diagonal(int w, Block *block, int first, const double *s, double *a, CrdPivot *pivot) {
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

CRD_KERNEL bool column(int w, Block *block, const CrdPanel *panel, const double *s, CrdPivot *pivot) {
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
    Block *block;
    const double *s;
} Factoring;

static bool factor_range(Block *block, CrdRange range, const double *s, CrdPivot *pivot) {
    for (const CrdPanel *panel = block->e->panels + range.first, *end = block->e->panels + range.end; panel < end;
         panel++) {
        bool good;
        CRD_WITH_WIDTH(panel->width, good = column, block, panel, s, pivot);
        if (!good) return false;
    }
    return true;
}

static void factor_branch(void *user, int b) {
    const Factoring *all = user;
    const CrdElimination *e = all->block->e;
    Branch *branch = &all->block->branches[b];
    *branch = (Branch){crd_pivot_perfect(all->block->base.pattern.n), true};
    for (int i = e->branches[b]; branch->good && i < e->branches[b + 1]; i++)
        branch->good = factor_range(all->block, e->ranges[i], all->s, &branch->pivot);
}

static CardanStatus factor(CrdSolver *solver, const CrdMatrix *matrix, CrdPivot *pivot) {
    Block *block = (Block *)solver;
    const CrdElimination *e = block->e;
    Factoring all = {block, matrix->s};
    bool good = true;
    block->factored = false;
    *pivot = crd_pivot_start(solver);
    if (e->branch_count > 0) crd_pool_run(solver->pool, factor_branch, &all, e->branch_count);
    for (int b = 0; good && b < e->branch_count; b++)
        good = crd_pivot_join(pivot, block->branches[b].pivot, block->branches[b].good);
    for (int i = 0; good && i < e->trunk_count; i++) good = factor_range(block, e->trunk[i], matrix->s, pivot);
    block->factored = good;
    return good ? CARDAN_OK : CARDAN_ERR_NUMERIC;
}

/* ---- solve ----
 *
 * Branches leave to the trunk what they change of its rows: of panel after panel, in the order of branches, whoever did
 * these. */

/* Rows of a span before `until`. */
CRD_KERNEL int rows_before(const CrdSpan *span, int until) {
    int rows = until - span->row;
    return rows < span->count ? rows : span->count;
}

CRD_KERNEL void forward(int w, const Block *block, const CrdPanel *panel, int until, double *r) {
    const double *l = block->x + panel->diagonal, *x = l + w * w;
    double z[CRD_WIDEST];
    for (int c = 0; c < w; c++) z[c] = r[panel->first + c];
    crd_forward_diagonal(w, l, z);
    for (int c = 0; c < w; c++) r[panel->first + c] = z[c];
    for (const CrdSpan *span = block->e->spans + panel->span, *end = block->e->spans + panel[1].span;
         span < end && span->row < until; span++) {
        crd_forward_rows(w, rows_before(span, until), x, panel->height, z, r + span->row);
        x += span->count;
    }
}

CRD_KERNEL void backward(int w, const Block *block, const CrdPanel *panel, double *r) {
    const double *l = block->x + panel->diagonal, *x = l + w * w;
    double z[CRD_WIDEST];
    for (int c = 0; c < w; c++) z[c] = r[panel->first + c] * block->inverse[panel->first + c];
    for (const CrdSpan *span = block->e->spans + panel->span, *end = block->e->spans + panel[1].span; span < end;
         span++) {
        crd_backward_rows(w, span->count, x, panel->height, r + span->row, z);
        x += span->count;
    }
    crd_backward_diagonal(w, l, z);
    for (int c = 0; c < w; c++) r[panel->first + c] = z[c];
}

/* ---- two right sides, number beside number ---- */

CRD_KERNEL void forward_twice(int w, const Block *block, const CrdPanel *panel, int until, double *r) {
    const double *l = block->x + panel->diagonal, *x = l + w * w;
    double *own = r + 2 * (ptrdiff_t)panel->first;
    CrdTwo z[CRD_WIDEST];
    CRD_UNROLLED for (int c = 0; c < w; c++) {
        z[c] = crd_two_at(own, c);
        CRD_UNROLLED for (int b = 0; b < c; b++) z[c] = crd_two_less(z[c], l[b * w + c], z[b]);
        crd_put_two(own, c, z[c]);
    }
    for (const CrdSpan *span = block->e->spans + panel->span, *end = block->e->spans + panel[1].span;
         span < end && span->row < until; x += span++->count)
        for (int i = 0, rows = rows_before(span, until); i < rows; i++) {
            double *to = r + 2 * (ptrdiff_t)(span->row + i);
            CrdTwo sum = crd_two_at(to, 0);
            CRD_UNROLLED for (int c = 0; c < w; c++) sum = crd_two_less(sum, x[(ptrdiff_t)c * panel->height + i], z[c]);
            crd_put_two(to, 0, sum);
        }
}

CRD_KERNEL void backward_twice(int w, const Block *block, const CrdPanel *panel, double *r) {
    const double *l = block->x + panel->diagonal, *x = l + w * w;
    double *own = r + 2 * (ptrdiff_t)panel->first;
    CrdTwo z[CRD_WIDEST];
    CRD_UNROLLED for (int c = 0; c < w; c++) z[c] =
        crd_two_scaled(block->inverse[panel->first + c], crd_two_at(own, c));
    for (const CrdSpan *span = block->e->spans + panel->span, *end = block->e->spans + panel[1].span; span < end;
         x += span++->count)
        for (int i = 0; i < span->count; i++) {
            CrdTwo from = crd_two_at(r + 2 * (ptrdiff_t)(span->row + i), 0);
            CRD_UNROLLED for (int c = 0; c < w; c++) z[c] =
                crd_two_less(z[c], x[(ptrdiff_t)c * panel->height + i], from);
        }
    CRD_UNROLLED for (int c = w - 1; c >= 0; c--) {
        CRD_UNROLLED for (int b = w - 1; b > c; b--) z[c] = crd_two_less(z[c], l[c * w + b], z[b]);
        crd_put_two(own, c, z[c]);
    }
}

/* ---- one or two of them ---- */

typedef struct Sweep {
    const Block *block;
    double *r;
    int sides; /* 1 or 2 */
} Sweep;

/* Changes rows before `until` alone. */
static void forward_range(const Sweep *all, CrdRange range, int until) {
    const Block *block = all->block;
    const CrdElimination *e = block->e;
    double *r = all->r;
    const CrdPanel *end = e->panels + range.end;
    if (all->sides == 2) {
        for (const CrdPanel *panel = e->panels + range.first; panel < end; panel++)
            CRD_WITH_WIDTH(panel->width, forward_twice, block, panel, until, r);
    } else {
        for (const CrdPanel *panel = e->panels + range.first; panel < end; panel++)
            CRD_WITH_WIDTH(panel->width, forward, block, panel, until, r);
    }
}

static void backward_range(const Sweep *all, CrdRange range) {
    const Block *block = all->block;
    const CrdElimination *e = block->e;
    double *r = all->r;
    const CrdPanel *first = e->panels + range.first;
    if (all->sides == 2) {
        for (const CrdPanel *panel = e->panels + range.end; panel-- > first;)
            CRD_WITH_WIDTH(panel->width, backward_twice, block, panel, r);
    } else {
        for (const CrdPanel *panel = e->panels + range.end; panel-- > first;)
            CRD_WITH_WIDTH(panel->width, backward, block, panel, r);
    }
}

/* What a panel changes from row `from` on. */
static void reach(const Sweep *all, const CrdPanel *panel, int from) {
    const CrdElimination *e = all->block->e;
    const double *x = all->block->x + panel->diagonal + panel->width * panel->width;
    const int sides = all->sides;
    for (const CrdSpan *span = e->spans + panel->span, *end = e->spans + panel[1].span; span < end; x += span++->count)
        for (int i = span->row < from ? from - span->row : 0; i < span->count; i++)
            for (int c = 0; c < panel->width; c++)
                for (int k = 0; k < sides; k++)
                    all->r[sides * (span->row + i) + k] -=
                        x[(ptrdiff_t)c * panel->height + i] * all->r[sides * (panel->first + c) + k];
}

static void forward_branch(void *user, int b) {
    const Sweep *all = user;
    const CrdElimination *e = all->block->e;
    for (int i = e->branches[b]; i < e->branches[b + 1]; i++)
        forward_range(all, e->ranges[i], crd_range_row_end(e, &e->ranges[i]));
}

static void backward_branch(void *user, int b) {
    const Sweep *all = user;
    const CrdElimination *e = all->block->e;
    for (int i = e->branches[b + 1]; i-- > e->branches[b];) backward_range(all, e->ranges[i]);
}

static void reach_all(const Sweep *all) {
    const CrdElimination *e = all->block->e;
    const CrdRange *range = e->ranges;
    for (int i = 0; i < e->reaching_count; i++) {
        while (range->end <= e->reaching[i]) range++;
        reach(all, &e->panels[e->reaching[i]], crd_range_row_end(e, range));
    }
}

static CardanStatus sweep(CrdSolver *solver, double *r, int sides) {
    const Block *block = (const Block *)solver;
    const CrdElimination *e = block->e;
    Sweep all = {block, r, sides};
    if (!block->factored) return CARDAN_ERR_INTERNAL;
    if (e->branch_count > 0) {
        crd_pool_run(solver->pool, forward_branch, &all, e->branch_count);
        reach_all(&all);
    }
    for (int i = 0; i < e->trunk_count; i++) forward_range(&all, e->trunk[i], e->n);
    for (int i = e->trunk_count; i-- > 0;) backward_range(&all, e->trunk[i]);
    if (e->branch_count > 0) crd_pool_run(solver->pool, backward_branch, &all, e->branch_count);
    return CARDAN_OK;
}

static CardanStatus solve(CrdSolver *solver, double *r) {
    return sweep(solver, r, 1);
}

static CardanStatus solve_twice(CrdSolver *solver, double *r) {
    return sweep(solver, r, 2);
}

const CrdSolverOps crd_solver_block = {.name = "block",
                                       .summary = "own LDL' by blocks of a joint's rows over the joint graph",
                                       .create = create,
                                       .factor = factor,
                                       .solve = solve,
                                       .solve_twice = solve_twice,
                                       .destroy = destroy,
                                       .takes_slots = true,
                                       .work = {.known = true, .unit = {14.0, 1.33, 0.089}}};
