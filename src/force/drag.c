/* Drag at a point of a body, u its velocity in ground axes (the air stands still):
 *     force -coefficient |u| u,   coefficient = 1/2 rho cd A
 * It has no potential. */
#include "force/records.h"

static CardanStatus apply(const CrdForceData *f, const CrdForceInput *in, CrdLoads *loads) {
    CrdVec u = crd_point_of(&in->frames[f->body], f->point).u;
    loads->power += crd_push(loads, in->frames, f->body, f->point, crd_scale(-f->coefficient * crd_norm(u), u));
    return CARDAN_OK;
}

static CardanStatus along(const CrdForceData *f, const CrdForceInput *in, CrdLoads *change) {
    const CardanFrame *body = &in->frames[f->body];
    CrdVec u = crd_point_of(body, f->point).u, du = crd_point_change(body, &in->changes[f->body], f->point).u;
    double speed = crd_norm(u), dspeed = speed > 0.0 ? crd_dot(u, du) / speed : 0.0;
    CrdVec force = crd_scale(-f->coefficient * speed, u);
    CrdVec dforce = crd_scale(-f->coefficient, crd_axpy(crd_scale(speed, du), dspeed, u));
    crd_push_change(change, in, f->body, f->point, crd_vec(0, 0, 0), force, dforce);
    return CARDAN_OK;
}

const CrdForceKind crd_drag = {.name = "drag", .apply = apply, .along = along};
