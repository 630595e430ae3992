/* What is known of a model's constraints without simulating: residuals of the pose as given, whether it can be
 * assembled, rank and redundant joints. Nothing is refused here but what cannot be computed. */
#include "analysis/assemble.h"
#include "analysis/rank.h"
#include "core/numbers.h"
#include "sim/sim.h"

#include <math.h>
#include <string.h>

static void joint_residuals(const CrdDynamics *dynamics, double *residual) {
    const CrdStructure *structure = dynamics->model->structure;
    for (int i = 0; i < structure->joint_count; i++) {
        const CrdElement *element = &structure->elements[structure->element_of_joint[i]];
        residual[2 * i] = crd_max_abs(dynamics->system.g + element->first, element->rows);
        residual[2 * i + 1] = crd_max_abs(dynamics->system.rate + element->first, element->rows);
    }
}

static CardanStatus measure_given(CardanSim *sim, CardanCheck *check, double *joint_residual) {
    CrdDynamics *dynamics = &sim->integrator.dynamics;
    const CrdStructure *structure = sim->model->structure;
    double *q = sim->integrator.stepper.y, *v = crd_integrator_v(&sim->integrator, q);
    memcpy(q, sim->model->values.q0, (size_t)structure->nq * sizeof *q);
    memcpy(v, sim->model->values.v0, (size_t)structure->nv * sizeof *v);
    memcpy(crd_integrator_tracked(&sim->integrator, q), sim->model->values.tracked,
           (size_t)structure->tracked_count * sizeof *v);
    crd_normalise(structure, q);
    CRD_TRY(crd_integrator_evaluate_constraints(&sim->integrator, 0.0, q));
    check->velocities = structure->nv;
    check->rows = structure->rows;
    check->residual_position = crd_max_abs(dynamics->system.g, structure->rows);
    check->residual_velocity = crd_max_abs(dynamics->system.rate, structure->rows);
    if (joint_residual != NULL) joint_residuals(dynamics, joint_residual);
    return CARDAN_OK;
}

/* By the sparse factor, which dependent rows stop: then the pose stays as it is given. */
static CardanStatus assemble_sparse(CardanSim *sim, CrdAssembly *assembly) {
    const CrdStructure *structure = sim->model->structure;
    double *q = sim->integrator.stepper.y, *v = crd_integrator_v(&sim->integrator, q);
    CardanStatus status = crd_assemble(assembly, 0.0, q, v);
    if (status != CARDAN_ERR_NUMERIC) return status;
    crd_error_clear(&sim->error);
    memcpy(q, sim->model->values.q0, (size_t)structure->nq * sizeof *q);
    crd_normalise(structure, q);
    return CARDAN_OK;
}

static CardanStatus assemble_dense(CardanSim *sim, CrdAssembly *assembly) {
    CrdSpectrum spectrum;
    CardanStatus status = crd_spectrum_open(&spectrum, sim->model, &sim->error);
    assembly->spectrum = &spectrum;
    double *q = sim->integrator.stepper.y;
    if (status >= 0) status = crd_assemble(assembly, 0.0, q, crd_integrator_v(&sim->integrator, q));
    crd_spectrum_close(&spectrum);
    assembly->spectrum = NULL;
    return status;
}

/* Moves q to the constraints if it can be done. */
static CardanStatus assemble(CardanSim *sim, CardanCheck *check, bool *held) {
    double allowed = CRD_START_RESIDUAL * sim->model->values.size, given = crd_left(&sim->integrator.dynamics);
    CrdAssembly assembly = {.dynamics = &sim->integrator.dynamics,
                            .held = crd_find_held(sim->model, held) ? held : NULL,
                            .far = given > allowed,
                            .left = given};
    CardanStatus status =
        crd_spectrum_fits(sim->model->structure) ? assemble_dense(sim, &assembly) : assemble_sparse(sim, &assembly);
    check->assembled = assembly.left <= allowed;
    return status;
}

static CardanStatus look(CardanSim *sim, CardanCheck *check, bool *element, bool *joint_redundant) {
    const CrdStructure *structure = sim->model->structure;
    double *q = sim->integrator.stepper.y, *v = crd_integrator_v(&sim->integrator, q);
    CrdRank rank;
    CRD_TRY(crd_rank(&sim->integrator.dynamics, 0.0, q, v, &rank, element, NULL));
    check->degrees_of_freedom = structure->nv - rank.rank;
    check->redundant_rows = structure->rows - rank.rank;
    check->singular = rank.singular;
    /* An imperfect loop is assembled when its rows are met as well as can be. */
    if (rank.dense && rank.opening <= sim->integrator.dynamics.redundancy.tolerance) check->assembled = true;
    for (int i = 0; joint_redundant != NULL && i < structure->joint_count; i++)
        joint_redundant[i] = element[structure->element_of_joint[i]];
    if (rank.exact || rank.rank == structure->rows) return CARDAN_OK;
    return crd_fail(&sim->error, CARDAN_REMARK,
                    "rows are dependent, but the model is too large to count them: at least one is redundant or the "
                    "pose is singular, and only the first joint concerned is named");
}

static CardanStatus check_opened(CardanSim *sim, CardanCheck *check, bool *joint_redundant, double *joint_residual) {
    const CrdStructure *structure = sim->model->structure;
    CRD_TRY(measure_given(sim, check, joint_residual));
    int blocks = structure->block_count, elements = structure->element_count;
    bool *flags = crd_new((size_t)(blocks > elements ? blocks : elements), sizeof *flags);
    if (flags == NULL) return crd_fail_memory(&sim->error);
    CardanStatus status = assemble(sim, check, flags);
    if (status >= 0) status = look(sim, check, flags, joint_redundant);
    crd_delete(flags);
    return status;
}

CardanStatus cardan_model_check(const CardanModel *model, CardanCheck *check, bool *joint_redundant,
                                double *joint_residual, char *message, size_t size) {
    if (message != NULL && size > 0) message[0] = '\0';
    if (model == NULL || check == NULL)
        return crd_refuse_call(message, size, "%s is NULL", model == NULL ? "the model" : "the place for the findings");
    memset(check, 0, sizeof *check);
    CardanOptions options = cardan_default_options();
    options.redundancy = cardan_model_options(model).redundancy; /* the rest of them is not needed here */
    CardanSim *sim = NULL;
    CardanStatus status = crd_sim_open(model, &options, &sim);
    if (status >= 0) status = check_opened(sim, check, joint_redundant, joint_residual);
    CrdError none = {.status = status, .text = "out of memory"};
    if (status != CARDAN_OK) crd_tell(sim != NULL ? &sim->error : &none, model->description->file, message, size);
    cardan_sim_destroy(sim);
    return status;
}
