/* Planar: a face of b stays on a face of a, with the axis as their normal.
 *     p_b - p_a along the axis = 0        - / 1 row  (along)
 *     b's axis . directions across a's    - / 2 rows (tilt) */
#include "joint/part.h"
#include "joint/records.h"

const CrdJointKind crd_planar = {
    .name = "planar",
    .parts = {&crd_part_along, &crd_part_tilt},
    .space = {false, true},
    .needs = CRD_NEEDS_AXIS,
};
