/* The saddle system of constraint rows in a metric W, sparse, for rows that may depend on each other:
 *
 *     [ W   G^T  ] [ x ]   [ u ]
 *     [ G  -eps  ] [ y ] = [ r ]
 *
 * With eps > 0 it can be factored whatever the rank of G. A small one leaves x and G^T y those of the least-squares
 * problem to about eps; a large one is the damping of Levenberg and Marquardt, x = -(G^T G + eps W)^-1 G^T g for u = 0,
 * r = -g. Rows beside those of the model, coordinates of joints that are asked for, stand after them. */
#ifndef CRD_ANALYSIS_SADDLE_H
#define CRD_ANALYSIS_SADDLE_H

#include "analysis/sparse.h"
#include "dynamics/dynamics.h"
#include "equations/jacobian.h"

/* A coordinate of a joint as a row beside those of the model. */
typedef struct CrdCoordinateRow {
    int element;
    CardanCoordinate which;
    double value;      /* at which it shall be */
    bool rests;        /* it takes no part for now */
    double soft;       /* 0: it shall be there; else the weight of its square beside those of the joints */
    double x, g;       /* by crd_saddle_evaluate: where it is, and by how much it is off */
    double rate, bias; /* of it, at v; its second derivative at zero accelerations */
    double row[12];    /* over the twists of its two frames */
} CrdCoordinateRow;

typedef struct CrdSaddle {
    CrdDynamics *dynamics;
    CrdJacobian jacobian; /* parts are put together by it */
    CrdArena arena;
    CrdSparse sparse;
    int nv, rows, extras;
    CrdCoordinateRow *extra; /* (extras) belongs to the caller */
    const bool *held;        /* (blocks) do not move; NULL: all do. Belongs to the caller */
    double *pieces;          /* (size_g) G, rows scaled, without what is held */
    double *scale;           /* (rows) */
    double *weight;          /* (nv) W where it is a diagonal; used when `weighted` */
    bool weighted;
} CrdSaddle;

CardanStatus crd_saddle_open(CrdSaddle *saddle, CrdDynamics *dynamics, int extras, CrdCoordinateRow *extra);
void crd_saddle_close(CrdSaddle *saddle);

/* A coordinate's row at the frames in the workspace. */
void crd_coordinate_evaluate(const CardanModel *model, const CrdSystem *system, CrdCoordinateRow *extra);

/* Extra rows at the frames in the workspace. */
void crd_saddle_evaluate(CrdSaddle *saddle);

/* The rate of a coordinate along velocities x, at the frames in the workspace. */
double crd_coordinate_along(CrdSaddle *saddle, CrdCoordinateRow *row, const double *x);

/* Factors it with the rows of the workspace. mass: W is M times this (where it is not weighted). holonomic: other rows
 * are zeros. */
CardanStatus crd_saddle_factor(CrdSaddle *saddle, double mass, double eps, bool holonomic);

/* sparse.x: u, r (nv, rows, extras long) before, x, y after; r and y of rows scaled by `scale`. */
CardanStatus crd_saddle_solve(CrdSaddle *saddle);

#endif
