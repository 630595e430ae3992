/* Angle: b keeps its angle against a.
 *     angle_b - angle_a as written        1 / - rows (turn) */
#include "joint/records.h"

static const CrdField FIELDS[] = {CRD_ROWS_POINT, CRD_ROWS_LAST};

const CrdJointKind crd_angle = {
    .name = "angle",
    .doc = "One body keeps its angle against the other (planar models).",
    .fields = CRD_FIELDS(FIELDS),
    .parts = {&crd_part_turn},
    .space = {true, false},
};
