#include "guard/singular/singular.h"

#include "core/numbers.h"

#include <math.h>

/* Attempts to lay a step better. */
#define CRD_CROSSING_ATTEMPTS 4

/* Energy and work over a step past a pose balance to this part of their size, or so many tolerances of it. */
#define CRD_BALANCE 0.01
#define CRD_BALANCE_TOLERANCES 1e4

void *crd_singular_layout(CrdIntegrator *integrator, CrdArena *arena) {
    CrdSingular measuring, *real = crd_take(arena, 1, sizeof *real), *singular = real != NULL ? real : &measuring;
    int elements = integrator->dynamics.model->structure->element_count;
    singular->integrator = integrator;
    singular->element_mark = crd_take(arena, (size_t)elements, sizeof *singular->element_mark);
    singular->y = crd_take(arena, (size_t)integrator->stepper.n, sizeof *singular->y);
    return real;
}

/* The last line of defence against going on wrongly: energy and work must balance over a step past a pose. */
static bool balances(const CrdIntegrator *integrator) {
    const CrdDynamics *dynamics = &integrator->dynamics;
    const CrdStepper *stepper = &integrator->stepper;
    double lowest = fmin(integrator->stages.lowest, crd_singularity_measure(dynamics));
    if (dynamics->regularisation.method->in_pose != CRD_IN_POSE_ACROSS || lowest >= CRD_APPROACH) return true;
    double kinetic = crd_kinetic(dynamics->model, &dynamics->system, crd_integrator_v(integrator, stepper->y_new));
    double size = kinetic + fabs(dynamics->system.potential) + fabs(*crd_integrator_work(integrator, stepper->y_new));
    double lost = crd_integrator_energy(integrator, stepper->y_new) - integrator->statistics.balance;
    return fabs(lost) <= fmax(CRD_BALANCE * size,
                              CRD_BALANCE_TOLERANCES * (stepper->absolute[stepper->n - 1] + stepper->rtol * size));
}

static double limit(void *self, double t_limit, double h) {
    CrdSingular *singular = self;
    (void)h;
    singular->laid = 0;
    return t_limit;
}

static CrdVerdict after_attempt(void *self, CrdTry *attempt, CardanStatus *status) {
    CrdSingular *singular = self;
    const CrdIntegrator *integrator = singular->integrator;
    if (integrator->options.step > 0.0) return CRD_ACCEPT; /* fixed steps are taken as they come */
    if (!balances(integrator)) {
        *status = crd_fail(integrator->stepper.error, CARDAN_ERR_NUMERIC,
                           "energy and work do not balance over the step to t = %.9g, which passes a singular pose",
                           attempt->t_new);
        return CRD_REJECT;
    }
    double better = crd_crossing_plan(integrator, attempt->h);
    if (better >= attempt->h || singular->laid++ >= CRD_CROSSING_ATTEMPTS) return CRD_ACCEPT;
    attempt->h = better;
    return CRD_AGAIN;
}

/* A dip that was open belongs to another motion. */
static void set(void *self, const double *numbers) {
    CrdSingular *singular = self;
    (void)numbers;
    singular->open = false;
}

const CrdGuard crd_singular_guard = {.limit = limit,
                                     .after_attempt = after_attempt,
                                     .after_acceptance = crd_passage_follow,
                                     .explain = crd_explain_lock_up,
                                     .set = set};
