#include "analysis/rank_sparse.h"

#include "analysis/assemble.h"
#include "core/numbers.h"
#include "core/random.h"
#include "linear/qr.h"

#include <assert.h>
#include <math.h>
#include <string.h>

/* What is left of a kinematic row of length 1 when it depends on those before it. Rounding leaves 1e-14; neighbours of
 * a pose in which many loops are singular at once are so close to it that rows keep 1e-8 only. */
#define CRD_RANK_SPARSE 1e-10

/* Random neighbours looked at by sparse QR. */
#define CRD_NEIGHBOURS_SPARSE 4

/* What one look needs; freed as a whole. */
typedef struct Look {
    CrdDynamics *d;
    CrdQr qr;
    double t;
    const double *v;
    double *here, *near; /* (nq) the pose on the manifold; a neighbour */
    double *x, *r;       /* (nv) a move; (rows) */
    bool *dropped;       /* (rows) as they were */
    CrdArena arena;
} Look;

static void layout(Look *look, const CrdStructure *structure) {
    look->here = crd_take(&look->arena, (size_t)structure->nq, sizeof(double));
    look->near = crd_take(&look->arena, (size_t)structure->nq, sizeof(double));
    look->x = crd_take(&look->arena, (size_t)structure->nv, sizeof(double));
    look->r = crd_take(&look->arena, (size_t)structure->rows, sizeof(double));
    look->dropped = crd_take(&look->arena, (size_t)structure->rows, sizeof *look->dropped);
}

/* Rank of the rows in the workspace; elements with a part in their dependencies. */
static CardanStatus take_at(Look *look, double tolerance, bool *element, int *rank) {
    const CrdStructure *structure = look->d->model->structure;
    CRD_TRY(crd_qr_take(&look->qr, &look->d->system, tolerance, look->d->error));
    *rank = look->qr.rank;
    assert(*rank >= 0 && *rank <= structure->rows);
    if (element == NULL) return CARDAN_OK;
    memset(element, 0, (size_t)structure->element_count * sizeof *element);
    crd_qr_dependency(&look->qr);
    double largest = crd_max_abs(look->qr.y, structure->rows);
    for (int i = 0; *rank < structure->rows && i < structure->rows; i++)
        if (fabs(look->qr.y[i]) > CRD_NULL_SUPPORT * largest) element[structure->row_element[i]] = true;
    return CARDAN_OK;
}

static CardanStatus take(Look *look, bool *element, int *rank) {
    return take_at(look, CRD_RANK_SPARSE, element, rank);
}

/* Rows that depend on others within the tolerance of redundancy, but not exactly. */
static CardanStatus count_inexact(Look *look, int rank, bool *element, int *count) {
    int wide = rank;
    if (look->qr.least <= look->d->redundancy.tolerance) /* else it would find the same */
        CRD_TRY(take_at(look, look->d->redundancy.tolerance, NULL, &wide));
    *count = rank > wide ? rank - wide : 0;
    return *count > 0 && element != NULL ? take_at(look, look->d->redundancy.tolerance, element, &wide) : CARDAN_OK;
}

/* x: along v (move 0) and back (1), then at random where the rows at `here` allow; to the length `far`. false: it is
 * none. */
static CardanStatus choose_move(Look *look, int move, double far, uint64_t *state, bool *good) {
    CrdDynamics *dynamics = look->d;
    const CrdStructure *structure = dynamics->model->structure;
    assert(move >= 0 && far > 0.0);
    for (int i = 0; i < structure->nv; i++)
        look->x[i] = move == 0 ? look->v[i] : move == 1 ? -look->v[i] : crd_random(state);
    if (move > 1) {
        CRD_TRY(crd_evaluate_constraints(dynamics, look->t, look->here, look->v));
        CRD_TRY(crd_factor(dynamics, CARDAN_METRIC_MASS));
        memset(look->r, 0, (size_t)structure->rows * sizeof *look->r);
        crd_times_g(structure, dynamics->system.G, look->x, look->r);
        CRD_TRY(crd_solve_rows(dynamics, look->r));
        crd_add_forced(dynamics->model, &dynamics->system, -1.0, look->r, look->x);
    }
    double reach = crd_reach(dynamics->model, look->x);
    *good = reach > 0.0 && isfinite(reach);
    for (int i = 0; *good && i < structure->nv; i++) look->x[i] *= far / reach;
    return CARDAN_OK;
}

/* Rank at a neighbour, as far as there is a manifold near by; *rank is not lowered. */
static CardanStatus look_beside(Look *look, int move, uint64_t *state, bool *redundant, CrdRank *out) {
    CrdDynamics *dynamics = look->d;
    const CrdStructure *structure = dynamics->model->structure;
    bool good = false;
    CRD_TRY(choose_move(look, move, move % 2 == 0 ? CRD_NEIGHBOUR_NEAR : CRD_NEIGHBOUR_FAR, state, &good));
    if (!good) return CARDAN_OK;
    memcpy(look->near, look->here, (size_t)structure->nq * sizeof *look->near);
    crd_move(structure, look->x, look->near);
    CrdAssembly assembly = {.dynamics = dynamics, .far = true};
    CRD_TRY(crd_assemble(&assembly, look->t, look->near, look->v));
    if (!(assembly.left <= CRD_NEIGHBOUR_LEFT * dynamics->model->values.size)) return CARDAN_OK;
    int beside, inexact;
    CRD_TRY(take(look, NULL, &beside));
    if (out->inexact > 0) {
        CRD_TRY(count_inexact(look, beside, NULL, &inexact));
        if (inexact < out->inexact) out->inexact = inexact; /* the pose alone was next to a singular one */
    }
    if (beside <= out->rank) return CARDAN_OK;
    out->rank = beside;
    return take(look, redundant, &beside);
}

/* ---- rows that follow from others ---- */

/* A neighbour of `here` by the rows that are not dropped alone: are all closed there? */
static CardanStatus close_beside(Look *look, bool *closed) {
    CrdDynamics *dynamics = look->d;
    const CrdStructure *structure = dynamics->model->structure;
    uint64_t state = 1;
    bool good = false;
    *closed = false;
    CRD_TRY(choose_move(look, 2, CRD_NEIGHBOUR_FAR, &state, &good));
    if (!good || dynamics->factor.dropped > 0) return CARDAN_OK;
    memcpy(look->near, look->here, (size_t)structure->nq * sizeof *look->near);
    crd_move(structure, look->x, look->near);
    double allowed = CRD_NEIGHBOUR_LEFT * dynamics->model->values.size;
    CrdAssembly assembly = {.dynamics = dynamics, .far = true, .enough = allowed};
    CRD_TRY(crd_assemble(&assembly, look->t, look->near, look->v));
    *closed = assembly.left <= allowed;
    return CARDAN_OK;
}

/* Do the dead rows of the pose follow from the others wherever these lead? The others are independent, so that they
 * make a smooth manifold around the pose; on it the dead rows are analytic functions, and one that is zero at a random
 * point is zero throughout. A row that depends on others in this pose alone is open there, or another fails. */
static CardanStatus follow_everywhere(Look *look, bool *follow) {
    CrdDynamics *dynamics = look->d;
    const CrdStructure *structure = dynamics->model->structure;
    *follow = false;
    if (structure->holonomic_rows < structure->rows || crd_imperfect_is_spread(dynamics)) return CARDAN_OK;
    memcpy(look->dropped, dynamics->redundancy.is_dropped, (size_t)structure->rows * sizeof *look->dropped);
    crd_redundancy_drop(dynamics, look->qr.is_dead);
    CardanStatus status = close_beside(look, follow);
    crd_redundancy_drop(dynamics, look->dropped);
    return status;
}

static CardanStatus look_around(Look *look, CrdRank *out, bool *redundant, bool *singular) {
    CrdDynamics *dynamics = look->d;
    const CrdStructure *structure = dynamics->model->structure;
    CrdAssembly assembly = {.dynamics = dynamics};
    CRD_TRY(crd_assemble(&assembly, look->t, look->here, look->v));
    CRD_TRY(take(look, redundant, &out->rank_here));
    if (singular != NULL && redundant != NULL)
        memcpy(singular, redundant, (size_t)structure->element_count * sizeof *singular);
    out->rank = out->rank_here;
    CRD_TRY(count_inexact(look, out->rank, singular, &out->inexact));
    uint64_t state = 1;
    int max = structure->rows < structure->nv ? structure->rows : structure->nv;
    bool again = out->inexact > 0, follow = false;
    if (out->rank < max && !again) CRD_TRY(follow_everywhere(look, &follow));
    if (follow) return CARDAN_OK;
    for (int move = 0; move < 2 + CRD_NEIGHBOURS_SPARSE && (out->rank < max || again); move++)
        CRD_TRY(look_beside(look, move, &state, redundant, out));
    if (out->inexact > 0 && redundant != NULL && singular != NULL)
        memcpy(redundant, singular, (size_t)structure->element_count * sizeof *redundant);
    assert(out->rank >= out->rank_here);
    out->singular = out->rank_here < out->rank;
    return CARDAN_OK;
}

CardanStatus crd_rank_sparse(CrdDynamics *dynamics, double t, const double *q, const double *v, CrdRank *out,
                             bool *redundant, bool *singular) {
    const CrdStructure *structure = dynamics->model->structure;
    Look look = {.d = dynamics, .t = t, .v = v};
    layout(&look, structure);
    if (!crd_arena_allocate(&look.arena)) return crd_fail_memory(dynamics->error);
    layout(&look, structure);
    assert(crd_arena_is_full(&look.arena));
    memcpy(look.here, q, (size_t)structure->nq * sizeof *q);
    double drop = dynamics->factor.solver->drop;
    dynamics->factor.solver->drop = CRD_PIVOT_DROP; /* moves and assemblies leave out what depends */
    CardanStatus status = crd_qr_open(&look.qr, dynamics->model, dynamics->error);
    look.qr.kinematic = true;
    if (status >= 0) status = look_around(&look, out, redundant, singular);
    dynamics->factor.solver->drop = drop;
    crd_qr_close(&look.qr);
    crd_arena_free(&look.arena);
    return status;
}
