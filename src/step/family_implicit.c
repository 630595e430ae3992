/* Implicit Runge-Kutta methods (implicit.h) as steppers of a run, on any formulation (formulation.h).
 *
 * In index1 the symmetric ones are enclosed in a symmetric projection wherever the stabiliser puts states on the
 * constraints. What the stabiliser does after that, or on the other formulations, is rounding. */
#include "core/numbers.h"
#include "step/formulation.h"
#include "step/implicit.h"
#include "step/method.h"
#include "step/run.h"

typedef struct Memory {
    CrdForm form;
    CrdImplicit implicit;
} Memory;

static const CrdImplicitTableau *tableau_of(CardanStepper stepper) {
    return crd_implicit_find(crd_method(stepper)->name);
}

static CardanStatus check(const CardanModel *model, const CardanOptions *o, CrdError *error) {
    const CrdShape *s = model->shape;
    const CrdImplicitTableau *method = tableau_of(o->stepper);
    CrdEquations size = {.core = s->nq + s->nv + s->first_order,
                         .multipliers = crd_form_multipliers(s, o, method->symmetric),
                         .in_slopes = o->formulation != CARDAN_INDEX1};
    long unknowns = crd_implicit_unknowns(method, &size);
    if (unknowns > CRD_STEP_UNKNOWNS)
        return crd_fail(error, CARDAN_ERR_LIMIT,
                        "the step matrix of %s is dense and takes at most %d unknowns; this model has %ld: take an "
                        "explicit stepper",
                        method->name, CRD_STEP_UNKNOWNS, unknowns);
    if (size.multipliers > 0 && o->stabilise.form == CARDAN_FORM_FULL && s->holonomic_rows != s->rows)
        return crd_fail(error, CARDAN_ERR_MODEL,
                        "the full form of projection has no place for nonholonomic rows; use form: block");
    return CARDAN_OK;
}

static void layout(CrdRun *run, CrdArena *arena) {
    Memory measuring, *memory = crd_take(arena, 1, sizeof *memory);
    const CrdImplicitTableau *method = tableau_of(run->options.stepper);
    CrdEquations equations;
    run->memory = memory;
    if (memory == NULL) memory = &measuring;
    crd_form_layout(&memory->form, run, method->symmetric, arena, &equations);
    crd_implicit_layout(&memory->implicit, method, &equations, arena);
}

static CardanStatus attempt(CrdRun *run, double h, bool want_error) {
    Memory *memory = run->memory;
    (void)want_error; /* there is no estimate: error_order is 0 */
    memory->implicit.equations.error = run->error;
    return crd_implicit_attempt(&memory->implicit, run->t, h, run->y, run->f, run->y_new);
}

#define FUNCTIONS .iterates = true, .check = check, .layout = layout, .attempt = attempt

const CrdMethod crd_backward_euler = {.name = "backward_euler", .order = 1, FUNCTIONS};
const CrdMethod crd_trapezoidal = {.name = "trapezoidal", .order = 2, FUNCTIONS};
const CrdMethod crd_implicit_midpoint = {.name = "implicit_midpoint", .order = 2, FUNCTIONS};
const CrdMethod crd_gauss = {.name = "gauss", .order = 6, FUNCTIONS};
