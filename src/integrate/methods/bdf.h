/* bdf: backward differentiation formulas of orders 1 to 5, variable step and order, with a fixed leading coefficient
 * (Jackson and Sacks-Davis, ACM Trans. Math. Softw. 6, 1980; Brenan, Campbell, Petzold, Numerical Solution of
 * Initial-Value Problems in Differential-Algebraic Equations, 5.2).
 *
 * The states of the last steps, as they were accepted, are nodes. Their polynomial P of order k, drawn out to t + h, is
 * the guess, and the step is
 *
 *     gamma_k / h (y_new - P(t + h)) + P'(t + h) = slope(t + h, y_new) + D u          0 = residual(t + h, y_new)
 *
 * gamma_k = 1 + 1/2 + .. + 1/k. With c = h / gamma_k it is a step of backward Euler of size c from P - c P': whatever
 * solves that, with its kept derivatives and multipliers (implicit.h), solves this.
 *
 * Why nodes at their own times and not differences of equal steps: steps land on times and events, and a difference
 * over a short step, drawn out to a long one, is noise. And nodes are states: what the stabiliser puts on the
 * constraints is what is remembered, so the polynomial is that of a motion on them.
 *
 * For a smooth motion e = y_new - P(t + h) tells the error of the step (Milne's device): with psi_i the way from the
 * new time to the i-th node and s = h sum_{i<=k+1} 1/psi_i it is e (1 - gamma_k / s); on even grids
 * e / ((k + 1) gamma_(k+1)). */
#ifndef CRD_INTEGRATE_METHODS_BDF_H
#define CRD_INTEGRATE_METHODS_BDF_H

#include "integrate/methods/implicit.h"
#include "integrate/methods/method.h"

enum { CRD_BDF_ORDERS = 5, CRD_BDF_NODES = CRD_BDF_ORDERS + 1, CRD_BDF_ROWS = CRD_BDF_NODES + 2 };

/* History: order, steps of that order and one size, number of nodes (0: none), whether derivatives serve the next step,
 * how many they served and may serve, steps since that was learnt, how long ago the nodes were (s), the states there,
 * the newest first, and where derivatives were taken. */
enum {
    CRD_BDF_ORDER,
    CRD_BDF_EQUAL,
    CRD_BDF_KNOWN,
    CRD_BDF_KEEPS,
    CRD_BDF_SERVED,
    CRD_BDF_SERVE,
    CRD_BDF_LEARNT,
    CRD_BDF_AGES,
    CRD_BDF_VALUES = CRD_BDF_AGES + CRD_BDF_NODES
};
enum { CRD_BDF_MANY = 100 }; /* steps of one order that are counted */

typedef struct CrdBdf {
    CrdImplicit implicit;
    int order;                /* of the attempt */
    int next_order;           /* what its errors ask for */
    int failures;             /* of the error test in this step */
    bool same;                /* the next step is to have the same order and size */
    int known;                /* nodes, the present state included */
    int count;                /* of the polynomial; of a start the slope stands for a second node */
    double age[CRD_BDF_ROWS]; /* s; how long ago they were */
    double *difference;       /* (ROWS x n) divided differences of all nodes */
    double *fresh;            /* (ROWS x n) the same with the new state before them */
    double *guess, *slope;    /* (n) P and P' at the new time */
    double *base;             /* (n) P - c P' */
    double *error;            /* (n) of the attempt */

    /* inside the last step */
    bool pending;  /* the attempt is not accepted: the history is that of its start */
    bool starting; /* it was a start by extrapolation, without nodes enough */
    bool crumb;    /* its end took the place of its start among the nodes */
    int dense_count;
    double dense_age[CRD_BDF_ROWS];
    double *dense; /* (ROWS x n) */
} CrdBdf;

/* Highest order that is asked for. */
int crd_bdf_order_max(const CrdStepper *stepper);

static inline double crd_bdf_gamma(int order) {
    double sum = 0.0;
    for (int j = 1; j <= order; j++) sum += 1.0 / j;
    return sum;
}

/* Divided differences of nodes and new state, once an attempt of size h has succeeded. */
void crd_bdf_renew(CrdStepper *stepper, double h);

/* What an error counts for in its test, by the tolerance. */
double crd_bdf_strictness(const CrdStepper *stepper);

/* The error of the attempt, and its norm. */
void crd_bdf_estimate(CrdStepper *stepper, double h);
double crd_bdf_error(const CrdStepper *stepper, double h, const double *weight);

/* Order and size to try next after an attempt with this norm. */
double crd_bdf_resize(CrdStepper *stepper, double norm, double h, bool accepted);

/* A step of full order without nodes, for fixed steps: y_new by extrapolation of backward Euler. */
CardanStatus crd_bdf_start(CrdStepper *stepper, double h);

#endif
