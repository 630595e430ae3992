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

/* x <- T x of the coordinate block of this index, or T^T x. The frames must be there. */
void crd_kinematic_root(const CardanModel *model, const CrdSystem *system, int index, bool transposed, double *x);

/* Pieces of K with orthonormal elements, laid out as those of G, from the rows in the workspace. factors (rows x
 * max_rows): of each element D^-1, a lower triangle by rows, from where its first row times max_rows stands. A row
 * that is left out, or that the others of its element leave nothing of, becomes zeros. */
void crd_kinematic_pieces(const CardanModel *model, const CrdSystem *system, const bool *left_out, double *factors,
                          double *pieces);

/* The same with zeros in the columns of blocks that are held (by block; NULL: none); left_out may be NULL here. */
void crd_kinematic_held_pieces(const CardanModel *model, const CrdSystem *system, const bool *left_out,
                               const bool *held, double *factors, double *pieces);

/* r <- D r with those factors; D^T r; D^-1 r, less what a row without anything of its own would add. */
void crd_kinematic_rows(const CrdStructure *structure, const double *factors, double *r);
void crd_kinematic_rows_transposed(const CrdStructure *structure, const double *factors, double *r);
void crd_kinematic_rows_back(const CrdStructure *structure, const double *factors, double *r);

/* Is this row of the workspace in m? It is when it moves something that has a place; rows in rad only turn. */
bool crd_row_is_length(const CrdStructure *structure, const CrdSystem *system, int row);

#endif
