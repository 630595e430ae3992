/* Where the parts of the matrices of a formulation stand, and what is put there: by linearise.c at each point, and once
 * without numbers, which makes the pattern. */
#ifndef CRD_INTEGRATE_LINEARISE_PARTS_H
#define CRD_INTEGRATE_LINEARISE_PARTS_H

#include "integrate/linearise.h"

/* Numbers of CrdLinearisation.pieces. */
enum { CRD_GAMMA_X = 0, CRD_GAMMA_V, CRD_RATES, CRD_ALONG, CRD_PUSH, CRD_PUSH_FULL };
enum { CRD_HOLD_Q = CRD_PUSH, CRD_HOLD_V = CRD_PUSH_FULL }; /* of index 3, which pushes nothing */

/* Where the parts of a matrix start: rows and columns. Multipliers of positions at core, of velocities after them. */
typedef struct CrdPlaces {
    CrdColumns columns;
    int core, rows;
    int more; /* after the multipliers that are in slopes */
} CrdPlaces;

CrdPlaces crd_places_of(const struct CrdForm *form);
CardanMetric crd_metric_of(const struct CrdForm *form);

/* The matrix of a stage, and that of what follows the stages. */
CardanStatus crd_put_stage(CrdLinearisation *linearisation);
void crd_put_ends(CrdLinearisation *linearisation);

#endif
