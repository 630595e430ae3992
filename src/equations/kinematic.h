/* Kinematic coordinates: velocities without masses and without units.
 *
 * Whether rows depend on each other is a matter of geometry. So it is asked of
 *     K = D G T
 * where T turns numbers of a common size into velocities: of a body's joints' middle, in lengths L of the mechanism
 * (CrdValues.span), and of its turning in rad. Neither masses, nor units, nor where a centre of mass lies change G T.
 * For a body with the middle r of its joints (own axes, from its centre of mass), v = L y_x - w x (R r), w = y_w.
 * Coordinates of custom blocks stand as they are. D is of one's choice: lengths of rows become 1 (linear/spectrum.h),
 * or the rows of each element become orthonormal, so that it does not matter by which of its rows a joint is written,
 * nor how it stands against the ground. */
#ifndef CRD_EQUATIONS_KINEMATIC_H
#define CRD_EQUATIONS_KINEMATIC_H

#include "equations/system.h"

/* x <- T x of one coordinate block, or T^T x. The frames must be there. */
void crd_kinematic_root(const CardanModel *model, const CrdSystem *system, int block, bool transposed, double *x);

/* Pieces of K with orthonormal elements, laid out as those of G, from the rows in the workspace. square: max_rows^2.
 * A row that the others of its element leave nothing of becomes zeros. */
void crd_kinematic_pieces(const CardanModel *model, const CrdSystem *system, double *square, double *pieces);

/* The same where some rows and blocks are left alone, with zeros in their places (by row, by block; NULL: none), and
 * the factors L of the elements kept: K_e = L^-1 G_e T, rows^2 numbers each, one after another. */
void crd_kinematic_rows(const CardanModel *model, const CrdSystem *system, const bool *row_out, const bool *block_out,
                        double *factors, double *pieces);

/* How many numbers those factors are. */
size_t crd_kinematic_factor_size(const CrdStructure *structure);

/* r <- L^-1 r of all elements, or L^-T r. */
void crd_kinematic_scale(const CrdStructure *structure, const double *factors, bool transposed, double *r);

/* r <- L r of all elements; what a row without anything of its own would add is left out. */
void crd_kinematic_unscale(const CrdStructure *structure, const double *factors, double *r);

/* Is this row of the workspace in m? It is when it moves something that has a place; rows in rad only turn. */
bool crd_row_is_length(const CrdStructure *structure, const CrdSystem *system, int row);

#endif
