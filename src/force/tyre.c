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
#include "core/numbers.h"
#include "force/dual.h"
#include "force/records.h"

typedef struct Tyre {
    CrdDual depth, load;      /* m; N: stiffness depth + damping depth', as it is */
    CrdDual vx, speed;        /* m/s; speed is S */
    CrdDual slip[2], used[2]; /* as they are; what forces come from */
    CrdDual fill;             /* r */
    bool touching;
    CrdDualVec local, force;  /* m, N; own axes */
    CrdDual rate[2];          /* of the states */
} Tyre;

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

static bool stands(const CrdForceData *f, const CardanFrame *body) {
    double c = crd_dot(f->axis, crd_apply_t(body->rotation, f->normal));
    return 1.0 - c * c > CRD_TYRE_FLAT * CRD_TYRE_FLAT;
}

static Wheel wheel_of(const CrdForceData *f, const CardanFrame *body, const CrdChange *d) {
    Wheel w;
    CrdVec n = crd_apply_t(body->rotation, f->normal), v = crd_apply_t(body->rotation, body->v);
    CrdDualVec axis = crd_dv_constant(f->axis);
    w.n = crd_dv(n, crd_own_change(body, d, n, crd_vec(0, 0, 0)));
    w.v = crd_dv(v, crd_own_change(body, d, v, d->v));
    w.w = crd_dv(body->w, d->w);
    w.c = crd_dv_dot(axis, w.n);
    w.q = crd_d_sqrt(crd_d_sub(crd_d(1.0, 0.0), crd_d_mul(w.c, w.c)));
    CrdDual one_by_q = crd_d_div(crd_d(1.0, 0.0), w.q);
    w.m = crd_dv_scale(one_by_q, crd_dv_sub(w.n, crd_dv_scale(w.c, axis)));
    w.e = crd_dv_scale(one_by_q, crd_dv_cross(axis, w.n));
    w.l = crd_dv_cross(w.n, w.e);
    w.height = crd_d(crd_dot(f->normal, crd_sub(body->x, f->plane_point)), crd_dot(f->normal, d->x));
    /* depth' = radius q' - N . v,  q' = -c c'/q,  c' = (w x a) . N */
    CrdDual dc = crd_dv_dot(crd_dv_cross(w.w, axis), w.n);
    CrdDual dq = crd_d_scale(-1.0, crd_d_mul(crd_d_mul(w.c, dc), one_by_q));
    w.sinking = crd_d_sub(crd_d_scale(f->radius, dq), crd_dv_dot(w.n, w.v));
    return w;
}

/* vx, S and the two slips. */
static void slips(const CrdForceData *f, const CrdForceInput *in, const Wheel *w, Tyre *out) {
    CrdDualVec axis = crd_dv_constant(f->axis);
    CrdDual spin = crd_dv_dot(axis, w->w);
    CrdDualVec carrier = crd_dv_sub(w->w, crd_dv_scale(spin, axis));
    CrdDualVec v = crd_dv_add(w->v, crd_dv_cross(carrier, out->local));
    CrdDual vy = crd_dv_dot(v, w->l);
    out->vx = crd_dv_dot(v, w->e);
    bool fast = crd_side(in, 2, fabs(out->vx.x) - f->slow) > 0;
    /* a stage may stray beyond a held side, but not to the pole at rest */
    out->speed = fast ? crd_d_magnitude(out->vx, 0.5 * f->slow) : crd_d(f->slow, 0.0);
    out->slip[0] = crd_d_div(crd_d_sub(crd_d_scale(f->radius, spin), out->vx), out->speed);
    out->slip[1] = crd_d_scale(-1.0, crd_d_atan(crd_d_div(vy, out->speed)));
}

static void lag(const CrdForceData *f, const CrdForceInput *in, Tyre *out) {
    for (int k = 0; k < 2; k++) {
        out->used[k] = out->slip[k];
        if (!(f->relaxation > 0.0)) continue;
        out->used[k] = crd_d(in->z[k], in->z_change != NULL ? in->z_change[k] : 0.0);
        CrdDual aim = out->touching ? out->slip[k] : crd_d(0.0, 0.0);
        out->rate[k] = crd_d_scale(1.0 / f->relaxation, crd_d_mul(out->speed, crd_d_sub(aim, out->used[k])));
    }
}

static CardanStatus evaluate(const CrdForceData *f, const CrdForceInput *in, const CrdChange *change, Tyre *out) {
    const CardanFrame *body = &in->frames[f->body];
    *out = (Tyre){0};
    if (!stands(f, body))
        return crd_fail(in->error, CARDAN_ERR_NUMERIC, "a tyre needs a wheel that does not lie flat on its plane");
    Wheel w = wheel_of(f, body, change);
    out->depth = crd_d_sub(crd_d_scale(f->radius, w.q), w.height);
    out->load = crd_d_add(crd_d_scale(f->stiffness, out->depth), crd_d_scale(f->damping, w.sinking));
    out->touching = crd_side(in, 0, out->depth.x) > 0;
    out->local = crd_dv_scale(crd_d_scale(-1.0, crd_d_div(w.height, w.q)), w.m);
    slips(f, in, &w, out);
    lag(f, in, out);
    CrdDual part[2] = {magic(&f->magic[0], out->used[0]), magic(&f->magic[1], out->used[1])};
    CrdDual square = crd_d_add(crd_d_mul(part[0], part[0]), crd_d_mul(part[1], part[1]));
    if (square.x > 0.0) out->fill = crd_d_sqrt(square);
    if (!(out->touching && crd_side(in, 1, out->load.x) > 0)) return CARDAN_OK;
    out->force = crd_dv_scale(out->load, w.n);
    for (int k = 0; k < 2; k++) {
        CrdDual along = crd_d_scale(f->magic[k].D, crd_d_mul(out->load, part[k]));
        if (crd_side(in, 3, out->fill.x - 1.0) > 0) along = crd_d_div(along, out->fill);
        out->force = crd_dv_add(out->force, crd_dv_scale(along, k == 0 ? w.e : w.l));
    }
    return CARDAN_OK;
}

static CardanStatus apply(const CrdForceData *f, const CrdForceInput *in, CrdLoads *loads) {
    static const CrdChange none = {0};
    Tyre tyre;
    CRD_TRY(evaluate(f, in, &none, &tyre));
    for (int k = 0; k < 2 && f->relaxation > 0.0; k++) loads->z_rate[k] = tyre.rate[k].x;
    CrdVec force = crd_apply(in->frames[f->body].rotation, tyre.force.x);
    loads->power += crd_push(loads, in->frames, f->body, tyre.local.x, force);
    return CARDAN_OK;
}

static CardanStatus along(const CrdForceData *f, const CrdForceInput *in, CrdLoads *change) {
    const CardanFrame *body = &in->frames[f->body];
    const CrdChange *d = &in->changes[f->body];
    Tyre tyre;
    CRD_TRY(evaluate(f, in, d, &tyre));
    for (int k = 0; k < 2 && f->relaxation > 0.0; k++) change->z_rate[k] = tyre.rate[k].d;
    CrdVec force = crd_apply(body->rotation, tyre.force.x);
    CrdVec dforce = crd_add(crd_carried_change(body, d, tyre.force.x), crd_apply(body->rotation, tyre.force.d));
    crd_push_change(change, in, f->body, tyre.local.x, tyre.local.d, force, dforce);
    return CARDAN_OK;
}

/* Touching; while touching, where Fz would begin to pull; the low speed; the ellipse. */
static void switches(const CrdForceData *f, const CrdForceInput *in, double *values) {
    static const CrdChange none = {0};
    Tyre tyre;
    for (int i = 0; i < 4; i++) values[i] = 0.0;
    if (evaluate(f, in, &none, &tyre) < 0) return;
    values[0] = tyre.depth.x;
    values[1] = tyre.touching ? tyre.load.x : 0.0;
    values[2] = fabs(tyre.vx.x) - f->slow;
    values[3] = tyre.fill.x - 1.0;
}

const CrdForceKind crd_tyre = {.name = "tyre", .apply = apply, .along = along, .switch_count = 4, .switches = switches,
                              .event = "contact", .event_switches = 1};
