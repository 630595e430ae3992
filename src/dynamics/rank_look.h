/* Rank-revealing looks at all rows of the workspace, where the model is small enough for them (dynamics->reveals). */
#ifndef CRD_DYNAMICS_RANK_LOOK_H
#define CRD_DYNAMICS_RANK_LOOK_H

#include "dynamics/dynamics.h"

/* The accelerations by a rank-revealing solve at the generic rank. */
CardanStatus crd_solve_by_rank(CrdDynamics *dynamics);

/* Elements with a row in the dependency of the present configuration. false: a look finds none; models too large for it
 * are believed. */
bool crd_singular_elements(CrdDynamics *dynamics, bool *element);

/* Where rows are redundant, multipliers are not unique: puts those of least D^-1 lambda (rows scaled by their length in
 * the metric of M^-1) in place of the ones a factor with left-out rows gave. The motion is not changed. */
void crd_minimum_norm_multipliers(CrdDynamics *dynamics);

#endif
