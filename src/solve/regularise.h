/* What is done about rows that are, or nearly are, dependent. One record per method; `auto` is in singular.c.
 *
 *     none           the plain solve; dependent rows are refused
 *     auto           exact while healthy; near a singular pose the most exact remedy the situation allows (singular.h)
 *     qr             a rank-revealing solve every time: QR with column pivoting of M^-1/2 G^T (spectrum.h)
 *     direct         (S + eps I) lambda = b
 *     proximal       lambda <- lambda + (S + eps I)^-1 (b - S lambda), until it stands still
 *     trust_region   least |S lambda - b| with |lambda| bounded: (S S + eps I) lambda = S b, eps given or found from the
 *                    radius by the secular equation (Petzold, Ren, Maly 1997)
 *
 * b = G M^-1 f - gamma. Each record takes frames, rows and forces as they were measured last and leaves a and lambda.
 * Redundant rows are known from the start and taken out. Only accelerations are softened: the watch over the pivots,
 * post-stabilisation and projections have the exact S with every method, so that the motion stays on its constraints and
 * its branch and every passage is logged. */
#ifndef CRD_SOLVE_REGULARISE_H
#define CRD_SOLVE_REGULARISE_H

#include "solve/dynamics.h"

/* What becomes of an evaluation so near a singular pose that its rows say nothing any more. */
typedef enum CrdInPose {
    CRD_IN_POSE_ACROSS = 0, /* accelerations across the pose (singular.h) */
    CRD_IN_POSE_SOFTENED,   /* as the softened rows have it; noted for the log */
    CRD_IN_POSE_REFUSED
} CrdInPose;

struct CrdRegulariser {
    const char *name;
    bool drops;   /* dependent rows are left out of the factor instead of being refused */
    bool shifts;  /* has a second factor, of S + eps I */
    bool dense;   /* works on dense matrices: model size is limited */
    CrdInPose in_pose;
    CardanStatus (*solve)(CrdDynamics *dynamics); /* a and lambda; S is factored */
};

/* By CardanRegularise. */
const CrdRegulariser *crd_regulariser(CardanRegularise method);

/* Factors S + eps I for the methods that want it; S is as before afterwards. */
CardanStatus crd_factor_shifted(CrdDynamics *dynamics);

/* lambda and a of the plain solve, with the factor at hand or a fresh one. */
CardanStatus crd_plain_solve(CrdDynamics *dynamics);

/* One step of refinement of a and lambda on the residuals of M a + G^T lambda = f, G a = gamma. It removes what the
 * squared condition of S costs: afterwards the error is that of an orthogonal factorisation of M^-1/2 G^T. */
CardanStatus crd_refine(CrdDynamics *dynamics);

#endif
