/* The equations at one state: (model, t, q, v) -> M, G, gamma, f, and products with them.
 *
 *     M a + G^T lambda = f        G a = gamma        S = G M^-1 G^T
 *
 * Fields stand in the order in which the stages fill them. Nothing here allocates after crd_system_layout. */
#ifndef CRD_ASSEMBLY_SYSTEM_H
#define CRD_ASSEMBLY_SYSTEM_H

#include "core/memory.h"
#include "model/model.h"

typedef struct CrdSystem {
    /* crd_kinematics */
    double t;
    CardanFrame *frames;    /* by carrier: m, rad; m/s, rad/s */
    double *frame_jacobian; /* by block frame, 6 x n: its twist from the block's velocities */
    double *frame_bias;     /* by block frame, 6: rate of its twist at zero accelerations */
    double *custom_mass;    /* by custom block, n x n: Cholesky factor of M, lower triangle, row-major */
    double *custom_matrix;  /* by custom block, n x n: M itself */

    /* crd_constraints; rows in elimination order */
    double *g;     /* (rows) m or rad; 0 for nonholonomic rows */
    double *rate;  /* (rows) m/s or rad/s; G v + g_t, or A v + b */
    double *rate_t; /* (rows) the part g_t, or b */
    double *gamma; /* (rows) m/s^2 or rad/s^2; right side of G a = gamma */
    double *G;     /* pieces of incidences, rows x width, row-major */

    /* crd_forces */
    double *law_values;     /* t, parameters, inputs, measures */
    CardanTwistRow *loads;  /* by carrier: force (ground axes), moment (own axes) */
    double *f;              /* (nv) N, N m: applied and gyroscopic */
    double potential, power; /* J, W: of conservative forces; of the others */

    /* crd_weigh */
    double *T; /* pieces G M^-1 (or G), as G */
    double *S; /* upper triangle by columns */

    /* scratch of the stages */
    CardanTwistRow *twist_rows;   /* (most_rows x most_attachments) of one element */
    CardanFrame *gathered;        /* frames of one callback */
    CardanWrench *wrench;         /* its wrenches */
} CrdSystem;

/* Takes the workspace from an arena; called twice, measuring and real. */
void crd_system_layout(CrdSystem *system, const CrdShape *shape, CrdArena *arena);

/* What acts on a simulation from outside; arrays belong to the caller. */
typedef struct CrdActions {
    const double *inputs;           /* input_count */
    CardanTwistRow *wrenches; /* by carrier: applied from outside (ground axes, both); NULL: none */
    const double *turns;            /* turn_count: counted angles, for laws */
} CrdActions;

/* Frames, block frames and custom masses at t, q, v. Fails when a callback does or a custom M is not positive. */
CardanStatus crd_kinematics(const CardanModel *model, double t, const double *q, const double *v, CrdSystem *system,
                            CrdError *error);

/* g, rate, gamma and G from the frames. */
CardanStatus crd_constraints(const CardanModel *model, const double *q, const double *v, CrdSystem *system,
                             CrdError *error);

/* f, potential and power from the frames. */
CardanStatus crd_forces(const CardanModel *model, const double *q, const double *v, const CrdActions *actions,
                        CrdSystem *system, CrdError *error);

/* T = G W and S = G W G^T, W = M^-1 or the identity. */
void crd_weigh(const CardanModel *model, CardanMetric metric, CrdSystem *system);

/* The derivative (G v)_q N along displacements: pieces like G, into out. Fails for user rows without a gradient. */
CardanStatus crd_gradient(const CardanModel *model, const double *q, const double *v, CrdSystem *system, double *out,
                          CrdError *error);

/* x <- M^-1 x. */
void crd_solve_mass(const CardanModel *model, const CrdSystem *system, double *x);

/* y <- M x. */
void crd_times_mass(const CardanModel *model, const CrdSystem *system, const double *x, double *y);

/* y += G x, with the pieces `pieces` (G, T or a gradient). */
void crd_times_g(const CrdShape *shape, const double *pieces, const double *x, double *y);

/* x += s G^T y. */
void crd_times_gt(const CrdShape *shape, const double *pieces, double s, const double *y, double *x);

/* Kinetic energy in J. */
double crd_kinetic(const CardanModel *model, const CrdSystem *system, const double *v);

/* q' = N v. Quaternions need not have length 1. */
void crd_position_rates(const CrdShape *shape, const double *q, const double *v, double *rates);

/* q <- q + N dx, then quaternions normalised. */
void crd_move(const CrdShape *shape, const double *dx, double *q);

void crd_normalise(const CrdShape *shape, double *q);

/* Frames of a joint's sides. */
CrdPair crd_pair_of(const CrdShape *shape, const CrdSystem *system, int element);

/* Writes M (upper left; the identity in the euclidean metric) and G (lower left) of the zeroed column-major saddle matrix
 * of this order. */
void crd_fill_saddle(const CardanModel *model, const CrdSystem *system, CardanMetric metric, double *k, int order);

/* Largest displacement in a vector of velocities, in lengths of the model or rad (custom coordinates as they are). */
double crd_reach(const CardanModel *model, const double *x);

#endif
