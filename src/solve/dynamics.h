/* The equations of motion of one simulation: workspace, solver, and what they are good for.
 *
 *     measure   frames and rows at (t, q, v): g, G v + g_t, gamma
 *     factor    S = G M^-1 G^T here, factored
 *     motion    S lambda = G M^-1 f - gamma,   a = M^-1 (f - G^T lambda)
 *
 * With Baumgarte's gains gamma is replaced by gamma - alpha (G v + g_t) - beta g. */
#ifndef CRD_SOLVE_DYNAMICS_H
#define CRD_SOLVE_DYNAMICS_H

#include "assembly/system.h"
#include "solve/solver.h"

typedef struct CrdDynamics {
    const CardanModel *model;
    CrdSystem system;
    CrdSolver *solver;
    CardanSolver solver_kind;
    CrdActions actions;
    CardanMetric metric; /* of the last factorisation */
    double alpha, beta; /* 1/s, 1/s^2: Baumgarte's gains; 0: none */

    double *lambda; /* (rows) N or N m; by crd_motion */
    double *a;      /* (nv) m/s^2, rad/s^2; by crd_motion */

    double pivot_min;  /* smallest pivot ratio so far */
    double pivot_last; /* of the last factorisation */
    long measures, rhs, factorisations, solves;
    CrdError *error;  /* where sentences go */
} CrdDynamics;

/* Takes the workspace from an arena; called twice, measuring and real. */
void crd_dynamics_layout(CrdDynamics *dynamics, const CardanModel *model, CrdArena *arena);

/* Makes the solver; to be called once after the layout. */
CardanStatus crd_dynamics_open(CrdDynamics *dynamics, CardanSolver choice);
void crd_dynamics_close(CrdDynamics *dynamics);

CardanStatus crd_measure(CrdDynamics *dynamics, double t, const double *q, const double *v);

/* Factors S in this metric at what was measured last. CARDAN_ERR_NUMERIC names the joint whose rows are dependent. */
CardanStatus crd_factor(CrdDynamics *dynamics, CardanMetric metric);

/* r becomes S^-1 r with the last factor. */
CardanStatus crd_solve_rows(CrdDynamics *dynamics, double *r);

/* Accelerations and multipliers at what was measured last. */
CardanStatus crd_motion(CrdDynamics *dynamics, const double *q, const double *v);

/* Largest |g| and |G v + g_t| of what was measured last. */
double crd_worst(const double *rows, int n);

/* The numbers of the last pivot that failed. */
CardanStatus crd_fail_dependent(CrdDynamics *dynamics, CrdPivot pivot);

#endif
