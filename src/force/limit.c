/* Stops at both ends of a joint's coordinate x: one-sided springs and dampers that never pull.
 *     over = x - hi above hi, x - lo below lo, else 0
 *     F = stiffness over + damping x'  against the coordinate, 0 where it would pull back
 *     potential stiffness over^2 / 2; the damper, as far as it acts, has power */
#include "force/records.h"

static double over_of(const CrdForceData *f, double x) {
    return x > f->range[1] ? x - f->range[1] : x < f->range[0] ? x - f->range[0] : 0.0;
}

/* Of the damper, so that the sum pushes back inside or vanishes. */
static double damper(const CrdForceData *f, double over, double rate) {
    double spring = f->stiffness * over, damping = f->damping * rate;
    return over > 0.0 ? fmax(damping, -spring) : fmin(damping, -spring);
}

static CardanStatus apply(const CrdForceData *f, const CrdForceInput *in, CrdLoads *loads) {
    double over = over_of(f, in->coordinate->value), rate = in->coordinate->rate;
    if (over == 0.0) return CARDAN_OK;
    double spring = f->stiffness * over, lossy = damper(f, over, rate);
    crd_drive(loads, in, -(spring + lossy));
    loads->potential += 0.5 * spring * over;
    loads->power -= lossy * rate;
    return CARDAN_OK;
}

static CardanStatus along(const CrdForceData *f, const CrdForceInput *in, CrdLoads *change) {
    double over = over_of(f, in->coordinate->value), rate = in->coordinate->rate;
    if (over == 0.0) return CARDAN_OK;
    double force = f->stiffness * over + damper(f, over, rate);
    if (force == 0.0) return CARDAN_OK; /* it would pull */
    double slope = f->stiffness * in->coordinate_change->value + f->damping * in->coordinate_change->rate;
    crd_drive_change(change, in, -force, -slope);
    return CARDAN_OK;
}

/* The two ends, and where outside of them the sum would begin to pull. */
static void switches(const CrdForceData *f, const CrdForceInput *in, double *values) {
    double x = in->coordinate->value, over = over_of(f, x);
    values[0] = x - f->range[0];
    values[1] = x - f->range[1];
    values[2] = over == 0.0 ? 0.0 : copysign(1.0, over) * (f->stiffness * over + f->damping * in->coordinate->rate);
}

const CrdForceKind crd_limit = {
    .name = "limit", .apply = apply, .along = along, .switch_count = 3, .switches = switches};
