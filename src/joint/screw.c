/* Screw: a cylindrical joint whose displacement follows its angle.
 *     p_b - p_a across the axis = 0       - / 2 rows (off)
 *     b's axis . directions across a's    - / 2 rows (tilt)
 *     displacement - pitch angle = 0      - / 1 row  (screw)
 * Coordinates: the angle about the axis, the displacement along it. */
#include "joint/part.h"
#include "joint/records.h"

const CrdJointKind crd_screw = {
    .name = "screw",
    .parts = {&crd_part_off, &crd_part_tilt, &crd_part_screw},
    .space = {false, true},
    .needs = CRD_NEEDS_AXIS | CRD_NEEDS_PITCH,
    .coordinates = {CARDAN_ANGLE, CARDAN_DISPLACEMENT},
};
