/* Point on plane: a point of b stays on a plane fixed in a, with the axis as its normal.
 *     p_b - p_a along the axis = 0        - / 1 row  (along) */
#include "joint/records.h"

static const CrdField FIELDS[] = {CRD_ROWS_AXIS_OF_A(0, 3), CRD_ROWS_LAST};

const CrdJointKind crd_point_on_plane = {
    .name = "point_on_plane",
    .doc = "A point of b stays on a plane fixed in a, with the axis as its normal.",
    .fields = CRD_FIELDS(FIELDS),
    .parts = {&crd_part_along},
    .angles = CRD_ROLL_PITCH_YAW,
    .shifts = true,
    .space = {false, true},
    .particles = {false, true},
};
