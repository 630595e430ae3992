/* Reactions and channels: numbers a user reads, from what the workspace holds. */
#ifndef CRD_SIM_CHANNEL_H
#define CRD_SIM_CHANNEL_H

#include "cardan/sim.h"
#include "integrate/interpolate.h"

/* What body b of the element's joint receives, at the joint's point of b: ground axes, or the joint's axes on a: e1,
 * e2, axis in space; axis, e1 in the plane; a's own axes for a joint without axis. Of redundant joints by the least
 * multipliers. */
CardanWrench crd_reaction(CrdIntegrator *integrator, int element, bool local);

/* What the body of another frame that the element holds receives of it, ground axes: of a joint at its point there
 * (where a wheel touches, of both), of a coupler at that of the first of its joints there, of rows of the user's at the
 * centre of mass. */
CardanWrench crd_reaction_on(CrdIntegrator *integrator, int element, int frame);

/* What an element that has them puts along its coordinate, and feeds in; by the same multipliers. */
double crd_reaction_effort(CrdIntegrator *integrator, int element);
double crd_reaction_power(CrdIntegrator *integrator, int element);

/* Whether a channel handed back is one of this model: measure, object and width in range, and a joint that has what is
 * asked of it. */
bool crd_is_channel(const CardanModel *model, CardanChannel channel);

/* Which of these wrenches (by element) are the same for all multipliers that give this motion. projector: rows x rows,
 * part: rows, both scratch. false: it cannot be told. */
bool crd_reactions_unique(CrdIntegrator *integrator, double *projector, double *part, bool *unique);

/* What a channel is of. */
CrdLawMeasure crd_channel_measure(CardanChannel channel);

/* Channels of this model, and what they need. */
typedef struct CrdAsked {
    int count;
    const CardanChannel *channel;
    CrdMeasureNeed need;
    const CrdRowClosing *closing;
    bool work;        /* of forces is among them */
    const int *place; /* by channel: bytes behind the first frame where its value stands; < 0: it has to be made;
                         NULL: not looked up */
    int stand;        /* so many of the first stand there */
} CrdAsked;

CrdAsked crd_asked_of(int channels, const CardanChannel *channel);

/* Looks the places up, for rows by the thousand. */
void crd_find_places(const CardanModel *model, CrdAsked *asked, int *place);

/* Are these channels of the simulation's model? A refusal says which is not. */
CardanStatus crd_check_channels(CardanSim *sim, int channels, const CardanChannel *channel);

/* cardan_sim_sample of channels that were checked. */
CardanStatus crd_sim_sample(CardanSim *sim, double t, const CrdAsked *asked, double *values);

/* Calls the reader with the state at t inside the last step, made in sim->scratch, while the workspace holds what is
 * needed of it and the pieces of laws are those that held there. A look counts for nothing. */
typedef CardanStatus (*CrdReader)(CardanSim *sim, double *y, void *user);
CardanStatus crd_read_inside(CardanSim *sim, double t, CrdMeasureNeed need, const CrdRowClosing *closing,
                             CrdReader read, void *user);

/* Values of one channel; y is the state of which the workspace holds what it needs. */
CardanStatus crd_channel_values(CrdIntegrator *integrator, const double *y, CardanChannel channel, double *values);

#endif
