/* Hairer, Norsett, Wanner, II.4, where the time is measured in seconds. Here it is measured in the way to the limit, u,
 * so that a slow copy of a motion begins as the motion does:
 *     h = u (0.01 / max(|y'| u, |y''| u^2))^(1 / error_order)
 * within a hundred trial steps, each a hundredth of the motion's own time scale |y| / |y'|. Where there is no limit u
 * is a second: something has to be. A state near zero, as coordinates of joints are where a motion starts, says nothing
 * of time: after a short trial step the scale is |y'| / |y''|, and a second one is made. */
#include "integrate/first_step.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <stdbool.h>

#include "core/numbers.h"

/* |y''| from the slope after an Euler step of h. */
static double bend(const CrdOde *ode, double t, const CrdScale *scale, const double *f, double h, double *trial,
                   double *f_trial, CardanStatus *status) {
    for (int i = 0; i < ode->n; ++i) trial[i] = scale->y[i] + h * f[i];
    *status = ode->rhs(ode->user, t + h, trial, f_trial);
    if (*status < 0) return 0.0;
    for (int i = 0; i < ode->n; ++i) f_trial[i] -= f[i];
    return sqrt(crd_mean_square(scale, f_trial)) / fabs(h);
}

double crd_first_step(const CrdOde *ode, double t, const CrdScale *scale, const double *f, int error_order,
                      double h_max, double *trial, double *f_trial, CardanStatus *status) {
    assert(error_order > 0 && scale->n == ode->n && h_max != 0.0);
    double largest = fabs(h_max), room = isfinite(largest) ? largest : 1.0;
    double size = sqrt(crd_mean_square(scale, scale->y)), speed = sqrt(crd_mean_square(scale, f));
    bool known = size >= CRD_FIRST_SMALL, moves = speed * room >= CRD_FIRST_SMALL;
    double tried = known && moves ? CRD_FIRST_FRACTION * (size / speed) : CRD_FIRST_STEP * room;
    tried = fmin(largest, tried);
    double bent = bend(ode, t, scale, f, copysign(tried, h_max), trial, f_trial, status);
    double own = CRD_FIRST_FRACTION * (speed / bent);
    if (*status >= 0 && !known && moves && own > tried && own < largest) {
        tried = own;
        bent = bend(ode, t, scale, f, copysign(tried, h_max), trial, f_trial, status);
    }
    double steepest = fmax(speed * room, bent * room * room);
    if (*status < 0 || !(steepest <= DBL_MAX)) return copysign(tried, h_max);
    double best = steepest <= CRD_FIRST_FLAT ? fmax(CRD_FIRST_STEP * room, CRD_FIRST_FLAT_FACTOR * tried)
                                             : room * pow(CRD_FIRST_FRACTION / steepest, 1.0 / error_order);
    return copysign(fmin(fmin(CRD_FIRST_GROW * tried, best), largest), h_max);
}
