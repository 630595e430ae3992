/* Stops at both ends of a joint's coordinate x: one-sided springs and dampers that never pull.
 *     over = x - hi above hi, x - lo below lo, else 0
 *     F = stiffness over + damping x'  against the coordinate, 0 where it would pull back
 *     potential stiffness over^2 / 2; the damper, as far as it acts, has power */
#include "force/records.h"

/* How far outside, and the end it is at: +1 above, -1 below, 0 inside. */
typedef struct Over {
    int end;
    double x, force; /* m or rad; N or N m: stiffness over + damping x', as it is */
} Over;

static Over over_of(const CrdForceData *f, const CrdForceInput *in) {
    double x = in->coordinate->value;
    Over over = {0};
    if (crd_side(in, 1, x - f->range[1]) > 0) over = (Over){1, x - f->range[1], 0.0};
    else if (crd_side(in, 0, x - f->range[0]) < 0) over = (Over){-1, x - f->range[0], 0.0};
    over.force = f->stiffness * over.x + f->damping * in->coordinate->rate;
    return over;
}

/* Does the sum push back inside? */
static bool pushes(const CrdForceInput *in, const Over *over) {
    return crd_side(in, 2, over->end * over->force) > 0;
}

static CardanStatus apply(const CrdForceData *f, const CrdForceInput *in, CrdLoads *loads) {
    Over over = over_of(f, in);
    if (over.end == 0) return CARDAN_OK;
    double spring = f->stiffness * over.x, force = pushes(in, &over) ? over.force : 0.0;
    crd_drive(loads, in, -force);
    loads->potential += 0.5 * spring * over.x;
    loads->power -= (force - spring) * in->coordinate->rate; /* of the damper, as far as it acts */
    return CARDAN_OK;
}

static CardanStatus along(const CrdForceData *f, const CrdForceInput *in, CrdLoads *change) {
    Over over = over_of(f, in);
    if (over.end == 0 || !pushes(in, &over)) return CARDAN_OK;
    double slope = f->stiffness * in->coordinate_change->value + f->damping * in->coordinate_change->rate;
    crd_drive_change(change, in, -over.force, -slope);
    return CARDAN_OK;
}

/* The two ends, and where outside of them the sum would begin to pull; without a damper that is the end itself. */
static void switches(const CrdForceData *f, const CrdForceInput *in, double *values) {
    Over over = over_of(f, in);
    values[0] = in->coordinate->value - f->range[0];
    values[1] = in->coordinate->value - f->range[1];
    values[2] = f->damping > 0.0 ? over.end * over.force : 0.0;
}

const CrdForceKind crd_limit = {
    .name = "limit", .apply = apply, .along = along, .switch_count = 3, .switches = switches,
    .event = "limit", .event_switches = 2};
