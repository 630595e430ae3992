/* How things carried by frames change along small changes of the frames (CardanFrameChange): the tangents derivatives
 * are made of. With l fixed in a frame and u any vector in ground axes,
 *     d(R l) = R (turn x l),      d(R^T u) = R^T du - turn x R^T u. */
#ifndef CRD_JOINT_CHANGE_H
#define CRD_JOINT_CHANGE_H

#include "core/rotation.h"
#include "joint/joint.h"

#include <assert.h>
#include <string.h>

typedef CardanFrameChange CrdChange;

/* Component k of a change: 0..2 x, 3..5 turn, 6..8 v, 9..11 w. */
static inline double *crd_change_component(CrdChange *change, int k) {
    assert(k >= 0 && k < 12);
    CrdVec *part[4] = {&change->x, &change->turn, &change->v, &change->w};
    double *const at[3] = {&part[k / 3]->x, &part[k / 3]->y, &part[k / 3]->z};
    return at[k % 3];
}

/* Is there such a component? In the plane frames move in it and turn about z. */
static inline bool crd_change_exists(CardanSpace space, int k) {
    return space == CARDAN_SPACE_SPATIAL || k % 6 < 2 || k % 6 == 5;
}

/* The frame after h times a change. */
static inline CardanFrame crd_changed_frame(const CardanFrame *frame, const CrdChange *change, double h) {
    CardanFrame out = *frame;
    CrdMat turn = crd_matrix_of(crd_quat_of(crd_scale(h, change->turn))), r = crd_mul(frame->rotation, turn.m);
    memcpy(out.rotation, r.m, sizeof out.rotation);
    out.x = crd_axpy(frame->x, h, change->x);
    out.v = crd_axpy(frame->v, h, change->v);
    out.w = crd_axpy(frame->w, h, change->w);
    out.angle += h * change->turn.z;
    return out;
}

/* d(R l) */
static inline CrdVec crd_carried_change(const CardanFrame *frame, const CrdChange *change, CrdVec l) {
    return crd_apply(frame->rotation, crd_cross(change->turn, l));
}

/* d(R^T u), given own = R^T u and du. */
static inline CrdVec crd_own_change(const CardanFrame *frame, const CrdChange *change, CrdVec own, CrdVec du) {
    return crd_sub(crd_apply_t(frame->rotation, du), crd_cross(change->turn, own));
}

/* A point fixed in a frame: where it is and how it moves, ground axes. */
typedef struct CrdPoint {
    CrdVec p, u; /* m, m/s */
} CrdPoint;

/* A point of the ground in own axes. */
static inline CrdVec crd_own_point(const CardanFrame *frame, CrdVec point) {
    return crd_apply_t(frame->rotation, crd_sub(point, frame->x));
}

static inline CrdPoint crd_point_of(const CardanFrame *frame, CrdVec l) {
    return (CrdPoint){crd_add(frame->x, crd_apply(frame->rotation, l)),
                      crd_add(frame->v, crd_apply(frame->rotation, crd_cross(frame->w, l)))};
}

static inline CrdPoint crd_point_change(const CardanFrame *frame, const CrdChange *change, CrdVec l) {
    CrdVec moving = crd_add(crd_cross(change->turn, crd_cross(frame->w, l)), crd_cross(change->w, l)); /* own axes */
    return (CrdPoint){crd_add(change->x, crd_carried_change(frame, change, l)),
                      crd_add(change->v, crd_apply(frame->rotation, moving))};
}

/* A point l of b as a sees it: s = R_a^T (p_b - x_a), s' = R_a^T (u_b - v_a) - w_a x s; own axes of a. */
typedef struct CrdSeen {
    CrdVec s, ds; /* m, m/s */
} CrdSeen;

static inline CrdSeen crd_seen_point(const CardanFrame *from, const CardanFrame *b, CrdVec l) {
    CrdPoint at = crd_point_of(b, l);
    CrdVec s = crd_own_point(from, at.p);
    return (CrdSeen){s, crd_sub(crd_apply_t(from->rotation, crd_sub(at.u, from->v)), crd_cross(from->w, s))};
}

static inline CrdSeen crd_seen_change(const CardanFrame *from, const CardanFrame *b, CrdVec l, const CrdSeen *seen,
                                      const CrdChange *da, const CrdChange *db) {
    CrdPoint at = crd_point_of(b, l), change = crd_point_change(b, db, l);
    CrdVec u = crd_apply_t(from->rotation, crd_sub(at.u, from->v));
    CrdVec ds = crd_own_change(from, da, seen->s, crd_sub(change.p, da->x));
    CrdVec du = crd_own_change(from, da, u, crd_sub(change.u, da->v));
    return (CrdSeen){ds, crd_sub(du, crd_add(crd_cross(da->w, seen->s), crd_cross(from->w, ds)))};
}

/* Changes of a joint's coordinate, of its rate and of its twist rows along changes of the frames of a and b. */
void crd_joint_coordinate_change(CardanCoordinate which, const CrdJointData *joint, const CrdPair *pair,
                                 const CrdChange *change, const CrdChange *b, CrdCoordinate *out);

#endif
