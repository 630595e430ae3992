/* The whole motion while relative steps lead: accelerations and multipliers of loop rows are theirs, those of joints of
 * the tree follow from the balance of bodies (equations/tree_reactions.c). No factor of all rows is made, which is the
 * most of an absolute right-hand side. */
#include "equations/tree.h"
#include "sim/sim.h"

#include <assert.h>

/* What absolute rows need of the relative motion at hand: a and lambda at y, whose rows the workspace holds. */
static CardanStatus spread(CardanSim *sim, const double *y) {
    CrdIntegrator *to = &sim->integrator;
    CrdDynamics *dynamics = &to->dynamics;
    const CrdDynamics *from = &sim->relative.integrator.dynamics;
    assert(crd_stamp_holds(&from->system.stamp, CRD_HOLDS_ACCELERATIONS));
    assert(crd_stamp_holds(&dynamics->system.stamp, CRD_HOLDS_ROWS) && crd_stamp_at(&dynamics->system.stamp, y));
    crd_stamp_drop(&dynamics->system.stamp, CRD_HOLDS_FORCES);
    CRD_TRY(crd_integrator_forces(to, y));
    crd_relative_accelerations(sim->model, from->model, &from->system, from->a, dynamics->a);
    crd_tree_multipliers(sim->model, from->model, &dynamics->system, dynamics->a, from->lambda,
                         sim->relative.accelerations, dynamics->lambda);
    dynamics->near_pose.noise = 0.0;
    crd_stamp_add(&dynamics->system.stamp, CRD_HOLDS_ACCELERATIONS);
    return CARDAN_OK;
}

/* Rows that are changed before they are solved for, and masses that need more than S, are left to absolute steps. */
static bool is_plain(const CardanSim *sim) {
    const CrdDynamics *dynamics = &sim->integrator.dynamics;
    return dynamics->redundancy.imperfect.kind == CRD_PERFECT && !dynamics->factor.uneven.acts;
}

bool crd_relative_motion(CardanSim *sim) {
    CrdIntegrator *integrator = &sim->integrator, *relative = &sim->relative.integrator;
    const CrdStepper *stepper = &integrator->stepper;
    if (!sim->relative.leads || !is_plain(sim)) return false;
    crd_error_clear(&sim->relative.error);
    crd_error_clear(&sim->error);
    CardanStatus status = crd_integrator_evaluate(relative);
    if (status >= 0) status = crd_integrator_evaluate_constraints(integrator, stepper->t, stepper->y);
    if (status >= 0) status = spread(sim, stepper->y);
    if (status >= 0) crd_pack_derivative(integrator, stepper->y, integrator->dynamics.lambda, stepper->f);
    if (status < 0) crd_integrator_touch(integrator);
    return status >= 0;
}

bool crd_relative_motion_inside(CardanSim *sim, double t) {
    CrdIntegrator *from = &sim->relative.integrator;
    if (!sim->relative.made || !is_plain(sim)) return false;
    const CrdStages stages = from->stages; /* a look counts for nothing */
    crd_error_clear(&sim->relative.error);
    crd_guards_hold(&from->guards, true);
    from->conduct.looks = true;
    CardanStatus status = crd_integrator_evaluate_constraints(from, t, sim->relative.y);
    if (status >= 0) status = crd_integrator_derivative(from, sim->relative.y, from->stepper.f_new, false);
    crd_guards_hold(&from->guards, false);
    from->stages = stages;
    from->conduct.looks = from->conduct.doubts = false;
    return status >= 0 && spread(sim, sim->scratch) >= 0;
}
