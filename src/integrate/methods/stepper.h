/* What a stepping method works with: the equations, where the motion is, and what the method remembers. Nothing of the
 * mechanism: who owns the stepper (a run of a model, a run of a laboratory problem) hands its equations in. */
#ifndef CRD_INTEGRATE_METHODS_STEPPER_H
#define CRD_INTEGRATE_METHODS_STEPPER_H

#include "core/status.h"
#include "integrate/methods/equations.h"
#include "integrate/methods/ode.h"

struct CrdMethod;

/* What an interpolation by the slopes of a step is judged by, (n) each: the last term of its polynomial, which has so
 * many rows (integrate/hermite.h), and a combination of slopes that is of its error's order. */
typedef struct CrdSparingTerms {
    int rows;
    const double *last, *rest;
} CrdSparingTerms;

typedef struct CrdStepper {
    const struct CrdMethod *method;
    void *memory;    /* scratch of the method */
    double *history; /* (history_size) what it remembers from step to step; zeros: nothing */
    int history_size;
    CrdOde ode;
    CrdEquations equations; /* of implicit and half-explicit methods */
    CrdMotion motion;       /* of Verlet and RATTLE */
    CrdError *error;        /* where sentences go */

    /* Of a method that projects stages (method.h): puts y at t on the slow manifold. */
    CardanStatus (*project)(void *user, double t, double *y);
    void *project_user;

    int n;             /* length of y */
    int order;         /* highest of a method of variable order; 0: what it has */
    double rho;        /* of generalised-alpha */
    double rtol, atol; /* tolerances of the error control */
    double *absolute;  /* (n) in place of atol, by component; NULL: atol for all */
    double *weight;    /* (n) 1: under error control; 0: rides along; NULL: all 1 */
    double t, t_old;
    double *y;       /* (n) accepted state */
    double *f;       /* (n) its slope */
    double *y_new;   /* (n) the step being made */
    double *f_new;   /* (n) */
    double *y_old;   /* (n) state before the last step, for dense output */
    double *hermite; /* (4 x n) the cubic over the last step, of methods without own interpolation */
    double proposed; /* s; size of the present step had it not been made to land on a time */
} CrdStepper;

#endif
