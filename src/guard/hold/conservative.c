/* Whether the energy of a model is kept by its motion: springs without damper and law, gravity, compliant joints
 * without damper, joints that no drive leads. What is the user's own, or may lose or give energy, is named. */
#include "guard/hold/hold.h"

static CardanStatus refuse(const char *what, const char *name, CrdPlace place, CrdError *error) {
    return crd_fail_at(error, CARDAN_ERR_MODEL, place,
                       "stabilise: {energy: true} holds the energy of a conservative model, and %s '%s' may give or "
                       "take energy: leave it out, or let the energy be free",
                       what, name);
}

static CardanStatus check_forces(const CardanModel *model, CrdError *error) {
    const CrdStructure *structure = model->structure;
    for (int i = 0; i < structure->force_count; i++) {
        const CrdForceData *force = &model->values.forces[i];
        const CrdForceKind *kind = crd_force_kinds[force->type];
        bool kept = kind->elastic != NULL && kind->elastic(force);
        for (int k = 0; k < CRD_FORCE_LAWS; k++) kept = kept && structure->laws[CRD_FORCE_LAWS * i + k] == NULL;
        const CrdForceDesc *desc = &model->description->forces[i];
        if (!kept) return refuse("force", desc->name, desc->place, error);
    }
    return CARDAN_OK;
}

static CardanStatus check_element(const CardanModel *model, int index, CrdError *error) {
    const CrdElement *element = &model->structure->elements[index];
    const double *damping = model->values.joints[index].damping;
    bool damped = element->compliant > 0 && (damping[CRD_METRES] != 0.0 || damping[CRD_RADIANS] != 0.0);
    bool led = element->laws > 0 && !(element->kind != NULL && element->kind->curve);
    bool own = element->type == CRD_ELEMENT_USER;
    if (!damped && !led && !own) return CARDAN_OK;
    CrdPlace place = element->joint >= 0 ? model->description->joints[element->joint].place : (CrdPlace){0};
    return refuse(led   ? "driver"
                  : own ? "the user's rows"
                        : "the damped joint",
                  crd_element_name(model, index), place, error);
}

CardanStatus crd_hold_check(const CardanModel *model, const CardanOptions *options, CrdError *error) {
    const CrdStructure *structure = model->structure;
    if (options->stabilise.energy == CARDAN_ENERGY_FREE) return CARDAN_OK;
    CRD_TRY(check_forces(model, error));
    for (int i = 0; i < structure->element_count; i++) CRD_TRY(check_element(model, i, error));
    if (model->description->block_count == 0) return CARDAN_OK;
    const CrdBlockDesc *block = &model->description->blocks[0];
    return refuse("custom block", block->name, block->place, error);
}
