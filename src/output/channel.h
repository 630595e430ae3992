/* Reactions and channels: numbers a user reads, from what was measured and solved last. */
#ifndef CRD_OUTPUT_CHANNEL_H
#define CRD_OUTPUT_CHANNEL_H

#include "cardan/sim.h"
#include "step/run.h"

/* What body b of the element's joint receives, at the joint's point of b: ground axes, or the joint's axes on a: e1, e2,
 * axis in space; axis, e1 in the plane; a's own axes for a joint without axis. */
CardanWrench crd_reaction(const CrdRun *run, int element, bool local);

/* Whether a channel handed back is one of this model: measure, object and width in range, and a joint that has what is
 * asked of it. */
bool crd_is_channel(const CrdShape *shape, CardanChannel channel);

/* Which of these wrenches (by element) are the same for all multipliers that give this motion. projector: rows x rows,
 * part: rows, both scratch. false: it cannot be told. */
bool crd_reactions_unique(CrdRun *run, double *projector, double *part, bool *unique);

/* Values of one channel; y is the state that was measured and solved. */
void crd_channel_values(const CrdRun *run, const double *y, CardanChannel channel, double *values);

#endif
