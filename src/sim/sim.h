/* The public simulation object. */
#ifndef CRD_SIM_SIM_H
#define CRD_SIM_SIM_H

#include "cardan/sim.h"
#include "integrate/integrator.h"

struct CardanSim {
    CardanModel *model; /* retained */
    bool started;       /* its creation went well: calls are taken */
    CrdIntegrator integrator;
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
    double *scratch; /* (n) an interpolated or tried state */
};

/* Lays out and opens a simulation without starting it: zeroed state, solver made. The sentence is in (*out)->error. */
CardanStatus crd_sim_open(const CardanModel *model, const CardanOptions *options, CardanSim **out);

/* Makes the message of the last failure or remark; returns status. */
CardanStatus crd_sim_report(CardanSim *sim, CardanStatus status);

/* Frames and rows of the present state; the motion, with multipliers. A message of its own when it cannot be computed.
 */
CardanStatus crd_sim_configuration(CardanSim *sim);
CardanStatus crd_sim_motion(CardanSim *sim);

/* Says that the motion at the present state must be computed again before it is used. */
void crd_sim_touch(CardanSim *sim);

#endif
