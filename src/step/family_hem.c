/* hem: half-explicit Runge-Kutta for the equations of index 2, HEM4 of Brasey and Hairer: five stages, order 4.
 *
 *     Q_i = q + h sum_{j<i} a_ij N V_j        V_i = v + h sum_{j<i} a_ij A_j        the end of the step is row s + 1
 *     M A_i = f(Q_i, V_i) - G(Q_i)^T Lambda_i         Lambda_i such that  G(Q_(i+1)) V_(i+1) + g_t = 0
 *
 * So all stages and the end meet the velocity constraints, without an acceleration level; positions drift by O(h^5) a
 * step, which the stabiliser takes back. A_i starts as the acceleration with the multipliers of index 1; what
 * G(Q_(i+1)) V_(i+1) + g_t then still is goes by iteration with the factor of S at stage i in place of the unsymmetric
 * G(Q_(i+1)) M^-1 G(Q_i)^T. (V. Brasey, E. Hairer, Half-explicit Runge-Kutta methods for differential-algebraic systems of
 * index 2, SIAM J. Numer. Anal. 30 (1993) 538-552. For index 1, a half-explicit method is the explicit method itself with
 * multipliers from S lambda = G M^-1 f - gamma in each stage, which is what the explicit steppers do.) */
#include "core/numbers.h"
#include "step/norm.h"
#include "step/run.h"

#include <math.h>
#include <string.h>

/* clang-format off */
#define ROOT6 2.4494897427831780982

static const double hem4_a[] = {
    3.0 / 10.0,
    (1.0 + ROOT6) / 30.0, (11.0 - 4.0 * ROOT6) / 30.0,
    (-79.0 - 31.0 * ROOT6) / 150.0, (-1.0 - 4.0 * ROOT6) / 30.0, (24.0 + 11.0 * ROOT6) / 25.0,
    (14.0 + 5.0 * ROOT6) / 6.0, (-8.0 + 7.0 * ROOT6) / 6.0, (-9.0 - 7.0 * ROOT6) / 4.0, (9.0 - ROOT6) / 4.0,
    0.0, 0.0, (16.0 - ROOT6) / 36.0, (16.0 + ROOT6) / 36.0, 1.0 / 9.0,
};
static const double hem4_c[] = {0.0, 3.0 / 10.0, (4.0 - ROOT6) / 10.0, (4.0 + ROOT6) / 10.0, 1.0, 1.0};
/* clang-format on */

static const CrdTableau HEM4 = {.name = "hem", .order = 4, .stages = 5, .a = hem4_a, .c = hem4_c, .dense_order = 3};

typedef struct Hem {
    double *k;     /* (stages x n) slopes */
    double *stage; /* (n) */
    double *t;     /* pieces of G M^-1 at the last stage with a factor */
    double *r;     /* (rows) */
    double *dv;    /* (nv) */
} Hem;

static double *slope(const CrdRun *run, int i) {
    const Hem *hem = run->memory;
    return hem->k + (size_t)i * (size_t)run->n;
}

static void layout(CrdRun *run, CrdArena *arena) {
    const CrdShape *s = run->dynamics.model->shape;
    Hem measuring, *m = crd_take(arena, 1, sizeof *m), *hem = m != NULL ? m : &measuring;
    size_t real = sizeof(double);
    hem->k = crd_take(arena, (size_t)HEM4.stages * (size_t)run->n, real);
    hem->stage = crd_take(arena, (size_t)run->n, real);
    hem->t = crd_take(arena, (size_t)s->size_g, real);
    hem->r = crd_take(arena, (size_t)s->rows, real);
    hem->dv = crd_take(arena, (size_t)s->nv, real);
    run->memory = m;
}

/* y + h sum_{j<i} a_ij K_j. */
static void stage_value(const CrdRun *run, int i, double h, double *out) {
    const double *a = crd_tableau_row(&HEM4, i);
    memset(out, 0, (size_t)run->n * sizeof *out);
    for (int j = 0; j < i; j++) {
        const double *k = slope(run, j);
        for (int c = 0; a[j] != 0.0 && c < run->n; c++) out[c] += a[j] * k[c];
    }
    for (int c = 0; c < run->n; c++) out[c] = run->y[c] + h * out[c];
}

/* The slope of stage i at (t, y), with the accelerations of index 1; its factor and G M^-1 stay. */
static CardanStatus evaluate(CrdRun *run, int i, double t, const double *y) {
    const Hem *hem = run->memory;
    CrdDynamics *d = &run->dynamics;
    CRD_TRY(crd_run_measure(run, t, y));
    CRD_TRY(crd_run_slope(run, y, slope(run, i), false));
    if (d->model->shape->rows > 0 && !d->factored) CRD_TRY(crd_factor(d, CARDAN_METRIC_MASS));
    memcpy(hem->t, d->system.T, (size_t)d->model->shape->size_g * sizeof *hem->t);
    return CARDAN_OK;
}

/* Changes the multipliers of stage i until the velocities of the next stage, `next`, meet the constraints there. */
static CardanStatus close_stage(CrdRun *run, int i, double t, double h, double *next) {
    const Hem *hem = run->memory;
    CrdDynamics *d = &run->dynamics;
    const CrdShape *s = d->model->shape;
    double *v = crd_run_v(run, next), *a = crd_run_v(run, slope(run, i)), before = (double)INFINITY;
    double scale = 1.0 / (h * crd_tableau_row(&HEM4, i + 1)[i]);
    CRD_TRY(crd_run_measure(run, t, next));
    for (int k = 0; k < CRD_HEM_ITERATIONS; k++) {
        memcpy(hem->r, d->system.rate_t, (size_t)s->rows * sizeof *hem->r);
        crd_times_g(s, d->system.G, v, hem->r);
        CRD_TRY(crd_solve_rows(d, hem->r));
        memset(hem->dv, 0, (size_t)s->nv * sizeof *hem->dv);
        crd_times_gt(s, hem->t, -1.0, hem->r, hem->dv);
        for (int c = 0; c < s->nv; c++) {
            v[c] += hem->dv[c];
            a[c] += scale * hem->dv[c];
        }
        double change = crd_worst(hem->dv, s->nv), size = crd_worst(v, s->nv);
        if (change <= CRD_HEM_STILL * size || (change >= before && change <= CRD_HEM_SMALL * size)) return CARDAN_OK;
        if (!(change < (double)INFINITY)) break;
        before = change;
    }
    return crd_fail(run->error, CARDAN_ERR_NUMERIC,
                    "hem: no multipliers put the velocities on the constraints after t = %.9g; a step shorter than %.3g "
                    "may do", run->t, h);
}

static CardanStatus attempt(CrdRun *run, double h, bool want_error) {
    (void)want_error;
    const Hem *hem = run->memory;
    CRD_TRY(crd_run_start(run, hem->t));
    memcpy(slope(run, 0), run->f, (size_t)run->n * sizeof *run->f);
    for (int i = 0; i < HEM4.stages; i++) {
        double t = run->t + HEM4.c[i + 1] * h;
        double *next = i + 1 < HEM4.stages ? hem->stage : run->y_new;
        stage_value(run, i + 1, h, next);
        if (!crd_all_finite(next, run->n)) return CARDAN_ERR_NUMERIC;
        if (run->dynamics.model->shape->rows > 0) CRD_TRY(close_stage(run, i, t, h, next));
        if (i + 1 < HEM4.stages) CRD_TRY(evaluate(run, i + 1, t, next));
    }
    return CARDAN_OK;
}

const CrdMethod crd_hem = {
    .name = "hem", .order = 4, .tableau = &HEM4, .iterates = true, .layout = layout, .attempt = attempt};
