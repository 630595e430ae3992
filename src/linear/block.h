/* The block solver inside: its factor (block.c) and the sweeps through it (block_sweep.c). */
#ifndef CRD_LINEAR_BLOCK_H
#define CRD_LINEAR_BLOCK_H

#include "linear/solver.h"

/* What the factorisation of a branch leaves beside the factor. */
typedef struct CrdBlockBranch {
    CrdPivot pivot;
    bool good; /* none was refused */
} CrdBlockBranch;

typedef struct CrdBlockSolver {
    CrdSolver base;
    const CrdElimination *e;
    CrdElimination *owned;    /* where the pattern brought none; NULL: the model's */
    double *x;                /* (e->size) panels: S, then L; filled by factor */
    double *d, *inverse;      /* (n x 1) D and 1 / D; filled by factor */
    bool factored;            /* a solve may follow */
    CrdBlockBranch *branches; /* (e->branch_count) */
} CrdBlockSolver;

CardanStatus crd_block_solve(CrdSolver *solver, double *r);
CardanStatus crd_block_solve_twice(CrdSolver *solver, double *r);

#endif
