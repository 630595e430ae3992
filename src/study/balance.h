/* Balance: M a = 0 with constraints,
 *
 *     G^T lambda - f(q) = 0        r(q, z) = 0        g(q) = 0          at v = 0
 *
 * by pseudo-time steps (C. T. Kelley, D. E. Keyes, SIAM J. Numer. Anal. 35 (1998) 508-523),
 *
 *     [ K + mu M   .    G^T  ] [ x      ]     [ G^T lambda - f ]
 *     [ -r_q     -r_z        ] [ dz     ] = - [ -r             ]      K = (G^T lambda - f)_q N, exact and sparse
 *     [ G               -eps ] [ dlambda]     [ g              ]
 *
 * With mu large they follow the fall of the potential on the constraints, so that they end where it is least; mu falls
 * with the forces that are not balanced, and what is left is Newton's method.
 *
 * A step leaves rows open by the square of its length, and the next one closes them, so that no pose has to be put on
 * the constraints: what falls then is not the potential V but V + lambda^T g, which is that of the closed pose near by
 * but for the square of what is open.
 *
 * A steady motion (study/steady.h) is a balance of the same kind with v(q) and M a(q) in it, V - T in place of V, and
 * rows that keep the given coordinates where they are. */
#ifndef CRD_STUDY_BALANCE_H
#define CRD_STUDY_BALANCE_H

#include "study/steady.h"

typedef struct CrdBalance {
    CardanStudy *study;
    CrdJacobian jacobian;
    CrdArena arena;
    CrdSparse sparse;
    CrdClosing closing; /* puts poses on the constraints */
    bool moves;         /* a steady motion is looked for */
    CrdSteady steady;   /* then */
    int nq, nv, nz, rows;
    int dx, twist, z,
        lambda;       /* where their unknowns start; those of q at 0. twist: velocities, which follow the pose */
    int pin, pins;    /* what keeps given coordinates, after lambda */
    double *zero;     /* (nv) */
    double *residual; /* (nv) G^T lambda - f */
    double *trial;    /* (n + rows + pins) a state and its multipliers */
    double *against;  /* (nv) -v: takes velocities out of q' = N (v + x) */
    double forces;    /* largest force that acts, N or N m: what the residual is measured by */
    double left;      /* out: largest residual, against it; and what is open, in lengths of the mechanism */
    int iterations;   /* out */
} CrdBalance;

CardanStatus crd_balance_open(CrdBalance *balance, CardanStudy *study);
void crd_balance_close(CrdBalance *balance);

/* How: down the potential, rows closing as forces are balanced; the same with every pose put on the constraints; with
 * mu that falls as the forces do, whatever the potential; by Newton's steps alone. */
typedef enum CrdBalanceWay {
    CRD_BALANCE_LOOSE = 0,
    CRD_BALANCE_RELAX,
    CRD_BALANCE_BLIND,
    CRD_BALANCE_NEWTON
} CrdBalanceWay;

/* From the state of the study. *converged: it is in balance. */
CardanStatus crd_balance_find(CrdBalance *balance, CrdBalanceWay way, bool *converged);

/* The matrix at the state, without mu: for stability. */
CardanStatus crd_balance_matrix(CrdBalance *balance, double mu);

/* stability.c: eigenvalues of the reduced Hessian at the state. inertia.c: of larger models, with the matrix at the
 * state; CARDAN_ERR_NUMERIC: pivots do not tell. */
CardanStatus crd_balance_judge(CrdBalance *balance, CardanEquilibrium *out);
CardanStatus crd_balance_judge_sparse(CrdBalance *balance, CardanEquilibrium *out);

#endif
