/* Quaternions, rotation vectors and directions across an axis. */
#ifndef CRD_CORE_ROTATION_H
#define CRD_CORE_ROTATION_H

#include "core/vec.h"

/* Product p o q: first q, then p. */
CardanQuat crd_quat_mul(CardanQuat p, CardanQuat q);
CardanQuat crd_quat_normalised(CardanQuat q);

/* Quaternion of the rotation vector u (angle times axis). */
CardanQuat crd_quat_of(CrdVec u);

/* Rotation about x, then y, then z (fixed axes). */
CardanQuat crd_quat_of_rpy(double roll, double pitch, double yaw);

/* Rotation matrix of a unit quaternion. */
CrdMat crd_matrix_of(CardanQuat q);

/* Rotation by an angle about z. */
CrdMat crd_matrix_about_z(double angle);

/* Unit quaternion (w >= 0) of a rotation matrix. */
CardanQuat crd_quat_of_matrix(const double *r);

/* Rotation vector phi of C, |phi| <= pi. */
CrdVec crd_rotation_vector(const double *c);

/* The rotation vector of C nearest to `near`, which continues it through half a turn: of angles a and axes n that C
 * has, (a + 2 pi k) n for any whole k. Next to a whole turn its axis is lost, and Jl^-1 with it. */
CrdVec crd_rotation_vector_near(const double *c, CrdVec near);

/* Jl^-1(phi) x: the rate of the rotation vector phi of C when C' = [x]_x C,
 *   Jl^-1(phi) = I - [phi]/2 + k [phi]^2,  k = (1 - (a/2) cot(a/2)) / a^2,  a = |phi|. */
CrdVec crd_rotation_vector_rate(CrdVec phi, CrdVec x);

/* Jl^-1(phi) itself, for more than one x. */
CrdMat crd_rotation_vector_rates(CrdVec phi);

/* The derivative of Jl^-1(phi) x with respect to phi along dphi, x fixed. */
CrdVec crd_rotation_vector_rate_change(CrdVec phi, CrdVec dphi, CrdVec x);

/* Two unit vectors that make a right-handed triple e1, e2, u with the unit vector u. The same rule everywhere, so that
 * rows are the same in every build: e1 is u x (the ground axis least along u). */
void crd_across(CrdVec u, CrdVec *e1, CrdVec *e2);

#endif
