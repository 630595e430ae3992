/* A stepping method as a record of functions: what crd_step (step.c) asks of it. Families share a file: one set of
 * functions, one record a method.
 *
 * A step goes from (t, y, f) of the stepper to its y_new, through its equations alone. The order of calls:
 *
 *     begin                   once a step; stepper->f is the slope at (t, y)
 *     attempt                 fills y_new; again with another h until error_norm says 1 or less
 *     (crd_step)              puts y_new on the constraints, finds f_new there; the state moves on:
 *                             y_old, t_old: before the step; y, t, f: after it; f_new: the slope before it
 *     accepted                history
 *     prepare_dense           when something inside the last step is wanted, before the next attempt
 *     sparing_terms           the same without a right-hand side, from the slopes of the step: who asks judges its
 * terms interpolate_sparing     and then may go on so, any number of times until slopes or ends of the step change,
 *     prepare_sparing         or have it kept as prepare_dense keeps its own
 *     interpolate             any number of times after prepare_dense or prepare_sparing
 *
 * What a method remembers from step to step is stepper->history, a flat array of numbers: zeros are "no history". It
 * changes when a step is accepted (and may be begun when there is none), is part of a saved state, is copied by a
 * clone, and is cleared by crd_integrator_restart when the motion is no longer smooth (an event, another input, another
 * state). Everything else is scratch of a step. */
#ifndef CRD_INTEGRATE_METHODS_METHOD_H
#define CRD_INTEGRATE_METHODS_METHOD_H

#include "cardan/options.h"
#include "core/memory.h"
#include "core/names.h"
#include "integrate/methods/stepper.h"
#include "integrate/methods/tableau.h"

/* Bits of CrdMethod.formulations: what a method may be given. */
enum {
    CRD_TAKES_INDEX1 = 1u << CARDAN_FORMULATION_INDEX1,
    CRD_TAKES_GGL = 1u << CARDAN_FORMULATION_GGL,
    CRD_TAKES_PROJECTED = 1u << CARDAN_FORMULATION_PROJECTED,
    CRD_TAKES_ALL = CRD_TAKES_INDEX1 | CRD_TAKES_GGL | CRD_TAKES_PROJECTED
};

/* What of its stepper a method works with, besides the ODE. */
typedef enum CrdSees {
    CRD_SEES_ODE = 0,   /* nothing more */
    CRD_SEES_EQUATIONS, /* rates and residuals of stepper->equations */
    CRD_SEES_INDEX3,    /* the same, with lambda and g alone, and how positions are moved */
    CRD_SEES_STAGES,    /* half-explicit stages of stepper->equations */
    CRD_SEES_MOTION     /* stepper->motion */
} CrdSees;

/* Bits of CrdMethod.demands: what a model must have. */
enum {
    CRD_FIXED_MASSES = 1u, /* no blocks with a mass matrix of their own */
    CRD_HOLONOMIC = 2u,    /* no rows of velocities alone */
    CRD_NO_ROWS = 4u,      /* no constraints at all */
    CRD_SPRINGY = 8u       /* compliant joints or bushings */
};

typedef struct CrdMethod {
    const char *name;
    const char *summary;       /* one sentence for help and documents */
    const char *needs;         /* what it asks of a model, in words; NULL: nothing */
    bool adaptive;             /* estimates its error and chooses its steps; all take fixed steps */
    bool implicit;             /* solves equations in every step */
    bool no_baumgarte;         /* meets the constraints itself, which Baumgarte's terms would disturb */
    unsigned formulations;     /* CRD_TAKES_...; 0: it is for problems of the laboratory only */
    int order;                 /* global error of fixed steps ~ h^order; 0: chosen as it goes */
    int order_max;             /* highest order of one that may be bounded by `order`; 0: it has no choice */
    int error_order;           /* the error norm of one step ~ h^error_order; 0: no estimate, fixed steps only */
    double beta;               /* weight of the last error in the step size controller */
    const CrdTableau *tableau; /* of a Runge-Kutta method; its nodes say where singular poses are crossed. NULL: they
                                  are crossed as they come */
    double stability;          /* bound of h |lambda|, of a method that can tell when it is reached; 0: it cannot */
    const struct CrdImplicitTableau *stages; /* of an implicit Runge-Kutta method */
    CrdSees sees;
    unsigned demands;
    bool iterates;       /* solves for y_new by an iteration, which may fail next to a pose that the motion passes */
    bool stops_in_poses; /* most singular poses end a run: its multipliers are not determined there */
    bool looks_inside;   /* prepare_dense needs no history: it may be called before a step is accepted, with the vectors
                            put where they will be then, to look for events inside it. Else the cubic is looked at */
    bool projects;       /* puts stages on the slow manifold: stepper->project */
    bool on_constraints; /* y_new meets the constraints to rounding by itself: it is not stabilised */

    /* Takes stepper->memory and what it points to from the arena and sets stepper->history_size; called twice,
     * measuring and real. stepper->n and what the
     * method sees are known. */
    void (*layout)(CrdStepper *stepper, CrdArena *arena);

    void (*begin)(CrdStepper *stepper); /* NULL: nothing */

    /* Could these finite numbers be its history? Asked of a state that comes from outside. NULL: any could. */
    bool (*remembers)(const CrdStepper *stepper, const double *history);

    /* Fills y_new. CARDAN_ERR_NUMERIC: may succeed with a shorter step. The last factor of S it leaves behind is that
     * of a state of this step: the stabiliser goes on with it. */
    CardanStatus (*attempt)(CrdStepper *stepper, double h, bool want_error);

    /* Norm of the error of the last attempt with the stepper's tolerances (norm.h), 1: just acceptable; NaN: not
     * finite. NULL when error_order is 0. */
    double (*error_norm)(const CrdStepper *stepper, double h, const double *weight);

    /* Size to try next after an attempt of size h with this norm. NULL: the PI controller with error_order and beta. */
    double (*resize)(CrdStepper *stepper, double norm, double h, bool accepted);

    void (*accepted)(CrdStepper *stepper); /* NULL: nothing is remembered */

    /* After a step was accepted: h |lambda| of the fastest mode, and a vector (n) that lies mostly in it. NULL: the
     * method cannot tell. */
    double (*stiffness)(const CrdStepper *stepper);
    void (*stiff_mode)(const CrdStepper *stepper, double *mode);

    /* Both NULL: the cubic of Hermite. */
    CardanStatus (*prepare_dense)(CrdStepper *stepper);
    void (*interpolate)(const CrdStepper *stepper, double theta, double *y); /* theta = (t - t_old) / (t_new - t_old) */

    /* All NULL: there is none. */
    CrdSparingTerms (*sparing_terms)(CrdStepper *stepper);
    void (*interpolate_sparing)(const CrdStepper *stepper, double theta, double *y);
    void (*slope_sparing)(const CrdStepper *stepper, double theta, double *slope); /* derivative by theta */
    void (*prepare_sparing)(CrdStepper *stepper);
} CrdMethod;

/* By number of CardanStepper. */
const CrdMethod *crd_method(CardanStepper stepper);

/* Name and sentence by number; no name after the last. */
CrdWord crd_method_word(int i);

/* ---- families ---- */

extern const CrdMethod crd_euler, crd_midpoint, crd_heun, crd_kutta3, crd_rk4, crd_dopri5, crd_dop853;
extern const CrdMethod crd_ab2, crd_abm, crd_gbs;
extern const CrdMethod crd_backward_euler, crd_trapezoidal, crd_implicit_midpoint, crd_gauss, crd_radau5, crd_bdf;
extern const CrdMethod crd_verlet, crd_rattle, crd_hem, crd_galpha, crd_slow_rk4;
extern const CrdMethod crd_auto; /* two of them by turns: integrate/integrator.h */

/* For problems of the laboratory only, so far. */
extern const CrdMethod crd_half_explicit_euler, crd_half_explicit_midpoint, crd_half_explicit_heun,
    crd_half_explicit_kutta3, crd_half_explicit_rk4, crd_gauss4, crd_radau5_strict, crd_adams_bashforth2, crd_gbs4,
    crd_gbs6;

#endif
