#include "solve/reduced.h"

#include "core/memory.h"

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
    int *start, *row, *slot;     /* of the pattern */
    double *values;              /* (start[kept.n]) their part of S, for back ends that want it together; else NULL */
    double *least, *r;           /* (kept.n) */
    bool any_dropped;            /* the last factorisation left out more rows */
} Reduced;

extern const CrdSolverOps crd_solver_reduced;

static void destroy(CrdSolver *solver) {
    if (solver == NULL) return;
    Reduced *s = (Reduced *)solver;
    if (s->inner != NULL) s->inner->ops->destroy(s->inner);
    crd_elimination_free(s->elimination);
    crd_delete(s->is_out);
    crd_delete(s->row_of);
    crd_delete(s->runs);
    crd_delete(s->start);
    crd_delete(s->row);
    crd_delete(s->slot);
    crd_delete(s->values);
    crd_delete(s->least);
    crd_delete(s->r);
    crd_solver_close(solver);
    crd_delete(s);
}

/* The pattern of the rows kept, and where its entries stand in S. */
static CardanStatus list_kept(Reduced *s, const bool *is_out, bool together, CrdError *error) {
    const CrdPattern *p = &s->base.pattern;
    size_t n = (size_t)p->n, entries = (size_t)p->start[p->n];
    int *place = crd_new(n, sizeof *place); /* of each row among those kept */
    s->is_out = crd_new(n, sizeof *s->is_out);
    s->row_of = crd_new(n, sizeof *s->row_of);
    s->runs = crd_new(n, sizeof *s->runs);
    s->start = crd_new(n + 1, sizeof *s->start);
    s->row = crd_new(entries, sizeof *s->row);
    s->slot = crd_new(entries, sizeof *s->slot);
    s->least = crd_new(n, sizeof *s->least);
    s->r = crd_new(n, sizeof *s->r);
    if (together) s->values = crd_new(entries, sizeof *s->values);
    bool good = place != NULL && s->is_out != NULL && s->row_of != NULL && s->runs != NULL &&
                s->start != NULL && s->row != NULL && s->slot != NULL && s->least != NULL && s->r != NULL &&
                (!together || s->values != NULL);
    int kept = 0, count = 0;
    for (int c = 0; good && c < p->n; c++) {
        s->is_out[c] = is_out[c];
        s->base.ratio[c] = 1.0;
        if (is_out[c]) continue;
        place[c] = kept;
        if (c == 0 || is_out[c - 1]) s->runs[s->run_count++] = (Run){c, kept, 0};
        s->runs[s->run_count - 1].count++;
        s->row_of[kept++] = c;
        for (int k = p->start[c]; k < p->start[c + 1]; k++) {
            if (is_out[p->row[k]]) continue;
            s->row[count] = place[p->row[k]];
            s->slot[count++] = k;
        }
        s->start[kept] = count;
    }
    crd_delete(place);
    if (!good) return crd_fail_memory(error);
    s->kept = (CrdPattern){.n = kept, .start = s->start, .row = s->row, .slot = together ? NULL : s->slot};
    return CARDAN_OK;
}

CardanStatus crd_reduced_create(const CrdSolverOps *ops, const CrdPattern *pattern, int velocities, const bool *is_out,
                                CrdSolver **out, CrdError *error) {
    *out = NULL;
    Reduced *s = crd_new(1, sizeof *s);
    if (s == NULL) return crd_fail_memory(error);
    CardanStatus status = crd_solver_open(&s->base, &crd_solver_reduced, pattern, error);
    if (status >= 0) status = list_kept(s, is_out, !ops->takes_slots, error);
    if (status >= 0)
        status = crd_elimination_create(s->kept.n, s->kept.start, s->kept.row, 0, NULL, &s->elimination, error);
    s->kept.elimination = s->elimination;
    if (status >= 0) status = ops->create(&s->kept, velocities, &s->inner, error);
    if (status < 0) {
        destroy(&s->base);
        return status;
    }
    *out = &s->base;
    return CARDAN_OK;
}

/* Numbers of the rows kept to their places among all. */
static void spread(const Reduced *s, const double *kept, double *all) {
    for (const Run *run = s->runs, *end = run + s->run_count; run < end; run++)
        for (int i = 0; i < run->count; i++) all[run->all + i] = kept[run->kept + i];
}

static CardanStatus factor(CrdSolver *solver, const CrdMatrix *matrix, CrdPivot *pivot) {
    Reduced *s = (Reduced *)solver;
    CrdMatrix kept = *matrix;
    if (s->values != NULL) {
        for (int k = 0; k < s->start[s->kept.n]; k++) s->values[k] = matrix->s[s->slot[k]];
        kept.s = s->values;
    }
    s->inner->drop = solver->drop;
    s->inner->least = solver->least != NULL ? s->least : NULL;
    for (int i = 0; solver->least != NULL && i < s->kept.n; i++) s->least[i] = solver->least[s->row_of[i]];
    CardanStatus status = s->inner->ops->factor(s->inner, &kept, pivot);
    spread(s, s->inner->ratio, solver->ratio);
    for (int i = 0; (s->any_dropped || pivot->dropped > 0) && i < s->kept.n; i++)
        solver->is_dropped[s->row_of[i]] = s->inner->is_dropped[i];
    s->any_dropped = pivot->dropped > 0;
    if (pivot->row >= 0 && pivot->row < s->kept.n) pivot->row = s->row_of[pivot->row];
    return status;
}

static CardanStatus solve(CrdSolver *solver, double *r) {
    Reduced *s = (Reduced *)solver;
    for (const Run *run = s->runs, *end = run + s->run_count; run < end; run++)
        for (int i = 0; i < run->count; i++) s->r[run->kept + i] = r[run->all + i];
    CardanStatus status = s->inner->ops->solve(s->inner, s->r);
    memset(r, 0, (size_t)solver->pattern.n * sizeof *r);
    spread(s, s->r, r);
    return status;
}

bool crd_reduced_is(const CrdSolver *solver, const bool *is_out) {
    const Reduced *s = (const Reduced *)solver;
    return memcmp(s->is_out, is_out, (size_t)solver->pattern.n * sizeof *is_out) == 0;
}

const bool *crd_reduced_rows(const CrdSolver *solver) {
    return ((const Reduced *)solver)->is_out;
}

/* Never created by the table: it takes another back end. */
const CrdSolverOps crd_solver_reduced = {"reduced", NULL, factor, solve, destroy, false};
