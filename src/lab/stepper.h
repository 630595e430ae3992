/* Steppers of fixed step for the systems of implicit.h, behind one record each.
 *
 *     euler, midpoint, heun, kutta3, rk4, dopri5, dop853     explicit Runge-Kutta (step/tableau.c)
 *     adams_bashforth2                                       first step by forward Euler
 *     backward_euler, trapezoidal, implicit_midpoint         one implicit stage
 *     gbs4, gbs6                                             extrapolated midpoint rule
 *     verlet, rattle                                         symmetric, for accelerations
 *     gauss4, gauss6, radau5                                 collocation
 *     half_explicit_...                                      explicit in z, implicit in the multipliers (LEC10, 10.1.5)
 */
#ifndef CRD_LAB_STEPPER_H
#define CRD_LAB_STEPPER_H

#include "lab/implicit.h"
#include "step/runge_kutta.h"

struct CrdLabStepping;

typedef struct CrdLabStepper {
    const char *name;
    int order;        /* on ODEs */
    const void *data; /* the family's own: tableau or coefficients */
    bool remembers;   /* uses the slope of the step before, so its unknowns must keep their meaning */
    const char *(*refuse)(const CrdLabSystem *system); /* why it does not fit; NULL: it does */
    CardanStatus (*step)(struct CrdLabStepping *stepping, double t, double h, double *w);
    CardanStatus (*prepare)(struct CrdLabStepping *stepping); /* takes room that lasts; NULL: needs none */
    bool between; /* meets algebraic equations inside a step and not at its end */
} CrdLabStepper;

/* NULL when there is none of this name, or after the last. */
const CrdLabStepper *crd_lab_stepper(const char *name);
const CrdLabStepper *crd_lab_stepper_at(int i);

/* A stepper at work. */
typedef struct CrdLabStepping {
    const CrdLabStepper *stepper;
    const CrdLabSystem *system;
    CrdLabDesk *desk;
    CrdRungeKutta rk; /* explicit Runge-Kutta */
    double *slope;    /* (n) of the step before; adams_bashforth2 */
    bool started;     /* slope is known */
} CrdLabStepping;

/* Checks that stepper and system fit, and takes room from the desk. */
CardanStatus crd_lab_stepping_begin(CrdLabStepping *stepping, const CrdLabStepper *stepper, const CrdLabSystem *system,
                                    CrdLabDesk *desk);

/* One step of w from t to t + h; room that the stepper took for it is given back. */
CardanStatus crd_lab_step(CrdLabStepping *stepping, double t, double h, double *w);

/* What families share: why an explicit method does not fit, and the failure of a state that is not finite. */
const char *crd_lab_refuse_explicit(const CrdLabSystem *system);
CardanStatus crd_lab_not_finite(const CrdLabStepping *stepping, double t);

/* Room of an explicit Runge-Kutta method for n numbers. */
CardanStatus crd_lab_lay_out(CrdRungeKutta *rk, const CrdTableau *tableau, int n, CrdLabDesk *desk);

/* The families, a list each, ended by a record without name. */
extern const CrdLabStepper crd_lab_explicit_family[], crd_lab_one_stage_family[], crd_lab_half_explicit_family[],
    crd_lab_extrapolation_family[], crd_lab_collocation_family[], crd_lab_rattle_family[];

#endif
