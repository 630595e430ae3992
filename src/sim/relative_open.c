/* Whether steps can be made in relative coordinates, and what they are made with. */
#include "guard/guards.h"
#include "model/relative.h"
#include "model/tree.h"
#include "options/options.h"
#include "sim/sim.h"

#include <stdio.h>
#include <string.h>

/* Predicted gain from which relative coordinates pay: beside the right-hand side a step has other costs. */
#define CRD_RELATIVE_GAIN 1.15

/* ---- can it be? ---- */

/* What relative coordinates have no part in, by the name of the option; NULL: nothing. */
static const char *foreign_option(const CardanOptions *options) {
    const CrdMethod *method = crd_method(options->stepper);
    if (method->tableau == NULL || method->sees != CRD_SEES_ODE) return "stepper";
    if (options->formulation != CARDAN_FORMULATION_INDEX1) return "formulation";
    if (options->stabilise.method != CARDAN_STABILISE_POST) return "stabilise.method";
    if (options->stabilise.form != CARDAN_STABILISE_FORM_BLOCK) return "stabilise.form";
    if (options->stabilise.metric != CARDAN_METRIC_MASS) return "stabilise.metric";
    if (options->stabilise.freeze > 1) return "stabilise.freeze";
    if (options->regularise.method != CARDAN_REGULARISE_AUTO) return "regularise.method";
    if (options->solver != CARDAN_SOLVER_AUTO) return "solver";
    return NULL;
}

static CardanStatus check_options(const CardanOptions *options, CrdError *error) {
    const char *name = foreign_option(options);
    if (name == NULL) return CARDAN_OK;
    return crd_fail(error, CARDAN_ERR_MODEL,
                    "coordinates: relative takes explicit Runge-Kutta steppers with post-stabilisation in the mass "
                    "metric and the solver of its own; '%s' asks for something else",
                    name);
}

static CardanStatus make_model(const CardanModel *absolute, const CardanOptions *options, CardanModel **out,
                               CrdError *error) {
    *out = NULL;
    CRD_TRY(check_options(options, error));
    const CrdStructure *structure = absolute->structure;
    if (structure->first_event < structure->switch_count)
        return crd_fail(error, CARDAN_ERR_MODEL,
                        "event '%s' is given absolute coordinates: coordinates: relative has none while it steps",
                        absolute->description->events[structure->switches[structure->first_event].object].name);
    if (structure->invariant_count > 0)
        return crd_fail(error, CARDAN_ERR_MODEL,
                        "invariant '%s' is given absolute coordinates: coordinates: relative has none while it steps",
                        absolute->description->invariants[0].name);
    return crd_relative_create(absolute, out, error);
}

/* ---- making it ---- */

static void layout(CardanSim *sim, const CardanOptions *options) {
    CrdRelative *relative = &sim->relative;
    CrdArena *arena = &relative->arena;
    crd_integrator_layout(&relative->integrator, relative->model, options, arena);
    crd_guards_install(&relative->integrator, arena);
    relative->redundant = crd_take(arena, (size_t)relative->model->structure->rows, sizeof(bool));
    relative->accelerations = crd_take(arena, (size_t)sim->model->structure->nv, sizeof(double));
    relative->y = crd_take(arena, (size_t)relative->integrator.stepper.n, sizeof(double));
    if (relative->model->structure->rows == 0)
        crd_system_layout_aside(&relative->aside, &relative->integrator.dynamics.system, relative->model->structure,
                                arena);
}

static CardanStatus open(CardanSim *sim, const CardanOptions *options) {
    CrdRelative *relative = &sim->relative;
    CrdIntegrator *integrator = &relative->integrator;
    layout(sim, options);
    if (!crd_arena_allocate(&relative->arena)) return crd_fail_memory(&relative->error);
    layout(sim, options);
    integrator->owner = sim;
    integrator->conduct.tries = true;
    integrator->stepper.error = integrator->dynamics.error = &relative->error;
    integrator->dynamics.actions = (CrdActions){.inputs = sim->inputs}; /* none yet where the simulation is opened */
    crd_guards_hold(&integrator->guards, false);
    relative->pause = CRD_RELATIVE_PAUSE;
    return crd_dynamics_open(&integrator->dynamics, options);
}

/* Less work is expected; says why, or why not. Steps of a fixed size are as they come: where they land next to a
 * singular pose cannot be mended by others, so that one kind of coordinates makes them all. */
static bool pays(CardanSim *sim, const CardanOptions *options) {
    CrdRelative *relative = &sim->relative;
    double gain = crd_relative_gain(sim->model, relative->model);
    bool met = sim->model->structure->watched_count > 0 && options->step > 0.0;
    if (met)
        snprintf(relative->reason, sizeof relative->reason,
                 "joints close loops, and fixed steps may meet singular poses anywhere");
    else
        snprintf(relative->reason, sizeof relative->reason, "predicted work %.2g of that in absolute coordinates",
                 1.0 / gain);
    return !met && gain > CRD_RELATIVE_GAIN;
}

CardanStatus crd_relative_open(CardanSim *sim, const CardanOptions *options) {
    CrdRelative *relative = &sim->relative;
    CrdError error = {0};
    if (crd_is_relative(sim->model->structure)) return CARDAN_OK; /* a test steps it by itself */
    if (options->coordinates == CARDAN_COORDINATES_ABSOLUTE) {
        snprintf(relative->reason, sizeof relative->reason, "asked for");
        return CARDAN_OK;
    }
    bool asked = options->coordinates == CARDAN_COORDINATES_RELATIVE;
    CardanStatus status = make_model(sim->model, options, &relative->model, &error);
    if (status < 0 || relative->model == NULL) {
        snprintf(relative->reason, sizeof relative->reason, "%.250s", error.text);
        if (status == CARDAN_ERR_MEMORY) return crd_fail_memory(&sim->error);
        if (!asked) return CARDAN_OK;
        return crd_fail(&sim->error, status < 0 ? status : CARDAN_ERR_MODEL, "%s", error.text);
    }
    if (pays(sim, options) || asked) {
        status = open(sim, options);
        if (status < 0) sim->error = relative->error;
        return status;
    }
    cardan_model_release(relative->model);
    relative->model = NULL;
    return CARDAN_OK;
}

void crd_relative_close(CrdRelative *relative) {
    if (relative->model == NULL) return;
    crd_dynamics_close(&relative->integrator.dynamics);
    cardan_model_release(relative->model);
    crd_arena_free(&relative->arena);
    *relative = (CrdRelative){0};
}

void crd_relative_dismiss(CrdRelative *relative, const char *why) {
    char reason[sizeof relative->reason];
    snprintf(reason, sizeof reason, "%.250s", why);
    crd_relative_close(relative);
    memcpy(relative->reason, reason, sizeof reason);
}

/* Lengths of links are compiled into it, so it is made again; without it all steps are absolute. */
CardanStatus crd_relative_use(CardanSim *sim) {
    CrdRelative *relative = &sim->relative;
    if (relative->model == NULL) return CARDAN_OK;
    crd_relative_close(relative);
    CRD_TRY(crd_relative_open(sim, &sim->integrator.options));
    return crd_sim_share(sim);
}
