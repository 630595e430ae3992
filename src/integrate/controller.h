/* Step size from the error of the step before: a PI controller. A zeroed controller is a new one; it is plain data,
 * part of what a checkpoint keeps. */
#ifndef CRD_INTEGRATE_CONTROLLER_H
#define CRD_INTEGRATE_CONTROLLER_H

#include "integrate/methods/stepper.h"

typedef struct CrdController {
    double error_old;   /* error norm of the last accepted step; 0 before the first */
    double h_next;      /* s; what it proposes; 0: not known yet */
    bool rejected_last; /* the last attempt was rejected or failed: the next accepted one may not grow */
} CrdController;

/* The smallest step that still advances t reliably. */
double crd_smallest_step(double t);

/* Whether a step with this error norm is good enough; a NaN is not. */
bool crd_controller_accepts(double norm);

/* Each returns the size to try next, with the sign of h, after an attempt of size h that ... */

/* ... was accepted with this norm. The norm ~ h^error_order; beta: weight of the last error, 0 = none. */
double crd_controller_accepted(CrdController *controller, int error_order, double beta, double norm, double h);

/* ... was rejected with this norm, which may be infinite or NaN. */
double crd_controller_rejected(CrdController *controller, int error_order, double norm, double h);

/* ... could not be computed at all. */
double crd_controller_failed(CrdController *controller, double h);

/* ... had this norm, as the stepper's method chooses it: by itself, or by the controller. */
double crd_resized(CrdController *controller, CrdStepper *stepper, double norm, double h, bool accepted);

#endif
