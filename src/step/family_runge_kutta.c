/* Explicit Runge-Kutta methods (runge_kutta.h) as steppers of a run. */
#include "step/method.h"
#include "step/run.h"

#include <string.h>

static void layout(CrdRun *run, CrdArena *arena) {
    CrdRungeKutta measuring, *rk = crd_take(arena, 1, sizeof *rk);
    crd_rk_layout(rk != NULL ? rk : &measuring, run->method->tableau, run->n, arena);
    run->memory = rk;
}

static void begin(CrdRun *run) {
    const CrdRungeKutta *rk = run->memory;
    memcpy(crd_rk_slope(rk, 0), run->f, (size_t)run->n * sizeof *run->f);
}

static CardanStatus attempt(CrdRun *run, double h, bool want_error) {
    return crd_rk_attempt(run->memory, &run->ode, run->t, h, run->y, want_error, run->y_new);
}

static double error_norm(const CrdRun *run, double h, const double *weight) {
    return crd_rk_error_norm(run->memory, h, run->y, run->y_new, weight, run->options.rtol, run->options.atol);
}

static CardanStatus prepare_dense(CrdRun *run) {
    return crd_rk_prepare_dense(run->memory, &run->ode, run->t_old, run->t - run->t_old, run->y_old, run->y, run->f);
}

static void interpolate(const CrdRun *run, double theta, double *y) {
    crd_rk_interpolate(run->memory, theta, y);
}

#define FUNCTIONS                                                                                                      \
    .layout = layout, .begin = begin, .attempt = attempt, .prepare_dense = prepare_dense, .interpolate = interpolate,  \
    .looks_inside = true

const CrdMethod crd_euler = {.name = "euler", .order = 1, .tableau = &crd_tableaux[0], FUNCTIONS};
const CrdMethod crd_midpoint = {.name = "midpoint", .order = 2, .tableau = &crd_tableaux[1], FUNCTIONS};
const CrdMethod crd_heun = {.name = "heun", .order = 2, .tableau = &crd_tableaux[2], FUNCTIONS};
const CrdMethod crd_kutta3 = {.name = "kutta3", .order = 3, .tableau = &crd_tableaux[3], FUNCTIONS};
const CrdMethod crd_rk4 = {.name = "rk4", .order = 4, .tableau = &crd_tableaux[4], FUNCTIONS};

/* beta: Gustafsson's weight, 0.04 for dopri5 and none for dop853 as in the programs of Hairer and Wanner. */
const CrdMethod crd_dopri5 = {.name = "dopri5",
                              .order = 5,
                              .error_order = 5,
                              .beta = 0.04,
                              .tableau = &crd_tableaux[5],
                              .error_norm = error_norm,
                              FUNCTIONS};
const CrdMethod crd_dop853 = {
    .name = "dop853", .order = 8, .error_order = 8, .tableau = &crd_tableaux[6], .error_norm = error_norm, FUNCTIONS};
