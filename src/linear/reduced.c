#include "linear/reduced.h"

#include "core/memory.h"

#include <assert.h>
#include <string.h>

/* Rows that follow one another among all and among those kept. */
typedef struct Run {
    int all, kept, count;
} Run;

typedef struct Reduced {
    CrdSolver base;
    CrdSolver *inner;
    CrdElimination *elimination; /* of the rows kept */
    CrdPattern kept;             /* theirs */
    bool *is_out;                /* (n) */
    int *row_of;                 /* (kept.n) which rows they are */
    Run *runs;                   /* (run_count) the same in runs */
    int run_count;
    int *start, *row, *slot;  /* of the pattern */
    double *values;           /* (start[kept.n]) their part of S, for back ends that want it together; else NULL */
    double *drop_row, *scale; /* (kept.n) */
    double *r;                /* (3 kept.n) right sides, and scratch */
    bool any_dropped;         /* the last factorisation left out more rows */
} Reduced;

extern const CrdSolverOps crd_solver_reduced;

static void destroy(CrdSolver *solver) {
    if (solver == NULL) return;
    Reduced *reduced = (Reduced *)solver;
    if (reduced->inner != NULL) reduced->inner->ops->destroy(reduced->inner);
    crd_elimination_free(reduced->elimination);
    crd_solver_close(solver);
    crd_delete(reduced);
}

/* The pattern of the rows kept, and where its entries stand in S. */
static CardanStatus list_kept(Reduced *reduced, const bool *is_out, bool together, CrdError *error) {
    const CrdPattern *pattern = &reduced->base.pattern;
    size_t n = (size_t)pattern->n, entries = (size_t)pattern->start[pattern->n];
    int *place = crd_new(n, sizeof *place); /* of each row among those kept */
    reduced->is_out = crd_solver_new(&reduced->base, n, sizeof *reduced->is_out);
    reduced->row_of = crd_solver_new(&reduced->base, n, sizeof *reduced->row_of);
    reduced->runs = crd_solver_new(&reduced->base, n, sizeof *reduced->runs);
    reduced->start = crd_solver_new(&reduced->base, n + 1, sizeof *reduced->start);
    reduced->row = crd_solver_new(&reduced->base, entries, sizeof *reduced->row);
    reduced->slot = crd_solver_new(&reduced->base, entries, sizeof *reduced->slot);
    reduced->drop_row = crd_solver_new(&reduced->base, n, sizeof *reduced->drop_row);
    reduced->scale = crd_solver_new(&reduced->base, n, sizeof *reduced->scale);
    reduced->r = crd_solver_new(&reduced->base, 3 * n, sizeof *reduced->r);
    if (together) reduced->values = crd_solver_new(&reduced->base, entries, sizeof *reduced->values);
    bool good = place != NULL && !reduced->base.lacks_memory;
    int kept = 0, count = 0;
    for (int c = 0; good && c < pattern->n; c++) {
        reduced->is_out[c] = is_out[c];
        reduced->base.ratio[c] = 1.0;
        if (is_out[c]) continue;
        place[c] = kept;
        if (c == 0 || is_out[c - 1]) reduced->runs[reduced->run_count++] = (Run){c, kept, 0};
        reduced->runs[reduced->run_count - 1].count++;
        reduced->row_of[kept++] = c;
        for (int k = pattern->start[c]; k < pattern->start[c + 1]; k++) {
            if (is_out[pattern->row[k]]) continue;
            reduced->row[count] = place[pattern->row[k]];
            reduced->slot[count++] = k;
        }
        reduced->start[kept] = count;
    }
    crd_delete(place);
    if (!good) return crd_fail_memory(error);
    reduced->kept =
        (CrdPattern){.n = kept, .start = reduced->start, .row = reduced->row, .slot = together ? NULL : reduced->slot};
    return CARDAN_OK;
}

CardanStatus crd_reduced_create(const CrdSolverOps *ops, const CrdPattern *pattern, int velocities, const bool *is_out,
                                CrdSolver **out, CrdError *error) {
    *out = NULL;
    assert(ops != &crd_solver_saddle && ops != &crd_solver_reduced);
    Reduced *reduced = crd_new(1, sizeof *reduced);
    if (reduced == NULL) return crd_fail_memory(error);
    CardanStatus status = crd_solver_open(&reduced->base, &crd_solver_reduced, pattern, error);
    if (status >= 0) status = list_kept(reduced, is_out, !ops->takes_slots, error);
    if (status >= 0)
        status = crd_elimination_create(reduced->kept.n, reduced->kept.start, reduced->kept.row, 0, NULL,
                                        &reduced->elimination, error);
    reduced->kept.elimination = reduced->elimination;
    if (status >= 0) status = ops->create(&reduced->kept, velocities, &reduced->inner, error);
    return crd_solver_finish(&reduced->base, status, out, error);
}

/* Numbers of the rows kept to their places among all. */
static void spread(const Reduced *reduced, const double *kept, double *all) {
    for (const Run *run = reduced->runs, *end = run + reduced->run_count; run < end; run++)
        for (int i = 0; i < run->count; i++) all[run->all + i] = kept[run->kept + i];
}

static CardanStatus factor(CrdSolver *solver, const CrdMatrix *matrix, CrdPivot *pivot) {
    Reduced *reduced = (Reduced *)solver;
    CrdMatrix kept = *matrix;
    if (reduced->values != NULL) {
        for (int k = 0; k < reduced->start[reduced->kept.n]; k++) reduced->values[k] = matrix->s[reduced->slot[k]];
        kept.s = reduced->values;
    }
    reduced->inner->drop = solver->drop;
    reduced->inner->drop_row = solver->drop_row != NULL ? reduced->drop_row : NULL;
    for (int i = 0; solver->drop_row != NULL && i < reduced->kept.n; i++)
        reduced->drop_row[i] = solver->drop_row[reduced->row_of[i]];
    reduced->inner->scale = solver->scale != NULL ? reduced->scale : NULL;
    for (int i = 0; solver->scale != NULL && i < reduced->kept.n; i++)
        reduced->scale[i] = solver->scale[reduced->row_of[i]];
    CardanStatus status = reduced->inner->ops->factor(reduced->inner, &kept, pivot);
    spread(reduced, reduced->inner->ratio, solver->ratio);
    for (int i = 0; (reduced->any_dropped || pivot->dropped > 0) && i < reduced->kept.n; i++)
        solver->is_dropped[reduced->row_of[i]] = reduced->inner->is_dropped[i];
    reduced->any_dropped = pivot->dropped > 0;
    if (pivot->row >= 0 && pivot->row < reduced->kept.n) pivot->row = reduced->row_of[pivot->row];
    return status;
}

static CardanStatus solve(CrdSolver *solver, double *r) {
    Reduced *reduced = (Reduced *)solver;
    for (const Run *run = reduced->runs, *end = run + reduced->run_count; run < end; run++)
        for (int i = 0; i < run->count; i++) reduced->r[run->kept + i] = r[run->all + i];
    CardanStatus status = reduced->inner->ops->solve(reduced->inner, reduced->r);
    memset(r, 0, (size_t)solver->pattern.n * sizeof *r);
    spread(reduced, reduced->r, r);
    return status;
}

static CardanStatus solve_twice(CrdSolver *solver, double *r) {
    Reduced *reduced = (Reduced *)solver;
    for (int i = 0; i < reduced->kept.n; i++)
        for (int k = 0; k < 2; k++) reduced->r[2 * i + k] = r[2 * reduced->row_of[i] + k];
    CardanStatus status =
        crd_solver_solve_twice(reduced->inner, reduced->r, reduced->r + 2 * (ptrdiff_t)reduced->kept.n);
    memset(r, 0, 2 * (size_t)solver->pattern.n * sizeof *r);
    for (int i = 0; i < reduced->kept.n; i++)
        for (int k = 0; k < 2; k++) r[2 * reduced->row_of[i] + k] = reduced->r[2 * i + k];
    return status;
}

bool crd_reduced_is(const CrdSolver *solver, const bool *is_out) {
    assert(solver->ops == &crd_solver_reduced);
    const Reduced *reduced = (const Reduced *)solver;
    return memcmp(reduced->is_out, is_out, (size_t)solver->pattern.n * sizeof *is_out) == 0;
}

const bool *crd_reduced_rows(const CrdSolver *solver) {
    assert(solver->ops == &crd_solver_reduced);
    return ((const Reduced *)solver)->is_out;
}

/* Never created by the table: it takes another back end. */
const CrdSolverOps crd_solver_reduced = {
    .name = "reduced", .factor = factor, .solve = solve, .solve_twice = solve_twice, .destroy = destroy};
