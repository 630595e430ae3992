/* The parts joints are made of. d = p_b - p_a, p = x + R l. */
#ifndef CRD_JOINT_PART_H
#define CRD_JOINT_PART_H

#include "joint/joint.h"

extern const CrdPart crd_part_gap;           /* d = 0 in ground axes: 2 / 3 rows */
extern const CrdPart crd_part_off;           /* parts of d across a's axis = 0: 1 / 2 rows */
extern const CrdPart crd_part_along;         /* part of d along a's axis = 0: 1 / 1 rows */
extern const CrdPart crd_part_tilt;          /* b's axis has no part across a's axis: 0 / 2 rows */
extern const CrdPart crd_part_turn;          /* equal orientation: planar angle, or rotation vector: 1 / 3 rows */
extern const CrdPart crd_part_perpendicular; /* axis_a . axis_b = 0: 0 / 1 rows */
extern const CrdPart crd_part_contact;       /* a wheel touches a plane of a: 1 / 1 rows */
extern const CrdPart crd_part_rolling;       /* nonholonomic: no slip where it touches: 1 / 2 rows */
extern const CrdPart crd_part_edge;          /* nonholonomic: no velocity of p_b along b's axis: 1 / 1 rows */

/* The rows of crd_part_turn in space with their rates. */
void crd_turn_rows(const CrdJointData *joint, const CrdPair *pair, CrdWholeRows out);

#endif
