/* Joint coordinates at which a simulation shall start (`start: joints`). */
#ifndef CRD_ANALYSIS_START_JOINTS_H
#define CRD_ANALYSIS_START_JOINTS_H

#include "integrate/integrator.h"

/* Moves the positions in run->stepper.y to where the joints have the coordinates that the description asks for, closed;
 * nothing to do where it asks for none. CARDAN_ERR_MODEL names what cannot be met. */
CardanStatus crd_start_joints(CrdIntegrator *run);

#endif
