/* The state as numbers: get, set, clone, evaluate. */
#include "sim/sim.h"

#include "core/numbers.h"

#include <math.h>
#include <string.h>

/* Behind t and y: what the controller, the maxima and the watch over singular poses remember, so that a run goes on with
 * the same bits; then what the method remembers; what is remembered of each row and element; last, of events. */
enum { MEMORY = 8 };

int cardan_sim_state_size(const CardanSim *sim) {
    return sim == NULL ? 0
                       : 1 + sim->run.n + MEMORY + sim->run.history_size +
                             crd_dynamics_rank_size(sim->model->shape) + crd_events_size(sim->model->shape);
}

CardanStatus cardan_sim_get_state(const CardanSim *sim, double *state) {
    if (sim == NULL || state == NULL) return CARDAN_ERR_ARGUMENT;
    const CrdRun *run = &sim->run;
    const double memory[MEMORY] = {run->h_next,       run->controller.error_old, run->controller.rejected_last ? 1.0 : 0.0,
                                   run->energy_start, run->drift_max,            run->position_max,
                                   run->velocity_max, run->passage.w_last};
    state[0] = run->t;
    memcpy(state + 1, run->y, (size_t)run->n * sizeof *state);
    memcpy(state + 1 + run->n, memory, sizeof memory);
    double *history = state + 1 + run->n + MEMORY;
    memcpy(history, run->history, (size_t)run->history_size * sizeof *state);
    crd_dynamics_get_rank(&run->dynamics, history + run->history_size);
    crd_events_get(run, history + run->history_size + crd_dynamics_rank_size(sim->model->shape));
    return CARDAN_OK;
}

CardanStatus cardan_sim_set_state(CardanSim *sim, const double *state) {
    if (!crd_sim_is_free(sim) || state == NULL) return CARDAN_ERR_ARGUMENT;
    CrdRun *run = &sim->run;
    for (int i = 0; i < cardan_sim_state_size(sim); i++)
        if (!isfinite(state[i])) return CARDAN_ERR_ARGUMENT;
    const double *memory = state + 1 + run->n;
    crd_sim_touch(sim);
    run->t = run->t_old = state[0];
    memcpy(run->y, state + 1, (size_t)run->n * sizeof *run->y);
    run->h_next = memory[0];
    run->controller.error_old = memory[1];
    run->controller.rejected_last = memory[2] != 0.0;
    run->energy_start = memory[3];
    run->drift_max = memory[4];
    run->position_max = memory[5];
    run->velocity_max = memory[6];
    run->passage.w_last = memory[7];
    crd_dynamics_set_rank(&run->dynamics, memory + MEMORY + run->history_size);
    run->passage.open = false;
    memcpy(run->history, memory + MEMORY, (size_t)run->history_size * sizeof *run->history);
    crd_events_set(run, memory + MEMORY + run->history_size + crd_dynamics_rank_size(sim->model->shape));
    return CARDAN_OK;
}

CardanStatus cardan_sim_clone(const CardanSim *sim, CardanSim **out) {
    if (out != NULL) *out = NULL;
    if (sim == NULL || out == NULL) return CARDAN_ERR_ARGUMENT;
    CRD_TRY(crd_sim_open(sim->model, &sim->run.options, out));
    CardanSim *copy = *out;
    const CrdShape *s = sim->model->shape;
    memcpy(copy->inputs, sim->inputs, (size_t)s->input_count * sizeof *copy->inputs);
    memcpy(copy->wrenches, sim->wrenches, (size_t)s->carrier_count * sizeof *copy->wrenches);
    copy->pushed = sim->pushed;
    copy->spent = sim->spent;
    if (copy->pushed) copy->run.dynamics.actions.wrenches = copy->wrenches;
    CrdRun *to = &copy->run;
    const CrdRun *from = &sim->run;
    memcpy(to->y, from->y, (size_t)to->n * sizeof *to->y);
    to->t = to->t_old = from->t;
    to->h_next = from->h_next;
    to->controller = from->controller;
    memcpy(to->history, from->history, (size_t)to->history_size * sizeof *to->history);
    to->steps = from->steps;
    to->rejected = from->rejected;
    to->energy_start = from->energy_start;
    to->drift_max = from->drift_max;
    to->position_max = from->position_max;
    to->velocity_max = from->velocity_max;
    to->passage.w_last = from->passage.w_last;
    crd_events_copy(to, from);
    return crd_dynamics_copy_rank(&to->dynamics, &from->dynamics);
}

static CardanStatus set_motion(CardanSim *sim, double t, const double *q, const double *v) {
    CrdRun *run = &sim->run;
    const CrdShape *s = sim->model->shape;
    double *y = sim->scratch;
    memcpy(y, run->y, (size_t)run->n * sizeof *y);
    memcpy(y, q, (size_t)s->nq * sizeof *y);
    memcpy(crd_run_v(run, y), v, (size_t)s->nv * sizeof *y);
    for (int i = 0; i < s->nq + s->nv; i++)
        if (!isfinite(y[i])) return CARDAN_ERR_ARGUMENT;
    crd_sim_touch(sim);
    crd_normalise(s, y);
    CRD_TRY(crd_run_measure(run, t, y));
    double speed = fmax(crd_worst(v, s->nv), sim->model->numbers.size);
    double g = crd_worst(run->dynamics.system.g, s->rows) / sim->model->numbers.size;
    double rate = crd_worst(run->dynamics.system.rate, s->rows) / speed;
    if (!(g <= CRD_START_RESIDUAL && rate <= CRD_START_RESIDUAL))
        return crd_fail(&sim->error, CARDAN_ERR_MODEL,
                        "the given motion does not meet the constraints: scaled residual %.3g in positions, %.3g in "
                        "velocities", g, rate);
    if (s->rows > 0) CRD_TRY(crd_project(&run->stabiliser, &run->dynamics, t, y, crd_run_v(run, y)));
    crd_run_follow(run, y);
    CRD_TRY(crd_run_slope(run, y, run->f_new, false)); /* before anything is changed */
    memcpy(run->y, y, (size_t)run->n * sizeof *y);
    run->t = run->t_old = t;
    run->h_next = 0.0;
    run->controller = (CrdController){0};
    crd_events_forget(run);
    CRD_TRY(crd_run_evaluate(run));
    run->energy_start = crd_run_energy(run, run->y);
    return CARDAN_OK;
}

CardanStatus cardan_sim_set_motion(CardanSim *sim, double t, const double *q, const double *v) {
    if (!crd_sim_is_free(sim) || q == NULL || v == NULL || !isfinite(t)) return CARDAN_ERR_ARGUMENT;
    crd_error_clear(&sim->error);
    return crd_sim_report(sim, set_motion(sim, t, q, v));
}

CardanStatus cardan_sim_evaluate(CardanSim *sim, double *accelerations, double *multipliers) {
    if (sim == NULL) return CARDAN_ERR_ARGUMENT;
    CRD_TRY(crd_sim_motion(sim));
    const CrdShape *s = sim->model->shape;
    const CrdDynamics *d = &sim->run.dynamics;
    if (accelerations != NULL) memcpy(accelerations, d->a, (size_t)s->nv * sizeof *accelerations);
    if (multipliers == NULL) return CARDAN_OK;
    /* Back to the order of the description: joints as they were added, then rows of blocks. */
    for (int j = 0; j < s->joint_count; j++) {
        const CrdElement *e = &s->elements[s->element_of_joint[j]];
        memcpy(multipliers, d->lambda + e->first, (size_t)e->rows * sizeof *multipliers);
        multipliers += e->rows;
    }
    for (int b = 0; b < s->block_count; b++)
        for (int i = 0; i < s->element_count; i++) {
            const CrdElement *e = &s->elements[i];
            if (e->joint >= 0 || e->block != b) continue;
            memcpy(multipliers, d->lambda + e->first, (size_t)e->rows * sizeof *multipliers);
            multipliers += e->rows;
        }
    return CARDAN_OK;
}

const double *cardan_sim_positions(const CardanSim *sim) {
    return sim == NULL ? NULL : sim->run.y;
}

const double *cardan_sim_velocities(const CardanSim *sim) {
    return sim == NULL ? NULL : sim->run.y + sim->model->shape->nq;
}

/* Where the states start in z and how many they are; none: all. */
static bool find_states(const CardanSim *sim, CardanStates states, int *first, int *count) {
    const CrdShape *s = sim->model->shape;
    *first = 0;
    *count = s->first_order;
    if (states.index < 0 || states.index > s->states_count) return false;
    if (states.index == 0) return true;
    *first = s->state_of_states[states.index - 1];
    *count = sim->model->description->states[states.index - 1].def.count;
    return true;
}

const double *cardan_sim_states(const CardanSim *sim, CardanStates states) {
    int first, count;
    if (sim == NULL || !find_states(sim, states, &first, &count)) return NULL;
    return crd_run_z(&sim->run, sim->run.y) + first;
}

CardanStatus cardan_sim_set_states(CardanSim *sim, CardanStates states, const double *z) {
    int first, count;
    if (!crd_sim_is_free(sim) || z == NULL || !find_states(sim, states, &first, &count)) return CARDAN_ERR_ARGUMENT;
    for (int i = 0; i < count; i++)
        if (!isfinite(z[i])) return CARDAN_ERR_ARGUMENT;
    memcpy(crd_run_z(&sim->run, sim->run.y) + first, z, (size_t)count * sizeof *z);
    crd_sim_touch(sim);
    return CARDAN_OK;
}
