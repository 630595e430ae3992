/* Point on line: a point of b stays on a line fixed in a.
 *     p_b - p_a across the axis = 0       1 / 2 rows (off) */
#include "joint/records.h"

static const CrdField FIELDS[] = {CRD_ROWS_AXIS_OF_A(2, 3), CRD_ROWS_LAST};

const CrdJointKind crd_point_on_line = {
    .name = "point_on_line",
    .doc = "A point of b stays on a line fixed in a.",
    .fields = CRD_FIELDS(FIELDS),
    .parts = {&crd_part_off},
    .angles = CRD_ROLL_PITCH_YAW,
    .shifts = true,
    .space = {true, true},
    .particles = {true, true},
};
