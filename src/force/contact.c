/* Contact of a sphere (radius 0: a point) of a body with a plane of the ground, after Hunt and Crossley, with friction
 * whose direction is regularised. c the sphere's centre, P a point of the plane, n its normal:
 *     depth = radius - n . (c - P);   nothing acts unless depth > 0
 *     u the velocity of the body's material point at c - radius n,   slip = u - (n . u) n
 *     elastic = stiffness depth^exponent,   normal force N = elastic max(0, 1 - 1.5 dissipation n . u)
 *     force N n - friction N tanh(|slip|/speed) slip/|slip| at that point
 *     potential elastic depth / (exponent + 1); the rest has power */
#include "force/records.h"

typedef struct Contact {
    int body;
    CrdVec point; /* m; own axes */
    double radius;
    CrdVec plane_point, normal; /* ground axes; the normal of length 1 when prepared */
    double stiffness, exponent, dissipation, friction, speed;
} Contact;
CRD_FITS(Contact);

typedef struct Touch {
    double depth, elastic, brake; /* m; N; max(0, 1 - 1.5 dissipation n . u) */
    CrdVec local;                 /* m; the material point, own axes */
    CrdVec u, slip;               /* m/s; ground axes */
    double grip;                  /* s/m; tanh(|slip|/speed) / |slip| */
    double dgrip;                 /* its derivative in |slip| */
} Touch;

static double depth_of(const Contact *force, const CrdForceInput *in) {
    CrdVec centre = crd_point_of(&in->frames[force->body], force->point).p;
    return force->radius - crd_dot(force->normal, crd_sub(centre, force->plane_point));
}

/* While the touch is held it goes on as an odd function of the depth. */
static bool touches(const CrdForceInput *in, double depth) {
    return crd_side(in, 0, depth) > 0 && depth != 0.0;
}

/* Both vanish without friction, which needs no speed. */
static void grip_of(const Contact *force, Touch *touch) {
    double slip = crd_norm(touch->slip);
    touch->grip = touch->dgrip = 0.0;
    if (force->friction == 0.0) return;
    assert(force->speed > 0.0);
    touch->grip = slip > 0.0 ? tanh(slip / force->speed) / slip : 1.0 / force->speed;
    double sech = 1.0 / cosh(slip / force->speed);
    if (slip > 0.0) touch->dgrip = (sech * sech / force->speed - touch->grip) / slip;
}

static Touch touch_of(const Contact *force, const CrdForceInput *in, double depth) {
    const CardanFrame *body = &in->frames[force->body];
    assert(force->exponent >= 1.0);
    Touch touch = {.depth = depth, .elastic = force->stiffness * copysign(pow(fabs(depth), force->exponent), depth)};
    touch.local = crd_axpy(force->point, -force->radius, crd_apply_t(body->rotation, force->normal));
    touch.u = crd_point_of(body, touch.local).u;
    double leaving = crd_dot(force->normal, touch.u);
    touch.slip = crd_axpy(touch.u, -leaving, force->normal);
    touch.brake = 1.0 - 1.5 * force->dissipation * leaving;
    if (crd_side(in, 1, touch.brake) <= 0) touch.brake = 0.0;
    grip_of(force, &touch);
    return touch;
}

static CardanStatus apply(const CrdForceData *data, const CrdForceInput *in, CrdLoads *loads) {
    const Contact *force = crd_own(data);
    double depth = depth_of(force, in);
    if (!touches(in, depth)) return CARDAN_OK;
    Touch touch = touch_of(force, in, depth);
    double normal = touch.elastic * touch.brake;
    CrdVec rub = crd_scale(force->friction * normal * touch.grip, touch.slip);
    CrdVec lossy = crd_sub(crd_scale(normal - touch.elastic, force->normal), rub);
    crd_push(loads, in->frames, force->body, touch.local, crd_axpy(lossy, touch.elastic, force->normal));
    loads->potential += touch.elastic * depth / (force->exponent + 1.0);
    loads->power += crd_dot(lossy, touch.u);
    return CARDAN_OK;
}

/* How a touch changes. */
typedef struct TouchChange {
    double depth, normal; /* m, N; of depth and normal force */
    double grip;          /* s/m */
    CrdVec local, slip;   /* m; m/s */
} TouchChange;

static TouchChange touch_change(const Contact *f, const CrdForceInput *in, const Touch *touch) {
    const CardanFrame *body = &in->frames[f->body];
    const CrdChange *d = crd_change_of(in, f->body);
    TouchChange out;
    out.local = crd_scale(f->radius, crd_cross(d->turn, crd_apply_t(body->rotation, f->normal)));
    CrdVec du =
        crd_add(crd_point_change(body, d, touch->local).u, crd_apply(body->rotation, crd_cross(body->w, out.local)));
    double dleaving = crd_dot(f->normal, du);
    out.depth = -crd_dot(f->normal, crd_point_change(body, d, f->point).p);
    double delastic = touch->depth != 0.0 ? f->exponent * touch->elastic / touch->depth * out.depth : 0.0;
    double dbrake = touch->brake != 0.0 ? -1.5 * f->dissipation * dleaving : 0.0;
    out.normal = delastic * touch->brake + touch->elastic * dbrake;
    out.slip = crd_axpy(du, -dleaving, f->normal);
    double slip = crd_norm(touch->slip);
    out.grip = slip > 0.0 ? touch->dgrip * crd_dot(touch->slip, out.slip) / slip : 0.0;
    return out;
}

static CardanStatus along(const CrdForceData *data, const CrdForceInput *in, CrdLoads *change) {
    const Contact *f = crd_own(data);
    double depth = depth_of(f, in);
    if (!touches(in, depth)) return CARDAN_OK;
    Touch touch = touch_of(f, in, depth);
    TouchChange d = touch_change(f, in, &touch);
    double normal = touch.elastic * touch.brake, rub = f->friction * normal * touch.grip;
    double drub = f->friction * (d.normal * touch.grip + normal * d.grip);
    CrdVec force = crd_axpy(crd_scale(normal, f->normal), -rub, touch.slip);
    CrdVec dforce = crd_axpy(crd_axpy(crd_scale(d.normal, f->normal), -drub, touch.slip), -rub, d.slip);
    crd_push_change(change, in, f->body, touch.local, d.local, force, dforce);
    change->potential += touch.elastic * d.depth;
    return CARDAN_OK;
}

/* ---- what it offers ---- */

enum { OFFERS_FORCE, OFFERS_DEPTH, OFFERS_NORMAL, OFFERS_FRICTION, OFFERS_SLIP }; /* as in OFFERS */

static CardanStatus offered(const CrdForceData *data, const CrdForceInput *in, int k, CrdDual *value) {
    const Contact *f = crd_own(data);
    double depth = depth_of(f, in);
    Touch touch = touch_of(f, in, depth);
    TouchChange d = touch_change(f, in, &touch);
    CrdDual slip = crd_d_norm(touch.slip, d.slip), normal = crd_d(touch.elastic * touch.brake, d.normal);
    *value = k == OFFERS_DEPTH ? crd_d(depth, d.depth) : slip;
    if (k == OFFERS_DEPTH || k == OFFERS_SLIP) return CARDAN_OK;
    *value = crd_d(0.0, 0.0);
    if (!touches(in, depth)) return CARDAN_OK;
    *value = normal;
    if (k == OFFERS_FRICTION)
        *value = crd_d_scale(f->friction, crd_d_mul(normal, crd_d_mul(crd_d(touch.grip, d.grip), slip)));
    return CARDAN_OK;
}

static CrdDualVec place(const CrdForceData *data, const CrdForceInput *in, int frame) {
    const Contact *f = crd_own(data);
    CrdDualVec centre = crd_place_dual(in, frame, f->point);
    return crd_dv(crd_axpy(centre.x, -f->radius, f->normal), centre.d);
}

static const CrdOffer OFFERS[] = {
    {"force", "N", .summary = "along the plane's normal: the same as normal"},
    {"depth", "m", .kinematic = true, .summary = "how deep it is in the plane; negative while it does not touch"},
    {"normal", "N", .summary = "normal force"},
    {"friction", "N", .summary = "size of the friction force, against the slip"},
    {"slip", "m/s", .kinematic = true, .summary = "speed of the touching point along the plane"},
};

/* Touching, and, while touching, where the normal force would begin to pull. */
static void switches(const CrdForceData *data, const CrdForceInput *in, double *values) {
    const Contact *force = crd_own(data);
    values[0] = depth_of(force, in);
    values[1] = 0.0;
    if (!touches(in, values[0])) return;
    Touch touch = touch_of(force, in, values[0]);
    values[1] = 1.0 - 1.5 * force->dissipation * crd_dot(force->normal, touch.u);
}

static bool check(const CrdWritten *written, CrdObjection *fault) {
    const Contact *contact = written->numbers;
    if (!(contact->friction > 0.0) || crd_given(written, "speed")) return true;
    *fault = (CrdObjection){"friction", "friction needs the key 'speed': how fast it must slip to be felt in full"};
    return false;
}

static void prepare(const CrdWritten *written, const CardanFrame *frames, CrdForceData *force) {
    Contact *contact = crd_numbers_of(force);
    (void)written, (void)frames;
    contact->normal = crd_direction_of(contact->normal);
}

static const CrdField FIELDS[] = {
    CRD_ROW_BODY(Contact),
    {"point", CRD_HOLDS_NUMBERS, CRD_VECTOR, .unit = "m", .fallback = "the centre of mass",
     CRD_AT(Contact, point, point), .doc = "Centre of the sphere, in the body's own axes from its centre of mass."},
    {"radius", CRD_HOLDS_NUMBERS, CRD_ONE, CRD_OPTIONAL, CRD_NOT_NEGATIVE, .unit = "m", .fallback = "0, a point",
     CRD_AT(Contact, radius, radius), .doc = "Of the sphere."},
    CRD_ROWS_PLANE(Contact),
    {"stiffness", CRD_HOLDS_NUMBERS, CRD_ONE, CRD_REQUIRED, CRD_POSITIVE, .unit = "N/m^exponent",
     CRD_AT(Contact, stiffness, stiffness), .doc = "Normal force per depth to the power of the exponent."},
    {"exponent", CRD_HOLDS_NUMBERS, CRD_ONE, CRD_MAYBE, CRD_AT_LEAST_ONE, .fallback = "1.5", .otherwise = 1.5,
     CRD_AT(Contact, exponent, exponent), .doc = "Of the depth."},
    {"dissipation", CRD_HOLDS_NUMBERS, CRD_ONE, CRD_OPTIONAL, CRD_NOT_NEGATIVE, .unit = "s/m", .fallback = "0",
     CRD_AT(Contact, dissipation, dissipation), .doc = "Hunt and Crossley's factor of the rate of the depth."},
    {"friction", CRD_HOLDS_NUMBERS, CRD_ONE, CRD_OPTIONAL, CRD_NOT_NEGATIVE, .fallback = "0",
     CRD_AT(Contact, friction, friction), .doc = "Coefficient of friction."},
    {"speed", CRD_HOLDS_NUMBERS, CRD_ONE, CRD_MAYBE, CRD_POSITIVE, .unit = "m/s", .fallback = "required with friction",
     CRD_AT(Contact, speed, speed), .doc = "Speed of slip that regularises friction: tanh(slip/speed)."},
};

const CrdForceKind crd_contact = {.name = "contact",
                                  .doc =
                                      "A sphere or point of a body on a plane of the ground, after Hunt and Crossley: "
                                      "stiffness d^exponent max(0, 1 + 1.5 dissipation d'), with friction.",
                                  .fields = CRD_FIELDS(FIELDS),
                                  .check = check,
                                  .prepare = prepare,
                                  .apply = apply,
                                  .along = along,
                                  .switch_count = 2,
                                  .switches = switches,
                                  .event = CARDAN_EVENT_CONTACT,
                                  .event_switches = 1,
                                  .offers = CRD_OFFERS(OFFERS),
                                  .offered = offered,
                                  .place = place};
