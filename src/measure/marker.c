/* Markers as frames: with l and C the place and axes of a marker in its frame x, R, v, w,
 *     x_m = x + R l,   R_m = R C,   v_m = v + R (w x l),   w_m = C^T w,
 *     a_m = a + alpha x R l + w x (w x R l)   with a, alpha and w in ground axes. */
#include "measure/measure.h"

CardanFrame crd_marker_frame(const CrdMarker *marker, const CardanFrame *frame) {
    CrdPoint at = crd_point_of(frame, marker->local);
    CrdMat rotation = crd_mul(frame->rotation, marker->rotation);
    CardanFrame out = {.x = at.p, .v = at.u, .w = crd_apply_t(marker->rotation, frame->w)};
    memcpy(out.rotation, rotation.m, sizeof out.rotation);
    out.angle = frame->angle + marker->angle;
    return out;
}

CrdChange crd_marker_change(const CrdMarker *marker, const CardanFrame *frame, const CrdChange *change) {
    CrdPoint at = crd_point_change(frame, change, marker->local);
    return (CrdChange){.x = at.p,
                       .turn = crd_apply_t(marker->rotation, change->turn),
                       .v = at.u,
                       .w = crd_apply_t(marker->rotation, change->w)};
}

CrdFrameRate crd_marker_rate(const CrdMarker *marker, const CardanFrame *frame, const CrdFrameRate *rate) {
    CrdVec arm = crd_apply(frame->rotation, marker->local), w = crd_apply(frame->rotation, frame->w);
    CrdVec turning = crd_add(crd_cross(rate->alpha, arm), crd_cross(w, crd_cross(w, arm)));
    return (CrdFrameRate){crd_add(rate->a, turning), rate->alpha};
}
