/* Cylindrical: b slides along an axis fixed in both and turns about it.
 *     p_b - p_a across the axis = 0       - / 2 rows (off)
 *     b's axis . directions across a's    - / 2 rows (tilt)
 * Coordinates: the angle about the axis, the displacement along it. */
#include "joint/part.h"
#include "joint/records.h"

const CrdJointKind crd_cylindrical = {
    .name = "cylindrical",
    .parts = {&crd_part_off, &crd_part_tilt},
    .space = {false, true},
    .needs = CRD_NEEDS_AXIS,
    .coordinates = {CARDAN_ANGLE, CARDAN_DISPLACEMENT},
};
