/* Rope: one tension through two or more points of bodies, over which it runs without friction.
 *     d_i = p_{i+1} - p_i,  n_i = d_i / |d_i|,  x = sum |d_i| - length,  x' = sum n_i . d_i'
 *     tension T = max(0, stiffness x + damping x' + law(x, x')) while x > 0; a slack rope does nothing
 *     force T n_i on p_i, -T n_i on p_{i+1};  potential stiffness x^2 / 2 while x > 0;  the rest has power
 * A piece between points that coincide has no direction and pulls nothing. */
#include "force/records.h"

typedef struct Rope {
    double stiffness, damping, length;
} Rope;
CRD_FITS(Rope);

enum { OFFERS_FORCE, OFFERS_LENGTH, OFFERS_RATE, OFFERS_ELONGATION }; /* as in OFFERS */

static CrdPoint end_of(const CrdForceData *force, const CardanFrame *frames, int i) {
    assert(i < force->points);
    return crd_point_of(&frames[force->point[i].frame], crd_vec_of(force->point[i].local));
}

/* The piece from point i to the next: how it points and lengthens, and along a change. */
typedef struct Piece {
    CrdVec n, dn;
    double length, rate, dlength, drate;
} Piece;

static Piece piece_of(const CrdForceData *force, const CardanFrame *frames, int i) {
    CrdPoint a = end_of(force, frames, i), b = end_of(force, frames, i + 1);
    CrdVec d = crd_sub(b.p, a.p);
    Piece piece = {.length = crd_norm(d)};
    if (piece.length == 0.0) return piece;
    piece.n = crd_scale(1.0 / piece.length, d);
    piece.rate = crd_dot(piece.n, crd_sub(b.u, a.u));
    return piece;
}

static Piece piece_change(const CrdForceData *force, const CardanFrame *frames, const CrdChange *changes, int i) {
    Piece piece = piece_of(force, frames, i);
    if (piece.length == 0.0) return piece;
    CrdPoint d[2];
    for (int k = 0; k < 2; k++) {
        const CrdForcePoint *point = &force->point[i + k];
        d[k] = crd_point_change(&frames[point->frame], &changes[point->frame], crd_vec_of(point->local));
    }
    CrdVec u = crd_sub(end_of(force, frames, i + 1).u, end_of(force, frames, i).u), dd = crd_sub(d[1].p, d[0].p);
    piece.dlength = crd_dot(piece.n, dd);
    piece.dn = crd_scale(1.0 / piece.length, crd_axpy(dd, -piece.dlength, piece.n));
    piece.drate = crd_dot(piece.dn, u) + crd_dot(piece.n, crd_sub(d[1].u, d[0].u));
    return piece;
}

static double length(const CrdForceData *force, const CardanFrame *frames) {
    double sum = 0.0;
    for (int i = 0; i + 1 < force->points; i++) sum += piece_of(force, frames, i).length;
    return sum;
}

static void variables(const CrdForceData *force, const CrdForceInput *in, double *x, double *v) {
    *x = length(force, in->frames) - ((const Rope *)crd_own(force))->length;
    *v = 0.0;
    for (int i = 0; i + 1 < force->points; i++) *v += piece_of(force, in->frames, i).rate;
}

/* The tension a taut rope would have, and the part of it without potential. */
static CardanStatus tension_of(const Rope *rope, const CrdForceInput *in, double x, double v, double *tension) {
    double law;
    CRD_TRY(crd_law(in, x, v, &law));
    *tension = rope->stiffness * x + rope->damping * v + law;
    return CARDAN_OK;
}

static CardanStatus apply(const CrdForceData *force, const CrdForceInput *in, CrdLoads *loads) {
    const Rope *rope = crd_own(force);
    double x, v, tension;
    variables(force, in, &x, &v);
    if (crd_side(in, 0, x) <= 0) return CARDAN_OK;
    CRD_TRY(tension_of(rope, in, x, v, &tension));
    if (crd_side(in, 1, tension) <= 0) tension = 0.0;
    for (int i = 0; i + 1 < force->points; i++) {
        CrdVec pull = crd_scale(tension, piece_of(force, in->frames, i).n);
        const CrdForcePoint *a = &force->point[i], *b = &force->point[i + 1];
        crd_push(loads, in->frames, a->frame, crd_vec_of(a->local), pull);
        crd_push(loads, in->frames, b->frame, crd_vec_of(b->local), crd_neg(pull));
    }
    loads->potential += 0.5 * rope->stiffness * x * x;
    loads->power -= (tension - rope->stiffness * x) * v;
    return CARDAN_OK;
}

static CardanStatus along(const CrdForceData *force, const CrdForceInput *in, CrdLoads *change) {
    const Rope *rope = crd_own(force);
    CrdJet x = {0.0, 0.0, 0.0}, v = x;
    double law, dlaw;
    variables(force, in, &x.x, &v.x);
    if (crd_side(in, 0, x.x) <= 0) return CARDAN_OK;
    for (int i = 0; i + 1 < force->points; i++) {
        Piece piece = piece_change(force, in->frames, in->changes, i);
        x.d1 += piece.dlength;
        v.d1 += piece.drate;
    }
    change->potential += rope->stiffness * x.x * x.d1;
    CRD_TRY(crd_law_change(in, x, v, &law, &dlaw));
    double tension = rope->stiffness * x.x + rope->damping * v.x + law;
    double slope = rope->stiffness * x.d1 + rope->damping * v.d1 + dlaw;
    if (crd_side(in, 1, tension) <= 0) return CARDAN_OK;
    for (int i = 0; i + 1 < force->points; i++) {
        Piece piece = piece_change(force, in->frames, in->changes, i);
        CrdVec pull = crd_scale(tension, piece.n), dpull = crd_axpy(crd_scale(tension, piece.dn), slope, piece.n);
        const CrdForcePoint *a = &force->point[i], *b = &force->point[i + 1];
        crd_push_change(change, in, a->frame, crd_vec_of(a->local), crd_vec(0, 0, 0), pull, dpull);
        crd_push_change(change, in, b->frame, crd_vec_of(b->local), crd_vec(0, 0, 0), crd_neg(pull), crd_neg(dpull));
    }
    return CARDAN_OK;
}

/* Slack or taut; while taut, where damper or law would begin to push: without them that is the same place. */
static void switches(const CrdForceData *force, const CrdForceInput *in, double *values) {
    const Rope *rope = crd_own(force);
    double v;
    variables(force, in, &values[0], &v);
    values[1] = 0.0;
    bool plain = rope->damping == 0.0 && in->law == NULL;
    if (plain || crd_side(in, 0, values[0]) <= 0) return;
    if (tension_of(rope, in, values[0], v, &values[1]) < 0) values[1] = 0.0; /* apply says so */
}

static CardanStatus offered(const CrdForceData *force, const CrdForceInput *in, int k, CrdDual *value) {
    const Rope *rope = crd_own(force);
    CrdDual length = {0}, rate = {0}, law;
    for (int i = 0; i + 1 < force->points; i++) {
        Piece piece =
            in->changes != NULL ? piece_change(force, in->frames, in->changes, i) : piece_of(force, in->frames, i);
        length = crd_d_add(length, crd_d(piece.length, piece.dlength));
        rate = crd_d_add(rate, crd_d(piece.rate, piece.drate));
    }
    CrdDual x = crd_d_sub(length, crd_d(rope->length, 0.0));
    *value = k == OFFERS_LENGTH ? length : k == OFFERS_RATE ? rate : x;
    if (k != OFFERS_FORCE) return CARDAN_OK;
    *value = crd_d(0.0, 0.0);
    if (crd_side(in, 0, x.x) <= 0) return CARDAN_OK;
    CRD_TRY(crd_law_dual(in, x, rate, &law));
    CrdDual tension = crd_d_add(crd_d_add(crd_d_scale(rope->stiffness, x), crd_d_scale(rope->damping, rate)), law);
    if (crd_side(in, 1, tension.x) > 0) *value = tension;
    return CARDAN_OK;
}

/* Its last point there. */
static CrdDualVec place(const CrdForceData *force, const CrdForceInput *in, int frame) {
    int last = force->points - 1;
    while (last > 0 && force->point[last].frame != frame) last--;
    return crd_place_dual(in, force->point[last].frame, crd_vec_of(force->point[last].local));
}

static void prepare(const CrdWritten *written, const CardanFrame *frames, CrdForceData *force) {
    assert(force->points >= 2);
    Rope *rope = crd_numbers_of(force);
    if (!crd_given(written, "length")) rope->length = length(force, frames);
}

static bool elastic(const CrdForceData *force) {
    return ((const Rope *)crd_own(force))->damping == 0.0;
}

static const CrdOffer OFFERS[] = {CRD_OFFERS_ALONG_LINE};

static const CrdField FIELDS[] = {
    {"points", CRD_HOLDS_POINTS, CRD_VECTOR, CRD_REQUIRED, .unit = "m", .def = offsetof(CardanForceDef, points_list),
     .flag = offsetof(CardanForceDef, points),
     .doc = "[[body, point], ...]: two or more that it runs through, in own axes from the centres of mass."},
    {"stiffness", CRD_HOLDS_NUMBERS, CRD_ONE, CRD_OPTIONAL, CRD_NOT_NEGATIVE, .unit = "N/m", .fallback = "0",
     CRD_AT(Rope, stiffness, stiffness), .doc = "Tension per elongation."},
    {"damping", CRD_HOLDS_NUMBERS, CRD_ONE, CRD_OPTIONAL, CRD_NOT_NEGATIVE, .unit = "N s/m", .fallback = "0",
     CRD_AT(Rope, damping, damping), .doc = "Tension per rate of elongation."},
    {"length", CRD_HOLDS_NUMBERS, CRD_ONE, CRD_MAYBE, CRD_NOT_NEGATIVE, .unit = "m", .fallback = "as it stands",
     CRD_AT(Rope, length, length), .flag = offsetof(CardanForceDef, length_given),
     .doc = "Length at which it goes slack; 0 for a tendon that a law alone pulls."},
    {"law", CRD_HOLDS_LAW, CRD_ONE, .unit = "N", .fallback = "none", .law = offsetof(CardanForceDef, law),
     .doc = "Added to the tension: an expression in the elongation x, its rate v and the state."},
    {"geometry", CRD_HOLDS_GEOMETRY, CRD_ONE, .doc = "What the viewer draws."},
};

const CrdForceKind crd_rope = {.name = "rope",
                               .doc = "One tension through two or more points of bodies, stiffness x + damping v + "
                                      "law while it is taut; it never pushes.",
                               .fields = CRD_FIELDS(FIELDS),
                               .prepare = prepare,
                               .apply = apply,
                               .along = along,
                               .switch_count = 2,
                               .switches = switches,
                               .event = CARDAN_EVENT_LIMIT,
                               .event_switches = 1,
                               .elastic = elastic,
                               .variables = variables,
                               .length = length,
                               .offers = CRD_OFFERS(OFFERS),
                               .offered = offered,
                               .place = place};
