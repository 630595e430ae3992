/* Weld: b is fixed to a.
 *     p_b - p_a = 0                       2 / 3 rows (gap)
 *     equal orientation                   1 / 3 rows (turn) */
#include "joint/records.h"

static const CrdField FIELDS[] = {CRD_ROWS_POINT, CRD_ROWS_LAST};

const CrdJointKind crd_weld = {
    .name = "weld",
    .doc = "One body is fixed to the other.",
    .fields = CRD_FIELDS(FIELDS),
    .parts = {&crd_part_gap, &crd_part_turn},
    .whole = {crd_plane_weld, crd_space_weld},
    .space = {true, true},
};
