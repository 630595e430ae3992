/* Implicit Runge-Kutta methods (implicit.h) as steppers, on any equations.
 *
 * On the index-1 form of a model the symmetric ones are enclosed in a symmetric projection wherever the stabiliser puts
 * states on the constraints. What the stabiliser does after that, or on the other formulations, is rounding. */
#include "integrate/methods/implicit.h"
#include "integrate/methods/method.h"
#include "integrate/norm.h"

#include <assert.h>
#include <math.h>

typedef struct Memory {
    CrdImplicit implicit;
    double *error; /* (n) of the last attempt */
} Memory;

static void layout(CrdStepper *stepper, CrdArena *arena) {
    Memory measuring = {0}, *m = crd_take(arena, 1, sizeof *m), *memory = m != NULL ? m : &measuring;
    assert(stepper->method->stages != NULL && stepper->equations.rates != NULL);
    crd_implicit_layout(&memory->implicit, stepper->method->stages, &stepper->equations, arena);
    memory->error = crd_take(arena, stepper->method->adaptive ? (size_t)stepper->n : 0, sizeof(double));
    stepper->memory = m;
}

static CardanStatus attempt(CrdStepper *stepper, double h, bool want_error) {
    Memory *memory = stepper->memory;
    assert(!want_error || stepper->method->adaptive);
    memory->implicit.equations.error = stepper->error;
    if (want_error)
        crd_implicit_tolerate(&memory->implicit, stepper->rtol, stepper->atol, stepper->absolute, stepper->y);
    CRD_TRY(crd_implicit_attempt(&memory->implicit, stepper->t, h, stepper->y, stepper->f, stepper->y_new));
    return want_error ? crd_implicit_estimate(&memory->implicit, h, stepper->f, memory->error) : CARDAN_OK;
}

static double error_norm(const CrdStepper *stepper, double h, const double *weight) {
    (void)h;
    const Memory *memory = stepper->memory;
    CrdScale scale = {stepper->n, stepper->y, stepper->y_new, weight, stepper->rtol, stepper->atol, stepper->absolute};
    return sqrt(crd_mean_square(&scale, memory->error));
}

/* A row of the table: what all have in common and its own. */
#define IMPLICIT(...)                                                                                                  \
    {                                                                                                                  \
        .implicit = true, .iterates = true, .sees = CRD_SEES_EQUATIONS, .layout = layout, .attempt = attempt,          \
        __VA_ARGS__                                                                                                    \
    }

const CrdMethod crd_backward_euler = IMPLICIT(.name = "backward_euler", .stages = &crd_implicit_methods[0],
                                              .summary = "backward Euler", .formulations = CRD_TAKES_ALL, .order = 1);
const CrdMethod crd_trapezoidal =
    IMPLICIT(.name = "trapezoidal", .stages = &crd_implicit_methods[1], .summary = "the trapezoidal rule",
             .formulations = CRD_TAKES_ALL, .order = 2);
const CrdMethod crd_implicit_midpoint =
    IMPLICIT(.name = "implicit_midpoint", .stages = &crd_implicit_methods[2],
             .summary = "the implicit midpoint rule: symmetric, keeps quadratic invariants",
             .formulations = CRD_TAKES_ALL, .order = 2);
const CrdMethod crd_gauss =
    IMPLICIT(.name = "gauss", .stages = &crd_implicit_methods[3],
             .summary = "Gauss collocation with three stages: symmetric, keeps quadratic invariants",
             .formulations = CRD_TAKES_ALL, .order = 6);
const CrdMethod crd_gauss4 = IMPLICIT(.name = "gauss4", .summary = "Gauss collocation with two stages",
                                      .stages = &crd_implicit_methods[4], .order = 4);
const CrdMethod crd_radau5 =
    IMPLICIT(.name = "radau5", .summary = "Radau IIA of order 5 with step size control, for stiff equations",
             .adaptive = true, .stages = &crd_implicit_methods[5], .order = 5, .error_order = 4,
             .error_norm = error_norm);
