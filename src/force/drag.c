/* Drag at a point of a body, u its velocity in ground axes (the air stands still):
 *     force -coefficient |u| u,   coefficient = 1/2 rho cd A
 * It has no potential. */
#include "force/records.h"

typedef struct Drag {
    int body;
    CrdVec point; /* m; own axes */
    double coefficient;
} Drag;
CRD_FITS(Drag);

static CardanStatus apply(const CrdForceData *data, const CrdForceInput *in, CrdLoads *loads) {
    const Drag *force = crd_own(data);
    CrdVec u = crd_point_of(&in->frames[force->body], force->point).u;
    loads->power +=
        crd_push(loads, in->frames, force->body, force->point, crd_scale(-force->coefficient * crd_norm(u), u));
    return CARDAN_OK;
}

static CardanStatus along(const CrdForceData *data, const CrdForceInput *in, CrdLoads *change) {
    const Drag *f = crd_own(data);
    const CardanFrame *body = &in->frames[f->body];
    CrdVec u = crd_point_of(body, f->point).u, du = crd_point_change(body, &in->changes[f->body], f->point).u;
    double speed = crd_norm(u), dspeed = speed > 0.0 ? crd_dot(u, du) / speed : 0.0;
    CrdVec force = crd_scale(-f->coefficient * speed, u);
    CrdVec dforce = crd_scale(-f->coefficient, crd_axpy(crd_scale(speed, du), dspeed, u));
    crd_push_change(change, in, f->body, f->point, crd_vec(0, 0, 0), force, dforce);
    return CARDAN_OK;
}

enum { OFFERS_FORCE, OFFERS_SPEED }; /* as in OFFERS */

static CardanStatus offered(const CrdForceData *data, const CrdForceInput *in, int k, CrdDual *value) {
    const Drag *force = crd_own(data);
    CrdDualVec p, u;
    crd_point_dual(in, force->body, force->point, &p, &u);
    CrdDual speed = crd_d_norm(u.x, u.d);
    *value = k == OFFERS_SPEED ? speed : crd_d_scale(force->coefficient, crd_d_mul(speed, speed));
    return CARDAN_OK;
}

static CrdDualVec place(const CrdForceData *data, const CrdForceInput *in, int frame) {
    return crd_place_dual(in, frame, ((const Drag *)crd_own(data))->point);
}

static const CrdOffer OFFERS[] = {{"force", "N", .summary = "its size, against the velocity"},
                                  {"speed", "m/s", .kinematic = true, .summary = "of its point"}};

static const CrdField FIELDS[] = {
    CRD_ROW_BODY(Drag),
    CRD_ROW_BODY_POINT(Drag),
    {"coefficient", CRD_HOLDS_NUMBERS, CRD_ONE, CRD_REQUIRED, CRD_NOT_NEGATIVE, .unit = "kg/m",
     CRD_AT(Drag, coefficient, coefficient), .doc = "Half of density times drag coefficient times area."},
};

const CrdForceKind crd_drag = {.name = "drag",
                               .doc = "Drag at a point of a body, -coefficient |v| v; the air stands still.",
                               .fields = CRD_FIELDS(FIELDS),
                               .apply = apply,
                               .along = along,
                               .offers = CRD_OFFERS(OFFERS),
                               .offered = offered,
                               .place = place};
