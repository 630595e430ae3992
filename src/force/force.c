#include "force/force.h"

#include "force/records.h"

const CrdForceKind *const crd_force_kinds[CARDAN_FORCE_TYPES] = {
    [CARDAN_SPRING] = &crd_spring,
    [CARDAN_FORCE] = &crd_force,
    [CARDAN_TORQUE] = &crd_torque,
    [CARDAN_CALLBACK] = &crd_callback,
};

double crd_push(CrdLoads *loads, const CardanFrame *frames, int carrier, CrdVec local, CrdVec force) {
    const CardanFrame *f = &frames[carrier];
    double *load = loads->load[carrier];
    crd_put(load, crd_add(crd_vec_of(load), force));
    CrdVec moment = crd_cross(local, crd_apply_t(f->rotation, force));
    return crd_dot(force, f->v) + crd_twist(loads, frames, carrier, moment);
}

double crd_twist(CrdLoads *loads, const CardanFrame *frames, int carrier, CrdVec moment) {
    double *load = loads->load[carrier] + 3;
    crd_put(load, crd_add(crd_vec_of(load), moment));
    return crd_dot(moment, frames[carrier].w);
}
