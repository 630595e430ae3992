#include "solve/dynamics.h"

#include <math.h>
#include <string.h>

void crd_dynamics_layout(CrdDynamics *d, const CardanModel *model, CrdArena *arena) {
    d->model = model;
    crd_system_layout(&d->system, model->shape, arena);
    d->lambda = crd_take(arena, (size_t)model->shape->rows, sizeof(double));
    d->a = crd_take(arena, (size_t)model->shape->nv, sizeof(double));
    d->pivot_min = 1.0;
}

CardanStatus crd_dynamics_open(CrdDynamics *d, CardanSolver choice) {
    const CrdShape *s = d->model->shape;
    CrdPattern pattern = {s->rows, s->s_start, s->s_row};
    const CrdSolverOps *ops = crd_solver_choose(choice, &pattern, &d->solver_kind);
    return ops->create(&pattern, s->nv, &d->solver, d->error);
}

void crd_dynamics_close(CrdDynamics *d) {
    if (d->solver != NULL) d->solver->ops->destroy(d->solver);
    d->solver = NULL;
}

CardanStatus crd_measure(CrdDynamics *d, double t, const double *q, const double *v) {
    d->measures++;
    CRD_TRY(crd_kinematics(d->model, t, q, v, &d->system, d->error));
    return crd_constraints(d->model, q, v, &d->system, d->error);
}

CardanStatus crd_fail_dependent(CrdDynamics *d, CrdPivot pivot) {
    int element = d->model->shape->row_element[pivot.row];
    return crd_fail(d->error, CARDAN_ERR_NUMERIC,
                    "constraint rows of joint '%s' are dependent at t = %.9g: pivot %.2g of its diagonal entry",
                    crd_element_name(d->model, element), d->system.t, pivot.ratio);
}

static void fill_saddle(const void *user, double *k, int order) {
    const CrdDynamics *d = user;
    crd_fill_saddle(d->model, &d->system, d->metric, k, order);
}

CardanStatus crd_factor(CrdDynamics *d, CardanMetric metric) {
    d->metric = metric;
    crd_weigh(d->model, metric, &d->system);
    d->factorisations++;
    CrdMatrix matrix = {d->system.S, d->model->shape->nv, fill_saddle, d};
    CrdPivot pivot = {1.0, 0};
    CardanStatus status = d->solver->ops->factor(d->solver, &matrix, &pivot);
    d->pivot_last = pivot.ratio;
    if (status < 0) return status == CARDAN_ERR_NUMERIC ? crd_fail_dependent(d, pivot) : status;
    if (pivot.ratio < d->pivot_min) d->pivot_min = pivot.ratio;
    return CARDAN_OK;
}

CardanStatus crd_solve_rows(CrdDynamics *d, double *r) {
    d->solves++;
    return d->solver->ops->solve(d->solver, r);
}

/* r = G M^-1 f - gamma, with M^-1 f left in a. */
static void right_side(CrdDynamics *d) {
    const CrdShape *s = d->model->shape;
    const CrdSystem *w = &d->system;
    memcpy(d->a, w->f, (size_t)s->nv * sizeof *d->a);
    crd_solve_mass(d->model, w, d->a);
    for (int i = 0; i < s->rows; i++) d->lambda[i] = -w->gamma[i];
    if (d->alpha != 0.0 || d->beta != 0.0)
        for (int i = 0; i < s->rows; i++) d->lambda[i] += d->alpha * w->rate[i] + d->beta * w->g[i];
    crd_times_g(s, w->G, d->a, d->lambda);
}

CardanStatus crd_motion(CrdDynamics *d, const double *q, const double *v) {
    d->rhs++;
    CRD_TRY(crd_forces(d->model, q, v, &d->actions, &d->system, d->error));
    CRD_TRY(crd_factor(d, CARDAN_METRIC_MASS));
    right_side(d);
    CRD_TRY(crd_solve_rows(d, d->lambda));
    /* a = M^-1 f - (G M^-1)^T lambda; T = G M^-1 is at hand. */
    crd_times_gt(d->model->shape, d->system.T, -1.0, d->lambda, d->a);
    return CARDAN_OK;
}

double crd_worst(const double *rows, int n) {
    double worst = 0.0;
    for (int i = 0; i < n; i++) {
        double x = fabs(rows[i]);
        if (!(x <= worst)) worst = x; /* a NaN stays */
    }
    return worst;
}
