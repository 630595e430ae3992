/* Motor that makes a joint's coordinate x follow a target in time.
 *     F = kp (target - x) + kd (target' - x')   along the coordinate, cut off at -limit and +limit (limit 0: never)
 * target' is the exact derivative of the expression. It has no potential. */
#include "force/records.h"

typedef struct Motor {
    int joint;
    CardanCoordinate coordinate;
    double gains[2]; /* kp, kd */
    double limit;    /* 0: none */
} Motor;
CRD_FITS(Motor);

static double demand(const Motor *force, const CrdForceInput *in) {
    return force->gains[0] * (in->value[0] - in->coordinate->value) +
           force->gains[1] * (in->value[1] - in->coordinate->rate);
}

/* +1: cut off at the limit, -1: at minus the limit, 0: given as demanded. */
static int cut_off(const Motor *f, const CrdForceInput *in, double force) {
    if (!(f->limit > 0.0)) return 0;
    return crd_side(in, 0, force - f->limit) > 0 ? 1 : crd_side(in, 1, force + f->limit) < 0 ? -1 : 0;
}

static double given(const Motor *f, const CrdForceInput *in, double force) {
    int cut = cut_off(f, in, force);
    return cut != 0 ? cut * f->limit : force;
}

static CardanStatus apply(const CrdForceData *data, const CrdForceInput *in, CrdLoads *loads) {
    const Motor *f = crd_own(data);
    double force = given(f, in, demand(f, in));
    crd_drive(loads, in, force);
    loads->power += force * in->coordinate->rate;
    return CARDAN_OK;
}

static CardanStatus along(const CrdForceData *data, const CrdForceInput *in, CrdLoads *change) {
    const Motor *f = crd_own(data);
    double force = demand(f, in);
    double slope = -f->gains[0] * in->coordinate_change->value - f->gains[1] * in->coordinate_change->rate;
    crd_drive_change(change, in, given(f, in, force), cut_off(f, in, force) != 0 ? 0.0 : slope);
    return CARDAN_OK;
}

/* The demand passes a limit. */
static void switches(const CrdForceData *data, const CrdForceInput *in, double *values) {
    const Motor *f = crd_own(data);
    double force = demand(f, in);
    values[0] = f->limit > 0.0 ? force - f->limit : 0.0;
    values[1] = f->limit > 0.0 ? force + f->limit : 0.0;
}

enum { OFFERS_FORCE, OFFERS_RATE, OFFERS_TORQUE }; /* as in OFFERS */

static CardanStatus offered(const CrdForceData *data, const CrdForceInput *in, int k, CrdDual *value) {
    const Motor *f = crd_own(data);
    *value = crd_rate_dual(in);
    if (k == OFFERS_RATE) return CARDAN_OK;
    double force = demand(f, in);
    double slope = -f->gains[0] * crd_coordinate_dual(in).d - f->gains[1] * crd_rate_dual(in).d;
    *value = crd_d(given(f, in, force), cut_off(f, in, force) != 0 ? 0.0 : slope);
    return CARDAN_OK;
}

static const CrdOffer OFFERS[] = {CRD_OFFERS_ON_JOINT, {"torque", "N", "N m", .summary = "the same as force"}};

static const CrdField FIELDS[] = {
    CRD_ROWS_JOINT(Motor),
    {"target", CRD_HOLDS_TARGET, CRD_ONE, CRD_REQUIRED, .unit = "rad or m", .law = offsetof(CardanForceDef, law),
     .doc = "What the coordinate is to follow: an expression in the time, parameters and inputs."},
    {"gains", CRD_HOLDS_NUMBERS, CRD_COUNT(2, 2), CRD_REQUIRED, .unit = "N m/rad, N m s/rad",
     CRD_AT(Motor, gains, gains), .doc = "kp and kd: per deviation, and per deviation of the rate."},
    {"limit", CRD_HOLDS_NUMBERS, CRD_ONE, CRD_MAYBE, CRD_POSITIVE, .unit = "N m or N", .fallback = "none",
     CRD_AT(Motor, limit, limit), .doc = "Largest torque or force."},
};

const CrdForceKind crd_motor = {.name = "motor",
                                .doc = "A motor that makes a joint's coordinate follow a target: "
                                       "kp (target - x) + kd (target' - x'), cut off at the limit.",
                                .fields = CRD_FIELDS(FIELDS),
                                .apply = apply,
                                .along = along,
                                .switch_count = 2,
                                .switches = switches,
                                .offers = CRD_OFFERS(OFFERS),
                                .offered = offered};
