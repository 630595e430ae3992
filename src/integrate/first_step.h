/* A first step size from y, f = f(t, y) and one trial right-hand side (Hairer, Norsett, Wanner, II.4). */
#ifndef CRD_INTEGRATE_FIRST_STEP_H
#define CRD_INTEGRATE_FIRST_STEP_H

#include "integrate/methods/ode.h"
#include "integrate/norm.h"

/* scale->y and y_new are both y. error_order: the error of one step ~ h^error_order. trial and f_trial (n) are scratch.
 * The size has the sign of h_max and at most its size. When the trial fails, *status says so and the size of the trial
 * is returned. */
double crd_first_step(const CrdOde *ode, double t, const CrdScale *scale, const double *f, int error_order,
                      double h_max, double *trial, double *f_trial, CardanStatus *status);

#endif
