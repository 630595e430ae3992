/* Off: the joint's point of b stays on the line through that of a along a's axis. Along: it stays on the plane across
 * it. g = (R_a e) . (p_b - p_a)   for the directions e across the axis, or the axis itself; formulas in direction.h */
#include "joint/direction.h"
#include "joint/part.h"

static void direction_rows(const CrdJointData *data, const CrdPair *pair, const CrdVec *e, int count, CrdRows out) {
    CrdGap gap = crd_gap_of(data, pair);
    for (int k = 0; k < count; k++) {
        double bias;
        crd_direction_row(data, pair, &gap, e[k], &out.g[k], &bias, out.a[k], out.b[k]);
        out.gamma[k] = -bias;
    }
}

static void direction_gradients(const CrdJointData *data, const CrdPair *pair, const CrdVec *e, int count,
                                CrdRows out) {
    CrdGap gap = crd_gap_of(data, pair);
    for (int k = 0; k < count; k++) crd_direction_gradient(data, pair, &gap, e[k], out.a[k], out.b[k]);
}

static void off_rows(const CrdJointData *data, const CrdPair *pair, CrdRows out) {
    direction_rows(data, pair, data->ea, data->planar ? 1 : 2, out);
}

static void off_gradient(const CrdJointData *data, const CrdPair *pair, CrdRows out) {
    direction_gradients(data, pair, data->ea, data->planar ? 1 : 2, out);
}

static void along_rows(const CrdJointData *data, const CrdPair *pair, CrdRows out) {
    direction_rows(data, pair, &data->axis_a, 1, out);
}

static void along_gradient(const CrdJointData *data, const CrdPair *pair, CrdRows out) {
    direction_gradients(data, pair, &data->axis_a, 1, out);
}

static void direction_residuals(const CrdJointData *data, const CrdPair *pair, const CrdVec *e, int count, double *g,
                                double *rate) {
    const CardanFrame *a = pair->a;
    CrdGap gap = crd_gap_of(data, pair);
    for (int k = 0; k < count; k++) {
        CrdVec u = crd_apply(a->rotation, e[k]), du = crd_apply(a->rotation, crd_cross(a->w, e[k]));
        g[k] = crd_dot(u, gap.d);
        rate[k] = crd_dot(du, gap.d) + crd_dot(u, gap.rate);
    }
}

static void off_residual(const CrdJointData *data, const CrdPair *pair, double *g, double *rate) {
    direction_residuals(data, pair, data->ea, data->planar ? 1 : 2, g, rate);
}

static void along_residual(const CrdJointData *data, const CrdPair *pair, double *g, double *rate) {
    direction_residuals(data, pair, &data->axis_a, 1, g, rate);
}

const CrdPart crd_part_off = {
    .rows = {1, 2}, .rows_of = off_rows, .gradient_of = off_gradient, .residuals_of = off_residual};
const CrdPart crd_part_along = {
    .rows = {1, 1}, .rows_of = along_rows, .gradient_of = along_gradient, .residuals_of = along_residual};
