/* What a simulation steps with. The flat vector that steppers see is
 *     y = [ q | v | z | tracked | work ]
 * z: first-order states of the user's and of forces; tracked: coordinates with memory (counted angles of joints in
 * space, parameters of curves, rotation vectors), predicted by their rates and made exact when a step is accepted;
 * work: J done by forces without potential and by drives, under error control while there is any. Tracked coordinates
 * ride along. */
#ifndef CRD_INTEGRATE_INTEGRATOR_H
#define CRD_INTEGRATE_INTEGRATOR_H

#include "dynamics/dynamics.h"
#include "integrate/controller.h"
#include "integrate/formulation.h"
#include "integrate/guard.h"
#include "integrate/halves.h"
#include "integrate/log.h"
#include "integrate/methods/method.h"
#include "integrate/methods/runge_kutta.h"
#include "integrate/methods/stepper.h"
#include "integrate/motion.h"
#include "integrate/stages.h"
#include "project/stabilise.h"

/* What is known of the motion inside the last step. */
typedef enum CrdDense {
    CRD_DENSE_POSSIBLE = 0, /* its slopes are there */
    CRD_DENSE_BY_SLOPES,    /* and do: what is inside [t_old, t] is combined from them as it is asked for */
    CRD_DENSE_READY,        /* the interpolation covers [t_old, t] */
    CRD_DENSE_LOST          /* the slopes are overwritten, or the step was made under other inputs */
} CrdDense;

/* Counted over accepted steps. */
typedef struct CrdStatistics {
    long steps, rejected;
    double energy_start, drift_max; /* J */
    double balance;                 /* J; energy less work at the accepted state, once its derivative is known */
    double kinetic_max;             /* J; since the simulation was made */
    double position_max, velocity_max;
} CrdStatistics;

/* How it is being used. */
typedef struct CrdConduct {
    bool acting;     /* the action of a user's event is being called: it may read, but not move on */
    bool stays;      /* one failed: the state stays at its event */
    bool tries;      /* steps are made to see whether they succeed: why one does not is not looked into */
    bool as_reached; /* the state that is put in place was reached by steps: nothing of its memory is found anew */
    bool doubts;     /* in relative coordinates: loop rows come near dependence, which absolute ones look into */
    bool goes_on;    /* though in doubt: absolute coordinates see no pose here */
    bool looks;      /* at a state that was accepted, or inside a step that was: a doubt comes too late */
    bool scaled;     /* its weights and absolute tolerances are those of the model there is now */
} CrdConduct;

/* Of stepper `auto`: two methods with their scratch, explicit and implicit. The history is the second one's. */
typedef struct CrdMethods {
    const CrdMethod *method[2]; /* both NULL: the stepper has one method for good */
    void *memory[2];
    int next; /* which makes the next step; part of the state (guard/stiff) */
} CrdMethods;

struct CrdIntegrator {
    CardanOptions options;
    CrdDynamics dynamics;
    CrdStabiliser stabiliser;
    CrdForm form;          /* what an implicit method sees of the model */
    CrdModelMotion motion; /* what half-explicit methods, Verlet and RATTLE see of it */
    CrdStepper stepper;    /* what the method works with; weight of work: see set_work_weight */
    CrdMethods methods;
    CrdController controller;
    CrdStages stages;
    CrdDense dense;
    CrdHalves halves;
    double grid;   /* s; fixed steps: end of one that was split at an event; less than t: none */
    double *y_raw; /* (n) a step's end before it was put on the constraints; lent to the gate in between */
    double *floor; /* (n) weights with an allowance for noise */
    double *taken; /* (nv) what post-stabilisation took back of softened rows */
    CrdGuards guards;
    CrdLog log;
    CrdStatistics statistics;
    struct CardanSim *owner; /* handed to actions of users */
    CrdConduct conduct;
};

/* Takes the arrays from an arena; called twice, measuring and real. */
void crd_integrator_layout(CrdIntegrator *integrator, const CardanModel *model, const CardanOptions *options,
                           CrdArena *arena);

/* Tolerances of the model there is now: without an absolute one they follow its size. */
void crd_integrator_set_tolerance(CrdIntegrator *integrator);

/* Spreads them over the numbers of the state, if that is still to be done: who makes no steps needs none. */
void crd_integrator_scale(CrdIntegrator *integrator);

/* Parts of a flat vector. */
static inline double *crd_integrator_v(const CrdIntegrator *integrator, double *y) {
    return y + integrator->dynamics.model->structure->nq;
}
static inline double *crd_integrator_z(const CrdIntegrator *integrator, double *y) {
    return crd_integrator_v(integrator, y) + integrator->dynamics.model->structure->nv;
}
static inline double *crd_integrator_tracked(const CrdIntegrator *integrator, double *y) {
    return crd_integrator_z(integrator, y) + integrator->dynamics.model->structure->first_order;
}
static inline double *crd_integrator_work(const CrdIntegrator *integrator, double *y) {
    return y + integrator->stepper.n - 1;
}

/* ---- evaluation ---- */

/* Rows are evaluated with the tracked coordinates of y from now on. */
void crd_integrator_use_tracked(CrdIntegrator *integrator, const double *y);

/* Frames and rows of y at t. */
CardanStatus crd_integrator_evaluate_constraints(CrdIntegrator *integrator, double t, const double *y);

/* The same, whatever was evaluated before: what can be met of imperfect rows is known when they are factored there. */
CardanStatus crd_integrator_evaluate_rows(CrdIntegrator *integrator, double t, const double *y);

/* Forces at y, whose rows the workspace holds: without solving for anything. */
CardanStatus crd_integrator_forces(CrdIntegrator *integrator, const double *y);

/* dydt from the accelerations in dynamics->a and the rates at y, with the work of drives by these multipliers. */
void crd_pack_derivative(const CrdIntegrator *integrator, const double *y, const double *lambda, double *dydt);

/* Does the workspace hold the motion at the present state, and f its derivative? */
bool crd_integrator_is_solved(const CrdIntegrator *integrator);

/* Makes it so. */
CardanStatus crd_integrator_evaluate(CrdIntegrator *integrator);

/* Another state, or other inputs: the motion has to be found again. */
void crd_integrator_touch(CrdIntegrator *integrator);

/* For methods that work with the factor of S at the start of a step: makes the workspace hold it, as it does when
 * nothing was looked at since the last step, and copies the pieces of G M^-1 there. */
CardanStatus crd_integrator_factor_start(CrdIntegrator *integrator, double *pieces);

/* Tracked coordinates of y, whose rows the workspace holds, made exact; it then holds the rows with these. */
CardanStatus crd_integrator_track(CrdIntegrator *integrator, double *y);

/* Puts y at t on its constraints, if there are any, and makes its tracked coordinates exact; the workspace then holds
 * its rows. */
CardanStatus crd_integrator_project(CrdIntegrator *integrator, double t, double *y);

/* Energies of y, whose forces the workspace holds, in J. */
CrdEnergies crd_integrator_energies(const CrdIntegrator *integrator, const double *y);

/* Total energy less work of y, whose forces the workspace holds. */
double crd_integrator_energy(const CrdIntegrator *integrator, const double *y);

/* Largest change of positions between two states, in lengths of the model, rad, or parts of a quaternion. */
double crd_integrator_moved(const CrdIntegrator *integrator, const double *from, const double *to);

/* ---- the state ---- */

/* The state becomes (t, y_new) with the derivative f_new: the one way in, for steps and for resets by events alike. */
void crd_integrator_enter(CrdIntegrator *integrator, double t);

/* The state, whose motion the workspace holds, is accepted: the monitor learns what is healthy, and where redundant
 * rows that were dropped are needed, others are. */
void crd_integrator_learn(CrdIntegrator *integrator);

/* The state is another one: the guards know nothing of it. */
void crd_integrator_reset(CrdIntegrator *integrator);

/* The motion is not smooth at the present state, so the method forgets what it knows from the steps before: it goes on
 * as from a start, its first step included. The derivative is left alone. */
void crd_integrator_restart(CrdIntegrator *integrator);

/* Before a step: the method that makes it is put in place. */
void crd_integrator_choose_method(CrdIntegrator *integrator);

/* One internal step, not beyond t_limit. After a failure the state is that before the step. */
CardanStatus crd_step(CrdIntegrator *integrator, double t_limit);

#endif
