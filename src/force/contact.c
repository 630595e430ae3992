/* Contact of a sphere (radius 0: a point) of a body with a plane of the ground, after Hunt and Crossley, with friction
 * whose direction is regularised. c the sphere's centre, P a point of the plane, n its normal:
 *     depth = radius - n . (c - P);   nothing acts unless depth > 0
 *     u the velocity of the body's material point at c - radius n,   slip = u - (n . u) n
 *     elastic = stiffness depth^exponent,   normal force N = elastic max(0, 1 - 1.5 dissipation n . u)
 *     force N n - friction N tanh(|slip|/speed) slip/|slip| at that point
 *     potential elastic depth / (exponent + 1); the rest has power */
#include "force/records.h"

typedef struct Touch {
    double depth, elastic, brake; /* m; N; max(0, 1 - 1.5 dissipation n . u) */
    CrdVec local;                 /* m; the material point, own axes */
    CrdVec u, slip;               /* m/s; ground axes */
    double grip;                  /* s/m; tanh(|slip|/speed) / |slip| */
    double dgrip;                 /* its derivative in |slip| */
} Touch;

static double depth_of(const CrdForceData *f, const CrdForceInput *in) {
    CrdVec centre = crd_point_of(&in->frames[f->body], f->point).p;
    return f->radius - crd_dot(f->normal, crd_sub(centre, f->plane_point));
}

/* While the touch is held it goes on as an odd function of the depth. */
static bool touches(const CrdForceInput *in, double depth) {
    return crd_side(in, 0, depth) > 0 && depth != 0.0;
}

/* Both vanish without friction, which needs no speed. */
static void grip_of(const CrdForceData *f, Touch *touch) {
    double slip = crd_norm(touch->slip);
    touch->grip = touch->dgrip = 0.0;
    if (f->friction == 0.0) return;
    touch->grip = slip > 0.0 ? tanh(slip / f->speed) / slip : 1.0 / f->speed;
    double sech = 1.0 / cosh(slip / f->speed);
    if (slip > 0.0) touch->dgrip = (sech * sech / f->speed - touch->grip) / slip;
}

static Touch touch_of(const CrdForceData *f, const CrdForceInput *in, double depth) {
    const CardanFrame *body = &in->frames[f->body];
    Touch touch = {.depth = depth, .elastic = f->stiffness * copysign(pow(fabs(depth), f->exponent), depth)};
    touch.local = crd_axpy(f->point, -f->radius, crd_apply_t(body->rotation, f->normal));
    touch.u = crd_point_of(body, touch.local).u;
    double leaving = crd_dot(f->normal, touch.u);
    touch.slip = crd_axpy(touch.u, -leaving, f->normal);
    touch.brake = 1.0 - 1.5 * f->dissipation * leaving;
    if (crd_side(in, 1, touch.brake) <= 0) touch.brake = 0.0;
    grip_of(f, &touch);
    return touch;
}

static CardanStatus apply(const CrdForceData *f, const CrdForceInput *in, CrdLoads *loads) {
    double depth = depth_of(f, in);
    if (!touches(in, depth)) return CARDAN_OK;
    Touch touch = touch_of(f, in, depth);
    double normal = touch.elastic * touch.brake;
    CrdVec rub = crd_scale(f->friction * normal * touch.grip, touch.slip);
    CrdVec lossy = crd_sub(crd_scale(normal - touch.elastic, f->normal), rub);
    crd_push(loads, in->frames, f->body, touch.local, crd_axpy(lossy, touch.elastic, f->normal));
    loads->potential += touch.elastic * depth / (f->exponent + 1.0);
    loads->power += crd_dot(lossy, touch.u);
    return CARDAN_OK;
}

static CardanStatus along(const CrdForceData *f, const CrdForceInput *in, CrdLoads *change) {
    const CardanFrame *body = &in->frames[f->body];
    const CrdChange *d = &in->changes[f->body];
    double depth = depth_of(f, in);
    if (!touches(in, depth)) return CARDAN_OK;
    Touch touch = touch_of(f, in, depth);
    CrdVec dlocal = crd_scale(f->radius, crd_cross(d->turn, crd_apply_t(body->rotation, f->normal)));
    CrdVec du =
        crd_add(crd_point_change(body, d, touch.local).u, crd_apply(body->rotation, crd_cross(body->w, dlocal)));
    double ddepth = -crd_dot(f->normal, crd_point_change(body, d, f->point).p), dleaving = crd_dot(f->normal, du);
    double delastic = f->exponent * touch.elastic / depth * ddepth;
    double dbrake = touch.brake != 0.0 ? -1.5 * f->dissipation * dleaving : 0.0;
    double normal = touch.elastic * touch.brake, dnormal = delastic * touch.brake + touch.elastic * dbrake;
    CrdVec dslip = crd_axpy(du, -dleaving, f->normal);
    double slip = crd_norm(touch.slip), dgrip = slip > 0.0 ? touch.dgrip * crd_dot(touch.slip, dslip) / slip : 0.0;
    double rub = f->friction * normal * touch.grip;
    double drub = f->friction * (dnormal * touch.grip + normal * dgrip);
    CrdVec force = crd_axpy(crd_scale(normal, f->normal), -rub, touch.slip);
    CrdVec dforce = crd_axpy(crd_axpy(crd_scale(dnormal, f->normal), -drub, touch.slip), -rub, dslip);
    crd_push_change(change, in, f->body, touch.local, dlocal, force, dforce);
    return CARDAN_OK;
}

/* Touching, and, while touching, where the normal force would begin to pull. */
static void switches(const CrdForceData *f, const CrdForceInput *in, double *values) {
    values[0] = depth_of(f, in);
    values[1] = 0.0;
    if (!touches(in, values[0])) return;
    Touch touch = touch_of(f, in, values[0]);
    values[1] = 1.0 - 1.5 * f->dissipation * crd_dot(f->normal, touch.u);
}

const CrdForceKind crd_contact = {
    .name = "contact", .apply = apply, .along = along, .switch_count = 2, .switches = switches,
    .event = "contact", .event_switches = 1};
