/* The gate: no step is accepted that is not right, as far as can be told from its end alone.
 *
 * After an attempt, before anything of the state changes:
 *     finite     multipliers and accelerations are numbers
 *     closed     |row| is within the tolerance of the step, each row in its own unit, where states are put on the
 *                constraints
 *     solved     G a = target and M a + G^T lambda = f, with products alone: whatever solver, regulariser or remedy
 *                a and lambda come from, they are compared with the equations themselves
 * A step that fails is tried again shorter; when none passes, the sentence says which joint, by how much, and why.
 * After acceptance: a drift of the energy balance, or of joints that nothing closes (stabilise: none, baumgarte),
 * beyond what the tolerance explains is told in a remark, once for each tenfold. When no step succeeds: why did
 * post-stabilisation not converge (cause.c)? */
#ifndef CRD_GUARD_GATE_GATE_H
#define CRD_GUARD_GATE_GATE_H

#include "integrate/integrator.h"

typedef struct CrdGate {
    CrdIntegrator *integrator;
    /* room of the stabiliser's, for one look */
    double *rows;        /* (rows) G a - target, */
    double *rows_size;   /* (rows) and the sizes of its terms */
    double *forces;      /* (nv) M a + G^T lambda - f, */
    double *forces_size; /* (nv) and the sizes of its terms */
    double *free;        /* (nv) M^-1 f */
    bool *mark;          /* (elements) with a row in a dependency */
    double balance_told; /* J; the drift told last; 0: none */
    double opening_told; /* tolerances; the opening told last; 0: none */
} CrdGate;

extern const CrdGuard crd_gate_guard;

/* Its memory from the arena; called twice, measuring and real. */
void *crd_gate_layout(CrdIntegrator *integrator, CrdArena *arena);

/* ---- among its files ---- */

/* What is wrong with a solve; worst: the row or the velocity. */
typedef struct CrdUnsolved {
    double rows, forces; /* largest residual against the sizes of its terms; NaN: not finite */
    int row, force;
} CrdUnsolved;

/* Is |G a - target| at most this part of what the largest acceleration makes of a row? The quick look: false says
 * nothing yet. */
bool crd_gate_rows_are_met(CrdGate *gate, double part);

/* Compares a and lambda in the workspace with the equations. */
CrdUnsolved crd_gate_verify(CrdGate *gate);

/* Hook of the guard: where post-stabilisation did not converge, the cause and what helps. */
CardanStatus crd_gate_explain(void *self, const CrdTry *attempt, CardanStatus status);

#endif
