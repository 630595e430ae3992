/* Adams methods: multistep, so they remember slopes.
 *
 * ab2, on a grid with steps h_old and h, r = h / h_old:
 *     y_new = y + h ((1 + r/2) f - r/2 f_old)              error (1/6 + 1/(4 r)) h^3 y'''
 * started by Heun's method. Its error estimate compares with the trapezoidal rule at the new slope, whose error is
 * -h^3 y''' / 12. (Hairer, Norsett, Wanner, III.1 and III.5) */
#include "step/method.h"
#include "step/run.h"

#include "core/numbers.h"
#include "step/norm.h"

#include <math.h>
#include <string.h>

typedef struct Adams2 {
    double *slope; /* (n) at the new state or at a predicted one */
    double *error; /* (n) of the last attempt */
} Adams2;

/* History: how long ago (s) a slope is remembered from, 0: none, and the slope. Usually it is that before the last step. */
static double last_step(const CrdRun *run) {
    return run->history[0];
}

static double *last_slope(const CrdRun *run) {
    return run->history + 1;
}

static void layout(CrdRun *run, CrdArena *arena) {
    Adams2 measuring, *m = crd_take(arena, 1, sizeof *m), *adams = m != NULL ? m : &measuring;
    adams->slope = crd_take(arena, (size_t)run->n, sizeof(double));
    adams->error = crd_take(arena, (size_t)run->n, sizeof(double));
    run->memory = m;
    run->history_size = 1 + run->n;
}

/* y_new by Heun's method; leaves the slope at the predicted state. */
static CardanStatus start(CrdRun *run, double h) {
    const Adams2 *adams = run->memory;
    for (int i = 0; i < run->n; i++) run->y_new[i] = run->y[i] + h * run->f[i];
    CRD_TRY(run->ode.rhs(run->ode.user, run->t + h, run->y_new, adams->slope));
    for (int i = 0; i < run->n; i++) run->y_new[i] = run->y[i] + 0.5 * h * (run->f[i] + adams->slope[i]);
    return CARDAN_OK;
}

static CardanStatus attempt(CrdRun *run, double h, bool want_error) {
    const Adams2 *adams = run->memory;
    const double *f_old = last_slope(run);
    double h_old = last_step(run), r = h_old > 0.0 ? h / h_old : 0.0;
    if (h_old > 0.0)
        for (int i = 0; i < run->n; i++)
            run->y_new[i] = run->y[i] + h * ((1.0 + 0.5 * r) * run->f[i] - 0.5 * r * f_old[i]);
    else
        CRD_TRY(start(run, h));
    if (!crd_all_finite(run->y_new, run->n)) return CARDAN_ERR_NUMERIC;
    if (!want_error) return CARDAN_OK;
    CRD_TRY(run->ode.rhs(run->ode.user, run->t + h, run->y_new, adams->slope));
    double share = h_old > 0.0 ? (2.0 * r + 3.0) / (3.0 * (r + 1.0)) : 1.0;
    for (int i = 0; i < run->n; i++) {
        double trapezoidal = run->y[i] + 0.5 * h * (run->f[i] + adams->slope[i]);
        adams->error[i] = share * (trapezoidal - run->y_new[i]);
    }
    return CARDAN_OK;
}

static double error_norm(const CrdRun *run, double h, const double *weight) {
    (void)h;
    const Adams2 *adams = run->memory;
    CrdScale scale = {run->n, run->y, run->y_new, weight, run->options.rtol, run->options.atol};
    return sqrt(crd_mean_square(&scale, adams->error));
}

static void accepted(CrdRun *run) {
    double h = run->t - run->t_old;
    bool crumb = h < CRD_ADAMS_CRUMB * run->natural && run->history[0] > 0.0;
    run->history[0] = crumb ? run->history[0] + h : h; /* a difference over a crumb would be rounding */
    if (crumb) return;
    memcpy(last_slope(run), run->f_new, (size_t)run->n * sizeof *run->f_new);
}

const CrdMethod crd_ab2 = {.name = "ab2",
                           .order = 2,
                           .error_order = 3,
                           .layout = layout,
                           .attempt = attempt,
                           .error_norm = error_norm,
                           .accepted = accepted};
