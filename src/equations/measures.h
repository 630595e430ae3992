/* Measures of a state whose frames the workspace holds: values, and their derivatives along changes of the frames. Laws
 * and channels read them here. */
#ifndef CRD_EQUATIONS_MEASURES_H
#define CRD_EQUATIONS_MEASURES_H

#include "equations/system.h"

/* A place as a frame: that of a body, or of a marker, made in *room. */
const CardanFrame *crd_frame_at(const CardanModel *model, const CrdSystem *system, int place, CardanFrame *room);

/* ---- functions of t, q, v and first-order states: what laws may read ---- */

/* All columns of a measure, and with `along` their derivatives along system->changes and, where it reads laws, along
 * those of law_jets; else these are 0. Of what a force does, the variables of laws must be there but for such measures
 * (crd_law_input). */
CardanStatus crd_measure_columns(const CardanModel *model, const CrdActions *actions, CrdSystem *system,
                                 const CrdLawMeasure *it, bool along, CrdDual *columns, CrdError *error);

/* The one column that it is of. */
CardanStatus crd_measure_value(const CardanModel *model, const CrdActions *actions, CrdSystem *system,
                               const CrdLawMeasure *it, double *value, CrdError *error);
CardanStatus crd_measure_slope(const CardanModel *model, const CrdActions *actions, CrdSystem *system,
                               const CrdLawMeasure *it, double *slope, CrdError *error);

/* What one force does by itself. */
typedef struct CrdForceAlone {
    CrdDual power, energy;    /* W, fed into the mechanism; J, stored */
    CrdDualVec force, moment; /* on the frame asked for, at its point there, ground axes; none on the ground */
} CrdForceAlone;

/* Of force number `index`, on a frame that it loads (0: on none); the variables of laws must be there. */
CardanStatus crd_force_alone(const CardanModel *model, int index, int frame, const CrdActions *actions,
                             CrdSystem *system, bool along, CrdForceAlone *out, CrdError *error);

/* Energy stored in a compliant joint, and the power its rows feed in. */
CardanStatus crd_compliant_alone(const CardanModel *model, int index, CrdSystem *system, bool along, CrdDual *energy,
                                 CrdDual *power, CrdError *error);

/* Linear momentum of a body, and its angular momentum about the centre of mass; ground axes. */
CrdDualVec crd_body_momentum(const CardanModel *model, const CrdSystem *system, int frame);
CrdDualVec crd_body_spin_momentum(const CardanModel *model, const CrdSystem *system, int frame);

/* Of all bodies: centre of mass, momentum, angular momentum about the origin of the ground. */
CrdDualVec crd_whole(const CardanModel *model, const CrdSystem *system, CrdMeasure measure);

/* The unit quaternion of a body or marker, continuous in time: that of the body's coordinates, turned on to the marker;
 * of other frames that of their rotation. Its change is q o (0, turn) / 2. */
CardanQuat crd_place_quaternion(const CardanModel *model, const CrdSystem *system, int place);
CardanQuat crd_place_quaternion_change(const CardanModel *model, const CrdSystem *system, int place);

/* ---- outputs only ---- */

/* How the motion of a place changes with the accelerations a (nv), ground axes. */
CrdFrameRate crd_frame_rate(const CardanModel *model, const CrdSystem *system, const double *a, int place);

/* Second derivative of a joint's coordinate at the accelerations a; and of its shifts. */
double crd_coordinate_acceleration(const CardanModel *model, const CrdSystem *system, const double *a, int element,
                                   CardanCoordinate which);
CrdVec crd_shift_acceleration(const CardanModel *model, const CrdSystem *system, const double *a, int element);

#endif
