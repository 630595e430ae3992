/* The two halves of a step: stages with their error estimate, and putting the new state on its constraints. Neither
 * changes the accepted state. */
#ifndef CRD_STEP_ATTEMPT_H
#define CRD_STEP_ATTEMPT_H

#include "step/run.h"

/* Stages and error estimate. norm <= 1: the error is small enough. */
CardanStatus crd_attempt(CrdRun *run, double h, double *norm);

/* Puts the new state on its constraints, makes its followers exact, and finds its slope. Next to a singular pose a
 * correction that is long against the distance to it might change the branch: a shorter step is asked for, or, where steps
 * are fixed or the pose is right there, the correction leaves out the rows that vanish in it. With error control a step
 * past a pose whose energy does not balance is refused too. */
CardanStatus crd_settle(CrdRun *run, double t_new);

#endif
