/* Stops at both ends of a joint's coordinate x: one-sided springs and dampers that never pull.
 *     over = x - hi above hi, x - lo below lo, else 0
 *     F = stiffness over + damping x'  against the coordinate, 0 where it would pull back
 *     potential stiffness over^2 / 2; the damper, as far as it acts, has power */
#include "force/records.h"

typedef struct Limit {
    int joint;
    CardanCoordinate coordinate;
    double range[2], stiffness, damping;
} Limit;
CRD_FITS(Limit);

/* How far outside, and the end it is at: +1 above, -1 below, 0 inside. */
typedef struct Over {
    int end;
    double x, force; /* m or rad; N or N m: stiffness over + damping x', as it is */
} Over;

static Over over_of(const Limit *force, const CrdForceInput *in) {
    assert(force->range[0] < force->range[1]);
    double x = in->coordinate->value;
    Over over = {0};
    if (crd_side(in, 1, x - force->range[1]) > 0)
        over = (Over){1, x - force->range[1], 0.0};
    else if (crd_side(in, 0, x - force->range[0]) < 0)
        over = (Over){-1, x - force->range[0], 0.0};
    over.force = force->stiffness * over.x + force->damping * in->coordinate->rate;
    return over;
}

/* Does the sum push back inside? */
static bool pushes(const CrdForceInput *in, const Over *over) {
    return crd_side(in, 2, over->end * over->force) > 0;
}

static CardanStatus apply(const CrdForceData *data, const CrdForceInput *in, CrdLoads *loads) {
    const Limit *f = crd_own(data);
    Over over = over_of(f, in);
    if (over.end == 0) return CARDAN_OK;
    double spring = f->stiffness * over.x, force = pushes(in, &over) ? over.force : 0.0;
    crd_drive(loads, in, -force);
    loads->potential += 0.5 * spring * over.x;
    loads->power -= (force - spring) * in->coordinate->rate; /* of the damper, as far as it acts */
    return CARDAN_OK;
}

static CardanStatus along(const CrdForceData *data, const CrdForceInput *in, CrdLoads *change) {
    const Limit *force = crd_own(data);
    Over over = over_of(force, in);
    if (over.end == 0) return CARDAN_OK;
    change->potential += force->stiffness * over.x * in->coordinate_change->value;
    if (!pushes(in, &over)) return CARDAN_OK;
    double slope = force->stiffness * in->coordinate_change->value + force->damping * in->coordinate_change->rate;
    crd_drive_change(change, in, -over.force, -slope);
    return CARDAN_OK;
}

/* The two ends, and where outside of them the sum would begin to pull; without a damper that is the end itself. */
static void switches(const CrdForceData *data, const CrdForceInput *in, double *values) {
    const Limit *force = crd_own(data);
    Over over = over_of(force, in);
    values[0] = in->coordinate->value - force->range[0];
    values[1] = in->coordinate->value - force->range[1];
    values[2] = force->damping > 0.0 ? over.end * over.force : 0.0;
}

enum { OFFERS_FORCE, OFFERS_RATE, OFFERS_OVER }; /* as in OFFERS */

static CardanStatus offered(const CrdForceData *data, const CrdForceInput *in, int k, CrdDual *value) {
    const Limit *force = crd_own(data);
    Over over = over_of(force, in);
    CrdDual x = crd_d(over.x, over.end != 0 ? crd_coordinate_dual(in).d : 0.0), rate = crd_rate_dual(in);
    *value = k == OFFERS_RATE ? rate : x;
    if (k != OFFERS_FORCE) return CARDAN_OK;
    CrdDual back = crd_d(-over.force, -(force->stiffness * x.d + force->damping * rate.d));
    *value = over.end != 0 && pushes(in, &over) ? back : crd_d(0.0, 0.0);
    return CARDAN_OK;
}

static const CrdOffer OFFERS[] = {
    CRD_OFFERS_ON_JOINT, {"over", "m", "rad", true, .summary = "how far outside its range, + beyond the upper end"}};

static const CrdField FIELDS[] = {
    CRD_ROWS_JOINT(Limit),
    {"range", CRD_HOLDS_NUMBERS, CRD_COUNT(2, 2), CRD_REQUIRED, CRD_UPWARDS, .unit = "rad or m",
     CRD_AT(Limit, range, range), .doc = "Lowest and highest value of the coordinate."},
    {"stiffness", CRD_HOLDS_NUMBERS, CRD_ONE, CRD_REQUIRED, CRD_POSITIVE, .unit = "N m/rad or N/m",
     CRD_AT(Limit, stiffness, stiffness), .doc = "Per deflection beyond an end."},
    {"damping", CRD_HOLDS_NUMBERS, CRD_ONE, CRD_OPTIONAL, CRD_NOT_NEGATIVE, .unit = "N m s/rad or N s/m",
     .fallback = "0", CRD_AT(Limit, damping, damping), .doc = "Per rate while beyond an end."},
};

const CrdForceKind crd_limit = {.name = "limit",
                                .doc = "One-sided springs and dampers at both ends of the range of a joint's "
                                       "coordinate; they never pull.",
                                .fields = CRD_FIELDS(FIELDS),
                                .apply = apply,
                                .along = along,
                                .switch_count = 3,
                                .switches = switches,
                                .event = CARDAN_EVENT_LIMIT,
                                .event_switches = 2,
                                .offers = CRD_OFFERS(OFFERS),
                                .offered = offered};
