/* Rolling: a wheel of b (disc about an axis fixed in b, or ball) on a line or plane fixed in a.
 *     lowest point on the plane                    1 / 1 row  (contact)
 *     no slip there                                1 / 2 rows (rolling, nonholonomic)
 * The reaction is taken where they touch. */
#include "joint/part.h"
#include "joint/records.h"

const CrdJointKind crd_rolling = {
    .name = "rolling",
    .parts = {&crd_part_contact, &crd_part_rolling},
    .space = {true, true},
    .needs = CRD_NEEDS_WHEEL,
};
