/* Contact: the lowest point of a wheel is on the plane; names in contact.h, s = sqrt(1 - c^2).
 *     g = n . (C - p_a) = n . d - radius s           (ball and planar wheel: s = 1)
 *     s' = -c c' / s       s'' = -c c'' / s - c'^2 / s^3
 *     G = [n . d] + radius (c / s) [c]
 *     gradient: that of n . d + radius ((c / s) times that of c + c' / s^3 times the twist rows of c) */
#include "joint/align.h"
#include "joint/contact.h"
#include "joint/direction.h"
#include "joint/part.h"

#include <assert.h>

static CrdVec centre_of(const CrdJointData *data, const CrdPair *pair) {
    return crd_add(pair->b->x, crd_apply(pair->b->rotation, data->lb));
}

/* n, u, c and m. */
typedef struct Lean {
    CrdVec n, u, m;
    double c, s;
} Lean;

static Lean lean_of(const CrdJointData *data, const CrdPair *pair) {
    Lean lean = {.n = crd_apply(pair->a->rotation, data->axis_a), .s = 1.0};
    lean.m = lean.n;
    if (!crd_wheel(data)->disc) return lean;
    assert(!data->planar);
    lean.u = crd_apply(pair->b->rotation, data->axis_b);
    lean.c = crd_dot(lean.u, lean.n);
    CrdVec up = crd_axpy(lean.n, -lean.c, lean.u);
    lean.s = crd_norm(up);
    lean.m = crd_scale(1.0 / lean.s, up);
    return lean;
}

CrdVec crd_contact_point(const CrdJointData *joint, const CrdPair *pair) {
    return crd_axpy(centre_of(joint, pair), -crd_wheel(joint)->radius, lean_of(joint, pair).m);
}

CrdVec crd_contact_shift(const CrdJointData *joint, const CrdPair *pair, const CrdShift *shift) {
    Lean lean = lean_of(joint, pair);
    CrdVec centre = crd_add(shift->xb, crd_cross(shift->tb, crd_apply(pair->b->rotation, joint->lb)));
    CrdVec dn = crd_cross(shift->ta, lean.n), dm = dn;
    if (crd_wheel(joint)->disc) {
        CrdVec du = crd_cross(shift->tb, lean.u);
        double dc = crd_dot(du, lean.n) + crd_dot(lean.u, dn);
        CrdVec dup = crd_axpy(crd_axpy(dn, -dc, lean.u), -lean.c, du);
        dm = crd_scale(1.0 / lean.s, crd_axpy(dup, -crd_dot(lean.m, dup), lean.m));
    }
    return crd_axpy(centre, -crd_wheel(joint)->radius, dm);
}

static void rows_of(const CrdJointData *data, const CrdPair *pair, CrdRows out) {
    CrdGap gap = crd_gap_of(data, pair);
    double height, bias;
    crd_direction_row(data, pair, &gap, data->axis_a, &height, &bias, out.a[0], out.b[0]);
    out.g[0] = height - crd_wheel(data)->radius;
    out.gamma[0] = -bias;
    if (!crd_wheel(data)->disc) return;
    CrdCoordinate c;
    crd_align_row(data->axis_a, data->axis_b, pair, &c.value, &c.bias, c.a, c.b);
    c.rate = crd_row_rate(c.a, pair->a) + crd_row_rate(c.b, pair->b);
    double s = lean_of(data, pair).s;
    out.g[0] = height - crd_wheel(data)->radius * s;
    out.gamma[0] -= crd_wheel(data)->radius * (c.value * c.bias / s + c.rate * c.rate / (s * s * s));
    for (int i = 0; i < 6; i++) {
        out.a[0][i] += crd_wheel(data)->radius * c.value / s * c.a[i];
        out.b[0][i] += crd_wheel(data)->radius * c.value / s * c.b[i];
    }
}

static void gradient_of(const CrdJointData *data, const CrdPair *pair, CrdRows out) {
    CrdGap gap = crd_gap_of(data, pair);
    crd_direction_gradient(data, pair, &gap, data->axis_a, out.a[0], out.b[0]);
    if (!crd_wheel(data)->disc) return;
    CrdCoordinate c;
    CardanTwistRow ga, gb;
    crd_align_row(data->axis_a, data->axis_b, pair, &c.value, &c.bias, c.a, c.b);
    crd_align_gradient(data->axis_a, data->axis_b, pair, ga, gb);
    c.rate = crd_row_rate(c.a, pair->a) + crd_row_rate(c.b, pair->b);
    double s = lean_of(data, pair).s, bend = c.rate / (s * s * s);
    for (int i = 0; i < 6; i++) {
        out.a[0][i] += crd_wheel(data)->radius * (c.value / s * ga[i] + bend * c.a[i]);
        out.b[0][i] += crd_wheel(data)->radius * (c.value / s * gb[i] + bend * c.b[i]);
    }
}

const CrdPart crd_part_contact = {.rows = {1, 1}, .rows_of = rows_of, .gradient_of = gradient_of};
