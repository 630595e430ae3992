/* The two halves of a step: stages with their error estimate, and putting the new state on its constraints. Neither
 * changes the accepted state. */
#ifndef CRD_INTEGRATE_ATTEMPT_H
#define CRD_INTEGRATE_ATTEMPT_H

#include "integrate/integrator.h"

/* Stages and error estimate of a step of size attempt->h; its norm is left in attempt->norm. */
CardanStatus crd_attempt(CrdIntegrator *integrator, CrdTry *attempt);

/* Puts the new state at t_new on its constraints, makes its tracked coordinates exact, and finds its derivative. Next
 * to a singular pose a correction that is long against the distance to it might change the branch: a shorter step is
 * asked for, or, where steps are fixed or the pose is right there, the correction leaves out the rows that vanish in
 * it. */
CardanStatus crd_project_step(CrdIntegrator *integrator, double t_new);

#endif
