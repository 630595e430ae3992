/* Revolute: b turns about an axis fixed in both.
 *     p_b - p_a = 0                       2 / 3 rows (gap)
 *     b's axis . directions across a's    - / 2 rows (tilt)
 * Coordinate: the angle of b against a about the axis. */
#include "joint/part.h"
#include "joint/records.h"

const CrdJointKind crd_revolute = {
    .name = "revolute",
    .parts = {&crd_part_gap, &crd_part_tilt},
    .space = {true, true},
    .needs = CRD_NEEDS_AXIS_IN_SPACE,
    .particles = {true, false},
    .coordinates = {CARDAN_ANGLE},
};
