/* Configurations beside a given one: what its geometry is where it is healthy. */
#ifndef CRD_ANALYSIS_AROUND_H
#define CRD_ANALYSIS_AROUND_H

#include "dynamics/dynamics.h"

/* Evaluates the rows at q moved along a motion so far (lengths of the model or rad; < 0: back). */
CardanStatus crd_evaluate_beside(CrdDynamics *dynamics, double t, const double *q, const double *v,
                                 const double *motion, double far);

/* A start may lie near a pose: what the geometry is where it is healthy shows some way off, on both sides along a
 * motion that the rows allow to first order. The workspace holds the rows and the factor of q; afterwards it does not.
 */
CardanStatus crd_look_around(CrdDynamics *dynamics, double t, const double *q, const double *v);

#endif
