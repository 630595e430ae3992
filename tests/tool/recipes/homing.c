/* The recipe of a force: a point of a body is drawn to the origin of the ground, p where it is.
 *     force -stiffness p,   potential stiffness p . p / 2 */
#include "force/records.h"

typedef struct Homing {
    int body;
    CrdVec point; /* m; own axes */
    double stiffness;
} Homing;
CRD_FITS(Homing);

static CardanStatus apply(const CrdForceData *data, const CrdForceInput *in, CrdLoads *loads) {
    const Homing *force = crd_own(data);
    CrdVec p = crd_point_of(&in->frames[force->body], force->point).p;
    loads->potential += 0.5 * force->stiffness * crd_dot(p, p);
    crd_push(loads, in->frames, force->body, force->point, crd_scale(-force->stiffness, p));
    return CARDAN_OK;
}

static CardanStatus along(const CrdForceData *data, const CrdForceInput *in, CrdLoads *change) {
    const Homing *force = crd_own(data);
    const CardanFrame *body = &in->frames[force->body];
    CrdVec p = crd_point_of(body, force->point).p;
    CrdVec dp = crd_point_change(body, &in->changes[force->body], force->point).p;
    crd_push_change(change, in, force->body, force->point, crd_vec(0, 0, 0), crd_scale(-force->stiffness, p),
                    crd_scale(-force->stiffness, dp));
    return CARDAN_OK;
}

static bool elastic(const CrdForceData *force) {
    (void)force;
    return true;
}

static const CrdField FIELDS[] = {
    CRD_ROW_BODY(Homing),
    CRD_ROW_BODY_POINT(Homing),
    {"stiffness", CRD_HOLDS_NUMBERS, CRD_ONE, CRD_REQUIRED, CRD_NOT_NEGATIVE, .unit = "N/m",
     CRD_AT(Homing, stiffness, stiffness), .doc = "Force per distance from the origin."},
};

const CrdForceKind crd_homing = {.name = "homing",
                                 .doc = "A point of a body is drawn to the origin of the ground.",
                                 .fields = CRD_FIELDS(FIELDS),
                                 .apply = apply,
                                 .along = along,
                                 .elastic = elastic};
