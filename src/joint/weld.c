/* Weld: b is fixed to a.
 *     p_b - p_a = 0                       2 / 3 rows (gap)
 *     equal orientation                   1 / 3 rows (turn) */
#include "joint/part.h"
#include "joint/records.h"

const CrdJointKind crd_weld = {
    .name = "weld",
    .parts = {&crd_part_gap, &crd_part_turn},
    .space = {true, true},
};
