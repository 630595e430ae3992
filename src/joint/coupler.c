/* Coupler: gears, belts, rack and pinion.
 *     sum c_i coordinate_i - value = 0             1 / 1 row, made of the coordinates of other joints by
 * assembly/coupler.c value is a number or a law in t. */
#include "joint/part.h"
#include "joint/records.h"

const CrdJointKind crd_coupler = {
    .name = "coupler",
    .space = {true, true},
    .needs = CRD_NEEDS_TERMS,
};
