/* The guard of rotation vectors that are tracked: no step goes beyond the turn up to which they are trusted. */
#ifndef CRD_GUARD_TURN_H
#define CRD_GUARD_TURN_H

#include "integrate/integrator.h"

/* Its self is the integrator; it remembers nothing. */
extern const CrdGuard crd_turn_guard;

/* For a state y at t that was set from outside, whose rows the workspace holds: a rotation vector that would be beyond
 * the limit, by continuing the one before, begins anew as the shortest. The workspace holds the rows of y then. */
CardanStatus crd_turns_begin_anew(CrdIntegrator *integrator, double t, double *y);

#endif
