/* Angle: b keeps its angle against a.
 *     angle_b - angle_a as written        1 / - rows (turn) */
#include "joint/part.h"
#include "joint/records.h"

const CrdJointKind crd_angle = {
    .name = "angle",
    .parts = {&crd_part_turn},
    .space = {true, false},
};
