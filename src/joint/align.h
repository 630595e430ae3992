/* The scalar u_a . u_b of a direction u_a = R_a e fixed in a and u_b = R_b f fixed in b: the formula behind `tilt` and
 * `perpendicular` rows, angles, and the lean of a wheel.
 *     G_a = (0, e x R_a^T u_b)      G_b = (0, f x R_b^T u_a)
 *     bias = u_a'' . u_b + 2 u_a' . u_b' + u_a . u_b''   at zero accelerations */
#ifndef CRD_JOINT_ALIGN_H
#define CRD_JOINT_ALIGN_H

#include "joint/joint.h"

/* Value, twist rows and bias (second derivative at zero accelerations). */
void crd_align_row(CrdVec e, CrdVec f, const CrdPair *pair, double *value, double *bias, double *a, double *b);

/* The rates of two bodies against each other in ground axes, w_a - w_b: a value changes by w . (u_a x u_b). */
static inline CrdVec crd_relative_spin(const CrdPair *pair) {
    return crd_sub(crd_apply(pair->a->rotation, pair->a->w), crd_apply(pair->b->rotation, pair->b->w));
}

/* Twist rows of the derivative of its rate at fixed v, w. */
void crd_align_gradient(CrdVec e, CrdVec f, const CrdPair *pair, double *a, double *b);

#endif
