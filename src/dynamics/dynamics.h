/* The equations of motion of one simulation: workspace, factor, and what they are good for.
 *
 *     evaluate_constraints   frames and rows at (t, q, v): g, G v + g_t, gamma
 *     factor                 S = G M^-1 G^T here, factored
 *     solve_accelerations    S lambda = G M^-1 f - gamma,   a = M^-1 (f - G^T lambda)
 *
 * With Baumgarte's gains gamma is replaced by gamma - alpha (G v + g_t) - beta g, in the index-3 form by the gains
 * alone. What the workspace holds at a time stands in system.stamp; each part below is written by the file of its name
 * alone. */
#ifndef CRD_DYNAMICS_DYNAMICS_H
#define CRD_DYNAMICS_DYNAMICS_H

#include "dynamics/factor.h"
#include "dynamics/geometry.h"
#include "dynamics/monitor.h"
#include "dynamics/near_miss.h"
#include "dynamics/near_pose.h"
#include "dynamics/redundancy.h"
#include "dynamics/regularise.h"
#include "equations/kinematic.h"
#include "equations/system.h"
#include "linear/spectrum.h"

/* Counted since the start. */
typedef struct CrdWork {
    long rhs, factorisations, solves;
    long alarms; /* factors of S whose pivots asked the geometry whether a singular pose is near */
} CrdWork;

struct CrdDynamics {
    const CardanModel *model;
    CrdSystem system;
    CrdActions actions;
    double alpha, beta;     /* 1/s, 1/s^2: Baumgarte's gains; 0: none */
    bool first_derivatives; /* gamma is left out (PRM97, 4.4 to 4.8) */
    double *target;         /* (rows) right side of G a = target: gamma, with Baumgarte's terms */
    double *lambda;         /* (rows) N or N m; by crd_solve_accelerations */
    double *a;              /* (nv) m/s^2, rad/s^2; by crd_solve_accelerations */
    CrdFactor factor;
    CrdGeometry geometry;
    CrdMonitor monitor;
    CrdRedundancy redundancy;
    CrdRegularisation regularisation;
    CrdNearPose near_pose;
    CrdNearMiss near_miss;
    bool reveals; /* there is room for rank-revealing looks in steps */
    CrdSpectrum spectrum;
    CrdWork work;
    CrdError *error; /* where sentences go */
};

/* Takes the workspace from an arena; called twice, measuring and real. */
void crd_dynamics_layout(CrdDynamics *dynamics, const CardanModel *model, const CardanOptions *options,
                         CrdArena *arena);

/* Makes the solver and what the way to regularise needs; once, after the layout. */
CardanStatus crd_dynamics_open(CrdDynamics *dynamics, const CardanOptions *options);
void crd_dynamics_close(CrdDynamics *dynamics);

/* Threads that it may use from now on; NULL: none. */
void crd_dynamics_share(CrdDynamics *dynamics, CrdPool *pool);

/* Goes on with another model of the same structure; the workspace holds nothing then. */
void crd_dynamics_use(CrdDynamics *dynamics, const CardanModel *model);

CardanStatus crd_evaluate_constraints(CrdDynamics *dynamics, double t, const double *q, const double *v);

/* target of the rows in the workspace: gamma, with Baumgarte's terms. */
void crd_set_target(CrdDynamics *dynamics);

/* Of those rows the residuals alone. */
CardanStatus crd_evaluate_residuals(CrdDynamics *dynamics, double t, const double *q, const double *v);

/* Accelerations and multipliers at (q, v), whose rows the workspace holds. */
CardanStatus crd_solve_accelerations(CrdDynamics *dynamics, const double *q, const double *v);

/* Largest |x|; NaN if there is one. */
double crd_max_abs(const double *x, int n);

#endif
