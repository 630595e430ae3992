/* Accelerations where masses are so uneven that S = G M^-1 G^T has lost the rows.
 *
 * A light crank that carries a driver and a pin makes both rows of S as large as 1/J: what tells them apart is lost to
 * rounding, though the geometry is as healthy as ever. M^-1 must not be formed there. The saddle-point matrix itself,
 *     [ T^T M T / m   K^T ] [ y       ]   [ T^T f / m ]
 *     [ K             0   ] [ D^-1 l/m ] = [ D gamma   ]        a = T y,  K = D G T (equations/kinematic.h, D: unit
 * rows) holds G and M apart, so LU with partial pivoting takes the constraints from G and the motion from M; refinement
 * on residuals of the given equations makes the error small row by row (Skeel 1980), whatever the masses. */
#ifndef CRD_DYNAMICS_UNEVEN_H
#define CRD_DYNAMICS_UNEVEN_H

#include "core/memory.h"
#include "model/model.h"

typedef struct CrdDynamics CrdDynamics;

typedef struct CrdUneven {
    bool possible;    /* masses lie so far apart that it may be needed, and the model is small enough for it */
    bool acts;        /* the last factor of S in the mass metric has lost rows that the geometry holds apart */
    double *matrix;   /* (n x n, n = nv + rows) by columns; its factors afterwards */
    double *scale;    /* (rows) D */
    double *solution; /* (n) y and multipliers, or what refinement adds to them */
    double *image;    /* (nv) a velocity under M; left over forces */
    double *left;     /* (rows) left over accelerations of rows */
    double mass;      /* kg; the unit of masses, m */
    int *pivots;      /* (n) */
} CrdUneven;

void crd_uneven_layout(CrdUneven *uneven, const CardanModel *model, CrdArena *arena);

/* After a factorisation in the mass metric that asked the geometry: has S lost rows that the geometry holds apart? */
void crd_uneven_judge(CrdDynamics *dynamics);

/* a and lambda at the rows and forces in the workspace. */
CardanStatus crd_solve_uneven(CrdDynamics *dynamics);

/* Says that this row is lost to masses. */
CardanStatus crd_refuse_uneven(CrdDynamics *dynamics, int row);

/* x = -W G^T (G W G^T)^-1 rows, the least correction in the metric of the factor at hand (W = M^-1 or the identity), or
 * in that of the geometry where masses are too uneven; r is scratch as long as rows. */
CardanStatus crd_correct(CrdDynamics *dynamics, const double *rows, double *r, double *x);

#endif
