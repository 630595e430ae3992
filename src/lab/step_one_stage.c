/* Methods with one implicit stage,
 *     W = w_n + h (old phi(t_n, w_n) + new phi(t_n + c h, W)),   0 = psi(t_n + c h, W)
 *     w_(n+1) = w_n + (W - w_n) / reach                          reach: where between the ends the stage lies
 * backward Euler, the trapezoidal rule and the implicit midpoint rule. The midpoint's multipliers are extrapolated like
 * the state, which for index 2 leaves them wrong by O(1) (LEC10, 10.1.5). */
#include <string.h>

#include "lab/stepper.h"

typedef struct OneStage {
    double c, old, new, reach;
    const char *matrix; /* for messages */
} OneStage;

static const OneStage backward = {1.0, 0.0, 1.0, 1.0, "step matrix of backward_euler"};
static const OneStage trapezoidal = {1.0, 0.5, 0.5, 1.0, "step matrix of trapezoidal"};
static const OneStage midpoint = {0.5, 0.0, 0.5, 0.5, "step matrix of implicit_midpoint"};

static const char *refuse_nothing(const CrdLabSystem *system) {
    (void)system;
    return NULL;
}

static const char *refuse_mass(const CrdLabSystem *system) {
    if (system->mass != NULL) return "it takes no matrix E before the rates";
    if (system->overdetermined) return "the least squares of this formulation are those of backward_euler";
    return NULL;
}

static const char *refuse_index3(const CrdLabSystem *system) {
    if (system->index == 3) return "at index 3 its velocities do not converge; reduce the index first";
    return refuse_mass(system);
}

static const char *refuse_algebraic(const CrdLabSystem *system) {
    if (system->algebraic > 0)
        return "the slope at the start of the step would need multipliers that no equation gives";
    return refuse_mass(system);
}

static CardanStatus step_one_stage(CrdLabStepping *s, double t, double h, double *w) {
    const OneStage *method = s->stepper->data;
    const CrdLabSystem *system = s->system;
    int unknowns = crd_lab_unknowns(system);
    double *base = crd_lab_numbers(s->desk, unknowns, 1), *start = crd_lab_numbers(s->desk, unknowns, 1),
           *slope = crd_lab_numbers(s->desk, unknowns, 1);
    if (s->desk->empty) return crd_fail_memory(s->desk->error);
    memcpy(start, w, (size_t)unknowns * sizeof *start);
    memcpy(base, w, (size_t)unknowns * sizeof *base);
    if (method->old != 0.0) {
        CRD_TRY(system->rates(system->user, t, w, slope, s->desk));
        for (int i = 0; i < system->n; i++) base[i] += h * method->old * slope[i];
    }
    CrdLabStage stage = {
        system, t + method->c * h, h * method->new, base, {method->matrix, t + method->c * h, s->desk}};
    CRD_TRY(crd_lab_newton(&stage, w));
    for (int i = 0; i < unknowns; i++) w[i] = start[i] + (w[i] - start[i]) / method->reach;
    return CARDAN_OK;
}

const CrdLabStepper crd_lab_one_stage_family[] = {
    {"backward_euler", 1, &backward, false, refuse_nothing, step_one_stage, NULL, false},
    {"trapezoidal", 2, &trapezoidal, false, refuse_algebraic, step_one_stage, NULL, false},
    {"implicit_midpoint", 2, &midpoint, false, refuse_index3, step_one_stage, NULL, true},
    {.name = NULL},
};
