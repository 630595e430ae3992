/* Parallel: axis2 of b stays along axis of a.
 *     b's axis . directions across a's    - / 2 rows (tilt) */
#include "joint/part.h"
#include "joint/records.h"

const CrdJointKind crd_parallel = {
    .name = "parallel",
    .parts = {&crd_part_tilt},
    .space = {false, true},
    .needs = CRD_NEEDS_AXIS | CRD_TAKES_AXIS2,
};
