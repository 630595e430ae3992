/* Constant velocity: two shafts that meet in a point and turn alike, however they are bent there.
 *     p_b - p_a = 0                            - / 3 rows (gap)
 *     x_a . y_b - y_a . x_b = 0                - / 1 row, x and y across each shaft
 * Let C = R_b B R_a^T be the turn that carries a's directions into b's. Its antisymmetric part is sin(angle) times its
 * axis, and the row is that part along a's shaft: the axis of C stays across the shafts, so that C is the shortest turn
 * from one to the other and nothing is left about them. Both spins about the own shafts are then equal:
 *     w_a . axis_a = w_b . axis_b
 * The row's slope goes with 1 + cos(bend): it is refused near a half turn, where the shortest turn is not unique. */
#include "core/numbers.h"
#include "joint/align.h"
#include "joint/records.h"

#include <stdio.h>

/* Largest bend as written: the slope of the row is still 1.5 % of that of straight shafts. */
#define CRD_BEND_MAX (170.0 * CRD_PI / 180.0)

/* How far a direction across b's shaft may lean along it: rounding, at the largest bend amplified a hundredfold. */
#define CRD_LEAN 1e-9

/* Product k of the row: (e[k] of a) . (e[1 - k] of b), with this sign. */
static const double SIGN[2] = {1.0, -1.0};

static void rows_of(const CrdJointData *data, const CrdPair *pair, CrdRows out) {
    assert(!data->planar);
    out.g[0] = out.gamma[0] = 0.0;
    for (int i = 0; i < 6; i++) out.a[0][i] = out.b[0][i] = 0.0;
    for (int k = 0; k < 2; k++) {
        CrdCoordinate product;
        crd_align_row(data->ea[k], data->eb[1 - k], pair, &product.value, &product.bias, product.a, product.b);
        out.g[0] += SIGN[k] * product.value;
        out.gamma[0] -= SIGN[k] * product.bias;
        for (int i = 0; i < 6; i++) {
            out.a[0][i] += SIGN[k] * product.a[i];
            out.b[0][i] += SIGN[k] * product.b[i];
        }
    }
}

static void gradient_of(const CrdJointData *data, const CrdPair *pair, CrdRows out) {
    for (int i = 0; i < 6; i++) out.a[0][i] = out.b[0][i] = 0.0;
    for (int k = 0; k < 2; k++) {
        CardanTwistRow a, b;
        crd_align_gradient(data->ea[k], data->eb[1 - k], pair, a, b);
        for (int i = 0; i < 6; i++) {
            out.a[0][i] += SIGN[k] * a[i];
            out.b[0][i] += SIGN[k] * b[i];
        }
    }
}

static const CrdPart ALIKE = {.rows = {0, 1}, .unit = CRD_RADIANS, .rows_of = rows_of, .gradient_of = gradient_of};

/* b's directions are a's after the shortest turn from shaft u to shaft w in the pose as written:
 *     e -> e - (w . e) / (1 + u . w) (u + w)      for e across u */
static bool prepare(const CrdWritten *written, CrdVec gap, CrdJointData *joint, CrdObjection *objection) {
    (void)written, (void)gap;
    CrdVec u = crd_apply(joint->start_a, joint->axis_a), w = crd_apply(joint->start_b, joint->axis_b);
    double bend = atan2(crd_norm(crd_cross(u, w)), crd_dot(u, w));
    if (bend > CRD_BEND_MAX) {
        *objection = (CrdObjection){.key = "axis2"};
        snprintf(
            objection->text, sizeof objection->text,
            "its shafts are bent by %.4g degrees, at most 170 are possible; do both point through the joint in the "
            "same sense?",
            bend * 180.0 / CRD_PI);
        return false;
    }
    for (int k = 0; k < 2; k++) {
        CrdVec e = crd_apply(joint->start_a, joint->ea[k]);
        CrdVec f = crd_axpy(e, -crd_dot(w, e) / (1.0 + crd_dot(u, w)), crd_add(u, w));
        joint->eb[k] = crd_apply_t(joint->start_b, f);
        assert(fabs(crd_dot(f, w)) < CRD_LEAN); /* across the shaft of b */
    }
    return true;
}

static const CrdField FIELDS[] = {
    CRD_ROWS_TWO_AXES("Along the shaft of a: ground axes, in the pose as written; any length.",
                      "Along the shaft of b, likewise, in the same sense through the joint."),
    CRD_ROWS_LAST,
};

const CrdJointKind crd_constant_velocity = {
    .name = "constant_velocity",
    .doc = "Two shafts meet in a point, bent by any angle up to 170 degrees, and turn at equal speed.",
    .fields = CRD_FIELDS(FIELDS),
    .parts = {&crd_part_gap, &ALIKE},
    .angles = CRD_ROLL_PITCH_YAW,
    .space = {false, true},
    .rank = CRD_RANK_CAN_FALL, /* shafts bent by half a turn */
    .prepare = prepare,
};
