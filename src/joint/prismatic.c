/* Prismatic: b slides along an axis fixed in a and does not turn against it.
 *     p_b - p_a across the axis = 0       1 / 2 rows (off)
 *     equal orientation                   1 / 3 rows (turn)
 * Coordinate: the displacement of b along the axis. The point only says where the reaction's moment is taken. */
#include "joint/records.h"

static const CrdField FIELDS[] = {CRD_ROWS_AXIS_OF_A(2, 3), CRD_ROWS_LAST};

const CrdJointKind crd_prismatic = {
    .name = "prismatic",
    .doc = "One body slides along an axis fixed in the other and does not turn against it.",
    .fields = CRD_FIELDS(FIELDS),
    .parts = {&crd_part_off, &crd_part_turn},
    .whole = {crd_plane_prismatic, crd_space_prismatic},
    .space = {true, true},
    .coordinates = {CARDAN_COORDINATE_DISPLACEMENT},
};
