/* The full form of one post-stabilisation pass, dense. */
#ifndef CRD_PROJECT_FULL_H
#define CRD_PROJECT_FULL_H

#include "project/stabilise.h"

void crd_full_layout(CrdStabiliser *stabiliser, const CrdStructure *structure, CrdArena *arena);

/* (dx, dv) = -W H^T (H W H^T)^-1 h from the rows at hand; moves q, v and evaluates the rows there. */
CardanStatus crd_full_pass(CrdStabiliser *stabiliser, CrdDynamics *dynamics, double t, double *q, double *v);

#endif
