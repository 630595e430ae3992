/* Driver, one of two things:
 *     coordinate of a joint - value(t) = 0         1 / 1 row: a coupler of one joint (coupler.c)
 *     p_b - p_a - path(t) = 0, a the ground        2 / 3 rows (gap): a point of b is led along a path in ground axes
 * The laws are evaluated and subtracted by equations/element.h. */
#include "joint/records.h"

enum { COORDINATE = 1, PATH };

static const CrdField FIELDS[] = {
    {"joint", CRD_HOLDS_JOINT, CRD_ONE, CRD_REQUIRED, CRD_AT(joint, joint), .form = COORDINATE,
     .doc = "The joint whose coordinate is driven."},
    {"coordinate", CRD_HOLDS_COORDINATE, CRD_ONE, CRD_AT(coordinate, coordinate), .form = COORDINATE,
     .fallback = "the joint's first", .doc = "angle, displacement or length, of a joint with several."},
    {"value", CRD_HOLDS_DRIVEN, CRD_ONE, CRD_REQUIRED, .unit = "rad or m", CRD_AT(value, value),
     .law = offsetof(CardanJointDef, law), .form = COORDINATE, .variable = 't',
     .doc = "What the coordinate is kept at: a number or an expression in t."},
    {"body", CRD_HOLDS_BODY, CRD_ONE, CRD_REQUIRED, CRD_MOVES, CRD_AT(b, b), .form = PATH,
     .doc = "The body that is led, in place of a joint."},
    {"point", CRD_HOLDS_POINT, CRD_VECTOR, CRD_MAYBE, .unit = "m", .fallback = "the centre of mass",
     CRD_AT(point, point), .form = PATH, .sides = CRD_SIDE_B,
     .doc = "Its point that is led: ground axes, in the pose as written."},
    {"path", CRD_HOLDS_PATH, CRD_VECTOR, CRD_REQUIRED, .unit = "m", .law = offsetof(CardanJointDef, path), .form = PATH,
     .variable = 't', .doc = "Ground coordinates of the point: expressions in t."},
    CRD_ROWS_LAST,
};

const CrdJointKind crd_driver = {
    .name = "driver",
    .doc = "A joint's coordinate follows a function of time, or a point of a body is led along a path.",
    .fields = CRD_FIELDS(FIELDS),
    .parts = {&crd_part_gap},
    .space = {true, true},
    .particles = {true, true},
};
