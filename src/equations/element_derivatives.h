/* Derivatives of what joints, couplers and user rows put on frames, for implicit steppers and linearisation: dense over
 * the n attachments of an element, the ground included. Entry ((i, r), (j, k)) of a 6n x 6n matrix, row-major, is the
 * derivative of component r of the load on attachment i with respect to component k of attachment j: of its
 * displacement (x in ground axes, rotation in own axes) or of its twist. */
#ifndef CRD_EQUATIONS_ELEMENT_DERIVATIVES_H
#define CRD_EQUATIONS_ELEMENT_DERIVATIVES_H

#include "equations/system.h"

/* d(G^T lambda) / d displacement, lambda fixed (one number per row of the element), at the rows in the workspace; of
 * joints, couplers and rows of the user's. Rows of a block have theirs in its coordinates: crd_block_reactions. */
CardanStatus crd_row_force_derivatives(const CardanModel *model, int index, CrdSystem *system, const double *lambda,
                                       double *out, CrdError *error);

/* d load / d displacement and d load / d twist of a compliant joint at the rows in the workspace. */
CardanStatus crd_compliant_derivatives(const CardanModel *model, int index, CrdSystem *system, double *displacement,
                                       double *twist, CrdError *error);

#endif
