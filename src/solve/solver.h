/* Multipliers: S lambda = r with S = G M^-1 G^T, behind one table of operations.
 *
 * Rows are numbered as the model eliminates them, so S arrives permuted and every back end works in natural order.
 * Create once per simulation, then factor and solve without allocation. */
#ifndef CRD_SOLVE_SOLVER_H
#define CRD_SOLVE_SOLVER_H

#include "cardan/options.h"
#include "core/status.h"

/* Upper triangle of S by columns (CSC), rows sorted; the diagonal entry is the last of each column. */
typedef struct CrdPattern {
    int n;            /* rows of the system */
    const int *start; /* n + 1 */
    const int *row;   /* start[n] */
} CrdPattern;

/* What a back end may ask for when it factors. */
typedef struct CrdMatrix {
    const double *s; /* start[n] values of S */
    int velocities;  /* order of M */
    /* Writes M (velocities x velocities, both triangles) into the upper left and G into the lower left corner of the
     * zeroed column-major saddle matrix k of order velocities + n. Only the saddle reference calls it. */
    void (*fill_saddle)(const void *user, double *k, int order);
    const void *user;
} CrdMatrix;

/* The smallest pivot of the last factorisation against the diagonal entry of S it came from. */
typedef struct CrdPivot {
    double ratio; /* 1: perfectly conditioned; <= 0 or NaN: not positive definite */
    int row;
    int dropped;  /* rows left out because they depend on others */
} CrdPivot;

typedef struct CrdSolver CrdSolver;

typedef struct CrdSolverOps {
    const char *name;
    CardanStatus (*create)(const CrdPattern *pattern, int velocities, CrdSolver **out, CrdError *error);
    /* CARDAN_ERR_NUMERIC when S is not safely positive definite (pivot tells where); no solve may follow then. */
    CardanStatus (*factor)(CrdSolver *solver, const CrdMatrix *matrix, CrdPivot *pivot);
    /* r becomes lambda; r is n long. */
    CardanStatus (*solve)(CrdSolver *solver, double *r);
    void (*destroy)(CrdSolver *solver);
} CrdSolverOps;

/* Every back end embeds this first. */
struct CrdSolver {
    const CrdSolverOps *ops;
    CrdPattern pattern;
    double drop; /* > 0: rows with a pivot ratio up to this are left out; 0: they are refused */
};

extern const CrdSolverOps crd_solver_dense;
extern const CrdSolverOps crd_solver_cholmod;
extern const CrdSolverOps crd_solver_saddle;

/* The operations a choice stands for; AUTO is decided by the number of rows. *chosen tells which. */
const CrdSolverOps *crd_solver_choose(CardanSolver choice, const CrdPattern *pattern, CardanSolver *chosen);

#endif
