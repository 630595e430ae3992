/* The public simulation object. */
#ifndef CRD_SIM_SIM_H
#define CRD_SIM_SIM_H

#include "cardan/sim.h"
#include "integrate/integrator.h"
#include "sim/force_work.h"
#include "sim/relative.h"

struct CardanSim {
    CardanModel *model;       /* retained */
    bool started;             /* its creation went well: calls are taken */
    bool busy;                /* a call is at work, and may be inside a callback of the model's */
    CrdIntegrator integrator; /* in absolute coordinates: what is read */
    CrdRelative relative;
    CrdPool *pool; /* its threads, for both; NULL: the caller's alone */
    CrdForceWork work;
    CrdArena arena;                       /* the one block of everything in run */
    CrdError error;                       /* the last failure or remark */
    char message[CRD_MESSAGE_SIZE + 512]; /* the same with its place, for people */
    double *inputs;                       /* (input_count) */
    CardanTwistRow *wrenches;             /* by frame: for the coming advance */
    bool pushed;                          /* a wrench is set */
    bool spent;                           /* its advance is over: it goes with the next call */
    bool *unique;                         /* by element: reactions, at this time and step count */
    bool *softened;                       /* by element: rows that the regularisation softened, likewise */
    double unique_t, softened_t;
    long unique_steps, softened_steps;
    double *scratch;      /* (n) an interpolated or tried state */
    double *kept;         /* (state_size) the state before a step, or before another one is tried */
    double *failed;       /* (state_size) that after a step that failed */
    struct CrdSlow *slow; /* what keeps it on the slow manifold; NULL: nothing does */
};

/* After a start: a remark, added to one there is, where the stepper may stop in singular poses that others pass. */
CardanStatus crd_sim_foresee(CardanSim *sim, CardanStatus started);

/* From here on callbacks of the model may be called, which must not use the simulation; until crd_sim_leave with what
 * was so before. (The action of an event may read it, and reading calls callbacks again.) */
typedef struct CrdCall {
    bool busy, acting;
} CrdCall;
CrdCall crd_sim_enter(CardanSim *sim);
void crd_sim_leave(CardanSim *sim, CrdCall before);

/* Lays out and opens a simulation without starting it: zeroed state, solver made. The sentence is in (*out)->error. */
CardanStatus crd_sim_open(const CardanModel *model, const CardanOptions *options, CardanSim **out);

/* Makes the threads that it is to have, if there are none yet, and hands them to its integrators. */
CardanStatus crd_sim_share(CardanSim *sim);

/* Puts the description's start into the state, on the constraints and, with `slow`, where the model asks for it on the
 * slow manifold; takes the first energies and residuals. */
CardanStatus crd_sim_begin(CardanSim *sim, bool slow);

/* Makes the message of the last failure or remark; returns status. */
CardanStatus crd_sim_report(CardanSim *sim, CardanStatus status);

/* Frames and rows of the present state; the motion, with multipliers; with the factor of all rows, which relative steps
 * have none of. A message of its own when it cannot be computed. */
CardanStatus crd_sim_configuration(CardanSim *sim);
CardanStatus crd_sim_motion(CardanSim *sim);
CardanStatus crd_sim_factored_motion(CardanSim *sim);

/* Says that the motion at the present state must be computed again before it is used. */
void crd_sim_touch(CardanSim *sim);

/* sim/slow.c: puts the start on the slow manifold if the model asks for it, and keeps what is needed to go on with it;
 * makes that again for another model, or for a copy; lets it go. */
CardanStatus crd_sim_slow_begin(CardanSim *sim);
CardanStatus crd_sim_slow_use(CardanSim *sim);
void crd_sim_slow_end(CardanSim *sim);

/* When the state is to be put on the slow manifold next; INFINITY: never. And doing so, at that time. */
double crd_sim_slow_next(const CardanSim *sim);
CardanStatus crd_sim_slow_again(CardanSim *sim);

/* The whole state as numbers. */
void crd_sim_keep_state(const CardanSim *sim, double *state);

/* Puts a state of finite numbers in place as it is; its constraints are not looked at. */
void crd_sim_put_state(CardanSim *sim, const double *state);

/* After a step to t_limit that failed, with the state before it in place and in sim->kept: is it a fixed step that is
 * too long? Then the sentence says so. What was known of the last step is lost, the state is as before. */
bool crd_sim_blames_step(CardanSim *sim, double t_limit);

#endif
