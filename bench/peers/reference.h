/* Inside the references: see reference.c. */
#ifndef PEERS_REFERENCE_H
#define PEERS_REFERENCE_H

#include "problem.h"

typedef long double Real;

typedef struct Frame {
    Real x[3], r[9], v[3], w[3], a[3], alpha[3]; /* a, alpha: without u' */
} Frame;

typedef struct Reference {
    const Problem *problem;
    int n, positions, rows;   /* velocities; positions with quaternions; rows of the loops */
    int *position, *velocity; /* of each body's joint */
    Frame *frame;
    Real *jw, *jv;         /* bodies x n x 3 */
    int *column, *columns; /* of each body: which are not zero, and how many */
    Real *h, *f;           /* n x n, lower; n */
    Real *j, *g, *c;       /* rows x n; rows; rows */
    Real *hj, *s;          /* rows x n: L^-1 J^T; rows x rows */
    int *order, rank;      /* rows in the order of their pivots, and how many count */
    Real *lambda, *work;   /* rows; n */
} Reference;

/* The whole evaluation at positions y and velocities u, with H and S factored. */
void reference_evaluate(Reference *ref, const Real *y, const Real *u);

/* dense.c */
void dense_factor(Reference *ref, Real drop);
/* x (n) with H x + J^T lambda = f, J x = c; f NULL: zero. */
void dense_solve(Reference *ref, const Real *f, const Real *c, Real *x);

/* closed.c: the problems of one freedom; false: it is none of them. Ends are bodies x 3, of accelerations one a body.
 */
bool closed_form(const Problem *problem, long steps, Real *ends, Real *accelerations);

/* extrapolate.c: one step of y' = slope(user, y), n numbers, in place; work is (COLUMNS + 4) n numbers. */
enum { COLUMNS = 8 };
typedef void (*Slope)(void *user, const Real *y, Real *dydt);
void extrapolate(Slope slope, void *user, int n, Real h, Real *y, Real *work);

#endif
