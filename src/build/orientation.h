/* Orientations in the forms in which they are written. */
#ifndef CRD_BUILD_ORIENTATION_H
#define CRD_BUILD_ORIENTATION_H

#include "build/description.h"
#include "core/rotation.h"

/* Unit quaternion, own axes to those it is given against. */
CardanQuat crd_orientation_of(CrdOrientationForm form, const double *o);

#endif
