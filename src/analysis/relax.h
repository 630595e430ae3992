/* A pose brought to its constraints as far as these can be met together: least squares of all rows at a fixed accuracy.
 *
 *     q <- q - N T V_r diag(1/s_r) U_r^T D g,    r: kinematic singular values above the tolerance (RANK_AND_BRANCH 1.3)
 *
 * Rows that depend on others within the tolerance, or contradict them, stay open by what is left: the opening. */
#ifndef CRD_ANALYSIS_RELAX_H
#define CRD_ANALYSIS_RELAX_H

#include "dynamics/dynamics.h"

typedef struct CrdRelaxation {
    CrdDynamics *dynamics;
    CrdSpectrum *spectrum; /* rows that its left_alone marks take no part */
    double tolerance;
    int max_rank;   /* no more singular values than these; 0: as the tolerance says */
    bool far;       /* the guess may be far off: only what is well determined moves first, steps are bounded */
    double *dx;     /* (nv) scratch */
    bool converged; /* out: it stands still */
    double opening; /* out: largest |g| of the rows that take part, in lengths of the mechanism or rad */
} CrdRelaxation;

/* Moves q and measures it with v: the workspace then holds its rows. */
CardanStatus crd_relax(CrdRelaxation *relaxation, double t, double *q, const double *v);

/* Largest |g| in the workspace, in lengths of the mechanism or rad, of rows that are not left alone (NULL: all). */
double crd_opening(const CrdDynamics *dynamics, const bool *left_alone);

#endif
