/* Numbers of one force: points and directions in the bodies' own axes, defaults filled in. */
#include "model/model.h"

#include <string.h>

static CrdVec own_point(const CardanFrame *f, const double *point) {
    return crd_apply_t(f->rotation, crd_sub(crd_vec_of(point), f->x));
}

static void resolve_spring(const CrdForceDesc *d, const CardanFrame *frames, CrdForceData *out) {
    out->point_a = crd_vec_of(d->point_a);
    out->point_b = crd_vec_of(d->point_b);
    out->length = d->length;
    if (d->length_given) return;
    CrdPoint a = crd_point_of(&frames[d->a], out->point_a), b = crd_point_of(&frames[d->b], out->point_b);
    out->length = crd_norm(crd_sub(b.p, a.p));
}

static void resolve_bushing(const CrdForceDesc *d, const CardanFrame *frames, CrdForceData *out) {
    const CardanFrame *a = &frames[d->a], *b = &frames[d->b];
    out->point_a = own_point(a, d->point);
    out->point_b = own_point(b, d->point);
    memcpy(out->start_a, a->rotation, sizeof out->start_a);
    memcpy(out->start_b, b->rotation, sizeof out->start_b);
    out->turn0 = b->angle - a->angle;
    int gap = out->planar ? 2 : 3, first = out->planar ? 2 : 0;
    for (int k = 0; k < gap; k++) {
        out->gap_stiffness[k] = d->stiffness[k];
        out->gap_damping[k] = d->damping[k];
    }
    for (int k = first; k < 3; k++) {
        out->turn_stiffness[k] = d->stiffness[gap + k - first];
        out->turn_damping[k] = d->damping[gap + k - first];
    }
}

static void resolve_tyre(const CrdForceDesc *d, const CardanFrame *frames, CrdForceData *out) {
    const CardanMagic none = {.C = 1.0, .D = 1.0}; /* B = 0: no force */
    out->axis = out->planar ? crd_vec(0, 0, 1) : crd_apply_t(frames[d->body].rotation, crd_unit(d->axis));
    out->magic[0] = d->longitudinal;
    out->magic[1] = out->planar ? none : d->lateral;
    out->relaxation = d->relaxation_given ? d->relaxation : 0.0;
    out->slow = d->slow;
}

CrdForceData crd_resolve_force(const CrdDescription *description, const CrdForceDesc *d, const CardanFrame *frames) {
    CrdForceData out = {.type = d->type,
                        .planar = description->space == CARDAN_PLANAR,
                        .a = d->a,
                        .b = d->b,
                        .stiffness = d->stiffness[0],
                        .damping = d->damping[0],
                        .body = d->body,
                        .joint = d->joint,
                        .coordinate = d->coordinate,
                        .angle = d->angle,
                        .point = crd_vec_of(d->point),
                        .follower = d->follower,
                        .limit = d->limit_given ? d->limit : 0.0,
                        .coulomb = d->coulomb,
                        .stick = d->stick_given ? d->stick : d->coulomb,
                        .stribeck = d->stribeck_given ? d->stribeck : d->speed,
                        .viscous = d->viscous,
                        .speed = d->speed,
                        .radius = d->radius,
                        .exponent = d->exponent_given ? d->exponent : 1.5,
                        .dissipation = d->dissipation,
                        .friction = d->friction,
                        .coefficient = d->coefficient,
                        .plane_point = crd_vec_of(d->plane_point),
                        .bodies = d->bodies,
                        .carriers = d->carriers,
                        .callback = d->callback,
                        .change = d->change,
                        .user = d->user};
    memcpy(out.value, d->value, sizeof out.value);
    memcpy(out.gains, d->gains, sizeof out.gains);
    memcpy(out.range, d->range, sizeof out.range);
    if (d->type == CARDAN_SPRING) resolve_spring(d, frames, &out);
    if (d->type == CARDAN_BUSHING) resolve_bushing(d, frames, &out);
    if (d->type == CARDAN_CONTACT || d->type == CARDAN_TYRE) out.normal = crd_unit(d->plane_normal);
    if (d->type == CARDAN_TYRE) resolve_tyre(d, frames, &out);
    return out;
}
