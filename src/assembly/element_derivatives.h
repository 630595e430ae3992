/* Derivatives of what joints and couplers put on frames, for implicit steppers and linearisation: dense over the n
 * attachments of an element, the ground included. Entry ((i, r), (j, k)) of a 6n x 6n matrix, row-major, is the
 * derivative of component r of the load on attachment i with respect to component k of attachment j: of its
 * displacement (x in ground axes, rotation in own axes) or of its twist. */
#ifndef CRD_ASSEMBLY_ELEMENT_DERIVATIVES_H
#define CRD_ASSEMBLY_ELEMENT_DERIVATIVES_H

#include "assembly/system.h"

/* d(G^T lambda) / d displacement, lambda fixed (one number per row of the element), at what was measured last. false:
 * rows of the user's or of a block, whose second derivatives nobody knows. */
bool crd_row_force_derivatives(const CardanModel *model, int element, const CrdSystem *system, const double *lambda,
                               double *out);

/* d load / d displacement and d load / d twist of a compliant joint at what was measured last. */
CardanStatus crd_compliant_derivatives(const CardanModel *model, int element, CrdSystem *system, double *displacement,
                                       double *twist, CrdError *error);

#endif
