/* Acting on a simulation: inputs, wrenches, parameters. */
#include "sim/refuse.h"

#include "analysis/fault.h"
#include "analysis/sentences.h"
#include "core/memory.h"
#include "core/numbers.h"

#include <assert.h>
#include <math.h>
#include <string.h>

CardanStatus cardan_sim_set_input(CardanSim *sim, CardanInput input, double value) {
    CRD_TRY(crd_need_input(sim, input)); /* the action of an event may set it */
    CRD_TRY(crd_need_finite(sim, &value, 1, "the value"));
    if (sim->inputs[input.index - 1] != value) crd_sim_touch(sim);
    sim->inputs[input.index - 1] = value;
    return CARDAN_OK;
}

CardanStatus cardan_sim_get_input(CardanSim *sim, CardanInput input, double *value) {
    CRD_TRY(crd_need_input(sim, input));
    CRD_TRY(crd_need_given(sim, value, "the place for the value"));
    *value = sim->inputs[input.index - 1];
    return CARDAN_OK;
}

CardanStatus cardan_sim_apply_wrench(CardanSim *sim, CardanBody body, CardanWrench wrench) {
    CRD_TRY(crd_need_free(sim));
    CRD_TRY(crd_need_body(sim, body));
    if (body.index == 0) return crd_refuse(sim, "a wrench on the ground moves nothing");
    const double given[6] = {wrench.force.x,  wrench.force.y,  wrench.force.z,
                             wrench.moment.x, wrench.moment.y, wrench.moment.z};
    CRD_TRY(crd_need_finite(sim, given, 6, "the wrench"));
    if (sim->spent) memset(sim->wrenches, 0, (size_t)sim->model->structure->frame_count * sizeof *sim->wrenches);
    sim->spent = false;
    sim->pushed = true;
    for (int i = 0; i < 6; i++) sim->wrenches[body.index][i] += given[i];
    sim->integrator.dynamics.actions.wrenches = sim->wrenches;
    crd_sim_touch(sim);
    return CARDAN_OK;
}

/* The state on the constraints of the model now set, from the present one; untouched when it fails. *moved: largest
 * change, in sizes of the mechanism, rad, and these a second. */
static CardanStatus project_state(CardanSim *sim, double *moved) {
    const CrdStepper *stepper = &sim->integrator.stepper;
    double *v = crd_integrator_v(&sim->integrator, stepper->y),
           *change = crd_integrator_v(&sim->integrator, sim->scratch);
    size_t bytes = (size_t)stepper->n * sizeof *stepper->y;
    memcpy(sim->scratch, stepper->y, bytes);
    CRD_TRY(crd_integrator_project(&sim->integrator, stepper->t, sim->scratch));
    *moved = crd_integrator_moved(&sim->integrator, stepper->y, sim->scratch);
    for (int i = 0; i < sim->model->structure->nv; i++) {
        double now = change[i];
        change[i] -= v[i];
        v[i] = now;
    }
    *moved = fmax(*moved, crd_reach(sim->model, change));
    memcpy(change, v, (size_t)sim->model->structure->nv * sizeof *v);
    memcpy(stepper->y, sim->scratch, bytes);
    return CARDAN_OK;
}

/* Goes over to a model of the same structure: the workspace fits. */
static CardanStatus use_model(CardanSim *sim, CardanModel *model, double *moved) {
    assert(model->structure == sim->model->structure);
    sim->model = model;
    crd_dynamics_use(&sim->integrator.dynamics, model);
    crd_integrator_set_tolerance(&sim->integrator);
    CRD_TRY(project_state(sim, moved));
    crd_sim_touch(sim);
    crd_relative_leave(sim);
    CRD_TRY(crd_relative_use(sim));
    CRD_TRY(crd_sim_slow_use(sim));
    return crd_integrator_evaluate(&sim->integrator);
}

/* Does another number of rows depend on others in the model now set than in the one the simulation was started with, or
 * do they depend on each other less exactly? marked (elements): joints with a part in it. */
static bool loops_are_others(CardanSim *sim, bool *marked) {
    CrdDynamics *dynamics = &sim->integrator.dynamics;
    CrdImperfect *imperfect = &dynamics->redundancy.imperfect;
    double *y = sim->integrator.stepper.y;
    CrdImperfection kind = imperfect->kind;
    int found = kind == CRD_SPREAD ? imperfect->rank : sim->model->structure->rows - dynamics->redundancy.count;
    CrdRank rank = {0};
    imperfect->kind = CRD_PERFECT; /* all rows are looked at as they are */
    CardanStatus status =
        crd_rank(dynamics, sim->integrator.stepper.t, y, crd_integrator_v(&sim->integrator, y), &rank, marked, NULL);
    imperfect->kind = kind;
    return status >= 0 && rank.dense &&
           (rank.rank != found || (kind == CRD_PERFECT && crd_rank_is_imperfect(sim->model, &rank)));
}

/* Rows that depend on others are found when a simulation starts. Where those of the changed model are others, that is
 * why its state was not met. */
static CardanStatus explain_loops(CardanSim *sim, const char *name, double value, CardanStatus status) {
    CrdDynamics *dynamics = &sim->integrator.dynamics;
    bool depends = dynamics->redundancy.count > 0 || dynamics->redundancy.imperfect.kind != CRD_PERFECT;
    if (status != CARDAN_ERR_NUMERIC || !depends) return status;
    bool *marked = crd_new((size_t)sim->model->structure->element_count, sizeof *marked);
    CrdError said = sim->error;
    if (marked != NULL && loops_are_others(sim, marked)) {
        CrdNameList list = crd_list_marked(sim->model, marked);
        crd_error_clear(&sim->error);
        status =
            crd_fail(&sim->error, CARDAN_ERR_MODEL,
                     "parameter '%s' = %.9g changes which constraint rows depend on others%s%s, and that is looked "
                     "at when a simulation starts: start one of a model with this value",
                     name, value, list.count > 0 ? ", those of joints " : "", list.text);
    } else {
        sim->error = said;
    }
    crd_delete(marked);
    return status;
}

/* state: the present one as numbers, to come back to. */
static CardanStatus set_parameter(CardanSim *sim, const char *name, double value, const double *state) {
    CrdIntegrator *integrator = &sim->integrator;
    double before = crd_integrator_energy(integrator, integrator->stepper.y), moved = 0.0;
    CardanModel *changed = NULL, *old = sim->model;
    CardanStatus status =
        cardan_model_with_parameters(old, 1, &name, &value, &changed, sim->error.text, sizeof sim->error.text);
    if (status < 0) return sim->error.status = status;
    status = use_model(sim, changed, &moved);
    status = status < 0 ? explain_loops(sim, name, value, status) : crd_imperfect_check(&integrator->dynamics);
    if (status < 0) {
        sim->model = old;
        crd_dynamics_use(&integrator->dynamics, old);
        crd_integrator_set_tolerance(integrator);
        CardanStatus made = crd_relative_use(sim);
        if (made >= 0) made = crd_sim_slow_use(sim);
        crd_sim_put_state(sim, state);
        cardan_model_release(changed);
        return made < 0 ? made : status;
    }
    cardan_model_release(old);
    integrator->stepper.t_old = integrator->stepper.t; /* nothing to interpolate across the change */
    /* The change of energy was done from outside. */
    integrator->statistics.energy_start += crd_integrator_energy(integrator, integrator->stepper.y) - before;
    if (moved <= CRD_START_ROUNDING) return CARDAN_OK;
    return crd_fail(&sim->error, CARDAN_REMARK,
                    "parameter '%s' = %.9g moved the state by %.3g of its size onto its constraints", name, value,
                    moved);
}

CardanStatus cardan_sim_set_parameter(CardanSim *sim, const char *name, double value) {
    CRD_TRY(crd_need_free(sim));
    CRD_TRY(crd_need_given(sim, name, "the name of a parameter"));
    CRD_TRY(crd_sim_factored_motion(sim));
    crd_error_clear(&sim->error);
    double *state = crd_new((size_t)cardan_sim_state_size(sim), sizeof *state);
    if (state == NULL) return crd_sim_report(sim, crd_fail_memory(&sim->error));
    CardanStatus status = cardan_sim_get_state(sim, state);
    CrdCall before = crd_sim_enter(sim);
    if (status >= 0) status = set_parameter(sim, name, value, state);
    crd_sim_leave(sim, before);
    crd_delete(state);
    return crd_sim_report(sim, status);
}

/* ---- first-order states ---- */

/* Where the states start in z and how many they are; none: all. */
static CardanStatus find_states(CardanSim *sim, CardanFirstOrder states, int *first, int *count) {
    CRD_TRY(crd_need_sim(sim));
    const CrdStructure *structure = sim->model->structure;
    *first = 0;
    *count = structure->first_order;
    if (states.index < 0 || states.index > structure->states_count)
        return crd_refuse(sim, "there are no first-order states number %d", states.index);
    if (states.index == 0) return CARDAN_OK;
    *first = structure->state_of_states[states.index - 1];
    *count = sim->model->description->states[states.index - 1].def.count;
    return CARDAN_OK;
}

const double *cardan_sim_first_order(CardanSim *sim, CardanFirstOrder states) {
    int first, count;
    if (find_states(sim, states, &first, &count) < 0) return NULL;
    return crd_integrator_z(&sim->integrator, sim->integrator.stepper.y) + first;
}

CardanStatus cardan_sim_set_first_order(CardanSim *sim, CardanFirstOrder states, const double *z) {
    int first, count;
    CRD_TRY(crd_need_free(sim));
    CRD_TRY(crd_need_given(sim, z, "the list of first-order states"));
    CRD_TRY(find_states(sim, states, &first, &count));
    CRD_TRY(crd_need_finite(sim, z, count, "the first-order states"));
    memcpy(crd_integrator_z(&sim->integrator, sim->integrator.stepper.y) + first, z, (size_t)count * sizeof *z);
    crd_sim_touch(sim);
    crd_relative_leave(sim);
    return CARDAN_OK;
}
