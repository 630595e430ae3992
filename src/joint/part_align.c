/* Alignment of directions, formulas in align.h.
 * Tilt:           g = (R_a e) . (R_b axis_b) for the two directions e across a's axis
 * Perpendicular:  g = (R_a axis_a) . (R_b axis_b) */
#include "joint/align.h"
#include "joint/part.h"

static void put_row(CrdVec e, CrdVec f, const CrdPair *pair, int k, CrdRows out) {
    double bias;
    crd_align_row(e, f, pair, &out.g[k], &bias, out.a[k], out.b[k]);
    out.gamma[k] = -bias;
}

static void tilt_rows(const CrdJointData *data, const CrdPair *pair, CrdRows out) {
    for (int k = 0; k < 2; k++) put_row(data->ea[k], data->axis_b, pair, k, out);
}

static void tilt_gradient(const CrdJointData *data, const CrdPair *pair, CrdRows out) {
    for (int k = 0; k < 2; k++) crd_align_gradient(data->ea[k], data->axis_b, pair, out.a[k], out.b[k]);
}

static void residual(CrdVec ua, CrdVec ub, CrdVec w, double *g, double *rate) {
    *g = crd_dot(ua, ub);
    *rate = crd_dot(w, crd_cross(ua, ub));
}

static void tilt_residuals(const CrdJointData *data, const CrdPair *pair, double *g, double *rate) {
    CrdVec w = crd_relative_spin(pair), axis = crd_apply(pair->b->rotation, data->axis_b);
    for (int k = 0; k < 2; k++) residual(crd_apply(pair->a->rotation, data->ea[k]), axis, w, &g[k], &rate[k]);
}

static void perpendicular_residuals(const CrdJointData *data, const CrdPair *pair, double *g, double *rate) {
    residual(crd_apply(pair->a->rotation, data->axis_a), crd_apply(pair->b->rotation, data->axis_b),
             crd_relative_spin(pair), g, rate);
}

static void perpendicular_rows(const CrdJointData *data, const CrdPair *pair, CrdRows out) {
    put_row(data->axis_a, data->axis_b, pair, 0, out);
}

static void perpendicular_gradient(const CrdJointData *data, const CrdPair *pair, CrdRows out) {
    crd_align_gradient(data->axis_a, data->axis_b, pair, out.a[0], out.b[0]);
}

const CrdPart crd_part_tilt = {.rows = {0, 2},
                               .unit = CRD_RADIANS,
                               .moves = CRD_MOVES_NOT,
                               .rows_of = tilt_rows,
                               .gradient_of = tilt_gradient,
                               .residuals_of = tilt_residuals};
const CrdPart crd_part_perpendicular = {.rows = {0, 1},
                                        .unit = CRD_RADIANS,
                                        .moves = CRD_MOVES_NOT,
                                        .rows_of = perpendicular_rows,
                                        .gradient_of = perpendicular_gradient,
                                        .residuals_of = perpendicular_residuals};
