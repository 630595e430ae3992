/* Friction against a joint's coordinate, v its rate: Coulomb's level with Stribeck's peak, its sign regularised.
 *     F = [coulomb + (stick - coulomb) exp(-(v/stribeck)^2)] tanh(v/speed) + viscous v   against v
 * Levels are forces or torques, not coefficients. It has no potential. */
#include "force/records.h"

typedef struct Friction {
    int joint;
    CardanCoordinate coordinate;
    double coulomb, stick, stribeck, viscous, speed;
} Friction;
CRD_FITS(Friction);

static double peak(const Friction *force, double v) {
    return (force->stick - force->coulomb) * exp(-(v / force->stribeck) * (v / force->stribeck));
}

static double resistance(const Friction *force, double v) {
    assert(force->speed > 0.0 && force->stribeck > 0.0);
    return (force->coulomb + peak(force, v)) * tanh(v / force->speed) + force->viscous * v;
}

static double slope(const Friction *force, double v) {
    double sech = 1.0 / cosh(v / force->speed); /* 0 when cosh overflows */
    double dpeak = -2.0 * v / (force->stribeck * force->stribeck) * peak(force, v);
    return dpeak * tanh(v / force->speed) + (force->coulomb + peak(force, v)) * sech * sech / force->speed +
           force->viscous;
}

static CardanStatus apply(const CrdForceData *data, const CrdForceInput *in, CrdLoads *loads) {
    const Friction *f = crd_own(data);
    double v = in->coordinate->rate, force = resistance(f, v);
    crd_drive(loads, in, -force);
    loads->power -= force * v;
    return CARDAN_OK;
}

static CardanStatus along(const CrdForceData *data, const CrdForceInput *in, CrdLoads *change) {
    const Friction *force = crd_own(data);
    double v = in->coordinate->rate;
    crd_drive_change(change, in, -resistance(force, v), -slope(force, v) * in->coordinate_change->rate);
    return CARDAN_OK;
}

static void prepare(const CrdWritten *written, const CardanFrame *frames, CrdForceData *force) {
    Friction *friction = crd_numbers_of(force);
    (void)frames;
    if (!crd_given(written, "static")) friction->stick = friction->coulomb;
    if (!crd_given(written, "stribeck")) friction->stribeck = friction->speed;
}

static CardanStatus offered(const CrdForceData *data, const CrdForceInput *in, int k, CrdDual *value) {
    const Friction *force = crd_own(data);
    CrdDual v = crd_rate_dual(in);
    *value = k > 0 ? v : crd_d(-resistance(force, v.x), -slope(force, v.x) * v.d);
    return CARDAN_OK;
}

static const CrdOffer OFFERS[] = {CRD_OFFERS_ON_JOINT};

static const CrdField FIELDS[] = {
    CRD_ROWS_JOINT(Friction),
    {"coulomb", CRD_HOLDS_NUMBERS, CRD_ONE, CRD_REQUIRED, CRD_NOT_NEGATIVE, .unit = "N m or N",
     CRD_AT(Friction, coulomb, coulomb), .doc = "Level while sliding."},
    {"static", CRD_HOLDS_NUMBERS, CRD_ONE, CRD_MAYBE, CRD_NOT_NEGATIVE, .unit = "N m or N", .fallback = "coulomb",
     CRD_AT(Friction, stick, stick), .doc = "Level at rest."},
    {"stribeck", CRD_HOLDS_NUMBERS, CRD_ONE, CRD_MAYBE, CRD_POSITIVE, .unit = "rad/s or m/s", .fallback = "speed",
     CRD_AT(Friction, stribeck, stribeck), .doc = "Speed at which the peak at rest is gone."},
    {"viscous", CRD_HOLDS_NUMBERS, CRD_ONE, CRD_OPTIONAL, CRD_NOT_NEGATIVE, .unit = "N m s/rad or N s/m",
     .fallback = "0", CRD_AT(Friction, viscous, viscous), .doc = "Resistance per speed."},
    {"speed", CRD_HOLDS_NUMBERS, CRD_ONE, CRD_REQUIRED, CRD_POSITIVE, .unit = "rad/s or m/s",
     CRD_AT(Friction, speed, speed), .doc = "Speed that regularises the sign: tanh(v/speed)."},
};

const CrdForceKind crd_friction = {.name = "friction",
                                   .doc = "Coulomb and viscous friction with Stribeck's peak against a joint's "
                                          "coordinate; levels are forces or torques, not coefficients.",
                                   .fields = CRD_FIELDS(FIELDS),
                                   .prepare = prepare,
                                   .apply = apply,
                                   .along = along,
                                   .offers = CRD_OFFERS(OFFERS),
                                   .offered = offered};
