/* What can be told of a run before it begins.
 *
 * In a singular pose multipliers of the rows that vanish there are not determined. Steppers of accelerations go through
 * (docs/SINGULAR.md); RATTLE, half-explicit steps and formulations that solve for multipliers stop in most of them, by
 * name, and where that is cannot be known beforehand: that a loop may have such a pose can. */
#include "sim/sim.h"

#include "integrate/methods/formulations.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

/* What stops there, in words; false: nothing does. */
static bool stops_in_poses(const CardanOptions *options, char *who, size_t size) {
    const CrdMethod *method = crd_method(options->stepper);
    if (method->stops_in_poses) return snprintf(who, size, "stepper %s", method->name) > 0;
    if (options->formulation == CARDAN_FORMULATION_INDEX1) return false;
    return snprintf(who, size, "formulation %s", crd_formulation(options->formulation)->name) > 0;
}

CardanStatus crd_sim_foresee(CardanSim *sim, CardanStatus started) {
    const CrdStructure *structure = sim->model->structure;
    char who[64], said[sizeof sim->error.text];
    assert(started >= 0);
    if (structure->watched_count == 0 || !stops_in_poses(&sim->integrator.options, who, sizeof who)) return started;
    memcpy(said, sim->error.text, sizeof said);
    crd_error_clear(&sim->error);
    return crd_fail(&sim->error, CARDAN_REMARK,
                    "%.500s%s%s may stop in singular poses, which the loop of joint '%s' can have: every stepper but "
                    "rattle and hem passes them with formulation index1",
                    said, said[0] != '\0' ? "; " : "", who, crd_element_name(sim->model, structure->watched[0]));
}
