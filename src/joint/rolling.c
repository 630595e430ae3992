/* Rolling: a wheel of b (disc about an axis fixed in b, or ball) on a line or plane fixed in a.
 *     lowest point on the plane                    1 / 1 row  (contact)
 *     no slip there                                1 / 2 rows (rolling, nonholonomic)
 * The reaction is taken where they touch. */
#include "joint/contact.h"
#include "joint/records.h"

CRD_FITS_OWN(CrdWheel);

/* A disc when it has an axis, else a ball; in the plane there is no difference. */
static bool prepare(const CrdWritten *written, CrdVec gap, CrdJointData *joint, CrdObjection *fault) {
    assert(crd_wheel(joint)->radius > 0.0);
    (void)gap, (void)fault;
    bool axis = crd_given(written, "axis") || crd_given(written, "local_axis.b");
    ((CrdWheel *)(void *)joint->own)->disc = !joint->planar && axis;
    return true;
}

static const CrdField FIELDS[] = {
    CRD_ROW_BODIES,
    {"point", CRD_HOLDS_POINT, CRD_VECTOR, CRD_REQUIRED, .unit = "m", CRD_AT(point, point), .sides = CRD_SIDE_A,
     .missing = ": through which point is the plane?",
     .doc = "A point of the line or plane, fixed in a: ground axes, in the pose as written."},
    {"axis", CRD_HOLDS_AXIS, CRD_IN_SPACE, CRD_MAYBE, CRD_DIRECTION, .fallback = "none: a ball", CRD_AT(axis, axis),
     .sides = CRD_SIDE_B, .doc = "Of the wheel, fixed in b: ground axes, in the pose as written; any length."},
    {"normal", CRD_HOLDS_AXIS, CRD_VECTOR, CRD_REQUIRED, CRD_DIRECTION, CRD_OWN(CrdWheel, normal, normal),
     .sides = CRD_SIDE_A, .doc = "Of the line or plane, towards the wheel, fixed in a; any length."},
    {"radius", CRD_HOLDS_NUMBERS, CRD_ONE, CRD_REQUIRED, CRD_POSITIVE, .unit = "m", CRD_OWN(CrdWheel, radius, radius),
     .doc = "Of the wheel."},
    CRD_ROW_LOCAL(a, CRD_SIDE_A),
    {"local.b", CRD_HOLDS_POINT, CRD_VECTOR, CRD_MAYBE, .unit = "m", .fallback = "the centre of mass",
     CRD_AT(local_b, local_b), .sides = CRD_SIDE_B, .local = true, .doc = "Centre of the wheel in b's own axes."},
    {"local_axis.a", CRD_HOLDS_AXIS, CRD_VECTOR, CRD_MAYBE, CRD_DIRECTION, CRD_AT(local_axis_a, local_axis_a),
     .sides = CRD_SIDE_A, .local = true, .doc = "The normal in a's own axes, in place of normal."},
    {"local_axis.b", CRD_HOLDS_AXIS, CRD_IN_SPACE, CRD_MAYBE, CRD_DIRECTION, CRD_AT(local_axis_b, local_axis_b),
     .sides = CRD_SIDE_B, .local = true, .doc = "The wheel's axis in b's own axes, in place of axis."},
    CRD_ROWS_LAST,
};

const CrdJointKind crd_rolling = {
    .name = "rolling",
    .doc = "A wheel or ball of b rolls without slip on a line or plane fixed in a; bodies: [track, wheel].",
    .fields = CRD_FIELDS(FIELDS),
    .parts = {&crd_part_contact, &crd_part_rolling},
    .angles = CRD_ROLL_PITCH_YAW,
    .shifts = true,
    .space = {true, true},
    .rank = CRD_RANK_CAN_FALL, /* a disc that lies flat touches nowhere in particular */
    .prepare = prepare,
    .place = crd_contact_point,
};
