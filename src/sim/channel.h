/* Reactions and channels: numbers a user reads, from what the workspace holds. */
#ifndef CRD_SIM_CHANNEL_H
#define CRD_SIM_CHANNEL_H

#include "cardan/sim.h"
#include "integrate/integrator.h"

/* What body b of the element's joint receives, at the joint's point of b: ground axes, or the joint's axes on a: e1,
 * e2, axis in space; axis, e1 in the plane; a's own axes for a joint without axis. */
CardanWrench crd_reaction(const CrdIntegrator *integrator, int element, bool local);

/* Whether a channel handed back is one of this model: measure, object and width in range, and a joint that has what is
 * asked of it. */
bool crd_is_channel(const CrdStructure *structure, CardanChannel channel);

/* Which of these wrenches (by element) are the same for all multipliers that give this motion. projector: rows x rows,
 * part: rows, both scratch. false: it cannot be told. */
bool crd_reactions_unique(CrdIntegrator *integrator, double *projector, double *part, bool *unique);

/* Values of one channel; y is the state whose motion the workspace holds. */
void crd_channel_values(CrdIntegrator *integrator, const double *y, CardanChannel channel, double *values);

#endif
