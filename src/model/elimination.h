/* The symbolic factorisation S = L D L^T by blocks, and the flat program that the block solver runs.
 *
 * A block is the rows of one element, or at most CRD_WIDEST of them: rows of an element have the same pattern, so wide
 * elements are cut without any loss. L is kept by block columns, panel by panel:
 *
 *     diagonal   width x width   column-major, lower triangle
 *     below      height x width  column-major, the rows of all later blocks that the column touches, stacked
 *
 * Column j is taken from S by its sources, then changed by every earlier column k with rows in block j:
 *
 *     X_j -= Z_k (Z_jk D_k)^T        Z_k: the rows of panel k from those of block j on
 *
 * Where these rows go in panel j is known beforehand: runs of consecutive rows of both panels, so no index is looked up
 * while factoring. Everything here belongs to the structure of a model and is constant after its creation. */
#ifndef CRD_MODEL_ELIMINATION_H
#define CRD_MODEL_ELIMINATION_H

#include "core/pool.h"
#include "core/status.h"

#include <stdbool.h>

enum { CRD_WIDEST = 6 }; /* rows of a weld: the widest block that kernels are written for */

/* One block column. Ranges end where those of the next panel begin; the array has one panel more at its end. */
typedef struct CrdPanel {
    int first;    /* its first row */
    int width;    /* its rows, 1 .. CRD_WIDEST */
    int height;   /* rows below the diagonal block */
    int diagonal; /* where the diagonal block starts in the factor; the panel below follows it */
    int block;    /* first of the blocks below */
    int span;     /* first span of its rows below */
    int source;   /* first of its parts of S below the diagonal block */
    int update;   /* first of the updates it gets */
    bool filled;  /* S has no zeros here: sources write all of the panel */
} CrdPanel;

/* A block below a diagonal one. */
typedef struct CrdBelow {
    int panel; /* whose rows */
    int at;    /* where they start among the rows below */
} CrdBelow;

/* Consecutive rows of the system in a panel. */
typedef struct CrdSpan {
    int row, count;
} CrdSpan;

/* A part of S: in CSC entry (column + l, c) of the upper triangle, l < columns, c < rows, is at slot
 *     slot + c above + c (c + 1) / 2 + l
 * and goes to row at + c of column `column` + l of the panel. */
typedef struct CrdSource {
    int slot, above;
    int block; /* whose rows */
    int at, rows;
    int column, columns;
} CrdSource;

/* A change by panel `panel`, whose rows `at` and following are those of the block that is changed. */
typedef struct CrdUpdate {
    int panel, at;
    int run; /* first of its runs; they end where those of the next update begin */
} CrdUpdate;

/* Rows of the changing panel that go to consecutive rows of the changed one. */
typedef struct CrdStretch {
    int from, to, count;
} CrdStretch;

typedef struct CrdElimination {
    int n;            /* rows of the system */
    int count;        /* panels */
    bool fits;        /* false: the factor needs more than 32-bit indices, and there is no program */
    int size;         /* numbers in the factor */
    double lnz;       /* entries of L, diagonal included */
    double flops;     /* sum of squared column counts: what CHOLMOD calls fl */
    CrdPanel *panels; /* count + 1 */
    CrdBelow *below;
    CrdSpan *spans;
    CrdSource *sources;
    CrdUpdate *updates; /* by changed panel; one more at the end */
    CrdStretch *runs;
    /* Branches of the elimination tree, which need nothing of each other, and the trunk, which needs them all. Small
     * systems are all trunk. Branch b has ranges[branches[b] .. branches[b + 1]). */
    int branch_count, trunk_count, reaching_count;
    int *branches;    /* branch_count + 1; NULL: there are none */
    CrdRange *ranges; /* of panels */
    CrdRange *trunk;  /* of panels */
    int *reaching;    /* panels of branches that have rows of the trunk, in order */
} CrdElimination;

/* Of n rows whose upper triangle of S has this pattern by columns (rows sorted, the diagonal last). block: first row of
 * each of `blocks` groups of rows that have the same pattern above them; NULL: groups are found. */
CardanStatus crd_elimination_create(int n, const int *start, const int *row, int blocks, const int *block,
                                    CrdElimination **out, CrdError *error);
void crd_elimination_free(CrdElimination *elimination);

/* Finds the branches (elimination_branches.c). */
CardanStatus crd_elimination_divide(CrdElimination *elimination, CrdError *error);

/* Rows of a panel in its own range of a branch end before this one. */
static inline int crd_range_row_end(const CrdElimination *elimination, const CrdRange *range) {
    return elimination->panels[range->end].first;
}

#endif
