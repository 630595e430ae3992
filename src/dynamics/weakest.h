/* The weakest rows by inverse iteration with the factor of the geometry at hand.
 *
 * The smallest singular values of K and their row combinations u are eigenpairs of K K^T, whose factor a look leaves
 * (geometry.h): two vectors are solved for and made orthonormal in turn, and the best of what they span is taken
 * (subspace iteration with a Rayleigh-Ritz step, Golub and Van Loan 8.2). Values found so are never below the true
 * ones, and a value that is a third of the next one is exact to rounding after the iterations made here; of values that
 * lie closer together a mixture is found. A dense decomposition costs the cube of the rows, this one their number. */
#ifndef CRD_DYNAMICS_WEAKEST_H
#define CRD_DYNAMICS_WEAKEST_H

#include "core/memory.h"
#include "model/model.h"

typedef struct CrdDynamics CrdDynamics;

typedef struct CrdWeakest {
    double *u[2];     /* (rows) combinations of the kinematic rows, the weakest first */
    double *image[2]; /* (nv) K^T u */
    double sigma[2];  /* their singular values */
    double sigma_max; /* a bound from below for the largest one */
} CrdWeakest;

void crd_weakest_layout(CrdWeakest *weakest, const CrdStructure *structure, CrdArena *arena);

/* Is it cheaper than a dense look, and are the rows those of full rank that it is for? */
bool crd_weakest_pays(const CrdDynamics *dynamics);

/* Looks at the rows in the workspace: factors the geometry there and fills geometry.weakest. false: it failed. */
bool crd_weakest_look(CrdDynamics *dynamics);

#endif
