/* Creating, stepping and destroying simulations. Acting on them is in act.c, the state as numbers in state.c, reading in
 * read.c. */
#include "sim/sim.h"

#include "analysis/start.h"
#include "build/options.h"
#include "cardan/cardan.h"

#include <math.h>
#include <string.h>

const char *cardan_version(void) {
    return CARDAN_VERSION;
}

static void layout(CardanSim *sim, const CardanModel *model, const CardanOptions *options) {
    const CrdShape *s = model->shape;
    crd_run_layout(&sim->run, model, options, &sim->arena);
    sim->inputs = crd_take(&sim->arena, (size_t)s->input_count, sizeof *sim->inputs);
    sim->wrenches = crd_take(&sim->arena, (size_t)s->carrier_count, sizeof *sim->wrenches);
    sim->unique = crd_take(&sim->arena, (size_t)s->element_count, sizeof *sim->unique);
    sim->unique_steps = -1;
    sim->scratch = crd_take(&sim->arena, (size_t)sim->run.n, sizeof *sim->scratch);
}

static CardanStatus open_run(CardanSim *sim, const CardanModel *model, const CardanOptions *options) {
    layout(sim, model, options);
    if (!crd_arena_allocate(&sim->arena)) return crd_fail_memory(&sim->error);
    layout(sim, model, options);
    CrdRun *run = &sim->run;
    run->owner = sim;
    run->error = run->dynamics.error = &sim->error;
    run->dynamics.actions = (CrdActions){
        .inputs = sim->inputs, .states = crd_run_z(run, run->y), .followers = crd_run_followers(run, run->y)};
    crd_events_hold(run, false);
    if (options->stabilise.method == CARDAN_STABILISE_BAUMGARTE) {
        run->dynamics.alpha = options->stabilise.alpha;
        run->dynamics.beta = options->stabilise.beta;
    }
    for (int i = 0; i < model->shape->input_count; i++) sim->inputs[i] = model->description->inputs[i].value;
    return crd_dynamics_open(&run->dynamics, options);
}

static CardanStatus check_and_open(CardanSim *sim, const CardanModel *model, const CardanOptions *options) {
    char reason[CRD_MESSAGE_SIZE];
    CardanStatus status = cardan_options_check(options, reason, sizeof reason);
    if (status < 0) return crd_fail(&sim->error, status, "%s", reason);
    CRD_TRY(crd_stabiliser_check(model, options, &sim->error));
    CRD_TRY(crd_method_check(model, options, &sim->error));
    CardanOptions resolved = crd_options_resolved(options);
    return open_run(sim, model, &resolved);
}

CardanStatus crd_sim_open(const CardanModel *model, const CardanOptions *options, CardanSim **out) {
    *out = NULL;
    CardanSim *sim = crd_new(1, sizeof *sim);
    if (sim == NULL) return CARDAN_ERR_MEMORY;
    *out = sim;
    sim->model = cardan_model_retain(model);
    return crd_sim_report(sim, check_and_open(sim, model, options));
}

/* Puts the description's start into the state, on the constraints, and takes the first energies and residuals. */
static CardanStatus begin(CardanSim *sim) {
    CrdRun *run = &sim->run;
    const CardanModel *model = sim->model;
    memcpy(run->y, model->numbers.q0, (size_t)model->shape->nq * sizeof *run->y);
    memcpy(crd_run_v(run, run->y), model->numbers.v0, (size_t)model->shape->nv * sizeof *run->y);
    memcpy(crd_run_followers(run, run->y), model->numbers.followers, (size_t)model->shape->follower_count * sizeof *run->y);
    memcpy(crd_run_z(run, run->y), model->numbers.z0, (size_t)model->shape->first_order * sizeof *run->y);
    CardanStatus started = crd_start(run);
    if (started < 0) return started;
    crd_events_forget(run);
    CRD_TRY(crd_run_evaluate(run));
    run->energy_start = crd_run_energy(run, run->y);
    run->position_max = crd_worst(run->dynamics.system.g, model->shape->rows);
    run->velocity_max = crd_worst(run->dynamics.system.rate, model->shape->rows);
    return started;
}

CardanStatus cardan_sim_create(const CardanModel *model, const CardanOptions *options, CardanSim **out) {
    if (out != NULL) *out = NULL;
    if (model == NULL || out == NULL) return CARDAN_ERR_ARGUMENT;
    CardanOptions own = options != NULL ? *options : cardan_model_options(model);
    CardanStatus status = crd_sim_open(model, &own, out);
    if (status >= 0) status = begin(*out);
    return *out == NULL ? status : crd_sim_report(*out, status);
}

void cardan_sim_destroy(CardanSim *sim) {
    if (sim == NULL) return;
    crd_dynamics_close(&sim->run.dynamics);
    cardan_model_release(sim->model);
    crd_delete(sim->arena.base);
    crd_delete(sim);
}

const char *cardan_sim_message(const CardanSim *sim) {
    return sim == NULL ? "" : sim->message;
}

CardanStatus crd_sim_report(CardanSim *sim, CardanStatus status) {
    crd_tell(&sim->error, sim->error.place.line > 0 ? sim->model->description->file : NULL, sim->message,
             sizeof sim->message);
    return status;
}

CardanStatus crd_sim_motion(CardanSim *sim) {
    if (sim->run.slope_known && sim->run.solved) return CARDAN_OK;
    crd_error_clear(&sim->error);
    CardanStatus status = crd_run_evaluate(&sim->run);
    return status < 0 ? crd_sim_report(sim, status) : status;
}

bool crd_sim_is_free(const CardanSim *sim) {
    return sim != NULL && !sim->run.events.acting;
}

void crd_sim_touch(CardanSim *sim) {
    sim->run.slope_known = sim->run.solved = false;
    sim->run.dense_known = false; /* the last step was made under other inputs: it is no longer sampled */
    sim->run.dense_lost = true;
    sim->run.events.known = false;
    crd_run_restart(&sim->run);
}

/* A wrench lives until its advance is over; it is taken away when the next one begins, so that reactions read in
 * between are those of the motion just made. */
static void begin_advance(CardanSim *sim) {
    crd_error_clear(&sim->error);
    if (!sim->spent) return;
    memset(sim->wrenches, 0, (size_t)sim->model->shape->carrier_count * sizeof *sim->wrenches);
    sim->pushed = sim->spent = false;
    sim->run.dynamics.actions.wrenches = NULL;
    crd_sim_touch(sim);
}

static void end_advance(CardanSim *sim) {
    sim->spent = sim->pushed;
}

CardanStatus cardan_sim_step(CardanSim *sim, double t_limit) {
    if (!crd_sim_is_free(sim) || !(t_limit > sim->run.t)) return CARDAN_ERR_ARGUMENT;
    begin_advance(sim);
    CardanStatus status = crd_step(&sim->run, t_limit);
    end_advance(sim);
    return crd_sim_report(sim, status);
}

CardanStatus cardan_sim_advance(CardanSim *sim, double t) {
    if (!crd_sim_is_free(sim) || !isfinite(t) || t < sim->run.t) return CARDAN_ERR_ARGUMENT;
    begin_advance(sim);
    CardanStatus status = CARDAN_OK, remark = CARDAN_OK;
    long most = sim->run.options.max_steps;
    for (long i = 0; status >= 0 && status != CARDAN_STOPPED && sim->run.t < t; i++) {
        if (most > 0 && i == most)
            status = crd_fail(&sim->error, CARDAN_ERR_LIMIT, "max_steps = %ld steps did not reach t = %.9g; now at %.9g",
                              most, t, sim->run.t);
        else
            status = crd_step(&sim->run, t);
        if (status > 0) remark = status;
    }
    end_advance(sim);
    return crd_sim_report(sim, status < 0 ? status : remark);
}

double cardan_sim_time(const CardanSim *sim) {
    return sim == NULL ? 0.0 : sim->run.t;
}

double cardan_sim_last_step(const CardanSim *sim) {
    return sim == NULL ? 0.0 : sim->run.t - sim->run.t_old;
}
