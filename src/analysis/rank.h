/* How many constraint rows are independent: in a pose, and in general.
 *
 * Rows that depend on others in every pose near by on the manifold are redundant; a pose that has a lower rank than
 * its neighbours is singular. A regular pose is told by the pivots of the sparse factor alone; only a small pivot,
 * which may be dependence or nothing but unequal masses, is looked into by singular values, or by sparse QR where those
 * would take long. */
#ifndef CRD_ANALYSIS_RANK_H
#define CRD_ANALYSIS_RANK_H

#include "dynamics/dynamics.h"

typedef struct CrdRank {
    int rank;      /* generic: the largest found here and at neighbours */
    int rank_here; /* in the pose itself */
    bool singular; /* rank_here < rank */
    bool exact; /* false: too large for the elimination's 32-bit program; the pivots of the sparse factor are all that
                 * is known: rows, or rows - 1 when one of them depends on those before it, and its element */
} CrdRank;

/* Rank of all rows, nonholonomic ones included, at the pose q or, when it is a little off, where it meets the manifold.
 * element_redundant and element_singular (element_count each, may be NULL): elements with a row in a dependency of
 * every pose; in a dependency of this pose. Allocates what it needs and frees it. Afterwards the workspace holds
 * the rows of q, v and no factor. */
CardanStatus crd_rank(CrdDynamics *dynamics, double t, const double *q, const double *v, CrdRank *out,
                      bool *element_redundant, bool *element_singular);

#endif
