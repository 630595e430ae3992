/* Bushing: springs and dampers on the gap and on the turn of b against a, in the axes the ground had in the pose as
 * written, carried by a (A0, B0: the rotations there, as in joint/part_turn.c).
 *     e = A0 R_a^T (p_b - p_a),     C = A0 R_a^T R_b B0^T,     phi the rotation vector of C (plane: the angle, counted)
 *     E = k_e e + c_e e',           F = k_phi phi + c_phi phi',   component by component
 * Loads: with f = R_a A0^T E, -f on b at its point, f on a at the same place (not at a's point: the directions turn
 * with a); moments in own axes -B0^T J(phi) F on b and A0^T J(-phi) F on a, because phi' = J (C B0 w_b - A0 w_a) with
 * J = Jl^-1 (core/rotation.h), J(phi)^T = J(-phi) and C^T J(-phi) = J(phi).
 * Potential (k_e e^2 + k_phi phi^2) / 2; the dampers have power. Of the vectors that C has, phi is the one that
 * continues that of the last step (tracked): smooth through half a turn, up to the whole turn where J is singular. */
#include "core/rotation.h"
#include "force/records.h"

#include <string.h>

typedef struct Bushing {
    int a, b;
    CrdVec point;                         /* m; as written, ground axes */
    double stiffness[6], damping[6];      /* as written: of the gap, then of the turn */
    bool planar;                          /* the rest is made by prepare */
    CrdVec point_a, point_b;              /* m; own axes */
    double start_a[9], start_b[9], turn0; /* the pose as written, as in CrdJointData */
    double gap_stiffness[3], gap_damping[3], turn_stiffness[3], turn_damping[3];
    bool holds_turn; /* else any phi serves, and the shortest is never near a whole turn */
} Bushing;
CRD_FITS_WHEN_MADE(Bushing, planar);

static CrdVec times(const double *k, CrdVec x) {
    return crd_vec(k[0] * x.x, k[1] * x.y, k[2] * x.z);
}

/* A0 R^T u, given own = R^T u. */
static CrdVec carried(const double *start, CrdVec own) {
    return crd_apply(start, own);
}

/* The gap in a's own axes, from p_b seen from a: s = R_a^T (p_b - x_a), gap = s - l_a; its rate. */
typedef struct Gap {
    CrdSeen b;    /* place of p_b and its velocity as a sees it, own axes of a */
    CrdVec e, de; /* carried axes: gap and rate */
} Gap;

static Gap gap_of(const Bushing *force, const CrdForceInput *in) {
    CrdSeen b = crd_seen_point(&in->frames[force->a], &in->frames[force->b], force->point_b);
    return (Gap){b, carried(force->start_a, crd_sub(b.s, force->point_a)), carried(force->start_a, b.ds)};
}

/* phi, its rate, and what its derivatives need. */
typedef struct Turn {
    CrdVec phi, rate;
    CrdVec c, cb; /* C s_b - s_a and C s_b: spin of b against a, spin of b */
    CrdMat to_b;  /* C B0 = A0 R_a^T R_b */
} Turn;

static Turn turn_of(const Bushing *force, const CrdForceInput *in) {
    const CardanFrame *frame = &in->frames[force->a], *b = &in->frames[force->b];
    Turn turn = {0};
    if (force->planar) {
        turn.phi = crd_vec(0, 0, b->angle - frame->angle - force->turn0);
        turn.rate = crd_vec(0, 0, b->w.z - frame->w.z);
        return turn;
    }
    CrdMat back = crd_transpose(frame->rotation), b0t = crd_transpose(force->start_b);
    CrdMat relative = crd_mul(back.m, b->rotation);
    turn.to_b = crd_mul(force->start_a, relative.m);
    CrdMat c = crd_mul(turn.to_b.m, b0t.m);
    turn.phi = in->turn != NULL && force->holds_turn ? crd_rotation_vector_near(c.m, crd_vec_of(in->turn))
                                                     : crd_rotation_vector(c.m);
    turn.cb = crd_apply(turn.to_b.m, b->w);
    turn.c = crd_sub(turn.cb, crd_apply(force->start_a, frame->w));
    turn.rate = crd_rotation_vector_rate(turn.phi, turn.c);
    return turn;
}

/* J x; in the plane the axes do not turn and J is the identity. */
static CrdVec rotate(const Bushing *force, CrdVec phi, CrdVec x) {
    return force->planar ? x : crd_rotation_vector_rate(phi, x);
}

static CrdVec rotate_change(const Bushing *force, CrdVec phi, CrdVec dphi, CrdVec x, CrdVec dx) {
    if (force->planar) return dx;
    return crd_add(crd_rotation_vector_rate_change(phi, dphi, x), crd_rotation_vector_rate(phi, dx));
}

static CardanStatus apply(const CrdForceData *data, const CrdForceInput *in, CrdLoads *loads) {
    const Bushing *f = crd_own(data);
    const CardanFrame *frame = &in->frames[f->a];
    Gap gap = gap_of(f, in);
    Turn turn = turn_of(f, in);
    CrdVec elastic = times(f->gap_stiffness, gap.e), lossy = times(f->gap_damping, gap.de);
    CrdVec force = crd_apply(frame->rotation, crd_apply_t(f->start_a, crd_add(elastic, lossy)));
    crd_push(loads, in->frames, f->b, f->point_b, crd_neg(force));
    crd_push(loads, in->frames, f->a, gap.b.s, force);
    CrdVec elastic_turn = times(f->turn_stiffness, turn.phi), lossy_turn = times(f->turn_damping, turn.rate);
    CrdVec moment = crd_add(elastic_turn, lossy_turn);
    CrdVec on_b = crd_apply_t(f->start_b, rotate(f, turn.phi, moment));
    CrdVec on_a = crd_apply_t(f->start_a, rotate(f, crd_neg(turn.phi), moment));
    crd_twist(loads, in->frames, f->b, crd_neg(on_b));
    crd_twist(loads, in->frames, f->a, on_a);
    loads->potential += 0.5 * (crd_dot(elastic, gap.e) + crd_dot(elastic_turn, turn.phi));
    loads->power -= crd_dot(lossy, gap.de) + crd_dot(lossy_turn, turn.rate);
    return CARDAN_OK;
}

/* Changes of all its parts. */
static Gap gap_change(const Bushing *force, const CrdForceInput *in, const Gap *gap) {
    CrdSeen d = crd_seen_change(&in->frames[force->a], &in->frames[force->b], force->point_b, &gap->b,
                                crd_change_of(in, force->a), crd_change_of(in, force->b));
    return (Gap){d, carried(force->start_a, d.s), carried(force->start_a, d.ds)};
}

/* Changes of phi and its rate alone. */
static Turn turn_change(const Bushing *force, const CrdForceInput *in, const Turn *turn) {
    const CrdChange *da = crd_change_of(in, force->a), *db = crd_change_of(in, force->b);
    Turn out = {0};
    if (force->planar) {
        out.phi = crd_vec(0, 0, db->turn.z - da->turn.z);
        out.rate = crd_vec(0, 0, db->w.z - da->w.z);
        return out;
    }
    CrdVec r = crd_sub(crd_apply(turn->to_b.m, db->turn), crd_apply(force->start_a, da->turn));
    out.phi = crd_rotation_vector_rate(turn->phi, r);
    /* to_b changes by [-A0 turn_a] to_b + to_b [turn_b] = [r] to_b */
    out.cb = crd_add(crd_cross(r, turn->cb), crd_apply(turn->to_b.m, db->w));
    out.c = crd_sub(out.cb, crd_apply(force->start_a, da->w));
    out.rate = rotate_change(force, turn->phi, out.phi, turn->c, out.c);
    return out;
}

static CardanStatus along(const CrdForceData *data, const CrdForceInput *in, CrdLoads *change) {
    const Bushing *f = crd_own(data);
    const CardanFrame *frame = &in->frames[f->a];
    Gap gap = gap_of(f, in), dgap = gap_change(f, in, &gap);
    Turn turn = turn_of(f, in), dturn = turn_change(f, in, &turn);
    CrdVec e = crd_add(times(f->gap_stiffness, gap.e), times(f->gap_damping, gap.de));
    CrdVec de = crd_add(times(f->gap_stiffness, dgap.e), times(f->gap_damping, dgap.de));
    CrdVec own = crd_apply_t(f->start_a, e), force = crd_apply(frame->rotation, own); /* own axes of a; ground */
    CrdVec dforce = crd_add(crd_carried_change(frame, &in->changes[f->a], own),
                            crd_apply(frame->rotation, crd_apply_t(f->start_a, de)));
    crd_push_change(change, in, f->b, f->point_b, crd_vec(0, 0, 0), crd_neg(force), crd_neg(dforce));
    crd_push_change(change, in, f->a, gap.b.s, dgap.b.s, force, dforce);
    CrdVec m = crd_add(times(f->turn_stiffness, turn.phi), times(f->turn_damping, turn.rate));
    CrdVec dm = crd_add(times(f->turn_stiffness, dturn.phi), times(f->turn_damping, dturn.rate));
    CrdVec on_b = crd_apply_t(f->start_b, rotate_change(f, turn.phi, dturn.phi, m, dm));
    CrdVec on_a = crd_apply_t(f->start_a, rotate_change(f, crd_neg(turn.phi), crd_neg(dturn.phi), m, dm));
    crd_twist(change, in->frames, f->b, crd_neg(on_b));
    crd_twist(change, in->frames, f->a, on_a);
    change->potential +=
        crd_dot(times(f->gap_stiffness, gap.e), dgap.e) + crd_dot(times(f->turn_stiffness, turn.phi), dturn.phi);
    return CARDAN_OK;
}

/* ---- what it offers ---- */

static CardanStatus offered(const CrdForceData *data, const CrdForceInput *in, int k, CrdDual *value) {
    const Bushing *f = crd_own(data);
    Gap gap = gap_of(f, in), dgap = gap_change(f, in, &gap);
    Turn turn = turn_of(f, in), dturn = turn_change(f, in, &turn);
    const CrdVec of[][2] = {/* as in OFFERS */
                            {crd_add(times(f->gap_stiffness, gap.e), times(f->gap_damping, gap.de)),
                             crd_add(times(f->gap_stiffness, dgap.e), times(f->gap_damping, dgap.de))},
                            {crd_add(times(f->turn_stiffness, turn.phi), times(f->turn_damping, turn.rate)),
                             crd_add(times(f->turn_stiffness, dturn.phi), times(f->turn_damping, dturn.rate))},
                            {gap.e, dgap.e},
                            {turn.phi, dturn.phi}};
    bool turns = k % 2 == 1; /* in the plane about z, with a sign */
    *value = f->planar && turns ? crd_d(of[k][0].z, of[k][1].z) : crd_d_norm(of[k][0], of[k][1]);
    return CARDAN_OK;
}

/* Both receive it where the point of b is. */
static CrdDualVec place(const CrdForceData *data, const CrdForceInput *in, int frame) {
    const Bushing *f = crd_own(data);
    (void)frame;
    return crd_place_dual(in, f->b, f->point_b);
}

static const CrdOffer OFFERS[] = {
    {"force", "N", .kinematic = true, .summary = "size of the force on the gap"},
    {"torque", "N m", .kinematic = true,
     .summary = "size of the moment on the rotation vector; in the plane with its sign, against +z"},
    {"elongation", "m", .kinematic = true, .summary = "size of the gap"},
    {"turn", "rad", .kinematic = true, .summary = "size of the rotation vector; in the plane with its sign"},
};

static void turn(const CrdForceData *data, const CrdForceInput *in, CrdVec *phi, CrdVec *rate) {
    Turn now = turn_of(crd_own(data), in);
    *phi = now.phi;
    *rate = now.rate;
}

static int compliance(const CrdForceData *data, double *stiffness, double *damping, int *gap) {
    const Bushing *force = crd_own(data);
    int rows = force->planar ? 3 : 6;
    memcpy(stiffness, force->stiffness, (size_t)rows * sizeof *stiffness);
    memcpy(damping, force->damping, (size_t)rows * sizeof *damping);
    *gap = force->planar ? 2 : 3;
    return rows;
}

static bool elastic(const CrdForceData *data) {
    const Bushing *force = crd_own(data);
    bool damped = false;
    for (int k = 0; k < 6; k++) damped = damped || force->damping[k] != 0.0;
    return !damped;
}

static void prepare(const CrdWritten *written, const CardanFrame *frames, CrdForceData *force) {
    Bushing *out = crd_numbers_of(force);
    const CardanFrame *a = &frames[out->a], *b = &frames[out->b];
    assert(out->a != out->b);
    out->planar = written->space == CARDAN_SPACE_PLANAR;
    out->point_a = crd_own_point(a, out->point);
    out->point_b = crd_own_point(b, out->point);
    memcpy(out->start_a, a->rotation, sizeof out->start_a);
    memcpy(out->start_b, b->rotation, sizeof out->start_b);
    out->turn0 = b->angle - a->angle;
    int gap = out->planar ? 2 : 3, first = out->planar ? 2 : 0;
    for (int k = 0; k < gap; k++) {
        out->gap_stiffness[k] = out->stiffness[k];
        out->gap_damping[k] = out->damping[k];
    }
    for (int k = first; k < 3; k++) {
        out->turn_stiffness[k] = out->stiffness[gap + k - first];
        out->turn_damping[k] = out->damping[gap + k - first];
    }
    out->holds_turn = false;
    for (int k = 0; k < 3; k++)
        out->holds_turn = out->holds_turn || out->turn_stiffness[k] != 0.0 || out->turn_damping[k] != 0.0;
}

static const CrdField FIELDS[] = {
    {"bodies", CRD_HOLDS_BODIES, CRD_ONE, CRD_REQUIRED, CRD_TURNS, CRD_AT(Bushing, a, a),
     .doc = "The two bodies it joins; its axes are carried by the first."},
    {"point", CRD_HOLDS_NUMBERS, CRD_VECTOR, CRD_REQUIRED, .unit = "m", CRD_AT(Bushing, point, point),
     .doc = "Where it sits: ground axes, in the pose as written."},
    {"stiffness", CRD_HOLDS_NUMBERS, CRD_COUNT(3, 6), .unit = "N/m, then N m/rad", .fallback = "0",
     CRD_AT(Bushing, stiffness, bushing_stiffness), .doc = "Of the gap along x, y, z, then of the rotation vector."},
    {"damping", CRD_HOLDS_NUMBERS, CRD_COUNT(3, 6), .unit = "N s/m, then N m s/rad", .fallback = "0",
     CRD_AT(Bushing, damping, bushing_damping), .doc = "The same per rate."},
};

const CrdForceKind crd_bushing = {.name = "bushing",
                                  .doc = "Springs and dampers on the gap and on the rotation vector of one body "
                                         "against another, in the ground axes of the start carried by the first.",
                                  .fields = CRD_FIELDS(FIELDS),
                                  .prepare = prepare,
                                  .apply = apply,
                                  .along = along,
                                  .elastic = elastic,
                                  .turn = turn,
                                  .offers = CRD_OFFERS(OFFERS),
                                  .offered = offered,
                                  .place = place,
                                  .compliance = compliance};
