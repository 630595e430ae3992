/* The second way to step a simulation: the same model in relative coordinates (model/relative.h).
 *
 * The absolute integrator stays the simulation's own: the start, what is read, and every hard case are its. While the
 * way is clear a second integrator, on the relative model, makes the steps, and after each the absolute state follows
 * it. Where that one is in doubt (a pivot of its loop rows falls, a step does not succeed, whatever the reason), the
 * absolute integrator makes the step from the same state, with all its guards, and goes on until the mechanism has been
 * healthy for some steps. So singular poses, locked mechanisms, uneven masses and the sentences about them are those
 * of absolute coordinates, and both ways are compared with each other while they run. */
#ifndef CRD_SIM_RELATIVE_H
#define CRD_SIM_RELATIVE_H

#include "integrate/interpolate.h"

typedef struct CardanSim CardanSim;

typedef struct CrdRelative {
    CardanModel *model; /* in relative coordinates; NULL: all steps are absolute */
    CrdIntegrator integrator;
    CrdArena arena;
    CrdError error;        /* of its steps: what counts is told by the absolute ones */
    bool *redundant;       /* (rows) */
    double *accelerations; /* (nv of the absolute model) by the relative equations, to be compared */
    double *y;             /* (n) an interpolated state */
    CrdSystem aside;       /* without loop rows: its frames, so that the workspace keeps those of the next step */
    bool leads;            /* its state is the simulation's */
    bool made;             /* it made the last step, which can be sampled */
    bool caught_up;        /* the absolute integrator has learnt from this state what it needs to go on */
    bool knows_rows;       /* its redundant rows are chosen */
    bool knows_before;     /* of loops: it made the last step without an event, from y_old at t_old */
    long rest;             /* absolute steps until it is asked again */
    long pause;            /* the rest after the next doubt */
    long since;            /* steps since it took over */
    char reason[256];      /* why steps are relative, or not */
} CrdRelative;

/* Makes it where options and model allow; `auto` only where a gain is expected. A failure: `coordinates: relative` was
 * asked for and cannot be. */
CardanStatus crd_relative_open(CardanSim *sim, const CardanOptions *options);
void crd_relative_close(CrdRelative *relative);

/* The same for good: all steps are absolute from now on, for this reason. */
void crd_relative_dismiss(CrdRelative *relative, const char *why);

/* Absolute steps after the first doubt. */
enum { CRD_RELATIVE_PAUSE = 4 };

/* sim/relative_tree.c: a tree of ordinary masses, for which nobody has to ask the absolute equations. */
bool crd_relative_is_tree(const CardanSim *sim);

/* Begins such a simulation from the state as written, if that closes its joints; false: crd_start has to. */
bool crd_relative_start(CardanSim *sim);

/* Do its accelerations solve the equations of motion? */
CardanStatus crd_relative_check(CardanSim *sim);

/* Can no step of it fail after it was accepted? Then what a failed one may have changed is this, and no state is kept.
 */
typedef struct CrdBefore {
    CrdController controller;
    double accepted, before; /* as in CrdStages */
    long rest, pause, since;
} CrdBefore;
bool crd_relative_is_plain(const CardanSim *sim);
CrdBefore crd_relative_before(const CardanSim *sim);
void crd_relative_put_back(CardanSim *sim, const CrdBefore *before);

/* sim/relative_state.c: the relative state of the absolute one, whose frames are in its workspace; and the absolute one
 * of the relative one. */
void crd_relative_enter(CardanSim *sim);
CardanStatus crd_relative_follow(CardanSim *sim);

/* z, tracked and work of a state. */
void crd_relative_carry_rest(const CrdIntegrator *to, double *y, const CrdIntegrator *from, const double *y_from);

/* Where the absolute integrator goes on, having been evaluated at the present state: its guards learn of that state and
 * of the one before it, so that they know as much as if the last step had been its own. */
void crd_relative_join(CardanSim *sim);

/* Takes over at the start of a simulation, if it can; what has to be allocated is allocated here. */
void crd_relative_begin(CardanSim *sim);

/* One step, if it is its turn and it succeeds; *made says so. Nothing has changed when not. */
CardanStatus crd_relative_step(CardanSim *sim, double t_limit, bool *made);

/* After a step of the absolute integrator. */
void crd_relative_rest(CardanSim *sim);

/* What acts on it changed from outside. */
void crd_relative_touch(CardanSim *sim);

/* The absolute state was changed from outside, and is the simulation's. */
void crd_relative_leave(CardanSim *sim);

/* The model has other numbers. */
CardanStatus crd_relative_use(CardanSim *sim);

/* Absolute accelerations at the present state, if it is its; false: the absolute equations have to be asked. */
bool crd_relative_evaluate(CardanSim *sim, double *accelerations);

/* The absolute workspace made to hold the present motion with all multipliers, by the relative equations and without a
 * factor; false: the absolute ones have to be asked. The same of the state that crd_relative_interpolate made at t. */
bool crd_relative_motion(CardanSim *sim);
bool crd_relative_motion_inside(CardanSim *sim, double t);

/* The state at t inside the last step, which it made, as absolute numbers in sim->scratch; the absolute workspace then
 * holds its frames, and as much of its rows as is needed. */
CardanStatus crd_relative_interpolate(CardanSim *sim, double t, CrdMeasureNeed need, const CrdRowClosing *closing);

/* What integrators in both coordinates share: control, statistics, log, guards, time. */
void crd_relative_carry(CrdIntegrator *to, const CrdIntegrator *from);

/* What it remembers, as numbers of a saved state; the same of another simulation, for a clone. */
int crd_relative_memory_size(const CrdRelative *relative);
void crd_relative_get(const CrdRelative *relative, double *numbers);
void crd_relative_set(CardanSim *sim, const double *numbers);
CardanStatus crd_relative_copy(CardanSim *to, const CardanSim *from);

#endif
