/* Spring and damper on a joint's coordinate (a torque about its axis, a force along it).
 *     x = coordinate - angle,   F = stiffness x + damping x' + law(x, x')   against the coordinate
 *     potential stiffness x^2 / 2;  power of the rest -(damping x' + law) x' */
#include "force/records.h"

typedef struct Torsion {
    int joint;
    CardanCoordinate coordinate;
    double stiffness, damping, angle;
} Torsion;
CRD_FITS(Torsion);

static CardanStatus apply(const CrdForceData *data, const CrdForceInput *in, CrdLoads *loads) {
    const Torsion *force = crd_own(data);
    double x = in->coordinate->value - force->angle, rate = in->coordinate->rate, law;
    CRD_TRY(crd_law(in, x, rate, &law));
    double lossy = force->damping * rate + law;
    crd_drive(loads, in, -(force->stiffness * x + lossy));
    loads->potential += 0.5 * force->stiffness * x * x;
    loads->power -= lossy * rate;
    return CARDAN_OK;
}

static CardanStatus along(const CrdForceData *data, const CrdForceInput *in, CrdLoads *change) {
    const Torsion *force = crd_own(data);
    CrdJet x = {in->coordinate->value - force->angle, in->coordinate_change->value, 0.0};
    CrdJet rate = {in->coordinate->rate, in->coordinate_change->rate, 0.0};
    double law, dlaw;
    CRD_TRY(crd_law_change(in, x, rate, &law, &dlaw));
    crd_drive_change(change, in, -(force->stiffness * x.x + force->damping * rate.x + law),
                     -(force->stiffness * x.d1 + force->damping * rate.d1 + dlaw));
    change->potential += force->stiffness * x.x * x.d1;
    return CARDAN_OK;
}

static bool elastic(const CrdForceData *force) {
    return ((const Torsion *)crd_own(force))->damping == 0.0;
}

static void variables(const CrdForceData *force, const CrdForceInput *in, double *x, double *v) {
    *x = in->coordinate->value - ((const Torsion *)crd_own(force))->angle;
    *v = in->coordinate->rate;
}

enum { OFFERS_FORCE, OFFERS_RATE, OFFERS_ELONGATION }; /* as in OFFERS */

static CardanStatus offered(const CrdForceData *data, const CrdForceInput *in, int k, CrdDual *value) {
    const Torsion *force = crd_own(data);
    CrdDual x = crd_d_sub(crd_coordinate_dual(in), crd_d(force->angle, 0.0)), rate = crd_rate_dual(in), law;
    *value = k == OFFERS_RATE ? rate : x;
    if (k != OFFERS_FORCE) return CARDAN_OK;
    CRD_TRY(crd_law_dual(in, x, rate, &law));
    CrdDual against = crd_d_add(crd_d_scale(force->stiffness, x), crd_d_scale(force->damping, rate));
    *value = crd_d_scale(-1.0, crd_d_add(against, law));
    return CARDAN_OK;
}

static const CrdOffer OFFERS[] = {CRD_OFFERS_ON_JOINT,
                                  {"elongation", "m", "rad", true, .summary = "coordinate less that at rest"}};

static const CrdField FIELDS[] = {
    CRD_ROWS_JOINT(Torsion),
    {"stiffness", CRD_HOLDS_NUMBERS, CRD_ONE, .unit = "N m/rad or N/m", .fallback = "0",
     CRD_AT(Torsion, stiffness, stiffness), .doc = "Restoring torque or force per deflection."},
    {"damping", CRD_HOLDS_NUMBERS, CRD_ONE, .unit = "N m s/rad or N s/m", .fallback = "0",
     CRD_AT(Torsion, damping, damping), .doc = "The same per rate of the coordinate."},
    {"angle", CRD_HOLDS_NUMBERS, CRD_ONE, .unit = "rad or m", .fallback = "0", CRD_AT(Torsion, angle, angle),
     .doc = "The coordinate at rest."},
    {"law", CRD_HOLDS_LAW, CRD_ONE, .unit = "N m or N", .fallback = "none", .law = offsetof(CardanForceDef, law),
     .doc = "Added: an expression in the deflection x, its rate v and the state."},
};

const CrdForceKind crd_torsion = {.name = "torsion",
                                  .doc = "A spring and damper on a joint's coordinate: stiffness x + damping v + law "
                                         "against it.",
                                  .fields = CRD_FIELDS(FIELDS),
                                  .apply = apply,
                                  .along = along,
                                  .elastic = elastic,
                                  .variables = variables,
                                  .offers = CRD_OFFERS(OFFERS),
                                  .offered = offered};
