/* S = L D L^T over blocks of an element's rows, by the program of model/elimination.h: column by column, each taken
 * from S, changed by the earlier columns that reach it, factored in its diagonal block and divided by it below.
 *
 *     A_jj = L_jj D_j L_jj^T        Z_j = X_j L_jj^-T D_j^-1
 *     forward   z_j = L_jj^-1 r_j,  r -= Z_j z_j        backward   w = D_j^-1 z_j - Z_j^T x,  x_j = L_jj^-T w
 *
 * A row left out has d = 1/d = 0 and a column of zeros: it takes part in nothing after it and its multiplier is 0. */
#include "core/memory.h"
#include "solve/block_kernels.h"
#include "solve/pivot.h"
#include "solve/solver.h"

typedef struct Block {
    CrdSolver base;
    const CrdElimination *e;
    CrdElimination *owned; /* where the pattern brought none; NULL: the model's */
    double *x;             /* (e->size) panels: S, then L; filled by factor */
    double *d, *inverse;   /* (n x 1) D and 1 / D; filled by factor */
    bool factored;         /* a solve may follow */
} Block;

static void destroy(CrdSolver *solver) {
    if (solver == NULL) return;
    Block *b = (Block *)solver;
    crd_elimination_free(b->owned);
    crd_delete(b->x);
    crd_delete(b->d);
    crd_delete(b->inverse);
    crd_solver_close(solver);
    crd_delete(b);
}

static CardanStatus open(Block *b, CrdError *error) {
    const CrdPattern *p = &b->base.pattern;
    b->e = p->elimination;
    if (b->e == NULL) {
        CRD_TRY(crd_elimination_create(p->n, p->start, p->row, 0, NULL, &b->owned, error));
        b->e = b->owned;
    }
    if (!b->e->fits)
        return crd_fail(error, CARDAN_ERR_LIMIT, "the factor of %d rows is too large for the block solver", p->n);
    b->x = crd_new((size_t)b->e->size, sizeof *b->x);
    b->d = crd_new((size_t)p->n, sizeof *b->d);
    b->inverse = crd_new((size_t)p->n, sizeof *b->inverse);
    if (b->x == NULL || b->d == NULL || b->inverse == NULL) return crd_fail_memory(error);
    return CARDAN_OK;
}

static CardanStatus create(const CrdPattern *pattern, int velocities, CrdSolver **out, CrdError *error) {
    (void)velocities;
    *out = NULL;
    Block *b = crd_new(1, sizeof *b);
    if (b == NULL) return crd_fail_memory(error);
    CardanStatus status = crd_solver_open(&b->base, &crd_solver_block, pattern, error);
    if (status >= 0) status = open(b, error);
    if (status < 0) {
        destroy(&b->base);
        return status;
    }
    *out = &b->base;
    return CARDAN_OK;
}

/* ---- factor ---- */

/* Entry i of the pattern. slot is NULL in one of two copies of the code. */
CRD_KERNEL double entry(const double *s, const int *slot, int i) {
    return s[slot == NULL ? i : slot[i]];
}

/* A part of S into the panel below; rows and columns constant where they are common. */
CRD_KERNEL void copy_source(int columns, const CrdSource *from, const double *s, const int *slot, double *below,
                            int height) {
    below += (ptrdiff_t)from->column * height + from->at;
    for (int c = 0, at = from->slot, step = from->above + 1; c < from->rows; c++, at += step++)
        for (int l = 0; l < columns; l++) below[(ptrdiff_t)l * height + c] = entry(s, slot, at + l);
}

CRD_KERNEL void load_from(int w, const Block *b, const CrdPanel *p, const double *s, const int *slot, double *a) {
    const int *start = b->base.pattern.start + p->first;
    for (int c = 0; c < w; c++) {
        int column = start[c + 1] - 1 - c;
        for (int r = 0; r <= c; r++) a[r * w + c] = entry(s, slot, column + r);
        for (int r = c + 1; r < w; r++) a[r * w + c] = 0.0;
    }
    double *below = a + w * w;
    if (!p->filled) memset(below, 0, (size_t)w * (size_t)p->height * sizeof *below);
    for (int i = p->source; i < p[1].source; i++) {
        const CrdSource *from = &b->e->sources[i];
        if (from->columns == w)
            copy_source(w, from, s, slot, below, p->height);
        else
            copy_source(from->columns, from, s, slot, below, p->height);
    }
}

CRD_KERNEL void load(int w, const Block *b, const CrdPanel *p, const double *s, double *a) {
    if (b->base.pattern.slot == NULL)
        load_from(w, b, p, s, NULL, a);
    else
        load_from(w, b, p, s, b->base.pattern.slot, a);
}

/* Column j changed by panel k. */
CRD_KERNEL void update(int wk, int wj, const Block *b, const CrdUpdate *u, const CrdPanel *j) {
    const CrdPanel *k = &b->e->panels[u->panel];
    const double *z = b->x + k->diagonal + wk * wk;
    double *a = b->x + j->diagonal, *below = a + wj * wj;
    double y[CRD_WIDEST * CRD_WIDEST];
    crd_scale_rows(wk, wj, z + u->at, k->height, b->d + k->first, y);
    crd_update_diagonal(wk, wj, z + u->at, k->height, y, a);
    for (const CrdStretch *run = b->e->runs + u->run, *end = b->e->runs + u[1].run; run < end; run++)
        crd_update_rows(wk, wj, run->count, z + run->from, k->height, y, below + run->to, j->height);
}

CRD_KERNEL void update_by(int wj, const Block *b, const CrdUpdate *u, const CrdPanel *j) {
    switch (b->e->panels[u->panel].width) {
    case 1: update(1, wj, b, u, j); break;
    case 2: update(2, wj, b, u, j); break;
    case 3: update(3, wj, b, u, j); break;
    case 4: update(4, wj, b, u, j); break;
    case 5: update(5, wj, b, u, j); break;
    default: update(CRD_WIDEST, wj, b, u, j); break;
    }
}

/* LDL^T of a diagonal block in place; s: its diagonal before it was changed. false: refused. */
CRD_KERNEL bool factor_diagonal(int w, Block *b, int first, const double *s, double *a, CrdPivot *pivot) {
    for (int c = 0; c < w; c++) {
        double d = a[c * w + c], inverse = 0.0;
        switch (crd_pivot_judge(&b->base, pivot, first + c, d, s[c])) {
        case CRD_PIVOT_REFUSED: return false;
        case CRD_PIVOT_LEFT_OUT: d = 0.0; break;
        case CRD_PIVOT_KEPT: inverse = 1.0 / d; break;
        }
        b->d[first + c] = d;
        b->inverse[first + c] = inverse;
        for (int i = c + 1; i < w; i++) {
            double l = a[c * w + i] * inverse;
            for (int r = i; r < w; r++) a[i * w + r] -= l * a[c * w + r];
        }
        for (int i = c + 1; i < w; i++) a[c * w + i] *= inverse;
    }
    return true;
}

CRD_KERNEL bool column(int w, Block *b, const CrdPanel *p, const double *s, CrdPivot *pivot) {
    double *a = b->x + p->diagonal, before[CRD_WIDEST];
    load(w, b, p, s, a);
    for (int c = 0; c < w; c++) before[c] = a[c * w + c];
    for (int u = p->update; u < p[1].update; u++) update_by(w, b, &b->e->updates[u], p);
    if (!factor_diagonal(w, b, p->first, before, a, pivot)) return false;
    crd_divide_rows(w, p->height, a, b->inverse + p->first, a + w * w);
    return true;
}

static bool factor_panel(Block *b, const CrdPanel *p, const double *s, CrdPivot *pivot) {
    switch (p->width) {
    case 1: return column(1, b, p, s, pivot);
    case 2: return column(2, b, p, s, pivot);
    case 3: return column(3, b, p, s, pivot);
    case 4: return column(4, b, p, s, pivot);
    case 5: return column(5, b, p, s, pivot);
    default: return column(CRD_WIDEST, b, p, s, pivot);
    }
}

static CardanStatus factor(CrdSolver *solver, const CrdMatrix *matrix, CrdPivot *pivot) {
    Block *b = (Block *)solver;
    b->factored = false;
    *pivot = crd_pivot_start(solver);
    for (int j = 0; j < b->e->count; j++)
        if (!factor_panel(b, &b->e->panels[j], matrix->s, pivot)) return CARDAN_ERR_NUMERIC;
    b->factored = true;
    return CARDAN_OK;
}

/* ---- solve ---- */

CRD_KERNEL void forward(int w, const Block *b, const CrdPanel *p, double *r) {
    const double *l = b->x + p->diagonal, *x = l + w * w;
    double z[CRD_WIDEST];
    for (int c = 0; c < w; c++) z[c] = r[p->first + c];
    crd_forward_diagonal(w, l, z);
    for (int c = 0; c < w; c++) r[p->first + c] = z[c];
    for (const CrdSpan *span = b->e->spans + p->span, *end = b->e->spans + p[1].span; span < end; span++) {
        crd_forward_rows(w, span->count, x, p->height, z, r + span->row);
        x += span->count;
    }
}

CRD_KERNEL void backward(int w, const Block *b, const CrdPanel *p, double *r) {
    const double *l = b->x + p->diagonal, *x = l + w * w;
    double z[CRD_WIDEST];
    for (int c = 0; c < w; c++) z[c] = r[p->first + c] * b->inverse[p->first + c];
    for (const CrdSpan *span = b->e->spans + p->span, *end = b->e->spans + p[1].span; span < end; span++) {
        crd_backward_rows(w, span->count, x, p->height, r + span->row, z);
        x += span->count;
    }
    crd_backward_diagonal(w, l, z);
    for (int c = 0; c < w; c++) r[p->first + c] = z[c];
}

static void sweep_forward(const Block *b, double *r) {
    for (const CrdPanel *p = b->e->panels, *end = p + b->e->count; p < end; p++) switch (p->width) {
        case 1: forward(1, b, p, r); break;
        case 2: forward(2, b, p, r); break;
        case 3: forward(3, b, p, r); break;
        case 4: forward(4, b, p, r); break;
        case 5: forward(5, b, p, r); break;
        default: forward(CRD_WIDEST, b, p, r); break;
        }
}

static void sweep_backward(const Block *b, double *r) {
    for (const CrdPanel *p = b->e->panels + b->e->count; p-- > b->e->panels;) switch (p->width) {
        case 1: backward(1, b, p, r); break;
        case 2: backward(2, b, p, r); break;
        case 3: backward(3, b, p, r); break;
        case 4: backward(4, b, p, r); break;
        case 5: backward(5, b, p, r); break;
        default: backward(CRD_WIDEST, b, p, r); break;
        }
}

static CardanStatus solve(CrdSolver *solver, double *r) {
    const Block *b = (const Block *)solver;
    if (!b->factored) return CARDAN_ERR_INTERNAL;
    sweep_forward(b, r);
    sweep_backward(b, r);
    return CARDAN_OK;
}

const CrdSolverOps crd_solver_block = {"block", create, factor, solve, destroy, true};
