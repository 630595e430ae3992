#include "solve/dynamics.h"

#include "core/numbers.h"
#include "solve/regularise.h"

#include <math.h>
#include <string.h>

void crd_dynamics_layout(CrdDynamics *d, const CardanModel *model, const CardanOptions *options, CrdArena *arena) {
    const CrdShape *s = model->shape;
    size_t rows = (size_t)s->rows, nv = (size_t)s->nv, real = sizeof(double);
    d->model = model;
    d->regulariser = crd_regulariser(options->regularise.method);
    crd_system_layout(&d->system, s, arena);
    d->target = crd_take(arena, rows, real);
    d->lambda = crd_take(arena, rows, real);
    d->a = crd_take(arena, nv, real);
    d->near_q = crd_take(arena, (size_t)s->nq, real);
    d->near_v = crd_take(arena, nv, real);
    d->near_dx = crd_take(arena, nv, real);
    d->a0 = crd_take(arena, nv, real);
    d->near_a = crd_take(arena, 3 * nv, real);
    d->near_lambda = crd_take(arena, rows, real);
    d->r = crd_take(arena, rows, real);
    d->rv = crd_take(arena, nv, real);
    d->is_redundant = crd_take(arena, rows, sizeof *d->is_redundant);
    d->was_redundant = crd_take(arena, rows, sizeof *d->was_redundant);
    d->taken_out = crd_take(arena, (size_t)s->size_s, sizeof *d->taken_out);
    d->pivot_top = crd_take(arena, rows, real);
    d->weak = crd_take(arena, rows, real);
    d->element_top = crd_take(arena, (size_t)s->element_count, real);
    d->closeness = 1.0;
    bool dense = d->regulariser->dense && crd_spectrum_fits(s);
    d->matrix = crd_take(arena, dense ? rows * rows : 0, real);
    d->image = crd_take(arena, dense ? rows * rows : 0, real);
    d->pivot_min = d->pivot_last = 1.0;
}

CardanStatus crd_dynamics_open(CrdDynamics *d, const CardanOptions *options) {
    const CrdShape *s = d->model->shape;
    CrdPattern pattern = {.n = s->rows, .start = s->s_start, .row = s->s_row, .elimination = s->elimination};
    d->choice = crd_solver_choose(options->solver, &pattern);
    CRD_TRY(d->choice.ops->create(&pattern, s->nv, &d->solver, d->error));
    d->solver->drop = d->regulariser->drops ? CRD_PIVOT_DROP : 0.0;
    d->epsilon = options->regularise.epsilon;
    d->radius = options->regularise.radius;
    if (d->regulariser->dense && !crd_spectrum_fits(s))
        return crd_fail(d->error, CARDAN_ERR_LIMIT, "regularise: %s is dense and this model has %d rows; use auto",
                        d->regulariser->name, s->rows);
    d->looks = s->rows > 0 && (d->regulariser->dense || (long long)s->rows * s->nv <= CRD_LOOK_IN_STEP);
    return d->looks ? crd_spectrum_open(&d->spectrum, d->model, d->error) : CARDAN_OK;
}

void crd_dynamics_close(CrdDynamics *d) {
    if (d->solver != NULL) d->solver->ops->destroy(d->solver);
    d->solver = NULL;
    crd_spectrum_close(&d->spectrum);
}

void crd_dynamics_use(CrdDynamics *d, const CardanModel *model) {
    d->model = model;
    if (d->looks) crd_spectrum_use(&d->spectrum, model);
}

CardanStatus crd_measure(CrdDynamics *d, double t, const double *q, const double *v) {
    d->measures++;
    d->factored = false;
    CRD_TRY(crd_kinematics(d->model, t, q, v, &d->system, d->error));
    return crd_constraints(d->model, q, v, &d->actions, &d->system, d->error);
}

/* Slots of S in the rows and columns that are taken out. */
static void find_slots(CrdDynamics *d) {
    const CrdShape *s = d->model->shape;
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

void crd_dynamics_take_out(CrdDynamics *d) {
    for (int i = 0; i < d->model->shape->rows; i++) d->is_redundant[i] = crd_solver_dropped(d->solver, i);
    find_slots(d);
}

CardanStatus crd_dynamics_choose_again(CrdDynamics *d) {
    size_t rows = (size_t)d->model->shape->rows;
    int redundant = d->redundant;
    /* The weakest of the kept rows is taken out too; then rows that were taken out may turn out to be needed. */
    double closeness = d->closeness, drop = d->solver->drop, weakest = d->solver->ratio[d->pivot_row];
    memcpy(d->was_redundant, d->is_redundant, rows * sizeof *d->is_redundant);
    memset(d->is_redundant, 0, rows * sizeof *d->is_redundant);
    find_slots(d);
    d->solver->drop = fmax(drop, CRD_CHOOSE_MARGIN * weakest);
    CardanStatus status = crd_factor(d, CARDAN_METRIC_MASS);
    d->solver->drop = drop;
    bool better = status >= 0 && d->dropped == redundant;
    if (better) {
        crd_dynamics_take_out(d);
        better = memcmp(d->was_redundant, d->is_redundant, rows * sizeof *d->is_redundant) != 0 &&
                 crd_factor(d, CARDAN_METRIC_MASS) >= 0 && d->dropped == 0 && d->pivot_last > CRD_CHOOSE_GAIN * weakest;
    }
    if (!better) { /* the pose itself is singular, or nothing is gained */
        memcpy(d->is_redundant, d->was_redundant, rows * sizeof *d->is_redundant);
        find_slots(d);
        CRD_TRY(crd_factor(d, CARDAN_METRIC_MASS));
        d->closeness = closeness;
        return CARDAN_OK;
    }
    memset(d->pivot_top, 0, rows * sizeof *d->pivot_top); /* other rows have other pivots */
    memset(d->element_top, 0, (size_t)d->model->shape->element_count * sizeof *d->element_top);
    crd_dynamics_healthy(d);
    d->closeness = 1.0;
    return CARDAN_OK;
}

void crd_dynamics_copy_rank(CrdDynamics *to, const CrdDynamics *from) {
    to->redundant = from->redundant;
    to->taken_out_count = from->taken_out_count;
    to->diagonal_count = from->diagonal_count;
    memcpy(to->is_redundant, from->is_redundant, (size_t)to->model->shape->rows * sizeof *to->is_redundant);
    memcpy(to->taken_out, from->taken_out, (size_t)to->taken_out_count * sizeof *to->taken_out);
    memcpy(to->pivot_top, from->pivot_top, (size_t)to->model->shape->rows * sizeof *to->pivot_top);
    memcpy(to->weak, from->weak, (size_t)to->model->shape->rows * sizeof *to->weak);
    memcpy(to->element_top, from->element_top, (size_t)to->model->shape->element_count * sizeof *to->element_top);
}

/* Rows and columns of redundant rows become those of the identity. */
static void take_out(CrdDynamics *d) {
    int off = d->taken_out_count - d->diagonal_count;
    for (int i = 0; i < off; i++) d->system.S[d->taken_out[i]] = 0.0;
    for (int i = off; i < d->taken_out_count; i++) d->system.S[d->taken_out[i]] = 1.0;
}

static CardanStatus refuse(CrdDynamics *d, CrdPivot pivot) {
    int element = d->model->shape->row_element[pivot.row];
    return crd_fail(d->error, CARDAN_ERR_NUMERIC,
                    "constraint rows of joint '%s' are dependent at t = %.9g: pivot %.2g of its diagonal entry",
                    crd_element_name(d->model, element), d->system.t, pivot.ratio);
}

static void fill_saddle(const void *user, double *k, int order) {
    const CrdDynamics *d = user;
    crd_fill_saddle(d->model, &d->system, d->metric, k, order);
}

/* Product of the ratios of an element's rows: unlike them it stays as it is when the joint turns against the ground. */
static double element_ratio(const CrdDynamics *d, int element, int *weakest) {
    const CrdElement *e = &d->model->shape->elements[element];
    double product = 1.0;
    *weakest = e->first;
    for (int i = e->first; i < e->first + e->rows; i++) {
        product *= d->solver->ratio[i];
        if (d->solver->ratio[i] < d->solver->ratio[*weakest]) *weakest = i;
    }
    return product;
}

/* How close the pose is to a singular one: each element's pivots against what is healthy for it. */
static void watch(CrdDynamics *d) {
    double least = 1.0;
    for (int e = 0; e < d->model->shape->element_count; e++) {
        int row;
        double product = element_ratio(d, e, &row);
        if (product >= least * d->element_top[e]) continue;
        least = product / d->element_top[e];
        d->pivot_row = row;
    }
    d->closeness = d->dropped > 0 ? 0.0 : sqrt(fmax(least, 0.0));
}

CardanStatus crd_factor(CrdDynamics *d, CardanMetric metric) {
    d->metric = metric;
    crd_weigh(d->model, metric, &d->system);
    if (d->regulariser->shifts) crd_shift(d);
    take_out(d);
    d->factorisations++;
    CrdMatrix matrix = {d->system.S, d->model->shape->nv, fill_saddle, d};
    CrdPivot pivot = {.ratio = 1.0};
    CardanStatus status = d->solver->ops->factor(d->solver, &matrix, &pivot);
    if (status < 0) return status == CARDAN_ERR_NUMERIC ? refuse(d, pivot) : status;
    d->factored = metric == CARDAN_METRIC_MASS;
    d->dropped = pivot.dropped;
    d->pivot_last = pivot.ratio;
    d->pivot_row = pivot.row > 0 ? pivot.row : 0;
    if (pivot.ratio < d->pivot_min) d->pivot_min = pivot.ratio;
    if (d->regulariser->watches && d->factored && d->solver->ratio != NULL) watch(d);
    return CARDAN_OK;
}

void crd_dynamics_healthy(CrdDynamics *d) {
    if (d->dropped > 0 || d->solver->ratio == NULL) return;
    for (int i = 0; i < d->model->shape->rows; i++) {
        d->pivot_top[i] = fmax(d->pivot_top[i], d->solver->ratio[i]);
        d->weak[i] = CRD_LAND * CRD_LAND * d->pivot_top[i];
    }
    for (int e = 0; e < d->model->shape->element_count; e++) {
        int row;
        d->element_top[e] = fmax(d->element_top[e], element_ratio(d, e, &row));
    }
}

void crd_dynamics_get_rank(const CrdDynamics *d, double *numbers) {
    int rows = d->model->shape->rows;
    memcpy(numbers, d->pivot_top, (size_t)rows * sizeof *numbers);
    for (int i = 0; i < rows; i++) numbers[rows + i] = d->is_redundant[i] ? 1.0 : 0.0;
    memcpy(numbers + 2 * rows, d->element_top, (size_t)d->model->shape->element_count * sizeof *numbers);
}

void crd_dynamics_set_rank(CrdDynamics *d, const double *numbers) {
    int rows = d->model->shape->rows;
    for (int i = 0; i < rows; i++) {
        d->pivot_top[i] = numbers[i];
        d->weak[i] = CRD_LAND * CRD_LAND * numbers[i];
        d->is_redundant[i] = numbers[rows + i] != 0.0;
    }
    memcpy(d->element_top, numbers + 2 * rows, (size_t)d->model->shape->element_count * sizeof *numbers);
    find_slots(d);
}

CardanStatus crd_factor_strong(CrdDynamics *d) {
    double closeness = d->closeness;
    d->solver->least = d->weak;
    CardanStatus status = crd_factor(d, CARDAN_METRIC_MASS);
    d->solver->least = NULL;
    d->factored = false;
    d->closeness = closeness;
    return status;
}

CardanStatus crd_solve_rows(CrdDynamics *d, double *r) {
    d->solves++;
    for (int i = 0; d->redundant > 0 && i < d->model->shape->rows; i++)
        if (d->is_redundant[i]) r[i] = 0.0;
    return d->solver->ops->solve(d->solver, r);
}

/* gamma, with Baumgarte's terms. */
static void set_target(CrdDynamics *d) {
    const CrdSystem *w = &d->system;
    int rows = d->model->shape->rows;
    memcpy(d->target, w->gamma, (size_t)rows * sizeof *d->target);
    if (d->alpha == 0.0 && d->beta == 0.0) return;
    for (int i = 0; i < rows; i++) d->target[i] -= d->alpha * w->rate[i] + d->beta * w->g[i];
}

CardanStatus crd_motion(CrdDynamics *d, const double *q, const double *v) {
    d->rhs++;
    CRD_TRY(crd_forces(d->model, q, v, &d->actions, &d->system, d->error));
    set_target(d);
    return d->regulariser->motion(d, q, v);
}

double crd_worst(const double *rows, int n) {
    double worst = 0.0;
    for (int i = 0; i < n; i++) {
        double x = fabs(rows[i]);
        if (isnan(x)) return x;
        if (x > worst) worst = x;
    }
    return worst;
}
