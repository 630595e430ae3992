#include "solve/dynamics.h"

#include "core/numbers.h"
#include "solve/regularise.h"
#include "solve/singular.h"

#include <math.h>
#include <string.h>

void crd_dynamics_layout(CrdDynamics *d, const CardanModel *model, const CardanOptions *options, CrdArena *arena) {
    const CrdShape *s = model->shape;
    size_t rows = (size_t)s->rows, nv = (size_t)s->nv, real = sizeof(double);
    d->model = model;
    /* Without rows there is nothing to regularise, and no matrix for the dense methods to look at. */
    d->regulariser = crd_regulariser(model->shape->rows > 0 ? options->regularise.method : CARDAN_REGULARISE_NONE);
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
    d->diagonal = crd_take(arena, d->regulariser->shifts ? rows : 0, real);
    d->element_top = crd_take(arena, (size_t)s->element_count, real);
    d->closeness = d->tried = 1.0;
    bool dense = d->regulariser->dense && crd_spectrum_fits(s);
    d->matrix = crd_take(arena, dense ? rows * rows : 0, real);
    d->image = crd_take(arena, dense ? rows * rows : 0, real);
    d->pivot_min = d->pivot_last = 1.0;
}

CardanStatus crd_dynamics_open(CrdDynamics *d, const CardanOptions *options) {
    const CrdShape *s = d->model->shape;
    CrdPattern pattern = {.n = s->rows, .start = s->s_start, .row = s->s_row, .elimination = s->elimination};
    d->choice = crd_solver_choose(options->solver, &pattern);
    CRD_TRY(d->choice.ops->create(&pattern, s->nv, &d->all, d->error));
    d->solver = d->all;
    d->solver->drop = d->regulariser->drops ? CRD_PIVOT_DROP : 0.0;
    const CrdSolverOps *shifted = d->choice.kind == CARDAN_SOLVER_SADDLE ? &crd_solver_block : d->choice.ops; /* of S */
    if (d->regulariser->shifts) CRD_TRY(shifted->create(&pattern, s->nv, &d->shifted, d->error));
    d->epsilon = options->regularise.epsilon;
    d->radius = options->regularise.radius;
    if (d->regulariser->dense && !crd_spectrum_fits(s))
        return crd_fail(d->error, CARDAN_ERR_LIMIT, "regularise: %s is dense and this model has %d rows; use auto",
                        d->regulariser->name, s->rows);
    d->looks = s->rows > 0 && (d->regulariser->dense || (long long)s->rows * s->nv <= CRD_LOOK_IN_STEP);
    return d->looks ? crd_spectrum_open(&d->spectrum, d->model, d->error) : CARDAN_OK;
}

void crd_dynamics_close(CrdDynamics *d) {
    CrdSolver *solvers[] = {d->all, d->reduced, d->shifted};
    for (int i = 0; i < 3; i++)
        if (solvers[i] != NULL) solvers[i]->ops->destroy(solvers[i]);
    d->solver = d->all = d->reduced = d->shifted = NULL;
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

/* Rows and columns of redundant rows become those of the identity, unless nobody looks at them. */
static void take_out(CrdDynamics *d) {
    if (d->solver == d->reduced && d->shifted == NULL && !d->regulariser->dense) return;
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

/* Smallest ratio of an element's rows against what is healthy for that row. */
static double weakest_row(const CrdDynamics *d, int element) {
    const CrdElement *e = &d->model->shape->elements[element];
    double least = 1.0;
    for (int i = e->first; i < e->first + e->rows; i++)
        if (d->solver->ratio[i] < least * d->pivot_top[i]) least = d->solver->ratio[i] / d->pivot_top[i];
    return least;
}

/* How close the pose is to a singular one: each element's pivots against what is healthy for it. Their product is blind to
 * rows that change roles as the joint turns, but where two rows vanish together it falls with the square of what each
 * does: then the weaker row tells. */
static void watch(CrdDynamics *d) {
    double least = 1.0;
    for (int e = 0; e < d->model->shape->element_count; e++) {
        int row;
        double product = element_ratio(d, e, &row);
        if (product >= least * d->element_top[e]) continue;
        double ratio = fmax(product / d->element_top[e], weakest_row(d, e));
        if (ratio >= least) continue;
        least = ratio;
        d->pivot_row = row;
    }
    d->closeness = d->dropped > 0 ? 0.0 : sqrt(fmax(least, 0.0));
}

/* S in this metric, factored. */
static CardanStatus factor(CrdDynamics *d, CrdPivot *pivot) {
    CrdMatrix matrix = {d->system.S, d->model->shape->nv, fill_saddle, d};
    d->factorisations++;
    *pivot = (CrdPivot){.ratio = 1.0};
    return d->solver->ops->factor(d->solver, &matrix, pivot);
}

/* Where many rows are weak at once, rounding grows with each that is eliminated, until a pivot turns negative. Then the weak
 * ones are left out: the pose is a singular one to rounding. */
static CardanStatus factor_without_weak(CrdDynamics *d, CrdPivot *pivot) {
    d->solver->least = d->weak;
    CardanStatus status = factor(d, pivot);
    d->solver->least = NULL;
    return status;
}

CardanStatus crd_factor(CrdDynamics *d, CardanMetric metric) {
    d->metric = metric;
    crd_weigh(d->model, metric, &d->system);
    take_out(d);
    if (d->shifted != NULL && metric == CARDAN_METRIC_MASS) CRD_TRY(crd_factor_shifted(d));
    CrdPivot pivot;
    CardanStatus status = factor(d, &pivot);
    bool lost = status == CARDAN_ERR_NUMERIC && pivot.ratio < 0.0 && metric == CARDAN_METRIC_MASS;
    if (lost && d->solver->drop > 0.0 && d->solver->least == NULL) status = factor_without_weak(d, &pivot);
    if (status < 0) return status == CARDAN_ERR_NUMERIC ? refuse(d, pivot) : status;
    d->factored = metric == CARDAN_METRIC_MASS;
    d->dropped = pivot.dropped;
    d->pivot_last = pivot.ratio;
    d->pivot_row = pivot.row > 0 ? pivot.row : 0;
    if (pivot.ratio < d->pivot_min) d->pivot_min = pivot.ratio;
    if (d->factored && d->solver->ratio != NULL) watch(d);
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

CardanStatus crd_factor_strong(CrdDynamics *d) {
    double closeness = d->closeness, drop = d->solver->drop;
    d->solver->least = d->weak;
    d->solver->drop = CRD_PIVOT_DROP; /* with every method */
    CardanStatus status = crd_factor(d, CARDAN_METRIC_MASS);
    d->solver->drop = drop;
    d->solver->least = NULL;
    d->factored = false;
    d->closeness = closeness;
    return status;
}

void crd_take_out_rows(const CrdDynamics *d, double *r) {
    for (int i = 0; d->redundant > 0 && i < d->model->shape->rows; i++)
        if (d->is_redundant[i]) r[i] = 0.0;
}

CardanStatus crd_solve_rows(CrdDynamics *d, double *r) {
    d->solves++;
    crd_take_out_rows(d, r);
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
    d->noise = 0.0;
    CRD_TRY(crd_forces(d->model, q, v, &d->actions, &d->system, d->error));
    set_target(d);
    if (!d->factored) CRD_TRY(crd_factor(d, CARDAN_METRIC_MASS));
    CRD_TRY(d->regulariser->solve(d));
    return crd_approaching(d) ? crd_near_pose(d, q, v) : CARDAN_OK;
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
