/* Sweeps through the factor of block.c. Branches leave to the trunk what they change of its rows: of panel after panel,
 * in the order of branches, whoever did these. */
#include "core/two.h"
#include "linear/block.h"
#include "linear/block_kernels.h"
#include "linear/width.h"

#include <limits.h>

/* Of a branch rows before `until` alone are changed; ALL: every one, a constant. */
enum { ALL = INT_MAX };

CRD_KERNEL bool is_before(const CrdSpan *span, int until) {
    return until == ALL || span->row < until;
}

CRD_KERNEL int rows_before(const CrdSpan *span, int until) {
    return until == ALL || until - span->row > span->count ? span->count : until - span->row;
}

CRD_KERNEL void forward(int w, const CrdBlockSolver *block, const CrdPanel *panel, int until, double *r) {
    const double *l = block->x + panel->diagonal, *x = l + w * w;
    double z[CRD_WIDEST];
    for (int c = 0; c < w; c++) z[c] = r[panel->first + c];
    crd_forward_diagonal(w, l, z);
    for (int c = 0; c < w; c++) r[panel->first + c] = z[c];
    for (const CrdSpan *span = block->e->spans + panel->span, *end = block->e->spans + panel[1].span;
         span < end && is_before(span, until); span++) {
        crd_forward_rows(w, rows_before(span, until), x, panel->height, z, r + span->row);
        x += span->count;
    }
}

CRD_KERNEL void backward(int w, const CrdBlockSolver *block, const CrdPanel *panel, double *r) {
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

CRD_KERNEL void forward_twice(int w, const CrdBlockSolver *block, const CrdPanel *panel, int until, double *r) {
    const double *l = block->x + panel->diagonal, *x = l + w * w;
    double *own = r + 2 * (ptrdiff_t)panel->first;
    CrdTwo z[CRD_WIDEST];
    CRD_UNROLLED for (int c = 0; c < w; c++) {
        z[c] = crd_two_at(own, c);
        CRD_UNROLLED for (int b = 0; b < c; b++) z[c] = crd_two_less(z[c], l[b * w + c], z[b]);
        crd_put_two(own, c, z[c]);
    }
    for (const CrdSpan *span = block->e->spans + panel->span, *end = block->e->spans + panel[1].span;
         span < end && is_before(span, until); x += span++->count)
        for (int i = 0, rows = rows_before(span, until); i < rows; i++) {
            double *to = r + 2 * (ptrdiff_t)(span->row + i);
            CrdTwo sum = crd_two_at(to, 0);
            CRD_UNROLLED for (int c = 0; c < w; c++) sum = crd_two_less(sum, x[(ptrdiff_t)c * panel->height + i], z[c]);
            crd_put_two(to, 0, sum);
        }
}

CRD_KERNEL void backward_twice(int w, const CrdBlockSolver *block, const CrdPanel *panel, double *r) {
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
    const CrdBlockSolver *block;
    double *r;
    int sides; /* 1 or 2 */
} Sweep;

/* sides and, where it is ALL, until: constants. */
CRD_KERNEL void forward_range(const CrdBlockSolver *block, CrdRange range, int until, double *r, int sides) {
    const CrdPanel *first = block->e->panels + range.first, *end = block->e->panels + range.end;
    for (const CrdPanel *panel = first; panel < end; panel++) {
        if (sides == 2)
            CRD_WITH_WIDTH(panel->width, forward_twice, block, panel, until, r)
        else
            CRD_WITH_WIDTH(panel->width, forward, block, panel, until, r)
    }
}

CRD_KERNEL void backward_range(const CrdBlockSolver *block, CrdRange range, double *r, int sides) {
    const CrdPanel *first = block->e->panels + range.first, *end = block->e->panels + range.end;
    for (const CrdPanel *panel = end; panel-- > first;) {
        if (sides == 2)
            CRD_WITH_WIDTH(panel->width, backward_twice, block, panel, r)
        else
            CRD_WITH_WIDTH(panel->width, backward, block, panel, r)
    }
}

static void forward_some(const Sweep *all, CrdRange range, int until) {
    if (all->sides == 2)
        forward_range(all->block, range, until, all->r, 2);
    else
        forward_range(all->block, range, until, all->r, 1);
}

static void backward_some(const Sweep *all, CrdRange range) {
    if (all->sides == 2)
        backward_range(all->block, range, all->r, 2);
    else
        backward_range(all->block, range, all->r, 1);
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
        forward_some(all, e->ranges[i], crd_range_row_end(e, &e->ranges[i]));
}

static void backward_branch(void *user, int b) {
    const Sweep *all = user;
    const CrdElimination *e = all->block->e;
    for (int i = e->branches[b + 1]; i-- > e->branches[b];) backward_some(all, e->ranges[i]);
}

static void reach_all(const Sweep *all) {
    const CrdElimination *e = all->block->e;
    const CrdRange *range = e->ranges;
    for (int i = 0; i < e->reaching_count; i++) {
        while (range->end <= e->reaching[i]) range++;
        reach(all, &e->panels[e->reaching[i]], crd_range_row_end(e, range));
    }
}

static void sweep_divided(const CrdBlockSolver *block, double *r, int sides) {
    const CrdElimination *e = block->e;
    Sweep all = {block, r, sides};
    crd_pool_run(block->base.pool, forward_branch, &all, e->branch_count);
    reach_all(&all);
    for (int i = 0; i < e->trunk_count; i++) forward_some(&all, e->trunk[i], e->n);
    for (int i = e->trunk_count; i-- > 0;) backward_some(&all, e->trunk[i]);
    crd_pool_run(block->base.pool, backward_branch, &all, e->branch_count);
}

/* sides: a constant. */
CRD_KERNEL CardanStatus sweep(CrdSolver *solver, double *r, int sides) {
    const CrdBlockSolver *block = (const CrdBlockSolver *)solver;
    const CrdRange all = {0, block->e->count};
    if (!block->factored) return CARDAN_ERR_INTERNAL;
    if (block->e->branch_count > 0) {
        sweep_divided(block, r, sides);
    } else {
        forward_range(block, all, ALL, r, sides);
        backward_range(block, all, r, sides);
    }
    return CARDAN_OK;
}

CardanStatus crd_block_solve(CrdSolver *solver, double *r) {
    return sweep(solver, r, 1);
}

CardanStatus crd_block_solve_twice(CrdSolver *solver, double *r) {
    return sweep(solver, r, 2);
}
