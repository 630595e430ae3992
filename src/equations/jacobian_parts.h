/* What the files of jacobian.h share. */
#ifndef CRD_EQUATIONS_JACOBIAN_PARTS_H
#define CRD_EQUATIONS_JACOBIAN_PARTS_H

#include "equations/jacobian.h"

/* out (rows x nq) <- in (rows x nv, rows `stride` apart) times the displacement that a change of q makes. */
void crd_jacobian_columns(const CrdBlock *block, const double *flat_q, int rows, const double *in, int stride,
                          double *out);

/* Colours blocks so that no element, force or set of states has two of one colour. */
void crd_jacobian_colour(CrdJacobian *jacobian, const CrdStructure *structure);

/* Are all rows those of joints and couplers, whose g_t depends on the time alone? */
bool crd_jacobian_is_told(const CrdStructure *structure);

/* Are they all derivatives of places? Then the order in which G is differentiated matters by the turning of axes alone:
 *     G' w = (G v)_x w + G (v x w)
 * and G itself is not looked at elsewhere. Feet on curves are found with the rows. */
bool crd_jacobian_turns_follow(const CrdStructure *structure);

/* out <- (G v + g_t)_x a little later (side 1) or earlier (-1) on the way of the motion, whose velocities stand still;
 * differences of both sides times scale are rates. The workspace is there then, with rows where G' does not follow. */
CardanStatus crd_jacobian_later(CrdJacobian *jacobian, double side, double *out, double *scale);

#endif
