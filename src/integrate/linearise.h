/* The equations of a formulation (formulation.h), linearised for implicit methods: CrdStageMatrix of
 * methods/equations.h from the exact Jacobian (equations/jacobian.h).
 *
 * index1, with the accelerations' multipliers lambda as further unknowns, so that nothing is eliminated:
 *     q' - N v      M v' + G^T lambda - f      z' - r      G v' - gamma
 * ggl:
 *     q' - N (v + W G^T mu)      M v' + G^T lambda - f      z' - r      g      G v + g_t
 * projected, with a and lambda as further unknowns:
 *     q' - N (v + W G^T mu)      M (v' - a - W G^T tau)      z' - r      g      G v + g_t      M a + G^T lambda - f
 *     G a - gamma
 *
 * index 3, of generalised-alpha, p being CrdEquations.position_scale:
 *     p q' - N v      M v' + G^T lambda - f      z' - r      g, or A v + b
 *
 * gamma has Baumgarte's terms in it where there are any. Derivatives are exact where mu and tau are 0, as they are on
 * the constraints. A multiplier that is not held has the equation u = 0, a redundant row lambda = 0. */
#ifndef CRD_INTEGRATE_LINEARISE_H
#define CRD_INTEGRATE_LINEARISE_H

#include "equations/jacobian.h"
#include "integrate/methods/equations.h"

struct CrdForm;

typedef struct CrdLinearisation {
    struct CrdForm *form;
    CrdJacobian jacobian;
    CrdStageMatrix stage, ends;
    double *pieces[6]; /* (size_g) over_x and over_v of gamma, rates of rows, G a, G W, (G v)_q W */
    double *a;         /* (nv) accelerations at the point */
    double *lambda;    /* (rows) */
    double *added;     /* (nv) W G^T mu */
    double *slope;     /* (n) */
    double *y;         /* (n) the point */
    bool *dropped;     /* (rows) redundant rows that were left out there, */
    bool near_pose;    /* and whether a singular pose was near: then more than the point decides on the matrices */
    bool is_open;
} CrdLinearisation;

/* Unknowns of a stage. */
int crd_linearisation_size(const struct CrdForm *form);

/* Takes the room from an arena; called twice, measuring and real. */
void crd_linearisation_layout(CrdLinearisation *linearisation, struct CrdForm *form, int n, CrdArena *arena);

/* Makes patterns and factors; ends: an end or a start is projected; pairs: the method needs a complex factor. */
CardanStatus crd_linearisation_open(CrdLinearisation *linearisation, bool ends, bool pairs, CrdError *error);
void crd_linearisation_close(CrdLinearisation *linearisation);

#endif
