/* Driver, one of two things:
 *     coordinate of a joint - value(t) = 0         1 / 1 row: a coupler of one joint (coupler.c)
 *     p_b - p_a - path(t) = 0, a the ground        2 / 3 rows (gap): a point of b is led along a path in ground axes
 * The laws are evaluated and subtracted by assembly/element.h. */
#include "joint/part.h"
#include "joint/records.h"

const CrdJointKind crd_driver = {
    .name = "driver",
    .parts = {&crd_part_gap},
    .space = {true, true},
    .particles = {true, true},
};
