/* Rows that depend on others in every pose: which of them are taken out of S, and what the watch remembers of the others. */
#include "core/numbers.h"
#include "solve/dynamics.h"
#include "solve/reduced.h"

#include <math.h>
#include <string.h>

/* Which solver works, and slots of S in the rows and columns that are taken out. */
static void find_slots(CrdDynamics *d) {
    const CrdShape *s = d->model->shape;
    d->solver = d->reduced != NULL && crd_reduced_is(d->reduced, d->is_redundant) ? d->reduced : d->all;
    d->redundant = d->taken_out_count = d->diagonal_count = 0;
    for (int i = 0; i < s->rows; i++) d->redundant += d->is_redundant[i];
    for (int diagonal = 0; d->redundant > 0 && diagonal < 2; diagonal++)
        for (int c = 0; c < s->rows; c++)
            for (int k = s->s_start[c]; k < s->s_start[c + 1]; k++)
                if ((s->s_row[k] == c) == diagonal && (d->is_redundant[c] || d->is_redundant[s->s_row[k]])) {
                    d->taken_out[d->taken_out_count++] = k;
                    d->diagonal_count += diagonal;
                }
    d->factored = false;
}

/* Makes the solver of the other rows. */
static CardanStatus make_reduced(CrdDynamics *d, const bool *is_out) {
    const CrdShape *s = d->model->shape;
    CrdPattern pattern = {.n = s->rows, .start = s->s_start, .row = s->s_row};
    if (d->reduced != NULL) d->reduced->ops->destroy(d->reduced);
    d->reduced = NULL;
    if (d->choice.kind == CARDAN_SOLVER_SADDLE) return CARDAN_OK; /* it has no S */
    CRD_TRY(crd_reduced_create(d->choice.ops, &pattern, s->nv, is_out, &d->reduced, d->error));
    d->reduced->drop = d->all->drop;
    return CARDAN_OK;
}

CardanStatus crd_dynamics_reduce(CrdDynamics *d) {
    if (d->redundant > 0) CRD_TRY(make_reduced(d, d->is_redundant));
    find_slots(d);
    return CARDAN_OK;
}

/* A rank-revealing look at the pose measured last: true where it is healthy, its smallest singular value being no less than
 * a part of the largest such value seen so far. */
static bool looks_healthy(CrdDynamics *d) {
    int rank = d->model->shape->rows - d->redundant;
    if (!d->looks || rank < 1 || rank > d->spectrum.count) return false;
    if (crd_spectrum_take(&d->spectrum, &d->system, false, NULL) < 0) return false;
    double sigma = d->spectrum.sigma[rank - 1];
    d->sigma_top = fmax(d->sigma_top, sigma);
    return sigma >= CRD_CHOOSE_HEALTHY * d->sigma_top;
}

static void take_out_dropped(CrdDynamics *d) {
    for (int i = 0; i < d->model->shape->rows; i++) d->is_redundant[i] = crd_solver_dropped(d->solver, i);
    find_slots(d);
}

/* ---- rows of places before rows of velocities ---- */

/* What the kept rows make of row i, which is taken out: S x = s_i over them, in units of the rows' diagonals. S must be as
 * it was weighed, the factor that of the kept rows. */
static bool explain_row(CrdDynamics *d, int i, double *x) {
    const CrdShape *s = d->model->shape;
    const double *S = d->system.S;
    memset(x, 0, (size_t)s->rows * sizeof *x);
    for (int c = 0; c < s->rows; c++)
        for (int k = s->s_start[c]; k < s->s_start[c + 1]; k++) {
            if (c == i) x[s->s_row[k]] = S[k];
            if (s->s_row[k] == i) x[c] = S[k];
        }
    double own = S[s->s_start[i + 1] - 1];
    if (crd_solve_rows(d, x) < 0 || !(own > 0.0)) return false;
    for (int c = 0; c < s->rows; c++) x[c] *= sqrt(fmax(S[s->s_start[c + 1] - 1], 0.0) / own);
    return true;
}

/* The row of velocities that says most of it; -1: none, or rows were exchanged that have a part in it. */
static int rate_behind(const CrdDynamics *d, const double *x, const double *touched) {
    const CrdShape *s = d->model->shape;
    double most = crd_worst(x, s->rows), best = sqrt(CRD_CHOOSE_RATE) * most;
    int rate = -1;
    for (int c = 0; c < s->rows; c++) {
        if (touched[c] != 0.0 && fabs(x[c]) > CRD_NULL_SUPPORT * most) return -1;
        if (crd_row_is_holonomic(s, c) || d->is_redundant[c] || !(fabs(x[c]) > best)) continue;
        best = fabs(x[c]);
        rate = c;
    }
    return rate;
}

/* One pass over rows of places that are taken out, with the factor at hand: each is exchanged for a row of velocities.
 * Returns how many were. */
static int exchange(CrdDynamics *d, double *touched) {
    const CrdShape *s = d->model->shape;
    int count = 0;
    memset(touched, 0, (size_t)s->rows * sizeof *touched);
    for (int i = 0; i < s->rows; i++) {
        if (!d->is_redundant[i] || !crd_row_is_holonomic(s, i) || !explain_row(d, i, d->r)) continue;
        int rate = rate_behind(d, d->r, touched);
        if (rate < 0) continue;
        double most = crd_worst(d->r, s->rows);
        for (int c = 0; c < s->rows; c++)
            if (c == i || fabs(d->r[c]) > CRD_NULL_SUPPORT * most) touched[c] = 1.0;
        d->is_redundant[i] = false;
        d->is_redundant[rate] = true;
        count++;
    }
    return count;
}

/* A row of places that is taken out in favour of rows of velocities would be kept only as well as velocities are
 * integrated. */
static void keep_places(CrdDynamics *d) {
    const CrdShape *s = d->model->shape;
    if (s->holonomic_rows == s->rows) return;
    for (int exchanged = 1; exchanged > 0;) {
        if (crd_factor(d, CARDAN_METRIC_MASS) < 0 || d->dropped > 0) return;
        crd_weigh(d->model, CARDAN_METRIC_MASS, &d->system); /* with the rows taken out, too */
        exchanged = exchange(d, d->near_lambda);
        find_slots(d);
    }
}

void crd_dynamics_take_out(CrdDynamics *d) {
    take_out_dropped(d);
    keep_places(d);
    looks_healthy(d);
}

/* ---- another choice ---- */

/* Marks the rows that the others determine best, if the pose is healthy: then only the choice made it look singular. */
static bool choose_by_look(CrdDynamics *d) {
    int rank = d->model->shape->rows - d->redundant;
    if (!looks_healthy(d) || !crd_spectrum_choose(&d->spectrum, rank, d->is_redundant)) return false;
    find_slots(d);
    return crd_factor(d, CARDAN_METRIC_MASS) >= 0 && d->dropped == 0;
}

/* Logarithm of the determinant of S scaled to a diagonal of ones. Without redundant row i it is that of all rows, which
 * the pose alone decides, plus log n_i^2, n the unit vector of the dependency: what the choice of i costs. */
static double log_determinant(const CrdDynamics *d) {
    double sum = 0.0;
    for (int i = 0; i < d->model->shape->rows; i++)
        if (!d->is_redundant[i]) sum += log(d->solver->ratio[i]);
    return sum;
}

/* For models too large for a look: takes out the weakest of the kept rows too; then rows that were taken out may turn out to
 * be needed. Good if the determinant shows that the old choice was what made the pose look singular. */
static bool choose_by_pivots(CrdDynamics *d) {
    int redundant = d->redundant;
    double closeness = d->closeness, before = log_determinant(d), drop = d->solver->drop;
    double weakest = d->solver->ratio[d->pivot_row];
    memset(d->is_redundant, 0, (size_t)d->model->shape->rows * sizeof *d->is_redundant);
    find_slots(d);
    d->solver->drop = fmax(drop, CRD_CHOOSE_MARGIN * weakest);
    CardanStatus status = crd_factor(d, CARDAN_METRIC_MASS);
    d->solver->drop = drop;
    if (status < 0 || d->dropped != redundant) return false;
    take_out_dropped(d);
    keep_places(d);
    return crd_factor(d, CARDAN_METRIC_MASS) >= 0 && d->dropped == 0 &&
           closeness * closeness * exp(log_determinant(d) - before) > CRD_CHOOSE_HEALTHY * CRD_CHOOSE_HEALTHY;
}

/* Other rows have other pivots: what is healthy for them begins with this pose. */
static void start_watch(CrdDynamics *d) {
    const CrdShape *s = d->model->shape;
    memset(d->pivot_top, 0, (size_t)s->rows * sizeof *d->pivot_top);
    memset(d->element_top, 0, (size_t)s->element_count * sizeof *d->element_top);
    crd_dynamics_healthy(d);
    d->closeness = d->tried = 1.0;
}

bool crd_dynamics_doubts_choice(CrdDynamics *d) {
    d->tried = fmax(d->tried, d->closeness);
    return d->redundant > 0 && d->closeness < fmin(CRD_CHOOSE_WATCH, CRD_CHOOSE_LOWER * d->tried);
}

CardanStatus crd_dynamics_choose_again(CrdDynamics *d) {
    size_t size = (size_t)d->model->shape->rows * sizeof *d->is_redundant;
    double closeness = d->closeness;
    d->tried = closeness;
    memcpy(d->was_redundant, d->is_redundant, size);
    bool better = d->looks ? choose_by_look(d) : choose_by_pivots(d);
    if (better && memcmp(d->was_redundant, d->is_redundant, size) != 0) {
        start_watch(d);
        return CARDAN_OK;
    }
    memcpy(d->is_redundant, d->was_redundant, size); /* the pose itself is singular */
    find_slots(d);
    CRD_TRY(crd_factor(d, CARDAN_METRIC_MASS));
    d->closeness = closeness;
    return CARDAN_OK;
}

CardanStatus crd_dynamics_copy_rank(CrdDynamics *to, const CrdDynamics *from) {
    if (from->reduced != NULL) CRD_TRY(make_reduced(to, crd_reduced_rows(from->reduced)));
    to->tried = from->tried;
    to->sigma_top = from->sigma_top;
    memcpy(to->is_redundant, from->is_redundant, (size_t)to->model->shape->rows * sizeof *to->is_redundant);
    find_slots(to);
    memcpy(to->pivot_top, from->pivot_top, (size_t)to->model->shape->rows * sizeof *to->pivot_top);
    memcpy(to->weak, from->weak, (size_t)to->model->shape->rows * sizeof *to->weak);
    memcpy(to->element_top, from->element_top, (size_t)to->model->shape->element_count * sizeof *to->element_top);
    return CARDAN_OK;
}

int crd_dynamics_rank_size(const CrdShape *shape) {
    return 2 * shape->rows + shape->element_count + 2;
}

void crd_dynamics_get_rank(const CrdDynamics *d, double *numbers) {
    int rows = d->model->shape->rows;
    memcpy(numbers, d->pivot_top, (size_t)rows * sizeof *numbers);
    for (int i = 0; i < rows; i++) numbers[rows + i] = d->is_redundant[i] ? 1.0 : 0.0;
    memcpy(numbers + 2 * rows, d->element_top, (size_t)d->model->shape->element_count * sizeof *numbers);
    numbers[2 * rows + d->model->shape->element_count] = d->tried;
    numbers[2 * rows + d->model->shape->element_count + 1] = d->sigma_top;
}

void crd_dynamics_set_rank(CrdDynamics *d, const double *numbers) {
    int rows = d->model->shape->rows;
    for (int i = 0; i < rows; i++) {
        d->pivot_top[i] = numbers[i];
        d->weak[i] = CRD_LAND * CRD_LAND * numbers[i];
        d->is_redundant[i] = numbers[rows + i] != 0.0;
    }
    memcpy(d->element_top, numbers + 2 * rows, (size_t)d->model->shape->element_count * sizeof *numbers);
    d->tried = numbers[2 * rows + d->model->shape->element_count];
    d->sigma_top = numbers[2 * rows + d->model->shape->element_count + 1];
    find_slots(d);
}
