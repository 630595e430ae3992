/* Implicit one-step methods without an embedded one: the error is estimated by doubling.
 *
 * A step of h is made once whole, y_h, and again as two halves, y_2; of a method of order p (Hairer, Norsett, Wanner,
 * II.4)
 *
 *     y_2 - exact = (y_2 - y_h) / (2^p - 1) + O(h^(p+2))
 *
 * The halves go on, as they are: an extrapolated end would be neither damped nor symmetric as the method is. Where
 * forces are stiff the order falls to q, that of the stages (Hairer, Wanner, IV.15), so it is divided by 2^q - 1: right
 * there and, where q < p, careful elsewhere. All components of y take part, as with every stepper; multipliers, which y
 * does not have, do not.
 *
 * Inside a step there are its ends, its middle and the slopes at all three: the polynomial of degree 5 through them,
 * and for Gauss that of degree 7 which has the slopes of the first at its quarters too (Shampine's bootstrapping). In
 * the terms of hermite.h, with what the middle and the quarters have beyond the cubic, P = w^2 (A + B x + C w + D x w),
 * x = theta - 1/2, w = 1/4 - x^2:
 *
 *     P(0) = (A + C/4) / 16     (P'(1/4) - P'(-1/4)) / 2 = -3 P(0) - 3/512 C
 *     P'(0) = (B + D/4) / 16    (P'(1/4) + P'(-1/4)) / 2 = -3/16 P'(0) - 15/4096 D
 *
 * and with fixed steps, which have no middle, the cubic alone. Nothing is remembered from step to step. */
#include "integrate/hermite.h"
#include "integrate/methods/implicit.h"
#include "integrate/methods/method.h"
#include "integrate/norm.h"

#include <assert.h>
#include <math.h>
#include <string.h>

enum { ROWS = 8 };

typedef struct Memory {
    CrdImplicit implicit;
    bool halved;            /* the last attempt was, and has a middle */
    double *error;          /* (n) of the last attempt; first the end of the whole step */
    double *middle, *slope; /* (n) state and slope there */
    double *guess;          /* (stages x n) slopes that the whole step has where stages of a half are */
    double *whole;          /* (stages x n) those of the whole step */
    double *dense;          /* (8 x n) */
} Memory;

static void layout(CrdStepper *stepper, CrdArena *arena) {
    Memory measuring = {0}, *m = crd_take(arena, 1, sizeof *m), *memory = m != NULL ? m : &measuring;
    const CrdImplicitTableau *method = stepper->method->stages;
    size_t n = (size_t)stepper->n, stages = (size_t)method->stages;
    assert(stepper->equations.rates != NULL && stepper->method->adaptive);
    crd_implicit_layout(&memory->implicit, method, &stepper->equations, arena);
    CRD_TAKE_VECTORS(arena, n, &memory->error, &memory->middle, &memory->slope);
    CRD_TAKE_VECTORS(arena, stages * n, &memory->guess, &memory->whole);
    memory->dense = crd_take(arena, ROWS * n, sizeof(double));
    stepper->history_size = 0;
    stepper->memory = m;
}

/* Slopes of the stages of a half that begins in the share `from` of the whole step: on the polynomial through those of
 * the whole, with the one of the start where there is but one stage. */
static const double *guess(CrdStepper *stepper, double from) {
    Memory *memory = stepper->memory;
    const CrdImplicitTableau *method = stepper->method->stages;
    const int s = method->stages;
    const size_t n = (size_t)stepper->n;
    for (int i = 0; i < s; i++) {
        double at = from + 0.5 * method->c[i], *out = memory->guess + (size_t)i * n;
        memset(out, 0, n * sizeof *out);
        for (int j = 0; j < s; j++) {
            double share = s == 1 ? at / method->c[0] : 1.0;
            for (int k = 0; k < s; k++)
                if (k != j) share *= (at - method->c[k]) / (method->c[j] - method->c[k]);
            for (size_t c = 0; c < n; c++) out[c] += share * memory->whole[(size_t)j * n + c];
            for (size_t c = 0; s == 1 && c < n; c++) out[c] += (1.0 - share) * stepper->f[c];
        }
    }
    return memory->guess;
}

static CardanStatus halves(CrdStepper *stepper, double h) {
    Memory *memory = stepper->memory;
    CrdImplicit *implicit = &memory->implicit;
    const double t = stepper->t, half = 0.5 * h;
    const size_t n = (size_t)stepper->n;
    memcpy(memory->whole, implicit->k, (size_t)stepper->method->stages->stages * n * sizeof *implicit->k);
    implicit->guess = guess(stepper, 0.0);
    CRD_TRY(crd_implicit_attempt(implicit, t, half, stepper->y, stepper->f, memory->middle));
    CRD_TRY(stepper->ode.rhs(stepper->ode.user, t + half, memory->middle, memory->slope));
    implicit->guess = guess(stepper, 0.5);
    return crd_implicit_attempt(implicit, t + half, half, memory->middle, memory->slope, stepper->y_new);
}

static CardanStatus attempt(CrdStepper *stepper, double h, bool want_error) {
    Memory *memory = stepper->memory;
    CrdImplicit *implicit = &memory->implicit;
    implicit->equations.error = stepper->error;
    implicit->enough = 0.0;
    implicit->careful = false;
    implicit->guess = NULL;
    memory->halved = want_error;
    if (!want_error) return crd_implicit_attempt(implicit, stepper->t, h, stepper->y, stepper->f, stepper->y_new);
    crd_implicit_tolerate(implicit, stepper->rtol, stepper->atol, stepper->absolute, stepper->y);
    CRD_TRY(crd_implicit_attempt(implicit, stepper->t, h, stepper->y, stepper->f, memory->error));
    CRD_TRY(halves(stepper, h));
    double left = 1.0 / (exp2(stepper->method->stages->stage_order) - 1.0);
    for (int i = 0; i < stepper->n; i++) memory->error[i] = left * (stepper->y_new[i] - memory->error[i]);
    return CARDAN_OK;
}

static double error_norm(const CrdStepper *stepper, double h, const double *weight) {
    (void)h;
    const Memory *memory = stepper->memory;
    CrdScale scale = {stepper->n, stepper->y, stepper->y_new, weight, stepper->rtol, stepper->atol, stepper->absolute};
    assert(memory->halved);
    return sqrt(crd_mean_square(&scale, memory->error));
}

/* Slope of the cubic of Hermite. */
static double cubic_rate(const double *dense, size_t n, size_t i, double theta) {
    return dense[n + i] + (1.0 - 2.0 * theta) * dense[2 * n + i] + theta * (2.0 - 3.0 * theta) * dense[3 * n + i];
}

/* What the middle adds to the cubic, in the order of the rows after it. */
static void add_middle(const CrdStepper *stepper, double h) {
    const Memory *memory = stepper->memory;
    const size_t n = (size_t)stepper->n;
    for (size_t i = 0; i < n; i++) {
        const double *r = memory->dense + i;
        double value = memory->middle[i] - (r[0] + 0.5 * (r[n] + 0.5 * (r[2 * n] + 0.5 * r[3 * n])));
        double rate = h * memory->slope[i] - cubic_rate(memory->dense, n, i, 0.5);
        memory->dense[5 * n + i] = 16.0 * rate;
        memory->dense[4 * n + i] = 16.0 * value - 8.0 * rate;
    }
}

/* Slopes at 1/4 and 3/4 of what is there so far say how it bends between: two degrees more. */
static CardanStatus add_quarters(CrdStepper *stepper, double h) {
    Memory *memory = stepper->memory;
    const size_t n = (size_t)stepper->n;
    double *dense = memory->dense, *early = memory->guess, *late = early + n, *y = late + n;
    for (int k = 0; k < 2; k++) {
        double theta = k == 0 ? 0.25 : 0.75;
        crd_dense_at(stepper->n, dense, ROWS, theta, y);
        CRD_TRY(stepper->ode.rhs(stepper->ode.user, stepper->t_old + theta * h, y, k == 0 ? early : late));
    }
    for (size_t i = 0; i < n; i++) {
        double first = h * early[i] - cubic_rate(dense, n, i, 0.25), last = h * late[i] - cubic_rate(dense, n, i, 0.75);
        double rate = dense[5 * n + i] / 16.0, value = (dense[4 * n + i] + 8.0 * rate) / 16.0;
        double even = -512.0 / 3.0 * (0.5 * (last - first) + 3.0 * value);
        double odd = -4096.0 / 15.0 * (0.5 * (last + first) + 3.0 / 16.0 * rate);
        dense[7 * n + i] = odd;
        dense[6 * n + i] = even - 0.5 * odd;
        dense[5 * n + i] -= 0.25 * odd;
        dense[4 * n + i] += 0.125 * odd - 0.25 * even;
    }
    return CARDAN_OK;
}

static CardanStatus prepare_dense(CrdStepper *stepper) {
    Memory *memory = stepper->memory;
    const double h = stepper->t - stepper->t_old;
    const size_t n = (size_t)stepper->n;
    crd_dense_hermite(stepper->n, h, stepper->y_old, stepper->f_new, stepper->y, stepper->f, memory->dense);
    memset(memory->dense + CRD_HERMITE_ROWS * n, 0, (ROWS - CRD_HERMITE_ROWS) * n * sizeof *memory->dense);
    if (!memory->halved) return CARDAN_OK;
    add_middle(stepper, h);
    if (stepper->method->stages->stages < 3) return CARDAN_OK; /* its ends are no better than that */
    CardanStatus status = add_quarters(stepper, h);
    if (status == CARDAN_ERR_NUMERIC) crd_error_clear(stepper->error); /* next to a pose: the middle is enough */
    return status == CARDAN_ERR_NUMERIC ? CARDAN_OK : status;
}

static void interpolate(const CrdStepper *stepper, double theta, double *y) {
    const Memory *memory = stepper->memory;
    crd_dense_at(stepper->n, memory->dense, ROWS, theta, y);
}

/* A row of the table: what all have in common and its own. The error of a step goes with h^(order + 1). */
#define DOUBLED(p, tableau, ...)                                                                                       \
    {                                                                                                                  \
        .implicit = true, .iterates = true, .adaptive = true, .looks_inside = true, .sees = CRD_SEES_EQUATIONS,        \
        .formulations = CRD_TAKES_ALL, .order = (p), .error_order = (p) + 1, .stages = &crd_implicit_methods[tableau], \
        .layout = layout, .attempt = attempt, .error_norm = error_norm, .prepare_dense = prepare_dense,                \
        .interpolate = interpolate, __VA_ARGS__                                                                        \
    }

const CrdMethod crd_backward_euler = DOUBLED(1, 0, .name = "backward_euler", .summary = "backward Euler");
const CrdMethod crd_trapezoidal = DOUBLED(2, 1, .name = "trapezoidal", .summary = "the trapezoidal rule");
const CrdMethod crd_implicit_midpoint = DOUBLED(
    2, 2, .name = "implicit_midpoint", .summary = "the implicit midpoint rule: symmetric, keeps quadratic invariants");
const CrdMethod crd_gauss = DOUBLED(
    6, 3, .name = "gauss", .summary = "Gauss collocation with three stages: symmetric, keeps quadratic invariants");
