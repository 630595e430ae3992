/* Two interpolations of a step in place of one.
 *
 * The step control bounds the error of a step's end, not that of the interpolation inside it, which is of one order
 * less and, where the step is as long as stability allows, worse by far: 50 tolerances in a damped motion whose ends
 * are good to half of one. What its last term adds says at no cost when that may be so. Then the state in the middle is
 * found by a step of its own, of half the size; where the interpolation misses it, the two halves are stepped and
 * interpolated apart. The motion itself goes on from the whole step: what is looked at does not change it. */
#ifndef CRD_INTEGRATE_HALVES_H
#define CRD_INTEGRATE_HALVES_H

#include "core/status.h"
#include "integrate/kinds.h"

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
    CrdKinds kinds; /* what numbers of a state are of */
} CrdHalves;

void crd_halves_layout(CrdHalves *halves, const CrdStructure *structure, int n, CrdArena *arena);

/* Are the slopes that the last step has anyway good enough for what is inside it? */
bool crd_slopes_do(CrdIntegrator *integrator);

/* The interpolation of the whole last step is ready: makes it the one to be used at t, and says where in it t is. */
CardanStatus crd_halves_at(CrdIntegrator *integrator, double t, double *theta);

#endif
