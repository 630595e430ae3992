/* Two interpolations of a step in place of one.
 *
 * The step control bounds the error of a step's end, not that of the interpolation inside it, which is of one order
 * less and, where the step is as long as stability allows, worse by far: 50 tolerances in a damped motion whose ends
 * are good to half of one. What its last term adds says at no cost when that may be so. Then the state in the middle is
 * found by a step of its own, of half the size; where the interpolation misses it, the two halves are stepped and
 * interpolated apart. The motion itself goes on from the whole step: what is looked at does not change it. */
#ifndef CRD_INTEGRATE_HALVES_H
#define CRD_INTEGRATE_HALVES_H

#include "core/memory.h"
#include "core/status.h"

typedef struct CrdIntegrator CrdIntegrator;

typedef enum CrdPiece {
    CRD_WHOLE_UNTRIED = 0, /* the whole step, not yet judged */
    CRD_WHOLE_STEP,
    CRD_FIRST_HALF,
    CRD_SECOND_HALF
} CrdPiece;

typedef struct CrdHalves {
    CrdPiece piece; /* what the method's interpolation covers */
    double *y, *f;  /* (n) the state in the middle, and its slope */
} CrdHalves;

void crd_halves_layout(CrdHalves *halves, int n, CrdArena *arena);

/* Makes the interpolation of the last step from the slopes that it has anyway, where the method can and that is good
 * enough; else it is as it was. */
bool crd_take_sparing(CrdIntegrator *integrator);

/* The interpolation of the whole last step is ready: makes it the one to be used at t, and says where in it t is. */
CardanStatus crd_halves_at(CrdIntegrator *integrator, double t, double *theta);

#endif
