/* The user's own wrenches on any number of bodies, at their centres of mass in ground axes. They have no potential. */
#include "force/records.h"

#include <string.h>

static CardanStatus apply(const CrdForceData *f, const CrdForceInput *in, CrdLoads *loads) {
    for (int i = 0; i < f->bodies; i++) in->gathered[i] = in->frames[f->carriers[i]];
    memset(in->wrench, 0, (size_t)f->bodies * sizeof *in->wrench);
    CRD_TRY(f->callback(f->user, in->t, in->gathered, in->inputs, in->wrench));
    for (int i = 0; i < f->bodies; i++) {
        int carrier = f->carriers[i];
        CrdVec moment = crd_apply_t(in->frames[carrier].rotation, in->wrench[i].moment);
        loads->power += crd_push(loads, in->frames, carrier, crd_vec(0, 0, 0), in->wrench[i].force);
        loads->power += crd_twist(loads, in->frames, carrier, moment);
    }
    return CARDAN_OK;
}

const CrdForceKind crd_callback = {.name = NULL, .apply = apply};
