/* Gap: the joint's point of b stands on that of a.
 *     g = p_b - p_a,    p = x + R l      (ground axes; x, y in the plane)
 * With e a ground axis:
 *     G_b = (e, l x R^T e)                          because e . R (w x l) = w . (l x R^T e)
 *     gamma = -(R_b (w_b x (w_b x l_b)) - R_a (w_a x (w_a x l_a)))
 *     gradient: e . R (delta x (w x l)) = delta . ((w x l) x R^T e) */
#include "joint/part.h"

/* Row k of R is R^T e_k. */
static CrdVec ground_axis(const CardanFrame *f, int k) {
    return crd_vec_of(f->rotation + 3 * k);
}

static void put_side(double *row, double sign, int k, CrdVec turning) {
    row[0] = row[1] = row[2] = 0.0;
    row[k] = sign;
    crd_put(row + 3, crd_scale(sign, turning));
}

static CrdVec centripetal(const CardanFrame *f, CrdVec l) {
    return crd_apply(f->rotation, crd_cross(f->w, crd_cross(f->w, l)));
}

static void rows_of(const CrdJointData *j, const CrdPair *p, CrdRows out) {
    CrdVec pa = crd_add(p->a->x, crd_apply(p->a->rotation, j->la));
    CrdVec pb = crd_add(p->b->x, crd_apply(p->b->rotation, j->lb));
    CrdVec d = crd_sub(pb, pa), bias = crd_sub(centripetal(p->a, j->la), centripetal(p->b, j->lb));
    double gap[3], gamma[3];
    crd_put(gap, d);
    crd_put(gamma, bias);
    for (int k = 0; k < (j->planar ? 2 : 3); k++) {
        out.g[k] = gap[k];
        out.gamma[k] = gamma[k];
        put_side(out.a[k], -1.0, k, crd_cross(j->la, ground_axis(p->a, k)));
        put_side(out.b[k], 1.0, k, crd_cross(j->lb, ground_axis(p->b, k)));
    }
}

static void gradient_of(const CrdJointData *j, const CrdPair *p, CrdRows out) {
    CrdVec ma = crd_cross(p->a->w, j->la), mb = crd_cross(p->b->w, j->lb);
    for (int k = 0; k < (j->planar ? 2 : 3); k++) {
        put_side(out.a[k], 0.0, k, crd_vec(0, 0, 0));
        put_side(out.b[k], 0.0, k, crd_vec(0, 0, 0));
        crd_put(out.a[k] + 3, crd_neg(crd_cross(ma, ground_axis(p->a, k))));
        crd_put(out.b[k] + 3, crd_cross(mb, ground_axis(p->b, k)));
    }
}

const CrdPart crd_part_gap = {.rows = {2, 3}, .rows_of = rows_of, .gradient_of = gradient_of};
