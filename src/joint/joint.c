/* Walks the parts of a joint's record; coordinates are in coordinate.c. */
#include "joint/joint.h"

#include "joint/contact.h"
#include "joint/direction.h"
#include "joint/records.h"

#include <string.h>

const CrdJointKind *const crd_joint_kinds[CARDAN_JOINT_TYPES] = {
    [CARDAN_REVOLUTE] = &crd_revolute,
    [CARDAN_PRISMATIC] = &crd_prismatic,
    [CARDAN_WELD] = &crd_weld,
    [CARDAN_DISTANCE] = &crd_distance,
    [CARDAN_SPHERICAL] = &crd_spherical,
    [CARDAN_UNIVERSAL] = &crd_universal,
    [CARDAN_CYLINDRICAL] = &crd_cylindrical,
    [CARDAN_SCREW] = &crd_screw,
    [CARDAN_PLANAR_JOINT] = &crd_planar,
    [CARDAN_POINT_ON_LINE] = &crd_point_on_line,
    [CARDAN_POINT_ON_PLANE] = &crd_point_on_plane,
    [CARDAN_PARALLEL] = &crd_parallel,
    [CARDAN_PERPENDICULAR] = &crd_perpendicular,
    [CARDAN_ANGLE_JOINT] = &crd_angle,
    [CARDAN_DRIVER] = &crd_driver,
    [CARDAN_COUPLER] = &crd_coupler,
    [CARDAN_CURVE] = &crd_curve,
    [CARDAN_ROLLING] = &crd_rolling,
    [CARDAN_KNIFE_EDGE] = &crd_knife_edge,
};

int crd_joint_rows(const CrdJointKind *kind, CardanSpace space) {
    int rows = 0;
    for (int i = 0; i < CRD_JOINT_PARTS && kind->parts[i] != NULL; i++) rows += kind->parts[i]->rows[space];
    return rows;
}

int crd_joint_holonomic_rows(const CrdJointKind *kind, CardanSpace space) {
    int rows = 0;
    for (int i = 0; i < CRD_JOINT_PARTS && kind->parts[i] != NULL; i++)
        if (!kind->parts[i]->nonholonomic) rows += kind->parts[i]->rows[space];
    return rows;
}

CrdUnit crd_joint_unit(const CrdJointKind *kind, CardanSpace space, int r) {
    for (int i = 0; i < CRD_JOINT_PARTS && kind->parts[i] != NULL; i++) {
        r -= kind->parts[i]->rows[space];
        if (r < 0) return kind->parts[i]->unit;
    }
    return CRD_METRES;
}

static CardanSpace space_of(const CrdJointData *joint) {
    return joint->planar ? CARDAN_PLANAR : CARDAN_SPATIAL;
}

void crd_joint_evaluate(const CrdJointKind *kind, const CrdJointData *joint, const CrdPair *pair, CrdRows out) {
    for (int i = 0; i < CRD_JOINT_PARTS && kind->parts[i] != NULL; i++) {
        int rows = kind->parts[i]->rows[space_of(joint)];
        if (rows == 0) continue;
        kind->parts[i]->rows_of(joint, pair, out);
        out = (CrdRows){out.g + rows, out.gamma + rows, out.a + rows, out.b + rows};
    }
}

void crd_joint_gradient(const CrdJointKind *kind, const CrdJointData *joint, const CrdPair *pair, CrdRows out) {
    for (int i = 0; i < CRD_JOINT_PARTS && kind->parts[i] != NULL; i++) {
        int rows = kind->parts[i]->rows[space_of(joint)];
        if (rows == 0) continue;
        kind->parts[i]->gradient_of(joint, pair, out);
        out.a += rows;
        out.b += rows;
    }
}

/* ---- derivatives of G^T lambda ---- */

/* The same places, moving with a unit twist: number i of a's six, then of b's. */
typedef struct Moving {
    CardanFrame a, b;
} Moving;

static CrdPair unit_twist(const CrdPair *pair, int i, Moving *moving) {
    double twist[CRD_PAIR_TWISTS] = {0};
    twist[i] = 1.0;
    moving->a = *pair->a;
    moving->b = *pair->b;
    moving->a.v = crd_vec_of(twist);
    moving->a.w = crd_vec_of(twist + 3);
    moving->b.v = crd_vec_of(twist + 6);
    moving->b.w = crd_vec_of(twist + 9);
    return (CrdPair){&moving->a, &moving->b, pair->near, pair->foot};
}

static bool moves(const CrdJointData *joint, int i) {
    return !joint->planar || i % 6 < 2 || i % 6 == 5;
}

void crd_joint_hessian(const CrdJointKind *kind, const CrdJointData *joint, const CrdPair *pair, const double *lambda,
                       double out[CRD_PAIR_TWISTS][CRD_PAIR_TWISTS]) {
    int rows = crd_joint_rows(kind, space_of(joint));
    memset(out, 0, CRD_PAIR_TWISTS * sizeof out[0]);
    for (int i = 0; i < CRD_PAIR_TWISTS; i++) {
        if (!moves(joint, i)) continue;
        Moving moving;
        CardanTwistRow a[CRD_JOINT_ROWS], b[CRD_JOINT_ROWS];
        CrdPair along = unit_twist(pair, i, &moving);
        crd_joint_gradient(kind, joint, &along, (CrdRows){.a = a, .b = b});
        for (int r = 0; r < rows; r++)
            for (int k = 0; k < 6; k++) {
                out[i][k] += lambda[r] * a[r][k];
                out[i][6 + k] += lambda[r] * b[r][k];
            }
    }
}

void crd_joint_coordinate_hessian(CardanCoordinate which, const CrdJointData *joint, const CrdPair *pair,
                                  double out[CRD_PAIR_TWISTS][CRD_PAIR_TWISTS]) {
    memset(out, 0, CRD_PAIR_TWISTS * sizeof out[0]);
    for (int i = 0; i < CRD_PAIR_TWISTS; i++) {
        if (!moves(joint, i)) continue;
        Moving moving;
        CrdPair along = unit_twist(pair, i, &moving);
        crd_joint_coordinate_gradient(which, joint, &along, out[i], out[i] + 6);
    }
}

/* ---- where, and what has memory ---- */

CrdVec crd_joint_place(const CrdJointKind *kind, const CrdJointData *joint, const CrdPair *pair) {
    if (kind->needs & CRD_NEEDS_WHEEL) return crd_contact_point(joint, pair);
    return crd_add(pair->b->x, crd_apply(pair->b->rotation, joint->lb));
}

bool crd_joint_follows(const CrdJointKind *kind, CardanSpace space) {
    if (kind->needs & CRD_NEEDS_CURVE) return true;
    return space == CARDAN_SPATIAL && crd_joint_has(kind, CARDAN_ANGLE);
}

double crd_joint_followed(const CrdJointKind *kind, const CrdJointData *joint, const CrdPair *pair) {
    if (kind->needs & CRD_NEEDS_CURVE) return pair->foot->s;
    CrdCoordinate angle;
    crd_joint_coordinate(CARDAN_ANGLE, joint, pair, &angle);
    return angle.value;
}

/* Of an angle: with the axes aligned. Of a foot: so that it stays beside the point. */
double crd_joint_follow_rate(const CrdJointKind *kind, const CrdJointData *joint, const CrdPair *pair) {
    if (kind->needs & CRD_NEEDS_CURVE) {
        CrdGap gap = crd_gap_of(joint, pair);
        CrdVec t = pair->foot->tangent, turning = crd_cross(pair->a->w, t);
        double rate =
            crd_dot(crd_apply(pair->a->rotation, t), gap.rate) + crd_dot(crd_apply(pair->a->rotation, turning), gap.d);
        return rate / crd_dot(t, pair->foot->c1);
    }
    CrdVec u = crd_apply(pair->a->rotation, joint->axis_a);
    return crd_dot(u, crd_apply(pair->b->rotation, pair->b->w)) - crd_dot(joint->axis_a, pair->a->w);
}
