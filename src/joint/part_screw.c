/* Screw: displacement - pitch angle = 0, of the joint's two coordinates (coordinate.c). */
#include "joint/part.h"

static void rows_of(const CrdJointData *j, const CrdPair *p, CrdRows out) {
    CrdCoordinate along, angle;
    crd_joint_coordinate(CARDAN_DISPLACEMENT, j, p, &along);
    crd_joint_coordinate(CARDAN_ANGLE, j, p, &angle);
    out.g[0] = along.value - j->pitch * angle.value;
    out.gamma[0] = -(along.bias - j->pitch * angle.bias);
    for (int k = 0; k < 6; k++) {
        out.a[0][k] = along.a[k] - j->pitch * angle.a[k];
        out.b[0][k] = along.b[k] - j->pitch * angle.b[k];
    }
}

static void gradient_of(const CrdJointData *j, const CrdPair *p, CrdRows out) {
    CardanTwistRow a, b;
    crd_joint_coordinate_gradient(CARDAN_DISPLACEMENT, j, p, out.a[0], out.b[0]);
    crd_joint_coordinate_gradient(CARDAN_ANGLE, j, p, a, b);
    for (int k = 0; k < 6; k++) {
        out.a[0][k] -= j->pitch * a[k];
        out.b[0][k] -= j->pitch * b[k];
    }
}

const CrdPart crd_part_screw = {.rows = {0, 1}, .rows_of = rows_of, .gradient_of = gradient_of};
