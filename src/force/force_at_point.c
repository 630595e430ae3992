/* Force at a point of a body: in ground axes, or in the body's own axes when it follows it. It has no potential. */
#include "force/records.h"

static CardanStatus apply(const CrdForceData *f, const CrdForceInput *in, CrdLoads *loads) {
    CrdVec value = crd_vec_of(in->value);
    if (f->follower) value = crd_apply(in->frames[f->body].rotation, value);
    loads->power += crd_push(loads, in->frames, f->body, f->point, value);
    return CARDAN_OK;
}

static CardanStatus along(const CrdForceData *f, const CrdForceInput *in, CrdLoads *change) {
    const CardanFrame *body = &in->frames[f->body];
    CrdVec value = crd_vec_of(in->value), dvalue = crd_vec_of(in->value_change);
    if (f->follower) {
        dvalue = crd_add(crd_carried_change(body, &in->changes[f->body], value), crd_apply(body->rotation, dvalue));
        value = crd_apply(body->rotation, value);
    }
    crd_push_change(change, in, f->body, f->point, crd_vec(0, 0, 0), value, dvalue);
    return CARDAN_OK;
}

const CrdForceKind crd_force = {.name = "force", .apply = apply, .along = along};
