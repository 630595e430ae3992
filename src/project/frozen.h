/* A factor that serves several steps (stabilise.freeze: k above 1), with a solver of its own.
 *
 *     dx = -W G_k^T S_k^-1 g,   dv = -W G_k^T S_k^-1 (G v + g_t),   S_k = G_k W G_k^T
 *
 * G_k is that of an earlier state. A pass leaves (I - G W G_k^T S_k^-1) of the rows, which grows with the way from
 * there: the guard in project/stabilise.c measures it in each step and has the factor made anew where it is poor.
 *
 * Part of the state of a run is where the factor was made, not the factor: it is made again from that where a state is
 * put back, with the same bits. */
#ifndef CRD_PROJECT_FROZEN_H
#define CRD_PROJECT_FROZEN_H

#include "dynamics/dynamics.h"

typedef struct CrdFrozen {
    int steps; /* it may serve; 0: none is kept */
    CardanMetric metric;
    CrdSolver *solver; /* its own; NULL: none is kept */
    double *T;         /* pieces of W G_k^T */
    double *place;     /* (1 + nq + tracked) where it was made: t, q, tracked coordinates */
    bool *dropped;     /* (rows) redundant rows that were left out then */
    int served;        /* steps so far; 0: there is no factor */
    bool made;         /* solver and T are those of place */
} CrdFrozen;

/* Takes the arrays from an arena; called twice, measuring and real. */
void crd_frozen_layout(CrdFrozen *frozen, const CardanModel *model, const CardanOptions *options, CrdArena *arena);

/* Makes the solver, if a factor is to be kept; once, after the layout and after that of the dynamics. */
CardanStatus crd_frozen_open(CrdFrozen *frozen, CrdDynamics *dynamics);
void crd_frozen_close(CrdFrozen *frozen);

/* Is there a factor that may serve one more step? */
bool crd_frozen_serves(const CrdFrozen *frozen, const CrdDynamics *dynamics);

/* It serves one more step: made anew at (t, q, v), or the one there is. CARDAN_ERR_NUMERIC: rows depend on each other
 * there, and there is none. The workspace is used for it. */
CardanStatus crd_frozen_use(CrdFrozen *frozen, CrdDynamics *dynamics, bool anew, double t, const double *q,
                            const double *v);

/* As crd_correct_twice, with the kept factor. */
CardanStatus crd_frozen_correct(const CrdFrozen *frozen, CrdDynamics *dynamics, double *r, double *scratch, double *x);

/* The next step has it made anew. */
void crd_frozen_forget(CrdFrozen *frozen);

/* What a state remembers of it, as numbers. */
int crd_frozen_memory_size(const CrdFrozen *frozen, const CrdStructure *structure);
void crd_frozen_memory_get(const CrdFrozen *frozen, const CrdDynamics *dynamics, double *numbers);
void crd_frozen_memory_set(CrdFrozen *frozen, const CrdDynamics *dynamics, const double *numbers);

/* The same for a simulation of the same structure. */
void crd_frozen_copy(CrdFrozen *to, const CrdFrozen *from, const CrdStructure *structure);

#endif
