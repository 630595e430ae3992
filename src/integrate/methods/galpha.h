/* What the two files of generalised-alpha share; equations in galpha.c. */
#ifndef CRD_INTEGRATE_METHODS_GALPHA_H
#define CRD_INTEGRATE_METHODS_GALPHA_H

#include "integrate/methods/stepper.h"

/* Rounding of positions and what is made of them, in ulps. */
#define CRD_GALPHA_ULPS 8.0

typedef struct CrdGalpha {
    double am, af, beta, gamma, shift;
    double position_error, velocity_error; /* c and c' */
} CrdGalpha;

typedef struct CrdGalphaMemory {
    int m;                     /* components of v and z */
    double *a;                 /* (m) a_1, the unknown */
    double *a_start;           /* (m) a_0 */
    double *v_start;           /* (m) v_0 with what rows forbid, z_0 */
    double *rate, *rate_start; /* (m) v'_1, v'_0 */
    double *jerk;              /* (n) the slope's slope before the step */
    double *x;                 /* (nv) displacement */
    double *lambda;
    double *slope;              /* (n) */
    double *trial;              /* (n) */
    double *residual;           /* (multipliers) */
    double *missing, *solution; /* (stage_size) */
    double *error;              /* (n) */
    double *measure;            /* (core) of corrections */
    double enough;              /* a correction so small ends the iteration */
    double still;               /* below it, one that falls no more */
    bool steep;                 /* v'' of the start is not used */
} CrdGalphaMemory;

/* dv'_1 = dv_1 / own_step(h) by the recursion of a. */
static inline double crd_galpha_own_step(CrdGalpha c, double h) {
    return h * c.gamma * (1.0 - c.af) / (1.0 - c.am);
}

/* From the start that stands in memory to y_new, a and lambda of the end; controlled: to a part of the tolerance, else
 * to rounding. */
CardanStatus crd_galpha_solve(CrdStepper *stepper, CrdGalpha c, double h, bool controlled);

#endif
