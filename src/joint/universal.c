/* Universal (Hooke's joint): a cross with one pin in a, along axis, and one in b, along axis2, at right angles.
 *     p_b - p_a = 0                       - / 3 rows (gap)
 *     axis_a . axis_b = 0                 - / 1 row  (perpendicular) */
#include "joint/records.h"

static const CrdField FIELDS[] = {CRD_ROWS_TWO_AXES("The pin in a: ground axes, in the pose as written; any length.",
                                                    "The pin in b, likewise; across the other."),
                                  CRD_ROWS_LAST};

const CrdJointKind crd_universal = {
    .name = "universal",
    .doc = "Hooke's joint: a cross with one pin in a, along axis, and one in b, along axis2, at right angles.",
    .fields = CRD_FIELDS(FIELDS),
    .parts = {&crd_part_gap, &crd_part_perpendicular},
    .whole = {NULL, crd_space_universal},
    .space = {false, true},
    .angles = CRD_TWO_PINS,
};
