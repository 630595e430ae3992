/* Gap: the joint's point of b stands on that of a.
 *     g = p_b - p_a,    p = x + R l      (ground axes; x, y in the plane)
 * With e a ground axis:
 *     G_b = (e, l x R^T e)                          because e . R (w x l) = w . (l x R^T e)
 *     gamma = -(R_b (w_b x (w_b x l_b)) - R_a (w_a x (w_a x l_a)))
 *     gradient: e . R (delta x (w x l)) = delta . ((w x l) x R^T e) */
#include "core/unguarded.h"
#include "joint/part.h"

/* Row k of R is R^T e_k. */
static CrdVec ground_axis(const CardanFrame *frame, int k) {
    return crd_vec_of(frame->rotation + 3 * k);
}

static void put_side(double *row, double sign, int k, CrdVec turning) {
    row[0] = row[1] = row[2] = 0.0;
    row[k] = sign;
    crd_put(row + 3, crd_scale(sign, turning));
}

static CrdVec centripetal(const CardanFrame *frame, CrdVec l) {
    return crd_apply(frame->rotation, crd_cross(frame->w, crd_cross(frame->w, l)));
}

CRD_UNGUARDED static void rows_of(const CrdJointData *data, const CrdPair *pair, CrdRows out) {
    CrdVec pa = crd_add(pair->a->x, crd_apply(pair->a->rotation, data->la));
    CrdVec pb = crd_add(pair->b->x, crd_apply(pair->b->rotation, data->lb));
    CrdVec d = crd_sub(pb, pa), bias = crd_sub(centripetal(pair->a, data->la), centripetal(pair->b, data->lb));
    double gap[3], gamma[3];
    crd_put(gap, d);
    crd_put(gamma, bias);
    for (int k = 0; k < (data->planar ? 2 : 3); k++) {
        out.g[k] = gap[k];
        out.gamma[k] = gamma[k];
        put_side(out.a[k], -1.0, k, crd_cross(data->la, ground_axis(pair->a, k)));
        put_side(out.b[k], 1.0, k, crd_cross(data->lb, ground_axis(pair->b, k)));
    }
}

static void gradient_of(const CrdJointData *data, const CrdPair *pair, CrdRows out) {
    CrdVec ma = crd_cross(pair->a->w, data->la), mb = crd_cross(pair->b->w, data->lb);
    for (int k = 0; k < (data->planar ? 2 : 3); k++) {
        put_side(out.a[k], 0.0, k, crd_vec(0, 0, 0));
        put_side(out.b[k], 0.0, k, crd_vec(0, 0, 0));
        crd_put(out.a[k] + 3, crd_neg(crd_cross(ma, ground_axis(pair->a, k))));
        crd_put(out.b[k] + 3, crd_cross(mb, ground_axis(pair->b, k)));
    }
}

static void residuals_of(const CrdJointData *data, const CrdPair *pair, double *g, double *rate) {
    const CardanFrame *a = pair->a, *b = pair->b;
    CrdVec pa = crd_add(a->x, crd_apply(a->rotation, data->la)), pb = crd_add(b->x, crd_apply(b->rotation, data->lb));
    CrdVec va = crd_add(a->v, crd_apply(a->rotation, crd_cross(a->w, data->la))),
           vb = crd_add(b->v, crd_apply(b->rotation, crd_cross(b->w, data->lb)));
    double gap[3], speed[3];
    crd_put(gap, crd_sub(pb, pa));
    crd_put(speed, crd_sub(vb, va));
    for (int k = 0; k < (data->planar ? 2 : 3); k++) {
        g[k] = gap[k];
        rate[k] = speed[k];
    }
}

const CrdPart crd_part_gap = {.rows = {2, 3},
                              .moves = CRD_MOVES_BY_AXIS,
                              .rows_of = rows_of,
                              .gradient_of = gradient_of,
                              .residuals_of = residuals_of};
