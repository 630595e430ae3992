/* The user's own wrenches on any number of bodies, at their centres of mass in ground axes. They have no potential.
 * Their derivatives come from the user too; without them from central differences along the change, whose step is the
 * cube root of the rounding (CRD_DIFFERENCE_STEP): good to about 1e-10 where lengths and speeds are of size 1. */
#include "core/numbers.h"
#include "force/records.h"

#include <string.h>

static CardanStatus wrenches(const CrdForceData *f, const CrdForceInput *in) {
    memset(in->wrench, 0, (size_t)f->bodies * sizeof *in->wrench);
    return f->callback(f->user, in->t, in->gathered, in->inputs, in->wrench);
}

static CardanStatus apply(const CrdForceData *f, const CrdForceInput *in, CrdLoads *loads) {
    for (int i = 0; i < f->bodies; i++) in->gathered[i] = in->frames[f->carriers[i]];
    CRD_TRY(wrenches(f, in));
    for (int i = 0; i < f->bodies; i++) {
        int carrier = f->carriers[i];
        CrdVec moment = crd_apply_t(in->frames[carrier].rotation, in->wrench[i].moment);
        loads->power += crd_push(loads, in->frames, carrier, crd_vec(0, 0, 0), in->wrench[i].force);
        loads->power += crd_twist(loads, in->frames, carrier, moment);
    }
    return CARDAN_OK;
}

/* ---- derivatives ---- */

/* Adds s times a load: force in ground axes, moment in own axes. */
static void add(CrdLoads *change, int carrier, double s, CrdVec force, CrdVec moment) {
    double *load = change->load[carrier];
    crd_put(load, crd_axpy(crd_vec_of(load), s, force));
    crd_put(load + 3, crd_axpy(crd_vec_of(load + 3), s, moment));
}

static CardanStatus by_differences(const CrdForceData *f, const CrdForceInput *in, CrdLoads *change) {
    for (int side = -1; side <= 1; side += 2) {
        double h = side * CRD_DIFFERENCE_STEP;
        for (int i = 0; i < f->bodies; i++)
            in->gathered[i] = crd_changed_frame(&in->frames[f->carriers[i]], &in->changes[f->carriers[i]], h);
        CRD_TRY(wrenches(f, in));
        for (int i = 0; i < f->bodies; i++)
            add(change, f->carriers[i], 0.5 / h, in->wrench[i].force,
                crd_apply_t(in->gathered[i].rotation, in->wrench[i].moment));
    }
    return CARDAN_OK;
}

static CardanStatus along(const CrdForceData *f, const CrdForceInput *in, CrdLoads *change) {
    if (f->change == NULL) return by_differences(f, in, change);
    for (int i = 0; i < f->bodies; i++) {
        in->gathered[i] = in->frames[f->carriers[i]];
        in->gathered_changes[i] = in->changes[f->carriers[i]];
    }
    CRD_TRY(wrenches(f, in));
    for (int i = 0; i < f->bodies; i++) { /* the part that comes from turning the moment into own axes */
        CrdVec own = crd_apply_t(in->gathered[i].rotation, in->wrench[i].moment);
        add(change, f->carriers[i], -1.0, crd_vec(0, 0, 0), crd_cross(in->gathered_changes[i].turn, own));
    }
    memset(in->wrench, 0, (size_t)f->bodies * sizeof *in->wrench);
    CRD_TRY(f->change(f->user, in->t, in->gathered, in->gathered_changes, in->inputs, in->wrench));
    for (int i = 0; i < f->bodies; i++)
        add(change, f->carriers[i], 1.0, in->wrench[i].force,
            crd_apply_t(in->gathered[i].rotation, in->wrench[i].moment));
    return CARDAN_OK;
}

const CrdForceKind crd_callback = {.name = NULL, .apply = apply, .along = along};
