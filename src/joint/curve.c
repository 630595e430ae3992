/* Curve: a point of b stays on a path fixed in a.
 *     p_b - path(s) across the tangent = 0         1 / 2 rows (curve)
 * The parameter s is followed continuously: a number with memory. */
#include "joint/part.h"
#include "joint/records.h"

const CrdJointKind crd_curve = {
    .name = "curve",
    .parts = {&crd_part_curve},
    .space = {true, true},
    .needs = CRD_NEEDS_CURVE,
    .particles = {true, true},
};
