/* What the second way to step remembers, as numbers of a saved state and for a clone. */
#include "model/relative.h"
#include "sim/sim.h"

#include <assert.h>
#include <string.h>

enum { LEADS, REST, PAUSE, SINCE, KNOWS_ROWS, COUNTS };

int crd_relative_memory_size(const CrdRelative *relative) {
    if (relative->model == NULL) return 0;
    return COUNTS + relative->integrator.stepper.n + crd_rank_memory_size(relative->model->structure);
}

void crd_relative_get(const CrdRelative *relative, double *numbers) {
    const CrdStepper *stepper = &relative->integrator.stepper;
    if (relative->model == NULL) return;
    numbers[LEADS] = relative->leads ? 1.0 : 0.0;
    numbers[REST] = (double)relative->rest;
    numbers[PAUSE] = (double)relative->pause;
    numbers[SINCE] = (double)relative->since;
    numbers[KNOWS_ROWS] = relative->knows_rows ? 1.0 : 0.0;
    memcpy(numbers + COUNTS, stepper->y, (size_t)stepper->n * sizeof *numbers);
    crd_rank_memory_get(&relative->integrator.dynamics, numbers + COUNTS + stepper->n);
}

/* After the absolute state was put in place. */
void crd_relative_set(CardanSim *sim, const double *numbers) {
    CrdRelative *relative = &sim->relative;
    CrdIntegrator *integrator = &relative->integrator;
    CrdStepper *stepper = &integrator->stepper;
    if (relative->model == NULL) return;
    crd_relative_touch(sim);
    relative->leads = numbers[LEADS] != 0.0;
    relative->rest = (long)numbers[REST];
    relative->pause = (long)numbers[PAUSE];
    relative->since = (long)numbers[SINCE];
    memcpy(stepper->y, numbers + COUNTS, (size_t)stepper->n * sizeof *numbers);
    crd_rank_memory_set(&integrator->dynamics, numbers + COUNTS + stepper->n);
    crd_relative_carry(integrator, &sim->integrator);
    /* The same elimination as where the numbers come from, so that bits are the same. */
    bool knows = numbers[KNOWS_ROWS] != 0.0, chosen = knows && !relative->knows_rows;
    if (chosen && integrator->dynamics.redundancy.count > 0 && crd_redundancy_reduce(&integrator->dynamics) < 0) {
        crd_error_clear(&relative->error);
        relative->leads = false;
    }
    relative->knows_rows = knows;
}

static void copy_counts(CrdRelative *to, const CrdRelative *from) {
    to->leads = from->leads;
    to->rest = from->rest;
    to->pause = from->pause;
    to->since = from->since;
    to->knows_rows = from->knows_rows;
}

CardanStatus crd_relative_copy(CardanSim *to, const CardanSim *from) {
    const CrdRelative *source = &from->relative;
    CrdRelative *target = &to->relative;
    if (source->model == NULL) {
        crd_relative_dismiss(target, source->reason);
        return CARDAN_OK;
    }
    assert(target->model != NULL);
    copy_counts(target, source);
    const CrdStepper *stepper = &source->integrator.stepper;
    memcpy(target->integrator.stepper.y, stepper->y, (size_t)stepper->n * sizeof *stepper->y);
    crd_relative_carry(&target->integrator, &to->integrator);
    target->integrator.dynamics.actions.wrenches = to->integrator.dynamics.actions.wrenches;
    return crd_redundancy_copy(&target->integrator.dynamics, &source->integrator.dynamics);
}
