/* The slow manifold of a mechanism with stiff compliant joints and bushings.
 *
 *     M a = f(t, q, v) - G_R^T lambda - G_K^T (K g_K + C g_K'),     g_R = 0        K, C diagonal, K large
 *
 * Started anywhere else, the compliant rows g_K ring with the fast frequencies for as long as their damping takes; on
 * the slow manifold K g_K + C g_K' is what the multipliers of rigid joints would be, up to O(w^-2), and nothing rings
 * (G. Ariel, J. M. Sanz-Serna, R. Tsai, Multiscale Model. Simul. 10 (2012) 1180-1203). Two projections P onto it:
 * bounded derivatives (bounded.c), the default, and the paper's iterated one (iterated.c). For users: docs/SLOW.md. */
#ifndef CRD_SLOW_SLOW_H
#define CRD_SLOW_SLOW_H

#include "cardan/slow.h"
#include "slow/twin.h"

/* Points in time along the rigid motion at which multipliers are looked at: -2 to 2. */
enum { CRD_SLOW_POINTS = 5, CRD_SLOW_HERE = 2 };

/* What a projection finds out. */
typedef struct CrdSlowResult {
    double w_min, w_max; /* rad/s */
    double rate;         /* 1/s; the fastest of the rigid motion */
    double damping;      /* largest damping ratio c w / (2 k) */
    double ringing;      /* N or N m; what may still ring */
    double multiplier;   /* N or N m; largest of the rigid joints */
    int iterations;      /* iterations, or sweeps */
    long evaluations;    /* of accelerations */
} CrdSlowResult;

typedef struct CrdSlow {
    const CardanModel *model;
    CrdError *error;
    CardanSlowMethod method;
    CardanSlowKernel kernel;
    double tolerance; /* of the largest multiplier; what may ring */
    int count, rows;  /* fast elements, and their rows */
    CrdFast *fast;    /* (count) */
    CrdTwin rigid;    /* the mechanism with these joints rigid */
    CrdTwin soft;     /* the mechanism as it is; for `iterated` without their damping */
    CrdArena arena;

    double *lambda;         /* (points x rows) multipliers along the rigid motion, in the axes of each element */
    double *wanted[3];      /* (rows) deflection, its rate and its second derivative, in the axes of each element */
    double *row_target;     /* (rows of the twin) g that is wanted of each */
    double *r, *dlambda;    /* (rows of the twin) */
    double *dx;             /* (nv) */
    double *slope[4];       /* (n of the twin) */
    double *stage;          /* (n of the twin) */
    double *here;           /* (n of the soft model) the state that is projected */
    double *moved, *speed;  /* (nv) filtered displacements and velocities */
    double *g[2], *rate[2]; /* (rows) deflections now and before */
    double *inverse;        /* (rows x rows) K^-1/2 (S^-1)_KK K^-1/2, then its vectors; 0: too many rows */
    double *values;         /* (rows) 1 / w^2, rising; then those of Lanczos */
    double *lanczos;        /* (steps x rows), beside alpha and beta, where there are too many rows */
    CrdSlowResult result;
} CrdSlow;

/* Opens a projection at a state of an integrator of the model: names what cannot be projected. wish->names NULL: all
 * that are fast. begins: the rates that the model starts with are set, as those of rigid joints; slow->here is that
 * state. stiffer: times all stiffnesses of the fast elements. The integrator is not changed; what acts is what acts on
 * it, whose arrays are used. A failure leaves something to close. */
CardanStatus crd_slow_open(CrdSlow *slow, const CrdIntegrator *integrator, const CardanSlow *wish, bool begins,
                           double stiffer, CrdError *error);
void crd_slow_close(CrdSlow *slow);

/* y (of the model's integrator) at t becomes P y; nothing of it is written when that fails. Allocates nothing. */
CardanStatus crd_slow_project(CrdSlow *slow, const CrdActions *actions, double t, double *y);

/* What an element's rows do at y, which was projected: K g, in its own axes. */
CardanStatus crd_slow_elastic(CrdSlow *slow, double t, const double *y, int index, double *elastic);

/* ---- parts ---- */

/* Frequencies at the rows and the factor of S in the workspace of the rigid twin. */
CardanStatus crd_slow_frequencies(CrdSlow *slow);

/* Lowest and highest frequency in which an element has its part; rad/s. */
void crd_slow_frequencies_of(const CrdSlow *slow, int index, double *low, double *high);

/* Which element has most of the slowest mode. */
int crd_slow_slowest(const CrdSlow *slow);

/* What rings where rows push by dlambda too much, into result.ringing; against what may, 1: just so much. Forces are
 * measured against the largest multiplier in N, moments against the largest in N m, both at least by their rounding. */
double crd_slow_ringing(CrdSlow *slow, double (*dlambda)(const CrdSlow *slow, const CrdFast *fast, int row));

/* Puts slow->here there; the twin's y is that of the rigid motion at t. */
CardanStatus crd_slow_bounded(CrdSlow *slow, double t);
CardanStatus crd_slow_iterated(CrdSlow *slow, double t);

/* The kernel of the filter at -1 <= t <= 1. */
double crd_slow_kernel(CardanSlowKernel kernel, double t);

/* Multipliers of the twin's rigid motion at (t, its y), by rows of fast elements in their own axes, into out. */
CardanStatus crd_slow_multipliers(CrdSlow *slow, double t, const double *y, double *dydt, double *out);

/* Rows of the fast elements at (t, y of the model) in their own axes: deflection and rate. */
CardanStatus crd_slow_rows(CrdSlow *slow, double t, const double *y, double *g, double *rate);

/* The gap in the rows of a bushing from ground axes to its own, or back; the twin's workspace holds the frames. */
void crd_slow_turn_gap(const CrdSlow *slow, const CrdFast *fast, bool to_ground, double *own);

/* A force of a kind that acts in contact or at a stop is at work now: refused by name. */
CardanStatus crd_slow_refuse_contact(CrdSlow *slow, CrdTwin *twin, double t, const double *y);

#endif
