/* A compiled model as a problem of the laboratory, with dense matrices from the engine's own assembly.
 *
 * With q' = N v, M a + G^T y = f, G v + g_t = 0 and a unit quaternion p in q for each body in space:
 *
 *     mechanism    x = q         x'' = N M^-1 (f - G^T y) + N' v            order 2
 *                                g and (|p|^2 - 1) / 2;  B = [N M^-1 G^T  p],  G_x = [G N^+; p^T]
 *     invariants   z = (q, v, u)    z' = (N v, a, u')    h = (g, G v + g_t, (|p|^2 - 1) / 2)    order 0
 *     energy       the same and h = T + V - its start
 *
 * N^+ is the left inverse of N: w = 2 E(p) p' / |p|^2 for rates w in own axes. Rows are evaluated at p / |p|, so that
 * they do not depend on its length and G_x is their exact derivative everywhere. The multiplier of |p| is 0 on the
 * manifold. */
#ifndef CRD_LAB_MECHANISM_H
#define CRD_LAB_MECHANISM_H

#include "lab/problem.h"
#include "sim/sim.h"

typedef struct CrdLabMechanism {
    struct CrdLabMechanism *self; /* what problems refer to */
    CardanSim *sim;
    CardanLabView view;
    CrdArena arena; /* of everything below */
    int *row;       /* (rows) of the model: those that are not redundant, holonomic ones first */
    int rows, holonomic;
    int *body; /* (bodies) coordinate blocks of bodies in space */
    int bodies;
    double *q, *v;   /* (nq), (nv) what is evaluated; quaternions of length 1 */
    double *tracked; /* (tracked_count) made exact when a step is accepted, so rows are functions of q between */
    double *u;       /* (first_order) */
    double *g;       /* (rows x nv) G */
    double *l;       /* (rows x nv) (G v)_q N */
    double *pieces;  /* the same as the engine keeps it */
    double *weighed; /* (nv) a column of M^-1 G^T */
    double *column;  /* (nq) the same in positions */
    double energy_start;
} CrdLabMechanism;

/* Fills problem, which refers to *out. On failure *out is NULL. */
CardanStatus crd_lab_mechanism_create(const CardanModel *model, CardanLabView view, CrdLabMechanism **out,
                                      CrdLabProblem *problem, CrdError *error);
void crd_lab_mechanism_destroy(CrdLabMechanism *mechanism);

/* The state that the model starts in. */
void crd_lab_mechanism_start(const CrdLabMechanism *mechanism, const CrdLabProblem *problem, double *z);

/* q, v of a state. */
void crd_lab_mechanism_motion(const CrdLabMechanism *mechanism, const CrdLabProblem *problem, const double *z,
                              double *q, double *v);

/* ---- evaluation: mechanism.c has the problem, mechanism_terms.c what follows ---- */

CardanStatus crd_lab_mechanism_terms(const void *data, double t, const double *x, const double *v, CrdLabTerms *terms);
CardanStatus crd_lab_invariants_terms(const void *data, double t, const double *z, const double *v, CrdLabTerms *terms);
CardanStatus crd_lab_energy_terms(const void *data, double t, const double *z, const double *v, CrdLabTerms *terms);

/* Follows the numbers with memory; at t = 0 they begin as the model does. */
CardanStatus crd_lab_mechanism_accept(const void *data, double t, const double *z);

/* q and v of a state of order 2 (x, x'), quaternions as they are. */
void crd_lab_mechanism_rates(const CrdLabMechanism *mechanism, const double *x, const double *dx, double *v);

/* Kinetic and potential energy. */
CardanStatus crd_lab_mechanism_energy(const void *data, double t, const double *z, double *energy);

#endif
