#include "integrate/methods/formulations.h"

#include <assert.h>

static CardanStatus check_projected(const CardanOptions *options, CrdError *error) {
    if (options->stabilise.levels != CARDAN_LEVELS_VELOCITY) return CARDAN_OK;
    return crd_fail(error, CARDAN_ERR_MODEL,
                    "formulation 'projected' on velocities alone lets positions drift; levels must be both or "
                    "position");
}

static CardanStatus check_ggl(const CardanOptions *options, CrdError *error) {
    if (options->stabilise.levels != CARDAN_LEVELS_BOTH || options->stabilise.form != CARDAN_STABILISE_FORM_BLOCK)
        return crd_fail(error, CARDAN_ERR_MODEL,
                        "formulation 'ggl' holds positions and velocities in block form; other levels and forms belong "
                        "to 'projected'");
    if (options->regularise.method != CARDAN_REGULARISE_AUTO && options->regularise.method != CARDAN_REGULARISE_NONE)
        return crd_fail(error, CARDAN_ERR_MODEL,
                        "formulation 'ggl' solves for the multipliers with the step, so 'regularise' can do nothing "
                        "there; leave it out");
    return CARDAN_OK;
}

static const CrdFormulation FORMULATIONS[CARDAN_FORMULATIONS] = {
    [CARDAN_FORMULATION_INDEX1] = {.name = "index1",
                                   .summary = "accelerations with the multipliers eliminated: an ODE"},
    [CARDAN_FORMULATION_GGL] = {.name = "ggl",
                                .summary = "stabilised index 2: multipliers of positions and velocities in each stage",
                                .multipliers = true,
                                .check = check_ggl},
    [CARDAN_FORMULATION_PROJECTED] = {.name = "projected",
                                      .summary = "the ODE, kept on the constraints in each stage by multipliers",
                                      .multipliers = true,
                                      .check = check_projected},
};

const CrdFormulation *crd_formulation(CardanFormulation formulation) {
    assert((int)formulation >= 0 && formulation < CARDAN_FORMULATIONS);
    return &FORMULATIONS[formulation];
}

CrdWord crd_formulation_word(int i) {
    if (i < 0 || i >= CARDAN_FORMULATIONS) return (CrdWord){NULL, NULL};
    return (CrdWord){FORMULATIONS[i].name, FORMULATIONS[i].summary};
}
