/* Acting on a simulation: inputs, wrenches, parameters. */
#include "sim/sim.h"

#include "core/numbers.h"

#include <math.h>
#include <string.h>

static bool is_input(const CardanSim *sim, CardanInput input) {
    return sim != NULL && input.index >= 1 && input.index <= sim->model->shape->input_count;
}

CardanStatus cardan_sim_set_input(CardanSim *sim, CardanInput input, double value) {
    if (!is_input(sim, input) || !isfinite(value)) return CARDAN_ERR_ARGUMENT;
    if (sim->inputs[input.index - 1] != value) crd_sim_touch(sim);
    sim->inputs[input.index - 1] = value;
    return CARDAN_OK;
}

double cardan_sim_input(const CardanSim *sim, CardanInput input) {
    return is_input(sim, input) ? sim->inputs[input.index - 1] : 0.0;
}

CardanStatus cardan_sim_apply_wrench(CardanSim *sim, CardanBody body, CardanWrench wrench) {
    if (sim == NULL || body.index < 1 || body.index >= sim->model->shape->carrier_count) return CARDAN_ERR_ARGUMENT;
    const double given[6] = {wrench.force.x,  wrench.force.y,  wrench.force.z,
                             wrench.moment.x, wrench.moment.y, wrench.moment.z};
    for (int i = 0; i < 6; i++)
        if (!isfinite(given[i])) return CARDAN_ERR_ARGUMENT;
    if (sim->spent) memset(sim->wrenches, 0, (size_t)sim->model->shape->carrier_count * sizeof *sim->wrenches);
    sim->spent = false;
    sim->pushed = true;
    for (int i = 0; i < 6; i++) sim->wrenches[body.index][i] += given[i];
    sim->run.dynamics.actions.wrenches = sim->wrenches;
    crd_sim_touch(sim);
    return CARDAN_OK;
}

/* The state on the constraints of the model now set, from the present one; untouched when it fails. */
static CardanStatus settle(CardanSim *sim, double *moved) {
    CrdRun *run = &sim->run;
    memcpy(sim->scratch, run->y, (size_t)run->n * sizeof *run->y);
    crd_run_look_at(run, sim->scratch);
    if (sim->model->shape->rows > 0)
        CRD_TRY(crd_project(&run->stabiliser, &run->dynamics, run->t, sim->scratch, crd_run_v(run, sim->scratch)));
    else
        CRD_TRY(crd_run_measure(run, run->t, sim->scratch));
    crd_run_follow(run, sim->scratch);
    *moved = 0.0;
    for (int i = 0; i < run->n - 1; i++) *moved = fmax(*moved, fabs(sim->scratch[i] - run->y[i]));
    memcpy(run->y, sim->scratch, (size_t)run->n * sizeof *run->y);
    return CARDAN_OK;
}

static CardanStatus set_parameter(CardanSim *sim, const char *name, double value) {
    CrdRun *run = &sim->run;
    CRD_TRY(crd_run_evaluate(run));
    double before = crd_run_energy(run, run->y), moved = 0.0;
    memcpy(run->y_raw, run->y, (size_t)run->n * sizeof *run->y);
    CardanModel *changed = NULL, *old = sim->model;
    CardanStatus status =
        cardan_model_with_parameters(old, 1, &name, &value, &changed, sim->error.text, sizeof sim->error.text);
    if (status < 0) {
        sim->error.status = status;
        return status;
    }
    sim->model = changed;
    crd_dynamics_use(&run->dynamics, changed); /* the shape is the same, so the workspace fits */
    status = settle(sim, &moved);
    crd_sim_touch(sim);
    if (status >= 0) status = crd_run_evaluate(run);
    if (status < 0) {
        sim->model = old;
        memcpy(run->y, run->y_raw, (size_t)run->n * sizeof *run->y);
        crd_dynamics_use(&run->dynamics, old);
        crd_sim_touch(sim);
        cardan_model_release(changed);
        return status;
    }
    cardan_model_release(old);
    run->t_old = run->t; /* nothing to interpolate across the change */
    run->energy_start += crd_run_energy(run, run->y) - before; /* the change of energy was done from outside */
    if (moved <= CRD_START_ROUNDING * changed->numbers.size) return CARDAN_OK;
    return crd_fail(&sim->error, CARDAN_REMARK, "parameter '%s' = %.9g moved the state by %.3g onto its constraints",
                    name, value, moved);
}

CardanStatus cardan_sim_set_parameter(CardanSim *sim, const char *name, double value) {
    if (!crd_sim_is_free(sim) || name == NULL) return CARDAN_ERR_ARGUMENT;
    crd_error_clear(&sim->error);
    return crd_sim_report(sim, set_parameter(sim, name, value));
}
