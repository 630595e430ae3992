/* Exact derivatives of a measure over displacements and velocities of the bodies it reads. */
#ifndef CRD_TANGENT_SLOPE_H
#define CRD_TANGENT_SLOPE_H

#include "dynamics/dynamics.h"

/* Has it one? Of what laws may read, but for what a force does by laws of its own. */
bool crd_has_slope(const CardanModel *model, const CrdLawMeasure *it);

/* The frames that a measure depends on, number i of them; -1: there are no more. */
int crd_slope_frame(const CardanModel *model, const CrdLawMeasure *it, int i);

/* Derivative along displacement or velocity k of the body with this frame, where rows are evaluated; false: it cannot
 * be told. */
bool crd_slope_along(CrdDynamics *dynamics, const CrdLawMeasure *it, int frame, const CrdBlock *block, int k,
                     bool velocity, double *slope);

#endif
