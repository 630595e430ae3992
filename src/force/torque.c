/* Torque on a body (ground axes, or own axes when it follows it), or along a joint's coordinate:
 *     +value on b and -value on a about the axis (a force along it for a displacement): loads value * gradient
 * It has no potential. */
#include "force/records.h"

static CardanStatus apply(const CrdForceData *f, const CrdForceInput *in, CrdLoads *loads) {
    if (f->joint > 0) {
        crd_drive(loads, in, in->value[0]);
        loads->power += in->value[0] * in->coordinate->rate;
        return CARDAN_OK;
    }
    CrdVec moment = crd_vec_of(in->value);
    if (!f->follower) moment = crd_apply_t(in->frames[f->body].rotation, moment);
    loads->power += crd_twist(loads, in->frames, f->body, moment);
    return CARDAN_OK;
}

static CardanStatus along(const CrdForceData *f, const CrdForceInput *in, CrdLoads *change) {
    if (f->joint > 0) {
        crd_drive_change(change, in, in->value[0], in->value_change[0]);
        return CARDAN_OK;
    }
    const CardanFrame *body = &in->frames[f->body];
    CrdVec own = crd_apply_t(body->rotation, crd_vec_of(in->value)), dmoment = crd_vec_of(in->value_change);
    if (!f->follower) dmoment = crd_own_change(body, &in->changes[f->body], own, dmoment);
    crd_twist(change, in->frames, f->body, dmoment);
    return CARDAN_OK;
}

const CrdForceKind crd_torque = {.name = "torque", .apply = apply, .along = along};
