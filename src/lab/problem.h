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

#include "cardan/lab.h"
#include "lab/workspace.h"

/* Everything a problem says at one place; arrives zeroed. gradient is L, bias is L v + G_t v + g_tt. */
typedef CardanLabTerms CrdLabTerms;

enum { CRD_LAB_SIZE = 2048 }; /* most coordinates: squares of a state's size stay far below the range of int */

typedef struct CrdLabProblem {
    const char *name;
    int order;        /* 0, 1 or 2, see above */
    int n, rows;      /* of x, of g */
    bool affine;      /* f and g are affine in (x, v), B and G depend on t alone */
    const void *data; /* handed to terms */
    /* v is NULL unless the order is 2. A status < 0 ends the computation. */
    CardanStatus (*terms)(const void *data, double t, const double *x, const double *v, CrdLabTerms *terms);
    CardanStatus (*energy)(const void *data, double t, const double *z, double *energy); /* NULL: none is known */
    /* The state at t is where a run begins or a step was accepted: numbers with memory are followed. NULL: none. */
    CardanStatus (*accept)(const void *data, double t, const double *z);
    const CrdError *said; /* why terms failed, in their own words; NULL: they have none */
    int velocities;       /* order 0: where the part of the state begins that counts as velocities; 0: in the middle */
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

static inline CardanStatus crd_lab_accept(const CrdLabProblem *problem, double t, const double *z) {
    return problem->accept != NULL ? problem->accept(problem->data, t, z) : CARDAN_OK;
}

/* CARDAN_ERR_LIMIT when it is too large for the laboratory, CARDAN_ERR_ARGUMENT when it makes no sense. */
CardanStatus crd_lab_check_problem(const CrdLabProblem *problem, CrdError *error);

/* The terms at the state z, in room from the workspace. */
CardanStatus crd_lab_terms(const CrdLabProblem *problem, double t, const double *z, CrdLabWorkspace *workspace,
                           CrdLabTerms *terms);

/* h (invariants), and H (invariants x state) unless NULL, from the terms at z. */
void crd_lab_invariant(const CrdLabProblem *problem, const double *z, const CrdLabTerms *terms, double *h,
                       double *jacobian);

#endif
