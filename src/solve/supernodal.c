/* Heavy fill: S = L L^T by supernodes, groups of block columns with nearly the same rows, so that the work is done by
 * BLAS on dense panels. The structure is that of model/elimination.h with neighbouring columns joined where that brings
 * few zeros; the numeric part is left-looking (Ng and Peyton 1993):
 *
 *     X_t -= L_s L_ts^T  for every earlier supernode s with rows in t        L_t = X_t L_tt^-T
 *
 * CHOLMOD has such a code too, but in its GPL part; it allocates in every factorisation and cannot leave out a row. Here
 * a row left out gets a column of zeros and a unit pivot that nothing else sees, and nothing is allocated after creation
 * (OpenBLAS allocates when it uses several threads; the fronts here are too small to gain from them). */
#include "core/memory.h"
#include "solve/pivot.h"
#include "solve/solver.h"

#include <cblas.h>
#include <stdint.h>

/* A supernode: panels `panel` .. of the elimination as one dense panel, leading dimension width + height. */
typedef struct Node {
    int panel;         /* its first; ends where the next node begins */
    int first, width;  /* rows */
    int height;        /* rows below, those of its last panel */
    int block;         /* the blocks below are below[block .. end) of the elimination */
    int end;
    int part, change;  /* first of its parts of S and of the changes it gets; the next node's end them */
    size_t x;          /* where it starts in the factor */
} Node;

/* A part of S as in CrdSource, and where it goes. */
typedef struct Part {
    int slot, above, rows, columns;
    size_t to;
} Part;

/* Supernode `node` changes another one, whose columns are the rows of its blocks from .. until. */
typedef struct Change {
    int node, from, until;
} Change;

/* Consecutive rows of a change that go to consecutive rows. */
typedef struct Stretch {
    int from, to, count;
} Stretch;

typedef struct Super {
    CrdSolver base;
    const CrdElimination *e;
    CrdElimination *owned; /* where the pattern brought none; NULL: the model's */
    int count;
    Node *nodes;       /* count + 1 */
    int *node_of;      /* (e->count) */
    Part *parts;
    Change *changes;
    double *x;         /* panels: S, then L; filled by factor */
    double *c;         /* product of one change */
    double *s;         /* (n) diagonal of S */
    int *place;        /* (e->count) where a block's rows are in the supernode at hand */
    Stretch *stretches; /* of one change */
    double *r;         /* (n) rows of one supernode gathered by the sweeps */
    bool factored;
} Super;

static void destroy(CrdSolver *solver) {
    if (solver == NULL) return;
    Super *s = (Super *)solver;
    void *owned[] = {s->nodes, s->node_of, s->parts, s->changes, s->x, s->c, s->s, s->place, s->stretches, s->r};
    for (size_t i = 0; i < sizeof owned / sizeof *owned; i++) crd_delete(owned[i]);
    crd_elimination_free(s->owned);
    crd_solver_close(solver);
    crd_delete(s);
}

/* ---- structure ---- */

static double entries_of(int width, int height) {
    return 0.5 * (double)width * ((double)width + 1.0) + (double)width * (double)height;
}

/* Whether a supernode of this width and share of zeros is worth its joint. */
static bool is_worth(int width, double zeros) {
    if (zeros <= 0.0 || width <= CRD_RELAX_WIDTH_0) return true;
    if (width <= CRD_RELAX_WIDTH_1) return zeros < CRD_RELAX_ZEROS_1;
    if (width <= CRD_RELAX_WIDTH_2) return zeros < CRD_RELAX_ZEROS_2;
    return zeros < CRD_RELAX_ZEROS_3;
}

/* Joins panel after panel to its parent where the parent is the next one. */
static void join_panels(Super *s) {
    const CrdElimination *e = s->e;
    double entries = 0.0;
    s->count = 0;
    for (int j = 0; j < e->count; j++) {
        const CrdPanel *p = &e->panels[j];
        Node *last = &s->nodes[s->count > 0 ? s->count - 1 : 0];
        double own = entries_of(p->width, p->height);
        bool child = j > 0 && p[-1].block < p->block && e->below[p[-1].block].panel == j;
        bool joined = child && is_worth(last->width + p->width,
                                        1.0 - (entries + own) / entries_of(last->width + p->width, p->height));
        if (!joined) {
            last = &s->nodes[s->count++];
            *last = (Node){.panel = j, .first = p->first};
            entries = 0.0;
        }
        entries += own;
        last->width += p->width;
        last->height = p->height;
        last->block = p->block;
        last->end = p[1].block;
        s->node_of[j] = s->count - 1;
    }
    s->nodes[s->count] = (Node){.panel = e->count, .first = e->n};
    for (int t = 0; t < s->count; t++)
        s->nodes[t + 1].x =
            s->nodes[t].x + (size_t)s->nodes[t].width * (size_t)(s->nodes[t].width + s->nodes[t].height);
}

/* Where each block's rows are in supernode t. */
static void place_blocks(const Super *s, int t) {
    const CrdElimination *e = s->e;
    const Node *node = &s->nodes[t];
    for (int p = node->panel; p < node[1].panel; p++) s->place[p] = e->panels[p].first - node->first;
    for (int i = node->block; i < node->end; i++) s->place[e->below[i].panel] = node->width + e->below[i].at;
}

/* Lists, or only counts while there is no room, the changes that each supernode gets. */
static void list_changes(Super *s, int *fill) {
    const CrdElimination *e = s->e;
    for (int k = 0; k < s->count; k++) {
        const Node *node = &s->nodes[k];
        for (int i = node->block, end; i < node->end; i = end) {
            int t = s->node_of[e->below[i].panel];
            for (end = i + 1; end < node->end && s->node_of[e->below[end].panel] == t;) end++;
            if (s->changes != NULL) s->changes[s->nodes[t].change + fill[t]] = (Change){k, i, end};
            fill[t]++;
        }
    }
}

static CardanStatus make_changes(Super *s, CrdError *error) {
    int *fill = crd_new((size_t)s->count, sizeof *fill);
    if (fill == NULL) return crd_fail_memory(error);
    list_changes(s, fill);
    for (int t = 0; t < s->count; t++) {
        s->nodes[t + 1].change = s->nodes[t].change + fill[t];
        fill[t] = 0;
    }
    s->changes = crd_new((size_t)s->nodes[s->count].change, sizeof *s->changes);
    if (s->changes != NULL) list_changes(s, fill);
    crd_delete(fill);
    return s->changes == NULL ? crd_fail_memory(error) : CARDAN_OK;
}

static CardanStatus make_parts(Super *s, CrdError *error) {
    const CrdElimination *e = s->e;
    int count = e->panels[e->count].source, at = 0;
    s->parts = crd_new((size_t)count, sizeof *s->parts);
    if (s->parts == NULL) return crd_fail_memory(error);
    for (int t = 0; t < s->count; t++) {
        const Node *node = &s->nodes[t];
        size_t ld = (size_t)(node->width + node->height);
        s->nodes[t].part = at;
        place_blocks(s, t);
        for (int p = node->panel; p < node[1].panel; p++)
            for (int i = e->panels[p].source; i < e->panels[p + 1].source; i++) {
                const CrdSource *from = &e->sources[i];
                size_t column = (size_t)(e->panels[p].first - node->first + from->column);
                s->parts[at++] = (Part){from->slot, from->above, from->rows, from->columns,
                                        node->x + column * ld + (size_t)s->place[from->block]};
            }
    }
    s->nodes[s->count].part = at;
    return CARDAN_OK;
}

static int rows_from(const Super *s, const Change *c) {
    return s->nodes[c->node].height - s->e->below[c->from].at;
}

static int columns_of(const Super *s, const Change *c) {
    const CrdBelow *last = &s->e->below[c->until - 1];
    return last->at + s->e->panels[last->panel].width - s->e->below[c->from].at;
}

static CardanStatus make_room(Super *s, CrdError *error) {
    size_t most = 0, blocks = 0;
    for (int i = 0; i < s->nodes[s->count].change; i++) {
        size_t size = (size_t)rows_from(s, &s->changes[i]) * (size_t)columns_of(s, &s->changes[i]);
        if (size > most) most = size;
    }
    for (int t = 0; t < s->count; t++) {
        size_t own = (size_t)(s->nodes[t].end - s->nodes[t].block);
        if (own > blocks) blocks = own;
    }
    s->x = crd_new(s->nodes[s->count].x, sizeof *s->x);
    s->c = crd_new(most, sizeof *s->c);
    s->stretches = crd_new(blocks, sizeof *s->stretches);
    s->s = crd_new((size_t)s->e->n, sizeof *s->s);
    s->r = crd_new((size_t)s->e->n, sizeof *s->r);
    bool good = s->x != NULL && s->c != NULL && s->stretches != NULL && s->s != NULL && s->r != NULL;
    return good ? CARDAN_OK : crd_fail_memory(error);
}

static CardanStatus open(Super *s, CrdError *error) {
    const CrdPattern *p = &s->base.pattern;
    s->e = p->elimination;
    if (s->e == NULL) {
        CRD_TRY(crd_elimination_create(p->n, p->start, p->row, 0, NULL, &s->owned, error));
        s->e = s->owned;
    }
    if (!s->e->fits)
        return crd_fail(error, CARDAN_ERR_LIMIT, "the factor of %d rows is too large for the supernodal solver", p->n);
    s->nodes = crd_new((size_t)s->e->count + 1, sizeof *s->nodes);
    s->node_of = crd_new((size_t)s->e->count, sizeof *s->node_of);
    s->place = crd_new((size_t)s->e->count, sizeof *s->place);
    if (s->nodes == NULL || s->node_of == NULL || s->place == NULL) return crd_fail_memory(error);
    join_panels(s);
    CRD_TRY(make_changes(s, error));
    CRD_TRY(make_parts(s, error));
    return make_room(s, error);
}

/* ---- factor ---- */

static void load(Super *s, int t, const double *values) {
    const CrdPattern *p = &s->base.pattern;
    const Node *node = &s->nodes[t];
    int ld = node->width + node->height;
    double *x = s->x + node->x;
    memset(x, 0, (node[1].x - node->x) * sizeof *x);
    for (int panel = node->panel; panel < node[1].panel; panel++) {
        int first = s->e->panels[panel].first, at = first - node->first;
        for (int c = 0; c < s->e->panels[panel].width; c++) {
            const double *column = values + p->start[first + c + 1] - 1 - c;
            for (int r = 0; r <= c; r++) x[(size_t)(at + r) * (size_t)ld + (size_t)(at + c)] = column[r];
            s->s[first + c] = column[c];
        }
    }
    for (int i = node->part; i < node[1].part; i++) {
        const Part *part = &s->parts[i];
        const double *from = values + part->slot;
        double *to = s->x + part->to;
        for (int c = 0, step = part->above + 1; c < part->rows; c++, from += step++)
            for (int l = 0; l < part->columns; l++) to[(size_t)l * (size_t)ld + (size_t)c] = from[l];
    }
}

/* Where the rows of a change go; how many stretches. */
static int find_stretches(const Super *s, const Change *change) {
    const CrdElimination *e = s->e;
    int count = 0, start = e->below[change->from].at;
    for (int i = change->from; i < s->nodes[change->node].end; i++) {
        const CrdBelow *b = &e->below[i];
        int width = e->panels[b->panel].width, to = s->place[b->panel];
        Stretch *last = &s->stretches[count > 0 ? count - 1 : 0];
        if (count > 0 && last->to + last->count == to)
            last->count += width;
        else
            s->stretches[count++] = (Stretch){b->at - start, to, width};
    }
    return count;
}

/* X_t -= L_s L_ts^T; entries above the diagonal change too and are never read. */
static void apply(Super *s, const Node *t, const Change *change) {
    const Node *from = &s->nodes[change->node];
    int rows = rows_from(s, change), columns = columns_of(s, change), ld = from->width + from->height;
    const double *l = s->x + from->x + from->width + s->e->below[change->from].at;
    cblas_dgemm(CblasColMajor, CblasNoTrans, CblasTrans, rows, columns, from->width, 1.0, l, ld, l, ld, 0.0, s->c,
                rows);
    int count = find_stretches(s, change), c = 0;
    size_t to_ld = (size_t)(t->width + t->height);
    for (int i = 0; c < columns; i++)
        for (int k = 0; k < s->stretches[i].count && c < columns; k++, c++) {
            const double *column = s->c + (size_t)c * (size_t)rows;
            double *x = s->x + t->x + (size_t)(s->stretches[i].to + k) * to_ld;
            for (int j = i; j < count; j++) {
                const Stretch *stretch = &s->stretches[j];
                const double *a = column + stretch->from;
                double *b = x + stretch->to;
                for (int r = 0; r < stretch->count; r++) b[r] -= a[r];
            }
        }
}

/* Cholesky of `width` columns at a, rows `width` alone; rows left out get a unit pivot and zeros. false: refused. */
static bool factor_small(Super *s, double *a, int ld, int width, int first, CrdPivot *pivot) {
    for (int c = 0; c < width; c++) {
        double *column = a + (size_t)c * (size_t)ld, scale = 0.0;
        switch (crd_pivot_judge(&s->base, pivot, first + c, column[c], s->s[first + c])) {
        case CRD_PIVOT_REFUSED: return false;
        case CRD_PIVOT_LEFT_OUT: column[c] = 1.0; break;
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
static bool factor_node(Super *s, const Node *t, CrdPivot *pivot) {
    int ld = t->width + t->height;
    double *x = s->x + t->x;
    for (int at = 0; at < t->width; at += CRD_STRIP) {
        int strip = t->width - at < CRD_STRIP ? t->width - at : CRD_STRIP, below = ld - at - strip;
        double *a = x + (size_t)at * (size_t)ld + (size_t)at, *b = a + strip;
        if (!factor_small(s, a, ld, strip, t->first + at, pivot)) return false;
        if (below == 0) break;
        cblas_dtrsm(CblasColMajor, CblasRight, CblasLower, CblasTrans, CblasNonUnit, below, strip, 1.0, a, ld, b, ld);
        for (int c = 0; pivot->dropped > 0 && c < strip; c++)
            if (s->base.is_dropped[t->first + at + c]) memset(b + (size_t)c * (size_t)ld, 0, (size_t)below * sizeof *b);
        int right = t->width - at - strip;
        if (right == 0) break;
        double *rest = b + (size_t)strip * (size_t)ld;
        cblas_dsyrk(CblasColMajor, CblasLower, CblasNoTrans, right, strip, -1.0, b, ld, 1.0, rest, ld);
        if (t->height > 0)
            cblas_dgemm(CblasColMajor, CblasNoTrans, CblasTrans, t->height, right, strip, -1.0, b + right, ld, b, ld,
                        1.0, rest + right, ld);
    }
    return true;
}

static CardanStatus factor(CrdSolver *solver, const CrdMatrix *matrix, CrdPivot *pivot) {
    Super *s = (Super *)solver;
    s->factored = false;
    *pivot = crd_pivot_start(solver);
    for (int t = 0; t < s->count; t++) {
        const Node *node = &s->nodes[t];
        load(s, t, matrix->s);
        place_blocks(s, t);
        for (int i = node->change; i < node[1].change; i++) apply(s, node, &s->changes[i]);
        if (!factor_node(s, node, pivot)) return CARDAN_ERR_NUMERIC;
    }
    s->factored = true;
    return CARDAN_OK;
}

/* ---- solve ---- */

/* Adds the rows below a supernode to r, or takes them from there. */
static void gather(const Super *s, const Node *t, const double *r) {
    for (int i = t->block; i < t->end; i++) {
        const CrdBelow *b = &s->e->below[i];
        const CrdPanel *p = &s->e->panels[b->panel];
        for (int k = 0; k < p->width; k++) s->r[b->at + k] = r[p->first + k];
    }
}

static void scatter(const Super *s, const Node *t, double *r) {
    for (int i = t->block; i < t->end; i++) {
        const CrdBelow *b = &s->e->below[i];
        const CrdPanel *p = &s->e->panels[b->panel];
        for (int k = 0; k < p->width; k++) r[p->first + k] -= s->r[b->at + k];
    }
}

static CardanStatus solve(CrdSolver *solver, double *r) {
    Super *s = (Super *)solver;
    if (!s->factored) return CARDAN_ERR_INTERNAL;
    for (int t = 0; t < s->count; t++) {
        const Node *node = &s->nodes[t];
        int w = node->width, h = node->height, ld = w + h;
        const double *x = s->x + node->x;
        double *z = r + node->first;
        cblas_dtrsv(CblasColMajor, CblasLower, CblasNoTrans, CblasNonUnit, w, x, ld, z, 1);
        for (int c = 0; c < w; c++) /* a row left out: its column is zero, so only its own entry is to be cleared */
            if (solver->is_dropped[node->first + c]) z[c] = 0.0;
        if (h == 0) continue;
        cblas_dgemv(CblasColMajor, CblasNoTrans, h, w, 1.0, x + w, ld, z, 1, 0.0, s->r, 1);
        scatter(s, node, r);
    }
    for (int t = s->count - 1; t >= 0; t--) {
        const Node *node = &s->nodes[t];
        int w = node->width, h = node->height, ld = w + h;
        const double *x = s->x + node->x;
        double *z = r + node->first;
        if (h > 0) {
            gather(s, node, r);
            cblas_dgemv(CblasColMajor, CblasTrans, h, w, -1.0, x + w, ld, s->r, 1, 1.0, z, 1);
        }
        cblas_dtrsv(CblasColMajor, CblasLower, CblasTrans, CblasNonUnit, w, x, ld, z, 1);
    }
    return CARDAN_OK;
}

/* ---- creation ---- */

/* OpenBLAS takes its own buffers at first use: let that happen now, on the identity. */
static void warm_up(Super *s) {
    for (int t = 0; t < s->count; t++) {
        const Node *node = &s->nodes[t];
        size_t ld = (size_t)(node->width + node->height);
        for (int c = 0; c < node->width; c++) {
            s->x[node->x + (size_t)c * ld + (size_t)c] = 1.0;
            s->s[node->first + c] = 1.0;
        }
    }
    CrdPivot pivot = crd_pivot_start(&s->base);
    for (int t = 0; t < s->count; t++) {
        place_blocks(s, t);
        for (int i = s->nodes[t].change; i < s->nodes[t + 1].change; i++) apply(s, &s->nodes[t], &s->changes[i]);
        factor_node(s, &s->nodes[t], &pivot);
    }
    s->factored = true;
    solve(&s->base, s->s);
    s->factored = false;
}

static CardanStatus create(const CrdPattern *pattern, int velocities, CrdSolver **out, CrdError *error) {
    (void)velocities;
    *out = NULL;
    Super *s = crd_new(1, sizeof *s);
    if (s == NULL) return crd_fail_memory(error);
    CardanStatus status = crd_solver_open(&s->base, &crd_solver_supernodal, pattern, error);
    if (status >= 0) status = open(s, error);
    if (status < 0) {
        destroy(&s->base);
        return status;
    }
    warm_up(s);
    *out = &s->base;
    return CARDAN_OK;
}

const CrdSolverOps crd_solver_supernodal = {"supernodal", create, factor, solve, destroy, false};
