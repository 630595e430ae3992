/* Distance: a massless bar between a point of a and a point of b.
 *     |p_b - p_a| - length = 0            1 / 1 row (distance)
 * Coordinate: the length itself. */
#include "joint/part.h"
#include "joint/records.h"

const CrdJointKind crd_distance = {
    .name = "distance",
    .parts = {&crd_part_distance},
    .space = {true, true},
    .needs = CRD_NEEDS_LENGTH,
    .particles = {true, true},
    .coordinates = {CARDAN_LENGTH},
};
