/* The recipe of a stepper: Ralston's method, y + h (k1 + 3 k2) / 4 with k2 at two thirds of the step. */
#include "integrate/methods/method.h"

typedef struct Ralston {
    double *slope; /* (n) k2 */
} Ralston;

static void layout(CrdStepper *stepper, CrdArena *arena) {
    Ralston measuring, *memory = crd_take(arena, 1, sizeof *memory), *ralston = memory != NULL ? memory : &measuring;
    ralston->slope = crd_take(arena, (size_t)stepper->n, sizeof *ralston->slope);
    stepper->memory = memory;
}

static CardanStatus attempt(CrdStepper *stepper, double h, bool want_error) {
    const Ralston *ralston = stepper->memory;
    (void)want_error; /* there is no estimate: error_order is 0 */
    for (int i = 0; i < stepper->n; i++) stepper->y_new[i] = stepper->y[i] + 2.0 / 3.0 * h * stepper->f[i];
    CRD_TRY(stepper->ode.rhs(stepper->ode.user, stepper->t + 2.0 / 3.0 * h, stepper->y_new, ralston->slope));
    for (int i = 0; i < stepper->n; i++)
        stepper->y_new[i] = stepper->y[i] + h * (0.25 * stepper->f[i] + 0.75 * ralston->slope[i]);
    return CARDAN_OK;
}

const CrdMethod crd_ralston = {.name = "ralston",
                               .summary = "Ralston's method of order 2",
                               .formulations = CRD_TAKES_INDEX1,
                               .order = 2,
                               .layout = layout,
                               .attempt = attempt};
