/* S without rows that are known to depend on others: a back end works on the rows that are kept, by an elimination of
 * their own, so that redundant rows cost nothing. To the outside it is a solver of all rows: those taken out have the
 * pivot ratio 1 and the multiplier 0. */
#ifndef CRD_LINEAR_REDUCED_H
#define CRD_LINEAR_REDUCED_H

#include "linear/solver.h"

/* is_out (n): the rows taken out. ops: of the back end; not the saddle reference, which never sees S. */
CardanStatus crd_reduced_create(const CrdSolverOps *ops, const CrdPattern *pattern, int velocities, const bool *is_out,
                                CrdSolver **out, CrdError *error);

/* Is this the solver without just these rows? */
bool crd_reduced_is(const CrdSolver *solver, const bool *is_out);

/* The rows it was made without. */
const bool *crd_reduced_rows(const CrdSolver *solver);

#endif
