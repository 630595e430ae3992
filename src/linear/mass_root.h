/* L of M = L L^T, coordinate block by coordinate block. */
#ifndef CRD_LINEAR_MASS_ROOT_H
#define CRD_LINEAR_MASS_ROOT_H

#include "equations/system.h"

typedef struct CrdMassRoot {
    const CardanModel *model;
    double *inertia; /* (9 x blocks) L of rotational inertias, row-major */
} CrdMassRoot;

/* Takes the room; called twice, measuring and real. */
void crd_mass_root_layout(CrdMassRoot *root, const CrdStructure *structure, CrdArena *arena);

/* The roots of this model's inertias. */
void crd_mass_root_use(CrdMassRoot *root, const CardanModel *model);

/* x <- L^-1 x, or L^-T x, for the numbers x of one block. */
void crd_mass_root_solve(const CrdMassRoot *root, const CrdSystem *system, int index, bool transposed, double *x);

#endif
