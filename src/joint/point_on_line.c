/* Point on line: a point of b stays on a line fixed in a.
 *     p_b - p_a across the axis = 0       1 / 2 rows (off) */
#include "joint/part.h"
#include "joint/records.h"

const CrdJointKind crd_point_on_line = {
    .name = "point_on_line",
    .parts = {&crd_part_off},
    .space = {true, true},
    .needs = CRD_NEEDS_AXIS,
    .particles = {true, true},
};
