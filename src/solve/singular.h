/* Near a kinematic singularity.
 *
 * The watch is free: the smallest pivot of S against its diagonal entry, compared with the largest such ratio of the
 * states accepted so far, so that masses alone never raise it. Its root w, the closeness, falls linearly with the
 * distance to the pose. As it falls:
 *     w < CRD_APPROACH   the solve is refined to the accuracy of an orthogonal factorisation, and stages are put on the
 *                        constraints first, because off the manifold accelerations have a pole there
 *     w < CRD_POSE       a rank-revealing look: least squares while the vanishing row still says something, and in the
 *                        pose itself the next derivative of the constraints, which determines what G a = gamma does not:
 *                            a = (a1 + 2 a0) / 3
 *                        with a0 the acceleration without the vanished row and a1 the mean of the ordinary accelerations
 *                        at (q +- d v + d^2 a0 / 2, v +- d a0), extrapolated to d = 0 (SINGULARITIES; from
 *                        3 u' G' a = u' (gamma_q N v) for the left null vector u). */
#ifndef CRD_SOLVE_SINGULAR_H
#define CRD_SOLVE_SINGULAR_H

#include "solve/dynamics.h"

/* Distance to a singular pose as the last factor shows it: 1 far from any, 0 in one. */
double crd_closeness(const CrdDynamics *dynamics);

/* Should stages be put on the constraints here? */
bool crd_approaching(const CrdDynamics *dynamics);

/* The motion by the method `auto`. */
CardanStatus crd_motion_auto(CrdDynamics *dynamics, const double *q, const double *v);

/* The motion by a rank-revealing solve at the generic rank. */
CardanStatus crd_motion_by_rank(CrdDynamics *dynamics, const double *q, const double *v);

/* Elements with a row in the dependency of the pose measured last; false: the model is too large for a look. */
bool crd_singular_elements(CrdDynamics *dynamics, bool *element);

#endif
