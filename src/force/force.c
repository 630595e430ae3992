#include "force/force.h"

#include "force/records.h"

const CrdForceKind *const crd_force_kinds[CARDAN_FORCE_TYPES] = {
    [CARDAN_SPRING] = &crd_spring,     [CARDAN_TORSION] = &crd_torsion, [CARDAN_BUSHING] = &crd_bushing,
    [CARDAN_FORCE] = &crd_force,       [CARDAN_TORQUE] = &crd_torque,   [CARDAN_MOTOR] = &crd_motor,
    [CARDAN_FRICTION] = &crd_friction, [CARDAN_LIMIT] = &crd_limit,     [CARDAN_CONTACT] = &crd_contact,
    [CARDAN_DRAG] = &crd_drag,         [CARDAN_TYRE] = &crd_tyre,       [CARDAN_CALLBACK] = &crd_callback,
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

void crd_push_change(CrdLoads *change, const CrdForceInput *in, int carrier, CrdVec local, CrdVec dlocal, CrdVec force,
                     CrdVec dforce) {
    const CardanFrame *f = &in->frames[carrier];
    double *load = change->load[carrier];
    CrdVec own = crd_apply_t(f->rotation, force);
    CrdVec moment =
        crd_add(crd_cross(dlocal, own), crd_cross(local, crd_own_change(f, &in->changes[carrier], own, dforce)));
    crd_put(load, crd_add(crd_vec_of(load), dforce));
    crd_put(load + 3, crd_add(crd_vec_of(load + 3), moment));
}

static void add_row(double *load, double value, const double *row) {
    for (int i = 0; i < 6; i++) load[i] += value * row[i];
}

void crd_drive(CrdLoads *loads, const CrdForceInput *in, double value) {
    add_row(loads->load[in->joint_a], value, in->coordinate->a);
    add_row(loads->load[in->joint_b], value, in->coordinate->b);
}

void crd_drive_change(CrdLoads *change, const CrdForceInput *in, double value, double dvalue) {
    crd_drive(change, in, dvalue);
    add_row(change->load[in->joint_a], value, in->coordinate_change->a);
    add_row(change->load[in->joint_b], value, in->coordinate_change->b);
}

CardanStatus crd_law(const CrdForceInput *in, double x, double v, double *value) {
    *value = 0.0;
    if (in->law == NULL) return CARDAN_OK;
    in->law_values[CRD_LAW_X] = x;
    in->law_values[CRD_LAW_V] = v;
    return crd_expr_held_value(in->law, in->law_values, in->law_sides, value, in->error);
}

CardanStatus crd_law_change(const CrdForceInput *in, CrdJet x, CrdJet v, double *value, double *change) {
    CrdJet y = {0};
    if (in->law != NULL) {
        in->law_jets[CRD_LAW_X] = x;
        in->law_jets[CRD_LAW_V] = v;
        CRD_TRY(crd_expr_held_slope(in->law, in->law_jets, in->law_sides, &y, in->error));
    }
    *value = y.x;
    *change = y.d1;
    return CARDAN_OK;
}
