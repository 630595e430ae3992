/* Creating, stepping and destroying simulations. Acting on them is in act.c, the state as numbers in state.c, reading
 * in read.c. */
#include "sim/refuse.h"

#include "analysis/start.h"
#include "cardan/cardan.h"
#include "guard/guards.h"
#include "guard/hold/hold.h"
#include "integrate/fits.h"
#include "options/options.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#define TEXT_OF(number) #number
#define VERSION_TEXT(major, minor, patch) TEXT_OF(major) "." TEXT_OF(minor) "." TEXT_OF(patch)

int cardan_version(void) {
    return CARDAN_VERSION;
}

const char *cardan_version_text(void) {
    return VERSION_TEXT(CARDAN_VERSION_MAJOR, CARDAN_VERSION_MINOR, CARDAN_VERSION_PATCH);
}

static void layout(CardanSim *sim, const CardanModel *model, const CardanOptions *options) {
    const CrdStructure *structure = model->structure;
    crd_integrator_layout(&sim->integrator, model, options, &sim->arena);
    crd_guards_install(&sim->integrator, &sim->arena);
    sim->inputs = crd_take(&sim->arena, (size_t)structure->input_count, sizeof *sim->inputs);
    sim->wrenches = crd_take(&sim->arena, (size_t)structure->frame_count, sizeof *sim->wrenches);
    sim->unique = crd_take(&sim->arena, (size_t)structure->element_count, sizeof *sim->unique);
    sim->softened = crd_take(&sim->arena, (size_t)structure->element_count, sizeof *sim->softened);
    sim->unique_steps = sim->softened_steps = -1;
    crd_force_work_layout(&sim->work, structure, &sim->arena);
    sim->scratch = crd_take(&sim->arena, (size_t)sim->integrator.stepper.n, sizeof *sim->scratch);
    CRD_TAKE_VECTORS(&sim->arena, (size_t)cardan_sim_state_size(sim), &sim->kept, &sim->failed);
}

static CardanStatus open_run(CardanSim *sim, const CardanModel *model, const CardanOptions *options) {
    CRD_TRY(crd_relative_open(sim, options)); /* its memory is part of the state */
    layout(sim, model, options);
    if (!crd_arena_allocate(&sim->arena)) return crd_fail_memory(&sim->error);
    layout(sim, model, options);
    CrdIntegrator *integrator = &sim->integrator;
    integrator->owner = sim;
    integrator->stepper.error = integrator->dynamics.error = &sim->error;
    integrator->dynamics.actions = (CrdActions){.inputs = sim->inputs,
                                                .states = crd_integrator_z(integrator, integrator->stepper.y),
                                                .tracked = crd_integrator_tracked(integrator, integrator->stepper.y)};
    crd_guards_hold(&integrator->guards, false);
    if (options->stabilise.method == CARDAN_STABILISE_BAUMGARTE) {
        integrator->dynamics.alpha = options->stabilise.alpha;
        integrator->dynamics.beta = options->stabilise.beta;
        integrator->dynamics.first_derivatives = options->stabilise.index == 3;
    }
    for (int i = 0; i < model->structure->input_count; i++) sim->inputs[i] = model->description->inputs[i].value;
    sim->relative.integrator.dynamics.actions.inputs = sim->inputs;
    CRD_TRY(crd_model_equations_open(integrator, &sim->error));
    CRD_TRY(crd_dynamics_open(&integrator->dynamics, options));
    CRD_TRY(crd_frozen_open(&integrator->stabiliser.frozen, &integrator->dynamics));
    return crd_sim_share(sim);
}

static CardanStatus check_and_open(CardanSim *sim, const CardanModel *model, const CardanOptions *options) {
    char reason[CRD_MESSAGE_SIZE];
    CardanStatus status = cardan_options_check(options, reason, sizeof reason);
    if (status < 0) return crd_fail(&sim->error, status, "%s", reason);
    CRD_TRY(crd_stabiliser_check(model, options, &sim->error));
    CRD_TRY(crd_hold_check(model, options, &sim->error));
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

CrdCall crd_sim_enter(CardanSim *sim) {
    CrdCall before = {sim->busy, sim->integrator.conduct.acting};
    assert(!before.busy || before.acting); /* crd_need_sim came before */
    sim->busy = true;
    sim->integrator.conduct.acting = false;
    return before;
}

void crd_sim_leave(CardanSim *sim, CrdCall before) {
    assert(sim->busy && !sim->integrator.conduct.acting);
    sim->busy = before.busy;
    sim->integrator.conduct.acting = before.acting;
}

/* Puts the description's start into the state, on the constraints, and takes the first energies and residuals. */
CardanStatus crd_sim_begin(CardanSim *sim, bool slow) {
    CrdIntegrator *integrator = &sim->integrator;
    const CrdStructure *structure = sim->model->structure;
    const CrdValues *values = &sim->model->values;
    double *y = integrator->stepper.y;
    memcpy(y, values->q0, (size_t)structure->nq * sizeof *y);
    memcpy(crd_integrator_v(integrator, y), values->v0, (size_t)structure->nv * sizeof *y);
    memcpy(crd_integrator_tracked(integrator, y), values->tracked, (size_t)structure->tracked_count * sizeof *y);
    memcpy(crd_integrator_z(integrator, y), values->z0, (size_t)structure->first_order * sizeof *y);
    if (crd_relative_start(sim)) {
        crd_force_work_begin(sim);
        return CARDAN_OK;
    }
    CardanStatus started = crd_start(integrator);
    if (started < 0) return started;
    if (slow) CRD_TRY(crd_sim_slow_begin(sim));
    crd_integrator_reset(integrator);
    CRD_TRY(crd_integrator_evaluate(integrator));
    integrator->statistics.energy_start = crd_integrator_energy(integrator, integrator->stepper.y);
    integrator->statistics.kinetic_max =
        crd_kinetic(sim->model, &integrator->dynamics.system, crd_integrator_v(integrator, y));
    integrator->statistics.position_max = crd_max_abs(integrator->dynamics.system.g, structure->rows);
    integrator->statistics.velocity_max = crd_max_abs(integrator->dynamics.system.rate, structure->rows);
    crd_relative_begin(sim);
    crd_force_work_begin(sim);
    return started;
}

CardanStatus cardan_sim_create(const CardanModel *model, const CardanOptions *options, CardanSim **out) {
    if (out != NULL) *out = NULL;
    if (model == NULL || out == NULL) return CARDAN_ERR_ARGUMENT;
    CardanOptions own = options != NULL ? *options : cardan_model_options(model);
    CardanStatus status = crd_sim_open(model, &own, out);
    CrdCall before = {0};
    if (status >= 0) {
        before = crd_sim_enter(*out);
        status = crd_sim_begin(*out, true);
        crd_sim_leave(*out, before);
    }
    if (status >= 0) status = crd_sim_foresee(*out, status);
    if (status >= 0) (*out)->started = true;
    return *out == NULL ? status : crd_sim_report(*out, status);
}

void cardan_sim_destroy(CardanSim *sim) {
    if (sim == NULL || sim->busy) return;
    crd_sim_slow_end(sim);
    crd_relative_close(&sim->relative);
    crd_model_equations_close(&sim->integrator);
    crd_frozen_close(&sim->integrator.stabiliser.frozen);
    crd_dynamics_close(&sim->integrator.dynamics);
    crd_pool_free(sim->pool);
    cardan_model_release(sim->model);
    crd_arena_free(&sim->arena);
    crd_delete(sim);
}

const char *cardan_sim_message(const CardanSim *sim) {
    return sim == NULL ? "there is no simulation" : sim->message;
}

CardanStatus crd_sim_report(CardanSim *sim, CardanStatus status) {
    crd_tell(&sim->error, sim->error.place.line > 0 ? sim->model->description->file : NULL, sim->message,
             sizeof sim->message);
    return status;
}

CardanStatus crd_sim_configuration(CardanSim *sim) {
    CrdIntegrator *integrator = &sim->integrator;
    const CrdStepper *stepper = &integrator->stepper;
    if (crd_stamp_holds_of(&integrator->dynamics.system.stamp, CRD_HOLDS_ROWS, stepper->t, stepper->y))
        return CARDAN_OK;
    crd_error_clear(&sim->error);
    CrdCall before = crd_sim_enter(sim);
    CardanStatus status = crd_integrator_evaluate_constraints(integrator, stepper->t, stepper->y);
    crd_sim_leave(sim, before);
    return status < 0 ? crd_sim_report(sim, status) : status;
}

CardanStatus crd_sim_motion(CardanSim *sim) {
    if (crd_integrator_is_solved(&sim->integrator)) return CARDAN_OK;
    CrdCall before = crd_sim_enter(sim);
    bool found = crd_relative_motion(sim);
    crd_sim_leave(sim, before);
    return found ? CARDAN_OK : crd_sim_factored_motion(sim);
}

CardanStatus crd_sim_factored_motion(CardanSim *sim) {
    CrdIntegrator *integrator = &sim->integrator;
    bool factored = crd_stamp_holds(&integrator->dynamics.system.stamp, CRD_HOLDS_FACTOR);
    if (sim->relative.leads && !factored) crd_integrator_touch(integrator);
    if (crd_integrator_is_solved(integrator)) return CARDAN_OK;
    crd_error_clear(&sim->error);
    CrdCall before = crd_sim_enter(sim);
    CardanStatus status = crd_integrator_evaluate(integrator);
    crd_sim_leave(sim, before);
    return status < 0 ? crd_sim_report(sim, status) : status;
}

void crd_sim_touch(CardanSim *sim) {
    crd_integrator_touch(&sim->integrator);
    sim->integrator.dense = CRD_DENSE_LOST; /* the last step was made under other inputs: it is no longer sampled */
    crd_guards_touch(&sim->integrator.guards);
    crd_frozen_forget(&sim->integrator.stabiliser.frozen);
    crd_integrator_restart(&sim->integrator);
    crd_relative_touch(sim);
}

/* A wrench lives until its advance is over; it is taken away when the next one begins, so that reactions read in
 * between are those of the motion just made. */
static CrdCall begin_advance(CardanSim *sim) {
    CrdCall before = crd_sim_enter(sim);
    crd_error_clear(&sim->error);
    if (!sim->spent) return before;
    memset(sim->wrenches, 0, (size_t)sim->model->structure->frame_count * sizeof *sim->wrenches);
    sim->pushed = sim->spent = false;
    sim->integrator.dynamics.actions.wrenches = NULL;
    crd_sim_touch(sim);
    return before;
}

static CardanStatus end_advance(CardanSim *sim, CrdCall before, CardanStatus status) {
    sim->spent = sim->pushed;
    crd_sim_leave(sim, before);
    return crd_sim_report(sim, status);
}

/* In relative coordinates if they can make it. */
static CardanStatus make_step(CardanSim *sim, double t_limit) {
    bool made;
    CardanStatus status = crd_relative_step(sim, t_limit, &made);
    if (made) return status;
    status = crd_step(&sim->integrator, t_limit);
    if (status >= 0) crd_relative_rest(sim);
    return status;
}

static CardanStatus plain_step(CardanSim *sim, double t_limit) {
    const CrdBefore before = crd_relative_before(sim);
    CardanStatus status = make_step(sim, t_limit);
    if (status < 0) crd_relative_put_back(sim, &before);
    return status;
}

/* One step. A failure may come after the step itself, at an event that it ends with: then the state before it is put
 * back, unless it was the action of a user's event that failed. */
static CardanStatus step(CardanSim *sim, double t_limit) {
    CrdIntegrator *integrator = &sim->integrator;
    integrator->conduct.stays = false;
    if (crd_relative_is_plain(sim)) return plain_step(sim, t_limit);
    crd_sim_keep_state(sim, sim->kept);
    const CrdLog log = integrator->log;
    double due = crd_sim_slow_next(sim), t = integrator->stepper.t;
    CardanStatus status = make_step(sim, fmin(t_limit, due));
    if (status >= 0 && integrator->stepper.t > t) {
        CardanStatus worked = crd_force_work_step(sim);
        if (worked < 0) status = worked;
    }
    if (status >= 0 && integrator->stepper.t >= due) {
        CardanStatus again = crd_sim_slow_again(sim);
        if (again < 0) status = again;
    }
    if (status >= 0 || integrator->conduct.stays) return status;
    crd_sim_keep_state(sim, sim->failed);
    size_t bytes = (size_t)cardan_sim_state_size(sim) * sizeof *sim->kept;
    if (memcmp(sim->kept, sim->failed, bytes) != 0) crd_sim_put_state(sim, sim->kept);
    if (status == CARDAN_ERR_NUMERIC && crd_sim_blames_step(sim, t_limit)) integrator->log = log;
    return status;
}

CardanStatus cardan_sim_step(CardanSim *sim, double t_limit) {
    CRD_TRY(crd_need_free(sim));
    if (!(t_limit > sim->integrator.stepper.t))
        return crd_refuse(sim, "a step from t = %.9g needs a later time, not %.9g", sim->integrator.stepper.t, t_limit);
    CrdCall before = begin_advance(sim);
    return end_advance(sim, before, step(sim, t_limit));
}

CardanStatus cardan_sim_advance(CardanSim *sim, double t) {
    CRD_TRY(crd_need_free(sim));
    CRD_TRY(crd_need_finite(sim, &t, 1, "the time"));
    if (t < sim->integrator.stepper.t)
        return crd_refuse(sim, "the time %.9g is before the present, %.9g", t, sim->integrator.stepper.t);
    CrdCall before = begin_advance(sim);
    CardanStatus status = CARDAN_OK, remark = CARDAN_OK;
    long max = sim->integrator.options.max_steps;
    for (long i = 0; status >= 0 && status != CARDAN_STOPPED && sim->integrator.stepper.t < t; i++) {
        if (max > 0 && i == max)
            status =
                crd_fail(&sim->error, CARDAN_ERR_LIMIT, "max_steps = %ld steps did not reach t = %.9g; now at %.9g",
                         max, t, sim->integrator.stepper.t);
        else
            status = step(sim, t);
        if (status > 0) remark = status;
    }
    return end_advance(sim, before, status < 0 ? status : remark);
}

double cardan_sim_time(const CardanSim *sim) {
    return sim == NULL ? (double)NAN : sim->integrator.stepper.t;
}

double cardan_sim_last_step(const CardanSim *sim) {
    return sim == NULL ? (double)NAN : sim->integrator.stepper.t - sim->integrator.stepper.t_old;
}
