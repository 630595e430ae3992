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

static void load_identity(CrdSuper *super, const CrdSuperNode *node) {
    size_t ld = (size_t)(node->width + node->height);
    for (int c = 0; c < node->width; c++)
        super->x[node->x + (size_t)c * ld + (size_t)c] = super->s[node->first + c] = 1.0;
}

/* values: of S; NULL: of the identity. */
static void load(CrdSuper *super, int t, const double *values) {
    const CrdPattern *pattern = &super->base.pattern;
    const CrdSuperNode *node = &super->nodes[t];
    int ld = node->width + node->height;
    double *x = super->x + node->x;
    memset(x, 0, (node[1].x - node->x) * sizeof *x);
    if (values == NULL) {
        load_identity(super, node);
        return;
    }
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
static int find_stretches(const CrdSuper *super, const CrdSuperRoom *room, const CrdSuperChange *change) {
    const CrdElimination *elimination = super->e;
    int count = 0, start = elimination->below[change->from].at;
    for (int i = change->from; i < super->nodes[change->node].end; i++) {
        const CrdBelow *below = &elimination->below[i];
        int width = elimination->panels[below->panel].width, to = room->place[below->panel];
        CrdSuperStretch *last = &room->stretches[count > 0 ? count - 1 : 0];
        if (count > 0 && last->to + last->count == to)
            last->count += width;
        else
            room->stretches[count++] = (CrdSuperStretch){below->at - start, to, width};
    }
    return count;
}

/* The first row of a change that goes to row `to` or a later one. */
static int row_to(const CrdSuperStretch *stretches, int count, int to) {
    for (int i = 0; i < count; i++)
        if (stretches[i].to + stretches[i].count > to)
            return stretches[i].from + (to > stretches[i].to ? to - stretches[i].to : 0);
    return stretches[count - 1].from + stretches[count - 1].count;
}

/* Takes rows first .. end of the product, which begins there, from a column; from stretch i on. */
static void subtract(const CrdSuperStretch *stretches, int i, int count, CrdRange rows, const double *product,
                     double *column) {
    for (; i < count; i++) {
        const CrdSuperStretch *stretch = &stretches[i];
        int first = stretch->from > rows.first ? stretch->from : rows.first, end = stretch->from + stretch->count;
        if (end > rows.end) end = rows.end;
        const double *a = product - rows.first;
        double *b = column + stretch->to - stretch->from;
        for (int r = first; r < end; r++) b[r] -= a[r];
    }
}

/* X_t -= L_s L_ts^T in these rows of X_t; entries above the diagonal change too and are never read. */
static void apply(CrdSuper *super, const CrdSuperRoom *room, const CrdSuperNode *node, const CrdSuperChange *change,
                  CrdRange slice) {
    const CrdSuperNode *from = &super->nodes[change->node];
    int columns = crd_super_columns(super, change), ld = from->width + from->height;
    int count = find_stretches(super, room, change), c = 0;
    CrdRange rows = {row_to(room->stretches, count, slice.first), row_to(room->stretches, count, slice.end)};
    assert(from < node && rows.end <= crd_super_rows(super, change) && columns >= 1);
    if (columns > rows.end) columns = rows.end;
    if (rows.first == rows.end) return;
    const double *l = super->x + from->x + from->width + super->e->below[change->from].at;
    double *product = room->c;
    int height = rows.end - rows.first;
    cblas_dgemm(CblasColMajor, CblasNoTrans, CblasTrans, height, columns, from->width, 1.0, l + rows.first, ld, l, ld,
                0.0, product, height);
    size_t to_ld = (size_t)(node->width + node->height);
    for (int i = 0; c < columns; i++)
        for (int k = 0; k < room->stretches[i].count && c < columns; k++, c++)
            subtract(room->stretches, i, count, rows, product + (size_t)c * (size_t)height,
                     super->x + node->x + (size_t)(room->stretches[i].to + k) * to_ld);
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

/* `strip` columns of a node, from column `at` on, are done in their own rows; what they change of those below. */
typedef struct Strip {
    CrdSuper *super;
    const CrdSuperNode *node;
    int at, width;
    bool drops; /* rows of these columns may have been left out */
} Strip;

static double *below_strip(const Strip *strip) {
    size_t ld = (size_t)(strip->node->width + strip->node->height), at = (size_t)strip->at;
    return strip->super->x + strip->node->x + at * ld + at + (size_t)strip->width;
}

/* L_t = X_t L_tt^-T in these rows, the first of which is the first below. */
static void divide(const Strip *strip, CrdRange rows) {
    int ld = strip->node->width + strip->node->height, count = rows.end - rows.first;
    double *b = below_strip(strip);
    cblas_dtrsm(CblasColMajor, CblasRight, CblasLower, CblasTrans, CblasNonUnit, count, strip->width, 1.0,
                b - strip->width, ld, b + rows.first, ld);
    for (int c = 0; strip->drops && c < strip->width; c++)
        if (strip->super->base.is_dropped[strip->node->first + strip->at + c])
            memset(b + (size_t)c * (size_t)ld + rows.first, 0, (size_t)count * sizeof *b);
}

/* What they take from the columns to the right. */
static void take_from_rest(const Strip *strip, CrdRange rows) {
    int ld = strip->node->width + strip->node->height, right = strip->node->width - strip->at - strip->width;
    double *b = below_strip(strip), *rest = b + (size_t)strip->width * (size_t)ld;
    int square = rows.end < right ? rows.end : right; /* columns with a diagonal entry in or before these rows */
    if (rows.first == 0 && right > 0)
        cblas_dsyrk(CblasColMajor, CblasLower, CblasNoTrans, square, strip->width, -1.0, b, ld, 1.0, rest, ld);
    int first = rows.first > 0 ? rows.first : square;
    if (first < rows.end && square > 0)
        cblas_dgemm(CblasColMajor, CblasNoTrans, CblasTrans, rows.end - first, square, strip->width, -1.0, b + first,
                    ld, b, ld, 1.0, rest + first, ld);
}

static CrdRange rows_of_part(int part, int rows) {
    int first = part * CRD_SUPER_SLICE, end = first + CRD_SUPER_SLICE;
    return (CrdRange){first, end < rows ? end : rows};
}

static int rows_below(const Strip *strip) {
    return strip->node->width + strip->node->height - strip->at - strip->width;
}

static void divide_part(void *user, int part) {
    divide(user, rows_of_part(part, rows_below(user)));
}

static void take_part(void *user, int part) {
    take_from_rest(user, rows_of_part(part, rows_below(user)));
}

CrdPool *crd_super_pool(const CrdSuper *super) {
    return openblas_get_num_threads() > 1 ? NULL : super->base.pool;
}

/* Cholesky of a supernode by strips of columns, in one piece or in slices of its rows. */
static bool factor_node(CrdSuper *super, int t, bool in_parts, CrdPivot *pivot) {
    const CrdSuperNode *node = &super->nodes[t];
    int ld = node->width + node->height;
    for (int at = 0; at < node->width; at += CRD_STRIP) {
        int width = node->width - at < CRD_STRIP ? node->width - at : CRD_STRIP, below = ld - at - width;
        double *a = super->x + node->x + (size_t)at * (size_t)ld + (size_t)at;
        if (!factor_small(super, a, ld, width, node->first + at, pivot)) return false;
        if (below == 0) break;
        Strip strip = {super, node, at, width, pivot->dropped > 0};
        if (in_parts) {
            int parts = (below + CRD_SUPER_SLICE - 1) / CRD_SUPER_SLICE;
            crd_pool_run(crd_super_pool(super), divide_part, &strip, parts);
            crd_pool_run(crd_super_pool(super), take_part, &strip, parts);
        } else {
            divide(&strip, (CrdRange){0, below});
            take_from_rest(&strip, (CrdRange){0, below});
        }
    }
    return true;
}

typedef struct Factoring {
    CrdSuper *super;
    const double *s;
    int node; /* of the trunk, at hand */
} Factoring;

static void apply_slice(void *user, int part) {
    const Factoring *all = user;
    CrdSuper *super = all->super;
    const CrdSuperNode *node = &super->nodes[all->node];
    const CrdSuperRoom *room = &super->rooms[super->e->branch_count + part];
    CrdRange rows = rows_of_part(part, node->width + node->height);
    for (int i = node->change; i < node[1].change; i++) apply(super, room, node, &super->changes[i], rows);
}

/* Node t but for its own columns, in `room`. */
static void gather_node(CrdSuper *super, int t, const CrdSuperRoom *room) {
    const CrdSuperNode *node = &super->nodes[t];
    crd_super_place(super, t, room->place);
    for (int i = node->change; i < node[1].change; i++)
        apply(super, room, node, &super->changes[i], (CrdRange){0, node->width + node->height});
}

static void factor_branch(void *user, int b) {
    const Factoring *all = user;
    CrdSuper *super = all->super;
    CrdSuperRoom *room = &super->rooms[b];
    room->pivot = crd_pivot_perfect(super->base.pattern.n);
    room->good = true;
    for (int i = super->e->branches[b]; i < super->e->branches[b + 1]; i++)
        for (int t = super->ranges[i].first; room->good && t < super->ranges[i].end; t++) {
            load(super, t, all->s);
            gather_node(super, t, room);
            room->good = factor_node(super, t, false, &room->pivot);
        }
}

static bool factor_trunk(Factoring *all, int t, CrdPivot *pivot) {
    CrdSuper *super = all->super;
    const CrdSuperRoom *room = &super->rooms[super->e->branch_count];
    int slices = crd_super_slices(super, t);
    load(super, t, all->s);
    if (slices == 1) {
        gather_node(super, t, room);
    } else {
        all->node = t;
        crd_super_place(super, t, room->place);
        crd_pool_run(crd_super_pool(super), apply_slice, all, slices);
    }
    return factor_node(super, t, slices > 1, pivot);
}

static CardanStatus factor(CrdSolver *solver, const CrdMatrix *matrix, CrdPivot *pivot) {
    CrdSuper *super = (CrdSuper *)solver;
    Factoring all = {.super = super, .s = matrix->s};
    bool good = true;
    super->factored = false;
    *pivot = crd_pivot_start(solver);
    crd_pool_run(crd_super_pool(super), factor_branch, &all, super->e->branch_count);
    for (int b = 0; good && b < super->e->branch_count; b++)
        good = crd_pivot_join(pivot, super->rooms[b].pivot, super->rooms[b].good);
    for (int t = 0; good && t < super->count; t++)
        if (super->is_trunk[t]) good = factor_trunk(&all, t, pivot);
    super->factored = good;
    return good ? CARDAN_OK : CARDAN_ERR_NUMERIC;
}

/* ---- creation ---- */

/* OpenBLAS takes its own buffers at first use: let that happen now, on the identity. */
static void warm_up(CrdSuper *super) {
    CrdPivot pivot;
    factor(&super->base, &(CrdMatrix){.s = NULL}, &pivot);
    for (int i = 0; i < super->base.pattern.n; i++) super->s[i] = 1.0;
    crd_super_solve(&super->base, super->s);
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
                                            .solve = crd_super_solve,
                                            .destroy = destroy,
                                            .work = {.known = true, .unit = {57.0, 3.4, 0.060}}};
