/* The steppers of the laboratory: the engine's own (integrate/methods), each with what it takes of a system.
 *
 *     euler, midpoint, heun, kutta3, rk4, dopri5, dop853     explicit Runge-Kutta
 *     adams_bashforth2                                       first step by forward Euler
 *     backward_euler, trapezoidal, implicit_midpoint         one implicit stage
 *     gbs4, gbs6                                             extrapolated midpoint rule
 *     gauss4, gauss6, radau5                                 collocation
 *     verlet, rattle                                         symmetric, for accelerations
 *     half_explicit_...                                      explicit in z, implicit in the multipliers (LEC10, 10.1.5)
 * and by tolerance (integrate.h) dop853, radau5, bdf. */
#ifndef CRD_LAB_STEPPER_H
#define CRD_LAB_STEPPER_H

#include "integrate/methods/method.h"
#include "lab/system.h"

typedef struct CrdLabStepper {
    const char *name;
    int order; /* on ODEs */
    const CrdMethod *method;
    const char *(*refuse)(const CrdLabSystem *system); /* why it does not fit; NULL: it does */
    bool remembers; /* uses the slope of the step before, so its unknowns must keep their meaning */
    bool between;   /* meets algebraic equations inside a step and not at its end */
} CrdLabStepper;

/* NULL when there is none of this name, or after the last. */
const CrdLabStepper *crd_lab_stepper(const char *name);
const CrdLabStepper *crd_lab_stepper_at(int i);

#endif
