/* Implicit Runge-Kutta methods of several stages on z' = phi(t, z, a), 0 = psi(t, z, a): all stages at once,
 *     Z_i - z = h sum_j a_ij phi(t + c_j h, W_j)        0 = psi(t + c_i h, W_i)        W = (Z, A)
 * by Newton's method with the derivatives at the start of the step. */
#ifndef CRD_LAB_COLLOCATION_H
#define CRD_LAB_COLLOCATION_H

#include "lab/implicit.h"

enum { CRD_LAB_STAGES = 3 };

typedef struct CrdLabCollocation {
    const char *matrix; /* of Newton's method, for messages */
    int stages;
    double c[CRD_LAB_STAGES], a[CRD_LAB_STAGES][CRD_LAB_STAGES], b[CRD_LAB_STAGES];
    bool at_end; /* the last stage is the end of the step */
} CrdLabCollocation;

extern const CrdLabCollocation crd_lab_radau_stages; /* Radau IIA, order 5 (Hairer and Wanner, Solving ODEs II, IV.5) */

typedef struct CrdLabStages {
    const CrdLabCollocation *method;
    const CrdLabSystem *system;
    double t, h;
    const double *w;             /* (n + algebraic) at the start */
    double *jacobian;            /* ((n + algebraic)^2) of the rates, at the start */
    double *z, *r;               /* (stages x (n + algebraic)) stages less w, what is left of their equations */
    double *at;                  /* (n + algebraic) a stage */
    double *phi[CRD_LAB_STAGES]; /* (n + algebraic) rates at the stages */
    double *matrix;              /* of all stages */
    CrdLabDesk *desk;
} CrdLabStages;

/* Takes room from the desk and differentiates at the start; z is zero. */
CardanStatus crd_lab_stages_begin(CrdLabStages *stages);

/* One correction of z; size: its largest entry. */
CardanStatus crd_lab_stages_improve(CrdLabStages *stages, double *size);

/* Differentiates at the last stage instead. */
CardanStatus crd_lab_stages_renew(CrdLabStages *stages);

/* Rates at all stages. */
CardanStatus crd_lab_stages_evaluate(CrdLabStages *stages);

#endif
