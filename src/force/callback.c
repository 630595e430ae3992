/* The user's own wrenches on any number of bodies, at their centres of mass in ground axes. They have no potential.
 * Their derivatives come from the user too; without them from central differences along the change, whose step is the
 * cube root of the rounding (CRD_DIFFERENCE_STEP): good to about 1e-10 where lengths and speeds are of size 1. */
#include "core/callback.h"
#include "core/numbers.h"
#include "force/records.h"

#include <string.h>

typedef struct Callback {
    CardanForceCallback callback;
    CardanForceChangeCallback change;
    void *user;
} Callback;
CRD_FITS(Callback);

/* Whose it is and when is said by the caller. */
static CardanStatus finite(const CrdForceInput *in, int count, const char *what) {
    if (crd_are_finite(in->wrench, (size_t)count * sizeof *in->wrench / sizeof(double))) return CARDAN_OK;
    return crd_fail(in->error, CARDAN_ERR_NUMERIC, "its %s gave a number that is not finite", what);
}

static CardanStatus wrenches(const CrdForceData *force, const CrdForceInput *in) {
    const Callback *own = crd_own(force);
    assert(own->callback != NULL && force->points >= 1);
    memset(in->wrench, 0, (size_t)force->points * sizeof *in->wrench);
    CardanStatus status = own->callback(own->user, in->t, in->gathered, in->inputs, in->wrench);
    return status < 0 ? status : finite(in, force->points, "callback");
}

static CardanStatus apply(const CrdForceData *force, const CrdForceInput *in, CrdLoads *loads) {
    for (int i = 0; i < force->points; i++) in->gathered[i] = in->frames[force->point[i].frame];
    CRD_TRY(wrenches(force, in));
    for (int i = 0; i < force->points; i++) {
        int frame = force->point[i].frame;
        CrdVec moment = crd_apply_t(in->frames[frame].rotation, in->wrench[i].moment);
        loads->power += crd_push(loads, in->frames, frame, crd_vec(0, 0, 0), in->wrench[i].force);
        loads->power += crd_twist(loads, in->frames, frame, moment);
    }
    return CARDAN_OK;
}

/* ---- derivatives ---- */

/* Adds s times a load: force in ground axes, moment in own axes. */
static void add(CrdLoads *change, int frame, double s, CrdVec force, CrdVec moment) {
    double *load = change->load[frame];
    crd_put(load, crd_axpy(crd_vec_of(load), s, force));
    crd_put(load + 3, crd_axpy(crd_vec_of(load + 3), s, moment));
}

static CardanStatus by_differences(const CrdForceData *force, const CrdForceInput *in, CrdLoads *change) {
    for (int side = -1; side <= 1; side += 2) {
        double h = side * CRD_DIFFERENCE_STEP;
        for (int i = 0; i < force->points; i++)
            in->gathered[i] =
                crd_changed_frame(&in->frames[force->point[i].frame], &in->changes[force->point[i].frame], h);
        CRD_TRY(wrenches(force, in));
        for (int i = 0; i < force->points; i++)
            add(change, force->point[i].frame, 0.5 / h, in->wrench[i].force,
                crd_apply_t(in->gathered[i].rotation, in->wrench[i].moment));
    }
    return CARDAN_OK;
}

static CardanStatus along(const CrdForceData *force, const CrdForceInput *in, CrdLoads *change) {
    const Callback *user = crd_own(force);
    if (user->change == NULL) return by_differences(force, in, change);
    for (int i = 0; i < force->points; i++) {
        in->gathered[i] = in->frames[force->point[i].frame];
        assert(in->gathered_changes != NULL);
        in->gathered_changes[i] = in->changes[force->point[i].frame];
    }
    CRD_TRY(wrenches(force, in));
    for (int i = 0; i < force->points; i++) { /* the part that comes from turning the moment into own axes */
        CrdVec own = crd_apply_t(in->gathered[i].rotation, in->wrench[i].moment);
        add(change, force->point[i].frame, -1.0, crd_vec(0, 0, 0), crd_cross(in->gathered_changes[i].turn, own));
    }
    memset(in->wrench, 0, (size_t)force->points * sizeof *in->wrench);
    CRD_TRY(user->change(user->user, in->t, in->gathered, in->gathered_changes, in->inputs, in->wrench));
    CRD_TRY(finite(in, force->points, "change"));
    for (int i = 0; i < force->points; i++)
        add(change, force->point[i].frame, 1.0, in->wrench[i].force,
            crd_apply_t(in->gathered[i].rotation, in->wrench[i].moment));
    return CARDAN_OK;
}

static const CrdField FIELDS[] = {
    {"bodies_list", CRD_HOLDS_BODY_LIST, CRD_ONE, CRD_REQUIRED, .def = offsetof(CardanForceDef, bodies_list),
     .flag = offsetof(CardanForceDef, bodies), .doc = "The bodies it reads and acts on."},
    {"callback", CRD_HOLDS_POINTER, CRD_ONE, CRD_REQUIRED, CRD_AT(Callback, callback, callback),
     .doc = "Its wrenches."},
    {"change", CRD_HOLDS_POINTER, CRD_ONE, CRD_AT(Callback, change, change), .doc = "Their derivatives."},
    {"user", CRD_HOLDS_POINTER, CRD_ONE, CRD_AT(Callback, user, user), .doc = "Handed to both."},
};

const CrdForceKind crd_callback = {.doc = "The user's own wrenches on any number of bodies.",
                                   .fields = CRD_FIELDS(FIELDS),
                                   .apply = apply,
                                   .along = along};
