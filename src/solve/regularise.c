#include "solve/regularise.h"

#include "core/numbers.h"
#include "solve/singular.h"

#include <cblas.h>
#include <lapacke.h>
#include <math.h>
#include <string.h>

/* ---- plain ---- */

/* lambda <- b = G M^-1 f - target, with M^-1 f left in a. */
static void right_side(CrdDynamics *d) {
    const CrdShape *s = d->model->shape;
    memcpy(d->a, d->system.f, (size_t)s->nv * sizeof *d->a);
    crd_solve_mass(d->model, &d->system, d->a);
    for (int i = 0; i < s->rows; i++) d->lambda[i] = -d->target[i];
    crd_times_g(s, d->system.G, d->a, d->lambda);
}

/* a <- M^-1 f - (G M^-1)^T lambda; T = G M^-1 is at hand. */
static void accelerate(CrdDynamics *d) {
    crd_times_gt(d->model->shape, d->system.T, -1.0, d->lambda, d->a);
}

CardanStatus crd_plain_solve(CrdDynamics *d) {
    if (!d->factored) CRD_TRY(crd_factor(d, CARDAN_METRIC_MASS));
    right_side(d);
    CRD_TRY(crd_solve_rows(d, d->lambda));
    accelerate(d);
    return CARDAN_OK;
}

CardanStatus crd_refine(CrdDynamics *d) {
    const CrdShape *s = d->model->shape;
    /* r1 = f - M a - G^T lambda,  r2 = target - G a;   S dl = G M^-1 r1 - r2,   da = M^-1 (r1 - G^T dl) */
    crd_times_mass(d->model, &d->system, d->a, d->rv);
    for (int i = 0; i < s->nv; i++) d->rv[i] = d->system.f[i] - d->rv[i];
    crd_times_gt(s, d->system.G, -1.0, d->lambda, d->rv);
    crd_solve_mass(d->model, &d->system, d->rv);
    for (int i = 0; i < s->rows; i++) d->r[i] = -d->target[i];
    crd_times_g(s, d->system.G, d->a, d->r);
    crd_times_g(s, d->system.G, d->rv, d->r);
    CRD_TRY(crd_solve_rows(d, d->r));
    for (int i = 0; i < s->rows; i++) d->lambda[i] += d->r[i];
    crd_times_gt(s, d->system.T, -1.0, d->r, d->rv);
    for (int i = 0; i < s->nv; i++) d->a[i] += d->rv[i];
    return CARDAN_OK;
}

static CardanStatus motion_plain(CrdDynamics *d, const double *q, const double *v) {
    (void)q;
    (void)v;
    return crd_plain_solve(d);
}

/* ---- S + eps I ---- */

static double largest_diagonal(const CrdDynamics *d) {
    const CrdShape *s = d->model->shape;
    double most = 0.0;
    for (int i = 0; i < s->rows; i++) most = fmax(most, d->system.S[s->s_start[i + 1] - 1]);
    return most;
}

void crd_shift(CrdDynamics *d) {
    const CrdShape *s = d->model->shape;
    double shift = d->epsilon > 0.0 ? d->epsilon : CRD_DIRECT_EPSILON * largest_diagonal(d);
    for (int i = 0; i < s->rows; i++) d->system.S[s->s_start[i + 1] - 1] += shift;
}

/* Each iteration is one step of refinement with the factor of S + eps I in place of that of S. */
static CardanStatus motion_proximal(CrdDynamics *d, const double *q, const double *v) {
    CRD_TRY(motion_plain(d, q, v));
    double before = (double)INFINITY;
    for (int k = 0; k < CRD_PROXIMAL_ITERATIONS; k++) {
        CRD_TRY(crd_refine(d));
        double change = crd_worst(d->rv, d->model->shape->nv);
        if (!(change < CRD_PROXIMAL_STILL * before)) break;
        before = change;
    }
    return CARDAN_OK;
}

/* ---- trust region ---- */

/* matrix <- S (dense, both triangles), image <- S S + eps I. */
static void square(CrdDynamics *d, double eps) {
    const CrdShape *s = d->model->shape;
    size_t n = (size_t)s->rows;
    memset(d->matrix, 0, n * n * sizeof *d->matrix);
    for (int c = 0; c < s->rows; c++)
        for (int k = s->s_start[c]; k < s->s_start[c + 1]; k++) {
            size_t r = (size_t)s->s_row[k];
            d->matrix[r + n * (size_t)c] = d->matrix[(size_t)c + n * r] = d->system.S[k];
        }
    cblas_dsyrk(CblasColMajor, CblasUpper, CblasNoTrans, s->rows, s->rows, 1.0, d->matrix, s->rows, 0.0, d->image,
                s->rows);
    for (size_t i = 0; i < n; i++) d->image[i + n * i] += eps;
}

/* lambda <- (S S + eps I)^-1 S b; b is in r. */
static CardanStatus trust_solve(CrdDynamics *d, double eps) {
    int n = d->model->shape->rows;
    square(d, eps);
    d->factorisations++;
    d->solves++;
    if (LAPACKE_dpotrf_work(LAPACK_COL_MAJOR, 'U', n, d->image, n) != 0)
        return crd_fail(d->error, CARDAN_ERR_NUMERIC,
                        "trust region: S S + epsilon I is not positive definite at t = %.9g; epsilon %.3g is too small",
                        d->system.t, eps);
    cblas_dsymv(CblasColMajor, CblasUpper, n, 1.0, d->matrix, n, d->r, 1, 0.0, d->lambda, 1);
    LAPACKE_dpotrs_work(LAPACK_COL_MAJOR, 'U', n, 1, d->image, n, d->lambda, n);
    return CARDAN_OK;
}

/* |lambda(eps)| = radius by Newton's method on 1/radius - 1/|lambda|, which is nearly linear in eps (More 1978):
 *     eps <- eps + (|l|^2 / |z|^2) (|l| - radius) / radius,    U^T z = l,   S S + eps I = U^T U */
static CardanStatus trust_radius(CrdDynamics *d, double eps) {
    int n = d->model->shape->rows;
    for (int k = 0; k < CRD_TRUST_ITERATIONS; k++) {
        CRD_TRY(trust_solve(d, eps));
        double length = cblas_dnrm2(n, d->lambda, 1);
        if (length <= d->radius * (1.0 + CRD_TRUST_TOLERANCE)) return CARDAN_OK;
        memcpy(d->target, d->lambda, (size_t)n * sizeof *d->target); /* target was used up in b */
        cblas_dtrsv(CblasColMajor, CblasUpper, CblasTrans, CblasNonUnit, n, d->image, n, d->target, 1);
        double z = cblas_dnrm2(n, d->target, 1);
        eps += length * length / (z * z) * (length - d->radius) / d->radius;
    }
    return CARDAN_OK;
}

static CardanStatus motion_trust_region(CrdDynamics *d, const double *q, const double *v) {
    (void)q;
    (void)v;
    crd_weigh(d->model, CARDAN_METRIC_MASS, &d->system);
    d->factored = false;
    right_side(d);
    memcpy(d->r, d->lambda, (size_t)d->model->shape->rows * sizeof *d->r);
    double most = largest_diagonal(d);
    double eps = d->epsilon > 0.0 ? d->epsilon : CRD_TRUST_EPSILON * most * most;
    CRD_TRY(d->radius > 0.0 ? trust_radius(d, eps) : trust_solve(d, eps));
    accelerate(d);
    return CARDAN_OK;
}

static const CrdRegulariser regularisers[CARDAN_REGULARISERS] = {
    [CARDAN_REGULARISE_AUTO] = {.name = "auto", .drops = true, .watches = true, .motion = crd_motion_auto},
    [CARDAN_REGULARISE_QR] = {.name = "qr", .drops = true, .dense = true, .motion = crd_motion_by_rank},
    [CARDAN_REGULARISE_PROXIMAL] = {.name = "proximal", .shifts = true, .motion = motion_proximal},
    [CARDAN_REGULARISE_TRUST_REGION] = {.name = "trust_region", .drops = true, .dense = true,
                                        .motion = motion_trust_region},
    [CARDAN_REGULARISE_DIRECT] = {.name = "direct", .shifts = true, .motion = motion_plain},
    [CARDAN_REGULARISE_NONE] = {.name = "none", .motion = motion_plain},
};

const CrdRegulariser *crd_regulariser(CardanRegularise method) {
    return &regularisers[method];
}
