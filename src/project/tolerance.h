/* Tolerances of a run, by what they are of.
 *
 * An absolute tolerance that is given is one number for all. Without one it follows the mechanism, so that copies of
 * other sizes and masses are computed to the same digits: with L its size and m its mass
 *     lengths and m/s    1e-8 min(1, L)          angles, rad/s and what has no unit    1e-8
 *     energies           1e-8 min(1, m L^2)
 * A second stays a second: nothing in a model says what time is long. */
#ifndef CRD_PROJECT_TOLERANCE_H
#define CRD_PROJECT_TOLERANCE_H

#include "cardan/options.h"
#include "equations/row_units.h"

typedef struct CrdTolerance {
    double relative;
    double length, angle; /* m, rad */
    double speed, spin;   /* m/s, rad/s */
    double number;        /* coordinates of custom blocks, first-order states */
    double energy;        /* J */
} CrdTolerance;

CrdTolerance crd_tolerance_of(const CardanModel *model, const CardanOptions *options);

/* What an error of so many tolerances makes of rows, and of their rates in a motion with velocities v. */
CrdAllowed crd_tolerated_positions(const CrdTolerance *tolerance, const CardanModel *model, double times);
CrdAllowed crd_tolerated_rates(const CrdTolerance *tolerance, const CardanModel *model, const double *v, double times);

/* By component of y = [q | v | z | ...], of the first nq + nv + first_order; the others are left alone. */
void crd_tolerance_spread(const CrdTolerance *tolerance, const CrdStructure *structure, double *absolute);

#endif
