/* The state of a simulation, from one kind of coordinates to the other and back. */
#include "model/relative.h"
#include "model/tree.h"
#include "sim/sim.h"

#include <assert.h>
#include <string.h>

void crd_relative_carry(CrdIntegrator *to, const CrdIntegrator *from) {
    to->controller = from->controller;
    to->grid = from->grid;
    to->statistics = from->statistics;
    to->stages.accepted = from->stages.accepted;
    to->stages.before = from->stages.before;
    to->stepper.t = from->stepper.t;
    to->stepper.t_old = from->stepper.t_old;
    to->log = from->log; /* one list of events, the absolute one's */
    crd_guards_copy(&to->guards, &from->guards);
}

void crd_relative_carry_rest(const CrdIntegrator *to, double *y, const CrdIntegrator *from, const double *y_from) {
    const CrdStructure *a = to->dynamics.model->structure, *b = from->dynamics.model->structure;
    double *z = y + a->nq + a->nv, *tracked = z + a->first_order;
    const double *z_from = y_from + b->nq + b->nv;
    assert(a->first_order == b->first_order);
    memcpy(z, z_from, (size_t)a->first_order * sizeof *y);
    y[to->stepper.n - 1] = y_from[from->stepper.n - 1];
    if (a->tracked_count == b->tracked_count) {
        memcpy(tracked, z_from + b->first_order, (size_t)a->tracked_count * sizeof *y);
    } else if (crd_counts_itself(b)) {
        const CrdTree *tree = b->tree;
        assert(tree->counted_count == a->tracked_count);
        for (int i = 0; i < tree->counted_count; i++)
            tracked[tree->counted[i].tracked] = tree->counted[i].sign * y_from[tree->counted[i].q];
    }
}

static CardanStatus hold_frames(CrdIntegrator *integrator, double t, const double *y) {
    if (crd_stamp_holds_of(&integrator->dynamics.system.stamp, CRD_HOLDS_ROWS, t, y)) return CARDAN_OK;
    return crd_integrator_evaluate_constraints(integrator, t, y);
}

CardanStatus crd_relative_follow(CardanSim *sim) {
    CrdIntegrator *to = &sim->integrator, *from = &sim->relative.integrator;
    CRD_TRY(hold_frames(from, from->stepper.t, from->stepper.y));
    crd_relative_to_absolute(sim->model, from->dynamics.system.frames, to->stepper.y,
                             crd_integrator_v(to, to->stepper.y));
    crd_relative_carry_rest(to, to->stepper.y, from, from->stepper.y);
    crd_relative_carry(to, from);
    to->dense = CRD_DENSE_LOST;
    crd_integrator_touch(to);
    sim->relative.caught_up = false;
    return CARDAN_OK;
}

void crd_relative_enter(CardanSim *sim) {
    CrdIntegrator *from = &sim->integrator, *to = &sim->relative.integrator;
    double *y = to->stepper.y;
    crd_integrator_touch(to);
    crd_relative_from_frames(sim->relative.model, from->dynamics.system.frames,
                             crd_integrator_tracked(from, from->stepper.y), y, crd_integrator_v(to, y));
    crd_relative_carry_rest(to, y, from, from->stepper.y);
    crd_relative_carry(to, from);
    to->dense = CRD_DENSE_LOST;
    to->dynamics.actions.states = crd_integrator_z(to, y);
}

/* The absolute integrator with the state before the last step, where it would be if that had been its own. */
static CardanStatus convert_before(CardanSim *sim) {
    CrdIntegrator *to = &sim->integrator, *from = &sim->relative.integrator;
    double t = from->stepper.t_old, *y = to->stepper.y_old;
    CRD_TRY(crd_integrator_evaluate_constraints(from, t, from->stepper.y_old));
    crd_relative_to_absolute(sim->model, from->dynamics.system.frames, y, crd_integrator_v(to, y));
    crd_relative_carry_rest(to, y, from, from->stepper.y_old);
    CRD_TRY(crd_integrator_evaluate_constraints(to, t, y));
    CRD_TRY(crd_integrator_derivative(to, y, to->stepper.f_new, false));
    to->stages.before = crd_singularity_measure(&to->dynamics);
    return CARDAN_OK;
}

void crd_relative_join(CardanSim *sim) {
    CrdIntegrator *absolute = &sim->integrator, *integrator = &sim->relative.integrator;
    bool watched = absolute->dynamics.model->structure->watched_count > 0;
    bool same = absolute->stepper.t == integrator->stepper.t;
    if (!watched || !same || !sim->relative.knows_before || !crd_integrator_is_solved(absolute)) return;
    assert(integrator->stepper.t_old < integrator->stepper.t);
    const double before = absolute->stages.before;
    absolute->stepper.t_old = integrator->stepper.t_old;
    if (convert_before(sim) >= 0)
        crd_guards_join(&absolute->guards);
    else
        absolute->stages.before = before; /* guards see one state before the pose, as after any other state */
    crd_integrator_touch(integrator);
    crd_integrator_touch(absolute);
}
