/* Products with the transposed Jacobian (jacobian.h) without the matrix: what an adjoint needs. Of
 *
 *     dynamics        M a + G^T lambda - f        states   z' - r        accelerations   G a - gamma
 *
 * and one number psi for each of these equations,
 *     out -= psi times their derivatives along displacements x, over velocities v and over states z
 * with, since lambda and psi stand still,
 *     psi_v (G^T lambda)_x = lambda (G psi_v)_x
 * With R = G v + g_t and ' along the motion -gamma = R' at fixed v, so
 *     -gamma_x w = (R_x)' w + R_x (w x v)        -gamma_v w = R_x w + G' w
 * since changes along w and along the motion, both about own axes, differ by their bracket. Rates along the motion are
 * central differences, good to about 1e-10. */
#ifndef CRD_EQUATIONS_PULLBACK_H
#define CRD_EQUATIONS_PULLBACK_H

#include "equations/jacobian.h"

typedef struct CrdPullback {
    const double *v, *z, *rows; /* psi of dynamics (nv), states (first_order), accelerations (rows) */
    double *over_x, *over_v, *over_z;
} CrdPullback;

/* Bodies, joints and couplers alone; what callbacks of users make has no products. */
bool crd_can_pull_back(const CrdStructure *structure);

/* At (q, v) with accelerations a and multipliers lambda, where rows and forces are evaluated. The workspace is
 * elsewhere afterwards. */
CardanStatus crd_pull_back(CrdJacobian *jacobian, const double *q, const double *v, const double *a,
                           const double *lambda, const CrdPullback *pullback);

/* out (nq) += what x (nv), over displacements, is over positions. */
void crd_pull_to_positions(const CrdStructure *structure, const double *q, const double *x, double *out);

#endif
