#include "dynamics/redundancy.h"

#include "core/numbers.h"
#include "dynamics/dynamics.h"
#include "linear/reduced.h"

#include <assert.h>
#include <math.h>
#include <string.h>

/* Rows are dropped that depend on others to 1e-12 (RANK_AND_BRANCH 1.3): what they may be open by, a few times that. */
#define CRD_REDUNDANT_OPEN 1e-11

/* Redundant rows chosen anew: rows up to this many times the weakest pivot are taken for dependent. */
#define CRD_CHOOSE_MARGIN 1.5

/* Singularity measure below which it is tried, and again when it has fallen by this factor. A choice near its end costs
 * steps, since its rows amplify what stages are off the constraints by (Bennett's linkage: 231, 189, 175, 177 steps
 * at 0.3, 0.5, 0.6, 0.7). */
#define CRD_CHOOSE_WATCH 0.6
#define CRD_CHOOSE_LOWER 0.7

/* Share of what is healthy above which the pose is healthy and only the choice of rows made it look singular. */
#define CRD_CHOOSE_HEALTHY 0.5

/* Largest rows x velocities for which singular values at the start are worth what they cost, some milliseconds; for
 * others pivots alone tell when rows are to be chosen anew. */
#define CRD_LOOK_AT_START 6000

/* A block's group is known by the one that points to itself. */
static int group_of(const int *group, int block) {
    while (group[block] != block) block = group[block];
    return block;
}

static void group_blocks(const CrdStructure *structure, int *group) {
    for (int b = 0; b < structure->block_count; b++) group[b] = b;
    for (int e = 0; e < structure->element_count; e++) {
        const CrdElement *element = &structure->elements[e];
        const CrdIncidence *in = &structure->incidences[element->incidence];
        for (int i = 1; i < element->incidences; i++) {
            int first = group_of(group, in[0].block), other = group_of(group, in[i].block);
            group[first > other ? first : other] = first > other ? other : first;
        }
    }
    for (int b = 0; b < structure->block_count; b++) group[b] = group_of(group, b);
}

bool crd_redundancy_reaches(const CrdDynamics *dynamics, int element) {
    const CrdStructure *structure = dynamics->model->structure;
    const CrdRedundancy *redundancy = &dynamics->redundancy;
    const CrdElement *own = &structure->elements[element];
    if (redundancy->count == 0 || own->incidences == 0) return false;
    int group = redundancy->group[structure->incidences[own->incidence].block];
    for (int i = 0; i < structure->rows; i++) {
        const CrdElement *other = &structure->elements[structure->row_element[i]];
        if (redundancy->is_dropped[i] && other->incidences > 0 &&
            redundancy->group[structure->incidences[other->incidence].block] == group)
            return true;
    }
    return false;
}

void crd_redundancy_layout(CrdRedundancy *redundancy, const CrdStructure *structure, const CardanOptions *options,
                           CrdArena *arena) {
    size_t rows = (size_t)structure->rows;
    redundancy->tolerance = fmax(options->redundancy, CRD_RANK_EXACT);
    redundancy->is_dropped = crd_take(arena, rows, sizeof *redundancy->is_dropped);
    redundancy->was_dropped = crd_take(arena, rows, sizeof *redundancy->was_dropped);
    redundancy->masked = crd_take(arena, (size_t)structure->size_s, sizeof *redundancy->masked);
    redundancy->may_open = crd_take(arena, (size_t)structure->element_count, sizeof *redundancy->may_open);
    redundancy->explained = crd_take(arena, rows, sizeof *redundancy->explained);
    redundancy->touched = crd_take(arena, rows, sizeof *redundancy->touched);
    redundancy->contested = crd_take(arena, (size_t)structure->element_count, sizeof *redundancy->contested);
    redundancy->group = crd_take(arena, (size_t)structure->block_count, sizeof *redundancy->group);
    redundancy->least = crd_take(arena, rows, sizeof *redundancy->least);
    if (arena->base != NULL) group_blocks(structure, redundancy->group);
    redundancy->tried = 1.0;
}

void crd_redundancy_mask_matrix(const CrdRedundancy *redundancy, double *S) {
    int off = redundancy->masked_count - redundancy->diagonal_count;
    for (int i = 0; i < off; i++) S[redundancy->masked[i]] = 0.0;
    for (int i = off; i < redundancy->masked_count; i++) S[redundancy->masked[i]] = 1.0;
}

void crd_redundancy_mask(CrdDynamics *dynamics) {
    const CrdRegularisation *regularisation = &dynamics->regularisation;
    bool unseen = dynamics->factor.solver == dynamics->factor.reduced && regularisation->shifted == NULL;
    if (unseen && !regularisation->method->dense) return;
    crd_redundancy_mask_matrix(&dynamics->redundancy, dynamics->system.S);
}

void crd_mask_rows(const CrdDynamics *dynamics, double *r) {
    for (int i = 0; dynamics->redundancy.count > 0 && i < dynamics->model->structure->rows; i++)
        if (dynamics->redundancy.is_dropped[i]) r[i] = 0.0;
}

/* A dropped row holds only as exactly as it depends on the others. */
static void allow_openings(CrdDynamics *dynamics) {
    CrdRedundancy *redundancy = &dynamics->redundancy;
    const CrdStructure *structure = dynamics->model->structure;
    memset(redundancy->may_open, 0, (size_t)structure->element_count * sizeof *redundancy->may_open);
    for (int i = 0; i < structure->rows; i++)
        if (redundancy->is_dropped[i]) redundancy->may_open[structure->row_element[i]] = CRD_REDUNDANT_OPEN;
    redundancy->open = redundancy->count > 0 ? redundancy->may_open : NULL;
}

/* Which solver works, and slots of S in the rows and columns that are taken out. */
static void find_slots(CrdDynamics *dynamics) {
    CrdRedundancy *redundancy = &dynamics->redundancy;
    const CrdStructure *structure = dynamics->model->structure;
    dynamics->factor.solver =
        dynamics->factor.reduced != NULL && crd_reduced_is(dynamics->factor.reduced, redundancy->is_dropped)
            ? dynamics->factor.reduced
            : dynamics->factor.all;
    redundancy->count = redundancy->masked_count = redundancy->diagonal_count = 0;
    for (int i = 0; i < structure->rows; i++) redundancy->count += redundancy->is_dropped[i];
    allow_openings(dynamics);
    for (int diagonal = 0; redundancy->count > 0 && diagonal < 2; diagonal++)
        for (int c = 0; c < structure->rows; c++)
            for (int k = structure->s_start[c]; k < structure->s_start[c + 1]; k++)
                if ((structure->s_row[k] == c) == diagonal &&
                    (redundancy->is_dropped[c] || redundancy->is_dropped[structure->s_row[k]])) {
                    redundancy->masked[redundancy->masked_count++] = k;
                    redundancy->diagonal_count += diagonal;
                }
    crd_stamp_drop(&dynamics->system.stamp, CRD_HOLDS_FACTOR);
}

/* Makes the solver of the other rows. */
static CardanStatus make_reduced(CrdDynamics *dynamics, const bool *is_out) {
    const CrdStructure *structure = dynamics->model->structure;
    CrdPattern pattern = crd_schur_pattern(structure);
    pattern.elimination = NULL; /* the kept rows have their own */
    if (dynamics->factor.reduced != NULL) dynamics->factor.reduced->ops->destroy(dynamics->factor.reduced);
    dynamics->factor.reduced = NULL;
    if (dynamics->factor.choice.kind == CARDAN_SOLVER_SADDLE) return CARDAN_OK; /* it has no S */
    CRD_TRY(crd_reduced_create(dynamics->factor.choice.ops, &pattern, structure->nv, is_out, &dynamics->factor.reduced,
                               dynamics->error));
    dynamics->factor.reduced->drop = dynamics->factor.all->drop;

    return CARDAN_OK;
}

CardanStatus crd_redundancy_reduce(CrdDynamics *dynamics) {
    if (dynamics->redundancy.count > 0) CRD_TRY(make_reduced(dynamics, dynamics->redundancy.is_dropped));
    find_slots(dynamics);
    return CARDAN_OK;
}

/* A rank-revealing look at the kinematic rows of the workspace: true where it is healthy, its smallest singular value
 * against the largest being no less than a part of the largest such value seen so far. */
static bool looks_healthy(CrdDynamics *dynamics) {
    CrdRedundancy *redundancy = &dynamics->redundancy;
    int rank = dynamics->model->structure->rows - redundancy->count;
    if (!dynamics->reveals || rank < 1 || rank > dynamics->spectrum.count) return false;
    if (crd_spectrum_measure_kinematic(&dynamics->spectrum, &dynamics->system, NULL) < 0) return false;
    double sigma = dynamics->spectrum.sigma[rank - 1];
    redundancy->sigma_top = fmax(redundancy->sigma_top, sigma);
    return sigma >= CRD_CHOOSE_HEALTHY * redundancy->sigma_top;
}

void crd_redundancy_see(CrdDynamics *dynamics) {
    if (dynamics->redundancy.count > 0 && dynamics->redundancy.sigma_top > 0.0) looks_healthy(dynamics);
}

bool crd_is_released(const CrdDynamics *dynamics, int row) {
    return dynamics->redundancy.imperfect.kind == CRD_RELEASED && dynamics->redundancy.imperfect.released[row];
}

void crd_redundancy_release(CrdDynamics *dynamics) {
    for (int i = 0; i < dynamics->model->structure->rows; i++)
        dynamics->redundancy.is_dropped[i] = crd_is_released(dynamics, i);
    find_slots(dynamics);
}

void crd_redundancy_drop(CrdDynamics *dynamics, const bool *rows) {
    for (int i = 0; i < dynamics->model->structure->rows; i++)
        dynamics->redundancy.is_dropped[i] = rows[i] || crd_is_released(dynamics, i);
    find_slots(dynamics);
}

/* ---- rows of places before rows of velocities ---- */

/* What the kept rows make of row i, which is taken out: S x = s_i over them, in units of the rows' diagonals. S must be
 * as it was weighed, the factor that of the kept rows. */
static bool explain_row(CrdDynamics *dynamics, int i, double *x) {
    const CrdStructure *structure = dynamics->model->structure;
    const double *S = dynamics->system.S;
    memset(x, 0, (size_t)structure->rows * sizeof *x);
    for (int c = 0; c < structure->rows; c++)
        for (int k = structure->s_start[c]; k < structure->s_start[c + 1]; k++) {
            if (c == i) x[structure->s_row[k]] = S[k];
            if (structure->s_row[k] == i) x[c] = S[k];
        }
    double own = S[structure->s_start[i + 1] - 1];
    if (crd_solve_rows(dynamics, x) < 0 || !(own > 0.0)) return false;
    for (int c = 0; c < structure->rows; c++) x[c] *= sqrt(fmax(S[structure->s_start[c + 1] - 1], 0.0) / own);
    return true;
}

/* The row of velocities that says most of it; -1: none, or rows were exchanged that have a part in it. */
static int rate_behind(const CrdDynamics *dynamics, const double *x, const double *touched) {
    const CrdStructure *structure = dynamics->model->structure;
    double max = crd_max_abs(x, structure->rows), best = sqrt(CRD_CHOOSE_RATE) * max;
    int rate = -1;
    for (int c = 0; c < structure->rows; c++) {
        if (touched[c] != 0.0 && fabs(x[c]) > CRD_NULL_SUPPORT * max) return -1;
        if (crd_row_is_holonomic(structure, c) || dynamics->redundancy.is_dropped[c] || !(fabs(x[c]) > best)) continue;
        best = fabs(x[c]);
        rate = c;
    }
    return rate;
}

/* One pass over rows of places that are taken out, with the factor at hand: each is exchanged for a row of velocities.
 * Returns how many were. */
static int exchange(CrdDynamics *dynamics) {
    CrdRedundancy *redundancy = &dynamics->redundancy;
    double *touched = redundancy->touched;
    const CrdStructure *structure = dynamics->model->structure;
    int count = 0;
    memset(touched, 0, (size_t)structure->rows * sizeof *touched);
    for (int i = 0; i < structure->rows; i++) {
        if (!redundancy->is_dropped[i] || crd_is_released(dynamics, i) || !crd_row_is_holonomic(structure, i) ||
            !explain_row(dynamics, i, redundancy->explained))
            continue;
        int rate = rate_behind(dynamics, redundancy->explained, touched);
        if (rate < 0) continue;
        double max = crd_max_abs(redundancy->explained, structure->rows);
        for (int c = 0; c < structure->rows; c++)
            if (c == i || fabs(redundancy->explained[c]) > CRD_NULL_SUPPORT * max) touched[c] = 1.0;
        redundancy->is_dropped[i] = false;
        redundancy->is_dropped[rate] = true;
        count++;
    }
    return count;
}

/* A row of places that is taken out in favour of rows of velocities would be kept only as well as velocities are
 * integrated. */
static void keep_places(CrdDynamics *dynamics) {
    const CrdStructure *structure = dynamics->model->structure;
    if (structure->holonomic_rows == structure->rows) return;
    for (int exchanged = 1; exchanged > 0;) {
        if (crd_factor(dynamics, CARDAN_METRIC_MASS) < 0 || dynamics->factor.dropped > 0) return;
        crd_form_schur(dynamics->model, CARDAN_METRIC_MASS, &dynamics->system); /* with the rows taken out, too */
        exchanged = exchange(dynamics);
        find_slots(dynamics);
    }
}

void crd_drop_redundant_rows(CrdDynamics *dynamics, const bool *rows) {
    crd_redundancy_drop(dynamics, rows);
    keep_places(dynamics);
    const CrdStructure *structure = dynamics->model->structure;
    if ((long long)structure->rows * structure->nv <= CRD_LOOK_AT_START) looks_healthy(dynamics);
}

/* ---- another choice ---- */

/* Marks the rows that the others determine best, if the pose is healthy: then only the choice made it look singular. */
static bool choose_by_look(CrdDynamics *dynamics) {
    int rank = dynamics->model->structure->rows - dynamics->redundancy.count;
    if (!looks_healthy(dynamics)) return false;
    /* Rows to take out are chosen in the metric in which S is factored. */
    if (crd_spectrum_take(&dynamics->spectrum, &dynamics->system, false, NULL) < 0 ||
        !crd_spectrum_choose(&dynamics->spectrum, rank, dynamics->redundancy.is_dropped))
        return false;
    find_slots(dynamics);
    return crd_factor(dynamics, CARDAN_METRIC_MASS) >= 0 && dynamics->factor.dropped == 0;
}

/* Logarithm of the determinant of S scaled to a diagonal of ones. Without redundant row i it is that of all rows, which
 * the pose alone decides, plus log n_i^2, n the unit vector of the dependency: what the choice of i costs. */
static double log_determinant(const CrdDynamics *dynamics) {
    double sum = 0.0;
    for (int i = 0; i < dynamics->model->structure->rows; i++)
        if (!dynamics->redundancy.is_dropped[i]) sum += log(dynamics->factor.solver->ratio[i]);
    return sum;
}

/* Drops the rows that the last factor left out. */
static void drop_left_out(CrdDynamics *dynamics) {
    CrdRedundancy *redundancy = &dynamics->redundancy;
    for (int i = 0; i < dynamics->model->structure->rows; i++)
        redundancy->is_dropped[i] = crd_solver_dropped(dynamics->factor.solver, i) || crd_is_released(dynamics, i);
    find_slots(dynamics);
}

/* For models too large for a look: takes out the weakest of the kept rows too; then rows that were taken out may turn
 * out to be needed. Good if the determinant shows that the old choice was what made the pose look singular. */
static bool choose_by_pivots(CrdDynamics *dynamics) {
    CrdRedundancy *redundancy = &dynamics->redundancy;
    int redundant = redundancy->count;
    double singularity = dynamics->monitor.singularity, before = log_determinant(dynamics),
           drop = dynamics->factor.solver->drop;
    double weakest = dynamics->factor.solver->ratio[dynamics->factor.pivot_row];
    crd_redundancy_release(dynamics); /* the others are all looked at again */
    dynamics->factor.solver->drop = fmax(drop, CRD_CHOOSE_MARGIN * weakest);
    CardanStatus status = crd_factor(dynamics, CARDAN_METRIC_MASS);
    dynamics->factor.solver->drop = drop;
    int released = dynamics->redundancy.count;
    if (status < 0 || dynamics->factor.dropped + released != redundant) return false;
    drop_left_out(dynamics);
    keep_places(dynamics);
    return crd_factor(dynamics, CARDAN_METRIC_MASS) >= 0 && dynamics->factor.dropped == 0 &&
           singularity * singularity * exp(log_determinant(dynamics) - before) >
               CRD_CHOOSE_HEALTHY * CRD_CHOOSE_HEALTHY;
}

bool crd_redundancy_in_doubt(CrdDynamics *dynamics) {
    CrdRedundancy *redundancy = &dynamics->redundancy;
    redundancy->tried = fmax(redundancy->tried, dynamics->monitor.singularity);
    return redundancy->count > 0 &&
           dynamics->monitor.singularity < fmin(CRD_CHOOSE_WATCH, CRD_CHOOSE_LOWER * redundancy->tried);
}

CardanStatus crd_redundancy_choose_again(CrdDynamics *dynamics) {
    CrdRedundancy *redundancy = &dynamics->redundancy;
    size_t size = (size_t)dynamics->model->structure->rows * sizeof *redundancy->is_dropped;
    double singularity = dynamics->monitor.singularity;
    redundancy->tried = singularity;
    memcpy(redundancy->was_dropped, redundancy->is_dropped, size);
    bool better = redundancy->sigma_top > 0.0 ? choose_by_look(dynamics) : choose_by_pivots(dynamics);
    if (better && memcmp(redundancy->was_dropped, redundancy->is_dropped, size) != 0) {
        crd_monitor_restart(dynamics);
        redundancy->tried = 1.0;
        return CARDAN_OK;
    }
    memcpy(redundancy->is_dropped, redundancy->was_dropped, size); /* the pose itself is singular */
    find_slots(dynamics);
    CRD_TRY(crd_factor(dynamics, CARDAN_METRIC_MASS));
    dynamics->monitor.singularity = singularity;
    return CARDAN_OK;
}

/* ---- what is remembered ---- */

CardanStatus crd_redundancy_copy(CrdDynamics *to, const CrdDynamics *from) {
    size_t rows = (size_t)to->model->structure->rows;
    CRD_TRY(crd_imperfect_copy(to, from));
    if (from->factor.reduced != NULL) CRD_TRY(make_reduced(to, crd_reduced_rows(from->factor.reduced)));
    to->redundancy.tried = from->redundancy.tried;
    to->redundancy.sigma_top = from->redundancy.sigma_top;
    memcpy(to->redundancy.is_dropped, from->redundancy.is_dropped, rows * sizeof *to->redundancy.is_dropped);
    find_slots(to);
    crd_monitor_copy(to, from);
    return CARDAN_OK;
}

int crd_rank_memory_size(const CrdStructure *structure) {
    return crd_monitor_size(structure) + structure->rows + 3;
}

void crd_rank_memory_get(const CrdDynamics *dynamics, double *numbers) {
    const CrdRedundancy *redundancy = &dynamics->redundancy;
    int rows = dynamics->model->structure->rows;
    crd_monitor_get(dynamics, numbers);
    numbers += crd_monitor_size(dynamics->model->structure);
    for (int i = 0; i < rows; i++) numbers[i] = redundancy->is_dropped[i] ? 1.0 : 0.0;
    numbers[rows] = redundancy->tried;
    numbers[rows + 1] = redundancy->sigma_top;
    numbers[rows + 2] = dynamics->redundancy.imperfect.top;
}

void crd_rank_memory_set(CrdDynamics *dynamics, const double *numbers) {
    CrdRedundancy *redundancy = &dynamics->redundancy;
    int rows = dynamics->model->structure->rows;
    crd_monitor_set(dynamics, numbers);
    numbers += crd_monitor_size(dynamics->model->structure);
    for (int i = 0; i < rows; i++) redundancy->is_dropped[i] = numbers[i] != 0.0;
    redundancy->tried = numbers[rows];
    redundancy->sigma_top = numbers[rows + 1];
    dynamics->redundancy.imperfect.top = numbers[rows + 2];
    find_slots(dynamics);
}
