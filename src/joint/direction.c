#include "joint/direction.h"

CrdGap crd_gap_of(const CrdJointData *joint, const CrdPair *pair) {
    const CardanFrame *frame = pair->a, *b = pair->b;
    CrdVec ma = crd_cross(frame->w, joint->la), mb = crd_cross(b->w, joint->lb);
    CrdVec ra = crd_apply(frame->rotation, joint->la), rb = crd_apply(b->rotation, joint->lb);
    CrdGap gap;
    gap.arm = crd_sub(crd_add(b->x, rb), frame->x);
    gap.d = crd_sub(gap.arm, ra);
    gap.rate = crd_sub(crd_add(b->v, crd_apply(b->rotation, mb)), crd_add(frame->v, crd_apply(frame->rotation, ma)));
    gap.bias =
        crd_sub(crd_apply(b->rotation, crd_cross(b->w, mb)), crd_apply(frame->rotation, crd_cross(frame->w, ma)));
    return gap;
}

void crd_direction_row(const CrdJointData *joint, const CrdPair *pair, const CrdGap *gap, CrdVec e, double *value,
                       double *bias, double *a, double *b) {
    const CardanFrame *fa = pair->a, *fb = pair->b;
    CrdVec turn = crd_cross(fa->w, e);
    CrdVec u = crd_apply(fa->rotation, e), du = crd_apply(fa->rotation, turn);
    CrdVec ddu = crd_apply(fa->rotation, crd_cross(fa->w, turn));
    *value = crd_dot(u, gap->d);
    *bias = crd_dot(ddu, gap->d) + 2.0 * crd_dot(du, gap->rate) + crd_dot(u, gap->bias);
    crd_put(a, crd_neg(u));
    crd_put(a + 3, crd_cross(e, crd_apply_t(fa->rotation, gap->arm)));
    crd_put(b, u);
    crd_put(b + 3, crd_cross(joint->lb, crd_apply_t(fb->rotation, u)));
}

void crd_direction_gradient(const CrdJointData *joint, const CrdPair *pair, const CrdGap *gap, CrdVec e, double *a,
                            double *b) {
    const CardanFrame *fa = pair->a, *fb = pair->b;
    CrdVec turn = crd_cross(fa->w, e), ma = crd_cross(fa->w, joint->la), mb = crd_cross(fb->w, joint->lb);
    CrdVec u = crd_apply(fa->rotation, e), du = crd_apply(fa->rotation, turn);
    /* delta u' . d + delta u . d' + u' . delta d + u . delta d' */
    CrdVec on_a =
        crd_add(crd_cross(turn, crd_apply_t(fa->rotation, gap->d)), crd_cross(e, crd_apply_t(fa->rotation, gap->rate)));
    on_a = crd_sub(on_a, crd_cross(joint->la, crd_apply_t(fa->rotation, du)));
    on_a = crd_sub(on_a, crd_cross(ma, crd_apply_t(fa->rotation, u)));
    CrdVec on_b =
        crd_add(crd_cross(joint->lb, crd_apply_t(fb->rotation, du)), crd_cross(mb, crd_apply_t(fb->rotation, u)));
    crd_put(a, crd_neg(du));
    crd_put(a + 3, on_a);
    crd_put(b, du);
    crd_put(b + 3, on_b);
}
