/* The rank of a model small enough for singular values, at the pose and at neighbours. */
#ifndef CRD_ANALYSIS_RANK_DENSE_H
#define CRD_ANALYSIS_RANK_DENSE_H

#include "analysis/rank.h"

/* As crd_rank, but nothing is measured again afterwards. */
CardanStatus crd_rank_dense(CrdDynamics *dynamics, double t, const double *q, const double *v, CrdRank *out,
                            bool *element_redundant, bool *element_singular);

#endif
