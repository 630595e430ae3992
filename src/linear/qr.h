/* A rank-revealing sparse QR of the row-scaled M^-1/2 G^T, for models too large for singular values (spectrum.h):
 *
 *     L^-1 G^T D = Q R        M = L L^T,  D: every column has length 1
 *
 * R has the structure of the factor of S, and its columns are eliminated in the same order, front by front: the front
 * of a panel (model/elimination.h) gathers the coordinate blocks that no earlier panel touches and what its children
 * left, makes its own columns triangular by reflections, and leaves the rest to its parent (multifrontal QR: George and
 * Heath 1980, Davis 2011). A column of which no more than the tolerance is left when its turn comes depends on those
 * before it: it is dead and gets no row of R. S sees the square of what this sees, so it keeps twice the digits.
 * Allocates while it works: for the start and for questions about a model, not for steps. */
#ifndef CRD_LINEAR_QR_H
#define CRD_LINEAR_QR_H

#include "linear/mass_root.h"

typedef struct CrdQr {
    CrdMassRoot root;
    bool kinematic;       /* of D G T (equations/kinematic.h) in place of D G L^-T */
    bool *left_alone;     /* (rows) by the caller; true: zeros in place of the row, so that it is dead */
    int rank;             /* by crd_qr_take */
    double least;         /* by crd_qr_take: the least that was left of a row that is not dead; of none: 1 */
    bool *is_dead;        /* (rows) depends on those before it */
    double *r;            /* rows of R, panel by panel: width rows of width + height, those of dead columns zero */
    double *scale;        /* (rows) D */
    double *y;            /* (rows) by crd_qr_dependency */
    double *pieces;       /* (as G) L^-1 G^T, or (G T)^T */
    int *first;           /* (blocks + 1) incidences of a block: of[first[b]] .. */
    int *of;              /* (incidences) */
    int *panel_of;        /* (rows) */
    int *next_block;      /* (blocks) the next one that starts in the same panel; -1: none */
    int *block_at;        /* (panels) the first that starts there */
    int *place;           /* (rows) column in the present front */
    int *child, *sibling; /* (panels) */
    double **left;        /* (panels) what a front leaves, rows_left x height, by columns */
    int *rows_left;       /* (panels) */
    CrdArena arena;
} CrdQr;

/* Is there an elimination to go by? */
bool crd_qr_fits(const CrdStructure *structure);

/* Workspace for the model; to be closed in any case. */
CardanStatus crd_qr_open(CrdQr *qr, const CardanModel *model, CrdError *error);
void crd_qr_close(CrdQr *qr);

/* Decomposes the rows in the workspace: rank and dead columns. tolerance: what is left of a column of length 1. */
CardanStatus crd_qr_take(CrdQr *qr, const CrdSystem *system, double tolerance, CrdError *error);

/* A combination of rows (scaled to length 1) that vanishes, with all dead ones in it at random: rows with a part in any
 * dependency have one in this, but by chance. Left in y; zero when there are no dead columns. */
void crd_qr_dependency(CrdQr *qr);

#endif
