#include "analysis/rank.h"

#include "analysis/assemble.h"
#include "analysis/rank_sparse.h"
#include "core/numbers.h"
#include "core/random.h"
#include "solve/qr.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

enum { MOVES_MOST = CRD_NEIGHBOURS + 2 };

/* What one look needs; freed as a whole. */
typedef struct Look {
    CrdDynamics *d;
    CrdSpectrum spectrum;
    double t;
    const double *v;
    double *here;   /* (nq) the pose on the manifold */
    double *near;   /* (nq) a neighbour */
    double *moves;  /* (nv x MOVES_MOST) displacements to neighbours, reach 1 */
    double *square; /* (rows x rows) */
    double *part;   /* (rows) */
    CrdArena arena;
} Look;

/* ---- the screen ---- */

static void fill_saddle(const void *user, double *k, int order) {
    const CrdDynamics *d = user;
    crd_fill_saddle(d->model, &d->system, CARDAN_METRIC_MASS, k, order);
}

/* Factors S at what was measured last without complaint. CARDAN_ERR_NUMERIC: rows are dependent to rounding. */
static CardanStatus screen(CrdDynamics *d, CrdPivot *pivot) {
    crd_weigh(d->model, CARDAN_METRIC_MASS, &d->system);
    d->factorisations++;
    CrdMatrix matrix = {d->system.S, d->model->shape->nv, fill_saddle, d};
    double drop = d->all->drop;
    d->all->drop = 0.0; /* here dependent rows are to be noticed, not left out */
    CardanStatus status = d->all->ops->factor(d->all, &matrix, pivot);
    d->all->drop = drop;
    return status;
}

/* ---- the dense look ---- */

static void layout(Look *look, const CrdShape *s) {
    size_t rows = (size_t)s->rows, real = sizeof(double);
    look->here = crd_take(&look->arena, (size_t)s->nq, real);
    look->near = crd_take(&look->arena, (size_t)s->nq, real);
    look->moves = crd_take(&look->arena, (size_t)s->nv * MOVES_MOST, real);
    look->square = crd_take(&look->arena, rows * rows, real);
    look->part = crd_take(&look->arena, rows, real);
}

static CardanStatus open_look(Look *look, const double *q) {
    CrdDynamics *d = look->d;
    const CrdShape *s = d->model->shape;
    layout(look, s);
    if (!crd_arena_allocate(&look->arena)) return crd_fail_memory(d->error);
    layout(look, s);
    memcpy(look->here, q, (size_t)s->nq * sizeof *q);
    return crd_spectrum_open(&look->spectrum, d->model, d->error);
}

static void close_look(Look *look) {
    crd_spectrum_close(&look->spectrum);
    crd_delete(look->arena.base);
}

/* Elements with a row in the dependencies that the spectrum at hand shows. */
static void mark(Look *look, int rank, bool *element) {
    const CrdShape *s = look->d->model->shape;
    if (element == NULL) return;
    memset(element, 0, (size_t)s->element_count * sizeof *element);
    if (rank == s->rows) return;
    crd_spectrum_parts(&look->spectrum, rank, look->square, look->part);
    double largest = crd_worst(look->part, s->rows);
    for (int i = 0; i < s->rows; i++)
        if (look->part[i] > CRD_NULL_SUPPORT * largest) element[s->row_element[i]] = true;
}

/* How many neighbours this model is worth. */
static int affordable(const CrdSpectrum *sp) {
    double each = (double)sp->rows * (double)sp->columns * (double)sp->count;
    double count = CRD_LOOK_WORK / fmax(each, 1.0);
    return count < 2.0 ? 2 : count > CRD_NEIGHBOURS ? CRD_NEIGHBOURS : (int)count;
}

/* Scales a move to reach 1. false: it is none. */
static bool normalise_move(const CardanModel *model, double *x) {
    double reach = crd_reach(model, x);
    if (!(reach > 0.0) || !isfinite(reach)) return false;
    for (int i = 0; i < model->shape->nv; i++) x[i] /= reach;
    return true;
}

/* Fills look->moves at the pose measured last: along v and back, then at random where holonomic rows allow. */
static CardanStatus choose_moves(Look *look, int *count) {
    CrdDynamics *d = look->d;
    int nv = d->model->shape->nv;
    size_t bytes = (size_t)nv * sizeof(double);
    *count = 0;
    memcpy(look->moves, look->v, bytes);
    if (normalise_move(d->model, look->moves)) {
        for (int i = 0; i < nv; i++) look->moves[nv + i] = -look->moves[i];
        *count = 2;
    }
    CRD_TRY(crd_spectrum_take(&look->spectrum, &d->system, true, d->error));
    int rank = crd_spectrum_rank(&look->spectrum, CRD_RANK_TOLERANCE);
    int random = rank < nv ? affordable(&look->spectrum) : 0;
    uint64_t state = 1;
    for (int k = 0; k < random; k++) {
        double *x = look->moves + (size_t)*count * (size_t)nv;
        for (int i = 0; i < nv; i++) x[i] = crd_random(&state);
        crd_spectrum_feasible(&look->spectrum, &d->system, rank, x);
        if (normalise_move(d->model, x)) ++*count;
    }
    return CARDAN_OK;
}

/* Rank at the neighbour along one move; *rank stays as it is where there is no manifold near by. */
static CardanStatus neighbour_rank(Look *look, int move, int *rank) {
    CrdDynamics *d = look->d;
    const CrdShape *s = d->model->shape;
    double *x = look->moves + (size_t)move * (size_t)s->nv,
           far = move % 2 == 0 ? CRD_NEIGHBOUR_NEAR : CRD_NEIGHBOUR_FAR;
    for (int i = 0; i < s->nv; i++) x[i] *= far;
    memcpy(look->near, look->here, (size_t)s->nq * sizeof *look->near);
    crd_move(s, x, look->near);
    CrdAssembly assembly = {.dynamics = d, .spectrum = &look->spectrum, .far = true};
    CRD_TRY(crd_assemble(&assembly, look->t, look->near, look->v));
    if (!(assembly.left <= CRD_NEIGHBOUR_LEFT * d->model->numbers.size)) return CARDAN_OK;
    CRD_TRY(crd_spectrum_take(&look->spectrum, &d->system, false, d->error));
    *rank = crd_spectrum_rank(&look->spectrum, CRD_RANK_TOLERANCE);
    return CARDAN_OK;
}

static CardanStatus look_around(Look *look, CrdRank *out, bool *redundant, bool *singular) {
    CrdDynamics *d = look->d;
    CrdAssembly assembly = {.dynamics = d, .spectrum = &look->spectrum};
    CRD_TRY(crd_assemble(&assembly, look->t, look->here, look->v));
    CRD_TRY(crd_spectrum_take(&look->spectrum, &d->system, false, d->error));
    out->rank = out->rank_here = crd_spectrum_rank(&look->spectrum, CRD_RANK_TOLERANCE);
    mark(look, out->rank, redundant);
    mark(look, out->rank, singular);
    int moves = 0, most = look->spectrum.count;
    if (out->rank < most) CRD_TRY(choose_moves(look, &moves));
    for (int k = 0; k < moves && out->rank < most; k++) {
        int rank = -1;
        CRD_TRY(neighbour_rank(look, k, &rank));
        if (rank <= out->rank) continue;
        out->rank = rank;
        mark(look, rank, redundant);
    }
    out->singular = out->rank_here < out->rank;
    return CARDAN_OK;
}

static CardanStatus look_densely(CrdDynamics *d, double t, const double *q, const double *v, CrdRank *out,
                                 bool *redundant, bool *singular) {
    Look look = {.d = d, .t = t, .v = v};
    CardanStatus status = open_look(&look, q);
    if (status >= 0) status = look_around(&look, out, redundant, singular);
    close_look(&look);
    return status;
}

/* All that pivots tell. */
static void from_pivots(const CrdShape *s, CardanStatus factored, CrdPivot pivot, CrdRank *out, bool *redundant,
                        bool *singular) {
    *out = (CrdRank){.rank = s->rows, .rank_here = s->rows, .exact = factored >= 0 && pivot.ratio > CRD_PIVOT_SUSPECT};
    if (redundant != NULL) memset(redundant, 0, (size_t)s->element_count * sizeof *redundant);
    if (singular != NULL) memset(singular, 0, (size_t)s->element_count * sizeof *singular);
    if (factored >= 0) return;
    out->rank = out->rank_here = s->rows - 1;
    if (redundant != NULL) redundant[s->row_element[pivot.row]] = true;
    if (singular != NULL) singular[s->row_element[pivot.row]] = true;
}

CardanStatus crd_rank(CrdDynamics *d, double t, const double *q, const double *v, CrdRank *out, bool *redundant,
                      bool *singular) {
    const CrdShape *s = d->model->shape;
    CrdPivot pivot = {.ratio = 1.0};
    CRD_TRY(crd_measure(d, t, q, v));
    CardanStatus factored = s->rows > 0 ? screen(d, &pivot) : CARDAN_OK;
    if (factored < 0 && factored != CARDAN_ERR_NUMERIC)
        return crd_fail(d->error, factored, "the solver failed at t = %.9g", t);
    from_pivots(s, factored, pivot, out, redundant, singular);
    bool small = (long long)s->rows * s->nv <= CRD_RANK_DENSE;
    if (out->exact || (!small && !crd_qr_fits(s))) return CARDAN_OK;

    out->exact = true;
    CRD_TRY(small ? look_densely(d, t, q, v, out, redundant, singular)
                  : crd_rank_sparse(d, t, q, v, out, redundant, singular));
    return crd_measure(d, t, q, v);
}
