/* The start of mechanisms whose joints do not quite fit: locked ones are refused with the tolerance that would free
 * them, others are treated (analysis/fault.h, dynamics/imperfect.h). */
#ifndef CRD_ANALYSIS_LOOP_H
#define CRD_ANALYSIS_LOOP_H

#include "analysis/rank.h"
#include "integrate/integrator.h"

typedef struct CrdLoop {
    CrdIntegrator *run;
    const double *q, *v;
    const bool *marked; /* (elements) with a part in the dependency, as crd_rank marks them */
    char *remark;       /* sentences are added to it */
    size_t size;
} CrdLoop;

/* Joints that hold each other by errors of their data alone: refused where nothing else moves, else a remark. */
CardanStatus crd_judge_locked(const CrdLoop *loop, const CrdRank *rank);

/* The joint at fault is released, or all rows are met by least squares; the rows of the pose are evaluated again. */
CardanStatus crd_treat_imperfect(const CrdLoop *loop, const CrdRank *rank);

#endif
