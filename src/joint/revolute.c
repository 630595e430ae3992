/* Revolute: b turns about an axis fixed in both.
 *     p_b - p_a = 0                       2 / 3 rows (gap)
 *     b's axis . directions across a's    - / 2 rows (tilt)
 * Coordinate: the angle of b against a about the axis. */
#include "joint/records.h"

static const CrdField FIELDS[] = {CRD_ROWS_AXIS(0, 3), CRD_ROWS_LAST};

const CrdJointKind crd_revolute = {
    .name = "revolute",
    .doc = "One body turns about an axis fixed in both: a hinge.",
    .fields = CRD_FIELDS(FIELDS),
    .parts = {&crd_part_gap, &crd_part_tilt},
    .whole = {crd_plane_revolute, crd_space_revolute},
    .space = {true, true},
    .particles = {true, false},
    .coordinates = {CARDAN_COORDINATE_ANGLE},
};
