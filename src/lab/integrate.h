/* Adaptive integration of ODEs: the references that the fixed-step methods are measured against, and the regularised
 * equations with their layers.
 *
 *     dop853    explicit, order 8 (step/tableau.c)
 *     radau5    implicit, order 5, for stiff systems (Hairer and Wanner, Solving ODEs II, IV.8)
 *     bdf       implicit, orders 1 to 5, for stiff systems and loose tolerances (Shampine and Reichelt 1997) */
#ifndef CRD_LAB_INTEGRATE_H
#define CRD_LAB_INTEGRATE_H

#include "lab/implicit.h"

typedef struct CrdLabTolerance {
    double rtol, atol;
    double h_max;   /* 0: none */
    double h_first; /* radau5, bdf: 0: careful */
} CrdLabTolerance;

typedef struct CrdLabWatcher {
    /* After each accepted step; rates are those at w. Not 0 ends the integration there. NULL: nobody looks. */
    int (*see)(void *user, double t, const double *w, const double *rates);
    void *user;
} CrdLabWatcher;

typedef struct CrdLabIntegrator {
    const char *name;
    /* w goes from t0 to t1, which is met exactly. */
    CardanStatus (*run)(const CrdLabSystem *system, CrdLabTolerance tolerance, double t0, double t1, double *w,
                        CrdLabWatcher watcher, CrdLabDesk *desk);
} CrdLabIntegrator;

extern const CrdLabIntegrator crd_lab_dop853, crd_lab_radau5, crd_lab_bdf;

/* One step of radau5 of size h from w with its rates; estimate (n) of its error, unless NULL. CARDAN_ERR_LIMIT:
 * Newton's method does not meet the tolerance with steps of this size. */
CardanStatus crd_lab_radau_step(const CrdLabSystem *system, double t, double h, const double *w, const double *rates,
                                CrdLabTolerance tolerance, double *end, double *estimate, CrdLabDesk *desk);

#endif
