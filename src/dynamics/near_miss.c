#include "dynamics/near_miss.h"

#include "core/numbers.h"
#include "dynamics/dynamics.h"
#include "equations/kinematic.h"

#include <assert.h>
#include <cblas.h>
#include <math.h>
#include <string.h>

/* A gap below this, in lengths of the mechanism, is rounding of the rows: branches cross. */
#define CRD_GAP_ROUNDING 1e-13

/* Newton's iterations; the critical point is found where the weakest singular value is below the second number, and
 * lies within the third (lengths of the mechanism, rad) of where it was sought. */
#define CRD_MISS_ITERATIONS 12
#define CRD_MISS_FOUND 1e-9
#define CRD_MISS_REACH 1.2

/* Step of the differences: the square of it and rounding over it leave 1e-8 of a derivative. */
#define CRD_MISS_STEP 1e-4

/* Near the pose, where the weakest singular value is below the first part of the largest, the next one must be so many
 * times larger for one row to be the one that vanishes. */
#define CRD_MISS_NEAR 0.1
#define CRD_MISS_APART 3.0

/* Rate of the weakest row at rest, against the speed of the motion, from which it moves with time. */
#define CRD_MISS_RATE 1e-9

/* Corrections onto the other rows after each move, at most; they converge quadratically, so that one of less than the
 * second number (lengths of the mechanism, rad) leaves the square of it. That moves the critical point by as much, and
 * e by the square again, because u^T G vanishes there. */
#define CRD_MISS_CORRECTIONS 3
#define CRD_MISS_CORRECTED 1e-5

/* After one of less than this the rows are those that were decomposed for it. */
#define CRD_MISS_SAME 1e-9

void crd_near_miss_layout(CrdNearMiss *near_miss, const CrdStructure *structure, CrdArena *arena) {
    size_t nv = (size_t)structure->nv, rows = (size_t)structure->rows;
    CRD_TAKE_VECTORS(arena, (size_t)structure->nq, &near_miss->q, &near_miss->trial);
    CRD_TAKE_VECTORS(arena, nv, &near_miss->weak, &near_miss->along);
    CRD_TAKE_VECTORS(arena, nv, &near_miss->move, &near_miss->direction);
    CRD_TAKE_VECTORS(arena, rows, &near_miss->row, &near_miss->image);
    near_miss->left = crd_take(arena, rows, sizeof(double));
}

/* Index of the weakest singular value of the generic rank; -1: the model is not looked at, or rows are in excess of it.
 */
static int weakest(const CrdDynamics *dynamics) {
    int rank = dynamics->model->structure->rows - dynamics->redundancy.count;
    return dynamics->reveals && rank <= dynamics->spectrum.count ? rank - 1 : -1;
}

/* Kinematic singular values of the rows in the workspace; the weakest, or -1. */
static int look(CrdDynamics *dynamics) {
    int k = weakest(dynamics);
    if (k < 0 || crd_spectrum_take_kinematic(&dynamics->spectrum, &dynamics->system, false, NULL) < 0) return -1;
    return k;
}

/* D^T u of the weakest row combination, and the displacement that it alone holds. */
static void set_weak(CrdDynamics *dynamics, int k) {
    CrdNearMiss *miss = &dynamics->near_miss;
    const CrdSpectrum *spectrum = &dynamics->spectrum;
    memcpy(miss->row, spectrum->u + (size_t)k * (size_t)spectrum->rows, (size_t)spectrum->rows * sizeof *miss->row);
    crd_kinematic_rows_transposed(dynamics->model->structure, spectrum->factors, miss->row);
    cblas_dcopy(spectrum->columns, spectrum->vt + k, spectrum->count, spectrum->y, 1);
    crd_spectrum_velocities(spectrum, &dynamics->system, spectrum->y, miss->weak);
}

static void scale_to_reach(const CardanModel *model, double *x) {
    double reach = crd_reach(model, x);
    for (int i = 0; reach > 0.0 && i < model->structure->nv; i++) x[i] /= reach;
}

/* u^T G x at the rows in the workspace. */
static double row_along(CrdDynamics *dynamics, const double *x) {
    CrdNearMiss *miss = &dynamics->near_miss;
    const CrdStructure *structure = dynamics->model->structure;
    memset(miss->image, 0, (size_t)structure->rows * sizeof *miss->image);
    crd_times_g(structure, dynamics->system.G, x, miss->image);
    return cblas_ddot(structure->rows, miss->row, 1, miss->image, 1);
}

/* Evaluates the rows at q moved by s x. */
static CardanStatus evaluate_at(CrdDynamics *dynamics, double t, const double *q, const double *v, double s,
                                const double *x) {
    CrdNearMiss *miss = &dynamics->near_miss;
    const CrdStructure *structure = dynamics->model->structure;
    for (int i = 0; i < structure->nv; i++) miss->move[i] = s * x[i];
    memcpy(miss->trial, q, (size_t)structure->nq * sizeof *q);
    crd_move(structure, miss->move, miss->trial);
    return crd_evaluate_constraints(dynamics, t, miss->trial, v);
}

/* H over (weak, along), by central differences. */
static CardanStatus hessian(CrdDynamics *dynamics, double t, const double *v, double h[2][2]) {
    CrdNearMiss *miss = &dynamics->near_miss;
    const double *x[2] = {miss->weak, miss->along};
    for (int i = 0; i < 2; i++) {
        double value[2][2];
        for (int side = 0; side < 2; side++) {
            CRD_TRY(evaluate_at(dynamics, t, miss->q, v, side == 0 ? -CRD_MISS_STEP : CRD_MISS_STEP, x[i]));
            for (int j = 0; j < 2; j++) value[side][j] = row_along(dynamics, x[j]);
        }
        for (int j = 0; j < 2; j++) h[i][j] = (value[1][j] - value[0][j]) / (2.0 * CRD_MISS_STEP);
    }
    return CARDAN_OK;
}

/* q moved by y over (weak, along), then onto the rows but the weakest; *same: the singular values at hand are those of
 * the result. */
static CardanStatus move(CrdDynamics *dynamics, double t, const double *v, const double *y, int k, bool *same) {
    CrdNearMiss *miss = &dynamics->near_miss;
    const CrdStructure *structure = dynamics->model->structure;
    for (int i = 0; i < structure->nv; i++) miss->move[i] = y[0] * miss->weak[i] + y[1] * miss->along[i];
    crd_move(structure, miss->move, miss->q);
    for (int n = 0; n < CRD_MISS_CORRECTIONS; n++) {
        CRD_TRY(crd_evaluate_constraints(dynamics, t, miss->q, v));
        CRD_TRY(crd_spectrum_take_kinematic(&dynamics->spectrum, &dynamics->system, false, NULL));
        crd_spectrum_correct(&dynamics->spectrum, &dynamics->system, dynamics->system.g, k, miss->move);
        crd_move(structure, miss->move, miss->q);
        double moved = crd_reach(dynamics->model, miss->move);
        *same = moved < CRD_MISS_SAME;
        if (moved < CRD_MISS_CORRECTED) break;
    }
    return crd_evaluate_constraints(dynamics, t, miss->q, v);
}

/* y of H y = -(sigma, slope); false: H is no saddle, so it is no crossing of two branches. */
static bool newton(double h[2][2], const double *slope, double *y) {
    double cross = 0.5 * (h[0][1] + h[1][0]), determinant = h[0][0] * h[1][1] - cross * cross;
    if (!(determinant < 0.0)) return false;
    y[0] = -(h[1][1] * slope[0] - cross * slope[1]) / determinant;
    y[1] = -(h[0][0] * slope[1] - cross * slope[0]) / determinant;
    return true;
}

/* Does the weakest row move with time? Then so does the gap: a drive that leads to a dead point closes it. */
static bool moves_with_time(const CrdDynamics *dynamics, const double *v) {
    double rate = cblas_ddot(dynamics->spectrum.rows, dynamics->near_miss.row, 1, dynamics->system.rate_t, 1);
    return fabs(rate) > CRD_MISS_RATE * crd_reach(dynamics->model, v);
}

/* Is there one weakest row, where that can be told? */
static bool is_alone(const double *sigma, int k) {
    return sigma[k] >= CRD_MISS_NEAR * sigma[0] || sigma[k - 1] >= CRD_MISS_APART * sigma[k];
}

/* Do several rows vanish together, as inverse iteration sees it? It finds no value too low, and a single one exactly:
 * where it says so a decomposition of all rows would. */
static bool vanish_together(CrdDynamics *dynamics) {
    const CrdWeakest *weakest = &dynamics->geometry.weakest;
    if (!crd_weakest_pays(dynamics) || !crd_weakest_look(dynamics)) return false;
    const double sigma[] = {weakest->sigma_max, weakest->sigma[1], weakest->sigma[0]};
    return !is_alone(sigma, 2);
}

CrdCrossing crd_near_miss_ask(CrdDynamics *dynamics, double t, const double *q, const double *v) {
    CrdNearMiss *miss = &dynamics->near_miss;
    const CrdStructure *structure = dynamics->model->structure;
    const CrdSpectrum *spectrum = &dynamics->spectrum;
    double way = 0.0;
    bool same = false;
    miss->several = false;
    if (weakest(dynamics) < 1) return CRD_CROSSING_UNKNOWN;
    memcpy(miss->q, q, (size_t)structure->nq * sizeof *q);
    memcpy(miss->along, v, (size_t)structure->nv * sizeof *v);
    scale_to_reach(dynamics->model, miss->along);
    if (crd_evaluate_constraints(dynamics, t, miss->q, v) < 0) return CRD_CROSSING_UNKNOWN;
    for (int n = 0; n < CRD_MISS_ITERATIONS && way <= CRD_MISS_REACH; n++) {
        miss->several = !same && vanish_together(dynamics);
        if (miss->several) return CRD_CROSSING_UNKNOWN;
        int k = same ? weakest(dynamics) : look(dynamics);
        if (k < 1) return CRD_CROSSING_UNKNOWN;
        miss->several = !is_alone(spectrum->sigma, k);
        if (miss->several) return CRD_CROSSING_UNKNOWN;
        set_weak(dynamics, k);
        if (moves_with_time(dynamics, v)) return CRD_CROSSING_UNKNOWN;
        if (spectrum->sigma[k] <= CRD_MISS_FOUND * spectrum->sigma[0]) {
            miss->gap = fabs(cblas_ddot(structure->rows, miss->row, 1, dynamics->system.g, 1));
            double rounding = CRD_GAP_ROUNDING * fmax(1.0, dynamics->model->values.size / dynamics->model->values.span);
            return miss->gap > rounding ? CRD_CROSSING_MISSED : CRD_CROSSING_TRUE;
        }
        scale_to_reach(dynamics->model, miss->weak);
        double h[2][2], y[2], slope[2] = {row_along(dynamics, miss->weak), row_along(dynamics, miss->along)};
        if (hessian(dynamics, t, v, h) < 0 || !newton(h, slope, y)) return CRD_CROSSING_UNKNOWN;
        way += fabs(y[0]) + fabs(y[1]);
        if (way > CRD_MISS_REACH || move(dynamics, t, v, y, k, &same) < 0) return CRD_CROSSING_UNKNOWN;
    }
    return CRD_CROSSING_UNKNOWN;
}

void crd_near_miss_remember(CrdDynamics *dynamics) {
    CrdNearMiss *miss = &dynamics->near_miss;
    const CrdSpectrum *spectrum = &dynamics->spectrum;
    int k = look(dynamics);
    miss->known = k >= 0;
    if (!miss->known) return;
    miss->weakness = spectrum->sigma[k] / spectrum->sigma[0];
    memcpy(miss->left, spectrum->u + (size_t)k * (size_t)spectrum->rows, (size_t)spectrum->rows * sizeof(double));
    cblas_dcopy(spectrum->columns, spectrum->vt + k, spectrum->count, miss->direction, 1);
}

bool crd_near_miss_jumped(CrdDynamics *dynamics) {
    const CrdNearMiss *miss = &dynamics->near_miss;
    const CrdSpectrum *spectrum = &dynamics->spectrum;
    int k = miss->known ? look(dynamics) : -1;
    if (k < 0) return false;
    double same = cblas_ddot(spectrum->rows, spectrum->u + (size_t)k * (size_t)spectrum->rows, 1, miss->left, 1);
    return same * cblas_ddot(spectrum->columns, spectrum->vt + k, spectrum->count, miss->direction, 1) < 0.0;
}
