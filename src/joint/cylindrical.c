/* Cylindrical: b slides along an axis fixed in both and turns about it.
 *     p_b - p_a across the axis = 0       - / 2 rows (off)
 *     b's axis . directions across a's    - / 2 rows (tilt)
 * Coordinates: the angle about the axis, the displacement along it. */
#include "joint/records.h"

static const CrdField FIELDS[] = {CRD_ROWS_AXIS(0, 3), CRD_ROWS_LAST};

const CrdJointKind crd_cylindrical = {
    .name = "cylindrical",
    .doc = "One body slides along an axis fixed in both and turns about it.",
    .fields = CRD_FIELDS(FIELDS),
    .parts = {&crd_part_off, &crd_part_tilt},
    .whole = {NULL, crd_space_cylindrical},
    .space = {false, true},
    .coordinates = {CARDAN_COORDINATE_ANGLE, CARDAN_COORDINATE_DISPLACEMENT},
};
