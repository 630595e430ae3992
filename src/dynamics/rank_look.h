/* Rank-revealing looks at all rows of the workspace, where the model is small enough for them (dynamics->reveals). */
#ifndef CRD_DYNAMICS_RANK_LOOK_H
#define CRD_DYNAMICS_RANK_LOOK_H

#include "dynamics/dynamics.h"

/* The accelerations by a rank-revealing solve at the generic rank. */
CardanStatus crd_solve_by_rank(CrdDynamics *dynamics);

/* Rank of all rows, of which the spectrum is taken. Rows that depend on others everywhere do so here, too, though rows
 * that are open make it look otherwise; more may depend where a pose is. */
int crd_rank_here(const CrdDynamics *dynamics);

/* Elements with a row in the dependency of the present configuration. false: a look finds none; models too large for it
 * are believed. */
bool crd_singular_elements(CrdDynamics *dynamics, bool *element);

/* Multipliers of the motion in the workspace, as far as this element is concerned. Where rows are redundant they are
 * not unique: those of least D^-1 lambda (rows scaled by their length in the metric of M^-1), found by one look at the
 * first call for a motion. */
const double *crd_least_multipliers(CrdDynamics *dynamics, int element);

#endif
