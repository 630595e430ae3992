/* A way to compute: a formulation of a problem, a stepper and a stabiliser, each a choice of its own. What does not fit
 * together is refused with the reason. */
#ifndef CRD_LAB_METHOD_H
#define CRD_LAB_METHOD_H

#include "lab/formulation.h"
#include "lab/stepping.h"

typedef struct CrdLabMethod {
    CrdLabSetting setting; /* problem, formulation and its numbers, stabiliser */
    const CrdLabStepper *stepper;
} CrdLabMethod;

/* What a run hands over after each step. */
typedef struct CrdLabPoint {
    int step; /* from 1 */
    double t;
    const double *z; /* (state) */
    const double *w; /* what the stepper works with: (z, multipliers), or the coordinates of a state-space form */
    CrdLabWorkspace *workspace; /* room for who looks; what is counted meanwhile is forgotten */
} CrdLabPoint;

typedef struct CrdLabObserver {
    void (*see)(void *user, const CrdLabPoint *point); /* NULL: nobody looks */
    void *user;
} CrdLabObserver;

/* CARDAN_ERR_ARGUMENT with the reason when the parts do not fit. */
CardanStatus crd_lab_check_method(const CrdLabMethod *method, CrdError *error);

/* h = (g, g') of the point (invariants), in room from its workspace; NULL when it cannot be evaluated. */
const double *crd_lab_look(const CrdLabProblem *problem, const CrdLabPoint *point);

/* `steps` steps of size h from z at t0; z is the state at the end. After a failure z is the state before the step that
 * failed. */
CardanStatus crd_lab_run(const CrdLabMethod *method, double t0, double h, int steps, double *z, CrdLabObserver observer,
                         CrdLabWorkspace *workspace);

#endif
