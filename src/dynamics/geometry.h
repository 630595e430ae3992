/* The factor of K K^T (equations/kinematic.h): what geometry alone says about the rows, whatever the masses.
 *
 * The smallest singular value of K, of the rows that are kept, falls linearly with the distance to a singular pose and
 * knows no masses. It is asked for where the pivots of S raise the question (monitor.h), by inverse iteration on
 * K K^T. Where S is lost to uneven masses (uneven.h), corrections onto the constraints are the least in the metric of
 * T: x = -T K^T (K K^T)^-1 D r */
#ifndef CRD_DYNAMICS_GEOMETRY_H
#define CRD_DYNAMICS_GEOMETRY_H

#include "core/memory.h"
#include "linear/solver.h"
#include "model/model.h"

typedef struct CrdDynamics CrdDynamics;

typedef struct CrdGeometry {
    CrdSolver *solver; /* of K K^T */
    double *pieces;    /* (as G) K */
    double *matrix;    /* (as S) K K^T */
    double *factors;   /* (rows x max_rows) D^-1, by elements */
    double *vector;    /* (rows) of the inverse iteration: the weakest direction among the rows of K */
    double sigma;      /* smallest singular value at the last look; 0: rows are dependent */
    double top;        /* the largest in accepted states so far: what is healthy */
    long looks;        /* how often it was asked */
} CrdGeometry;

void crd_geometry_layout(CrdGeometry *geometry, const CrdStructure *structure, CrdArena *arena);
CardanStatus crd_geometry_open(CrdDynamics *dynamics);
void crd_geometry_close(CrdGeometry *geometry);

/* Factors K K^T of the rows in the workspace; sigma and vector are its. */
void crd_geometry_look(CrdDynamics *dynamics);

/* The configuration of the last look is taken for healthy. */
void crd_geometry_accept(CrdDynamics *dynamics);

/* x: the least correction in the metric of T, to first order, of rows that are off by r, with the last factor; r is
 * changed. */
CardanStatus crd_geometry_correct(CrdDynamics *dynamics, double *r, double *x);

#endif
