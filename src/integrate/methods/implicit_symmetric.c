/* Multipliers u of the ends of a step: a correction du moves the start by D du, the stages with it, the end by what
 * they make of it and by D_end du, and must take away what is left of the residual there,
 *
 *     C du = hold (R(h J) D + D_end) du = -residual - hold h sum_i b_i dK_i
 *
 * C couples everything with everything and is never formed. C du costs one solve of the stages; hold D_end, which the
 * sparse factor of the projection solves with, is nearly half of it. So du is sought by generalised conjugate residuals
 * (Eisenstat, Elman, Schultz, SIAM J. Numer. Anal. 20, 1983) with that for a preconditioner: a few directions leave a
 * thousandth, and Newton's iteration takes up the rest. */
#include "integrate/methods/implicit_matrix.h"
#include "integrate/methods/implicit_sparse.h"

#include <assert.h>
#include <math.h>
#include <string.h>

/* What may be left of the residual: less than an iteration of simplified Newton leaves of itself. */
#define CRD_ENDS_LEFT 1e-3

/* Residuals of positions, the first half of the rows, against those of velocities: over the step. */
static double product(int m, double h, const double *a, const double *b) {
    double sum = 0.0, weight = 1.0 / (h * h);
    for (int r = 0; r < m; r++) sum += (r < m / 2 ? weight : 1.0) * a[r] * b[r];
    return sum;
}

/* out (multipliers) += hold (change), of the first core components of step->change. */
static void add_hold(CrdImplicit *im, double *out) {
    const CrdEquations *equations = &im->equations;
    CrdSparseStep *step = im->sparse;
    size_t size = (size_t)(equations->core + equations->multipliers);
    memset(step->change + equations->core, 0, (size_t)equations->multipliers * sizeof *step->change);
    memset(step->product, 0, size * sizeof *step->product);
    crd_tiles_times(&equations->ends->tiles, equations->ends->state, 1.0, step->change, step->product);
    for (int r = 0; r < equations->multipliers; r++)
        if (equations->held[r]) out[r] += step->product[equations->core + r];
}

/* Right sides of stages when their start moves by `by` (core). */
static void move_stages(CrdImplicit *im, const double *by) {
    CrdSparseStep *step = im->sparse;
    size_t bytes = (size_t)step->size * sizeof *step->right;
    memset(step->vector, 0, bytes);
    memcpy(step->vector, by, (size_t)im->equations.core * sizeof *by);
    memset(step->right, 0, bytes);
    crd_tiles_times(&im->equations.stage->tiles, im->equations.stage->state, -1.0, step->vector, step->right);
    for (int i = 1; i < im->method->stages; i++) memcpy(step->right + i * step->size, step->right, bytes);
}

/* A direction from what is left, D of it at the start, and its image under C. */
static CardanStatus try_direction(CrdImplicit *im, int k) {
    const CrdEquations *equations = &im->equations;
    CrdSparseStep *step = im->sparse;
    int m = equations->multipliers, core = equations->core, s = im->method->stages;
    double *direction = step->direction + k * m, *image = step->image + k * m, *start = step->start_move + k * core;
    memset(step->moved, 0, (size_t)core * sizeof *step->moved);
    for (int r = 0; r < m; r++) step->moved[core + r] = equations->held[r] ? 0.5 * step->left_over[r] : 0.0;
    CRD_TRY(crd_sparse_lu_solve(equations->ends->real, step->moved));
    memcpy(direction, step->moved + core, (size_t)m * sizeof *direction);
    memset(step->pushed, 0, (size_t)equations->n * sizeof *step->pushed);
    CRD_TRY(equations->push(equations->user, im->started, direction, step->pushed));
    memcpy(start, step->pushed, (size_t)core * sizeof *start);
    move_stages(im, start);
    CRD_TRY(crd_sparse_step_stages(im));
    for (int c = 0; c < core; c++) step->change[c] = start[c] + step->moved[c];
    for (int i = 0; i < s; i++) { /* h b^T dK = b^T A^-1 dY */
        double weight = 0.0;
        for (int j = 0; j < s; j++) weight += im->method->b[j] * step->modes.inverse[j][i];
        for (int c = 0; c < core; c++) step->change[c] += weight * step->answer[i * step->size + c];
    }
    memset(image, 0, (size_t)m * sizeof *image);
    add_hold(im, image);
    return CARDAN_OK;
}

/* Makes direction k's image orthogonal to those before. */
static void make_orthogonal(CrdSparseStep *step, int k, int m, int core, double h) {
    double *image = step->image + k * m;
    for (int j = 0; j < k; j++) {
        const double *other = step->image + j * m;
        double share = product(m, h, image, other) / product(m, h, other, other);
        for (int r = 0; r < m; r++) image[r] -= share * other[r];
        for (int r = 0; r < m; r++) step->direction[k * m + r] -= share * step->direction[j * m + r];
        for (int c = 0; c < core; c++) step->start_move[k * core + c] -= share * step->start_move[j * core + c];
    }
}

CardanStatus crd_sparse_step_ends(CrdImplicit *im, double h) {
    const CrdEquations *equations = &im->equations;
    CrdSparseStep *step = im->sparse;
    int s = im->method->stages, core = equations->core, m = equations->multipliers;
    double *u = im->x + s * core, *left = step->left_over, *total = im->trial;
    assert(m > 0 && !equations->in_slopes);
    memset(step->change, 0, (size_t)core * sizeof *step->change);
    for (int i = 0; i < s; i++)
        for (int c = 0; c < core; c++) step->change[c] -= h * im->method->b[i] * im->x[i * core + c];
    for (int r = 0; r < m; r++) left[r] = equations->held[r] ? u[r] : 0.0;
    add_hold(im, left);
    for (int r = 0; r < m; r++) u[r] = equations->held[r] ? 0.0 : u[r];
    memset(total, 0, (size_t)core * sizeof *total);
    CRD_TRY(equations->measure(equations->user, im->started_at, im->started, im->residual));
    double first = product(m, h, left, left), now = first;
    for (int k = 0; k < CRD_ENDS_TRIES && now > CRD_ENDS_LEFT * CRD_ENDS_LEFT * first; k++) {
        CRD_TRY(try_direction(im, k));
        make_orthogonal(step, k, m, core, h);
        const double *image = step->image + k * m;
        double size = product(m, h, image, image);
        if (!(size > 0.0)) break;
        double share = product(m, h, left, image) / size;
        for (int r = 0; r < m; r++) left[r] -= share * image[r];
        for (int r = 0; r < m; r++) u[r] += share * step->direction[k * m + r];
        for (int c = 0; c < core; c++) total[c] += share * step->start_move[k * core + c];
        now = product(m, h, left, left);
    }
    memcpy(step->moved, total, (size_t)core * sizeof *total);
    move_stages(im, total);
    CRD_TRY(crd_sparse_step_stages(im));
    crd_sparse_step_take(im, h);
    return CARDAN_OK;
}
