#include "tangent/copy.h"

#include <assert.h>
#include <stdio.h>

CardanStatus crd_on_copy(CardanSim *sim, CardanStatus (*work)(CardanSim *copy, void *user), void *user) {
    assert(sim != NULL && work != NULL);
    CardanSim *copy = NULL;
    CRD_TRY(cardan_sim_clone(sim, &copy));
    CrdCall before = crd_sim_enter(sim);
    CardanStatus status = work(copy, user);
    crd_sim_leave(sim, before);
    snprintf(sim->message, sizeof sim->message, "%s", status < 0 ? cardan_sim_message(copy) : "");
    cardan_sim_destroy(copy);
    return status;
}
