/* One sparse system of equations put together from rectangles (core/tiles.h), factored, and solved with refinement. */
#ifndef CRD_ANALYSIS_SPARSE_H
#define CRD_ANALYSIS_SPARSE_H

#include "core/tiles.h"
#include "linear/sparse_lu.h"

typedef struct CrdSparse {
    CrdTiles tiles;
    double *values;    /* (entries) */
    double *x;         /* (n) right side, then the solution */
    double *right, *r; /* (n) of refinement */
    CrdSparseLu *lu;
    double weakest; /* smallest pivot against the largest, rows and columns scaled */
} CrdSparse;

/* An open pattern of this order: the caller notes its rectangles, then calls crd_sparse_close_pattern. */
void crd_sparse_open(CrdSparse *sparse, int n);
CardanStatus crd_sparse_close_pattern(CrdSparse *sparse, CrdError *error);
void crd_sparse_free(CrdSparse *sparse);

/* Zero values, and the run over the rectangles begins. */
void crd_sparse_begin(CrdSparse *sparse);

/* CARDAN_ERR_NUMERIC without a sentence: singular to rounding. */
CardanStatus crd_sparse_factor(CrdSparse *sparse);

/* x <- A^-1 x, refined once with the residual of the matrix itself. */
CardanStatus crd_sparse_solve(CrdSparse *sparse);

#endif
