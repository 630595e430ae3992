/* The recipe of a joint: the rows of a revolute joint, from the parts it is made of. */
#include "joint/records.h"

static const CrdField FIELDS[] = {CRD_ROWS_AXIS(0, 3), CRD_ROWS_LAST};

const CrdJointKind crd_hinge = {
    .name = "hinge",
    .doc = "One body turns about an axis fixed in both.",
    .fields = CRD_FIELDS(FIELDS),
    .parts = {&crd_part_gap, &crd_part_tilt},
    .space = {true, true},
    .coordinates = {CARDAN_COORDINATE_ANGLE},
};
