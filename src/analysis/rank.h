/* How many constraint rows are independent: in a pose, and in general.
 *
 * It is a matter of geometry: of kinematic singular values (equations/kinematic.h) against the largest, which are zero
 * up to the tolerance that the options give as `redundancy`. Neighbours lie along near-motions, those that the rows
 * without drives allow within the tolerance; each is relaxed (analysis/relax.h).
 * Rows that depend on others in every pose near by on the manifold are redundant; a pose that has a lower rank than
 * its neighbours is singular. Large models are told to be regular by the pivots of the sparse factor alone; only a
 * small pivot, which may be dependence or nothing but unequal masses, is looked into by sparse QR. */
#ifndef CRD_ANALYSIS_RANK_H
#define CRD_ANALYSIS_RANK_H

#include "dynamics/dynamics.h"

typedef struct CrdRank {
    int rank;         /* generic: the largest found here and at neighbours */
    int rank_here;    /* in the pose itself */
    bool singular;    /* rank_here < rank */
    int drivers_held; /* rows of drives that the other rows decide */
    double weak;      /* largest kinematic singular value beyond the rank, against the largest */
    double opening;   /* what rows are open by where they are all met as well as can be, in lengths of the mechanism or
                       * rad; the largest here and at neighbours */
    int nearly;    /* rank, or a lower one that rows without drives have within a tolerance: locked, but nearly not */
    double within; /* that tolerance */
    int inexact;   /* large models: rows that depend on others within the tolerance, but not exactly, wherever looked */
    bool dense;    /* singular values were looked at: weak, opening and nearly are known */
    bool exact; /* false: too large for the elimination's 32-bit program; the pivots of the sparse factor are all that
                 * is known: rows, or rows - 1 when one of them depends on those before it, and its element */
} CrdRank;

/* Rank of all rows, nonholonomic ones included, at the pose q or, when it is a little off, where it meets the manifold.
 * element_redundant and element_singular (element_count each, may be NULL): elements with a row in a dependency of
 * every pose, or in what makes the rank no lower than `nearly`; in a dependency of this pose. Allocates what it needs
 * and frees it. Afterwards the workspace holds the rows of q, v and no factor. */
CardanStatus crd_rank(CrdDynamics *dynamics, double t, const double *q, const double *v, CrdRank *out,
                      bool *element_redundant, bool *element_singular);

#endif
