/* The threads of a simulation. */
#include "model/tree.h"
#include "sim/sim.h"

/* Threads that are taken where no number is asked for: what else runs on the machine is not known, and beyond some the
 * memory is what is waited for. And bodies from which they are: two threads leave 0.77 of the caller's processor time
 * at 2000 links, 0.64 at 4000, 0.55 at 10,000. */
#define CRD_THREADS_UNASKED 4
#define CRD_THREADS_FROM 4000

/* A chain alone is swept link by link: nothing of it is done side by side. */
static int threads_for(const CrdStructure *structure, int asked) {
    const CrdTree *tree = structure->tree;
    int bodies = tree != NULL ? tree->count : structure->block_count, processors = crd_pool_processors();
    if (structure->rows == 0 && (tree == NULL || tree->branch_count < 2)) return 1;
    if (asked > 0) return asked;
    if (bodies < CRD_THREADS_FROM) return 1;
    return processors < CRD_THREADS_UNASKED ? processors : CRD_THREADS_UNASKED;
}

static void give(CrdIntegrator *integrator, CrdPool *pool) {
    crd_dynamics_share(&integrator->dynamics, pool);
    integrator->stepper.ode.pool = pool;
}

CardanStatus crd_sim_share(CardanSim *sim) {
    CrdRelative *relative = &sim->relative;
    const CardanModel *leading = relative->model != NULL ? relative->model : sim->model;
    int threads = threads_for(leading->structure, sim->integrator.options.threads);
    if (threads > 1 && sim->pool == NULL) {
        sim->pool = crd_pool_create(threads);
        if (sim->pool == NULL) return crd_fail_memory(&sim->error);
    }
    give(&sim->integrator, sim->pool);
    if (relative->model == NULL) return CARDAN_OK;
    give(&relative->integrator, sim->pool);
    relative->aside.pool = sim->pool;
    return CARDAN_OK;
}
