/* The factor of K K^T (equations/kinematic.h): what geometry alone says about the rows, whatever the masses.
 *
 * Its pivots are what the monitor believes (monitor.h): the pivot of a row is the square of the share of it that the
 * rows before it do not explain, and falls with the square of the distance to a singular pose. Where S is lost to
 * uneven masses (uneven.h), corrections onto the constraints are the least in the metric of T: x = -T K^T (K K^T)^-1 D
 * r */
#ifndef CRD_DYNAMICS_GEOMETRY_H
#define CRD_DYNAMICS_GEOMETRY_H

#include "core/memory.h"
#include "dynamics/weakest.h"
#include "linear/solver.h"
#include "model/model.h"

typedef struct CrdDynamics CrdDynamics;

typedef struct CrdGeometry {
    bool wanted;       /* rows can become dependent, or masses hide them: else nothing of it is there */
    CrdSolver *solver; /* of K K^T */
    double *pieces;    /* (as G) K */
    double *matrix;    /* (as S) K K^T */
    double *factors;   /* (rows x max_rows) D^-1, by elements */
    double pivot;      /* smallest pivot at the last look; 0: rows are dependent, and there is no factor */
    long looks;        /* how often it was asked */
    CrdWeakest weakest;
} CrdGeometry;

void crd_geometry_layout(CrdGeometry *geometry, const CrdStructure *structure, bool wanted, CrdArena *arena);
CardanStatus crd_geometry_open(CrdDynamics *dynamics);
void crd_geometry_close(CrdGeometry *geometry);

/* Factors K K^T of the rows in the workspace. */
void crd_geometry_look(CrdDynamics *dynamics);

/* x: the least correction in the metric of T, to first order, of rows that are off by r, with the last factor; r is
 * changed. */
CardanStatus crd_geometry_correct(CrdDynamics *dynamics, double *r, double *x);

#endif
