/* Where to cross a singular pose inside a step.
 *
 * Stages right next to the pose are the noisy ones, and those early in a step are far off the constraints. So a step that
 * crosses a pose is laid such that the pose falls into a wide gap between the method's nodes c_i, and a step towards a pose
 * ends where the next one can do that. */
#ifndef CRD_STEP_CROSSING_H
#define CRD_STEP_CROSSING_H

struct CrdRun;

/* The size with which the step just tried (of size h, its end settled but not accepted) should be tried again; h itself
 * when it lies well. */
double crd_crossing_plan(const struct CrdRun *run, double h);

#endif
