/* A mechanism that is a tree with ordinary masses is begun and stepped without its absolute equations: no row can
 * become dependent, no factor of S can lose digits. Their workspace is there, but as long as nobody asks for absolute
 * accelerations or reactions none of it is written to, so that large trees cost little memory (core/memory.h). */
#include "core/numbers.h"
#include "equations/row_units.h"
#include "equations/tree.h"
#include "model/relative.h"
#include "sim/sim.h"

#include <assert.h>
#include <math.h>
#include <string.h>

/* Residual of M a = f against the sizes of its terms: rounding leaves 1e-14 of them along a chain of 1000 links. Beyond
 * this the absolute equations are asked. */
#define CRD_RELATIVE_SOLVED 1e-9

bool crd_relative_is_tree(const CardanSim *sim) {
    const CardanModel *relative = sim->relative.model;
    return relative != NULL && relative->structure->rows == 0 && !sim->integrator.dynamics.geometry.wanted;
}

CardanStatus crd_relative_check(CardanSim *sim) {
    CrdIntegrator *integrator = &sim->relative.integrator;
    const CrdDynamics *dynamics = &integrator->dynamics;
    const CrdStructure *structure = dynamics->model->structure;
    double *momenta = sim->relative.y, *sizes = sim->relative.accelerations;
    assert(structure->rows == 0 && structure->nv <= sim->model->structure->nv);
    CRD_TRY(crd_integrator_evaluate(integrator));
    crd_complete_forces(dynamics->model, &dynamics->system);
    crd_times_mass(dynamics->model, &dynamics->system, dynamics->a, momenta);
    crd_tree_force_sizes(dynamics->model, &dynamics->system, dynamics->a, sizes);
    for (int i = 0; i < structure->nv; i++) {
        double left = fabs(momenta[i] - dynamics->system.f[i]),
               size = fmax(sizes[i], fabs(momenta[i]) + fabs(dynamics->system.f[i]));
        if (!(left <= CRD_RELATIVE_SOLVED * size))
            return crd_fail(&sim->relative.error, CARDAN_ERR_NUMERIC,
                            "relative accelerations leave %.2g of a force unmet at t = %.9g", left / size,
                            integrator->stepper.t);
    }
    return CARDAN_OK;
}

/* ---- a step that fails ---- */

/* Nothing acts on it that could fail at an event, no work is followed, no fixed step is to blame. */
bool crd_relative_is_plain(const CardanSim *sim) {
    const CrdStructure *structure = sim->model->structure;
    return sim->relative.leads && crd_relative_is_tree(sim) && structure->switch_count == 0 &&
           structure->force_count == 0 && structure->invariant_count == 0 && !sim->model->description->slow.given &&
           sim->integrator.options.step <= 0.0;
}

CrdBefore crd_relative_before(const CardanSim *sim) {
    const CrdRelative *relative = &sim->relative;
    const CrdIntegrator *integrator = &sim->integrator;
    return (CrdBefore){.controller = integrator->controller,
                       .accepted = integrator->stages.accepted,
                       .before = integrator->stages.before,
                       .rest = relative->rest,
                       .pause = relative->pause,
                       .since = relative->since};
}

void crd_relative_put_back(CardanSim *sim, const CrdBefore *before) {
    CrdRelative *relative = &sim->relative;
    CrdIntegrator *integrator = &sim->integrator;
    assert(relative->integrator.stepper.t == integrator->stepper.t); /* nothing was accepted */
    crd_sim_touch(sim);
    integrator->controller = before->controller;
    integrator->stages.accepted = before->accepted;
    integrator->stages.before = before->before;
    relative->leads = true; /* as it did: crd_relative_is_plain */
    relative->rest = before->rest;
    relative->pause = before->pause;
    relative->since = before->since;
    crd_relative_carry(&relative->integrator, integrator);
}

/* ---- the start ---- */

/* Nothing but the pose and the velocities as written is asked of the start. */
static bool is_plain_start(const CrdDescription *description) {
    return description->start_positions == CARDAN_START_DEFAULT &&
           description->start_velocities == CARDAN_START_DEFAULT && description->rate_count == 0 &&
           description->coordinate_count == 0 && !description->slow.given;
}

/* Do the joints close as written, to rounding? What is off by more is put on the constraints by crd_start. */
static bool closes(CardanSim *sim) {
    CrdIntegrator *integrator = &sim->integrator;
    CrdDynamics *dynamics = &integrator->dynamics;
    const CrdSystem *system = &dynamics->system;
    double *q = integrator->stepper.y, *v = crd_integrator_v(integrator, q);
    crd_normalise(sim->model->structure, q);
    crd_integrator_use_tracked(integrator, q);
    if (crd_evaluate_residuals(dynamics, integrator->stepper.t, q, v) < 0) return false;
    CrdAllowed places = crd_part_of_size(sim->model, CRD_START_ROUNDING),
               rates = crd_part_of_size(sim->model, CRD_START_ROUNDING * fmax(crd_reach(sim->model, v), 1.0));
    return crd_rows_excess(sim->model, system, system->g, places, NULL) <= 1.0 &&
           crd_rows_excess(sim->model, system, system->rate, rates, NULL) <= 1.0;
}

static void take_statistics(CardanSim *sim) {
    const CrdIntegrator *relative = &sim->relative.integrator;
    const CrdSystem *rows = &sim->integrator.dynamics.system;
    CrdStatistics *statistics = &sim->relative.integrator.statistics;
    double *y = relative->stepper.y;
    statistics->energy_start = crd_integrator_energy(relative, y);
    statistics->kinetic_max =
        crd_kinetic(relative->dynamics.model, &relative->dynamics.system, crd_integrator_v(relative, y));
    statistics->position_max = crd_max_abs(rows->g, sim->model->structure->rows);
    statistics->velocity_max = crd_max_abs(rows->rate, sim->model->structure->rows);
}

static CardanStatus begin(CardanSim *sim) {
    CrdIntegrator *integrator = &sim->integrator, *relative = &sim->relative.integrator;
    CrdDynamics *dynamics = &integrator->dynamics;
    double *y = integrator->stepper.y;
    crd_track(sim->model, &dynamics->system, crd_integrator_tracked(integrator, y));
    crd_relative_enter(sim);
    crd_integrator_reset(integrator);
    CRD_TRY(crd_guards_initialise(&integrator->guards));
    crd_relative_carry(relative, integrator);
    CRD_TRY(crd_relative_check(sim));
    take_statistics(sim);
    crd_relative_carry(integrator, relative);
    sim->relative.leads = true;
    sim->relative.since = 0;
    return CARDAN_OK;
}

/* With a workspace for absolute rows that is given back: the simulation's own stays untouched. */
static CardanStatus start(CardanSim *sim, CrdArena *arena) {
    CrdSystem *system = &sim->integrator.dynamics.system;
    crd_system_layout(system, sim->model->structure, arena);
    if (!crd_arena_allocate(arena)) return crd_fail_memory(&sim->error);
    crd_system_layout(system, sim->model->structure, arena);
    assert(crd_arena_is_full(arena));
    if (!closes(sim)) return CARDAN_ERR_MODEL;
    return begin(sim);
}

bool crd_relative_start(CardanSim *sim) {
    if (!crd_relative_is_tree(sim) || !is_plain_start(sim->model->description)) return false;
    CrdSystem *system = &sim->integrator.dynamics.system;
    const CrdSystem own = *system;
    CrdArena arena = {0};
    CardanStatus status = start(sim, &arena);
    *system = own;
    crd_arena_free(&arena);
    crd_integrator_touch(&sim->integrator);
    if (status >= 0) return true;
    crd_error_clear(&sim->error); /* the absolute start says it again */
    crd_error_clear(&sim->relative.error);
    return false;
}
