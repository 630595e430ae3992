/* Universal (Hooke's joint): a cross with one pin in a, along axis, and one in b, along axis2, at right angles.
 *     p_b - p_a = 0                       - / 3 rows (gap)
 *     axis_a . axis_b = 0                 - / 1 row  (perpendicular) */
#include "joint/part.h"
#include "joint/records.h"

const CrdJointKind crd_universal = {
    .name = "universal",
    .parts = {&crd_part_gap, &crd_part_perpendicular},
    .space = {false, true},
    .needs = CRD_NEEDS_AXIS | CRD_NEEDS_AXIS2,
};
