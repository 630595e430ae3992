/* Torque on a body (ground axes, or own axes when it follows it), or along a joint's coordinate:
 *     +value on b and -value on a about the axis (a force along it for a displacement): loads value * gradient
 * It has no potential. */
#include "force/records.h"

typedef struct Torque {
    int joint; /* 0: on the body */
    CardanCoordinate coordinate;
    int body;
    double value[3]; /* N m; on a joint: [0], on a planar body: [2] */
    bool follower;
} Torque;
CRD_FITS(Torque);

enum { ON_JOINT = 1, ON_BODY };

static CardanStatus apply(const CrdForceData *data, const CrdForceInput *in, CrdLoads *loads) {
    const Torque *force = crd_own(data);
    if (force->joint > 0) {
        crd_drive(loads, in, in->value[0]);
        loads->power += in->value[0] * in->coordinate->rate;
        return CARDAN_OK;
    }
    CrdVec moment = crd_vec_of(in->value);
    if (!force->follower) moment = crd_apply_t(in->frames[force->body].rotation, moment);
    loads->power += crd_twist(loads, in->frames, force->body, moment);
    return CARDAN_OK;
}

static CardanStatus along(const CrdForceData *data, const CrdForceInput *in, CrdLoads *change) {
    const Torque *force = crd_own(data);
    if (force->joint > 0) {
        crd_drive_change(change, in, in->value[0], in->value_change[0]);
        return CARDAN_OK;
    }
    const CardanFrame *body = &in->frames[force->body];
    CrdVec own = crd_apply_t(body->rotation, crd_vec_of(in->value)), dmoment = crd_vec_of(in->value_change);
    if (!force->follower) dmoment = crd_own_change(body, &in->changes[force->body], own, dmoment);
    crd_twist(change, in->frames, force->body, dmoment);
    return CARDAN_OK;
}

static CardanStatus offered(const CrdForceData *data, const CrdForceInput *in, int k, CrdDual *value) {
    const Torque *force = crd_own(data);
    (void)k;
    CrdDual x = crd_value_dual(in, 0), y = crd_value_dual(in, 1), z = crd_value_dual(in, 2);
    *value = force->joint > 0 ? x : crd_d_norm(crd_vec(x.x, y.x, z.x), crd_vec(x.d, y.d, z.d));
    return CARDAN_OK;
}

static const CrdOffer OFFERS[] = {
    {"force", "N", "N m", .summary = "along the joint's coordinate, + on b; of a torque on a body its size"}};

static const CrdField FIELDS[] = {
    {"joint", CRD_HOLDS_JOINT, CRD_ONE, CRD_REQUIRED, CRD_AT(Torque, joint, joint), .form = ON_JOINT,
     .doc = "The joint along whose coordinate it acts: + on b, - on a."},
    {"coordinate", CRD_HOLDS_COORDINATE, CRD_ONE, CRD_AT(Torque, coordinate, coordinate), .form = ON_JOINT,
     .fallback = "the joint's angle, else its displacement", .doc = "angle or displacement, of a joint with both."},
    {"value", CRD_HOLDS_VALUE, CRD_ONE, CRD_REQUIRED, .unit = "N m or N", CRD_AT(Torque, value, value),
     .law = offsetof(CardanForceDef, law), .form = ON_JOINT,
     .doc = "Torque about the axis, or force along it: a number or an expression in the state."},
    {"body", CRD_HOLDS_BODY, CRD_ONE, CRD_REQUIRED, CRD_TURNS, CRD_AT(Torque, body, body), .form = ON_BODY,
     .doc = "The body it acts on, in place of a joint."},
    {"value", CRD_HOLDS_VALUE, CRD_COUNT(1, 0), CRD_REQUIRED, .unit = "N m", CRD_AT(Torque, value[2], value.z),
     .law = offsetof(CardanForceDef, law[2]), .form = ON_BODY, .component = 2,
     .doc = "Torque about z: a number or an expression in the state."},
    {"value", CRD_HOLDS_VALUE, CRD_COUNT(0, 3), CRD_REQUIRED, .unit = "N m", CRD_AT(Torque, value, value),
     .law = offsetof(CardanForceDef, law), .form = ON_BODY,
     .doc = "The torque; each component a number or an expression in the state."},
    {"frame", CRD_HOLDS_FRAME, CRD_ONE, .fallback = "ground", CRD_AT(Torque, follower, follower), .form = ON_BODY,
     .doc = "ground: in ground axes; body: in the body's own axes, turning with it."},
};

const CrdForceKind crd_torque = {.name = "torque",
                                 .doc = "A torque on a body, or a torque or force along a joint's coordinate.",
                                 .fields = CRD_FIELDS(FIELDS),
                                 .apply = apply,
                                 .along = along,
                                 .offers = CRD_OFFERS(OFFERS),
                                 .offered = offered};
