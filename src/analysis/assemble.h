/* Bringing a pose to its constraints by Newton's method: least moves in the metric of M.
 *
 *     q <- q + N dx,   G dx = -g,   dx^T M dx least
 *
 * With a spectrum dx comes from truncated singular values, so that redundant rows, singular poses and far guesses do no
 * harm; without one it comes from the sparse factor of S, for models of any size with independent rows. */
#ifndef CRD_ANALYSIS_ASSEMBLE_H
#define CRD_ANALYSIS_ASSEMBLE_H

#include "dynamics/dynamics.h"
#include "linear/spectrum.h"

typedef struct CrdAssembly {
    CrdDynamics *dynamics;
    CrdSpectrum *spectrum; /* NULL: by the sparse factor */
    const bool *held;      /* by block: bodies that stay where they are; NULL: none */
    bool far;              /* the guess may be far off: truncation falls from coarse to fine, steps are bounded */
    double enough;         /* m; what may be left; 0: as little as rounding leaves */
    double left;           /* out: m; the largest |g| that is left, a radian counting as the mechanism's size */
    int iterations;        /* out */
} CrdAssembly;

/* Moves q to the best pose found and measures it with v. A residual that is left is no failure: see `left`. */
CardanStatus crd_assemble(CrdAssembly *assembly, double t, double *q, const double *v);

/* `left` of the rows in the workspace. */
double crd_left(const CrdDynamics *dynamics);

/* Which coordinate blocks are bodies that the description holds in place (held: by block); any at all? */
bool crd_find_held(const CardanModel *model, bool *held);

#endif
