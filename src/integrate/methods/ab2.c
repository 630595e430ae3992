/* Adams methods: multistep, so they remember slopes.
 *
 * ab2, on a grid with steps h_old and h, r = h / h_old:
 *     y_new = y + h ((1 + r/2) f - r/2 f_old)              error (1/6 + 1/(4 r)) h^3 y'''
 * started by Heun's method. Its error estimate compares with the trapezoidal rule at the new slope, whose error is
 * -h^3 y''' / 12. (Hairer, Norsett, Wanner, III.1 and III.5) */
#include "integrate/methods/method.h"

#include "core/numbers.h"
#include "integrate/norm.h"

#include <assert.h>
#include <math.h>
#include <string.h>

typedef struct Adams2 {
    double *slope; /* (n) at the new state or at a predicted one */
    double *error; /* (n) of the last attempt */
} Adams2;

/* History: how long ago (s) a slope is remembered from, 0: none, and the slope. Usually it is that before the last
 * step. */
static double last_step(const CrdStepper *stepper) {
    return stepper->history[0];
}

static double *last_slope(const CrdStepper *stepper) {
    return stepper->history + 1;
}

static void layout(CrdStepper *stepper, CrdArena *arena) {
    Adams2 measuring = {0}, *m = crd_take(arena, 1, sizeof *m), *adams = m != NULL ? m : &measuring;
    CRD_TAKE_VECTORS(arena, (size_t)stepper->n, &adams->slope, &adams->error);
    stepper->memory = m;
    stepper->history_size = 1 + stepper->n;
}

/* y_new by Heun's method; leaves the slope at the predicted state. Or by Euler's, as in the papers. */
static CardanStatus start(CrdStepper *stepper, double h) {
    const Adams2 *adams = stepper->memory;
    for (int i = 0; i < stepper->n; i++) stepper->y_new[i] = stepper->y[i] + h * stepper->f[i];
    if (stepper->method == &crd_adams_bashforth2) return CARDAN_OK;
    CRD_TRY(stepper->ode.rhs(stepper->ode.user, stepper->t + h, stepper->y_new, adams->slope));
    for (int i = 0; i < stepper->n; i++)
        stepper->y_new[i] = stepper->y[i] + 0.5 * h * (stepper->f[i] + adams->slope[i]);
    return CARDAN_OK;
}

static CardanStatus attempt(CrdStepper *stepper, double h, bool want_error) {
    const Adams2 *adams = stepper->memory;
    const double *f_old = last_slope(stepper);
    assert(h > 0.0 && stepper->history_size == 1 + stepper->n);
    double h_old = last_step(stepper), r = h_old > 0.0 ? h / h_old : 0.0;
    if (h_old > 0.0)
        for (int i = 0; i < stepper->n; i++)
            stepper->y_new[i] = stepper->y[i] + h * ((1.0 + 0.5 * r) * stepper->f[i] - 0.5 * r * f_old[i]);
    else
        CRD_TRY(start(stepper, h));
    if (!crd_all_finite(stepper->y_new, stepper->n)) return CARDAN_ERR_NUMERIC;
    if (!want_error) return CARDAN_OK;
    CRD_TRY(stepper->ode.rhs(stepper->ode.user, stepper->t + h, stepper->y_new, adams->slope));
    double share = h_old > 0.0 ? (2.0 * r + 3.0) / (3.0 * (r + 1.0)) : 1.0;
    for (int i = 0; i < stepper->n; i++) {
        double trapezoidal = stepper->y[i] + 0.5 * h * (stepper->f[i] + adams->slope[i]);
        adams->error[i] = share * (trapezoidal - stepper->y_new[i]);
    }
    return CARDAN_OK;
}

static double error_norm(const CrdStepper *stepper, double h, const double *weight) {
    (void)h;
    const Adams2 *adams = stepper->memory;
    CrdScale scale = {stepper->n, stepper->y, stepper->y_new, weight, stepper->rtol, stepper->atol, stepper->absolute};
    return sqrt(crd_mean_square(&scale, adams->error));
}

static void accepted(CrdStepper *stepper) {
    double h = stepper->t - stepper->t_old;
    assert(h > 0.0);
    bool crumb = h < CRD_ADAMS_CRUMB * stepper->proposed && stepper->history[0] > 0.0;
    stepper->history[0] = crumb ? stepper->history[0] + h : h; /* a difference over a crumb would be rounding */
    if (crumb) return;
    memcpy(last_slope(stepper), stepper->f_new, (size_t)stepper->n * sizeof *stepper->f_new);
}

const CrdMethod crd_ab2 = {.name = "ab2",
                           .summary = "Adams-Bashforth of order 2, started by Heun's method",
                           .adaptive = true,
                           .formulations = CRD_TAKES_INDEX1,
                           .order = 2,
                           .error_order = 3,
                           .layout = layout,
                           .attempt = attempt,
                           .error_norm = error_norm,
                           .accepted = accepted};
const CrdMethod crd_adams_bashforth2 = {.name = "adams_bashforth2",
                                        .summary = "Adams-Bashforth of order 2, started by Euler's method",
                                        .order = 2,
                                        .layout = layout,
                                        .attempt = attempt,
                                        .accepted = accepted};
