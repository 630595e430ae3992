/* The rank of models too large for singular values, by sparse QR (linear/qr.h), at the pose and at neighbours. */
#ifndef CRD_ANALYSIS_RANK_SPARSE_H
#define CRD_ANALYSIS_RANK_SPARSE_H

#include "analysis/rank.h"

/* As crd_rank, but nothing is measured again afterwards. */
CardanStatus crd_rank_sparse(CrdDynamics *dynamics, double t, const double *q, const double *v, CrdRank *out,
                             bool *element_redundant, bool *element_singular);

#endif
