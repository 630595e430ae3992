/* One stage of a step backwards, by products with transposed matrices (equations/pullback.h) and the factor of
 * S = G M^-1 G^T of the stage, in place of its matrices. */
#ifndef CRD_TANGENT_PULL_H
#define CRD_TANGENT_PULL_H

#include "tangent/trajectory.h"

/* Can stages be pulled back without matrices? */
bool crd_trajectory_pulls(const CrdTrajectory *trajectory);

/* The workspace is put at stage s of the step at hand, and psi (size), whose first `core` numbers are the right side,
 * becomes L^-T of it. */
CardanStatus crd_trajectory_solve_back(CrdTrajectory *trajectory, long i, int s, double *psi, CrdError *error);

/* After it, of the same stage: back (core) <- -S^T psi; the workspace is elsewhere afterwards. */
CardanStatus crd_trajectory_pull(CrdTrajectory *trajectory, int s, const double *psi, double *back, CrdError *error);

#endif
