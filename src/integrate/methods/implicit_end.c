/* What ends the iteration of implicit.c and follows it: its tolerance, the end of a step, projected by itself, and the
 * estimate of its error. */
#include "integrate/methods/implicit_matrix.h"
#include "integrate/methods/implicit_sparse.h"

#include <assert.h>
#include <math.h>
#include <string.h>

/* A correction below the first number is some ulps; below the second, and no longer falling by the third, it is the
 * rounding of the residual. */
#define CRD_END_CONVERGED 2e-15
#define CRD_END_ROUNDING 1e-10
#define CRD_END_STILL 0.25
#define CRD_END_ITERATIONS 12

/* Corrections that fall by less want the matrix of where the end is now: with it they fall quadratically. */
#define CRD_END_SLOW 0.1

/* Rounding of an eigenvalue of a method, which is computed. */
#define CRD_END_EIGENVALUE 1e-12

/* Where steps go by tolerance: corrections may leave this part of the relative one, and ten times as much of the
 * absolute one. */
#define CRD_STEP_RTOL_SHARE 0.01
#define CRD_STEP_ATOL_SHARE 10.0

/* Tolerances below this are rounding. */
#define CRD_STEP_CONVERGED_RTOL 1e-14

void crd_implicit_tolerate(CrdImplicit *im, double rtol, double atol, const double *absolute, const double *y) {
    assert(rtol > 0.0 || atol == 0.0);
    const double *typical = im->equations.typical;
    double largest = 0.0; /* of what is typical of each component: lengths and angles stand in one vector */
    for (int c = 0; c < im->equations.core; c++) largest = fmax(largest, fabs(y[c]) / typical[c]);
    im->enough = CRD_STEP_RTOL_SHARE * rtol;
    for (int c = 0; c < im->equations.core; c++) {
        double least = CRD_STEP_ATOL_SHARE * (absolute != NULL ? absolute[c] : atol);
        im->measure[c] = rtol > 0.0 ? fmax(largest * typical[c], least / rtol) : 0.0;
    }
}

void crd_implicit_tolerate_each(CrdImplicit *im, double share, double rtol, double atol, const double *absolute,
                                const double *y) {
    assert(rtol > 0.0 || atol > 0.0 || absolute != NULL);
    im->enough = share * fmax(rtol, CRD_STEP_CONVERGED_RTOL);
    for (int c = 0; c < im->equations.core; c++)
        im->measure[c] = fabs(y[c]) + (absolute != NULL ? absolute[c] : atol) / fmax(rtol, CRD_STEP_CONVERGED_RTOL);
}

/* hold D_end, with the equation u = 0 for what is not held. */
static CardanStatus projection_matrix(CrdImplicit *im, double t, double *rcond) {
    const CrdEquations *equations = &im->equations;
    int m = equations->multipliers;
    CRD_TRY(crd_implicit_differentiate_end(im, t));
    memset(im->projection.matrix, 0, (size_t)m * (size_t)m * sizeof *im->projection.matrix);
    crd_add_product(m, equations->core, m, 1.0, im->directions_end, im->hold, im->projection.matrix);
    for (int r = 0; r < m; r++)
        for (int c = 0; c < m && !equations->held[r]; c++) *crd_lu_at(&im->projection, r, c) = r == c ? 1.0 : 0.0;
    if (crd_lu_factor(&im->projection, rcond) >= 0) return CARDAN_OK;
    return crd_fail(equations->error, CARDAN_ERR_NUMERIC,
                    "the matrix of the projection of %s is singular at t = %.9g: reciprocal condition number %.2g",
                    im->method->name, t, *rcond);
}

/* trial (core) <- D_end u that takes the residual away. */
static CardanStatus projection_step(CrdImplicit *im) {
    const CrdEquations *equations = &im->equations;
    if (im->is_sparse) return crd_sparse_step_project(im);
    for (int r = 0; r < equations->multipliers; r++) im->projection.x[r] = equations->held[r] ? -im->residual[r] : 0.0;
    CRD_TRY(crd_lu_solve(&im->projection));
    memset(im->trial, 0, (size_t)equations->core * sizeof *im->trial);
    crd_add_product(1, equations->multipliers, equations->core, 1.0, im->projection.x, im->directions_end, im->trial);
    return CARDAN_OK;
}

/* Moves the end along D_end until the residual is at rounding; where that goes slowly, along those of the end it has
 * come to. */
CardanStatus crd_implicit_project_end(CrdImplicit *im, double t) {
    const CrdEquations *equations = &im->equations;
    double rcond, size = (double)INFINITY, before = size;
    for (int i = 0; i < CRD_END_ITERATIONS; i++) {
        if (i == 0 || size > CRD_END_SLOW * before)
            CRD_TRY(im->is_sparse ? crd_sparse_step_linearise_end(im, t) : projection_matrix(im, t, &rcond));
        CRD_TRY(equations->measure(equations->user, t, im->end, im->residual));
        CRD_TRY(projection_step(im));
        before = size;
        size = 0.0;
        for (int c = 0; c < equations->core; c++) {
            im->end[c] += im->trial[c];
            size = fmax(size, fabs(im->trial[c]) / im->scale[c]);
        }
        if (size <= CRD_END_CONVERGED || (size <= CRD_END_ROUNDING && size >= CRD_END_STILL * before)) return CARDAN_OK;
    }
    return crd_fail(equations->error, CARDAN_ERR_NUMERIC,
                    "the projection of %s does not converge at t = %.9g: last correction %.2g of the state",
                    im->method->name, t, size);
}

/* ---- the error ---- */

/* out (core) <- filter (h f + sum_i estimate_i (Y_i - y0)) */
static void combine_estimate(const CrdImplicit *im, double h, const double *f, double *out) {
    const CrdImplicitTableau *method = im->method;
    for (int c = 0; c < im->equations.core; c++) {
        double sum = h * f[c];
        for (int i = 0; i < method->stages; i++)
            for (int j = 0; j < method->stages; j++)
                sum +=
                    method->estimate[i] * h * method->a[i][j] * im->k[(size_t)j * (size_t)im->equations.n + (size_t)c];
        out[c] = method->filter * sum;
    }
}

/* The filter is the inverse of the real eigenvalue, so its matrix is the one of the real mode, over it. Residuals of
 * the start are 0. */
static CardanStatus filter_sparse(CrdImplicit *im, double h, double *error) {
    CrdSparseStep *step = im->sparse;
    const CrdStageMatrix *stage = im->equations.stage;
    memset(step->right, 0, (size_t)step->size * sizeof *step->right);
    memset(step->vector, 0, (size_t)step->size * sizeof *step->vector);
    memcpy(step->vector, error, (size_t)im->equations.core * sizeof *error);
    crd_tiles_times(&stage->tiles, stage->rates, step->modes.real / h, step->vector, step->right);
    CRD_TRY(crd_sparse_lu_solve(stage->real, step->right));
    memcpy(error, step->right, (size_t)im->equations.core * sizeof *error);
    return CARDAN_OK;
}

static CardanStatus filter_dense(CrdImplicit *im, double h, double *error) {
    int core = im->equations.core;
    double rcond;
    assert(im->filter.n == core);
    for (int c = 0; c < core; c++)
        for (int r = 0; r < core; r++)
            *crd_lu_at(&im->filter, r, c) = (r == c ? 1.0 : 0.0) - h * im->method->filter * im->jacobian[c * core + r];
    CRD_TRY(crd_lu_factor(&im->filter, &rcond));
    memcpy(im->filter.x, error, (size_t)core * sizeof *error);
    CRD_TRY(crd_lu_solve(&im->filter));
    memcpy(error, im->filter.x, (size_t)core * sizeof *error);
    return CARDAN_OK;
}

/* The matrix of the step itself, of one stage. */
static CardanStatus filter_by_newton(CrdImplicit *im, double *error) {
    size_t bytes = (size_t)im->equations.core * sizeof *error;
    memset(im->newton.x, 0, (size_t)im->unknowns * sizeof *im->newton.x);
    memcpy(im->newton.x, error, bytes);
    CRD_TRY(crd_lu_solve(&im->newton));
    memcpy(error, im->newton.x, bytes);
    return CARDAN_OK;
}

CardanStatus crd_implicit_filter(CrdImplicit *im, double h, double *error) {
    assert(im->method->stages == 1);
    return im->is_sparse ? filter_sparse(im, h, error) : filter_by_newton(im, error);
}

CardanStatus crd_implicit_estimate(CrdImplicit *im, double h, const double *f, double *error) {
    assert(im->method->filter > 0.0);
    assert(!im->is_sparse || fabs(im->sparse->modes.real * im->method->filter - 1.0) < CRD_END_EIGENVALUE);
    combine_estimate(im, h, f, error);
    return im->is_sparse ? filter_sparse(im, h, error) : filter_dense(im, h, error);
}
