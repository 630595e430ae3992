/* The state as numbers: get, set, clone, evaluate. */
#include "sim/refuse.h"

#include "core/numbers.h"
#include "guard/turn.h"

#include <assert.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* By how much the length of a quaternion in a state may differ from 1: normalised ones do so by rounding. */
#define CRD_QUATERNION_ROUNDING 1e-12

/* Behind t and y: what the controller, the maxima and the watch over singular poses remember, so that a run goes on
 * with the same bits; then what the method remembers; what is remembered of each row and element; of events; of a
 * kept factor; the work of forces; last the seals of t and y, and of all that memory. Orders of methods, lists of rows
 * and sides of switches are indices and choices that only a simulation can have made up: the seal tells a state that
 * was got from one from any other numbers.
 */
enum { ENERGY_START = 3, SINGULARITY = 7, SINGULARITY_BEFORE = 8, MEMORY = 10, SEAL = 2 };

int cardan_sim_state_size(const CardanSim *sim) {
    return sim == NULL ? -1
                       : 1 + sim->integrator.stepper.n + MEMORY + sim->integrator.stepper.history_size +
                             crd_rank_memory_size(sim->model->structure) +
                             crd_guards_memory_size(&sim->integrator.guards, sim->model->structure) +
                             crd_relative_memory_size(&sim->relative) +
                             crd_frozen_memory_size(&sim->integrator.stabiliser.frozen, sim->model->structure) +
                             crd_force_work_memory_size(sim->model->structure) + SEAL;
}

/* Where the work of forces stands, before the seals, and what is remembered of a kept factor before it. */
static int work_place(const CardanSim *sim) {
    return cardan_sim_state_size(sim) - SEAL - crd_force_work_memory_size(sim->model->structure);
}

static int kept_place(const CardanSim *sim, int work) {
    return work - crd_frozen_memory_size(&sim->integrator.stabiliser.frozen, sim->model->structure);
}

/* FNV-1a over the bytes of numbers (Fowler, Noll and Vo 1991), as much as a double holds exactly. */
static double hash_of(const double *numbers, int count) {
    const unsigned char *bytes = (const unsigned char *)numbers;
    uint64_t hash = 0xcbf29ce484222325u;
    for (size_t i = 0; i < (size_t)count * sizeof *numbers; i++) hash = (hash ^ bytes[i]) * 0x100000001b3u;
    return (double)(hash >> 12);
}

/* Of the memory in a state, the other seal included; and of t and y. */
static double seal_of(const CardanSim *sim, const double *state) {
    int first = 1 + sim->integrator.stepper.n;
    return hash_of(state + first, cardan_sim_state_size(sim) - 1 - first);
}

static double seal_of_motion(const CardanSim *sim, const double *state) {
    return hash_of(state, 1 + sim->integrator.stepper.n);
}

void crd_sim_keep_state(const CardanSim *sim, double *state) {
    const CrdIntegrator *integrator = &sim->integrator;
    const CrdStructure *structure = sim->model->structure;
    const CrdStepper *stepper = &integrator->stepper;
    const CrdController *controller = &integrator->controller;
    const CrdStatistics *statistics = &integrator->statistics;
    const double memory[MEMORY] = {
        controller->h_next,       controller->error_old,       controller->rejected_last ? 1.0 : 0.0,
        statistics->energy_start, statistics->drift_max,       statistics->position_max,
        statistics->velocity_max, integrator->stages.accepted, integrator->stages.before,
        (double)statistics->steps};
    double *history = state + 1 + stepper->n + MEMORY, *rank = history + stepper->history_size;
    int work = work_place(sim);
    state[0] = stepper->t;
    memcpy(state + 1, stepper->y, (size_t)stepper->n * sizeof *state);
    memcpy(state + 1 + stepper->n, memory, sizeof memory);
    memcpy(history, stepper->history, (size_t)stepper->history_size * sizeof *state);
    crd_rank_memory_get(&integrator->dynamics, rank);
    double *guards = rank + crd_rank_memory_size(structure);
    crd_guards_get(&integrator->guards, structure, guards);
    crd_relative_get(&sim->relative, guards + crd_guards_memory_size(&integrator->guards, structure));
    crd_frozen_memory_get(&integrator->stabiliser.frozen, &integrator->dynamics, state + kept_place(sim, work));
    crd_force_work_get(&sim->work, state + work);
    memset(state + work + crd_force_work_memory_size(structure), 0, SEAL * sizeof *state);
}

/* What the next step would begin with: sides of laws after an event, the motion. */
static void complete(CardanSim *sim) {
    CrdIntegrator *integrator = sim->relative.leads ? &sim->relative.integrator : &sim->integrator;
    const CrdError before = *integrator->stepper.error;
    if (sim->busy) return; /* the action of an event reads it */
    CrdCall call = crd_sim_enter(sim);
    if (crd_integrator_evaluate(integrator) < 0) crd_integrator_touch(integrator); /* the next step will say it */
    crd_sim_leave(sim, call);
    *integrator->stepper.error = before;
    if (sim->relative.leads) crd_guards_copy(&sim->integrator.guards, &integrator->guards);
}

CardanStatus cardan_sim_get_state(CardanSim *sim, double *state) {
    CRD_TRY(crd_need_given(sim, state, "the place for the state"));
    complete(sim);
    crd_sim_keep_state(sim, state);
    double *seal = state + cardan_sim_state_size(sim) - SEAL;
    seal[0] = seal_of_motion(sim, state);
    seal[1] = seal_of(sim, state);
    return CARDAN_OK;
}

void crd_sim_put_state(CardanSim *sim, const double *state) {
    CrdIntegrator *integrator = &sim->integrator;
    const CrdStructure *structure = sim->model->structure;
    CrdStepper *stepper = &integrator->stepper;
    const double *memory = state + 1 + stepper->n, *history = memory + MEMORY, *rank = history + stepper->history_size;
    crd_sim_touch(sim);
    stepper->t = stepper->t_old = integrator->grid = state[0];
    memcpy(stepper->y, state + 1, (size_t)stepper->n * sizeof *state);
    integrator->controller =
        (CrdController){.h_next = memory[0], .error_old = memory[1], .rejected_last = memory[2] != 0.0};
    integrator->statistics.energy_start = memory[3];
    integrator->statistics.drift_max = memory[4];
    integrator->statistics.position_max = memory[5];
    integrator->statistics.velocity_max = memory[6];
    integrator->stages.accepted = memory[7];
    integrator->stages.before = memory[8];
    integrator->statistics.steps = (long)memory[9];
    crd_rank_memory_set(&integrator->dynamics, rank);
    memcpy(stepper->history, history, (size_t)stepper->history_size * sizeof *state);
    const double *guards = rank + crd_rank_memory_size(structure);
    crd_guards_set(&integrator->guards, structure, guards);
    crd_relative_set(sim, guards + crd_guards_memory_size(&integrator->guards, structure));
    crd_frozen_memory_set(&integrator->stabiliser.frozen, &integrator->dynamics,
                          state + kept_place(sim, work_place(sim)));
    crd_force_work_set(&sim->work, state + work_place(sim));
}

/* Whose row is farthest from what is allowed. */
static int worst_row(const double *residual, int rows) {
    int worst = 0;
    for (int r = 1; r < rows; r++)
        if (fabs(residual[r]) > fabs(residual[worst])) worst = r;
    return worst;
}

static CardanStatus check_rows(CardanSim *sim, const double *residual, double allowed, const char *what) {
    const CrdStructure *structure = sim->model->structure;
    if (structure->rows == 0 || crd_max_abs(residual, structure->rows) <= allowed) return CARDAN_OK;
    int row = worst_row(residual, structure->rows);
    return crd_fail(&sim->error, CARDAN_ERR_MODEL,
                    "the state does not meet the constraints here: joint '%s' by %.3g in its %s, and %.3g is allowed; "
                    "it belongs to other parameters or inputs, or was changed (cardan_sim_set_motion closes joints)",
                    crd_element_name(sim->model, structure->row_element[row]), fabs(residual[row]), what, allowed);
}

/* A state that was got from a run is as far off its constraints as that run ever was, by its own account; any other as
 * a start may be. */
static CardanStatus check_state(CardanSim *sim) {
    CrdIntegrator *integrator = &sim->integrator;
    const CrdStructure *structure = sim->model->structure;
    const CrdStepper *stepper = &integrator->stepper;
    double size = sim->model->values.size;
    CRD_TRY(crd_integrator_evaluate_rows(integrator, stepper->t, stepper->y));
    double speed = fmax(crd_max_abs(stepper->y + structure->nq, structure->nv), size);
    CRD_TRY(check_rows(sim, integrator->dynamics.system.g,
                       fmax(integrator->statistics.position_max, CRD_START_RESIDUAL * size), "position"));
    return check_rows(sim, integrator->dynamics.system.rate,
                      fmax(integrator->statistics.velocity_max, CRD_START_RESIDUAL * speed), "velocity");
}

/* Quaternions of bodies in space: a length of 1 but for rounding. */
static CardanStatus check_quaternions(CardanSim *sim, const double *q) {
    const CrdStructure *structure = sim->model->structure;
    for (int i = 0; i < structure->block_count; i++) {
        const double *p = q + structure->blocks[i].q + 3;
        if (structure->blocks[i].kind != CRD_SPATIAL_BODY) continue;
        double length = sqrt(p[0] * p[0] + p[1] * p[1] + p[2] * p[2] + p[3] * p[3]);
        if (!(fabs(length - 1.0) <= CRD_QUATERNION_ROUNDING))
            return crd_refuse(sim, "the quaternion of body '%s' in the state has the length %.9g, not 1",
                              sim->model->description->bodies[structure->blocks[i].object].name, length);
    }
    return CARDAN_OK;
}

/* What the controller, the maxima and the method remember: sizes that are not negative, and a history that could be. */
static CardanStatus check_memory(CardanSim *sim, const double *state) {
    const CrdStepper *stepper = &sim->integrator.stepper;
    const double *memory = state + 1 + stepper->n, *history = memory + MEMORY;
    for (int i = 0; i < MEMORY; i++)
        if (i != ENERGY_START && memory[i] < 0.0)
            return crd_refuse(sim, "number %d of the state is %.3g and cannot be negative", 1 + stepper->n + i,
                              memory[i]);
    for (int i = SINGULARITY; i <= SINGULARITY_BEFORE; i++)
        if (memory[i] > 1.0)
            return crd_refuse(sim, "number %d of the state is %.3g and is at most 1", 1 + stepper->n + i, memory[i]);
    if (stepper->method->remembers == NULL || stepper->method->remembers(stepper, history)) return CARDAN_OK;
    return crd_refuse(sim, "the state has no history of stepper '%s' behind its numbers", stepper->method->name);
}

static CardanStatus check_seal(CardanSim *sim, const double *state) {
    if (seal_of(sim, state) == state[cardan_sim_state_size(sim) - 1]) return CARDAN_OK;
    return crd_refuse(sim,
                      "the state was not got from a simulation like this: from number %d on its memory was changed; "
                      "cardan_sim_set_motion takes coordinates and velocities of any origin",
                      1 + sim->integrator.stepper.n);
}

/* The motion there, which the run that the state is of had found: what was done about a singular pose to find it is
 * remembered already. */
static void find_motion(CrdIntegrator *integrator) {
    const CrdRemedy remedy = integrator->dynamics.near_pose.remedy;
    if (crd_integrator_evaluate(integrator) < 0) {
        crd_error_clear(integrator->stepper.error); /* the next step will say it again */
        crd_integrator_touch(integrator);
    }
    integrator->dynamics.near_pose.remedy = remedy;
}

/* The state is put in place, looked at, and taken out again if joints are open in it. */
static CardanStatus try_state(CardanSim *sim, const double *state) {
    CrdIntegrator *integrator = &sim->integrator;
    const double t_old = integrator->stepper.t_old, grid = integrator->grid;
    const CrdDense dense = integrator->dense;
    crd_error_clear(&sim->error);
    integrator->conduct.as_reached = state[cardan_sim_state_size(sim) - SEAL] == seal_of_motion(sim, state);
    crd_sim_put_state(sim, state);
    integrator->conduct.as_reached = false;
    CardanStatus status = check_state(sim);
    if (status >= 0) {
        find_motion(integrator);
        return CARDAN_OK;
    }
    crd_sim_put_state(sim, sim->kept);
    integrator->stepper.t_old = t_old;
    integrator->grid = grid;
    integrator->dense = dense == CRD_DENSE_READY ? dense : CRD_DENSE_LOST; /* stages were overwritten */
    return crd_sim_report(sim, status);
}

CardanStatus cardan_sim_set_state(CardanSim *sim, const double *state) {
    CRD_TRY(crd_need_free(sim));
    CRD_TRY(crd_need_given(sim, state, "the state"));
    CRD_TRY(crd_need_finite(sim, state, cardan_sim_state_size(sim), "the state"));
    CRD_TRY(check_quaternions(sim, state + 1));
    CRD_TRY(check_seal(sim, state));
    CRD_TRY(check_memory(sim, state));
    crd_sim_keep_state(sim, sim->kept);
    CrdCall before = crd_sim_enter(sim);
    CardanStatus status = try_state(sim, state);
    crd_sim_leave(sim, before);
    return status;
}

/* Everything that belongs to the state, of a copy that was just opened for the same model and options. */
static CardanStatus copy_state(CardanSim *copy, const CardanSim *sim) {
    assert(copy->model == sim->model && copy->integrator.stepper.n == sim->integrator.stepper.n);
    const CrdStructure *structure = sim->model->structure;
    memcpy(copy->inputs, sim->inputs, (size_t)structure->input_count * sizeof *copy->inputs);
    memcpy(copy->wrenches, sim->wrenches, (size_t)structure->frame_count * sizeof *copy->wrenches);
    copy->pushed = sim->pushed;
    copy->spent = sim->spent;
    if (copy->pushed) copy->integrator.dynamics.actions.wrenches = copy->wrenches;
    CrdIntegrator *to = &copy->integrator;
    const CrdIntegrator *from = &sim->integrator;
    memcpy(to->stepper.y, from->stepper.y, (size_t)to->stepper.n * sizeof *to->stepper.y);
    to->stepper.t = to->stepper.t_old = from->stepper.t;
    to->controller = from->controller;
    memcpy(to->stepper.history, from->stepper.history, (size_t)to->stepper.history_size * sizeof *to->stepper.history);
    to->statistics = from->statistics;
    to->stages.accepted = from->stages.accepted;
    to->stages.before = from->stages.before;
    to->grid = from->grid;
    crd_guards_copy(&to->guards, &from->guards);
    crd_force_work_copy(&copy->work, &sim->work);
    CRD_TRY(crd_redundancy_copy(&to->dynamics, &from->dynamics));
    CRD_TRY(crd_relative_copy(copy, sim));
    crd_frozen_copy(&to->stabiliser.frozen, &from->stabiliser.frozen, structure);
    return crd_sim_slow_use(copy);
}

CardanStatus cardan_sim_clone(CardanSim *sim, CardanSim **out) {
    if (out != NULL) *out = NULL;
    CRD_TRY(crd_need_given(sim, out, "the place for the copy"));
    CardanSim *copy;
    CardanStatus status = crd_sim_open(sim->model, &sim->integrator.options, &copy);
    if (status >= 0) status = copy_state(copy, sim);
    if (status >= 0) {
        copy->started = true;
        *out = copy;
        return status;
    }
    snprintf(sim->message, sizeof sim->message, "%s", copy != NULL ? copy->error.text : "out of memory");
    cardan_sim_destroy(copy);
    return status;
}

static CardanStatus set_motion(CardanSim *sim, double t, const double *q, const double *v) {
    CrdIntegrator *integrator = &sim->integrator;
    const CrdStructure *structure = sim->model->structure;
    CrdStepper *stepper = &integrator->stepper;
    double *y = sim->scratch;
    memcpy(y, stepper->y, (size_t)stepper->n * sizeof *y);
    memcpy(y, q, (size_t)structure->nq * sizeof *y);
    memcpy(crd_integrator_v(integrator, y), v, (size_t)structure->nv * sizeof *y);
    crd_integrator_touch(integrator); /* the workspace is used for y: a failure changes no more */
    if (integrator->dense != CRD_DENSE_READY) integrator->dense = CRD_DENSE_LOST;
    crd_normalise(structure, y);
    CRD_TRY(crd_integrator_evaluate_constraints(integrator, t, y));
    const CrdSystem *system = &integrator->dynamics.system;
    CrdAllowed size = crd_part_of_size(sim->model, 1.0),
               speed = crd_part_of_size(sim->model, fmax(crd_reach(sim->model, v), 1.0));
    double g = crd_rows_excess(sim->model, system, system->g, size, NULL),
           rate = crd_rows_excess(sim->model, system, system->rate, speed, NULL);
    if (!(g <= CRD_START_RESIDUAL && rate <= CRD_START_RESIDUAL))
        return crd_fail(&sim->error, CARDAN_ERR_MODEL,
                        "the given motion does not meet the constraints: scaled residual %.3g in positions, %.3g in "
                        "velocities",
                        g, rate);
    CRD_TRY(crd_integrator_project(integrator, t, y));
    CRD_TRY(crd_turns_begin_anew(integrator, t, y));
    CRD_TRY(crd_integrator_derivative(integrator, y, stepper->f_new, false)); /* before anything is changed */
    if (!isfinite(crd_integrator_energy(integrator, y)))
        return crd_fail(&sim->error, CARDAN_ERR_MODEL,
                        "the given motion is too fast or too far off: its energy is no number");
    crd_sim_touch(sim);
    crd_relative_leave(sim);
    memcpy(stepper->y, y, (size_t)stepper->n * sizeof *y);
    stepper->t = stepper->t_old = t;
    integrator->controller = (CrdController){0};
    crd_integrator_reset(integrator);
    CRD_TRY(crd_integrator_evaluate(integrator));
    integrator->statistics.energy_start = crd_integrator_energy(integrator, stepper->y);
    return CARDAN_OK;
}

CardanStatus cardan_sim_set_motion(CardanSim *sim, double t, const double *q, const double *v) {
    CRD_TRY(crd_need_free(sim));
    CRD_TRY(crd_need_finite(sim, &t, 1, "the time"));
    CRD_TRY(crd_need_given(sim, q, "the list of coordinates"));
    CRD_TRY(crd_need_given(sim, v, "the list of velocities"));
    CRD_TRY(crd_need_finite(sim, q, sim->model->structure->nq, "the coordinates"));
    CRD_TRY(crd_need_finite(sim, v, sim->model->structure->nv, "the velocities"));
    crd_error_clear(&sim->error);
    CrdCall before = crd_sim_enter(sim);
    CardanStatus status = set_motion(sim, t, q, v);
    crd_sim_leave(sim, before);
    return crd_sim_report(sim, status);
}

CardanStatus cardan_sim_evaluate(CardanSim *sim, double *accelerations, double *multipliers) {
    CRD_TRY(crd_need_sim(sim));
    if (multipliers == NULL && accelerations != NULL && crd_relative_evaluate(sim, accelerations)) return CARDAN_OK;
    CRD_TRY(crd_sim_factored_motion(sim));
    const CrdStructure *structure = sim->model->structure;
    const CrdDynamics *dynamics = &sim->integrator.dynamics;
    if (accelerations != NULL) memcpy(accelerations, dynamics->a, (size_t)structure->nv * sizeof *accelerations);
    if (multipliers == NULL) return CARDAN_OK;
    /* Back to the order of the description: joints as they were added, then rows of blocks. */
    for (int j = 0; j < structure->joint_count; j++) {
        const CrdElement *element = &structure->elements[structure->element_of_joint[j]];
        memcpy(multipliers, dynamics->lambda + element->first, (size_t)element->rows * sizeof *multipliers);
        multipliers += element->rows;
    }
    for (int b = 0; b < structure->block_count; b++)
        for (int i = 0; i < structure->element_count; i++) {
            const CrdElement *element = &structure->elements[i];
            if (element->joint >= 0 || element->block != b) continue;
            memcpy(multipliers, dynamics->lambda + element->first, (size_t)element->rows * sizeof *multipliers);
            multipliers += element->rows;
        }
    return CARDAN_OK;
}

const double *cardan_sim_positions(const CardanSim *sim) {
    return sim == NULL ? NULL : sim->integrator.stepper.y;
}

const double *cardan_sim_velocities(const CardanSim *sim) {
    return sim == NULL ? NULL : sim->integrator.stepper.y + sim->model->structure->nq;
}
