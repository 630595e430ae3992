/* Implicit Runge-Kutta methods (implicit.h) as steppers, on any equations: those with an embedded estimate, and of the
 * laboratory; the others are in implicit_doubling.c.
 *
 * On the index-1 form of a model the symmetric ones are enclosed in a symmetric projection wherever the stabiliser puts
 * states on the constraints. What the stabiliser does after that, or on the other formulations, is rounding. */
#include "integrate/methods/implicit_modes.h"
#include "integrate/methods/method.h"
#include "integrate/norm.h"

#include <assert.h>
#include <math.h>
#include <string.h>

typedef struct Memory {
    CrdImplicit implicit;
    double *error; /* (n) of the last attempt */
    double *moved; /* (n) the start, moved by it, and the slope there */
    double *slope;
    double *dense; /* (4 x n) divided differences over the start, the stages and the end */
    double *guess; /* (stages x n) slopes that the polynomial of the last step leads to */
} Memory;

/* What is remembered: the size of the last step, 0: none, whether its derivatives serve the next, the polynomial, and
 * where those were taken. */
enum { SIZE = 0, KEEPS, POLYNOMIAL };

static double *point_of(const CrdStepper *stepper) {
    return stepper->history + POLYNOMIAL + 4 * (size_t)stepper->n;
}

static void layout(CrdStepper *stepper, CrdArena *arena) {
    Memory measuring = {0}, *m = crd_take(arena, 1, sizeof *m), *memory = m != NULL ? m : &measuring;
    size_t n = stepper->method->adaptive ? (size_t)stepper->n : 0;
    assert(stepper->method->stages != NULL && stepper->equations.rates != NULL);
    crd_implicit_layout(&memory->implicit, stepper->method->stages, &stepper->equations, arena);
    CRD_TAKE_VECTORS(arena, n, &memory->error, &memory->moved, &memory->slope);
    memory->dense = crd_take(arena, 4 * n, sizeof(double));
    memory->guess = crd_take(arena, CRD_IMPLICIT_STAGES_MAX * n, sizeof(double));
    stepper->history_size = stepper->method->accepted != NULL
                                ? POLYNOMIAL + 4 * stepper->n + (int)crd_implicit_point_size(&stepper->equations)
                                : 0;
    stepper->memory = m;
}

static double error_norm(const CrdStepper *stepper, double h, const double *weight) {
    (void)h;
    const Memory *memory = stepper->memory;
    CrdScale scale = {stepper->n, stepper->y, stepper->y_new, weight, stepper->rtol, stepper->atol, stepper->absolute};
    return sqrt(crd_mean_square(&scale, memory->error));
}

/* The estimate goes with h^4, the error of a step with h^6: for an error of tol the estimate may be tol^(2/3). A tenth
 * of that is what Hairer and Wanner ask for in RADAU5; never more than the tolerance itself is asked. */
#define CRD_RADAU_SHARE 0.1

static double relaxed_norm(const CrdStepper *stepper, double h, const double *weight) {
    double ratio = cbrt(stepper->rtol) / CRD_RADAU_SHARE;
    return error_norm(stepper, h, weight) * (ratio < 1.0 ? ratio : 1.0);
}

/* Size of the next step: by the error, and so that the iteration, whose corrections fall the slower the longer the step
 * is, does not fail then: a step that fails costs more than two shorter ones. */
#define CRD_RADAU_SAFETY 0.9
#define CRD_RADAU_SHRINK 0.2
#define CRD_RADAU_GROW 4.0
#define CRD_RADAU_RATE 0.2

/* Derivatives are kept while corrections fall at least by this: making them costs as much as some iterations. So is a
 * step that would grow by less than the second: then the factors are kept too. */
#define CRD_RADAU_KEEP 0.03
#define CRD_RADAU_SAME 1.2

static double resize(CrdStepper *stepper, double norm, double h, bool accepted) {
    const Memory *memory = stepper->memory;
    double factor = CRD_RADAU_SAFETY / pow(norm, 1.0 / stepper->method->error_order); /* norm 0: infinite */
    if (!(factor > CRD_RADAU_SHRINK)) return h * CRD_RADAU_SHRINK;                    /* also NaN */
    if (!accepted) return h * fmin(factor, CRD_RADAU_SAFETY);
    double largest = fmin(CRD_RADAU_GROW, fmax(CRD_RADAU_SAFETY, CRD_RADAU_RATE / memory->implicit.rate));
    factor = fmin(factor, largest);
    bool same = memory->implicit.rate < CRD_RADAU_KEEP && factor >= 1.0 && factor < CRD_RADAU_SAME;
    return same ? h : h * factor; /* the factors serve again */
}

/* Off the slow motion the slope at the start is steep and the estimate, though filtered, large; with the slope where
 * the estimate itself leads it is of the right size (Hairer, Wanner, IV.8, (8.20)). */
static CardanStatus estimate(CrdStepper *stepper, double h) {
    Memory *memory = stepper->memory;
    const CrdEquations *equations = &stepper->equations;
    CRD_TRY(crd_implicit_estimate(&memory->implicit, h, stepper->f, memory->error));
    if (stepper->history_size == 0 || equations->multipliers > 0 ||
        stepper->method->error_norm(stepper, h, stepper->weight) <= 1.0)
        return CARDAN_OK;
    for (int i = 0; i < stepper->n; i++) memory->moved[i] = stepper->y[i] + memory->error[i];
    if (equations->rates(equations->user, stepper->t, memory->moved, NULL, memory->slope, NULL) < 0) {
        crd_error_clear(stepper->error); /* the first estimate stands, and rejects the step */
        return CARDAN_OK;
    }
    return crd_implicit_estimate(&memory->implicit, h, memory->slope, memory->error);
}

static double polynomial(const CrdImplicitTableau *method, const double *d, size_t n, size_t i, double theta) {
    return d[i] + theta * (d[n + i] + (theta - method->c[0]) * (d[2 * n + i] + (theta - method->c[1]) * d[3 * n + i]));
}

/* How far a polynomial is drawn out, in its own lengths: a step may be short only to land on a time, and says nothing
 * of a long one. */
#define CRD_RADAU_REACH 5.0

/* Slopes of stages on the polynomial of the last step, drawn out: K = A^-1 (Y - y) / h. */
static const double *guess(CrdStepper *stepper, double h) {
    Memory *memory = stepper->memory;
    const CrdImplicitTableau *method = stepper->method->stages;
    size_t n = (size_t)stepper->n;
    if (stepper->history_size == 0 || !(h <= CRD_RADAU_REACH * stepper->history[SIZE])) return NULL;
    CrdModes modes = crd_modes_of(method);
    memset(memory->guess, 0, (size_t)method->stages * n * sizeof *memory->guess);
    for (int j = 0; j < method->stages; j++) {
        double theta = 1.0 + method->c[j] * h / stepper->history[SIZE];
        for (size_t i = 0; i < n; i++) {
            double moved = polynomial(method, stepper->history + POLYNOMIAL, n, i, theta) - stepper->y[i];
            for (int s = 0; s < method->stages; s++)
                memory->guess[(size_t)s * n + i] += modes.inverse[s][j] * moved / h;
        }
    }
    return memory->guess;
}

static CardanStatus attempt(CrdStepper *stepper, double h, bool want_error) {
    Memory *memory = stepper->memory;
    assert(!want_error || stepper->method->adaptive);
    memory->implicit.equations.error = stepper->error;
    memory->implicit.enough = 0.0;
    memory->implicit.careful = want_error && stepper->history_size > 0;
    memory->implicit.accelerates = memory->implicit.careful && stepper->equations.multipliers == 0;
    memory->implicit.guess = guess(stepper, h);
    memory->implicit.kept = stepper->history_size > 0 && stepper->history[KEEPS] > 0.0 ? point_of(stepper) : NULL;
    if (want_error)
        crd_implicit_tolerate(&memory->implicit, stepper->rtol, stepper->atol, stepper->absolute, stepper->y);
    CRD_TRY(crd_implicit_attempt(&memory->implicit, stepper->t, h, stepper->y, stepper->f, stepper->y_new));
    return want_error ? estimate(stepper, h) : CARDAN_OK;
}

/* ---- the polynomial of collocation ---- */

static CardanStatus prepare_dense(CrdStepper *stepper) {
    Memory *memory = stepper->memory;
    const CrdImplicitTableau *method = stepper->method->stages;
    double h = stepper->t - stepper->t_old;
    size_t n = (size_t)stepper->n;
    const double c[4] = {0.0, method->c[0], method->c[1], 1.0};
    assert(method->stages == 3 && method->ends_on_stage);
    for (size_t i = 0; i < n; i++) {
        double d[4] = {stepper->y_old[i], stepper->y_old[i], stepper->y_old[i], stepper->y[i]};
        for (int s = 0; s < 2; s++)
            for (int j = 0; j < 3; j++) d[s + 1] += h * method->a[s][j] * memory->implicit.k[(size_t)j * n + i];
        for (int level = 1; level < 4; level++)
            for (int k = 3; k >= level; k--) d[k] = (d[k] - d[k - 1]) / (c[k] - c[k - level]);
        for (size_t k = 0; k < 4; k++) memory->dense[k * n + i] = d[k];
    }
    return CARDAN_OK;
}

static void interpolate(const CrdStepper *stepper, double theta, double *y) {
    const Memory *memory = stepper->memory;
    for (size_t i = 0; i < (size_t)stepper->n; i++)
        y[i] = polynomial(stepper->method->stages, memory->dense, (size_t)stepper->n, i, theta);
}

static void accepted(CrdStepper *stepper) {
    const Memory *memory = stepper->memory;
    const CrdImplicit *implicit = &memory->implicit;
    prepare_dense(stepper);
    stepper->history[KEEPS] = implicit->is_sparse && implicit->rate < CRD_RADAU_KEEP ? 1.0 : 0.0;
    if (stepper->history[KEEPS] > 0.0)
        memcpy(point_of(stepper), implicit->taken, crd_implicit_point_size(&stepper->equations) * sizeof(double));
    stepper->history[SIZE] = stepper->t - stepper->t_old;
    memcpy(stepper->history + POLYNOMIAL, memory->dense, 4 * (size_t)stepper->n * sizeof *memory->dense);
}

/* A size and finite numbers: what they lead to is a guess. */
static bool remembers(const CrdStepper *stepper, const double *history) {
    (void)stepper;
    return history[SIZE] >= 0.0;
}

/* A row of the table: what all have in common and its own. */
#define IMPLICIT(...)                                                                                                  \
    {                                                                                                                  \
        .implicit = true, .iterates = true, .sees = CRD_SEES_EQUATIONS, .layout = layout, .attempt = attempt,          \
        __VA_ARGS__                                                                                                    \
    }

const CrdMethod crd_gauss4 = IMPLICIT(.name = "gauss4", .summary = "Gauss collocation with two stages",
                                      .stages = &crd_implicit_methods[4], .order = 4);

#define RADAU5(...)                                                                                                    \
    IMPLICIT(.name = "radau5", .summary = "Radau IIA of order 5 with step size control, for stiff equations",          \
             .adaptive = true, .stages = &crd_implicit_methods[5], .order = 5, .error_order = 4, __VA_ARGS__)

const CrdMethod crd_radau5 = RADAU5(.formulations = CRD_TAKES_ALL, .error_norm = relaxed_norm, .looks_inside = true,
                                    .prepare_dense = prepare_dense, .interpolate = interpolate, .accepted = accepted,
                                    .resize = resize, .remembers = remembers);

/* Sees what radau5 does; each of its two methods has its own record. */
const CrdMethod crd_auto = IMPLICIT(.name = "auto", .summary = "dop853, and radau5 while the motion is stiff",
                                    .adaptive = true, .formulations = CRD_TAKES_INDEX1,
                                    .stages = &crd_implicit_methods[5], .error_order = 8, .error_norm = relaxed_norm);

/* Of the laboratory, where the numbers of papers stand: nothing is remembered and the tolerance is as it stands. */
const CrdMethod crd_radau5_strict = RADAU5(.error_norm = error_norm);
