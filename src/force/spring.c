/* Spring and damper between a point of a and a point of b.
 *     d = p_b - p_a,  n = d / |d|,  x = |d| - length,  tension T = stiffness x + damping x' + law(x, x')
 *     force T n on a, -T n on b;  potential stiffness x^2 / 2;  power of the rest -(damping x' + law) x'
 * Points that coincide have no direction: the force is then zero (x is at its least there and n is undefined). */
#include "force/records.h"

static CardanStatus apply(const CrdForceData *s, const CrdForceInput *in, CrdLoads *loads) {
    CrdPoint a = crd_point_of(&in->frames[s->a], s->point_a), b = crd_point_of(&in->frames[s->b], s->point_b);
    CrdVec d = crd_sub(b.p, a.p);
    double distance = crd_norm(d), x = distance - s->length, law;
    loads->potential += 0.5 * s->stiffness * x * x;
    if (distance == 0.0) return CARDAN_OK;
    CrdVec n = crd_scale(1.0 / distance, d);
    double rate = crd_dot(n, crd_sub(b.u, a.u));
    CRD_TRY(crd_law(in, x, rate, &law));
    double lossy = s->damping * rate + law, tension = s->stiffness * x + lossy;
    crd_push(loads, in->frames, s->a, s->point_a, crd_scale(tension, n));
    crd_push(loads, in->frames, s->b, s->point_b, crd_scale(-tension, n));
    loads->power -= lossy * rate;
    return CARDAN_OK;
}

static CardanStatus along(const CrdForceData *s, const CrdForceInput *in, CrdLoads *change) {
    const CardanFrame *fa = &in->frames[s->a], *fb = &in->frames[s->b];
    CrdPoint a = crd_point_of(fa, s->point_a), b = crd_point_of(fb, s->point_b);
    CrdPoint da = crd_point_change(fa, &in->changes[s->a], s->point_a);
    CrdPoint db = crd_point_change(fb, &in->changes[s->b], s->point_b);
    CrdVec d = crd_sub(b.p, a.p), u = crd_sub(b.u, a.u), dd = crd_sub(db.p, da.p), du = crd_sub(db.u, da.u);
    double distance = crd_norm(d), law, dlaw;
    if (distance == 0.0) return CARDAN_OK;
    CrdVec n = crd_scale(1.0 / distance, d);
    double dx = crd_dot(n, dd);
    CrdVec dn = crd_scale(1.0 / distance, crd_axpy(dd, -dx, n));
    double rate = crd_dot(n, u), drate = crd_dot(dn, u) + crd_dot(n, du), x = distance - s->length;
    CRD_TRY(crd_law_change(in, (CrdJet){x, dx, 0.0}, (CrdJet){rate, drate, 0.0}, &law, &dlaw));
    double tension = s->stiffness * x + s->damping * rate + law;
    CrdVec force = crd_scale(tension, n);
    CrdVec dforce = crd_axpy(crd_scale(tension, dn), s->stiffness * dx + s->damping * drate + dlaw, n);
    crd_push_change(change, in, s->a, s->point_a, crd_vec(0, 0, 0), force, dforce);
    crd_push_change(change, in, s->b, s->point_b, crd_vec(0, 0, 0), crd_neg(force), crd_neg(dforce));
    return CARDAN_OK;
}

double crd_spring_length(const CrdForceData *s, const CardanFrame *frames) {
    return crd_norm(crd_sub(crd_point_of(&frames[s->b], s->point_b).p, crd_point_of(&frames[s->a], s->point_a).p));
}

double crd_spring_length_change(const CrdForceData *s, const CardanFrame *frames, const CrdChange *changes) {
    const CardanFrame *fa = &frames[s->a], *fb = &frames[s->b];
    CrdVec d = crd_sub(crd_point_of(fb, s->point_b).p, crd_point_of(fa, s->point_a).p);
    CrdPoint da = crd_point_change(fa, &changes[s->a], s->point_a), db = crd_point_change(fb, &changes[s->b], s->point_b);
    double distance = crd_norm(d);
    return distance > 0.0 ? crd_dot(d, crd_sub(db.p, da.p)) / distance : 0.0;
}

const CrdForceKind crd_spring = {.name = "spring", .apply = apply, .along = along};
