/* Closing a mechanism from a rough pose: Levenberg-Marquardt steps on all holonomic rows and on coordinates that are
 * asked for, in the metric W of masses or of given weights.
 *
 *     min |D g(q + N x)|^2 + eps x^T W x,     D: rows in lengths of the mechanism or rad
 *     (G^T D^2 G + eps W) x = -G^T D^2 g
 *
 * solved as the saddle system of analysis/saddle.h, so that rows may depend on each other and any number of bodies
 * costs in proportion. eps falls with |D g|, which keeps the convergence quadratic where rows are redundant (More 1978
 * for the gain; J. Fan, Y. Yuan, Computing 74 (2005) 23-39 for eps). Where that takes many steps, as on long chains,
 * joints are closed one after another in between (analysis/sweep.h), which is kept where it gains. */
#ifndef CRD_ANALYSIS_CLOSE_H
#define CRD_ANALYSIS_CLOSE_H

#include "analysis/saddle.h"
#include "analysis/sweep.h"
#include "integrate/integrator.h"

typedef struct CrdClosing {
    CrdIntegrator *run;
    CrdSaddle saddle;
    CrdSweep sweep;    /* where steps do not get on */
    double *y, *trial; /* (n) */
    double *r;         /* (rows + extras) D g of the pose at hand */
    double left;       /* out: largest row in lengths of the mechanism or rad; drives and coordinates that are asked
                        * for hard included */
    bool closed;    /* out: but for rounding and CRD_CLOSED, and no joint is turned round by half a turn (left: pi) */
    int iterations; /* out */
} CrdClosing;

/* Room for a model and coordinates that are asked for; held (by block) may be NULL. To be closed in any case. */
CardanStatus crd_closing_open(CrdClosing *closing, CrdIntegrator *run, int extras, CrdCoordinateRow *extra,
                              const bool *held);
void crd_closing_close(CrdClosing *closing);

/* Mean mass of the bodies, what forces and the metric are measured by; 1 without bodies. */
double crd_mean_mass(const CardanModel *model);

/* Weights in place of masses: what a length of the mechanism and a radian of each block count (by block). */
void crd_closing_use_weights(CrdClosing *closing, const double *weight);

/* Moves the state y (its q and tracked coordinates) as near to closed as can be from there; not closed is no failure.
 * The workspace then holds its rows. */
CardanStatus crd_close(CrdClosing *closing, double t, double *y);

/* Is a joint's axis the other way round than in the pose as written, at the rows in the workspace? Which. */
bool crd_closing_reversed(const CrdClosing *closing, int *element);

/* Among all closed poses near y, that of the least distance from the given one: Gauss-Newton along the rows. */
CardanStatus crd_close_nearest(CrdClosing *closing, double t, const double *given, double *y);

/* x = q2 - q1 as displacements (nv), rotations the short way. */
void crd_displacement(const CrdStructure *structure, const double *q1, const double *q2, double *x);

/* Velocities: v + the least change (by masses) with G v + g_t = 0 and the rates of these coordinates. */
CardanStatus crd_close_rates(CrdIntegrator *run, double t, double *y, int extras, CrdCoordinateRow *extra);

#endif
