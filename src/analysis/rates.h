/* Prescribed rates of joint coordinates at the start.
 *
 *     v <- v + P M^-1 R^T mu,    (R P M^-1 R^T) mu = rates - R v,    P = I - M^-1 G^T S^-1 G
 *
 * R holds the rows of the joints' coordinates. The change has the least kinetic energy of all that give these rates and
 * keep the constraints met. */
#ifndef CRD_ANALYSIS_RATES_H
#define CRD_ANALYSIS_RATES_H

#include "dynamics/dynamics.h"

/* Sets the description's start rates in v; the workspace holds the rows of v and its pose, and the factor of S there.
 */
CardanStatus crd_set_rates(CrdDynamics *dynamics, double *v);

#endif
