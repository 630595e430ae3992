/* How the equations of a model are handed to a stepper; below, to an implicit one. W = M^-1 or the identity
 * (stabilise.metric), rows of the state y that ride along left out:
 *
 *     index1      q' = N v                       v' = a                            multipliers eliminated, an ODE
 *     ggl         q' = N (v + W G^T mu)          v' = M^-1 (f - G^T lambda)        0 = g, 0 = G v + g_t
 *     projected   q' = N (v + W G^T mu + ...)    v' = a + W G^T tau                0 = g, 0 = G v + g_t
 *
 * ggl is the stabilised index-2 form of Gear, Gupta and Leimkuhler (AP93, 4.15 with D = W G^T). projected are projected
 * invariants (AP93, 3.27): by stabilise.levels and form, g alone is Pa (4.14), both levels in block form are Pb (4.16),
 * and with form full q' also has W ((G v)_q)^T tau, so that D = W H^T: Pc (4.17).
 *
 * In index1 a symmetric method may have its ends projected symmetrically; the directions are those of `projected`.
 *
 * Nonholonomic rows are held in velocities only, redundant ones not at all: their multipliers are 0. */
#ifndef CRD_INTEGRATE_FORMULATION_H
#define CRD_INTEGRATE_FORMULATION_H

#include "integrate/linearise.h"
#include "integrate/methods/stepper.h"
#include "project/stabilise.h"

struct CrdIntegrator;

/* Workspace of the equations of one run. */
typedef struct CrdForm {
    struct CrdIntegrator *integrator;
    CardanFormulation formulation;
    bool index3;        /* see index3.c; the formulation is then not looked at */
    int multipliers;    /* 0, or 2 rows: positions, then velocities; index 3: rows */
    bool *held;         /* (multipliers) */
    double *typical;    /* (core) m, rad, m/s, rad/s; see CrdEquations */
    double *dx, *dv;    /* (nv) */
    double *rates;      /* (nq) */
    double *row_values; /* (rows) of index 3 */
    double *gradient;   /* Pc: pieces of (G v)_q */
    CrdLinearisation linearisation;
} CrdForm;

/* Multipliers of one stage, or of the ends of a step; 0: none. */
int crd_form_multipliers(const CrdStructure *structure, const CardanOptions *options, bool symmetric);

/* Gives the stepper of a run what its method sees (method.h), in room from the arena; called twice, measuring and real.
 */
void crd_model_equations(struct CrdIntegrator *integrator, CrdArena *arena);

/* The equations of a model as generalised-alpha sees them, from what all formulations have in common (index3.c). */
void crd_index3_equations(CrdForm *form, CrdEquations *equations);

/* Makes and frees what is not in the arena: patterns and factors of step matrices. */
CardanStatus crd_model_equations_open(struct CrdIntegrator *integrator, CrdError *error);
void crd_model_equations_close(struct CrdIntegrator *integrator);

#endif
