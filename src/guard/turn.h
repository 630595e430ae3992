/* The guard of rotation vectors that are tracked: no step goes beyond the turn up to which they are trusted. */
#ifndef CRD_GUARD_TURN_H
#define CRD_GUARD_TURN_H

#include "integrate/integrator.h"

/* Its self is the integrator; it remembers nothing. */
extern const CrdGuard crd_turn_guard;

#endif
