/* What is known of a model's constraints without simulating: residuals of the pose as given, whether it can be
 * assembled, rank and redundant joints. Nothing is refused here but what cannot be computed. */
#include "analysis/assemble.h"
#include "analysis/rank.h"
#include "core/numbers.h"
#include "sim/sim.h"

#include <math.h>
#include <string.h>

static void joint_residuals(const CrdDynamics *d, double *residual) {
    const CrdShape *s = d->model->shape;
    for (int i = 0; i < s->joint_count; i++) {
        const CrdElement *e = &s->elements[s->element_of_joint[i]];
        residual[2 * i] = crd_worst(d->system.g + e->first, e->rows);
        residual[2 * i + 1] = crd_worst(d->system.rate + e->first, e->rows);
    }
}

static CardanStatus measure_given(CardanSim *sim, CardanCheck *check, double *joint_residual) {
    CrdDynamics *d = &sim->run.dynamics;
    const CrdShape *s = sim->model->shape;
    double *q = sim->run.y, *v = crd_run_v(&sim->run, q);
    memcpy(q, sim->model->numbers.q0, (size_t)s->nq * sizeof *q);
    memcpy(v, sim->model->numbers.v0, (size_t)s->nv * sizeof *v);
    memcpy(crd_run_followers(&sim->run, q), sim->model->numbers.followers, (size_t)s->follower_count * sizeof *v);
    crd_normalise(s, q);
    CRD_TRY(crd_run_measure(&sim->run, 0.0, q));
    check->velocities = s->nv;
    check->rows = s->rows;
    check->residual_position = crd_worst(d->system.g, s->rows);
    check->residual_velocity = crd_worst(d->system.rate, s->rows);
    if (joint_residual != NULL) joint_residuals(d, joint_residual);
    return CARDAN_OK;
}

/* By the sparse factor, which dependent rows stop: then the pose stays as it is given. */
static CardanStatus assemble_sparse(CardanSim *sim, CrdAssembly *assembly) {
    const CrdShape *s = sim->model->shape;
    double *q = sim->run.y, *v = crd_run_v(&sim->run, q);
    CardanStatus status = crd_assemble(assembly, 0.0, q, v);
    if (status != CARDAN_ERR_NUMERIC) return status;
    crd_error_clear(&sim->error);
    memcpy(q, sim->model->numbers.q0, (size_t)s->nq * sizeof *q);
    crd_normalise(s, q);
    return CARDAN_OK;
}

static CardanStatus assemble_dense(CardanSim *sim, CrdAssembly *assembly) {
    CrdSpectrum spectrum;
    CardanStatus status = crd_spectrum_open(&spectrum, sim->model, &sim->error);
    assembly->spectrum = &spectrum;
    if (status >= 0) status = crd_assemble(assembly, 0.0, sim->run.y, crd_run_v(&sim->run, sim->run.y));
    crd_spectrum_close(&spectrum);
    return status;
}

/* Moves q to the constraints if it can be done. */
static CardanStatus assemble(CardanSim *sim, CardanCheck *check, bool *held) {
    double allowed = CRD_START_RESIDUAL * sim->model->numbers.size;
    CrdAssembly assembly = {.dynamics = &sim->run.dynamics,
                            .held = crd_find_held(sim->model, held) ? held : NULL,
                            .far = check->residual_position > allowed,
                            .left = check->residual_position};
    CardanStatus status =
        crd_spectrum_fits(sim->model->shape) ? assemble_dense(sim, &assembly) : assemble_sparse(sim, &assembly);
    check->assembled = assembly.left <= allowed;
    return status;
}

static CardanStatus look(CardanSim *sim, CardanCheck *check, bool *element, bool *joint_redundant) {
    const CrdShape *s = sim->model->shape;
    CrdRank rank;
    CRD_TRY(crd_rank(&sim->run.dynamics, 0.0, sim->run.y, crd_run_v(&sim->run, sim->run.y), &rank, element, NULL));
    check->degrees_of_freedom = s->nv - rank.rank;
    check->redundant_rows = s->rows - rank.rank;
    check->singular = rank.singular;
    for (int i = 0; joint_redundant != NULL && i < s->joint_count; i++)
        joint_redundant[i] = element[s->element_of_joint[i]];
    if (rank.exact || rank.rank == s->rows) return CARDAN_OK;
    return crd_fail(
        &sim->error, CARDAN_REMARK,
        "rows are dependent, but the model is too large to count them: at least one is redundant or the pose "
        "is singular, and only the first joint concerned is named");
}

static CardanStatus check_opened(CardanSim *sim, CardanCheck *check, bool *joint_redundant, double *joint_residual) {
    const CrdShape *s = sim->model->shape;
    CRD_TRY(measure_given(sim, check, joint_residual));
    bool *flags =
        crd_new((size_t)(s->block_count > s->element_count ? s->block_count : s->element_count), sizeof *flags);
    if (flags == NULL) return crd_fail_memory(&sim->error);
    CardanStatus status = assemble(sim, check, flags);
    if (status >= 0) status = look(sim, check, flags, joint_redundant);
    crd_delete(flags);
    return status;
}

CardanStatus cardan_model_check(const CardanModel *model, CardanCheck *check, bool *joint_redundant,
                                double *joint_residual, char *message, size_t size) {
    if (message != NULL && size > 0) message[0] = '\0';
    if (model == NULL || check == NULL) return CARDAN_ERR_ARGUMENT;
    memset(check, 0, sizeof *check);
    CardanOptions options = cardan_default_options();
    CardanSim *sim = NULL;
    CardanStatus status = crd_sim_open(model, &options, &sim);
    if (status >= 0) status = check_opened(sim, check, joint_redundant, joint_residual);
    CrdError none = {.status = status, .text = "out of memory"};
    if (status != CARDAN_OK) crd_tell(sim != NULL ? &sim->error : &none, model->description->file, message, size);
    cardan_sim_destroy(sim);
    return status;
}
