/* Shifts of joints whose points may part. With s the place of p_b as a sees it (change.h), l_a the joint's point in a
 * and A the joint's axes in a's own axes,
 *     x = A^T (s - l_a),   x' = A^T s'. */
#include "measure/measure.h"

CrdJointShift crd_measure_shift(const CrdJointData *joint, const CrdPair *pair) {
    CrdMat axes = crd_joint_axes(joint);
    CrdSeen seen = crd_seen_point(pair->a, pair->b, joint->lb);
    return (CrdJointShift){crd_apply_t(axes.m, crd_sub(seen.s, joint->la)), crd_apply_t(axes.m, seen.ds)};
}

CrdJointShift crd_measure_shift_change(const CrdJointData *joint, const CrdPair *pair, const CrdChange *da,
                                       const CrdChange *db) {
    CrdMat axes = crd_joint_axes(joint);
    CrdSeen seen = crd_seen_point(pair->a, pair->b, joint->lb);
    CrdSeen change = crd_seen_change(pair->a, pair->b, joint->lb, &seen, da, db);
    return (CrdJointShift){crd_apply_t(axes.m, change.s), crd_apply_t(axes.m, change.ds)};
}
