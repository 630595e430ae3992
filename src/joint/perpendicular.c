/* Perpendicular: axis2 of b stays at a right angle to axis of a.
 *     axis_a . axis_b = 0                 - / 1 row  (perpendicular) */
#include "joint/part.h"
#include "joint/records.h"

const CrdJointKind crd_perpendicular = {
    .name = "perpendicular",
    .parts = {&crd_part_perpendicular},
    .space = {false, true},
    .needs = CRD_NEEDS_AXIS | CRD_NEEDS_AXIS2,
};
