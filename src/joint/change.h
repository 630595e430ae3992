/* How things carried by frames change along small changes of the frames (CardanFrameChange): the tangents derivatives
 * are made of. With l fixed in a frame and u any vector in ground axes,
 *     d(R l) = R (turn x l),      d(R^T u) = R^T du - turn x R^T u. */
#ifndef CRD_JOINT_CHANGE_H
#define CRD_JOINT_CHANGE_H

#include "core/rotation.h"
#include "joint/joint.h"

#include <string.h>

typedef CardanFrameChange CrdChange;

/* Component k of a change: 0..2 x, 3..5 turn, 6..8 v, 9..11 w. */
static inline double *crd_change_component(CrdChange *change, int k) {
    CrdVec *part[4] = {&change->x, &change->turn, &change->v, &change->w};
    double *const at[3] = {&part[k / 3]->x, &part[k / 3]->y, &part[k / 3]->z};
    return at[k % 3];
}

/* Is there such a component? In the plane frames move in it and turn about z. */
static inline bool crd_change_exists(CardanSpace space, int k) {
    return space == CARDAN_SPATIAL || k % 6 < 2 || k % 6 == 5;
}

/* The frame after h times a change. */
static inline CardanFrame crd_changed_frame(const CardanFrame *f, const CrdChange *d, double h) {
    CardanFrame out = *f;
    CrdMat turn = crd_matrix_of(crd_quat_of(crd_scale(h, d->turn))), r = crd_mul(f->rotation, turn.m);
    memcpy(out.rotation, r.m, sizeof out.rotation);
    out.x = crd_axpy(f->x, h, d->x);
    out.v = crd_axpy(f->v, h, d->v);
    out.w = crd_axpy(f->w, h, d->w);
    out.angle += h * d->turn.z;
    return out;
}

/* d(R l) */
static inline CrdVec crd_carried_change(const CardanFrame *f, const CrdChange *d, CrdVec l) {
    return crd_apply(f->rotation, crd_cross(d->turn, l));
}

/* d(R^T u), given own = R^T u and du. */
static inline CrdVec crd_own_change(const CardanFrame *f, const CrdChange *d, CrdVec own, CrdVec du) {
    return crd_sub(crd_apply_t(f->rotation, du), crd_cross(d->turn, own));
}

/* A point fixed in a frame: where it is and how it moves, ground axes. */
typedef struct CrdPoint {
    CrdVec p, u; /* m, m/s */
} CrdPoint;

static inline CrdPoint crd_point_of(const CardanFrame *f, CrdVec l) {
    return (CrdPoint){crd_add(f->x, crd_apply(f->rotation, l)),
                      crd_add(f->v, crd_apply(f->rotation, crd_cross(f->w, l)))};
}

static inline CrdPoint crd_point_change(const CardanFrame *f, const CrdChange *d, CrdVec l) {
    CrdVec moving = crd_add(crd_cross(d->turn, crd_cross(f->w, l)), crd_cross(d->w, l)); /* own axes */
    return (CrdPoint){crd_add(d->x, crd_carried_change(f, d, l)), crd_add(d->v, crd_apply(f->rotation, moving))};
}

/* Changes of a joint's coordinate, of its rate and of its twist rows along changes of the frames of a and b. */
void crd_joint_coordinate_change(CardanCoordinate which, const CrdJointData *joint, const CrdPair *pair,
                                 const CrdChange *a, const CrdChange *b, CrdCoordinate *out);

#endif
