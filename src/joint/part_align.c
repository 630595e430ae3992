/* Alignment of directions: u_a = R_a e fixed in a against u_b = R_b f fixed in b.
 *     g = u_a . u_b            G_a = (0, e x R_a^T u_b)      G_b = (0, f x R_b^T u_a)
 *     gamma = -(u_a'' . u_b + 2 u_a' . u_b' + u_a . u_b'')
 *     gradient: delta of u_a' . u_b + u_a . u_b'
 * Tilt: e the two directions across a's axis, f b's axis. Perpendicular: e and f the axes themselves. */
#include "joint/part.h"

static void dot_row(CrdVec e, CrdVec f, const CrdPair *p, int k, CrdRows out) {
    const CardanFrame *a = p->a, *b = p->b;
    CrdVec te = crd_cross(a->w, e), tf = crd_cross(b->w, f);
    CrdVec ua = crd_apply(a->rotation, e), ub = crd_apply(b->rotation, f);
    CrdVec dua = crd_apply(a->rotation, te), dub = crd_apply(b->rotation, tf);
    CrdVec ddua = crd_apply(a->rotation, crd_cross(a->w, te)), ddub = crd_apply(b->rotation, crd_cross(b->w, tf));
    out.g[k] = crd_dot(ua, ub);
    out.rate_t[k] = 0.0;
    out.gamma[k] = -(crd_dot(ddua, ub) + 2.0 * crd_dot(dua, dub) + crd_dot(ua, ddub));
    crd_put(out.a[k], crd_vec(0, 0, 0));
    crd_put(out.a[k] + 3, crd_cross(e, crd_apply_t(a->rotation, ub)));
    crd_put(out.b[k], crd_vec(0, 0, 0));
    crd_put(out.b[k] + 3, crd_cross(f, crd_apply_t(b->rotation, ua)));
}

static void dot_gradient(CrdVec e, CrdVec f, const CrdPair *p, int k, CrdRows out) {
    const CardanFrame *a = p->a, *b = p->b;
    CrdVec te = crd_cross(a->w, e), tf = crd_cross(b->w, f);
    CrdVec ua = crd_apply(a->rotation, e), ub = crd_apply(b->rotation, f);
    CrdVec dua = crd_apply(a->rotation, te), dub = crd_apply(b->rotation, tf);
    crd_put(out.a[k], crd_vec(0, 0, 0));
    crd_put(out.b[k], crd_vec(0, 0, 0));
    crd_put(out.a[k] + 3,
            crd_add(crd_cross(te, crd_apply_t(a->rotation, ub)), crd_cross(e, crd_apply_t(a->rotation, dub))));
    crd_put(out.b[k] + 3,
            crd_add(crd_cross(tf, crd_apply_t(b->rotation, ua)), crd_cross(f, crd_apply_t(b->rotation, dua))));
}

static void tilt_rows(const CrdJointData *j, const CrdPair *p, CrdRows out) {
    for (int k = 0; k < 2; k++) dot_row(j->ea[k], j->axis_b, p, k, out);
}

static void tilt_gradient(const CrdJointData *j, const CrdPair *p, CrdRows out) {
    for (int k = 0; k < 2; k++) dot_gradient(j->ea[k], j->axis_b, p, k, out);
}

static void perpendicular_rows(const CrdJointData *j, const CrdPair *p, CrdRows out) {
    dot_row(j->axis_a, j->axis_b, p, 0, out);
}

static void perpendicular_gradient(const CrdJointData *j, const CrdPair *p, CrdRows out) {
    dot_gradient(j->axis_a, j->axis_b, p, 0, out);
}

const CrdPart crd_part_tilt = {.rows = {0, 2}, .rows_of = tilt_rows, .gradient_of = tilt_gradient};
const CrdPart crd_part_perpendicular = {
    .rows = {0, 1}, .rows_of = perpendicular_rows, .gradient_of = perpendicular_gradient};
