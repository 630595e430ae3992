/* Integration by tolerance of ODEs: the references that the fixed-step methods are measured against, and the
 * regularised equations with their layers.
 *
 *     dop853    explicit, order 8
 *     radau5    implicit, order 5, for stiff systems (Hairer and Wanner, Solving ODEs II, IV.8)
 *     bdf       implicit, orders 1 to 5, for stiff systems and loose tolerances (Shampine and Reichelt 1997) */
#ifndef CRD_LAB_INTEGRATE_H
#define CRD_LAB_INTEGRATE_H

#include "lab/system.h"

struct CrdMethod;

typedef struct CrdLabTolerance {
    double rtol, atol;
    double h_max;   /* 0: none */
    double h_first; /* implicit methods: 0: careful */
} CrdLabTolerance;

typedef struct CrdLabWatcher {
    /* After each accepted step; rates are those at w. Not 0 ends the integration there. NULL: nobody looks. */
    int (*see)(void *user, double t, const double *w, const double *rates);
    void *user;
} CrdLabWatcher;

/* Methods that choose their steps; NULL after the last. */
const struct CrdMethod *crd_lab_integrator_at(int i);

/* w goes from t0 to t1, which is met exactly. */
CardanStatus crd_lab_integrate(const struct CrdMethod *method, const CrdLabSystem *system, CrdLabTolerance tolerance,
                               double t0, double t1, double *w, CrdLabWatcher watcher, CrdLabWorkspace *workspace);

#endif
