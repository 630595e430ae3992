/* Inertia of the simple shapes a body may be given by, and principal moments. */
#ifndef CRD_BUILD_INERTIA_H
#define CRD_BUILD_INERTIA_H

#include "build/description.h"

/* Inertia about the centre of mass in body axes, from whatever form it was given in: xx yy zz xy xz yz. In planar
 * models only zz has a meaning. */
void crd_body_inertia(const CrdBodyDesc *body, double tensor[6]);

/* Eigenvalues of the symmetric matrix (xx yy zz xy xz yz), rising. Accurate to a few ulps of the largest; exact for
 * diagonal matrices. */
void crd_principal_moments(const double tensor[6], double moments[3]);

#endif
