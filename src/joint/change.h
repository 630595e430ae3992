/* How things carried by frames change along small changes of the frames (CardanFrameChange): the tangents derivatives
 * are made of. With l fixed in a frame and u any vector in ground axes,
 *     d(R l) = R (turn x l),      d(R^T u) = R^T du - turn x R^T u. */
#ifndef CRD_JOINT_CHANGE_H
#define CRD_JOINT_CHANGE_H

#include "joint/joint.h"

typedef CardanFrameChange CrdChange;

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
