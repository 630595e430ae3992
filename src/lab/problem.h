/* What the laboratory works on: small dense problems given by one callback.
 *
 *     order 1, 2:  x^(m) = f(x, x', t) - B(x, t) y        0 = g(x, t)        m = order, y: multipliers
 *     order 0:     z' = f(z, t)                           0 = h(z, t)        an ODE and its invariants, h stands for g
 *
 * G = g_x, and B has nothing to do with G. Seen as an ODE with invariants, a problem of order m has the state and the
 * invariants
 *     z = x               h = g                      H = G                  (orders 0 and 1)
 *     z = (x, v)          h = (g, G v + g_t)         H = [G 0; L G]         (order 2, L = (G v + g_t)_x)
 * (ACR92, equations 1.1, 1.9 to 1.11, and section 4; docs/PAPERS.md lists the papers). Matrices are dense and
 * row-major. */
#ifndef CRD_LAB_PROBLEM_H
#define CRD_LAB_PROBLEM_H

#include <stdbool.h>

#include "core/status.h"

enum {
    CRD_LAB_SIZE = 12,                   /* most coordinates and most rows of a problem */
    CRD_LAB_STATE = 2 * CRD_LAB_SIZE,    /* most numbers of a state, most invariants */
    CRD_LAB_UNKNOWNS = 3 * CRD_LAB_STATE /* most unknowns of a step: three stages, or a state and its multipliers */
};

/* Everything a problem says at one place; arrives zeroed. */
typedef struct CrdLabTerms {
    double f[CRD_LAB_SIZE];                       /* (n) */
    double b[CRD_LAB_SIZE * CRD_LAB_SIZE];        /* B (n x rows); orders 1 and 2 */
    double g[CRD_LAB_SIZE];                       /* (rows) */
    double jacobian[CRD_LAB_SIZE * CRD_LAB_SIZE]; /* G (rows x n) */
    double rate[CRD_LAB_SIZE];                    /* g_t (rows); orders 1 and 2 */
    double bias[CRD_LAB_SIZE];                    /* (rows) g'' - G x'' = L v + G_t v + g_tt; order 2 */
    double gradient[CRD_LAB_SIZE * CRD_LAB_SIZE]; /* L (rows x n); order 2 */
} CrdLabTerms;

typedef struct CrdLabProblem {
    const char *name;
    int order;        /* 0, 1 or 2, see above */
    int n, rows;      /* of x, of g */
    bool affine;      /* f and g are affine in (x, v), B and G depend on t alone */
    const void *data; /* handed to terms */
    /* v is NULL unless the order is 2. A status < 0 ends the computation. */
    CardanStatus (*terms)(const void *data, double t, const double *x, const double *v, CrdLabTerms *terms);
} CrdLabProblem;

static inline int crd_lab_levels(const CrdLabProblem *problem) {
    return problem->order == 2 ? 2 : 1;
}
/* Numbers of z. */
static inline int crd_lab_state(const CrdLabProblem *problem) {
    return problem->n * crd_lab_levels(problem);
}
/* Numbers of h. */
static inline int crd_lab_invariants(const CrdLabProblem *problem) {
    return problem->rows * crd_lab_levels(problem);
}

/* CARDAN_ERR_LIMIT when it is too large for the laboratory, CARDAN_ERR_ARGUMENT when it makes no sense. */
CardanStatus crd_lab_check_problem(const CrdLabProblem *problem, CrdError *error);

/* The terms at the state z. */
CardanStatus crd_lab_terms(const CrdLabProblem *problem, double t, const double *z, CrdLabTerms *terms);

/* h (invariants), and H (invariants x state) unless NULL, from the terms at z. */
void crd_lab_invariant(const CrdLabProblem *problem, const double *z, const CrdLabTerms *terms, double *h,
                       double *jacobian);

#endif
