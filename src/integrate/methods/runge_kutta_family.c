/* Explicit Runge-Kutta methods (runge_kutta.h) as steppers of a run. */
#include "integrate/methods/method.h"
#include "integrate/methods/runge_kutta.h"

#include <assert.h>
#include <math.h>
#include <string.h>

/* A difference of two states that is such a part of them is rounding. */
#define CRD_STIFF_ROUNDING 1e-13

static void layout(CrdStepper *stepper, CrdArena *arena) {
    CrdRungeKutta measuring, *rk = crd_take(arena, 1, sizeof *rk);
    crd_rk_layout(rk != NULL ? rk : &measuring, stepper->method->tableau, stepper->n, arena);
    stepper->memory = rk;
}

static void begin(CrdStepper *stepper) {
    const CrdRungeKutta *rk = stepper->memory;
    memcpy(crd_rk_slope(rk, 0), stepper->f, (size_t)stepper->n * sizeof *stepper->f);
}

static CardanStatus attempt(CrdStepper *stepper, double h, bool want_error) {
    return crd_rk_attempt(stepper->memory, &stepper->ode, stepper->t, h, stepper->y, want_error, stepper->y_new);
}

static double error_norm(const CrdStepper *stepper, double h, const double *weight) {
    return crd_rk_error_norm(stepper->memory, h, stepper->y, stepper->y_new, weight, stepper->rtol, stepper->atol,
                             stepper->absolute);
}

static CardanStatus prepare_dense(CrdStepper *stepper) {
    return crd_rk_prepare_dense(stepper->memory, &stepper->ode, stepper->t_old, stepper->t - stepper->t_old,
                                stepper->y_old, stepper->y, stepper->f);
}

static CrdSparingTerms sparing_terms(CrdStepper *stepper) {
    return crd_rk_sparing_terms(stepper->memory, stepper->t - stepper->t_old, stepper->f);
}

static void interpolate_sparing(const CrdStepper *stepper, double theta, double *y) {
    crd_rk_interpolate_sparing(stepper->memory, stepper->t - stepper->t_old, theta, stepper->y_old, stepper->y, y);
}

static void slope_sparing(const CrdStepper *stepper, double theta, double *slope) {
    crd_rk_slope_sparing(stepper->memory, stepper->t - stepper->t_old, theta, stepper->y_old, stepper->y, slope);
}

static void prepare_sparing(CrdStepper *stepper) {
    crd_rk_prepare_sparing(stepper->memory, stepper->t - stepper->t_old, stepper->y_old, stepper->y, stepper->f);
}

static void interpolate(const CrdStepper *stepper, double theta, double *y) {
    crd_rk_interpolate(stepper->memory, theta, y);
}

/* Against the last stage, which is at the end of the step. */
static void stiff_mode(const CrdStepper *stepper, double *mode) {
    const CrdRungeKutta *rk = stepper->memory;
    assert(rk->method->c[rk->method->stages - 1] == 1.0);
    crd_rk_stage(rk, rk->method->stages - 1, stepper->t - stepper->t_old, stepper->y_old, mode);
    for (int i = 0; i < stepper->n; i++) mode[i] = stepper->y[i] - mode[i];
}

static double stiffness(const CrdStepper *stepper) {
    const CrdRungeKutta *rk = stepper->memory;
    const double *last = crd_rk_slope(rk, rk->method->stages - 1);
    double slopes = 0.0, moves = 0.0, size = 0.0;
    stiff_mode(stepper, rk->stage);
    for (int i = 0; i < stepper->n; i++) {
        if (stepper->weight != NULL && stepper->weight[i] < 1.0) continue; /* rides along */
        double slope = stepper->f[i] - last[i], move = rk->stage[i];
        slopes += slope * slope;
        moves += move * move;
        size += stepper->y[i] * stepper->y[i];
    }
    bool rounding = moves <= CRD_STIFF_ROUNDING * CRD_STIFF_ROUNDING * size;
    return rounding ? 0.0 : (stepper->t - stepper->t_old) * sqrt(slopes / moves);
}

/* A row of the table: what all have in common and its own. */
#define EXPLICIT(...)                                                                                                  \
    {                                                                                                                  \
        .layout = layout, .begin = begin, .attempt = attempt, .prepare_dense = prepare_dense,                          \
        .interpolate = interpolate, .looks_inside = true, .formulations = CRD_TAKES_INDEX1, __VA_ARGS__                \
    }

const CrdMethod crd_euler =
    EXPLICIT(.name = "euler", .summary = "forward Euler", .order = 1, .tableau = &crd_tableaux[0]);
const CrdMethod crd_midpoint =
    EXPLICIT(.name = "midpoint", .summary = "the explicit midpoint rule", .order = 2, .tableau = &crd_tableaux[1]);
const CrdMethod crd_heun = EXPLICIT(.name = "heun", .summary = "Heun's method: the explicit trapezoidal rule",
                                    .order = 2, .tableau = &crd_tableaux[2]);
const CrdMethod crd_kutta3 =
    EXPLICIT(.name = "kutta3", .summary = "Kutta's method of order 3", .order = 3, .tableau = &crd_tableaux[3]);
const CrdMethod crd_rk4 =
    EXPLICIT(.name = "rk4", .summary = "the classical Runge-Kutta method", .order = 4, .tableau = &crd_tableaux[4]);

/* beta: Gustafsson's weight, 0.04 for dopri5 and none for dop853 as in the programs of Hairer and Wanner; bounds of
 * stability along the negative real axis as there. */
const CrdMethod crd_dopri5 =
    EXPLICIT(.name = "dopri5", .summary = "Dormand and Prince of order 5 with step size control", .adaptive = true,
             .order = 5, .error_order = 5, .beta = 0.04, .tableau = &crd_tableaux[5], .error_norm = error_norm,
             .stability = 3.25, .stiffness = stiffness, .stiff_mode = stiff_mode);
const CrdMethod crd_dop853 =
    EXPLICIT(.name = "dop853", .summary = "Dormand and Prince of order 8 with step size control", .adaptive = true,
             .order = 8, .error_order = 8, .tableau = &crd_tableaux[6], .error_norm = error_norm, .stability = 6.1,
             .sparing_terms = sparing_terms, .interpolate_sparing = interpolate_sparing, .slope_sparing = slope_sparing,
             .prepare_sparing = prepare_sparing, .stiffness = stiffness, .stiff_mode = stiff_mode);
