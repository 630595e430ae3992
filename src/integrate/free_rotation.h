/* Bodies flying freely for a time h: the middle part of Verlet and RATTLE, which kick before and after it.
 *
 * Particles and bodies in the plane go straight on, q_new = q + h u. In space the rotation is that of Moser and
 * Veselov: with the angular momentum P = J w in own axes, the Cayley vector c of the turn F (quaternion ~ (1, c))
 * solves h P = 2 (J c + c x J c) / (1 + c.c)         and then         h P_new = h F^T P = 2 (J c - c x J c) / (1 + c.c)
 * It is symplectic and reversible and keeps |P| in ground axes; its error is of second order. (J. Moser, A. P. Veselov,
 * Commun. Math. Phys. 139 (1991) 217-243; R. McLachlan, A. Zanna, Found. Comput. Math. 5 (2005) 87-123; the form with
 * F J_d - J_d F^T = skew(h P), J_d = tr(J)/2 - J, multiplied out.) */
#ifndef CRD_INTEGRATE_FREE_ROTATION_H
#define CRD_INTEGRATE_FREE_ROTATION_H

#include "core/status.h"
#include "model/model.h"

/* From (q, u) to (q_new, u_new); u_new may be u. CARDAN_ERR_NUMERIC: a body turns too far in one step. No custom
 * blocks. */
CardanStatus crd_rotate_freely(const CardanModel *model, double h, const double *q, const double *u, double *q_new,
                               double *u_new);

/* Adds to x (nv), rotations only, scale J^-1 (w x J w) for the velocities v: what takes the gyroscopic terms, which a
 * flight has in itself, out of accelerations. */
void crd_without_gyroscopic(const CardanModel *model, double scale, const double *v, double *x);

#endif
