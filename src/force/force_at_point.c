/* Force at a point of a body: in ground axes, or in the body's own axes when it follows it. It has no potential. */
#include "force/records.h"

typedef struct PointForce {
    int body;
    CrdVec point;    /* m; own axes */
    double value[3]; /* N; where no law stands */
    bool follower;
} PointForce;
CRD_FITS(PointForce);

static CardanStatus apply(const CrdForceData *data, const CrdForceInput *in, CrdLoads *loads) {
    const PointForce *force = crd_own(data);
    CrdVec value = crd_vec_of(in->value);
    if (force->follower) value = crd_apply(in->frames[force->body].rotation, value);
    loads->power += crd_push(loads, in->frames, force->body, force->point, value);
    return CARDAN_OK;
}

static CardanStatus along(const CrdForceData *data, const CrdForceInput *in, CrdLoads *change) {
    const PointForce *force = crd_own(data);
    const CardanFrame *body = &in->frames[force->body];
    CrdVec value = crd_vec_of(in->value), dvalue = crd_vec_of(in->value_change);
    if (force->follower) {
        dvalue = crd_add(crd_carried_change(body, &in->changes[force->body], value), crd_apply(body->rotation, dvalue));
        value = crd_apply(body->rotation, value);
    }
    crd_push_change(change, in, force->body, force->point, crd_vec(0, 0, 0), value, dvalue);
    return CARDAN_OK;
}

static CardanStatus offered(const CrdForceData *data, const CrdForceInput *in, int k, CrdDual *value) {
    (void)data, (void)k;
    CrdDual x = crd_value_dual(in, 0), y = crd_value_dual(in, 1), z = crd_value_dual(in, 2);
    *value = crd_d_norm(crd_vec(x.x, y.x, z.x), crd_vec(x.d, y.d, z.d));
    return CARDAN_OK;
}

static CrdDualVec place(const CrdForceData *data, const CrdForceInput *in, int frame) {
    return crd_place_dual(in, frame, ((const PointForce *)crd_own(data))->point);
}

static const CrdOffer OFFERS[] = {{"force", "N", .summary = "its size"}};

static const CrdField FIELDS[] = {
    CRD_ROW_BODY(PointForce),
    CRD_ROW_BODY_POINT(PointForce),
    {"value", CRD_HOLDS_VALUE, CRD_VECTOR, CRD_REQUIRED, .unit = "N", CRD_AT(PointForce, value, value),
     .law = offsetof(CardanForceDef, law), .doc = "The force; each component a number or an expression in the state."},
    {"frame", CRD_HOLDS_FRAME, CRD_ONE, .fallback = "ground", CRD_AT(PointForce, follower, follower),
     .doc = "ground: in ground axes; body: in the body's own axes, turning with it."},
};

const CrdForceKind crd_force = {.name = "force",
                                .doc = "A force at a point of a body.",
                                .fields = CRD_FIELDS(FIELDS),
                                .apply = apply,
                                .along = along,
                                .offers = CRD_OFFERS(OFFERS),
                                .offered = offered,
                                .place = place};
