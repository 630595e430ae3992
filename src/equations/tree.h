/* What is another calculation in relative coordinates (tree_work.h has the formulas). */
#ifndef CRD_EQUATIONS_TREE_H
#define CRD_EQUATIONS_TREE_H

#include "equations/system.h"

/* Motion of links apart from the rest. */
void crd_tree_layout_motion(CrdTreeWork *work, const CrdStructure *structure, CrdArena *arena);
void crd_tree_layout(CrdTreeWork *work, const CrdStructure *structure, CrdArena *arena);

/* Frames of all bodies. */
void crd_tree_kinematics(const CardanModel *model, const double *q, const double *v, CrdSystem *system);

/* Does nothing act on the links but gravity and their own motion? Then accelerations follow from the motion of links
 * alone: no frames, no rows, no loads. What the workspace held of another state goes; it holds nothing afterwards. */
bool crd_tree_is_plain(const CrdStructure *structure, const CrdActions *actions);
void crd_tree_accelerate(const CardanModel *model, const double *q, const double *v, CrdSystem *system, double *a);

/* Pieces of G of an element whose twist rows are in system->twist_rows, and its gamma completed. */
void crd_tree_rows(const CardanModel *model, int element, CrdSystem *system);

/* Potential energy of gravity at the frames. */
double crd_tree_gravity(const CardanModel *model, const CrdSystem *system);

/* That, and the kinetic energy by the velocities of the frames. */
CrdEnergies crd_tree_energies(const CardanModel *model, const CrdSystem *system);

/* x <- N f of all forces. */
void crd_tree_pushed(const CardanModel *model, const CrdSystem *system, double *x);

/* T and S, in this metric. */
void crd_tree_schur(const CardanModel *model, CardanMetric metric, CrdSystem *system);

/* Squares of the sizes of all loop rows on their own bodies, in the metric of masses or kinematic; products of the rows
 * of one element, kinematic, lower triangle by rows. */
void crd_tree_row_sizes(const CardanModel *model, const CrdSystem *system, bool kinematic, double *sizes);
void crd_tree_gram(const CardanModel *model, const CrdSystem *system, int element, double *square);

/* x <- N x and x <- N^T x with the factor at hand: M^-1 = N^T N. */
void crd_tree_inward(const CardanModel *model, const CrdSystem *system, double *x);
void crd_tree_outward(const CardanModel *model, const CrdSystem *system, double *x);

/* y <- M x, and x^T M x / 2, at the frames. */
void crd_tree_times_mass(const CardanModel *model, const CrdSystem *system, const double *x, double *y);
double crd_tree_kinetic(const CardanModel *model, const CrdSystem *system, const double *x);

/* Twists of links for the second derivatives x, at rest. */
void crd_tree_spread(const CardanModel *model, const CrdSystem *system, const double *x);

/* Rate of a frame's twist with the q'' that was spread last: what is there without it, and what it adds. */
void crd_frame_acceleration(const CardanModel *relative, const CrdSystem *system, int frame, double *out);

/* How large the terms are, at accelerations a, whose sum is the force along a coordinate: loads, weights and inertia of
 * all links that it moves. What rounding leaves is a part of them. */
void crd_tree_force_sizes(const CardanModel *model, const CrdSystem *system, const double *a, double *sizes);

/* Accelerations of the absolute coordinates, of those of joints. */
void crd_relative_accelerations(const CardanModel *absolute, const CardanModel *relative, const CrdSystem *system,
                                const double *a, double *a_absolute);

/* Multipliers of all rows of the absolute model at the absolute accelerations a, with those of the loop rows: without a
 * factor of all rows, which the workspace must hold with the forces. rest: (nv) scratch. */
void crd_tree_multipliers(const CardanModel *absolute, const CardanModel *relative, const CrdSystem *system,
                          const double *a, const double *loops, double *rest, double *lambda);

#endif
