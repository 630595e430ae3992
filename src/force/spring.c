/* Spring and damper between a point of a and a point of b.
 *     d = p_b - p_a,  n = d / |d|,  x = |d| - length,  tension T = stiffness x + damping x' + law(x, x')
 *     force T n on a, -T n on b;  potential stiffness x^2 / 2;  power of the rest -(damping x' + law) x'
 * Points that coincide have no direction: the force is then zero (x is at its least there and n is undefined). */
#include "force/records.h"

typedef struct Spring {
    int a, b;
    CrdVec point_a, point_b; /* m; own axes */
    double stiffness, damping, length;
} Spring;
CRD_FITS(Spring);

enum { OFFERS_FORCE, OFFERS_LENGTH, OFFERS_RATE, OFFERS_ELONGATION }; /* as in OFFERS */

static CardanStatus apply(const CrdForceData *data, const CrdForceInput *in, CrdLoads *loads) {
    const Spring *force = crd_own(data);
    CrdPoint a = crd_point_of(&in->frames[force->a], force->point_a),
             b = crd_point_of(&in->frames[force->b], force->point_b);
    CrdVec d = crd_sub(b.p, a.p);
    double distance = crd_norm(d), x = distance - force->length, law;
    loads->potential += 0.5 * force->stiffness * x * x;
    if (distance == 0.0) return CARDAN_OK;
    CrdVec n = crd_scale(1.0 / distance, d);
    double rate = crd_dot(n, crd_sub(b.u, a.u));
    CRD_TRY(crd_law(in, x, rate, &law));
    double lossy = force->damping * rate + law, tension = force->stiffness * x + lossy;
    crd_push(loads, in->frames, force->a, force->point_a, crd_scale(tension, n));
    crd_push(loads, in->frames, force->b, force->point_b, crd_scale(-tension, n));
    loads->power -= lossy * rate;
    return CARDAN_OK;
}

static CardanStatus along(const CrdForceData *data, const CrdForceInput *in, CrdLoads *change) {
    const Spring *s = crd_own(data);
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
    change->potential += s->stiffness * x * dx;
    crd_push_change(change, in, s->a, s->point_a, crd_vec(0, 0, 0), force, dforce);
    crd_push_change(change, in, s->b, s->point_b, crd_vec(0, 0, 0), crd_neg(force), crd_neg(dforce));
    return CARDAN_OK;
}

static double length(const CrdForceData *data, const CardanFrame *frames) {
    const Spring *force = crd_own(data);
    return crd_norm(
        crd_sub(crd_point_of(&frames[force->b], force->point_b).p, crd_point_of(&frames[force->a], force->point_a).p));
}

/* Length and its rate; of points that coincide the rate is 0. */
static void line_of(const Spring *force, const CrdForceInput *in, CrdDual *distance, CrdDual *rate) {
    CrdDualVec pa, ua, pb, ub;
    crd_point_dual(in, force->a, force->point_a, &pa, &ua);
    crd_point_dual(in, force->b, force->point_b, &pb, &ub);
    CrdDualVec d = crd_dv_sub(pb, pa);
    *distance = crd_d_norm(d.x, d.d);
    *rate = distance->x > 0.0 ? crd_d_div(crd_dv_dot(d, crd_dv_sub(ub, ua)), *distance) : crd_d(0.0, 0.0);
}

static CardanStatus offered(const CrdForceData *data, const CrdForceInput *in, int k, CrdDual *value) {
    const Spring *force = crd_own(data);
    CrdDual distance, rate, law;
    line_of(force, in, &distance, &rate);
    CrdDual x = crd_d_sub(distance, crd_d(force->length, 0.0));
    *value = k == OFFERS_LENGTH ? distance : k == OFFERS_RATE ? rate : x;
    if (k != OFFERS_FORCE) return CARDAN_OK;
    *value = crd_d(0.0, 0.0);
    if (distance.x == 0.0) return CARDAN_OK;
    CRD_TRY(crd_law_dual(in, x, rate, &law));
    *value = crd_d_add(crd_d_add(crd_d_scale(force->stiffness, x), crd_d_scale(force->damping, rate)), law);
    return CARDAN_OK;
}

static CrdDualVec place(const CrdForceData *data, const CrdForceInput *in, int frame) {
    const Spring *force = crd_own(data);
    return crd_place_dual(in, frame, frame == force->b ? force->point_b : force->point_a);
}

static void prepare(const CrdWritten *written, const CardanFrame *frames, CrdForceData *force) {
    Spring *spring = crd_numbers_of(force);
    if (!crd_given(written, "length")) spring->length = length(force, frames);
}

static bool elastic(const CrdForceData *force) {
    return ((const Spring *)crd_own(force))->damping == 0.0;
}

static void variables(const CrdForceData *force, const CrdForceInput *in, double *x, double *v) {
    const Spring *spring = crd_own(force);
    CrdPoint a = crd_point_of(&in->frames[spring->a], spring->point_a),
             b = crd_point_of(&in->frames[spring->b], spring->point_b);
    CrdVec d = crd_sub(b.p, a.p);
    double distance = crd_norm(d);
    *x = distance - spring->length;
    *v = distance > 0.0 ? crd_dot(d, crd_sub(b.u, a.u)) / distance : 0.0;
}

static const CrdOffer OFFERS[] = {CRD_OFFERS_ALONG_LINE};

static const CrdField FIELDS[] = {
    {"bodies", CRD_HOLDS_BODIES, CRD_ONE, CRD_REQUIRED, CRD_AT(Spring, a, a), .doc = "The two bodies it joins."},
    {"points[0]", CRD_HOLDS_NUMBERS, CRD_VECTOR, CRD_REQUIRED, .unit = "m", CRD_AT(Spring, point_a, point_a),
     .doc = "Its end on the first body, in that body's own axes from its centre of mass."},
    {"points[1]", CRD_HOLDS_NUMBERS, CRD_VECTOR, CRD_REQUIRED, .unit = "m", CRD_AT(Spring, point_b, point_b),
     .doc = "Its end on the second body, likewise."},
    {"stiffness", CRD_HOLDS_NUMBERS, CRD_ONE, .unit = "N/m", .fallback = "0", CRD_AT(Spring, stiffness, stiffness),
     .doc = "Tension per elongation."},
    {"damping", CRD_HOLDS_NUMBERS, CRD_ONE, .unit = "N s/m", .fallback = "0", CRD_AT(Spring, damping, damping),
     .doc = "Tension per rate of elongation."},
    {"length", CRD_HOLDS_NUMBERS, CRD_ONE, CRD_MAYBE, CRD_NOT_NEGATIVE, .unit = "m", .fallback = "as it stands",
     CRD_AT(Spring, length, length), .flag = offsetof(CardanForceDef, length_given), .doc = "Length at rest."},
    {"law", CRD_HOLDS_LAW, CRD_ONE, .unit = "N", .fallback = "none", .law = offsetof(CardanForceDef, law),
     .doc = "Added to the tension: an expression in the elongation x, its rate v and the state."},
    {"geometry", CRD_HOLDS_GEOMETRY, CRD_ONE, .doc = "What the viewer draws."},
};

const CrdForceKind crd_spring = {.name = "spring",
                                 .doc = "A spring and damper between a point of one body and a point of another: "
                                        "tension stiffness x + damping v + law.",
                                 .fields = CRD_FIELDS(FIELDS),
                                 .prepare = prepare,
                                 .apply = apply,
                                 .along = along,
                                 .elastic = elastic,
                                 .variables = variables,
                                 .length = length,
                                 .offers = CRD_OFFERS(OFFERS),
                                 .offered = offered,
                                 .place = place};
