/* One record per force, each in its own file. */
#ifndef CRD_FORCE_RECORDS_H
#define CRD_FORCE_RECORDS_H

#include "force/force.h"

extern const CrdForceKind crd_spring, crd_force, crd_torque, crd_callback;

#endif
