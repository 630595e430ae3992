/* A stepping method as a record of functions: what crd_step (step.c) asks of it. Families share a file: one set of
 * functions, one record a method.
 *
 * A step goes from (run->t, run->y, run->f) to run->y_new; who makes it sees the whole run, so a method may work on the
 * flat vector through run->ode alone or know the mechanism (run->dynamics, run->stabiliser). The order of calls:
 *
 *     begin                   once a step; run->f is the slope at (t, y)
 *     attempt                 fills y_new; again with another h until error_norm says 1 or less
 *     (crd_step)              puts y_new on the constraints, finds f_new there; the state moves on:
 *                             y_old, t_old: before the step; y, t, f: after it; f_new: the slope before it
 *     accepted                history
 *     prepare_dense           when something inside the last step is wanted, before the next attempt
 *     interpolate             any number of times after it
 *
 * What a method remembers from step to step is run->history, a flat array of numbers: zeros are "no history". It changes
 * when a step is accepted (and may be begun when there is none), is part of a saved state, is copied by a clone, and is
 * cleared by crd_run_restart when the motion is no longer smooth (an event, another input, another state). Everything else is scratch of a step. */
#ifndef CRD_STEP_METHOD_H
#define CRD_STEP_METHOD_H

#include "core/memory.h"
#include "core/status.h"
#include "model/model.h"
#include "step/tableau.h"

struct CrdRun;

typedef struct CrdMethod {
    const char *name;
    int order;       /* global error of fixed steps ~ h^order; 0: chosen as it goes */
    int error_order; /* the error norm of one step ~ h^error_order; 0: no estimate, fixed steps only */
    double beta;     /* weight of the last error in the step size controller */
    const CrdTableau *tableau; /* of a Runge-Kutta method; its nodes say where singular poses are crossed. NULL: they are
                                  crossed as they come */
    bool iterates;             /* solves for y_new by an iteration, which may fail next to a pose that the motion passes */
    bool looks_inside;         /* prepare_dense needs no history: it may be called before a step is accepted, with the vectors
                                  put where they will be then, to look for events inside it. Else the cubic is looked at */
    bool on_constraints;       /* y_new meets the constraints to rounding by itself: it is not stabilised */

    /* Whether the method fits the model and the options; the sentence says why not. NULL: always. (What options alone
     * tell is refused in build/options.c.) */
    CardanStatus (*check)(const CardanModel *model, const CardanOptions *options, CrdError *error);

    /* Takes run->memory and what it points to from the arena and sets run->history_size; called twice, measuring and real.
     * run->n and run->dynamics are laid out. */
    void (*layout)(struct CrdRun *run, CrdArena *arena);

    void (*begin)(struct CrdRun *run); /* NULL: nothing */

    /* Fills y_new. CARDAN_ERR_NUMERIC: may succeed with a shorter step. The last factor of S it leaves behind is that of a
     * state of this step: the stabiliser goes on with it. */
    CardanStatus (*attempt)(struct CrdRun *run, double h, bool want_error);

    /* Norm of the error of the last attempt with the run's tolerances (norm.h), 1: just acceptable; NaN: not finite.
     * NULL when error_order is 0. */
    double (*error_norm)(const struct CrdRun *run, double h, const double *weight);

    /* Size to try next after an attempt of size h with this norm. NULL: the PI controller with error_order and beta. */
    double (*resize)(struct CrdRun *run, double norm, double h, bool accepted);

    void (*accepted)(struct CrdRun *run); /* NULL: nothing is remembered */

    /* Both NULL: the cubic of Hermite. */
    CardanStatus (*prepare_dense)(struct CrdRun *run);
    void (*interpolate)(const struct CrdRun *run, double theta, double *y); /* theta = (t - t_old) / (t_new - t_old) */
} CrdMethod;

/* By number of CardanStepper. */
const CrdMethod *crd_method(CardanStepper stepper);

/* Whether the stepper of the options fits the model and the other options. */
CardanStatus crd_method_check(const CardanModel *model, const CardanOptions *options, CrdError *error);

/* ---- families ---- */

extern const CrdMethod crd_euler, crd_midpoint, crd_heun, crd_kutta3, crd_rk4, crd_dopri5, crd_dop853;
extern const CrdMethod crd_ab2, crd_abm, crd_gbs;
extern const CrdMethod crd_backward_euler, crd_trapezoidal, crd_implicit_midpoint, crd_gauss;
extern const CrdMethod crd_verlet, crd_rattle, crd_hem;

#endif
