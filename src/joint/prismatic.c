/* Prismatic: b slides along an axis fixed in a and does not turn against it.
 *     p_b - p_a across the axis = 0       1 / 2 rows (off)
 *     equal orientation                   1 / 3 rows (turn)
 * Coordinate: the displacement of b along the axis. The point only says where the reaction's moment is taken. */
#include "joint/part.h"
#include "joint/records.h"

const CrdJointKind crd_prismatic = {
    .name = "prismatic",
    .parts = {&crd_part_off, &crd_part_turn},
    .space = {true, true},
    .needs = CRD_NEEDS_AXIS,
    .coordinates = {CARDAN_DISPLACEMENT},
};
