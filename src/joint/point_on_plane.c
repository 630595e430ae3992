/* Point on plane: a point of b stays on a plane fixed in a, with the axis as its normal.
 *     p_b - p_a along the axis = 0        - / 1 row  (along) */
#include "joint/part.h"
#include "joint/records.h"

const CrdJointKind crd_point_on_plane = {
    .name = "point_on_plane",
    .parts = {&crd_part_along},
    .space = {false, true},
    .needs = CRD_NEEDS_AXIS,
    .particles = {false, true},
};
