#include "analysis/fault.h"

#include "analysis/relax.h"
#include "core/numbers.h"
#include "core/random.h"

#include <assert.h>
#include <cblas.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

/* Openings, in lengths of the mechanism or rad, and kinematic singular values up to which rows are perfect, times how
 * far from the origin things are in those lengths. Rounding of poses that were relaxed leaves 1e-15 in both. */
#define CRD_PERFECT_OPENING 5e-15
#define CRD_PERFECT_WEAK 5e-15

/* The same of a single row where others are open: what is left of it a little away may be more elsewhere. */
#define CRD_ROW_OPEN 2e-15

/* Openings up to which nothing is done when no joint is at fault: this part of the tolerance, because rows must close
 * to a hundredth of it and open up to a hundred times wider far away; no more than the second number, no less than the
 * third, times the distance from the origin, where rounding begins. */
#define CRD_SPREAD_SHARE 1e-4
#define CRD_SPREAD_MOST 1e-12
#define CRD_SPREAD_LEAST 2e-14

/* What is left of a joint's row of length 1 when the other joints decide it, at least. A row of its own keeps some
 * tenths (RANK_AND_BRANCH 1.1: strong values are above 0.05). */
#define CRD_ROW_OWN 0.01

/* A joint that is at fault is tried at neighbours so far away (lengths of the model, rad), on both sides, in so many
 * directions. */
static const double AWAY[] = {0.15, -0.15, 0.4, -0.4};
enum { DIRECTIONS = 2, DISTANCES = sizeof AWAY / sizeof *AWAY };

/* Another joint is better when its rows open less by this factor: else they are equal, and the one that fits the given
 * pose is it. */
#define CRD_FAULT_BETTER 0.5

/* Joints times operations of one decomposition, of which each joint takes some tens. */
#define CRD_FAULT_WORK 3e7

typedef struct Search {
    CrdDynamics *d;
    CrdSpectrum spectrum;
    double t;
    const double *q, *v;
    bool *out;      /* (rows) rows of the joint that are left alone */
    bool *aside;    /* (rows) those and rows of drives */
    bool *best;     /* (rows) of the best joint so far: rows that opened */
    double *open;   /* (rows) what rows left alone are open by */
    double *here;   /* (nq) */
    double *near;   /* (nq) */
    double *dx, *x; /* (nv) */
    double *lines;  /* (max_rows x nv) rows of the joint */
    CrdArena arena;
} Search;

/* How well a joint answers. */
typedef struct Answer {
    int rows, opened; /* left alone; of them open */
    double size;      /* largest opening */
    double moved;     /* of the pose from the given one */
} Answer;

static double far_from_origin(const CardanModel *model) {
    return fmax(1.0, model->values.size / model->values.span);
}

static bool is_perfect(const CardanModel *model, double weak, double opening) {
    double far = far_from_origin(model);
    return weak <= far * CRD_PERFECT_WEAK && opening <= far * CRD_PERFECT_OPENING;
}

bool crd_rank_is_imperfect(const CardanModel *model, const CrdRank *rank) {
    return rank->dense && rank->rank < model->structure->rows && !is_perfect(model, rank->weak, rank->opening);
}

bool crd_rank_wants_spread(const CardanModel *model, const CrdRank *rank, double rtol, double atol) {
    double share = CRD_SPREAD_SHARE * (rtol + atol / model->values.span);
    double limit = fmax(fmin(share, CRD_SPREAD_MOST), CRD_SPREAD_LEAST * far_from_origin(model));
    return fmax(rank->weak, rank->opening) > limit;
}

static void layout(Search *se, const CrdStructure *structure) {
    size_t rows = (size_t)structure->rows, nv = (size_t)structure->nv, real = sizeof(double);
    se->out = crd_take(&se->arena, rows, sizeof *se->out);
    se->aside = crd_take(&se->arena, rows, sizeof *se->aside);
    se->best = crd_take(&se->arena, rows, sizeof *se->best);
    se->open = crd_take(&se->arena, rows, real);
    CRD_TAKE_VECTORS(&se->arena, (size_t)structure->nq, &se->here, &se->near);
    CRD_TAKE_VECTORS(&se->arena, nv, &se->dx, &se->x);
    se->lines = crd_take(&se->arena, (size_t)structure->max_rows * nv, real);
}

/* ---- which rows a joint has too many ---- */

/* line <- row i of G T, of length 1. */
static void take_line(const Search *se, const CrdElement *element, int i, double *line) {
    const CrdStructure *structure = se->d->model->structure;
    memset(line, 0, (size_t)structure->nv * sizeof *line);
    for (int k = element->incidence; k < element->incidence + element->incidences; k++) {
        const CrdIncidence *in = &structure->incidences[k];
        memcpy(line + in->v, se->d->system.G + in->g + i * in->width, (size_t)in->width * sizeof *line);
        crd_kinematic_root(se->d->model, &se->d->system, in->block, true, line + in->v);
    }
    double length = cblas_dnrm2(structure->nv, line, 1);
    if (length > 0.0) cblas_dscal(structure->nv, 1.0 / length, line, 1);
}

/* Takes from a line what the other joints decide. */
static void leave_own(const Search *se, int rank, double *line) {
    for (int k = 0; k < rank; k++) {
        double part = cblas_ddot(se->spectrum.columns, se->spectrum.vt + k, se->spectrum.count, line, 1);
        cblas_daxpy(se->spectrum.columns, -part, se->spectrum.vt + k, se->spectrum.count, line, 1);
    }
}

/* Marks in out the rows of the element that the others and those it keeps decide: the longest of what is left is kept,
 * one after another. Returns how many. The workspace holds the rows of the pose. */
static int find_too_many(Search *se, const CrdElement *element) {
    const CrdStructure *structure = se->d->model->structure;
    int nv = structure->nv, count = element->rows;
    memset(se->out, 0, (size_t)structure->rows * sizeof *se->out);
    for (int i = 0; i < element->rows; i++) se->out[element->first + i] = true;
    se->spectrum.left_alone = se->out;
    if (crd_spectrum_take_kinematic(&se->spectrum, &se->d->system, false, NULL) < 0) return 0;
    int rank = crd_spectrum_rank(&se->spectrum, se->d->redundancy.tolerance);
    for (int i = 0; i < element->rows; i++) {
        take_line(se, element, i, se->lines + (size_t)i * (size_t)nv);
        leave_own(se, rank, se->lines + (size_t)i * (size_t)nv);
    }
    for (;;) {
        int longest = 0;
        double most = 0.0;
        for (int i = 0; i < element->rows; i++) {
            double length = cblas_dnrm2(nv, se->lines + (size_t)i * (size_t)nv, 1);
            if (se->out[element->first + i] && length > most) most = length, longest = i;
        }
        if (!(most > CRD_ROW_OWN)) return count;
        const double *kept = se->lines + (size_t)longest * (size_t)nv;
        se->out[element->first + longest] = false;
        count--;
        for (int i = 0; i < element->rows; i++) {
            double *line = se->lines + (size_t)i * (size_t)nv;
            if (se->out[element->first + i])
                cblas_daxpy(nv, -cblas_ddot(nv, kept, 1, line, 1) / (most * most), kept, 1, line, 1);
        }
    }
}

/* ---- what they are open by elsewhere ---- */

/* Brings q to the rows that are not left aside. *perfect: they close, and depend on each other exactly or not at all;
 * *there: such a pose is near by. */
static CardanStatus close_rest(Search *se, bool far, double *q, bool *perfect, bool *there) {
    CrdDynamics *dynamics = se->d;
    double tolerance = dynamics->redundancy.tolerance;
    se->spectrum.left_alone = se->aside;
    CrdRelaxation relaxation = {dynamics, &se->spectrum, tolerance, .far = far, .dx = se->dx};
    CRD_TRY(crd_relax(&relaxation, se->t, q, se->v));
    CRD_TRY(crd_spectrum_take_kinematic(&se->spectrum, &dynamics->system, false, dynamics->error));
    int rank = crd_spectrum_rank(&se->spectrum, tolerance);
    double weak = rank < se->spectrum.count ? se->spectrum.sigma[rank] / se->spectrum.sigma[0] : 0.0;
    *there = relaxation.converged && relaxation.opening <= 10.0 * tolerance;
    *perfect = is_perfect(dynamics->model, weak, relaxation.opening);
    return CARDAN_OK;
}

/* Largest openings so far of the rows left alone. */
static void note_openings(Search *se) {
    const CardanModel *model = se->d->model;
    for (int i = 0; i < model->structure->rows; i++) {
        double scale = crd_row_is_length(model->structure, &se->d->system, i) ? model->values.span : 1.0;
        if (se->out[i]) se->open[i] = fmax(se->open[i], fabs(se->d->system.g[i]) / scale);
    }
}

static bool is_open(const Search *se, int row) {
    return se->open[row] > far_from_origin(se->d->model) * CRD_ROW_OPEN;
}

/* x <- a direction in which the rows that are not left aside let the pose move, of reach 1. */
static CardanStatus choose_direction(Search *se, uint64_t *state, bool *any) {
    CrdDynamics *dynamics = se->d;
    int nv = dynamics->model->structure->nv;
    CRD_TRY(crd_evaluate_constraints(dynamics, se->t, se->here, se->v));
    CRD_TRY(crd_spectrum_take_kinematic(&se->spectrum, &dynamics->system, true, dynamics->error));
    for (int i = 0; i < nv; i++) se->x[i] = crd_random(state);
    int rank = crd_spectrum_rank(&se->spectrum, dynamics->redundancy.tolerance);
    crd_spectrum_feasible(&se->spectrum, &dynamics->system, rank, se->x);
    double reach = crd_reach(dynamics->model, se->x);
    *any = rank < nv && reach > 0.0;
    for (int i = 0; *any && i < nv; i++) se->x[i] /= reach;
    return CARDAN_OK;
}

/* Moves the rest; false in *perfect: it is not perfect. */
static CardanStatus try_neighbours(Search *se, bool *perfect) {
    const CrdStructure *structure = se->d->model->structure;
    uint64_t state = 1;
    int seen = 0;
    for (int k = 0; k < DIRECTIONS * DISTANCES && *perfect; k++) {
        bool there, any = true;
        if (k % DISTANCES == 0) CRD_TRY(choose_direction(se, &state, &any));
        if (!any) break;
        for (int i = 0; i < structure->nv; i++) se->dx[i] = AWAY[k % DISTANCES] * se->x[i];
        memcpy(se->near, se->here, (size_t)structure->nq * sizeof *se->near);
        crd_move(structure, se->dx, se->near);
        bool good;
        CRD_TRY(close_rest(se, true, se->near, &good, &there));
        if (!there) continue;
        *perfect = good;
        seen++;
        note_openings(se);
    }
    *perfect = *perfect && seen > 0;
    return CARDAN_OK;
}

/* Leaves alone what one joint has too many. *good: it may be the one at fault. */
static CardanStatus ask(Search *se, int e, Answer *answer, bool *good) {
    CrdDynamics *dynamics = se->d;
    const CrdStructure *structure = dynamics->model->structure;
    bool there;
    *good = false;
    CRD_TRY(crd_evaluate_constraints(dynamics, se->t, se->q, se->v));
    *answer = (Answer){.rows = find_too_many(se, &structure->elements[e])};
    if (answer->rows < 2) return CARDAN_OK; /* none could stay closed */
    for (int i = 0; i < structure->rows; i++)
        se->aside[i] = se->out[i] || crd_element_is_driven(&structure->elements[structure->row_element[i]]);
    memset(se->open, 0, (size_t)structure->rows * sizeof *se->open);
    memcpy(se->here, se->q, (size_t)structure->nq * sizeof *se->here);
    CRD_TRY(close_rest(se, false, se->here, good, &there));
    *good = *good && there;
    for (int i = 0; i < structure->nq; i++) answer->moved = fmax(answer->moved, fabs(se->here[i] - se->q[i]));
    note_openings(se);
    if (*good) CRD_TRY(try_neighbours(se, good));
    for (int i = 0; i < structure->rows; i++) answer->opened += se->out[i] && is_open(se, i);
    answer->size = crd_max_abs(se->open, structure->rows);
    *good = *good && answer->opened > 0 && answer->opened < answer->rows;
    return CARDAN_OK;
}

/* Fewest rows that open; then the least openings; then the given pose tells. */
static bool is_better(const Answer *a, const Answer *b) {
    if (a->opened != b->opened) return a->opened < b->opened;
    if (a->size < CRD_FAULT_BETTER * b->size) return true;
    if (b->size < CRD_FAULT_BETTER * a->size) return false;
    return a->moved < b->moved;
}

/* best <- rows to be released: with a row that opens those in the same unit, m or rad, which a motion in another
 * direction would open. */
static void keep_best(Search *se) {
    const CrdStructure *structure = se->d->model->structure;
    bool opens[2] = {false, false};
    for (int i = 0; i < structure->rows; i++)
        if (se->out[i] && is_open(se, i)) opens[crd_row_is_length(structure, &se->d->system, i)] = true;
    for (int i = 0; i < structure->rows; i++)
        se->best[i] = se->out[i] && opens[crd_row_is_length(structure, &se->d->system, i)];
}

/* Does the search take seconds at most? */
static bool is_affordable(const CrdSpectrum *sp, const CrdStructure *structure, const bool *marked) {
    double joints = 0.0, each = (double)sp->rows * (double)sp->columns * (double)sp->count;
    for (int j = 0; j < structure->joint_count; j++) joints += marked[structure->element_of_joint[j]];
    return joints * each <= CRD_FAULT_WORK;
}

static CardanStatus search(Search *se, const bool *marked, int *element) {
    const CrdStructure *structure = se->d->model->structure;
    Answer best = {0};
    *element = -1;
    if (!is_affordable(&se->spectrum, structure, marked)) return CARDAN_OK;
    for (int j = 0; j < structure->joint_count; j++) {
        int e = structure->element_of_joint[j];
        Answer answer;
        bool good;
        if (!marked[e] || crd_element_is_driven(&structure->elements[e])) continue;
        CRD_TRY(ask(se, e, &answer, &good));
        if (!good || (*element >= 0 && !is_better(&answer, &best))) continue;
        best = answer;
        *element = e;
        keep_best(se);
    }
    if (*element < 0) return CARDAN_OK;
    memcpy(se->d->redundancy.imperfect.released, se->best, (size_t)structure->rows * sizeof *se->best);
    se->d->redundancy.imperfect.size = best.size;
    return CARDAN_OK;
}

CardanStatus crd_find_fault(CrdDynamics *dynamics, double t, const double *q, const double *v, const bool *marked,
                            int *element) {
    Search se = {.d = dynamics, .t = t, .q = q, .v = v};
    layout(&se, dynamics->model->structure);
    if (!crd_arena_allocate(&se.arena)) return crd_fail_memory(dynamics->error);
    layout(&se, dynamics->model->structure);
    assert(crd_arena_is_full(&se.arena) && dynamics->redundancy.imperfect.kind == CRD_PERFECT);
    CardanStatus status = crd_spectrum_open(&se.spectrum, dynamics->model, dynamics->error);
    if (status >= 0) status = search(&se, marked, element);
    crd_spectrum_close(&se.spectrum);
    crd_arena_free(&se.arena);
    return status;
}
