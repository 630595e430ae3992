/* Motor that makes a joint's coordinate x follow a target in time.
 *     F = kp (target - x) + kd (target' - x')   along the coordinate, cut off at -limit and +limit (limit 0: never)
 * target' is the exact derivative of the expression. It has no potential. */
#include "force/records.h"

static double demand(const CrdForceData *f, const CrdForceInput *in) {
    return f->gains[0] * (in->value[0] - in->coordinate->value) + f->gains[1] * (in->value[1] - in->coordinate->rate);
}

static bool cut_off(const CrdForceData *f, double force) {
    return f->limit > 0.0 && fabs(force) > f->limit;
}

static double given(const CrdForceData *f, double force) {
    return cut_off(f, force) ? copysign(f->limit, force) : force;
}

static CardanStatus apply(const CrdForceData *f, const CrdForceInput *in, CrdLoads *loads) {
    double force = given(f, demand(f, in));
    crd_drive(loads, in, force);
    loads->power += force * in->coordinate->rate;
    return CARDAN_OK;
}

static CardanStatus along(const CrdForceData *f, const CrdForceInput *in, CrdLoads *change) {
    double force = demand(f, in);
    double slope = -f->gains[0] * in->coordinate_change->value - f->gains[1] * in->coordinate_change->rate;
    crd_drive_change(change, in, given(f, force), cut_off(f, force) ? 0.0 : slope);
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
