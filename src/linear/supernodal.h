/* Supernodes of the supernodal solver and where their numbers go: made once from the elimination of S. */
#ifndef CRD_LINEAR_SUPERNODAL_H
#define CRD_LINEAR_SUPERNODAL_H

#include "linear/solver.h"

#include <stddef.h>

/* A supernode: panels `panel` .. of the elimination as one dense panel, leading dimension width + height. */
typedef struct CrdSuperNode {
    int panel;        /* its first; ends where the next node begins */
    int first, width; /* rows */
    int height;       /* rows below, those of its last panel */
    int block;        /* the blocks below are below[block .. end) of the elimination */
    int end;
    int part, change; /* first of its parts of S and of the changes it gets; the next node's end them */
    size_t x;         /* where it starts in the factor */
} CrdSuperNode;

/* A part of S as in CrdSource, and where it goes. */
typedef struct CrdSuperPart {
    int slot, above, rows, columns;
    size_t to;
} CrdSuperPart;

/* Supernode `node` changes another one, whose columns are the rows of its blocks from .. until. */
typedef struct CrdSuperChange {
    int node, from, until;
} CrdSuperChange;

/* Consecutive rows of a change that go to consecutive rows. */
typedef struct CrdSuperStretch {
    int from, to, count;
} CrdSuperStretch;

/* What one thread works in: a branch has its own, and each slice of a large node of the trunk. */
typedef struct CrdSuperRoom {
    double *c;                  /* product of one change */
    int *place;                 /* (e->count) where a block's rows are in the node at hand */
    CrdSuperStretch *stretches; /* of one change */
    double *r;                  /* rows below one supernode, in the sweeps */
    double *far;                /* of a branch: what its sweep adds to rows of the trunk */
    CrdPivot pivot;             /* of a branch */
    bool good;                  /* none of it was refused */
} CrdSuperRoom;

/* Rows of a node of the trunk that one thread takes at a time. */
enum { CRD_SUPER_SLICE = 128 };

typedef struct CrdSuper {
    CrdSolver base;
    const CrdElimination *e;
    CrdElimination *owned; /* where the pattern brought none; NULL: the model's */
    int count;
    CrdSuperNode *nodes; /* count + 1 */
    int *node_of;        /* (e->count) */
    CrdSuperPart *parts;
    CrdSuperChange *changes;
    CrdRange *ranges; /* nodes of each range of a branch of the elimination */
    bool *is_trunk;   /* (count) */
    int *far_at;      /* (e->count) where the rows of a panel of the trunk are in `far`; -1: of a branch */
    int far_count;
    CrdSuperRoom *rooms; /* of each branch; then of each slice of the trunk, at least one */
    double *x;           /* panels: S, then L; filled by factor */
    double *s;           /* (n) diagonal of S */
    bool factored;
} CrdSuper;

/* Supernodes, parts of S, changes and room, of the pattern in super->base. */
CardanStatus crd_super_open(CrdSuper *super, CrdError *error);

/* Where each block's rows are in supernode t. */
void crd_super_place(const CrdSuper *super, int t, int *place);

/* Slices that the rows of a node are taken in: one, but for large nodes of the trunk. */
int crd_super_slices(const CrdSuper *super, int t);

/* Threads for branches and slices: where OpenBLAS has threads of its own these would wait for each other (two of each
 * take twice the time of one), and the products are left to them. */
CrdPool *crd_super_pool(const CrdSuper *super);

/* Sweeps through the factor (supernodal_sweep.c). */
CardanStatus crd_super_solve(CrdSolver *solver, double *r);

/* Size of the product of a change. */
int crd_super_rows(const CrdSuper *super, const CrdSuperChange *change);
int crd_super_columns(const CrdSuper *super, const CrdSuperChange *change);

#endif
