/* Where a wheel of b touches the plane of a (a line in the plane).
 *     n = R_a axis_a, the normal towards the wheel;   u = R_b axis_b, the disc's axis;   c = u . n
 *     m = (n - c u) / sqrt(1 - c^2), from the lowest point of the disc to its centre; of a ball m = n
 *     C = p_b - radius m */
#ifndef CRD_JOINT_CONTACT_H
#define CRD_JOINT_CONTACT_H

#include "joint/joint.h"

/* The own numbers of a rolling joint. */
typedef struct CrdWheel {
    double radius;    /* m */
    double normal[3]; /* as written */
    bool disc;        /* in space: about axis_b; else a ball */
} CrdWheel;

static inline const CrdWheel *crd_wheel(const CrdJointData *joint) {
    return (const CrdWheel *)(const void *)joint->own;
}

/* A small displacement of both frames in ground axes: of the origins, and rotations. */
typedef struct CrdShift {
    CrdVec xa, ta, xb, tb;
} CrdShift;

CrdVec crd_contact_point(const CrdJointData *joint, const CrdPair *pair);

/* How it moves in space (not as a material point) when the frames are displaced. */
CrdVec crd_contact_shift(const CrdJointData *joint, const CrdPair *pair, const CrdShift *shift);

#endif
