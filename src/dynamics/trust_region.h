/* The trust region: a bound on multipliers.
 *
 * With the rows scaled by D = diag(S)^-1/2, S~ = D S D, mu = D^-1 lambda, b~ = D b (RANK_AND_BRANCH 2):
 *     mu = S~^-1 b~, exactly as `auto` has it, where |mu| <= R or w >= 0.1
 *     else (S~ S~ + eps I) mu = S~ b~ with |mu| = R                          (Petzold, Ren, Maly 1997)
 * R is the radius given or 1000 times the largest |mu| in accepted states with w >= 0.3. eps is found from the secular
 * equation by Newton's method on 1/R - 1/|mu|, which is nearly linear in eps (More 1978):
 *     eps <- eps + |mu|^2 / (mu' (S~ S~ + eps I)^-1 mu) (|mu| - R) / R
 * With an epsilon given, as the paper has it: (S S + eps I) lambda = S b, rows as they are, in every evaluation.
 *
 * S~ S~ is never formed: conjugate gradients, preconditioned by the factor of S~ + sqrt(eps) I applied twice. That has
 * the pattern of S, and
 *     1/2 <= (s^2 + eps) / (s + sqrt(eps))^2 <= 1
 * for every eigenvalue s >= 0, so a digit takes 1.3 iterations at most, however near the pose. */
#ifndef CRD_DYNAMICS_TRUST_REGION_H
#define CRD_DYNAMICS_TRUST_REGION_H

#include "core/memory.h"
#include "core/status.h"
#include "model/model.h"

typedef struct CrdDynamics CrdDynamics;

typedef struct CrdTrustRegion {
    double healthy;                                /* largest |mu| in accepted states with w >= 0.3 */
    long softened;                                 /* evaluations in which rows were softened since the last passage */
    double epsilon_max;                            /* the largest eps of them */
    double radius;                                 /* R of the last of them */
    double gave_way;                               /* largest |S~ mu - b~| of them: accelerations in the mass metric */
    double *scale;                                 /* (rows) 1 / D */
    double *b, *mu;                                /* (rows) b~, mu */
    double *right, *x, *r, *z, *p, *image, *spare; /* (rows) of the iteration */
} CrdTrustRegion;

void crd_trust_region_layout(CrdTrustRegion *trust, int rows, CrdArena *arena);

/* a and lambda of a method that bounds multipliers. */
CardanStatus crd_solve_trust_region(CrdDynamics *dynamics);

/* After acceptance of the state that the workspace holds: what is healthy. */
void crd_trust_region_accept(CrdDynamics *dynamics);

/* Notes an evaluation near a pose with softened rows: what the log says of a passage. */
void crd_trust_region_note(CrdDynamics *dynamics, double eps, double gave_way);

/* A passage is over: what was softened begins anew. */
void crd_trust_region_clear(CrdTrustRegion *trust);

#endif
