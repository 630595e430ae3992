/* Invariants of the motion that a run holds, besides its constraints: the energy of a conservative model, and those of
 * the user's. Off unless asked for.
 *
 * A motion keeps e(t, q, v) = e_0, steps do not quite. When a step is on its constraints velocities move to where e is
 * kept again, as little as possible in the metric of M and along the constraints:
 *     v <- v - D (E D)^-1 (e - e_0),    E = e_v,   D = P M^-1 E^T,   P = I - M^-1 G^T S^-1 G
 * (Ascher, Chin and Reich, TR 92-17, (3.9) with D on velocities alone, as in its Kepler example), repeated with the
 * same D until nothing moves. Of the energy E^T = M v and P v = v: velocities are scaled. Near rest, where the speed
 * says little of the energy, it waits for a later step. */
#ifndef CRD_GUARD_HOLD_H
#define CRD_GUARD_HOLD_H

#include "integrate/integrator.h"

/* Can what the options ask to hold be held? What is not conservative is refused by name. */
CardanStatus crd_hold_check(const CardanModel *model, const CardanOptions *options, CrdError *error);

/* Is there anything to hold? */
bool crd_hold_is_wanted(const CrdIntegrator *integrator);

/* Takes the guard and its memory from an arena; called twice, measuring and real. */
void *crd_hold_layout(CrdIntegrator *integrator, CrdArena *arena);

extern const CrdGuard crd_hold_guard;

#endif
