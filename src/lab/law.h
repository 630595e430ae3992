/* Which ODE a problem is turned into: the law that gives the multipliers y.
 *
 *     (G B) y = r      r = G f + g^(m) - G x^(m) + sum_{j<m} damping_j g^(j)
 *
 * With damping 0 it is direct index reduction; with damping that of (tau + gamma)^m, or any other, Baumgarte's
 * (ACR92, 1.4 to 1.6). A regulariser replaces the inverse of S = G B:
 *     none    y = S^-1 r                                  fails where S is singular
 *     direct  y = (S + eps I)^-1 r                        (PRM97, 2.12 and 4.8)
 *     trust   y = (S^T S + eps I)^-1 S^T r                (PRM97, 2.10 and 4.6)
 * first_derivatives leaves out L v + G_t v + g_tt, as the index-3 forms of PRM97 (4.4 to 4.8) do. Orders 0
 * have no multipliers: z' = f. */
#ifndef CRD_LAB_LAW_H
#define CRD_LAB_LAW_H

#include "lab/dense.h"
#include "lab/problem.h"

typedef struct CrdLabRegulariser {
    const char *name;
    /* y (n) from s (n x n, overwritten) and r (n). */
    CardanStatus (*solve)(CrdLabPlace place, int n, double eps, double *s, const double *r, double *y);
} CrdLabRegulariser;

extern const CrdLabRegulariser crd_lab_regular, crd_lab_direct, crd_lab_trust;

typedef struct CrdLabLaw {
    double damping[2]; /* of g, of g' (order 2); 1/s^(m - j) */
    bool inverse_step; /* damping from gamma = 1/h instead */
    bool first_derivatives;
    const CrdLabRegulariser *regulariser; /* NULL: none */
    double eps;
} CrdLabLaw;

/* The damping of (tau + gamma)^order. */
void crd_lab_damp(CrdLabLaw *law, int order, double gamma);

/* z' (state) at z, and y (rows) unless NULL. terms are those at z. */
CardanStatus crd_lab_rates(const CrdLabProblem *problem, const CrdLabLaw *law, double t, const double *z,
                           const CrdLabTerms *terms, double *rates, double *y, CrdLabWorkspace *workspace);

#endif
