/* Fixed steps that are too long fail in many ways: stages far off the constraints look like singular poses, lock-ups or
 * whole turns. Whether the step is the cause is tried out: if ever shorter steps get through to where it was to end,
 * nothing else is in the way; what is in the way (the pose of a lock-up, a law without a value) stops them too. And
 * where energy came from nothing long before, the steps were too long all along. */
#include "sim/sim.h"

#include "core/numbers.h"
#include "integrate/controller.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Steps that are tried: the first is this part of the one that failed, one that fails is halved, down to that part; and
 * at most so many. When all of these got on, nothing is in the way either. */
#define CRD_SHORTER_FIRST 0.125
#define CRD_SHORTER_LAST 1e-7
#define CRD_SHORTER_STEPS 400

/* Share of the largest energy of motion, and of the work, that is missing in their balance when steps are too long for
 * the motion: nobody asks for that little. */
#define CRD_ENERGY_LOST 0.5

/* A step may also end with joints that could not be closed: that is not getting on. */
static bool is_closed(CrdIntegrator *integrator) {
    const CrdStepper *stepper = &integrator->stepper;
    const CardanModel *model = integrator->dynamics.model;
    const CrdStructure *structure = model->structure;
    const CrdSystem *system = &integrator->dynamics.system;
    if (crd_integrator_evaluate_constraints(integrator, stepper->t, stepper->y) < 0) return false;
    double speed = fmax(crd_max_abs(stepper->y + structure->nq, structure->nv), model->values.size);
    return crd_max_abs(system->g, structure->rows) <= CRD_START_RESIDUAL * model->values.size &&
           crd_max_abs(system->rate, structure->rows) <= CRD_START_RESIDUAL * speed;
}

/* Does the run get on by shorter steps? *part is the size of the last one. The state moves; nothing is said. */
static bool gets_on(CrdIntegrator *integrator, double end, double *part) {
    const double least = CRD_SHORTER_LAST * *part;
    *part *= CRD_SHORTER_FIRST;
    for (int i = 0; i < CRD_SHORTER_STEPS && integrator->stepper.t < end; i++) {
        double t = integrator->stepper.t;
        integrator->options.step = *part;
        integrator->grid = t;
        CardanStatus status = crd_step(integrator, end);
        crd_error_clear(integrator->stepper.error);
        if (status >= 0) continue;
        *part *= 0.5;
        if (status != CARDAN_ERR_NUMERIC || *part < least || integrator->stepper.t != t) return false;
    }
    return is_closed(integrator);
}

/* The same from the state kept, with everything put back. */
static bool shorter_gets_on(CardanSim *sim, double t_limit, double *part) {
    CrdIntegrator *integrator = &sim->integrator;
    const CrdStatistics statistics = integrator->statistics;
    const CrdLog log = integrator->log;
    const double step = integrator->options.step, t_old = integrator->stepper.t_old, grid = integrator->grid;
    CrdError *told = integrator->stepper.error, quiet = {0};
    integrator->stepper.error = integrator->dynamics.error = &quiet;
    integrator->conduct.tries = true;
    *part = fmin(step, t_limit - integrator->stepper.t);
    bool on = gets_on(integrator, integrator->stepper.t + *part, part);
    integrator->conduct.tries = false;
    integrator->stepper.error = integrator->dynamics.error = told;
    integrator->options.step = step;
    integrator->statistics = statistics;
    integrator->log = log;
    crd_sim_put_state(sim, sim->kept);
    integrator->stepper.t_old = t_old;
    integrator->grid = grid;
    return on;
}

/* Actions of users would be called for nothing; and the last step, once it was prepared for sampling, is kept. */
static bool may_try(const CardanSim *sim) {
    const CrdStructure *structure = sim->model->structure;
    return structure->first_event == structure->switch_count && sim->integrator.dense != CRD_DENSE_READY;
}

bool crd_sim_blames_step(CardanSim *sim, double t_limit) {
    CrdIntegrator *integrator = &sim->integrator;
    const CrdStatistics *statistics = &integrator->statistics;
    const double step = integrator->options.step, t = integrator->stepper.t;
    double part = 0.0, work = fabs(*crd_integrator_work(integrator, integrator->stepper.y));
    char reason[CRD_MESSAGE_SIZE / 2];
    if (step <= 0.0) return false;
    snprintf(reason, sizeof reason, "%.*s", (int)sizeof reason - 1, sim->error.text);
    CrdError blamed = {0};
    if (statistics->drift_max > CRD_ENERGY_LOST * (statistics->kinetic_max + work) + integrator->options.atol)
        crd_fail(&blamed, CARDAN_ERR_NUMERIC,
                 "fixed steps of %.3g s are too long for this motion: up to t = %.9g energy and work balance to %.2g J "
                 "only, beside at most %.2g J of motion (%s); take a shorter 'step', or error control (dop853 without "
                 "'step')",
                 step, t, statistics->drift_max, statistics->kinetic_max, reason);
    else if (may_try(sim) && shorter_gets_on(sim, t_limit, &part))
        crd_fail(
            &blamed, CARDAN_ERR_NUMERIC,
            "a fixed step of %.3g s is too long at t = %.9g: steps of %.2g s get through where it fails (%s); take a "
            "shorter 'step', or error control (dop853 without 'step')",
            step, t, part, reason);
    if (blamed.status < 0) sim->error = blamed;
    return blamed.status < 0;
}
