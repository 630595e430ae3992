/* What is done about rows that are, or nearly are, dependent. One record per method; `auto` is in singular.c.
 *
 *     none           the plain solve; dependent rows are refused
 *     auto           exact while healthy; near a singular pose the most exact remedy the situation allows (singular.h)
 *     qr             a rank-revealing solve every time
 *     direct         (S + eps I) lambda = b
 *     proximal       lambda <- lambda + (S + eps I)^-1 (b - S lambda), until it stands still
 *     trust_region   least |S lambda - b| with |lambda| bounded: (S S + eps I) lambda = S b, eps given or found from the
 *                    radius by the secular equation (Petzold, Ren, Maly 1997)
 *
 * b = G M^-1 f - gamma. Each record takes frames, rows and forces as they were measured last and leaves a and lambda. */
#ifndef CRD_SOLVE_REGULARISE_H
#define CRD_SOLVE_REGULARISE_H

#include "solve/dynamics.h"

struct CrdRegulariser {
    const char *name;
    bool drops;    /* dependent rows are left out of the factor instead of being refused */
    bool shifts;   /* S is made regular by eps I */
    bool dense;    /* works on dense matrices: model size is limited */
    bool watches;  /* follows the closeness to singular poses */
    CardanStatus (*motion)(CrdDynamics *dynamics, const double *q, const double *v);
};

/* By CardanRegularise. */
const CrdRegulariser *crd_regulariser(CardanRegularise method);

/* S <- S + eps I in the workspace. */
void crd_shift(CrdDynamics *dynamics);

/* lambda and a of the plain solve, with the factor at hand or a fresh one. */
CardanStatus crd_plain_solve(CrdDynamics *dynamics);

/* One step of refinement of a and lambda on the residuals of M a + G^T lambda = f, G a = gamma. It removes what the
 * squared condition of S costs: afterwards the error is that of an orthogonal factorisation of M^-1/2 G^T. */
CardanStatus crd_refine(CrdDynamics *dynamics);

#endif
