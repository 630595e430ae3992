/* Joints in space as a whole. In ground axes a body's spin W = R w stays as it is at zero accelerations, so for its arm
 * s = R l and a direction u = R e
 *     s' = W x s,   s'' = W x (W x s)        u' = W x u,   u'' = W x (W x u),
 * and what a row's rate and bias share with those beside it is one vector each. With W = W_a - W_b, d = p_b - p_a:
 *     gap     d,   d',   gamma = s_a'' - s_b''                                 G = (-+1, -+ l x R^T e_k)
 *     align   u_a . u_b:   bias = u_a . ((u_b x W) x W_a + u_b' x W)           G = (0, e x R_a^T u_b | f x R_b^T u_a)
 *     off     u . d:   rate = u . (d' - W_a x d),   bias = u . (W_a x (W_a x d - 2 d') + d'')
 *             G = (-u, e x R_a^T (p_b - x_a) | u, l_b x R_b^T u)
 *     length  n . d,   n = d / |d|: as in distance.c
 * The first and third follow from p = x + s by differentiating, the second from (u_a . u_b)' = W . (u_a x u_b) and
 * x . (y x z) = y . (z x x). */
#include "core/unguarded.h"
#include "joint/direction.h"
#include "joint/part.h"
#include "joint/whole.h"

#if defined(__GNUC__)
#define WITHIN static inline __attribute__((always_inline))
#else
#define WITHIN static inline
#endif

/* One body: its spin, the joint's arm there, its velocity and acceleration; ground axes. */
typedef struct Side {
    const double *rotation;
    CrdVec spin, arm, velocity, acceleration;
} Side;

typedef struct Sides {
    Side a, b;
    CrdVec d, rate, bias; /* of the points: p_b - p_a, and its derivatives at zero accelerations */
} Sides;

WITHIN Side side_of(const CardanFrame *frame, CrdVec l) {
    Side side = {.rotation = frame->rotation};
    side.spin = crd_apply(frame->rotation, frame->w);
    side.arm = crd_apply(frame->rotation, l);
    side.velocity = crd_cross(side.spin, side.arm);
    side.acceleration = crd_cross(side.spin, side.velocity);
    return side;
}

WITHIN Sides sides_of(const CrdJointData *joint, const CrdPair *pair) {
    const CardanFrame *a = pair->a, *b = pair->b;
    Sides sides = {.a = side_of(a, joint->la), .b = side_of(b, joint->lb)};
    sides.d = crd_sub(crd_add(b->x, sides.b.arm), crd_add(a->x, sides.a.arm));
    sides.rate = crd_sub(crd_add(b->v, sides.b.velocity), crd_add(a->v, sides.a.velocity));
    sides.bias = crd_sub(sides.b.acceleration, sides.a.acceleration);
    return sides;
}

/* What follows after `rows` rows. */
WITHIN CrdWholeRows after(CrdWholeRows out, int rows) {
    if (out.a == NULL) return (CrdWholeRows){.g = out.g + rows, .rate = out.rate + rows};
    return (CrdWholeRows){out.g + rows, out.rate + rows, out.gamma + rows, out.a + 6 * rows, out.b + 6 * rows};
}

WITHIN void put_row(double *row, CrdVec moves, CrdVec turns) {
    crd_put(row, moves);
    crd_put(row + 3, turns);
}

/* ---- gap: three rows ---- */

WITHIN void put_axes(double *rows, double sign, const double *rotation, CrdVec l) {
    for (int k = 0; k < 3; k++) {
        CrdVec axis = crd_vec(k == 0 ? sign : 0.0, k == 1 ? sign : 0.0, k == 2 ? sign : 0.0);
        put_row(rows + 6 * k, axis, crd_cross(crd_scale(sign, l), crd_vec_of(rotation + 3 * k)));
    }
}

WITHIN CrdWholeRows put_gap(const CrdJointData *joint, const Sides *sides, CrdWholeRows out) {
    crd_put(out.g, sides->d);
    crd_put(out.rate, sides->rate);
    if (out.a == NULL) return after(out, 3);
    crd_put(out.gamma, crd_neg(sides->bias));
    put_axes(out.a, -1.0, sides->a.rotation, joint->la);
    put_axes(out.b, 1.0, sides->b.rotation, joint->lb);
    return after(out, 3);
}

/* ---- align: one row for each direction e of a, against f of b ---- */

WITHIN void put_align(const CrdVec *e, int count, CrdVec f, const CrdPair *pair, const Sides *sides, CrdWholeRows out) {
    const CrdVec zero = {0.0, 0.0, 0.0};
    CrdVec ub = crd_apply(sides->b.rotation, f), seen = crd_apply_t(sides->a.rotation, ub);
    CrdVec bias = zero;
    if (out.a != NULL) {
        CrdVec w = crd_sub(sides->a.spin, sides->b.spin), turning = crd_cross(sides->b.spin, ub);
        bias = crd_add(crd_cross(crd_cross(ub, w), sides->a.spin), crd_cross(turning, w));
    }
    for (int k = 0; k < count; k++) {
        CrdVec ua = crd_apply(sides->a.rotation, e[k]);
        CrdVec on_a = crd_cross(e[k], seen), on_b = crd_cross(f, crd_apply_t(sides->b.rotation, ua));
        out.g[k] = crd_dot(e[k], seen);
        out.rate[k] = crd_dot(on_a, pair->a->w) + crd_dot(on_b, pair->b->w);
        if (out.a == NULL) continue;
        out.gamma[k] = -crd_dot(ua, bias);
        put_row(out.a + 6 * k, zero, on_a);
        put_row(out.b + 6 * k, zero, on_b);
    }
}

/* ---- off: two rows ---- */

WITHIN CrdWholeRows put_off(const CrdJointData *joint, const CrdPair *pair, const Sides *sides, CrdWholeRows out) {
    CrdVec w = sides->a.spin, turned = crd_cross(w, sides->d), rate = crd_sub(sides->rate, turned);
    CrdVec bias = crd_add(crd_cross(w, crd_axpy(turned, -2.0, sides->rate)), sides->bias);
    CrdVec arm = crd_apply_t(sides->a.rotation, crd_sub(crd_add(pair->b->x, sides->b.arm), pair->a->x));
    for (int k = 0; k < 2; k++) {
        CrdVec u = crd_apply(sides->a.rotation, joint->ea[k]);
        out.g[k] = crd_dot(u, sides->d);
        out.rate[k] = crd_dot(u, rate);
        if (out.a == NULL) continue;
        out.gamma[k] = -crd_dot(u, bias);
        put_row(out.a + 6 * k, crd_neg(u), crd_cross(joint->ea[k], arm));
        put_row(out.b + 6 * k, u, crd_cross(joint->lb, crd_apply_t(sides->b.rotation, u)));
    }
    return after(out, 2);
}

/* ---- the joints ---- */

CRD_UNGUARDED void crd_space_revolute(const CrdJointData *joint, const CrdPair *pair, CrdWholeRows out) {
    Sides sides = sides_of(joint, pair);
    out = put_gap(joint, &sides, out);
    put_align(joint->ea, 2, joint->axis_b, pair, &sides, out);
}

CRD_UNGUARDED void crd_space_spherical(const CrdJointData *joint, const CrdPair *pair, CrdWholeRows out) {
    Sides sides = sides_of(joint, pair);
    put_gap(joint, &sides, out);
}

CRD_UNGUARDED void crd_space_universal(const CrdJointData *joint, const CrdPair *pair, CrdWholeRows out) {
    Sides sides = sides_of(joint, pair);
    out = put_gap(joint, &sides, out);
    put_align(&joint->axis_a, 1, joint->axis_b, pair, &sides, out);
}

CRD_UNGUARDED void crd_space_weld(const CrdJointData *joint, const CrdPair *pair, CrdWholeRows out) {
    Sides sides = sides_of(joint, pair);
    crd_turn_rows(joint, pair, put_gap(joint, &sides, out));
}

CRD_UNGUARDED void crd_space_prismatic(const CrdJointData *joint, const CrdPair *pair, CrdWholeRows out) {
    Sides sides = sides_of(joint, pair);
    crd_turn_rows(joint, pair, put_off(joint, pair, &sides, out));
}

CRD_UNGUARDED void crd_space_cylindrical(const CrdJointData *joint, const CrdPair *pair, CrdWholeRows out) {
    Sides sides = sides_of(joint, pair);
    out = put_off(joint, pair, &sides, out);
    put_align(joint->ea, 2, joint->axis_b, pair, &sides, out);
}

CRD_UNGUARDED void crd_space_distance(const CrdJointData *joint, const CrdPair *pair, CrdWholeRows out) {
    Sides sides = sides_of(joint, pair);
    double distance = crd_norm(sides.d);
    CrdVec n = crd_scale(1.0 / distance, sides.d);
    double along = crd_dot(n, sides.rate);
    out.g[0] = distance - crd_bar_length(joint);
    out.rate[0] = along;
    if (out.a == NULL) return;
    out.gamma[0] = -((crd_dot(sides.rate, sides.rate) - along * along) / distance + crd_dot(n, sides.bias));
    put_row(out.a, crd_neg(n), crd_cross(crd_apply_t(sides.a.rotation, n), joint->la));
    put_row(out.b, n, crd_cross(joint->lb, crd_apply_t(sides.b.rotation, n)));
}
