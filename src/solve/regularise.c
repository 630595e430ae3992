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

/* r <- S^-1 r by one of the factors: crd_solve_rows, or that of S + eps I. */
typedef CardanStatus (*RowSolve)(CrdDynamics *d, double *r);

/* One step of refinement; what it changes of a is left in rv. */
static CardanStatus refine_with(CrdDynamics *d, RowSolve solve) {
    const CrdShape *s = d->model->shape;
    /* r1 = f - M a - G^T lambda,  r2 = target - G a;   S dl = G M^-1 r1 - r2,   da = M^-1 (r1 - G^T dl) */
    crd_times_mass(d->model, &d->system, d->a, d->rv);
    for (int i = 0; i < s->nv; i++) d->rv[i] = d->system.f[i] - d->rv[i];
    crd_times_gt(s, d->system.G, -1.0, d->lambda, d->rv);
    crd_solve_mass(d->model, &d->system, d->rv);
    for (int i = 0; i < s->rows; i++) d->r[i] = -d->target[i];
    crd_times_g(s, d->system.G, d->a, d->r);
    crd_times_g(s, d->system.G, d->rv, d->r);
    CRD_TRY(solve(d, d->r));
    for (int i = 0; i < s->rows; i++) d->lambda[i] += d->r[i];
    crd_times_gt(s, d->system.T, -1.0, d->r, d->rv);
    for (int i = 0; i < s->nv; i++) d->a[i] += d->rv[i];
    return CARDAN_OK;
}

CardanStatus crd_refine(CrdDynamics *d) {
    return refine_with(d, crd_solve_rows);
}

/* Exact while healthy, refined near a pose. */
static CardanStatus solve_auto(CrdDynamics *d) {
    CRD_TRY(crd_plain_solve(d));
    for (int k = 0; k < 2 && crd_approaching(d); k++) CRD_TRY(crd_refine(d));
    return CARDAN_OK;
}

/* ---- S + eps I ---- */

static double largest_diagonal(const CrdDynamics *d) {
    const CrdShape *s = d->model->shape;
    double most = 0.0;
    for (int i = 0; i < s->rows; i++) most = fmax(most, d->system.S[s->s_start[i + 1] - 1]);
    return most;
}

CardanStatus crd_factor_shifted(CrdDynamics *d) {
    const CrdShape *s = d->model->shape;
    double *S = d->system.S;
    d->shift = d->epsilon > 0.0 ? d->epsilon : CRD_DIRECT_EPSILON * largest_diagonal(d);
    for (int i = 0; i < s->rows; i++) {
        d->diagonal[i] = S[s->s_start[i + 1] - 1];
        S[s->s_start[i + 1] - 1] += d->shift;
    }
    d->factorisations++;
    CrdMatrix matrix = {S, s->nv, NULL, NULL};
    CrdPivot pivot = {.ratio = 1.0};
    CardanStatus status = d->shifted->ops->factor(d->shifted, &matrix, &pivot);
    for (int i = 0; i < s->rows; i++) S[s->s_start[i + 1] - 1] = d->diagonal[i];
    if (status != CARDAN_ERR_NUMERIC) return status;
    return crd_fail(d->error, status, "regularise: %s: epsilon %.3g is too small for the rows of joint '%s' at t = %.9g",
                    d->regulariser->name, d->shift, crd_element_name(d->model, s->row_element[pivot.row]), d->system.t);
}

static CardanStatus solve_shifted(CrdDynamics *d, double *r) {
    d->solves++;
    crd_take_out_rows(d, r);
    return d->shifted->ops->solve(d->shifted, r);
}

static CardanStatus solve_direct(CrdDynamics *d) {
    right_side(d);
    CRD_TRY(solve_shifted(d, d->lambda));
    accelerate(d);
    return CARDAN_OK;
}

/* Each iteration is one step of refinement with the factor of S + eps I in place of that of S. An eigenvalue s of S is
 * approached by the factor eps / (s + eps): slowly where s is below eps. */
static CardanStatus solve_proximal(CrdDynamics *d) {
    CRD_TRY(solve_direct(d));
    double before = (double)INFINITY, change = 0.0, size = 0.0;
    for (int k = 0; k < CRD_PROXIMAL_ITERATIONS; k++) {
        CRD_TRY(refine_with(d, solve_shifted));
        change = crd_worst(d->rv, d->model->shape->nv);
        size = crd_worst(d->a, d->model->shape->nv);
        if (change <= CRD_PROXIMAL_STILL * size || !(change < before)) break;
        before = change;
    }
    if (crd_approaching(d) && change > CRD_PROXIMAL_STILL * size) return solve_auto(d); /* s falls below any eps there */
    if (change <= CRD_PROXIMAL_REFUSED * size) return CARDAN_OK;
    return crd_fail(d->error, CARDAN_ERR_NUMERIC,
                    "regularise: proximal has not converged after %d iterations at t = %.9g: they still change %.2g of the "
                    "accelerations; epsilon %.3g is too large, or the rows contradict each other",
                    CRD_PROXIMAL_ITERATIONS, d->system.t, change / size, d->shift);
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
        d->shift = eps;
        CRD_TRY(trust_solve(d, eps));
        double length = cblas_dnrm2(n, d->lambda, 1);
        if (length <= d->radius * (1.0 + CRD_TRUST_TOLERANCE)) return CARDAN_OK;
        memcpy(d->target, d->lambda, (size_t)n * sizeof *d->target); /* target was used up in b */
        cblas_dtrsv(CblasColMajor, CblasUpper, CblasTrans, CblasNonUnit, n, d->image, n, d->target, 1);
        double z = cblas_dnrm2(n, d->target, 1);
        eps += length * length / (z * z) * (length - d->radius) / d->radius;
    }
    return crd_fail(d->error, CARDAN_ERR_NUMERIC,
                    "trust region: no epsilon was found that brings the multipliers to the radius %.3g at t = %.9g", d->radius,
                    d->system.t);
}

static CardanStatus solve_trust_region(CrdDynamics *d) {
    right_side(d);
    crd_take_out_rows(d, d->lambda);
    memcpy(d->r, d->lambda, (size_t)d->model->shape->rows * sizeof *d->r);
    double most = largest_diagonal(d);
    d->shift = d->epsilon > 0.0 ? d->epsilon : CRD_TRUST_EPSILON * most * most;
    CRD_TRY(d->radius > 0.0 ? trust_radius(d, d->shift) : trust_solve(d, d->shift));
    accelerate(d);
    return CARDAN_OK;
}

static const CrdRegulariser regularisers[CARDAN_REGULARISERS] = {
    [CARDAN_REGULARISE_AUTO] = {.name = "auto", .drops = true, .solve = solve_auto},
    [CARDAN_REGULARISE_QR] = {.name = "qr", .drops = true, .dense = true, .solve = crd_solve_by_rank},
    [CARDAN_REGULARISE_PROXIMAL] = {.name = "proximal", .drops = true, .shifts = true, .solve = solve_proximal},
    [CARDAN_REGULARISE_TRUST_REGION] = {.name = "trust_region", .drops = true, .dense = true,
                                        .in_pose = CRD_IN_POSE_SOFTENED, .solve = solve_trust_region},
    [CARDAN_REGULARISE_DIRECT] = {.name = "direct", .drops = true, .shifts = true, .in_pose = CRD_IN_POSE_SOFTENED,
                                  .solve = solve_direct},
    [CARDAN_REGULARISE_NONE] = {.name = "none", .in_pose = CRD_IN_POSE_REFUSED, .solve = crd_plain_solve},
};

const CrdRegulariser *crd_regulariser(CardanRegularise method) {
    return &regularisers[method];
}
