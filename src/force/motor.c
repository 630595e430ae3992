/* Motor that makes a joint's coordinate x follow a target in time.
 *     F = kp (target - x) + kd (target' - x')   along the coordinate, cut off at -limit and +limit (limit 0: never)
 * target' is the exact derivative of the expression. It has no potential. */
#include "force/records.h"

static double demand(const CrdForceData *f, const CrdForceInput *in) {
    return f->gains[0] * (in->value[0] - in->coordinate->value) + f->gains[1] * (in->value[1] - in->coordinate->rate);
}

/* +1: cut off at the limit, -1: at minus the limit, 0: given as demanded. */
static int cut_off(const CrdForceData *f, const CrdForceInput *in, double force) {
    if (!(f->limit > 0.0)) return 0;
    return crd_side(in, 0, force - f->limit) > 0 ? 1 : crd_side(in, 1, force + f->limit) < 0 ? -1 : 0;
}

static double given(const CrdForceData *f, const CrdForceInput *in, double force) {
    int cut = cut_off(f, in, force);
    return cut != 0 ? cut * f->limit : force;
}

static CardanStatus apply(const CrdForceData *f, const CrdForceInput *in, CrdLoads *loads) {
    double force = given(f, in, demand(f, in));
    crd_drive(loads, in, force);
    loads->power += force * in->coordinate->rate;
    return CARDAN_OK;
}

static CardanStatus along(const CrdForceData *f, const CrdForceInput *in, CrdLoads *change) {
    double force = demand(f, in);
    double slope = -f->gains[0] * in->coordinate_change->value - f->gains[1] * in->coordinate_change->rate;
    crd_drive_change(change, in, given(f, in, force), cut_off(f, in, force) != 0 ? 0.0 : slope);
    return CARDAN_OK;
}

/* The demand passes a limit. */
static void switches(const CrdForceData *f, const CrdForceInput *in, double *values) {
    double force = demand(f, in);
    values[0] = f->limit > 0.0 ? force - f->limit : 0.0;
    values[1] = f->limit > 0.0 ? force + f->limit : 0.0;
}

const CrdForceKind crd_motor = {
    .name = "motor", .apply = apply, .along = along, .switch_count = 2, .switches = switches};
