/* The Newton iteration. With R_i = slope_i - K_i its equations for the corrections are
 *
 *     u in slopes    dK_i - h J sum_j a_ij dK_j - D du_i = R_i      hold sum_j a_ij dK_j = -residual_i / h
 *     u at the ends  dK_i - h J sum_j a_ij dK_j - J D du = R_i      hold (h sum_j b_j dK_j + (D + D_end) du) =
 * -residual
 *
 * J is taken inside the step where the start's slope leads or, later, at the last stage; hold where it holds, in the
 * stages or at the end. */
#include "step/implicit_matrix.h"

#include <string.h>

#include "core/numbers.h"

/* ---- derivatives ---- */

CardanStatus crd_implicit_directions(CrdImplicit *im, double t, const double *y, double *out) {
    const CrdEquations *e = &im->equations;
    size_t core = (size_t)e->core;
    CRD_TRY(e->measure(e->user, t, y, im->trial_residual));
    memset(im->residual, 0, (size_t)e->multipliers * sizeof *im->residual); /* serves as a unit vector */
    for (int r = 0; r < e->multipliers; r++) {
        memset(im->trial, 0, (size_t)e->n * sizeof *im->trial);
        im->residual[r] = e->held[r] ? 1.0 : 0.0;
        CRD_TRY(e->push(e->user, y, im->residual, im->trial));
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

CardanStatus crd_implicit_differentiate(CrdImplicit *im, double t, const double *y, const double *u) {
    const CrdEquations *e = &im->equations;
    size_t core = (size_t)e->core;
    double *residual = u != NULL ? im->residual : NULL, *moved = u != NULL ? im->trial_residual : NULL;
    CRD_TRY(e->rates(e->user, t, y, u, im->slope, residual));
    memcpy(im->stage, y, (size_t)e->n * sizeof *im->stage);
    for (int c = 0; c < e->core; c++) {
        im->stage[c] = y[c] + CRD_STEP_DIFFERENCE * im->scale[c];
        double step = im->stage[c] - y[c], *column = im->jacobian + core * (size_t)c;
        CRD_TRY(e->rates(e->user, t, im->stage, u, im->trial, moved));
        for (size_t i = 0; i < core; i++) column[i] = (im->trial[i] - im->slope[i]) / step;
        if (u != NULL) take_hold(im, c, step);
        im->stage[c] = y[c];
    }
    return CARDAN_OK;
}

CardanStatus crd_implicit_differentiate_end(CrdImplicit *im, double t) {
    const CrdEquations *e = &im->equations;
    CRD_TRY(crd_implicit_directions(im, t, im->end, im->directions_end));
    CRD_TRY(e->measure(e->user, t, im->end, im->residual));
    memcpy(im->stage, im->end, (size_t)e->n * sizeof *im->stage);
    for (int c = 0; c < e->core; c++) {
        im->stage[c] = im->end[c] + CRD_STEP_DIFFERENCE * im->scale[c];
        CRD_TRY(e->measure(e->user, t, im->stage, im->trial_residual));
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
                double *column = crd_newton_at(&im->newton, i * core, j * core + c);
                const double *jacobian = im->jacobian + (size_t)c * (size_t)core;
                for (int r = 0; r < core; r++) column[r] = -h * im->method->a[i][j] * jacobian[r];
                if (i == j) column[c] += 1.0;
            }
}

/* Columns and rows of multipliers; `block` are those of one stage (or of the ends) that meet sum_j weight_j K_j. */
static void fill_multipliers(CrdImplicit *im, int first, const double *weights, double factor) {
    const CrdEquations *e = &im->equations;
    int core = e->core;
    for (int r = 0; r < e->multipliers; r++) {
        if (!e->held[r]) {
            *crd_newton_at(&im->newton, first + r, first + r) = 1.0;
            continue;
        }
        for (int j = 0; j < im->method->stages; j++)
            for (int c = 0; c < core; c++)
                *crd_newton_at(&im->newton, first + r, j * core + c) =
                    factor * weights[j] * im->hold[(size_t)c * (size_t)e->multipliers + (size_t)r];
    }
}

/* Column block of multipliers in the rows of stage i: -part (core x multipliers). */
static void fill_columns(CrdImplicit *im, int stage, int first, const double *part) {
    int core = im->equations.core;
    for (int r = 0; r < im->equations.multipliers; r++) {
        double *column = crd_newton_at(&im->newton, stage * core, first + r);
        for (int c = 0; c < core; c++) column[c] = -part[(size_t)r * (size_t)core + (size_t)c];
    }
}

void crd_implicit_add_product(int m, int k, int n, const double *a, const double *b, double *c) {
    for (int j = 0; j < n; j++)
        for (int l = 0; l < k; l++) {
            const double *from = a + (size_t)l * (size_t)m;
            double *to = c + (size_t)j * (size_t)m, factor = b[(size_t)j * (size_t)k + (size_t)l];
            for (int i = 0; i < m; i++) to[i] += factor * from[i];
        }
}

static void fill_ends(CrdImplicit *im, double h) {
    int core = im->equations.core, m = im->equations.multipliers, s = im->method->stages, first = s * core;
    memset(im->pushed, 0, (size_t)core * (size_t)m * sizeof *im->pushed);
    memset(im->held_d, 0, (size_t)m * (size_t)m * sizeof *im->held_d);
    crd_implicit_add_product(core, core, m, im->jacobian, im->directions, im->pushed);
    crd_implicit_add_product(m, core, m, im->hold, im->directions, im->held_d);
    crd_implicit_add_product(m, core, m, im->hold, im->directions_end, im->held_d);
    for (int i = 0; i < s; i++) fill_columns(im, i, first, im->pushed);
    for (int c = 0; c < m; c++)
        for (int r = 0; r < m; r++)
            if (im->equations.held[r])
                *crd_newton_at(&im->newton, first + r, first + c) = im->held_d[(size_t)c * (size_t)m + (size_t)r];
    fill_multipliers(im, first, im->method->b, h);
}

CardanStatus crd_implicit_matrix(CrdImplicit *im, double h, double *rcond) {
    const CrdEquations *e = &im->equations;
    int core = e->core, s = im->method->stages;
    size_t n = (size_t)im->newton.n;
    memset(im->newton.matrix, 0, n * n * sizeof *im->newton.matrix);
    fill_slopes(im, h);
    for (int i = 0; i < s && crd_stage_multipliers(im) > 0; i++) {
        int first = s * core + i * e->multipliers;
        fill_columns(im, i, first, im->directions);
        fill_multipliers(im, first, im->method->a[i], 1.0);
    }
    if (crd_end_multipliers(im) > 0) fill_ends(im, h);
    return crd_newton_factor(&im->newton, rcond);
}
