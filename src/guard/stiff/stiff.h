/* The guard that knows when steps are bound by stability and not by accuracy (Hairer, Wanner, IV.2), and says so once
 * with what is to blame; where the stepper is `auto` the other method takes over. */
#ifndef CRD_GUARD_STIFF_STIFF_H
#define CRD_GUARD_STIFF_STIFF_H

#include "equations/force_derivatives.h"
#include "integrate/integrator.h"

typedef struct CrdStiff {
    CrdIntegrator *integrator;
    int hits, misses; /* steps at the bound of stability, and others since the last one; implicit: steps since a look */
    int suspects;     /* steps near the bound since the last look at the spectrum */
    int told;         /* remarks made in this run */
    double *mode;     /* (n) of the largest eigenvalue */
    double *image;    /* (n) */
    double *slope;    /* (n) */
    double *twist;    /* (frames x 6) of the mode */
    CrdLoadDerivatives loads;
    double *element[2]; /* of a compliant joint: over displacements, over twists */
} CrdStiff;

extern const CrdGuard crd_stiff_guard;

/* Whether there is anything to watch: a method that can tell, with error control. */
bool crd_stiff_is_watched(const CrdIntegrator *integrator);

/* Takes its room from an arena; called twice, measuring and real. */
CrdStiff *crd_stiff_layout(CrdIntegrator *integrator, CrdArena *arena);

/* The largest |lambda|, 1/s, of the right-hand side at the present state, by power iterations from stiff->mode, which
 * becomes its mode; NaN: not to be found. The workspace is left at another state. */
double crd_stiff_iterate(CrdStiff *stiff, int iterations);

/* Name of the force or compliant joint whose loads do most in the mode, or of the fastest body in it. The workspace
 * is left at the present state, its forces known. */
const char *crd_stiff_blame(CrdStiff *stiff, double lambda);

#endif
