/* What is done about rows that depend on others but for errors of their data (dynamics/imperfect.h).
 *
 * The joint at fault is looked for first: the rows that one joint has too many are left alone, the rest of the
 * mechanism is moved, and what they are open by is looked at. If some of them stay closed while the rest is perfect,
 * only the data of this joint contradict the others, and the rows that opened are released: the motion is exact. If
 * there is no such joint, all rows are met by least squares. */
#ifndef CRD_ANALYSIS_FAULT_H
#define CRD_ANALYSIS_FAULT_H

#include "analysis/rank.h"

/* Are rows so? */
bool crd_rank_is_imperfect(const CardanModel *model, const CrdRank *rank);

/* So much, at these tolerances, that they have to be met by least squares when no joint is at fault? */
bool crd_rank_wants_spread(const CardanModel *model, const CrdRank *rank, double rtol, double atol);

/* Marks the rows to be released in dynamics->redundancy.imperfect, which is open, if there is a joint at fault:
 * *element is its element, or -1. marked (elements): those with a part in the dependency. */
CardanStatus crd_find_fault(CrdDynamics *dynamics, double t, const double *q, const double *v, const bool *marked,
                            int *element);

#endif
