/* Spring and damper on a joint's coordinate (a torque about its axis, a force along it).
 *     x = coordinate - angle,   F = stiffness x + damping x' + law(x, x')   against the coordinate
 *     potential stiffness x^2 / 2;  power of the rest -(damping x' + law) x' */
#include "force/records.h"

static CardanStatus apply(const CrdForceData *f, const CrdForceInput *in, CrdLoads *loads) {
    double x = in->coordinate->value - f->angle, rate = in->coordinate->rate, law;
    CRD_TRY(crd_law(in, x, rate, &law));
    double lossy = f->damping * rate + law;
    crd_drive(loads, in, -(f->stiffness * x + lossy));
    loads->potential += 0.5 * f->stiffness * x * x;
    loads->power -= lossy * rate;
    return CARDAN_OK;
}

static CardanStatus along(const CrdForceData *f, const CrdForceInput *in, CrdLoads *change) {
    CrdJet x = {in->coordinate->value - f->angle, in->coordinate_change->value, 0.0};
    CrdJet rate = {in->coordinate->rate, in->coordinate_change->rate, 0.0};
    double law, dlaw;
    CRD_TRY(crd_law_change(in, x, rate, &law, &dlaw));
    crd_drive_change(change, in, -(f->stiffness * x.x + f->damping * rate.x + law),
                     -(f->stiffness * x.d1 + f->damping * rate.d1 + dlaw));
    return CARDAN_OK;
}

const CrdForceKind crd_torsion = {.name = "torsion", .apply = apply, .along = along};
