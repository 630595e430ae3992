/* Refusing a call on a simulation. A programmer's error leaves its own sentence and changes nothing else. */
#ifndef CRD_SIM_REFUSE_H
#define CRD_SIM_REFUSE_H

#include "sim/sim.h"

/* Writes the sentence over the last one and returns CARDAN_ERR_ARGUMENT; without a simulation there is no place for one
 * (cardan_sim_message of NULL says so). sim->error is left alone: it belongs to a step that may be under way, in which
 * the action of an event made this call. */
CardanStatus crd_refuse(CardanSim *sim, const char *format, ...) CRD_PRINTF(2, 3);

/* What a call needs, each refused with a sentence of its own when it is missing: */
CardanStatus crd_need_sim(CardanSim *sim); /* a simulation that started, and is not calling a callback of its model */
CardanStatus
crd_need_free(CardanSim *sim); /* one, and no action of an event is being called: it may read and set inputs */
CardanStatus crd_need_given(CardanSim *sim, const void *argument, const char *what); /* that it is not NULL */
CardanStatus crd_need_finite(CardanSim *sim, const double *numbers, int count, const char *what);
CardanStatus crd_need_body(CardanSim *sim, CardanBody body); /* a body of this model or the ground */
CardanStatus crd_need_joint(CardanSim *sim, CardanJoint joint);
CardanStatus crd_need_input(CardanSim *sim, CardanInput input);

#endif
