#include "analysis/rank_dense.h"

#include "analysis/relax.h"
#include "core/numbers.h"
#include "core/random.h"

#include <assert.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

/* Operations (rows x velocities x the smaller) that decompositions at neighbours may cost, one each counted; a large
 * model gets fewer neighbours, but never less than 2. */
#define CRD_LOOK_WORK 3e9

/* A neighbour is on the manifold when its rows are open by no more than so many tolerances. */
#define CRD_LOOK_OPEN 10.0

/* Rows are locked, but nearly not, where their singular values fall by more than the first factor to below the second
 * number (RANK_AND_BRANCH 1.3). */
#define CRD_NEARLY_GAP 30.0
#define CRD_NEARLY_WEAK 1e-2

/* Rows that touch, as a circle and its tangent do: dependent in the pose alone, and every neighbour comes back to it.
 * Left where it was, it has singular values that grow with the distance, beyond this one; those of a loop with an error
 * e of its data grow with e times it at most. */
#define CRD_TOUCH_STRONG 1e-3

enum { MOVES_MOST = CRD_NEIGHBOURS + 2 };

/* What was seen of the rows at one tolerance, here and at neighbours. */
typedef struct Survey {
    double tolerance;
    int base_here, base; /* rank of rows without drives: in the pose; the largest */
    int all_here, all;   /* of all rows */
    double weak;         /* largest value beyond the rank of rows without drives, where that is the largest one */
    double opening;      /* largest there */
    int neighbours;      /* how many of them were on the manifold */
    int returned;        /* and of those, how many only because they came back to the pose */
    bool *redundant, *singular;
} Survey;

/* What one look needs; freed as a whole. */
typedef struct Look {
    CrdDynamics *d;
    CrdSpectrum spectrum;
    double t;
    const double *v;
    bool *driven;   /* (rows) */
    bool drives;    /* is any? */
    int holonomic;  /* rank of holonomic rows without drives, in the pose */
    double *here;   /* (nq) the pose on the manifold */
    double *near;   /* (nq) a neighbour */
    double *dx;     /* (nv) */
    double *moves;  /* (nv x MOVES_MOST) displacements to neighbours, reach 1 */
    double *square; /* (rows x rows) */
    double *part;   /* (rows) */
    CrdArena arena;
} Look;

static void layout(Look *look, const CrdStructure *structure) {
    size_t rows = (size_t)structure->rows, real = sizeof(double);
    look->driven = crd_take(&look->arena, rows, sizeof *look->driven);
    look->here = crd_take(&look->arena, (size_t)structure->nq, real);
    look->near = crd_take(&look->arena, (size_t)structure->nq, real);
    look->dx = crd_take(&look->arena, (size_t)structure->nv, real);
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
    for (int i = 0; i < structure->rows; i++) {
        look->driven[i] = crd_element_is_driven(&structure->elements[structure->row_element[i]]);
        look->drives = look->drives || look->driven[i];
    }
    return crd_spectrum_open(&look->spectrum, dynamics->model, dynamics->error);
}

static void close_look(Look *look) {
    crd_spectrum_close(&look->spectrum);
    crd_arena_free(&look->arena);
}

/* ---- one pose ---- */

/* Decomposes the rows in the workspace, with drives or without; rank at this tolerance. */
static CardanStatus take(Look *look, bool base, double tolerance, int *rank) {
    look->spectrum.left_alone = base && look->drives ? look->driven : NULL;
    CRD_TRY(crd_spectrum_take_kinematic(&look->spectrum, &look->d->system, false, look->d->error));
    *rank = crd_spectrum_rank(&look->spectrum, tolerance);
    return CARDAN_OK;
}

/* Elements with a row in the dependencies that the spectrum shows beyond this rank. */
static void mark(Look *look, int rank, bool *element) {
    const CrdStructure *structure = look->d->model->structure;
    if (element == NULL) return;
    memset(element, 0, (size_t)structure->element_count * sizeof *element);
    if (rank == structure->rows) return;
    assert(rank < structure->rows);
    crd_spectrum_parts(&look->spectrum, rank, look->square, look->part);
    for (int i = 0; i < structure->rows; i++)
        if (look->spectrum.left_alone != NULL && look->spectrum.left_alone[i]) look->part[i] = 0.0;
    double largest = crd_max_abs(look->part, structure->rows);
    for (int i = 0; i < structure->rows; i++)
        if (look->part[i] > CRD_NULL_SUPPORT * largest) element[structure->row_element[i]] = true;
}

/* What the rows in the workspace tell. */
static CardanStatus see(Look *look, Survey *survey, double opening, int *base, int *all) {
    CRD_TRY(take(look, true, survey->tolerance, base));
    double weak = *base < look->spectrum.count ? look->spectrum.sigma[*base] / look->spectrum.sigma[0] : 0.0;
    if (*base > survey->base) survey->base = *base, survey->weak = survey->opening = 0.0;
    if (*base == survey->base) {
        survey->weak = fmax(survey->weak, weak);
        survey->opening = fmax(survey->opening, opening);
    }
    *all = *base;
    if (look->drives) CRD_TRY(take(look, false, survey->tolerance, all));
    if (*all > survey->all) {
        survey->all = *all;
        mark(look, *all, survey->redundant);
    }
    return CARDAN_OK;
}

/* ---- neighbours ---- */

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

/* Fills look->moves at the pose of the workspace: along v and back, then at random where holonomic rows without drives
 * allow. */
static CardanStatus choose_moves(Look *look, double tolerance, int *count) {
    CrdDynamics *dynamics = look->d;
    int nv = dynamics->model->structure->nv;
    assert(crd_stamp_holds(&dynamics->system.stamp, CRD_HOLDS_ROWS));
    *count = 0;
    memcpy(look->moves, look->v, (size_t)nv * sizeof *look->moves);
    if (normalise_move(dynamics->model, look->moves)) {
        for (int i = 0; i < nv; i++) look->moves[nv + i] = -look->moves[i];
        *count = 2;
    }
    look->spectrum.left_alone = look->drives ? look->driven : NULL;
    CRD_TRY(crd_spectrum_take_kinematic(&look->spectrum, &dynamics->system, true, dynamics->error));
    int rank = look->holonomic = crd_spectrum_rank(&look->spectrum, tolerance);
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

/* The neighbour along one move, relaxed: look->near, whose rows are in the workspace then. */
static CardanStatus go_beside(Look *look, int move, CrdRelaxation *relaxation) {
    const CrdStructure *structure = look->d->model->structure;
    const double *x = look->moves + (size_t)move * (size_t)structure->nv;
    double far = move % 2 == 0 ? CRD_NEIGHBOUR_NEAR : CRD_NEIGHBOUR_FAR;
    for (int i = 0; i < structure->nv; i++) look->dx[i] = far * x[i];
    memcpy(look->near, look->here, (size_t)structure->nq * sizeof *look->near);
    crd_move(structure, look->dx, look->near);
    look->spectrum.left_alone = look->drives ? look->driven : NULL;
    return crd_relax(relaxation, look->t, look->near, look->v);
}

/* The same neighbour by no more rows than the pose has: did only the others bring it back? */
static CardanStatus look_whether_returned(Look *look, int move, Survey *survey) {
    int strong;
    CrdRelaxation relaxation = {look->d, &look->spectrum, survey->tolerance, look->holonomic, .dx = look->dx};
    CRD_TRY(go_beside(look, move, &relaxation));
    CRD_TRY(take(look, true, CRD_TOUCH_STRONG, &strong));
    if (strong > survey->base_here) survey->returned++;
    return CARDAN_OK;
}

/* The neighbour along one move, if there is a manifold near by. */
static CardanStatus look_beside(Look *look, int move, Survey *survey) {
    int base, all;
    CrdRelaxation relaxation = {look->d, &look->spectrum, survey->tolerance, .far = true, .dx = look->dx};
    CRD_TRY(go_beside(look, move, &relaxation));
    double allowed = fmax(CRD_LOOK_OPEN * survey->tolerance, CRD_NEIGHBOUR_LEFT);
    if (!relaxation.converged || !(relaxation.opening <= allowed)) return CARDAN_OK;
    survey->neighbours++;
    CRD_TRY(see(look, survey, relaxation.opening, &base, &all));
    bool exact = survey->weak <= CRD_RANK_EXACT || survey->tolerance <= CRD_RANK_EXACT;
    return exact || base > survey->base_here ? CARDAN_OK : look_whether_returned(look, move, survey);
}

/* At the pose and, beside it, at neighbours; the workspace holds the rows of the pose. */
static CardanStatus look_around(Look *look, Survey *survey, bool beside) {
    CrdDynamics *dynamics = look->d;
    int moves = 0, max = look->spectrum.count;
    CRD_TRY(see(look, survey, crd_opening(dynamics, look->drives ? look->driven : NULL), &survey->base_here,
                &survey->all_here));
    mark(look, survey->all_here, survey->singular);
    if (survey->base_here < max) CRD_TRY(choose_moves(look, survey->tolerance, &moves));
    bool dependent = beside && survey->all_here < dynamics->model->structure->rows;
    for (int k = 0; dependent && k < moves && survey->base < max; k++) CRD_TRY(look_beside(look, k, survey));
    return CARDAN_OK;
}

/* ---- locked, but nearly not ---- */

/* The lowest rank below this one after which the values in the spectrum fall by a gap. */
static int gap_below(const CrdSpectrum *sp, int rank) {
    for (int c = 1; c < rank; c++)
        if (sp->sigma[c] < CRD_NEARLY_WEAK * sp->sigma[0] && sp->sigma[c - 1] > CRD_NEARLY_GAP * sp->sigma[c]) return c;
    return rank;
}

/* Rows without drives that have a lower rank within a larger tolerance, here and at all neighbours: joints hold each
 * other there by nothing but errors of their data. */
static CardanStatus look_wider(Look *look, const Survey *found, CrdRank *out) {
    CrdDynamics *dynamics = look->d;
    int rank;
    CRD_TRY(crd_evaluate_constraints(dynamics, look->t, look->here, look->v));
    CRD_TRY(take(look, true, found->tolerance, &rank));
    int gap = gap_below(&look->spectrum, rank);
    if (gap == rank || rank != found->base) return CARDAN_OK;
    const double *sigma = look->spectrum.sigma;
    Survey wider = {.tolerance = sqrt(sigma[gap - 1] * sigma[gap]) / sigma[0]};
    CRD_TRY(look_around(look, &wider, true));
    double within = fmax(wider.weak, wider.opening / CRD_LOOK_OPEN);
    if (wider.base != gap || wider.neighbours == 0 || within > CRD_NEARLY_WEAK) return CARDAN_OK; /* the pose alone */
    out->nearly = out->rank - (rank - gap);
    out->within = within;
    CRD_TRY(crd_evaluate_constraints(dynamics, look->t, look->here, look->v));
    CRD_TRY(take(look, true, found->tolerance, &rank));
    mark(look, gap, found->redundant);
    return CARDAN_OK;
}

/* ---- the whole ---- */

/* Rows that touch depend on each other in the pose and nowhere else: no error of data is in it, so none is allowed. */
static CardanStatus look_exactly(Look *look, Survey *survey) {
    *survey = (Survey){.tolerance = CRD_RANK_EXACT, .redundant = survey->redundant, .singular = survey->singular};
    CRD_TRY(crd_evaluate_constraints(look->d, look->t, look->here, look->v));
    return look_around(look, survey, true);
}

static CardanStatus look_at_all(Look *look, const double *q, Survey *survey, CrdRank *out) {
    CrdDynamics *dynamics = look->d;
    const CrdStructure *structure = dynamics->model->structure;
    CrdRelaxation relaxation = {dynamics, &look->spectrum, survey->tolerance, .dx = look->dx};
    CRD_TRY(crd_relax(&relaxation, look->t, look->here, look->v));
    bool closed = relaxation.opening <= fmax(CRD_LOOK_OPEN * survey->tolerance, CRD_NEIGHBOUR_LEFT);
    if (!closed) { /* a pose that cannot be assembled has no neighbours and tells of nothing but itself */
        memcpy(look->here, q, (size_t)structure->nq * sizeof *q);
        CRD_TRY(crd_evaluate_constraints(dynamics, look->t, look->here, look->v));
    }
    CRD_TRY(look_around(look, survey, closed));
    bool touch = survey->neighbours > 0 && survey->returned == survey->neighbours && survey->base == survey->base_here;
    if (touch) CRD_TRY(look_exactly(look, survey));
    int driven = 0;
    for (int i = 0; i < structure->rows; i++) driven += look->driven[i];
    assert(survey->all >= survey->base && survey->all <= survey->base + driven);
    *out = (CrdRank){.rank = survey->all,
                     .rank_here = survey->all_here,
                     .singular = survey->all_here < survey->all,
                     .drivers_held = survey->base + driven - survey->all,
                     .weak = survey->weak,
                     .opening = survey->opening,
                     .dense = true,
                     .exact = true};
    out->nearly = out->rank;
    return closed ? look_wider(look, survey, out) : CARDAN_OK;
}

CardanStatus crd_rank_dense(CrdDynamics *dynamics, double t, const double *q, const double *v, CrdRank *out,
                            bool *redundant, bool *singular) {
    Look look = {.d = dynamics, .t = t, .v = v};
    Survey survey = {.tolerance = dynamics->redundancy.tolerance, .redundant = redundant, .singular = singular};
    CardanStatus status = open_look(&look, q);
    if (status >= 0) status = look_at_all(&look, q, &survey, out);
    close_look(&look);
    return status;
}
