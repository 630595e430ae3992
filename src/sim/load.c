/* The loads of one force element, for those who draw or measure it. */
#include "cardan/scene.h"
#include "core/vec.h"
#include "sim/refuse.h"

CardanStatus cardan_sim_load(CardanSim *sim, CardanForce force, CardanBody body, CardanWrench *out) {
    CRD_TRY(crd_need_body(sim, body));
    if (force.index < 1 || force.index > sim->model->structure->force_count)
        return crd_refuse(sim, "there is no force number %d", force.index);
    CRD_TRY(crd_need_given(sim, out, "the place for the load"));
    CRD_TRY(crd_sim_motion(sim));
    CrdDynamics *dynamics = &sim->integrator.dynamics;
    CrdCall before = crd_sim_enter(sim);
    crd_error_clear(&sim->error);
    CardanStatus status =
        crd_one_force(sim->model, force.index - 1, &dynamics->actions, &dynamics->system, &sim->error);
    crd_sim_leave(sim, before);
    if (status < 0) return crd_sim_report(sim, status);
    const double *load = dynamics->system.loads[body.index];
    out->force = crd_vec_of(load);
    out->moment = crd_apply(dynamics->system.frames[body.index].rotation, crd_vec_of(load + 3));
    return CARDAN_OK;
}
