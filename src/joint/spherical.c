/* Spherical: a point of b stays on a point of a; all turns are free.
 *     p_b - p_a = 0                       - / 3 rows (gap) */
#include "joint/part.h"
#include "joint/records.h"

const CrdJointKind crd_spherical = {
    .name = "spherical",
    .parts = {&crd_part_gap},
    .space = {false, true},
    .particles = {false, true},
};
