/* Force at a point of a body: in ground axes, or in the body's own axes when it follows it. It has no potential. */
#include "force/records.h"

static CardanStatus apply(const CrdForceData *f, const CrdForceInput *in, CrdLoads *loads) {
    CrdVec value = crd_vec_of(in->value);
    if (f->follower) value = crd_apply(in->frames[f->body].rotation, value);
    loads->power += crd_push(loads, in->frames, f->body, f->point, value);
    return CARDAN_OK;
}

const CrdForceKind crd_force = {.name = "force", .apply = apply};
