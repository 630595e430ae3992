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

static void perpendicular_rows(const CrdJointData *data, const CrdPair *pair, CrdRows out) {
    put_row(data->axis_a, data->axis_b, pair, 0, out);
}

static void perpendicular_gradient(const CrdJointData *data, const CrdPair *pair, CrdRows out) {
    crd_align_gradient(data->axis_a, data->axis_b, pair, out.a[0], out.b[0]);
}

/* Of directions e[k] of a against one of b: u_a . u_b and u_a' . u_b + u_a . u_b'. */
static void put_residual(const CrdVec *e, int count, CrdVec f, const CrdPair *pair, double *g, double *rate) {
    const CardanFrame *a = pair->a, *b = pair->b;
    CrdVec ub = crd_apply_t(a->rotation, crd_apply(b->rotation, f)),
           dub = crd_apply_t(a->rotation, crd_apply(b->rotation, crd_cross(b->w, f)));
    for (int k = 0; k < count; k++) {
        g[k] = crd_dot(e[k], ub);
        rate[k] = crd_dot(crd_cross(a->w, e[k]), ub) + crd_dot(e[k], dub);
    }
}

static void tilt_residual(const CrdJointData *data, const CrdPair *pair, double *g, double *rate) {
    put_residual(data->ea, 2, data->axis_b, pair, g, rate);
}

static void perpendicular_residual(const CrdJointData *data, const CrdPair *pair, double *g, double *rate) {
    put_residual(&data->axis_a, 1, data->axis_b, pair, g, rate);
}

const CrdPart crd_part_tilt = {.rows = {0, 2},
                               .unit = CRD_RADIANS,
                               .rows_of = tilt_rows,
                               .gradient_of = tilt_gradient,
                               .residual_of = tilt_residual};
const CrdPart crd_part_perpendicular = {.rows = {0, 1},
                                        .unit = CRD_RADIANS,
                                        .rows_of = perpendicular_rows,
                                        .gradient_of = perpendicular_gradient,
                                        .residual_of = perpendicular_residual};
