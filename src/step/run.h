/* What a simulation steps with. The flat vector that steppers see is
 *     y = [ q | v | z | followers | work ]
 * z: first-order states of the user's and of forces; followers: numbers with memory (counted angles of joints in space,
 * parameters of curves), predicted by their rates and made exact when a step is accepted; work: J done by forces without
 * potential and by drives, under error control while there is any. Followers ride along. */
#ifndef CRD_STEP_RUN_H
#define CRD_STEP_RUN_H

#include "stabilise/stabilise.h"
#include "step/controller.h"
#include "step/event.h"
#include "step/log.h"
#include "step/method.h"
#include "step/ode.h"
#include "step/passage.h"
#include "step/runge_kutta.h"

typedef struct CrdRun CrdRun;
struct CrdRun {
    CardanOptions options;
    CrdDynamics dynamics;
    CrdStabiliser stabiliser;
    const CrdMethod *method;
    void *memory;     /* scratch of the method */
    double *history;  /* (history_size) what it remembers from step to step; zeros: nothing */
    int history_size;
    CrdController controller;
    CrdOde ode;
    CrdError *error;

    int n;            /* length of y */
    double *weight;   /* (n) 1: under error control; 0: rides along; work: see weigh_work */
    double t;
    double *y;        /* (n) accepted state */
    double *f;        /* (n) its slope */
    double *y_new;    /* (n) the step being made */
    double *f_new;    /* (n) */
    double *y_old;    /* (n) state before the last step, for dense output */
    double *y_stage;  /* (n) a stage put on the constraints near a singular pose */
    double *y_raw;    /* (n) a step's end before it was put on the constraints */
    double *floor;    /* (n) allowance of the error control for noise */
    double *hermite;  /* (4 x n) the cubic over the last step, of methods without own interpolation */
    double t_old;
    double natural;   /* s; size of the present step had it not been made to land on a time */
    double h_next;    /* s; what the controller proposes; 0: not known yet */

    bool slope_known; /* f is the slope of y under the present inputs */
    bool solved;      /* the workspace holds the motion at (t, y) */
    bool dense_known; /* the interpolation covers [t_old, t] */
    bool dense_lost;  /* the slopes of the last step are overwritten by one that failed */

    bool *element_mark; /* (elements) scratch */
    bool project_stages;   /* all stages of the present step are put on the constraints; some alone would break its order */
    bool wants_projection; /* a stage came close to a singular pose without that: the step must be begun again */
    double stage_noise; /* largest noise of an acceleration in the stages of this attempt */
    CrdPassage passage;
    CrdEvents events;
    CrdLog log;
    struct CardanSim *owner; /* handed to actions of users */
    long steps, rejected;
    double energy_start, drift_max; /* J */
    double balance;   /* J; energy less work at the accepted state, once its slope is known */
    double position_max, velocity_max;
};

/* Takes the arrays from an arena; called twice, measuring and real. */
void crd_run_layout(CrdRun *run, const CardanModel *model, const CardanOptions *options, CrdArena *arena);

/* Parts of a flat vector. */
static inline double *crd_run_v(const CrdRun *run, double *y) {
    return y + run->dynamics.model->shape->nq;
}
static inline double *crd_run_z(const CrdRun *run, double *y) {
    return crd_run_v(run, y) + run->dynamics.model->shape->nv;
}
static inline double *crd_run_followers(const CrdRun *run, double *y) {
    return crd_run_z(run, y) + run->dynamics.model->shape->first_order;
}
static inline double *crd_run_work(const CrdRun *run, double *y) {
    return y + run->n - 1;
}

/* Slope dydt of y from the motion at what was measured last; a stage near a singular pose is put on the constraints
 * first, because off them accelerations have a pole there. */
CardanStatus crd_run_slope(CrdRun *run, const double *y, double *dydt, bool stage);

/* dydt from the accelerations and rates at what was evaluated last, and the work of drives with these multipliers. */
void crd_run_collect(const CrdRun *run, const double *y, const double *lambda, double *dydt);

/* Largest change of positions between two states, in lengths of the model, rad, or parts of a quaternion. */
double crd_run_moved(const CrdRun *run, const double *from, const double *to);

/* For methods that work with the factor of S at the start of a step: makes the workspace hold it, as it does when nothing
 * was looked at since the last step, and copies the pieces of G M^-1 there. */
CardanStatus crd_run_start(CrdRun *run, double *pieces);

/* Makes the slope of the present state known and the workspace hold its motion. */
CardanStatus crd_run_evaluate(CrdRun *run);

/* Rows are evaluated with the followers of y from now on: to be called before a state is measured or stabilised. */
void crd_run_look_at(CrdRun *run, const double *y);

/* Measures y at t. */
CardanStatus crd_run_measure(CrdRun *run, double t, const double *y);

/* Followers of y, made exact; it was measured last. */
void crd_run_follow(CrdRun *run, double *y);

/* Total energy less work at what was measured and evaluated last. */
double crd_run_energy(const CrdRun *run, const double *y);

/* One internal step, not beyond t_limit. After a failure the state is that before the step. */
CardanStatus crd_step(CrdRun *run, double t_limit);

/* The motion is not smooth at the present state, so the method forgets what it knows from the steps before: it goes on as
 * from a start, its first step included. The slope is left alone. */
void crd_run_restart(CrdRun *run);

/* Makes the interpolation of the last step known. */
CardanStatus crd_run_prepare_dense(CrdRun *run);

/* y at theta = (t - t_old) / (t_new - t_old) as the method has it, neither normalised nor put on the constraints; after
 * crd_run_prepare_dense. */
void crd_run_dense_at(const CrdRun *run, double theta, double *y);

/* y at a time inside the last step, put back on the constraints; the workspace then holds that state. */
CardanStatus crd_run_interpolate(CrdRun *run, double t, double *y);

#endif
