/* Parallel: axis2 of b stays along axis of a.
 *     b's axis . directions across a's    - / 2 rows (tilt) */
#include "joint/records.h"

static const CrdField FIELDS[] = {
    CRD_ROWS_POINT,
    CRD_ROW_AXIS(CRD_IN_SPACE, CRD_BOTH_SIDES, "Fixed in a: ground axes, in the pose as written; any length."),
    CRD_ROW_AXIS2(CRD_MAYBE, "Fixed in b, likewise."),
    CRD_ROWS_LOCAL_AXIS(CRD_IN_SPACE),
    CRD_ROWS_LAST,
};

const CrdJointKind crd_parallel = {
    .name = "parallel",
    .doc = "An axis of one body stays along an axis of the other.",
    .fields = CRD_FIELDS(FIELDS),
    .parts = {&crd_part_tilt},
    .coordinates = {CARDAN_COORDINATE_ANGLE},
    .shifts = true,
    .space = {false, true},
};
