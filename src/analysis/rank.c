#include "analysis/rank.h"

#include "analysis/assemble.h"
#include "analysis/rank_sparse.h"
#include "core/numbers.h"
#include "core/random.h"
#include "linear/qr.h"

#include <assert.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

/* Below this a pivot is a suspicion that a rank-revealing factorisation looks into at compile (SINGULARITIES). */
#define CRD_PIVOT_SUSPECT 1e-6

/* Operations (rows x velocities x the smaller) that decompositions at neighbours may cost, one each counted; a large
 * model gets fewer neighbours, but never less than 2. */
#define CRD_LOOK_WORK 3e9

/* Largest rows x velocities for which a rank is found by singular values; beyond it sparse QR takes over. Both take
 * some milliseconds there; a decomposition costs the cube of the rows, QR of chains and ladders their number. */
#define CRD_RANK_DENSE 6000

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
    const CrdDynamics *dynamics = user;
    crd_fill_saddle(dynamics->model, &dynamics->system, CARDAN_METRIC_MASS, k, order);
}

/* Factors S of the rows in the workspace without complaint. CARDAN_ERR_NUMERIC: rows are dependent to rounding. */
static CardanStatus screen(CrdDynamics *dynamics, CrdPivot *pivot) {
    assert(crd_stamp_holds(&dynamics->system.stamp, CRD_HOLDS_ROWS) && dynamics->factor.all != NULL);
    crd_form_schur(dynamics->model, CARDAN_METRIC_MASS, &dynamics->system);
    dynamics->work.factorisations++;
    CrdMatrix matrix = {dynamics->system.S, dynamics->model->structure->nv, fill_saddle, dynamics};
    double drop = dynamics->factor.all->drop;
    dynamics->factor.all->drop = 0.0; /* here dependent rows are to be noticed, not left out */
    CardanStatus status = dynamics->factor.all->ops->factor(dynamics->factor.all, &matrix, pivot);
    dynamics->factor.all->drop = drop;
    assert(!crd_stamp_holds(&dynamics->system.stamp, CRD_HOLDS_FACTOR)); /* nobody takes it for the factor of a step */
    return status;
}

/* ---- the dense look ---- */

static void layout(Look *look, const CrdStructure *structure) {
    size_t rows = (size_t)structure->rows, real = sizeof(double);
    look->here = crd_take(&look->arena, (size_t)structure->nq, real);
    look->near = crd_take(&look->arena, (size_t)structure->nq, real);
    look->moves = crd_take(&look->arena, (size_t)structure->nv * MOVES_MOST, real);
    look->square = crd_take(&look->arena, rows * rows, real);
    look->part = crd_take(&look->arena, rows, real);
}

static CardanStatus open_look(Look *look, const double *q) {
    CrdDynamics *dynamics = look->d;
    const CrdStructure *structure = dynamics->model->structure;
    layout(look, structure);
    if (!crd_arena_allocate(&look->arena)) return crd_fail_memory(dynamics->error);
    layout(look, structure);
    assert(crd_arena_is_full(&look->arena));
    memcpy(look->here, q, (size_t)structure->nq * sizeof *q);
    return crd_spectrum_open(&look->spectrum, dynamics->model, dynamics->error);
}

static void close_look(Look *look) {
    crd_spectrum_close(&look->spectrum);
    crd_delete(look->arena.base);
}

/* Elements with a row in the dependencies that the spectrum shows. */
static void mark(Look *look, int rank, bool *element) {
    const CrdStructure *structure = look->d->model->structure;
    if (element == NULL) return;
    memset(element, 0, (size_t)structure->element_count * sizeof *element);
    if (rank == structure->rows) return;
    assert(rank < structure->rows);
    crd_spectrum_parts(&look->spectrum, rank, look->square, look->part);
    double largest = crd_max_abs(look->part, structure->rows);
    for (int i = 0; i < structure->rows; i++)
        if (look->part[i] > CRD_NULL_SUPPORT * largest) element[structure->row_element[i]] = true;
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
    for (int i = 0; i < model->structure->nv; i++) x[i] /= reach;
    return true;
}

/* Fills look->moves at the pose of the workspace: along v and back, then at random where holonomic rows allow. */
static CardanStatus choose_moves(Look *look, int *count) {
    CrdDynamics *dynamics = look->d;
    int nv = dynamics->model->structure->nv;
    assert(crd_stamp_holds(&dynamics->system.stamp, CRD_HOLDS_ROWS));
    size_t bytes = (size_t)nv * sizeof(double);
    *count = 0;
    memcpy(look->moves, look->v, bytes);
    if (normalise_move(dynamics->model, look->moves)) {
        for (int i = 0; i < nv; i++) look->moves[nv + i] = -look->moves[i];
        *count = 2;
    }
    CRD_TRY(crd_spectrum_take(&look->spectrum, &dynamics->system, true, dynamics->error));
    int rank = crd_spectrum_rank(&look->spectrum, CRD_RANK_TOLERANCE);
    int random = rank < nv ? affordable(&look->spectrum) : 0;
    uint64_t state = 1;
    for (int k = 0; k < random; k++) {
        assert(*count < MOVES_MOST);
        double *x = look->moves + (size_t)*count * (size_t)nv;
        for (int i = 0; i < nv; i++) x[i] = crd_random(&state);
        crd_spectrum_feasible(&look->spectrum, &dynamics->system, rank, x);
        if (normalise_move(dynamics->model, x)) ++*count;
    }
    return CARDAN_OK;
}

/* Rank at the neighbour along one move; *rank stays as it is where there is no manifold near by. */
static CardanStatus neighbour_rank(Look *look, int move, int *rank) {
    CrdDynamics *dynamics = look->d;
    const CrdStructure *structure = dynamics->model->structure;
    double *x = look->moves + (size_t)move * (size_t)structure->nv,
           far = move % 2 == 0 ? CRD_NEIGHBOUR_NEAR : CRD_NEIGHBOUR_FAR;
    for (int i = 0; i < structure->nv; i++) x[i] *= far;
    memcpy(look->near, look->here, (size_t)structure->nq * sizeof *look->near);
    crd_move(structure, x, look->near);
    CrdAssembly assembly = {.dynamics = dynamics, .spectrum = &look->spectrum, .far = true};
    CRD_TRY(crd_assemble(&assembly, look->t, look->near, look->v));
    if (!(assembly.left <= CRD_NEIGHBOUR_LEFT * dynamics->model->values.size)) return CARDAN_OK;
    CRD_TRY(crd_spectrum_take(&look->spectrum, &dynamics->system, false, dynamics->error));
    *rank = crd_spectrum_rank(&look->spectrum, CRD_RANK_TOLERANCE);
    return CARDAN_OK;
}

static CardanStatus look_around(Look *look, CrdRank *out, bool *redundant, bool *singular) {
    CrdDynamics *dynamics = look->d;
    CrdAssembly assembly = {.dynamics = dynamics, .spectrum = &look->spectrum};
    CRD_TRY(crd_assemble(&assembly, look->t, look->here, look->v));
    CRD_TRY(crd_spectrum_take(&look->spectrum, &dynamics->system, false, dynamics->error));
    out->rank = out->rank_here = crd_spectrum_rank(&look->spectrum, CRD_RANK_TOLERANCE);
    mark(look, out->rank, redundant);
    mark(look, out->rank, singular);
    int moves = 0, max = look->spectrum.count;
    if (out->rank < max) CRD_TRY(choose_moves(look, &moves));
    for (int k = 0; k < moves && out->rank < max; k++) {
        int rank = -1;
        CRD_TRY(neighbour_rank(look, k, &rank));
        assert(rank <= max);
        if (rank <= out->rank) continue;
        out->rank = rank;
        mark(look, rank, redundant);
    }
    out->singular = out->rank_here < out->rank;
    return CARDAN_OK;
}

static CardanStatus look_densely(CrdDynamics *dynamics, double t, const double *q, const double *v, CrdRank *out,
                                 bool *redundant, bool *singular) {
    Look look = {.d = dynamics, .t = t, .v = v};
    CardanStatus status = open_look(&look, q);
    if (status >= 0) status = look_around(&look, out, redundant, singular);
    close_look(&look);
    return status;
}

/* All that pivots tell. */
static void from_pivots(const CrdStructure *structure, CardanStatus factored, CrdPivot pivot, CrdRank *out,
                        bool *redundant, bool *singular) {
    *out = (CrdRank){.rank = structure->rows,
                     .rank_here = structure->rows,
                     .exact = factored >= 0 && pivot.ratio > CRD_PIVOT_SUSPECT};
    if (redundant != NULL) memset(redundant, 0, (size_t)structure->element_count * sizeof *redundant);
    if (singular != NULL) memset(singular, 0, (size_t)structure->element_count * sizeof *singular);
    if (factored >= 0) return;
    assert(pivot.row >= 0 && pivot.row < structure->rows);
    out->rank = out->rank_here = structure->rows - 1;
    if (redundant != NULL) redundant[structure->row_element[pivot.row]] = true;
    if (singular != NULL) singular[structure->row_element[pivot.row]] = true;
}

CardanStatus crd_rank(CrdDynamics *dynamics, double t, const double *q, const double *v, CrdRank *out, bool *redundant,
                      bool *singular) {
    const CrdStructure *structure = dynamics->model->structure;
    CrdPivot pivot = {.ratio = 1.0};
    CRD_TRY(crd_evaluate_constraints(dynamics, t, q, v));
    CardanStatus factored = structure->rows > 0 ? screen(dynamics, &pivot) : CARDAN_OK;
    if (factored < 0 && factored != CARDAN_ERR_NUMERIC)
        return crd_fail(dynamics->error, factored, "the solver failed at t = %.9g", t);
    from_pivots(structure, factored, pivot, out, redundant, singular);
    bool small = (long long)structure->rows * structure->nv <= CRD_RANK_DENSE;
    if (out->exact || (!small && !crd_qr_fits(structure))) return CARDAN_OK;

    out->exact = true;
    CRD_TRY(small ? look_densely(dynamics, t, q, v, out, redundant, singular)
                  : crd_rank_sparse(dynamics, t, q, v, out, redundant, singular));
    return crd_evaluate_constraints(dynamics, t, q, v);
}
