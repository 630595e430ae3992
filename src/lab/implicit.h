/* Systems as steppers see them, and Newton's method for one implicit stage.
 *
 *     z' = phi(t, w)        0 = psi(t, w)        w = (z, a): n differential, `algebraic` other unknowns
 * or, with a mass matrix,
 *     E(t) w' = F(t, w)     E may be singular
 * or, overdetermined, z' = phi(t, z) with more equations psi(t, z) = 0 than the ODE has room for. */
#ifndef CRD_LAB_IMPLICIT_H
#define CRD_LAB_IMPLICIT_H

#include "lab/dense.h"
#include "lab/problem.h"

typedef struct CrdLabSystem {
    int n, algebraic;
    int index;           /* 0: ODE; 1, 2, 3: index of the DAE */
    bool affine;         /* rates are affine in w */
    bool overdetermined; /* psi has no unknowns of its own */
    bool second_order;   /* w = (x, x') and nothing else */
    bool both_levels;    /* w = (x, x', y, mu) and psi = (g, g') */
    const void *user;
    /* out: phi (n), then psi (algebraic). */
    CardanStatus (*rates)(const void *user, double t, const double *w, double *out, CrdLabDesk *desk);
    /* E (n x n); NULL: the semi-explicit form. */
    CardanStatus (*mass)(const void *user, double t, double *e);
} CrdLabSystem;

static inline int crd_lab_unknowns(const CrdLabSystem *system) {
    return system->n + (system->overdetermined ? 0 : system->algebraic);
}

/* One stage:  z = base + h phi(t, w), 0 = psi(t, w);  with a mass matrix E (w - base) = h F(t, w). Overdetermined: the
 * least |z - base - h phi| under psi = 0 (AP93, 3.4). */
typedef struct CrdLabStage {
    const CrdLabSystem *system;
    double t, h;
    const double *base; /* (n) */
    CrdLabPlace place;
} CrdLabStage;

/* Solves for w, which arrives as a guess. */
CardanStatus crd_lab_newton(const CrdLabStage *stage, double *w);

/* Jacobian ((n + algebraic) x unknowns) of the rates by central differences; exact but for rounding when affine. */
CardanStatus crd_lab_differentiate(const CrdLabSystem *system, double t, const double *w, double *jacobian,
                                   CrdLabDesk *desk);

/* Few unknowns of any function: what a (m) leaves of m equations. */
typedef struct CrdLabRoot {
    int m;
    CardanStatus (*left)(void *user, const double *a, double *left);
    void *user;
    CrdLabPlace place;
} CrdLabRoot;

/* Newton's method with central differences; a arrives as a guess. */
CardanStatus crd_lab_find_root(const CrdLabRoot *root, double *a);

#endif
