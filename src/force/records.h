/* One record per force, each in its own file. */
#ifndef CRD_FORCE_RECORDS_H
#define CRD_FORCE_RECORDS_H

#include "force/force.h"

extern const CrdForceKind crd_spring, crd_torsion, crd_bushing, crd_force, crd_torque, crd_motor, crd_friction,
    crd_limit, crd_contact, crd_drag, crd_tyre, crd_callback;

#endif
