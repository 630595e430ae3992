/* Perpendicular: axis2 of b stays at a right angle to axis of a.
 *     axis_a . axis_b = 0                 - / 1 row  (perpendicular) */
#include "joint/records.h"

static const CrdField FIELDS[] = {
    CRD_ROWS_TWO_AXES("Fixed in a: ground axes, in the pose as written; any length.", "Fixed in b, likewise."),
    CRD_ROWS_LAST};

const CrdJointKind crd_perpendicular = {
    .name = "perpendicular",
    .doc = "An axis of one body stays at a right angle to an axis of the other.",
    .fields = CRD_FIELDS(FIELDS),
    .parts = {&crd_part_perpendicular},
    .angles = CRD_ROLL_PITCH_YAW,
    .shifts = true,
    .space = {false, true},
};
