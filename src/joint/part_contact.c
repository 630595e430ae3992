/* Contact: the lowest point of a wheel is on the plane; names in contact.h, s = sqrt(1 - c^2).
 *     g = n . (C - p_a) = n . d - radius s           (ball and planar wheel: s = 1)
 *     s' = -c c' / s       s'' = -c c'' / s - c'^2 / s^3
 *     G = [n . d] + radius (c / s) [c]
 *     gradient: that of n . d + radius ((c / s) times that of c + c' / s^3 times the twist rows of c) */
#include "joint/align.h"
#include "joint/contact.h"
#include "joint/direction.h"
#include "joint/part.h"

static CrdVec centre_of(const CrdJointData *j, const CrdPair *p) {
    return crd_add(p->b->x, crd_apply(p->b->rotation, j->lb));
}

/* n, u, c and m. */
typedef struct Lean {
    CrdVec n, u, m;
    double c, s;
} Lean;

static Lean lean_of(const CrdJointData *j, const CrdPair *p) {
    Lean lean = {.n = crd_apply(p->a->rotation, j->axis_a), .s = 1.0};
    lean.m = lean.n;
    if (!j->disc) return lean;
    lean.u = crd_apply(p->b->rotation, j->axis_b);
    lean.c = crd_dot(lean.u, lean.n);
    CrdVec up = crd_axpy(lean.n, -lean.c, lean.u);
    lean.s = crd_norm(up);
    lean.m = crd_scale(1.0 / lean.s, up);
    return lean;
}

CrdVec crd_contact_point(const CrdJointData *j, const CrdPair *p) {
    return crd_axpy(centre_of(j, p), -j->radius, lean_of(j, p).m);
}

CrdVec crd_contact_shift(const CrdJointData *j, const CrdPair *p, const CrdShift *d) {
    Lean lean = lean_of(j, p);
    CrdVec centre = crd_add(d->xb, crd_cross(d->tb, crd_apply(p->b->rotation, j->lb)));
    CrdVec dn = crd_cross(d->ta, lean.n), dm = dn;
    if (j->disc) {
        CrdVec du = crd_cross(d->tb, lean.u);
        double dc = crd_dot(du, lean.n) + crd_dot(lean.u, dn);
        CrdVec dup = crd_axpy(crd_axpy(dn, -dc, lean.u), -lean.c, du);
        dm = crd_scale(1.0 / lean.s, crd_axpy(dup, -crd_dot(lean.m, dup), lean.m));
    }
    return crd_axpy(centre, -j->radius, dm);
}

static void rows_of(const CrdJointData *j, const CrdPair *p, CrdRows out) {
    CrdGap gap = crd_gap_of(j, p);
    double height, bias;
    crd_direction_row(j, p, &gap, j->axis_a, &height, &bias, out.a[0], out.b[0]);
    out.g[0] = height - j->radius;
    out.gamma[0] = -bias;
    if (!j->disc) return;
    CrdCoordinate c;
    crd_align_row(j->axis_a, j->axis_b, p, &c.value, &c.bias, c.a, c.b);
    c.rate = crd_row_rate(c.a, p->a) + crd_row_rate(c.b, p->b);
    double s = lean_of(j, p).s;
    out.g[0] = height - j->radius * s;
    out.gamma[0] -= j->radius * (c.value * c.bias / s + c.rate * c.rate / (s * s * s));
    for (int i = 0; i < 6; i++) {
        out.a[0][i] += j->radius * c.value / s * c.a[i];
        out.b[0][i] += j->radius * c.value / s * c.b[i];
    }
}

static void gradient_of(const CrdJointData *j, const CrdPair *p, CrdRows out) {
    CrdGap gap = crd_gap_of(j, p);
    crd_direction_gradient(j, p, &gap, j->axis_a, out.a[0], out.b[0]);
    if (!j->disc) return;
    CrdCoordinate c;
    CardanTwistRow ga, gb;
    crd_align_row(j->axis_a, j->axis_b, p, &c.value, &c.bias, c.a, c.b);
    crd_align_gradient(j->axis_a, j->axis_b, p, ga, gb);
    c.rate = crd_row_rate(c.a, p->a) + crd_row_rate(c.b, p->b);
    double s = lean_of(j, p).s, bend = c.rate / (s * s * s);
    for (int i = 0; i < 6; i++) {
        out.a[0][i] += j->radius * (c.value / s * ga[i] + bend * c.a[i]);
        out.b[0][i] += j->radius * (c.value / s * gb[i] + bend * c.b[i]);
    }
}

const CrdPart crd_part_contact = {.rows = {1, 1}, .rows_of = rows_of, .gradient_of = gradient_of};
