#include "integrate/fits.h"

#include "integrate/formulation.h"
#include "integrate/methods/implicit.h"
#include "integrate/methods/method.h"

#include <assert.h>

static bool is_springy(const CardanModel *model) {
    bool any = model->structure->compliant_count > 0;
    for (int i = 0; !any && i < model->structure->force_count; i++)
        any = crd_force_kinds[model->values.forces[i].type]->compliance != NULL;
    return any;
}

static CardanStatus check_demands(const CardanModel *model, const CrdMethod *method, CrdError *error) {
    const CrdStructure *structure = model->structure;
    for (int b = 0; (method->demands & CRD_FIXED_MASSES) != 0 && b < structure->block_count; b++)
        if (structure->blocks[b].kind == CRD_CUSTOM_BLOCK)
            return crd_fail(error, CARDAN_ERR_MODEL,
                            "stepper '%s' needs masses that do not change, and block '%s' has a mass matrix of its own",
                            method->name, model->description->blocks[structure->blocks[b].object].name);
    if ((method->demands & CRD_HOLONOMIC) != 0 && structure->holonomic_rows != structure->rows)
        return crd_fail(error, CARDAN_ERR_MODEL,
                        "stepper '%s' has no place for nonholonomic rows (rolling, knife edges); use an explicit one",
                        method->name);
    if ((method->demands & CRD_NO_ROWS) != 0 && structure->rows > 0)
        return crd_fail(error, CARDAN_ERR_MODEL,
                        "stepper '%s' cannot keep joints closed and the model has %d constraint rows; use rattle",
                        method->name, structure->rows);
    if ((method->demands & CRD_SPRINGY) != 0 && !is_springy(model))
        return crd_fail(error, CARDAN_ERR_MODEL,
                        "stepper '%s' is for stiff compliant joints and bushings, and the model has none; use rk4",
                        method->name);
    return CARDAN_OK;
}

static CardanStatus check_stages(const CardanModel *model, const CardanOptions *options, const CrdMethod *method,
                                 CrdError *error) {
    const CrdStructure *structure = model->structure;
    assert(method->stages != NULL && method->formulations != 0);
    int multipliers = crd_form_multipliers(structure, options, method->stages->symmetric);
    if (multipliers > 0 && options->stabilise.form == CARDAN_STABILISE_FORM_FULL &&
        structure->holonomic_rows != structure->rows)
        return crd_fail(error, CARDAN_ERR_MODEL,
                        "the full form of projection has no place for nonholonomic rows; use form: block");
    return CARDAN_OK;
}

CardanStatus crd_method_check(const CardanModel *model, const CardanOptions *options, CrdError *error) {
    const CrdMethod *method = crd_method(options->stepper);
    CRD_TRY(check_demands(model, method, error));
    return method->stages != NULL ? check_stages(model, options, method, error) : CARDAN_OK;
}
