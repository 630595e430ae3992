/* Which guards an integrator has. */
#ifndef CRD_GUARD_GUARDS_H
#define CRD_GUARD_GUARDS_H

#include "integrate/integrator.h"

/* Gives the integrator, which is laid out, the guards its model has something for; called twice, measuring and real. */
void crd_guards_install(CrdIntegrator *integrator, CrdArena *arena);

#endif
