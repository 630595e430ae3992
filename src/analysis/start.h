/* Where a simulation begins: the description's pose and velocities, put on the constraints or refused. */
#ifndef CRD_ANALYSIS_START_H
#define CRD_ANALYSIS_START_H

#include "integrate/integrator.h"

/* run->stepper.y holds positions, velocities and tracked coordinates as written; afterwards it meets the constraints,
 * and the tracked coordinates are exact. CARDAN_REMARK: something small was moved, the sentence says how much.
 * Failures: constraints not met (CARDAN_ERR_MODEL names the worst joints), rows that are redundant (CARDAN_ERR_MODEL)
 * or dependent in just this pose (CARDAN_ERR_NUMERIC), a rate that is not free (CARDAN_ERR_MODEL). */
CardanStatus crd_start(CrdIntegrator *integrator);

#endif
