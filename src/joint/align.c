#include "joint/align.h"

void crd_align_row(CrdVec e, CrdVec f, const CrdPair *pair, double *value, double *bias, double *row_a, double *row_b) {
    const CardanFrame *frame = pair->a, *b = pair->b;
    CrdVec te = crd_cross(frame->w, e), tf = crd_cross(b->w, f);
    CrdVec ua = crd_apply(frame->rotation, e), ub = crd_apply(b->rotation, f);
    CrdVec dua = crd_apply(frame->rotation, te), dub = crd_apply(b->rotation, tf);
    CrdVec ddua = crd_apply(frame->rotation, crd_cross(frame->w, te)),
           ddub = crd_apply(b->rotation, crd_cross(b->w, tf));
    *value = crd_dot(ua, ub);
    *bias = crd_dot(ddua, ub) + 2.0 * crd_dot(dua, dub) + crd_dot(ua, ddub);
    crd_put(row_a, crd_vec(0, 0, 0));
    crd_put(row_a + 3, crd_cross(e, crd_apply_t(frame->rotation, ub)));
    crd_put(row_b, crd_vec(0, 0, 0));
    crd_put(row_b + 3, crd_cross(f, crd_apply_t(b->rotation, ua)));
}

void crd_align_gradient(CrdVec e, CrdVec f, const CrdPair *pair, double *row_a, double *row_b) {
    const CardanFrame *frame = pair->a, *b = pair->b;
    CrdVec te = crd_cross(frame->w, e), tf = crd_cross(b->w, f);
    CrdVec ua = crd_apply(frame->rotation, e), ub = crd_apply(b->rotation, f);
    CrdVec dua = crd_apply(frame->rotation, te), dub = crd_apply(b->rotation, tf);
    crd_put(row_a, crd_vec(0, 0, 0));
    crd_put(row_b, crd_vec(0, 0, 0));
    crd_put(row_a + 3,
            crd_add(crd_cross(te, crd_apply_t(frame->rotation, ub)), crd_cross(e, crd_apply_t(frame->rotation, dub))));
    crd_put(row_b + 3,
            crd_add(crd_cross(tf, crd_apply_t(b->rotation, ua)), crd_cross(f, crd_apply_t(b->rotation, dua))));
}
