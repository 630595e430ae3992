/* Explicit Runge-Kutta methods as constant data.
 *
 *     Y_i   = y + h sum_{j<i} a_ij k_j        k_i = f(t + c_i h, Y_i)        i = 0 .. s-1, s = stages
 *     y_new = Y_s                             the weights b are row s of a, and c_s = 1
 *     k_s   = f(t + h, y_new)                 the end slope: first slope of the next step
 *     k_i, i > s                              extra slopes that only the dense output wants
 *
 * Counting the end point as one more stage makes first-same-as-last methods no special case. */
#ifndef CRD_INTEGRATE_METHODS_TABLEAU_H
#define CRD_INTEGRATE_METHODS_TABLEAU_H

#include <stdbool.h>

enum {
    CRD_TABLEAUX = 7,           /* methods in crd_tableaux */
    CRD_TABLEAU_SLOPES_MAX = 16 /* most slopes of a method, extra ones included */
};

typedef struct CrdTableau {
    const char *name;
    int order;           /* global error of y_new ~ h^order */
    int stages;          /* s: slopes that y_new is made of */
    int extra;           /* slopes after k_s, for the dense output */
    bool fsal;           /* the error estimate wants k_s, so an attempt with estimate evaluates it */
    const double *a;     /* rows 1 .. s + extra one after the other, row i of i numbers */
    const double *c;     /* (s + 1 + extra) */
    int error_rows;      /* 0: no estimate; 1: error = h e.k; 2: two estimates combined (see crd_rk_error_norm) */
    const double *error; /* (error_rows x (s + 1)) weights of the slopes */
    int error_order;     /* q: the error norm of one step ~ h^q; the controller takes 1/q */
    double beta;         /* weight of the last error in the step size controller, 0 = none */
    int dense_rows;      /* terms of the continuous extension beyond the cubic of Hermite */
    const double *dense; /* (dense_rows x (s + 1 + extra)) weights of the slopes */
    int dense_order;     /* error of the continuous extension within one step ~ h^(dense_order + 1) */

    /* Another, of lower order, that does without the extra slopes. */
    int sparing_rows;      /* 0: there is none */
    const double *sparing; /* (sparing_rows x (s + 1)) */
    const double *rest;    /* (s + 1) a combination of the slopes ~ h^(sparing_order + 1): how large its error may be */
    int sparing_order;
} CrdTableau;

/* euler, midpoint, heun, kutta3, rk4, dopri5, dop853. */
extern const CrdTableau crd_tableaux[CRD_TABLEAUX];

/* NULL when there is no explicit Runge-Kutta method of this name. */
const CrdTableau *crd_tableau_find(const char *name);

/* Row i >= 1 of a: i numbers. */
static inline const double *crd_tableau_row(const CrdTableau *method, int i) {
    return method->a + i * (i - 1) / 2;
}

/* All slopes of a method: s stages, the end slope, the extra ones. */
static inline int crd_tableau_slopes(const CrdTableau *method) {
    return method->stages + 1 + method->extra;
}

#endif
