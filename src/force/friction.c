/* Friction against a joint's coordinate, v its rate: Coulomb's level with Stribeck's peak, its sign regularised.
 *     F = [coulomb + (stick - coulomb) exp(-(v/stribeck)^2)] tanh(v/speed) + viscous v   against v
 * Levels are forces or torques, not coefficients. It has no potential. */
#include "force/records.h"

static double peak(const CrdForceData *f, double v) {
    return (f->stick - f->coulomb) * exp(-(v / f->stribeck) * (v / f->stribeck));
}

static double resistance(const CrdForceData *f, double v) {
    return (f->coulomb + peak(f, v)) * tanh(v / f->speed) + f->viscous * v;
}

static double slope(const CrdForceData *f, double v) {
    double sech = 1.0 / cosh(v / f->speed); /* 0 when cosh overflows */
    double dpeak = -2.0 * v / (f->stribeck * f->stribeck) * peak(f, v);
    return dpeak * tanh(v / f->speed) + (f->coulomb + peak(f, v)) * sech * sech / f->speed + f->viscous;
}

static CardanStatus apply(const CrdForceData *f, const CrdForceInput *in, CrdLoads *loads) {
    double v = in->coordinate->rate, force = resistance(f, v);
    crd_drive(loads, in, -force);
    loads->power -= force * v;
    return CARDAN_OK;
}

static CardanStatus along(const CrdForceData *f, const CrdForceInput *in, CrdLoads *change) {
    double v = in->coordinate->rate;
    crd_drive_change(change, in, -resistance(f, v), -slope(f, v) * in->coordinate_change->rate);
    return CARDAN_OK;
}

const CrdForceKind crd_friction = {.name = "friction", .apply = apply, .along = along};
