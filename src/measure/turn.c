/* Turns of joints as angles. With A0, B0 the rotations of a and b in the pose as written,
 *     C = R_a^T R_b (A0^T B0)^T     the turn of b against a since then, in a's axes: roll, pitch, yaw of C
 * and dC = [c]_x C with c = R_a^T R_b turn_b - turn_a. Of a cross with the pin p in a and the pin s in b:
 *     angle   of s about p as a sees it,   angle2   of b about s, minus that of p about s as b sees it,
 * both less what they are in the pose as written, within half a turn. In the plane the turn is angle_b - angle_a. */
#include "measure/measure.h"

#include "core/numbers.h"

bool crd_kind_has(const CrdJointKind *kind, const CrdMeasureRecord *measure) {
    switch (measure->has) {
    case CRD_HAS_COORDINATE:
        return kind->coordinates[0] != CARDAN_COORDINATE_NONE;
    case CRD_HAS_COORDINATE2:
        return kind->coordinates[1] != CARDAN_COORDINATE_NONE;
    case CRD_HAS_TURN:
        return kind->angles == CRD_ROLL_PITCH_YAW;
    case CRD_HAS_CROSS:
        return kind->angles == CRD_TWO_PINS;
    case CRD_HAS_SHIFT:
        return kind->shifts;
    case CRD_HAS_CURVE:
        return kind->curve;
    default:
        return measure->coordinate == CARDAN_COORDINATE_NONE || crd_joint_has(kind, measure->coordinate);
    }
}

static CrdMat seen(const double *from, const double *rotation) {
    CrdMat back = crd_transpose(from);
    return crd_mul(back.m, rotation);
}

/* A pin in the axes of the other body, and directions across that one's own pin. */
typedef struct Pin {
    CrdVec now, start; /* unit */
    CrdVec e1, e2;
    double sign;
} Pin;

static Pin pin_of(CrdMeasure measure, const CrdJointData *joint, const CrdPair *pair) {
    bool on_a = measure == CRD_CROSS_ANGLE;
    CrdMat now = on_a ? seen(pair->a->rotation, pair->b->rotation) : seen(pair->b->rotation, pair->a->rotation);
    CrdMat start = on_a ? seen(joint->start_a, joint->start_b) : seen(joint->start_b, joint->start_a);
    CrdVec pin = on_a ? joint->axis_b : joint->axis_a;
    return (Pin){.now = crd_apply(now.m, pin),
                 .start = crd_apply(start.m, pin),
                 .e1 = on_a ? joint->ea[0] : joint->eb[0],
                 .e2 = on_a ? joint->ea[1] : joint->eb[1],
                 .sign = on_a ? 1.0 : -1.0};
}

static double angle_of(const Pin *pin, CrdVec u) {
    return atan2(crd_dot(u, pin->e2), crd_dot(u, pin->e1));
}

static CrdMat turned(const CrdJointData *joint, const CrdPair *pair) {
    CrdMat now = seen(pair->a->rotation, pair->b->rotation), start = seen(joint->start_a, joint->start_b);
    CrdMat back = crd_transpose(start.m);
    return crd_mul(now.m, back.m);
}

static double part_of(CrdMeasure measure, CrdVec rpy) {
    return measure == CRD_JOINT_ROLL ? rpy.x : measure == CRD_JOINT_PITCH ? rpy.y : rpy.z;
}

double crd_measure_turn(CrdMeasure measure, const CrdJointData *joint, const CrdPair *pair) {
    assert(measure >= CRD_JOINT_ROLL && measure <= CRD_JOINT_TURN_RATE);
    if (measure == CRD_JOINT_TURN) return pair->b->angle - pair->a->angle - joint->turn0;
    if (measure == CRD_JOINT_TURN_RATE) return pair->b->w.z - pair->a->w.z;
    if (measure <= CRD_JOINT_YAW) {
        CrdMat c = turned(joint, pair);
        return part_of(measure, crd_rpy_of(c.m));
    }
    Pin pin = pin_of(measure, joint, pair);
    return remainder(pin.sign * (angle_of(&pin, pin.now) - angle_of(&pin, pin.start)), 2.0 * CRD_PI);
}

double crd_measure_turn_change(CrdMeasure measure, const CrdJointData *joint, const CrdPair *pair, const CrdChange *da,
                               const CrdChange *db) {
    if (measure == CRD_JOINT_TURN) return db->turn.z - da->turn.z;
    if (measure == CRD_JOINT_TURN_RATE) return db->w.z - da->w.z;
    CrdMat now = seen(pair->a->rotation, pair->b->rotation);
    CrdVec c = crd_sub(crd_apply(now.m, db->turn), da->turn); /* of b against a, own axes of a */
    if (measure <= CRD_JOINT_YAW) {
        CrdMat turn = turned(joint, pair);
        return part_of(measure, crd_rpy_change(turn.m, c));
    }
    Pin pin = pin_of(measure, joint, pair);
    CrdVec spin = measure == CRD_CROSS_ANGLE ? c : crd_neg(crd_apply_t(now.m, c));
    CrdVec d = crd_cross(spin, pin.now);
    double x = crd_dot(pin.now, pin.e1), y = crd_dot(pin.now, pin.e2), square = x * x + y * y;
    return square > 0.0 ? pin.sign * (x * crd_dot(d, pin.e2) - y * crd_dot(d, pin.e1)) / square : 0.0;
}
