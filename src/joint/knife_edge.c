/* Knife edge: a skate, or a sleigh's blade.
 *     velocity of p_b against a, along b's axis = 0    1 / 1 row (edge, nonholonomic) */
#include "joint/part.h"
#include "joint/records.h"

const CrdJointKind crd_knife_edge = {
    .name = "knife_edge",
    .parts = {&crd_part_edge},
    .space = {true, true},
    .needs = CRD_NEEDS_AXIS,
};
