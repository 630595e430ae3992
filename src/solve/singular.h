/* Near a kinematic singularity.
 *
 * The watch is free: the smallest pivot of S against its diagonal entry, compared with the largest such ratio of the
 * states accepted so far, so that masses alone never raise it. Its root w, the closeness, falls linearly with the
 * distance to the pose. There the constraints are like x y = 0 on the branch y = 0, x = w: rounding leaves eps/w in y,
 * eps/w^2 in y' and so eps/w^3 in y''. As w falls:
 *     w < CRD_APPROACH   the solve is refined to the accuracy of an orthogonal factorisation, and stages are put on the
 *                        constraints first, because off them accelerations have a pole there
 *     w < CRD_LAND       the row that vanishes is left out, and what it would say is taken from neighbours along the
 *                        motion, on both sides of the pose, where it still says it:
 *
 * With a0 the acceleration without the weak row and A(d) the mean of the ordinary accelerations at
 * (q +- d v + d^2 a0 / 2, v +- d a0), the wrong part e of a0 comes back as -k e, k = 2 / (1 - r^2), r the distance to the
 * pose in units of d, seen by the closeness of the two neighbours. So
 *     A(d) = a - k(d) (a0 - a) + c2 d^2 + c4 d^4 + ...
 * and three distances give a. In the pose itself (r = 0) it is a = (A + 2 a0) / 3, which is the next derivative of the
 * constraints, 3 u' G' a = u' (gamma_q N v) for the left null vector u (SINGULARITIES). */
#ifndef CRD_SOLVE_SINGULAR_H
#define CRD_SOLVE_SINGULAR_H

#include "solve/dynamics.h"

/* Distance to a singular pose as the last factor shows it: 1 far from any, 0 in one. */
double crd_closeness(const CrdDynamics *dynamics);

/* Should stages be put on the constraints here? */
bool crd_approaching(const CrdDynamics *dynamics);

/* What the method does about a motion that was solved for near a singular pose. */
CardanStatus crd_near_pose(CrdDynamics *dynamics, const double *q, const double *v);

/* The motion by a rank-revealing solve at the generic rank. */
CardanStatus crd_solve_by_rank(CrdDynamics *dynamics);

/* Elements with a row in the dependency of the pose measured last. false: a rank-revealing look finds none; models too
 * large for it are believed. */
bool crd_singular_elements(CrdDynamics *dynamics, bool *element);

/* Where rows are redundant, multipliers are not unique: puts those of least D^-1 lambda (rows scaled by their length in the
 * metric of M^-1) in place of the ones a factor with left-out rows gave. The motion is not changed. */
void crd_least_multipliers(CrdDynamics *dynamics);

#endif
