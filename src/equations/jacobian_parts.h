/* What the files of jacobian.h share. */
#ifndef CRD_EQUATIONS_JACOBIAN_PARTS_H
#define CRD_EQUATIONS_JACOBIAN_PARTS_H

#include "equations/jacobian.h"

/* out (rows x nq) <- in (rows x nv, rows `stride` apart) times the displacement that a change of q makes. */
void crd_jacobian_columns(const CrdBlock *block, const double *flat_q, int rows, const double *in, int stride,
                          double *out);

/* Colours blocks so that no element, force or set of states has two of one colour. */
void crd_jacobian_colour(CrdJacobian *jacobian, const CrdStructure *structure);

#endif
