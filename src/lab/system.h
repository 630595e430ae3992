/* Systems as a formulation makes them of a problem, for a stepper (stepping.h).
 *
 *     z' = phi(t, w)        0 = psi(t, w)        w = (z, a): n differential, `algebraic` other unknowns
 * or, with a mass matrix,
 *     E(t) w' = F(t, w)     E may be singular
 * or, overdetermined, z' = phi(t, z) with more equations psi(t, z) = 0 than the ODE has room for. */
#ifndef CRD_LAB_SYSTEM_H
#define CRD_LAB_SYSTEM_H

#include "lab/dense.h"
#include "lab/problem.h"

typedef struct CrdLabSystem {
    int n, algebraic;
    int index;           /* 0: ODE; 1, 2, 3: index of the DAE */
    bool affine;         /* rates are affine in w */
    bool overdetermined; /* psi has no unknowns of its own */
    bool second_order;   /* w = (x, x') and nothing else; user is a CrdLabSetting */
    bool both_levels;    /* w = (x, x', y, mu) and psi = (g, g'); user is a CrdLabSetting */
    const void *user;
    /* out: phi (n), then psi (algebraic). */
    CardanStatus (*rates)(const void *user, double t, const double *w, double *out, CrdLabWorkspace *workspace);
    /* E (n x n), arrives zeroed; NULL: the semi-explicit form. */
    CardanStatus (*mass)(const void *user, double t, double *e);
} CrdLabSystem;

#endif
