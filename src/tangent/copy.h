/* Analyses work on a copy of the simulation they are asked of: nothing of the run is changed by them, not even what it
 * remembers. */
#ifndef CRD_TANGENT_COPY_H
#define CRD_TANGENT_COPY_H

#include "sim/sim.h"

/* Calls work with a copy; its sentence, where it fails, becomes the simulation's. */
CardanStatus crd_on_copy(CardanSim *sim, CardanStatus (*work)(CardanSim *copy, void *user), void *user);

#endif
