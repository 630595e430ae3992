/* Measures of a state whose frames the workspace holds: values, and their derivatives along changes of the frames. Laws
 * and channels read them here. */
#ifndef CRD_EQUATIONS_MEASURES_H
#define CRD_EQUATIONS_MEASURES_H

#include "equations/system.h"

/* A place as a frame: that of a body, or of a marker, made in *room. */
const CardanFrame *crd_frame_at(const CardanModel *model, const CrdSystem *system, int place, CardanFrame *room);

/* What laws may read. Of what a force does, the variables of laws must be there but for such measures (crd_law_input).
 */
CardanStatus crd_measure_value(const CardanModel *model, const CrdActions *actions, CrdSystem *system,
                               const CrdLawMeasure *it, double *value, CrdError *error);

/* Its derivative along system->changes, and those of law_jets where it reads laws. */
CardanStatus crd_measure_slope(const CardanModel *model, const CrdActions *actions, CrdSystem *system,
                               const CrdLawMeasure *it, double *slope, CrdError *error);

/* ---- outputs only ---- */

/* What one force does by itself. */
typedef struct CrdForceAlone {
    double power, energy; /* W, fed into the mechanism; J, stored */
    CardanWrench wrench;  /* on the frame asked for, at its point there, ground axes */
} CrdForceAlone;

/* Of force number `index`, on a frame that it loads; system->loads is lost. */
CardanStatus crd_force_alone(const CardanModel *model, int index, int frame, const CrdActions *actions,
                             CrdSystem *system, CrdForceAlone *out, CrdError *error);

/* Energy stored in a compliant joint, and the power its rows feed in. */
CardanStatus crd_compliant_alone(const CardanModel *model, int index, CrdSystem *system, double *energy, double *power,
                                 CrdError *error);

/* How the motion of a place changes with the accelerations a (nv), ground axes. */
CrdFrameRate crd_frame_rate(const CardanModel *model, const CrdSystem *system, const double *a, int place);

/* Second derivative of a joint's coordinate at the accelerations a. */
double crd_coordinate_acceleration(const CardanModel *model, const CrdSystem *system, const double *a, int element,
                                   CardanCoordinate which);

/* Linear momentum of a body's block, and its angular momentum about the centre of mass; ground axes. */
CrdVec crd_body_momentum(const CardanModel *model, const CrdSystem *system, int frame);
CrdVec crd_body_spin_momentum(const CardanModel *model, const CrdSystem *system, int frame);

/* Of all bodies: centre of mass, momentum, angular momentum about the origin of the ground. */
typedef struct CrdWhole {
    CrdVec centre, momentum, angular;
} CrdWhole;
CrdWhole crd_whole(const CardanModel *model, const CrdSystem *system);

#endif
