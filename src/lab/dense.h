/* The linear algebra of linear/dense.h on row-major matrices, in room from a workspace, with sentences. */
#ifndef CRD_LAB_DENSE_H
#define CRD_LAB_DENSE_H

#include "lab/workspace.h"
#include "linear/dense.h"

/* Who asks and when, for the sentence of a failure. */
typedef struct CrdLabPlace {
    const char *what; /* "step matrix of backward_euler" */
    double t;
    CrdLabWorkspace *workspace;
} CrdLabPlace;

/* b (n x columns) <- a^-1 b. */
CardanStatus crd_lab_solve(CrdLabPlace place, int n, int columns, const double *a, double *b);

#endif
