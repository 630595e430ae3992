/* The Newton iteration. With R_i = slope_i - K_i its equations for the corrections are
 *
 *     u in slopes    dK_i - h J sum_j a_ij dK_j - D du_i = R_i      hold sum_j a_ij dK_j = -residual_i / h
 *     u at the ends  dK_i - h J sum_j a_ij dK_j - J D du = R_i      hold (h sum_j b_j dK_j + (D + D_end) du) =
 * -residual
 *
 * J is taken inside the step where the start's slope leads or, later, at the last stage; hold where it holds, in the
 * stages or at the end. */
#include "integrate/methods/implicit_matrix.h"

#include <assert.h>
#include <math.h>
#include <string.h>

/* Step of forward differences: the root of an ulp, where truncation h and rounding eps / h meet. */
#define CRD_STEP_DIFFERENCE 1.5e-8

/* ---- derivatives ---- */

CardanStatus crd_implicit_directions(CrdImplicit *im, double t, const double *y, double *out) {
    const CrdEquations *equations = &im->equations;
    assert(equations->push != NULL);
    size_t core = (size_t)equations->core;
    CRD_TRY(equations->measure(equations->user, t, y, im->trial_residual));
    memset(im->residual, 0, (size_t)equations->multipliers * sizeof *im->residual); /* serves as a unit vector */
    for (int r = 0; r < equations->multipliers; r++) {
        memset(im->trial, 0, (size_t)equations->n * sizeof *im->trial);
        im->residual[r] = equations->held[r] ? 1.0 : 0.0;
        CRD_TRY(equations->push(equations->user, y, im->residual, im->trial));
        im->residual[r] = 0.0;
        memcpy(out + core * (size_t)r, im->trial, core * sizeof *im->trial);
    }
    return CARDAN_OK;
}

/* hold over component c: the trial's residual less the one at the point, over the step between. */
static void take_hold(CrdImplicit *im, int c, double step) {
    size_t m = (size_t)im->equations.multipliers;
    double *hold = im->hold + m * (size_t)c;
    for (size_t i = 0; i < m; i++) hold[i] = (im->trial_residual[i] - im->residual[i]) / step;
}

/* Where derivatives are taken: at (y, u) in the stage and u_start; an affine function is differenced from the origin,
 * over 1, without truncation and without cancellation against a large state. Gives the multipliers there. */
static const double *difference_point(CrdImplicit *im, const double *y, const double *u) {
    const CrdEquations *equations = &im->equations;
    if (equations->affine)
        memset(im->stage, 0, (size_t)equations->n * sizeof *im->stage);
    else
        memcpy(im->stage, y, (size_t)equations->n * sizeof *im->stage);
    if (u == NULL || equations->push != NULL) return u;
    if (equations->affine)
        memset(im->u_trial, 0, (size_t)equations->multipliers * sizeof *im->u_trial);
    else
        memcpy(im->u_trial, u, (size_t)equations->multipliers * sizeof *im->u_trial);
    return im->u_trial;
}

/* D, and residuals over u, where u may enter in any way; the stage, slope and residual are those of the point. */
static CardanStatus differentiate_multipliers(CrdImplicit *im, double t) {
    const CrdEquations *equations = &im->equations;
    size_t core = (size_t)equations->core, m = (size_t)equations->multipliers;
    for (size_t r = 0; r < m; r++) {
        double at = im->u_trial[r];
        im->u_trial[r] = at + (equations->affine ? 1.0 : CRD_STEP_DIFFERENCE * fmax(1.0, fabs(at)));
        double step = im->u_trial[r] - at;
        CRD_TRY(equations->rates(equations->user, t, im->stage, im->u_trial, im->trial, im->trial_residual));
        for (size_t i = 0; i < core; i++) im->directions[r * core + i] = (im->trial[i] - im->slope[i]) / step;
        for (size_t i = 0; i < m; i++) im->direct[r * m + i] = (im->trial_residual[i] - im->residual[i]) / step;
        im->u_trial[r] = at;
    }
    return CARDAN_OK;
}

CardanStatus crd_implicit_differentiate(CrdImplicit *im, double t, const double *y, const double *u) {
    const CrdEquations *equations = &im->equations;
    size_t core = (size_t)equations->core;
    bool rows = u != NULL || equations->overdetermined;
    double *residual = rows ? im->residual : NULL, *moved = rows ? im->trial_residual : NULL;
    const double *u_at = difference_point(im, y, u);
    CRD_TRY(equations->rates(equations->user, t, im->stage, u_at, im->slope, residual));
    for (int c = 0; c < equations->core; c++) {
        double at = im->stage[c];
        im->stage[c] = at + (equations->affine ? 1.0 : CRD_STEP_DIFFERENCE * im->scale[c]);
        double step = im->stage[c] - at, *column = im->jacobian + core * (size_t)c;
        CRD_TRY(equations->rates(equations->user, t, im->stage, u_at, im->trial, moved));
        for (size_t i = 0; i < core; i++) column[i] = (im->trial[i] - im->slope[i]) / step;
        if (rows) take_hold(im, c, step);
        im->stage[c] = at;
    }
    return u != NULL && equations->push == NULL ? differentiate_multipliers(im, t) : CARDAN_OK;
}

CardanStatus crd_implicit_differentiate_end(CrdImplicit *im, double t) {
    const CrdEquations *equations = &im->equations;
    CRD_TRY(crd_implicit_directions(im, t, im->end, im->directions_end));
    CRD_TRY(equations->measure(equations->user, t, im->end, im->residual));
    memcpy(im->stage, im->end, (size_t)equations->n * sizeof *im->stage);
    for (int c = 0; c < equations->core; c++) {
        im->stage[c] = im->end[c] + CRD_STEP_DIFFERENCE * im->scale[c];
        CRD_TRY(equations->measure(equations->user, t, im->stage, im->trial_residual));
        take_hold(im, c, im->stage[c] - im->end[c]);
        im->stage[c] = im->end[c];
    }
    return CARDAN_OK;
}

/* ---- the matrix ---- */

static void fill_slopes(CrdImplicit *im, double h) {
    int core = im->equations.core, s = im->method->stages;
    for (int i = 0; i < s; i++)
        for (int j = 0; j < s; j++)
            for (int c = 0; c < core; c++) {
                double *column = crd_lu_at(&im->newton, i * core, j * core + c);
                const double *jacobian = im->jacobian + (size_t)c * (size_t)core;
                for (int r = 0; r < core; r++) column[r] = -h * im->method->a[i][j] * jacobian[r];
                if (i != j) continue;
                if (im->mass == NULL) column[c] += 1.0;
                for (int r = 0; im->mass != NULL && r < core; r++) column[r] += im->mass[c * core + r];
            }
}

/* Columns and rows of multipliers; `block` are those of one stage (or of the ends) that meet sum_j weight_j K_j. */
static void fill_multipliers(CrdImplicit *im, int first, const double *weights, double factor) {
    const CrdEquations *equations = &im->equations;
    int core = equations->core;
    for (int r = 0; r < equations->multipliers; r++) {
        if (!equations->held[r]) {
            *crd_lu_at(&im->newton, first + r, first + r) = 1.0;
            continue;
        }
        for (int j = 0; j < im->method->stages; j++)
            for (int c = 0; c < core; c++)
                *crd_lu_at(&im->newton, first + r, j * core + c) =
                    factor * weights[j] * im->hold[(size_t)c * (size_t)equations->multipliers + (size_t)r];
    }
}

/* Column block of multipliers in the rows of stage i: -part (core x multipliers). */
static void fill_columns(CrdImplicit *im, int stage, int first, const double *part) {
    int core = im->equations.core;
    for (int r = 0; r < im->equations.multipliers; r++) {
        double *column = crd_lu_at(&im->newton, stage * core, first + r);
        for (int c = 0; c < core; c++) column[c] = -part[(size_t)r * (size_t)core + (size_t)c];
    }
}

/* Residuals of one stage over its own multipliers, divided by h as those residuals are. */
static void fill_direct(CrdImplicit *im, int first, double h) {
    int m = im->equations.multipliers;
    for (int c = 0; c < m; c++)
        for (int r = 0; r < m; r++) *crd_lu_at(&im->newton, first + r, first + c) += im->direct[c * m + r] / h;
}

static void fill_ends(CrdImplicit *im, double h) {
    int core = im->equations.core, m = im->equations.multipliers, s = im->method->stages, first = s * core;
    memset(im->pushed, 0, (size_t)core * (size_t)m * sizeof *im->pushed);
    memset(im->held_d, 0, (size_t)m * (size_t)m * sizeof *im->held_d);
    crd_add_product(m, core, core, 1.0, im->directions, im->jacobian, im->pushed);
    crd_add_product(m, core, m, 1.0, im->directions, im->hold, im->held_d);
    crd_add_product(m, core, m, 1.0, im->directions_end, im->hold, im->held_d);
    for (int i = 0; i < s; i++) fill_columns(im, i, first, im->pushed);
    for (int c = 0; c < m; c++)
        for (int r = 0; r < m; r++)
            if (im->equations.held[r])
                *crd_lu_at(&im->newton, first + r, first + c) = im->held_d[(size_t)c * (size_t)m + (size_t)r];
    fill_multipliers(im, first, im->method->b, h);
}

CardanStatus crd_implicit_matrix(CrdImplicit *im, double h, double *rcond) {
    const CrdEquations *equations = &im->equations;
    int core = equations->core, s = im->method->stages;
    size_t n = (size_t)im->newton.n;
    assert(crd_stage_multipliers(im) == 0 || crd_end_multipliers(im) == 0);
    memset(im->newton.matrix, 0, n * n * sizeof *im->newton.matrix);
    fill_slopes(im, h);
    for (int i = 0; i < s && crd_stage_multipliers(im) > 0; i++) {
        int first = s * core + i * equations->multipliers;
        fill_columns(im, i, first, im->directions);
        fill_multipliers(im, first, im->method->a[i], 1.0);
        if (equations->push == NULL) fill_direct(im, first, h);
    }
    if (crd_end_multipliers(im) > 0) fill_ends(im, h);
    return crd_lu_factor(&im->newton, rcond);
}
