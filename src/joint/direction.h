/* The scalar u . d with u = R_a e fixed in a and d = p_b - p_a: the formula behind `off` rows and displacements.
 *     (u . d)' = u' . d + u . d'
 *     G_b = (u, l_b x R_b^T u)     G_a = (-u, e x R_a^T (p_b - x_a))
 *     bias = u'' . d + 2 u' . d' + u . d''   at zero accelerations */
#ifndef CRD_JOINT_DIRECTION_H
#define CRD_JOINT_DIRECTION_H

#include "joint/joint.h"

/* What the rows of one joint share: the gap and its rates. */
typedef struct CrdGap {
    CrdVec d, rate, bias; /* p_b - p_a, its velocity, its acceleration at zero accelerations; ground axes */
    CrdVec arm;           /* p_b - x_a, ground axes */
} CrdGap;

CrdGap crd_gap_of(const CrdJointData *joint, const CrdPair *pair);

/* Value, twist rows and bias (second derivative at zero accelerations) of u . d. */
void crd_direction_row(const CrdJointData *joint, const CrdPair *pair, const CrdGap *gap, CrdVec e, double *value,
                       double *bias, double *a, double *b);

/* Twist rows of the derivative of (u . d)' at fixed v, w. */
void crd_direction_gradient(const CrdJointData *joint, const CrdPair *pair, const CrdGap *gap, CrdVec e, double *a,
                            double *b);

/* What a distance is to be, in m; 0 when a law gives it. */
double crd_bar_length(const CrdJointData *joint);

/* The same two of |d|; formulas in distance.c. */
void crd_length_row(const CrdJointData *joint, const CrdPair *pair, double *value, double *bias, double *a, double *b);
void crd_length_gradient(const CrdJointData *joint, const CrdPair *pair, double *a, double *b);

#endif
