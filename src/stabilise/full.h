/* The full form of one post-stabilisation pass, dense. */
#ifndef CRD_STABILISE_FULL_H
#define CRD_STABILISE_FULL_H

#include "stabilise/stabilise.h"

void crd_full_layout(CrdStabiliser *stabiliser, const CrdShape *shape, CrdArena *arena);

/* (dx, dv) = -W H^T (H W H^T)^-1 h at what was measured; moves q, v and measures again. */
CardanStatus crd_full_pass(CrdStabiliser *stabiliser, CrdDynamics *dynamics, double t, double *q, double *v);

#endif
