/* What the second way to step remembers, as numbers of a saved state and for a clone. */
#include "model/relative.h"
#include "sim/sim.h"

#include <assert.h>
#include <string.h>

enum { LEADS, REST, PAUSE, SINCE, KNOWS_ROWS, KNOWS_BEFORE, T_OLD, COUNTS };

/* Numbers of the state before the last step: trees without loop rows hand nothing over. */
static int before_count(const CrdRelative *relative) {
    return relative->model->structure->rows > 0 ? relative->integrator.stepper.n : 0;
}

int crd_relative_memory_size(const CrdRelative *relative) {
    if (relative->model == NULL) return 0;
    return COUNTS + relative->integrator.stepper.n + before_count(relative) +
           crd_rank_memory_size(relative->model->structure);
}

void crd_relative_get(const CrdRelative *relative, double *numbers) {
    const CrdStepper *stepper = &relative->integrator.stepper;
    if (relative->model == NULL) return;
    const int before = before_count(relative);
    numbers[LEADS] = relative->leads ? 1.0 : 0.0;
    numbers[REST] = (double)relative->rest;
    numbers[PAUSE] = (double)relative->pause;
    numbers[SINCE] = (double)relative->since;
    numbers[KNOWS_ROWS] = relative->knows_rows ? 1.0 : 0.0;
    numbers[KNOWS_BEFORE] = relative->knows_before ? 1.0 : 0.0;
    numbers[T_OLD] = relative->knows_before ? stepper->t_old : 0.0;
    numbers += COUNTS;
    memcpy(numbers, stepper->y, (size_t)stepper->n * sizeof *numbers);
    numbers += stepper->n;
    for (int i = 0; i < before; i++) numbers[i] = relative->knows_before ? stepper->y_old[i] : 0.0;
    crd_rank_memory_get(&relative->integrator.dynamics, numbers + before);
}

/* After the absolute state was put in place. */
void crd_relative_set(CardanSim *sim, const double *numbers) {
    CrdRelative *relative = &sim->relative;
    CrdIntegrator *integrator = &relative->integrator;
    CrdStepper *stepper = &integrator->stepper;
    if (relative->model == NULL) return;
    const int before = before_count(relative);
    crd_relative_touch(sim);
    relative->leads = numbers[LEADS] != 0.0;
    relative->rest = (long)numbers[REST];
    relative->pause = (long)numbers[PAUSE];
    relative->since = (long)numbers[SINCE];
    memcpy(stepper->y, numbers + COUNTS, (size_t)stepper->n * sizeof *numbers);
    memcpy(stepper->y_old, numbers + COUNTS + stepper->n, (size_t)before * sizeof *numbers);
    crd_rank_memory_set(&integrator->dynamics, numbers + COUNTS + stepper->n + before);
    crd_relative_carry(integrator, &sim->integrator);
    relative->knows_before = relative->leads && numbers[KNOWS_BEFORE] != 0.0 && numbers[T_OLD] < stepper->t;
    if (relative->knows_before) stepper->t_old = numbers[T_OLD];
    /* The same elimination as where the numbers come from, so that bits are the same. */
    bool knows = numbers[KNOWS_ROWS] != 0.0, chosen = knows && !relative->knows_rows;
    if (chosen && integrator->dynamics.redundancy.count > 0 && crd_redundancy_reduce(&integrator->dynamics) < 0) {
        crd_error_clear(&relative->error);
        relative->leads = relative->knows_before = false;
    }
    relative->knows_rows = knows;
}

static void copy_counts(CrdRelative *to, const CrdRelative *from) {
    to->leads = from->leads;
    to->rest = from->rest;
    to->pause = from->pause;
    to->since = from->since;
    to->knows_rows = from->knows_rows;
    to->knows_before = from->knows_before;
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
    memcpy(target->integrator.stepper.y_old, stepper->y_old, (size_t)before_count(source) * sizeof *stepper->y);
    crd_relative_carry(&target->integrator, &to->integrator);
    target->integrator.stepper.t_old = stepper->t_old;
    target->integrator.dynamics.actions.wrenches = to->integrator.dynamics.actions.wrenches;
    return crd_redundancy_copy(&target->integrator.dynamics, &source->integrator.dynamics);
}
