/* Is refinement worth its while? Solving is refined where the smallest pivot of S is small (crd_solve_refined). Uneven
 * masses make it so, and great numbers of equal ones: of a chain of n links it is 1 / 2 n, of a long one that is done
 * from both ends (model/paths.h) 1 / n, and what rounding leaves in accelerations is 1e-14 to 1e-12 of them. Where
 * elements are many and what refining changed in one evaluation of an attempt is nothing against the tolerance, it is
 * left out in its other stages, until the pivot falls. Nothing is carried from one attempt to the next, so that a step
 * depends on its state alone. */
#ifndef CRD_INTEGRATE_REFINING_H
#define CRD_INTEGRATE_REFINING_H

#include "integrate/integrator.h"

/* The stages of an attempt of this size under error control begin, or (0) of one without. They end before the
 * derivative at its end, which is what it would be if the run went on from there. */
void crd_refining_begin(CrdIntegrator *integrator, double h);
void crd_refining_end(CrdIntegrator *integrator);

/* After accelerations were solved for: what did refining them change? */
void crd_refining_learn(CrdIntegrator *integrator);

#endif
