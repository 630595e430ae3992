/* What is done about rows that are, or nearly are, dependent. One record per method; `auto` goes on in near_pose.c.
 *
 *     none           the plain solve; dependent rows are refused
 *     auto           exact while healthy; near a singular pose the most exact remedy the situation allows (near_pose.h)
 *     qr             a rank-revealing solve every time: QR with column pivoting of M^-1/2 G^T (spectrum.h)
 *     direct         (S + eps diag(S)) lambda = b, or with an epsilon given (S + eps I) lambda = b
 *     proximal       lambda <- lambda + (the same)^-1 (b - S lambda), until it stands still
 *     trust_region   as auto, but near a pose multipliers are bounded (trust_region.h)
 *
 * b = G M^-1 f - gamma. Each record takes frames, rows and forces that the workspace holds and leaves a and lambda.
 * Redundant rows are known from the start and dropped. Only accelerations are softened: the monitor over the pivots,
 * post-stabilisation and projections have the exact S with every method, so that the motion stays on its constraints
 * and its branch and every passage is logged. */
#ifndef CRD_DYNAMICS_REGULARISE_H
#define CRD_DYNAMICS_REGULARISE_H

#include "core/memory.h"
#include "dynamics/trust_region.h"
#include "linear/solver.h"
#include "model/model.h"

typedef struct CrdDynamics CrdDynamics;

/* What becomes of an evaluation so near a singular pose that its rows say nothing any more. */
typedef enum CrdInPose {
    CRD_IN_POSE_ACROSS = 0, /* accelerations across the pose (near_pose.h) */
    CRD_IN_POSE_SOFTENED,   /* as the softened rows have it; noted for the log */
    CRD_IN_POSE_REFUSED
} CrdInPose;

typedef struct CrdRegulariser {
    const char *name, *summary;
    bool drops;  /* dependent rows are left out of the factor instead of being refused */
    bool shifts; /* has a second factor, of S + eps I */
    bool dense;  /* works on dense matrices: model size is limited */
    CrdInPose in_pose;
    CardanStatus (*solve)(CrdDynamics *dynamics); /* a and lambda; the workspace holds rows, forces, the factor */
} CrdRegulariser;

typedef struct CrdRegularisation {
    const CrdRegulariser *method;
    double epsilon, radius;  /* of the method; 0: its default */
    double shift;            /* the epsilon used last */
    CrdSolver *shifted;      /* factor of S + eps I; NULL: the method has none */
    bool softened;           /* the last accelerations are those of softened rows */
    bool refined;            /* they were refined because of a small pivot; velocities_left is what that changed */
    double sound;            /* pivot down to which refining is known to change nothing; 0: not known (refining.h) */
    double *diagonal, *ones; /* (rows) of S, while it is shifted; of I */
    double unbound;          /* largest |M^-1 f|: what rounding of accelerations is measured by, too */
    CrdTrustRegion trust;
    double *rows_left;       /* (rows) residual of refinement */
    double *velocities_left; /* (nv) the same; what refinement changes of a */
} CrdRegularisation;

/* By CardanRegularise. */
const CrdRegulariser *crd_regulariser(CardanRegularise method);
CrdWord crd_regulariser_word(int method); /* no name after the last */

void crd_regularisation_layout(CrdRegularisation *regularisation, const CrdStructure *structure,
                               const CardanOptions *options, CrdArena *arena);

/* Makes the second factor, and refuses models too large for a dense method; once, after the layout. */
CardanStatus crd_regularisation_open(CrdDynamics *dynamics);
void crd_regularisation_close(CrdRegularisation *regularisation);

/* Factors S + shift diag(scale)^2, or S + shift diag(S) where scale is NULL, by the second factor; S is as before
 * afterwards. */
CardanStatus crd_factor_with_shift(CrdDynamics *dynamics, double shift, const double *scale);

/* lambda <- b = G M^-1 f - target, with M^-1 f left in a (of a relative model N f, M^-1 = N^T N). */
void crd_right_side(CrdDynamics *dynamics);

/* a <- a - (G M^-1)^T lambda, from what crd_right_side left. */
void crd_accelerate(CrdDynamics *dynamics);

/* left (nv) <- f - M a, what multipliers have to make; M^-1 (f - M a - G^T lambda), what they miss of it. */
void crd_left_of_motion(const CrdDynamics *dynamics, double *left);
void crd_left_of_balance(const CrdDynamics *dynamics, double *left);

/* lambda and a, exact while healthy and refined near a pose. */
CardanStatus crd_solve_refined(CrdDynamics *dynamics);

/* Do the multipliers of an element, those of the state that the workspace holds, differ from the exact ones because
 * rows were softened? */
bool crd_element_softened(CrdDynamics *dynamics, int element);

/* The same of all. */
void crd_softened_elements(CrdDynamics *dynamics, bool *element);

/* Were rows softened, in the last evaluation or since the last passage? */
bool crd_softens(const CrdDynamics *dynamics);

/* lambda and a of the plain solve, with the factor the workspace holds or a fresh one. */
CardanStatus crd_plain_solve(CrdDynamics *dynamics);

/* One step of refinement of a and lambda on the residuals of M a + G^T lambda = f, G a = gamma. It removes what the
 * squared condition of S costs: afterwards the error is that of an orthogonal factorisation of M^-1/2 G^T. */
CardanStatus crd_refine(CrdDynamics *dynamics);

#endif
