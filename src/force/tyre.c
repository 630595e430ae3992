/* Tyre: a wheel (disc of `radius` about `axis` through the body's centre of mass) on a plane of the ground.
 * In the wheel's own axes, N = R^T normal and a = axis:
 *     c = a . N,  q = sqrt(1 - c^2),  m = (N - c a)/q  upwards in the disc,  e = a x N / q  forward,  l = N x e  left
 *     h = normal . (x - P) height of the centre,   depth = radius q - h  of the lowest point
 *     vertical    Fz = max(0, stiffness depth + damping depth') while depth > 0
 *     contact     at x - (h/q) m, where the disc's radius meets the plane;  V its velocity but for the spin about a,
 *                 vx = V . e,  vy = V . l,  w = spin about a,  S = max(|vx|, slow)
 *     slips       s1 = (radius w - vx)/S,   s2 = -atan(vy/S)
 *     pure        F_i = D Fz sin(C atan(B s - E (B s - atan(B s))))   (Pacejka's magic formula)
 *     ellipse     r^2 = (F_1/(D_1 Fz))^2 + (F_2/(D_2 Fz))^2;   both are divided by r when r > 1
 *     force       Fz N + F_1 e + F_2 l  at the contact
 * With a relaxation length sigma the slips are two states that follow: z' = S/sigma (s - z), towards 0 in the air.
 * In the plane the axis is z and there is no lateral slip. A tyre has no potential. */
#include "force/dual.h"
#include "force/records.h"

typedef struct Tyre {
    int body;
    double radius;
    CrdVec plane_point, normal; /* ground axes; the normal of length 1 when prepared */
    CrdVec axis;                /* prepared: own axes, of length 1 */
    double stiffness, damping;  /* vertical */
    CardanMagic magic[2];       /* longitudinal, lateral */
    double relaxation, slow;    /* relaxation 0: none */
} Tyre;
CRD_FITS(Tyre);

/* Sine of the angle between a wheel's axis and its plane's normal below which the wheel lies flat and has no heading:
 * the direction forward is then known to eps / sine, here still 10 digits. */
#define CRD_TYRE_FLAT 1e-6

typedef struct Touch {
    CrdDual depth, load;      /* m; N: stiffness depth + damping depth', as it is */
    CrdDual vx, speed;        /* m/s; speed is S */
    CrdDual slip[2], used[2]; /* as they are; what forces come from */
    CrdDual fill;             /* r */
    CrdDual along[2];         /* N; F_1, F_2 */
    bool touching, pressed;   /* pressed: and Fz pushes */
    CrdDualVec local, force;  /* m, N; own axes */
    CrdDual rate[2];          /* of the states */
} Touch;

/* F / (D Fz) of a slip. */
static CrdDual magic(const CardanMagic *m, CrdDual slip) {
    CrdDual s = crd_d_scale(m->B, slip);
    CrdDual inner = crd_d_sub(s, crd_d_scale(m->E, crd_d_sub(s, crd_d_atan(s))));
    return crd_d_sin(crd_d_scale(m->C, crd_d_atan(inner)));
}

/* The wheel in its own axes. */
typedef struct Wheel {
    CrdDualVec n, m, e, l, v, w;
    CrdDual c, q, height, sinking;
} Wheel;

static bool stands(const Tyre *force, const CardanFrame *body) {
    double c = crd_dot(force->axis, crd_apply_t(body->rotation, force->normal));
    return 1.0 - c * c > CRD_TYRE_FLAT * CRD_TYRE_FLAT;
}

static Wheel wheel_of(const Tyre *force, const CardanFrame *body, const CrdChange *change) {
    Wheel w;
    CrdVec n = crd_apply_t(body->rotation, force->normal), v = crd_apply_t(body->rotation, body->v);
    CrdDualVec axis = crd_dv_constant(force->axis);
    w.n = crd_dv(n, crd_own_change(body, change, n, crd_vec(0, 0, 0)));
    w.v = crd_dv(v, crd_own_change(body, change, v, change->v));
    w.w = crd_dv(body->w, change->w);
    w.c = crd_dv_dot(axis, w.n);
    w.q = crd_d_sqrt(crd_d_sub(crd_d(1.0, 0.0), crd_d_mul(w.c, w.c)));
    CrdDual one_by_q = crd_d_div(crd_d(1.0, 0.0), w.q);
    w.m = crd_dv_scale(one_by_q, crd_dv_sub(w.n, crd_dv_scale(w.c, axis)));
    w.e = crd_dv_scale(one_by_q, crd_dv_cross(axis, w.n));
    w.l = crd_dv_cross(w.n, w.e);
    w.height = crd_d(crd_dot(force->normal, crd_sub(body->x, force->plane_point)), crd_dot(force->normal, change->x));
    /* depth' = radius q' - N . v,  q' = -c c'/q,  c' = (w x a) . N */
    CrdDual dc = crd_dv_dot(crd_dv_cross(w.w, axis), w.n);
    CrdDual dq = crd_d_scale(-1.0, crd_d_mul(crd_d_mul(w.c, dc), one_by_q));
    w.sinking = crd_d_sub(crd_d_scale(force->radius, dq), crd_dv_dot(w.n, w.v));
    return w;
}

/* vx, S and the two slips. */
static void slips(const Tyre *force, const CrdForceInput *in, const Wheel *wheel, Touch *out) {
    CrdDualVec axis = crd_dv_constant(force->axis);
    CrdDual spin = crd_dv_dot(axis, wheel->w);
    CrdDualVec frame = crd_dv_sub(wheel->w, crd_dv_scale(spin, axis));
    CrdDualVec v = crd_dv_add(wheel->v, crd_dv_cross(frame, out->local));
    CrdDual vy = crd_dv_dot(v, wheel->l);
    out->vx = crd_dv_dot(v, wheel->e);
    bool fast = crd_side(in, 2, fabs(out->vx.x) - force->slow) > 0;
    /* a stage may stray beyond a held side, but not to the pole at rest */
    out->speed = fast ? crd_d_magnitude(out->vx, 0.5 * force->slow) : crd_d(force->slow, 0.0);
    out->slip[0] = crd_d_div(crd_d_sub(crd_d_scale(force->radius, spin), out->vx), out->speed);
    out->slip[1] = crd_d_scale(-1.0, crd_d_atan(crd_d_div(vy, out->speed)));
}

static void lag(const Tyre *force, const CrdForceInput *in, Touch *out) {
    for (int k = 0; k < 2; k++) {
        out->used[k] = out->slip[k];
        if (!(force->relaxation > 0.0)) continue;
        assert(in->z != NULL);
        out->used[k] = crd_d(in->z[k], in->z_change != NULL ? in->z_change[k] : 0.0);
        CrdDual aim = out->touching ? out->slip[k] : crd_d(0.0, 0.0);
        out->rate[k] = crd_d_scale(1.0 / force->relaxation, crd_d_mul(out->speed, crd_d_sub(aim, out->used[k])));
    }
}

static CardanStatus evaluate(const Tyre *force, const CrdForceInput *in, const CrdChange *change, Touch *out) {
    const CardanFrame *body = &in->frames[force->body];
    assert(force->slow > 0.0 && force->radius > 0.0);
    *out = (Touch){0};
    if (!stands(force, body))
        return crd_fail(in->error, CARDAN_ERR_NUMERIC, "a tyre needs a wheel that does not lie flat on its plane");
    Wheel w = wheel_of(force, body, change);
    out->depth = crd_d_sub(crd_d_scale(force->radius, w.q), w.height);
    out->load = crd_d_add(crd_d_scale(force->stiffness, out->depth), crd_d_scale(force->damping, w.sinking));
    out->touching = crd_side(in, 0, out->depth.x) > 0;
    out->local = crd_dv_scale(crd_d_scale(-1.0, crd_d_div(w.height, w.q)), w.m);
    slips(force, in, &w, out);
    lag(force, in, out);
    CrdDual part[2] = {magic(&force->magic[0], out->used[0]), magic(&force->magic[1], out->used[1])};
    CrdDual square = crd_d_add(crd_d_mul(part[0], part[0]), crd_d_mul(part[1], part[1]));
    if (square.x > 0.0) out->fill = crd_d_sqrt(square);
    out->pressed = out->touching && crd_side(in, 1, out->load.x) > 0;
    if (!out->pressed) return CARDAN_OK;
    out->force = crd_dv_scale(out->load, w.n);
    for (int k = 0; k < 2; k++) {
        CrdDual along = crd_d_scale(force->magic[k].D, crd_d_mul(out->load, part[k]));
        if (crd_side(in, 3, out->fill.x - 1.0) > 0) along = crd_d_div(along, out->fill);
        out->along[k] = along;
        out->force = crd_dv_add(out->force, crd_dv_scale(along, k == 0 ? w.e : w.l));
    }
    return CARDAN_OK;
}

static CardanStatus apply(const CrdForceData *data, const CrdForceInput *in, CrdLoads *loads) {
    const Tyre *f = crd_own(data);
    static const CrdChange none = {0};
    Touch tyre;
    CRD_TRY(evaluate(f, in, &none, &tyre));
    for (int k = 0; k < 2 && f->relaxation > 0.0; k++) loads->z_rate[k] = tyre.rate[k].x;
    CrdVec force = crd_apply(in->frames[f->body].rotation, tyre.force.x);
    loads->power += crd_push(loads, in->frames, f->body, tyre.local.x, force);
    return CARDAN_OK;
}

static CardanStatus along(const CrdForceData *data, const CrdForceInput *in, CrdLoads *change) {
    const Tyre *f = crd_own(data);
    const CardanFrame *body = &in->frames[f->body];
    const CrdChange *d = &in->changes[f->body];
    Touch tyre;
    CRD_TRY(evaluate(f, in, d, &tyre));
    for (int k = 0; k < 2 && f->relaxation > 0.0; k++) change->z_rate[k] = tyre.rate[k].d;
    CrdVec force = crd_apply(body->rotation, tyre.force.x);
    CrdVec dforce = crd_add(crd_carried_change(body, d, tyre.force.x), crd_apply(body->rotation, tyre.force.d));
    crd_push_change(change, in, f->body, tyre.local.x, tyre.local.d, force, dforce);
    return CARDAN_OK;
}

static CardanStatus offered(const CrdForceData *data, const CrdForceInput *in, int k, CrdDual *value) {
    const Tyre *f = crd_own(data);
    Touch tyre;
    CRD_TRY(evaluate(f, in, crd_change_of(in, f->body), &tyre));
    CrdDual load = tyre.pressed ? tyre.load : crd_d(0.0, 0.0);
    const CrdDual values[] = {load,         tyre.depth,    load,        tyre.along[0],
                              tyre.slip[0], tyre.along[1], tyre.slip[1]}; /* as in OFFERS */
    *value = values[k];
    return CARDAN_OK;
}

/* Where the disc's radius meets the plane; the hub of a wheel that lies flat. */
static CrdDualVec place(const CrdForceData *data, const CrdForceInput *in, int frame) {
    const Tyre *f = crd_own(data);
    const CrdChange *change = crd_change_of(in, frame);
    Touch tyre;
    if (evaluate(f, in, change, &tyre) < 0) return crd_dv(in->frames[frame].x, change->x);
    CrdDualVec at = crd_place_dual(in, frame, tyre.local.x);
    return crd_dv(at.x, crd_add(at.d, crd_apply(in->frames[frame].rotation, tyre.local.d)));
}

static const CrdOffer OFFERS[] = {
    {"force", "N", .summary = "along the plane's normal: the same as load"},
    {"depth", "m", .kinematic = true, .summary = "how deep the wheel is in the plane; negative in the air"},
    {"load", "N", .summary = "vertical load Fz"},
    {"longitudinal", "N", .summary = "force forward along the plane"},
    {"slip", "1", .kinematic = true, .summary = "longitudinal slip, before any relaxation"},
    {"lateral", "N", .spatial = true, .summary = "force to the left along the plane"},
    {"slip_angle", "rad", .kinematic = true, .spatial = true, .summary = "lateral slip, before any relaxation"},
};

/* Touching; while touching, where Fz would begin to pull; the low speed; the ellipse. */
static void switches(const CrdForceData *data, const CrdForceInput *in, double *values) {
    const Tyre *force = crd_own(data);
    static const CrdChange none = {0};
    Touch tyre;
    for (int i = 0; i < 4; i++) values[i] = 0.0;
    if (evaluate(force, in, &none, &tyre) < 0) return;
    values[0] = tyre.depth.x;
    values[1] = tyre.touching ? tyre.load.x : 0.0;
    values[2] = fabs(tyre.vx.x) - force->slow;
    values[3] = tyre.fill.x - 1.0;
}

static void prepare(const CrdWritten *written, const CardanFrame *frames, CrdForceData *force) {
    Tyre *tyre = crd_numbers_of(force);
    bool planar = written->space == CARDAN_SPACE_PLANAR;
    tyre->normal = crd_direction_of(tyre->normal);
    tyre->axis = planar ? crd_vec(0, 0, 1) : crd_apply_t(frames[tyre->body].rotation, crd_direction_of(tyre->axis));
    if (planar) tyre->magic[1] = (CardanMagic){.C = 1.0, .D = 1.0}; /* B = 0: no force */
}

static int states(const void *numbers) {
    return ((const Tyre *)numbers)->relaxation > 0.0 ? 2 : 0;
}

#define FACTOR(name, letter, need, rule, planar, k, given, text)                                                       \
    CRD_ROW(name "." #letter, CRD_HOLDS_NUMBERS, CRD_COUNT(planar, 1), need, rule,                                     \
            CRD_AT(Tyre, magic[k].letter, given.letter), .doc = text)
#define MAGIC(name, planar, k, given)                                                                                  \
    FACTOR(name, B, CRD_REQUIRED, CRD_ANY, planar, k, given, "Stiffness factor."),                                     \
        FACTOR(name, C, CRD_REQUIRED, CRD_POSITIVE, planar, k, given, "Shape factor."),                                \
        FACTOR(name, D, CRD_REQUIRED, CRD_POSITIVE, planar, k, given, "Peak factor."),                                 \
        FACTOR(name, E, CRD_OPTIONAL, CRD_ANY, planar, k, given, "Curvature factor; 0 when left out.")

static const CrdField FIELDS[] = {
    {"wheel", CRD_HOLDS_BODY, CRD_ONE, CRD_REQUIRED, CRD_TURNS, CRD_AT(Tyre, body, body),
     .doc = "The body that is the wheel; its centre of mass is the hub."},
    {"radius", CRD_HOLDS_NUMBERS, CRD_ONE, CRD_REQUIRED, CRD_POSITIVE, .unit = "m", CRD_AT(Tyre, radius, radius),
     .doc = "Of the unloaded wheel."},
    CRD_ROWS_PLANE(Tyre),
    {"vertical.stiffness", CRD_HOLDS_NUMBERS, CRD_ONE, CRD_REQUIRED, CRD_POSITIVE, .unit = "N/m",
     CRD_AT(Tyre, stiffness, stiffness), .doc = "Load per depth."},
    {"vertical.damping", CRD_HOLDS_NUMBERS, CRD_ONE, CRD_OPTIONAL, CRD_NOT_NEGATIVE, .unit = "N s/m", .fallback = "0",
     CRD_AT(Tyre, damping, damping), .doc = "Load per rate of depth."},
    MAGIC("longitudinal", 1, 0, longitudinal),
    {"relaxation", CRD_HOLDS_NUMBERS, CRD_ONE, CRD_MAYBE, CRD_POSITIVE, .unit = "m", .fallback = "none",
     CRD_AT(Tyre, relaxation, relaxation), .doc = "Length over which forces follow the slip."},
    {"slow", CRD_HOLDS_NUMBERS, CRD_ONE, CRD_REQUIRED, CRD_POSITIVE, .unit = "m/s", CRD_AT(Tyre, slow, slow),
     .doc = "Speed below which the slip is no longer divided by the speed."},
    {"axis", CRD_HOLDS_NUMBERS, CRD_IN_SPACE, CRD_REQUIRED, CRD_DIRECTION, CRD_AT(Tyre, axis, axis),
     .doc = "Of the wheel, ground axes, in the pose as written; forward is axis x normal."},
    MAGIC("lateral", 0, 1, lateral),
};

const CrdForceKind crd_tyre = {.name = "tyre",
                               .doc = "A wheel on a plane of the ground by Pacejka's magic formula, "
                                      "F = D Fz sin(C atan(B s - E (B s - atan(B s)))), with the friction ellipse.",
                               .fields = CRD_FIELDS(FIELDS),
                               .prepare = prepare,
                               .states = states,
                               .apply = apply,
                               .along = along,
                               .switch_count = 4,
                               .switches = switches,
                               .event = CARDAN_EVENT_CONTACT,
                               .event_switches = 1,
                               .offers = CRD_OFFERS(OFFERS),
                               .offered = offered,
                               .place = place};
