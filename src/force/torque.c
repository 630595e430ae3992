/* Torque on a body (ground axes, or own axes when it follows it), or along a joint's coordinate:
 *     +value on b and -value on a about the axis (a force along it for a displacement): loads value * gradient
 * It has no potential. */
#include "force/records.h"

static void add_row(double *load, double value, const double *row) {
    for (int i = 0; i < 6; i++) load[i] += value * row[i];
}

static CardanStatus apply(const CrdForceData *f, const CrdForceInput *in, CrdLoads *loads) {
    if (f->joint > 0) {
        add_row(loads->load[in->joint_a], in->value[0], in->coordinate->a);
        add_row(loads->load[in->joint_b], in->value[0], in->coordinate->b);
        loads->power += in->value[0] * in->coordinate->rate;
        return CARDAN_OK;
    }
    CrdVec moment = crd_vec_of(in->value);
    if (!f->follower) moment = crd_apply_t(in->frames[f->body].rotation, moment);
    loads->power += crd_twist(loads, in->frames, f->body, moment);
    return CARDAN_OK;
}

const CrdForceKind crd_torque = {.name = "torque", .apply = apply};
