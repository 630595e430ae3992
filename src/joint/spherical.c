/* Spherical: a point of b stays on a point of a; all turns are free.
 *     p_b - p_a = 0                       - / 3 rows (gap) */
#include "joint/records.h"

static const CrdField FIELDS[] = {CRD_ROWS_POINT, CRD_ROWS_LAST};

const CrdJointKind crd_spherical = {
    .name = "spherical",
    .doc = "A point of one body stays on a point of the other; all turns are free: a ball joint.",
    .fields = CRD_FIELDS(FIELDS),
    .parts = {&crd_part_gap},
    .whole = {NULL, crd_space_spherical},
    .space = {false, true},
    .angles = CRD_ROLL_PITCH_YAW,
    .particles = {false, true},
};
