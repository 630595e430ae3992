/* Knife edge: a skate, or a sleigh's blade.
 *     velocity of p_b against a, along b's axis = 0    1 / 1 row (edge, nonholonomic) */
#include "joint/records.h"

static bool check(const CrdWritten *written, CrdObjection *fault) {
    if (!crd_given(written, "local_axis.a")) return true;
    *fault = (CrdObjection){"", "the edge is fixed in b: local_axis names b only"};
    return false;
}

static const CrdField FIELDS[] = {
    CRD_ROWS_POINT,
    CRD_ROW_AXIS(CRD_VECTOR, CRD_SIDE_B, "Along which there is no velocity: fixed in b, ground axes as written."),
    CRD_ROWS_LOCAL_AXIS(CRD_VECTOR),
    CRD_ROWS_LAST,
};

const CrdJointKind crd_knife_edge = {
    .name = "knife_edge",
    .doc = "A skate: the velocity of a point of b against a has no component along an axis fixed in b.",
    .fields = CRD_FIELDS(FIELDS),
    .parts = {&crd_part_edge},
    .angles = CRD_ROLL_PITCH_YAW,
    .shifts = true,
    .space = {true, true},
    .check = check,
};
