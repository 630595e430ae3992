/* Planar: a face of b stays on a face of a, with the axis as their normal.
 *     p_b - p_a along the axis = 0        - / 1 row  (along)
 *     b's axis . directions across a's    - / 2 rows (tilt) */
#include "joint/records.h"

static const CrdField FIELDS[] = {CRD_ROWS_AXIS(0, 3), CRD_ROWS_LAST};

const CrdJointKind crd_planar = {
    .name = "planar",
    .doc = "A face of one body stays on a face of the other; the axis is their normal.",
    .fields = CRD_FIELDS(FIELDS),
    .parts = {&crd_part_along, &crd_part_tilt},
    .coordinates = {CARDAN_COORDINATE_ANGLE},
    .shifts = true,
    .space = {false, true},
};
