/* Generalised-alpha on index 3, y = [ q | v | z | rest ] (J. Chung, G. M. Hulbert, J. Appl. Mech. 60 (1993) 371-375;
 * with constraints M. Arnold, O. Bruls, Multibody System Dynamics 18 (2007) 185-202; on quaternions O. Bruls, A.
 * Cardona, J. Comput. Nonlinear Dynam. 5 (2010) 031002):
 *
 *     q_1 = q_0 o exp(h v_0 + h^2 (1/2 - beta) a_0 + h^2 beta a_1)        v_1 = v_0 + h (1 - gamma) a_0 + h gamma a_1
 *     (1 - am) a_1 + am a_0 = (1 - af) v'_1 + af v'_0                     M v'_1 = f_1 - G_1^T lambda_1,   0 = g_1
 *
 * am = (2 rho - 1) / (rho + 1), af = rho / (rho + 1), gamma = 1/2 - s, beta = (1 - s)^2 / 4 with s = am - af. z is
 * stepped as v is. rho is what a step leaves of motions that are infinitely fast. rho = 1/2 is HHT with alpha = -1/3;
 * rho = 1 damps nothing, and is Newmark's method with beta = 1/4, gamma = 1/2 (of linear forces the same numbers).
 *
 * Start. a_n is v' at t_n + s h, not at t_n: a_0 = v'_0 + s h v''_0, with v'' by one difference of the right-hand side;
 * when the size of steps changes, a_n - v'_n changes with it. And what q_1 misses, c h^3 v'' with c = beta + s / 2 -
 * 1/6, cannot be met where rows hold: there v_0 must be off by -c h^2 v'' or else lambda_1 is by O(h) (M. Arnold, O.
 * Bruls, A. Cardona, Numer. Math. 129 (2015) 149-179). Velocities of the state are on the constraints, so each step
 * begins with that part of them added. So lambda is of second order as q and v are, from the first step on.
 *
 * Error: c h^3 v'' of positions and c' h^3 v''' of velocities, by divided differences of v'.
 *
 * Scaling (C. L. Bottasso, O. A. Bauchau, L. Trainelli, Multibody System Dynamics 17 (2007) 59-84): unknowns are dq /
 * h, dv and h dlambda, equations of motion are multiplied by h and rows divided by it, h^2 between them, so that
 * nothing of the matrix grows or vanishes with h. Corrections are measured in h dv. */
#include "integrate/methods/galpha.h"
#include "core/numbers.h"
#include "integrate/methods/method.h"
#include "integrate/norm.h"

#include <assert.h>
#include <math.h>
#include <string.h>

/* Share of a step over which v'' is taken at the start: its error goes with it, rounding with its inverse; and
 * s, below which rounding has all of it. */
#define CRD_GALPHA_DIFFERENCE 1e-4
#define CRD_GALPHA_SHORTEST 1e-8

/* A step shorter than this part of the last one, to land on a time, says nothing of v'': that is kept. */
#define CRD_GALPHA_CRUMB 1e-3

/* A start off the slow motion of stiff forces: h v'' beyond v' and beyond this part of the mechanism's size in h^2 says
 * nothing of the step. */
#define CRD_GALPHA_STEEP 1e-3

/* What is remembered: whether there is a step, its size; behind them v' (m), (a - v') / h (m) and the slope's slope
 * over it (n). */
enum { BEGUN = 0, SIZE, RATE };

static double *shift_of(const CrdStepper *stepper) {
    const CrdGalphaMemory *memory = stepper->memory;
    return stepper->history + RATE + memory->m;
}

static double *jerk_of(const CrdStepper *stepper) {
    const CrdGalphaMemory *memory = stepper->memory;
    return shift_of(stepper) + memory->m;
}

static CrdGalpha coefficients_of(double rho) {
    CrdGalpha c = {.am = (2.0 * rho - 1.0) / (rho + 1.0), .af = rho / (rho + 1.0)};
    double s = c.shift = c.am - c.af;
    c.gamma = 0.5 - s;
    c.beta = 0.25 * (1.0 - s) * (1.0 - s);
    c.position_error = c.beta + 0.5 * s - 1.0 / 6.0;
    /* a_n = v'(t + s h) + k h^2 v''' */
    double k = 0.5 * (1.0 - c.af) - 0.5 * ((1.0 - c.am) * (1.0 + s) * (1.0 + s) + c.am * s * s);
    c.velocity_error = 0.5 * ((1.0 - c.gamma) * s * s + c.gamma * (1.0 + s) * (1.0 + s)) + k - 1.0 / 6.0;
    return c;
}

static void layout(CrdStepper *stepper, CrdArena *arena) {
    CrdGalphaMemory measuring = {0}, *taken = crd_take(arena, 1, sizeof *taken),
                    *memory = taken != NULL ? taken : &measuring;
    CrdEquations *equations = &stepper->equations;
    CrdGalpha c = coefficients_of(stepper->rho);
    size_t n = (size_t)stepper->n, rows = (size_t)equations->multipliers;
    assert(equations->displace != NULL && equations->stage != NULL);
    memory->m = equations->core - equations->nq;
    equations->position_scale = crd_galpha_own_step(c, 1.0) * c.gamma / c.beta;
    CRD_TAKE_VECTORS(arena, (size_t)memory->m, &memory->a, &memory->a_start, &memory->v_start, &memory->rate,
                     &memory->rate_start);
    CRD_TAKE_VECTORS(arena, n, &memory->jerk, &memory->slope, &memory->trial, &memory->error);
    CRD_TAKE_VECTORS(arena, rows, &memory->lambda, &memory->residual);
    memory->x = crd_take(arena, (size_t)equations->nv, sizeof(double));
    CRD_TAKE_VECTORS(arena, (size_t)equations->stage_size, &memory->missing, &memory->solution);
    memory->measure = crd_take(arena, (size_t)equations->core, sizeof(double));
    stepper->history_size = RATE + 2 * memory->m + stepper->n;
    stepper->memory = taken;
}

/* ---- the start of a step ---- */

/* v'' by a difference along the slope. */
static CardanStatus differentiate_start(CrdStepper *stepper, double h) {
    CrdGalphaMemory *memory = stepper->memory;
    const CrdEquations *equations = &stepper->equations;
    const double *f = stepper->f;
    double s = fmax(CRD_GALPHA_DIFFERENCE * h, CRD_GALPHA_SHORTEST), fastest = 0.0, change = 0.0;
    for (int i = 0; i < stepper->n; i++) memory->trial[i] = stepper->y[i] + s * f[i];
    CRD_TRY(stepper->ode.rhs(stepper->ode.user, stepper->t + s, memory->trial, memory->jerk));
    for (int i = 0; i < stepper->n; i++) memory->jerk[i] = (memory->jerk[i] - f[i]) / s;
    for (int i = equations->nq; i < equations->core; i++) {
        fastest = fmax(fastest, fabs(f[i]) / equations->typical[i]);
        change = fmax(change, fabs(h * memory->jerk[i]) / equations->typical[i]);
    }
    memory->steep = !(change <= fastest + CRD_GALPHA_STEEP / (h * h));
    if (memory->steep) memset(memory->jerk, 0, (size_t)stepper->n * sizeof *memory->jerk);
    return CARDAN_OK;
}

/* a_0 and v_0, and the first guess of a_1 and lambda. */
static CardanStatus start(CrdStepper *stepper, CrdGalpha c, double h) {
    CrdGalphaMemory *memory = stepper->memory;
    const CrdEquations *equations = &stepper->equations;
    bool begun = stepper->history[BEGUN] > 0.0;
    const double *v = stepper->y + equations->nq, *rate = begun ? stepper->history + RATE : stepper->f + equations->nq;
    if (begun)
        memcpy(memory->jerk, jerk_of(stepper), (size_t)stepper->n * sizeof *memory->jerk);
    else
        CRD_TRY(differentiate_start(stepper, h));
    for (int i = 0; i < memory->m; i++) {
        double shift = begun ? shift_of(stepper)[i] : c.shift * memory->jerk[equations->nq + i];
        memory->a[i] = memory->a_start[i] = rate[i] + h * shift;
        memory->rate_start[i] = rate[i];
        memory->v_start[i] = v[i];
    }
    if (equations->multipliers > 0) {
        memcpy(memory->x, memory->jerk + equations->nq, (size_t)equations->nv * sizeof *memory->x);
        CRD_TRY(equations->normal_part(equations->user, stepper->t, stepper->y, true, memory->x));
        for (int i = 0; i < equations->nv; i++) memory->v_start[i] -= c.position_error * h * h * memory->x[i];
    }
    return equations->begin(equations->user, stepper->t, stepper->y, memory->lambda);
}

/* ---- the error ---- */

/* Rounding of g, in units of what is typical, that stands as 1 / (beta h^2) in v'_1 where rows hold: no error to be
 * resolved, since there velocities are put on the constraints. */
static double rounding(const CrdStepper *stepper) {
    const CrdEquations *equations = &stepper->equations;
    double largest = 1.0;
    for (int i = 0; i < equations->nq; i++) largest = fmax(largest, fabs(stepper->y[i]) / equations->typical[i]);
    return equations->multipliers > 0 ? CRD_GALPHA_ULPS * CRD_EPS * largest : 0.0;
}

static double above(double value, double floor) {
    return fabs(value) <= floor ? 0.0 : value;
}

static void estimate(CrdStepper *stepper, CrdGalpha c, double h) {
    CrdGalphaMemory *memory = stepper->memory;
    const CrdEquations *equations = &stepper->equations;
    int nq = equations->nq;
    double span = 0.5 * (h + (stepper->history[BEGUN] > 0.0 ? stepper->history[SIZE] : 0.0));
    double cube = h * h * h, noise = rounding(stepper) / (c.beta * h * h * h * span);
    for (int i = nq; i < stepper->n; i++) {
        bool own = i < equations->core, moves = i < nq + equations->nv;
        double now = own ? memory->rate[i - nq] : memory->slope[i],
               was = own ? memory->rate_start[i - nq] : stepper->f[i];
        double jerk = (now - was) / h, next = memory->steep ? 0.0 : (jerk - memory->jerk[i]) / span;
        if (moves) next = above(next, noise * equations->typical[i]);
        memory->error[i] = (own ? c.velocity_error : 1.0 / 12.0) * cube * next;
        if (moves) memory->x[i - nq] = c.position_error * cube * jerk;
    }
    equations->displace(equations->user, stepper->y_new, memory->x, memory->trial);
    for (int i = 0; i < nq; i++) memory->error[i] = memory->trial[i] - stepper->y_new[i];
}

static double error_norm(const CrdStepper *stepper, double h, const double *weight) {
    (void)h;
    const CrdGalphaMemory *memory = stepper->memory;
    CrdScale scale = {stepper->n, stepper->y, stepper->y_new, weight, stepper->rtol, stepper->atol, stepper->absolute};
    return sqrt(crd_mean_square(&scale, memory->error));
}

/* ---- the step ---- */

static CardanStatus attempt(CrdStepper *stepper, double h, bool want_error) {
    CrdGalphaMemory *memory = stepper->memory;
    CrdGalpha c = coefficients_of(stepper->rho);
    memory->steep = false;
    CRD_TRY(start(stepper, c, h));
    CRD_TRY(crd_galpha_solve(stepper, c, h, want_error));
    if (want_error) estimate(stepper, c, h);
    return CARDAN_OK;
}

/* Rounding of g stands as eps / h^2 in what the rows have of v'_1; there the accelerations of the state itself are
 * taken. Elsewhere those of the iteration: stiff forces turn its last bits into accelerations. */
static void take_rate(CrdStepper *stepper) {
    CrdGalphaMemory *memory = stepper->memory;
    const CrdEquations *equations = &stepper->equations;
    const double *now = stepper->f + equations->nq;
    for (int i = 0; i < equations->nv; i++) memory->x[i] = now[i] - memory->rate[i];
    if (equations->normal_part(equations->user, stepper->t, stepper->y, false, memory->x) < 0) {
        crd_error_clear(stepper->error);
        for (int i = 0; i < equations->nv; i++) memory->x[i] = now[i] - memory->rate[i];
    }
    for (int i = 0; i < equations->nv; i++) memory->rate[i] += memory->x[i];
    memcpy(stepper->history + RATE, memory->rate, (size_t)memory->m * sizeof *memory->rate);
}

static void remember(CrdStepper *stepper, CrdGalpha c, double h) {
    const CrdGalphaMemory *memory = stepper->memory;
    const CrdEquations *equations = &stepper->equations;
    double *jerk = jerk_of(stepper), *shift = shift_of(stepper);
    for (int i = 0; i < memory->m; i++) {
        double rate = memory->rate[i], was = memory->rate_start[i];
        double a = ((1.0 - c.af) * rate + c.af * was - c.am * memory->a_start[i]) / (1.0 - c.am);
        shift[i] = (a - rate) / h;
        jerk[equations->nq + i] = (rate - was) / h;
    }
    for (int i = equations->core; i < stepper->n; i++) jerk[i] = (stepper->f[i] - stepper->f_new[i]) / h;
    stepper->history[SIZE] = h;
}

static void accepted(CrdStepper *stepper) {
    const CrdGalphaMemory *memory = stepper->memory;
    const CrdEquations *equations = &stepper->equations;
    double h = stepper->t - stepper->t_old, *history = stepper->history;
    if (equations->end != NULL) equations->end(equations->user, memory->lambda);
    take_rate(stepper);
    bool begun = history[BEGUN] > 0.0, crumb = h < (begun ? CRD_GALPHA_CRUMB * history[SIZE] : CRD_GALPHA_SHORTEST);
    if (!crumb) remember(stepper, coefficients_of(stepper->rho), h);
    history[BEGUN] = begun || !crumb ? 1.0 : 0.0;
}

static bool remembers(const CrdStepper *stepper, const double *history) {
    (void)stepper;
    return (history[BEGUN] == 0.0 || history[BEGUN] == 1.0) && history[SIZE] >= 0.0;
}

const CrdMethod crd_galpha = {.name = "galpha",
                              .summary = "generalised-alpha on index 3, damping of fast motions chosen by rho",
                              .implicit = true,
                              .iterates = true,
                              .adaptive = true,
                              .no_baumgarte = true,
                              .formulations = CRD_TAKES_INDEX1,
                              .order = 2,
                              .error_order = 3,
                              .sees = CRD_SEES_INDEX3,
                              .layout = layout,
                              .attempt = attempt,
                              .error_norm = error_norm,
                              .accepted = accepted,
                              .remembers = remembers};
