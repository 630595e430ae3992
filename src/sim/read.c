/* Reading a simulation: bodies, joints, reactions, energies, residuals, work, channels. */
#include "core/memory.h"
#include "core/rotation.h"
#include "dynamics/rank_look.h"
#include "sim/channel.h"
#include "sim/refuse.h"

#include <math.h>
#include <string.h>

CardanStatus cardan_sim_body(CardanSim *sim, CardanBody body, CardanBodyState *out) {
    CRD_TRY(crd_need_body(sim, body));
    CRD_TRY(crd_need_given(sim, out, "the place for the state of a body"));
    CRD_TRY(crd_sim_configuration(sim));
    const CardanFrame *f = &sim->integrator.dynamics.system.frames[body.index];
    *out = (CardanBodyState){.position = f->x, .velocity = f->v, .angle = f->angle, .spin = f->w.z};
    out->angular_velocity = crd_apply(f->rotation, f->w);
    out->quaternion = crd_quat_of_matrix(f->rotation);
    const CrdStructure *structure = sim->model->structure;
    const CrdFrame *frame = &structure->frames[body.index];
    if (frame->kind == CRD_FRAME_BODY && structure->blocks[frame->block].kind == CRD_SPATIAL_BODY) {
        const double *q = sim->integrator.stepper.y + structure->blocks[frame->block].q + 3; /* continuous in time */
        out->quaternion = (CardanQuat){q[0], q[1], q[2], q[3]};
    }
    return CARDAN_OK;
}

CardanStatus cardan_sim_coordinate(CardanSim *sim, CardanJoint joint, CardanCoordinate which, double *coordinate,
                                   double *rate) {
    CRD_TRY(crd_need_joint(sim, joint));
    const CrdStructure *structure = sim->model->structure;
    int e = structure->element_of_joint[joint.index - 1];
    if (structure->elements[e].kind == NULL || !crd_joint_has(structure->elements[e].kind, which))
        return crd_refuse(sim, "joint '%s' has no such coordinate", cardan_model_joint_name(sim->model, joint));
    CRD_TRY(crd_sim_configuration(sim));
    CrdPair pair = crd_pair_of(structure, &sim->integrator.dynamics.system, e);
    double x, dx;
    crd_joint_read(which, &sim->model->values.joints[e], &pair, &x, &dx);
    if (coordinate != NULL) *coordinate = x;
    if (rate != NULL) *rate = dx;
    return CARDAN_OK;
}

CardanStatus cardan_sim_joint(CardanSim *sim, CardanJoint joint, double *coordinate, double *rate) {
    CRD_TRY(crd_need_joint(sim, joint));
    return cardan_sim_coordinate(sim, joint, cardan_model_joint_coordinate(sim->model, joint), coordinate, rate);
}

CardanStatus cardan_sim_reaction(CardanSim *sim, CardanJoint joint, CardanWrench *out) {
    CRD_TRY(crd_need_joint(sim, joint));
    CRD_TRY(crd_need_given(sim, out, "the place for the reaction"));
    CRD_TRY(crd_sim_motion(sim));
    *out = crd_reaction(&sim->integrator, sim->model->structure->element_of_joint[joint.index - 1], false);
    return CARDAN_OK;
}

/* The element of a joint that has what is asked for, with accelerations and multipliers evaluated. */
static CardanStatus evaluated(CardanSim *sim, CardanJoint joint, const char *what, bool (*has)(const CrdElement *),
                              int *element) {
    CRD_TRY(crd_need_joint(sim, joint));
    *element = sim->model->structure->element_of_joint[joint.index - 1];
    if (!has(&sim->model->structure->elements[*element]))
        return crd_refuse(sim, "joint '%s' has no %s", cardan_model_joint_name(sim->model, joint), what);
    return crd_sim_motion(sim);
}

CardanStatus cardan_sim_effort(CardanSim *sim, CardanJoint joint, double *effort) {
    int element;
    CRD_TRY(crd_need_given(sim, effort, "the place for the effort"));
    CRD_TRY(evaluated(sim, joint, "effort", crd_element_has_effort, &element));
    *effort = crd_reaction_effort(&sim->integrator, element);
    return CARDAN_OK;
}

CardanStatus cardan_sim_power(CardanSim *sim, CardanJoint joint, double *power) {
    int element;
    CRD_TRY(crd_need_given(sim, power, "the place for the power"));
    CRD_TRY(evaluated(sim, joint, "power", crd_element_has_power, &element));
    *power = crd_reaction_power(&sim->integrator, element);
    return CARDAN_OK;
}

/* Fills sim->unique for the present state. */
static CardanStatus find_unique(CardanSim *sim) {
    CrdIntegrator *integrator = &sim->integrator;
    bool dependent = integrator->dynamics.redundancy.count > 0 || crd_imperfect_is_spread(&integrator->dynamics);
    bool reveals = dependent && integrator->dynamics.reveals;
    size_t rows = reveals ? (size_t)sim->model->structure->rows : 0;
    double *projector = rows > 0 ? crd_new(rows * rows + rows, sizeof *projector) : NULL;
    if (rows > 0 && projector == NULL) {
        crd_error_clear(&sim->error);
        return crd_sim_report(sim, crd_fail_memory(&sim->error));
    }
    CrdCall before = crd_sim_enter(sim);
    crd_reactions_unique(integrator, projector, projector != NULL ? projector + rows * rows : NULL, sim->unique);
    crd_sim_leave(sim, before);
    crd_delete(projector);
    sim->unique_steps = integrator->statistics.steps;
    sim->unique_t = integrator->stepper.t;
    return CARDAN_OK;
}

/* Fills sim->softened for the present state, whose motion the workspace holds. */
static void find_softened(CardanSim *sim) {
    const CrdIntegrator *integrator = &sim->integrator;
    bool known = sim->softened_steps == integrator->statistics.steps && sim->softened_t == integrator->stepper.t;
    if (known) return;
    crd_softened_elements(&sim->integrator.dynamics, sim->softened);
    crd_error_clear(&sim->error); /* what could not be solved for is called softened */
    sim->softened_steps = integrator->statistics.steps;
    sim->softened_t = integrator->stepper.t;
}

CardanStatus cardan_sim_reaction_softened(CardanSim *sim, CardanJoint joint, bool *softened) {
    CRD_TRY(crd_need_joint(sim, joint));
    CRD_TRY(crd_need_given(sim, softened, "the place for the answer"));
    CRD_TRY(crd_sim_motion(sim));
    find_softened(sim);
    *softened = sim->softened[sim->model->structure->element_of_joint[joint.index - 1]];
    return CARDAN_OK;
}

CardanStatus cardan_sim_reaction_unique(CardanSim *sim, CardanJoint joint, bool *unique) {
    CRD_TRY(crd_need_joint(sim, joint));
    CRD_TRY(crd_need_given(sim, unique, "the place for the answer"));
    CRD_TRY(crd_sim_motion(sim));
    bool known = sim->unique_steps == sim->integrator.statistics.steps && sim->unique_t == sim->integrator.stepper.t;
    if (!known) CRD_TRY(find_unique(sim));
    bool softened;
    CRD_TRY(cardan_sim_reaction_softened(sim, joint, &softened));
    *unique = sim->unique[sim->model->structure->element_of_joint[joint.index - 1]] && !softened;
    return CARDAN_OK;
}

int cardan_sim_events(const CardanSim *sim, const CardanEvent **events, long *total) {
    if (sim == NULL) return -1;
    if (events != NULL) *events = sim->integrator.log.events;
    if (total != NULL) *total = sim->integrator.log.total;
    return sim->integrator.log.count;
}

CardanStatus cardan_sim_energy(CardanSim *sim, CardanEnergy *out) {
    CRD_TRY(crd_need_given(sim, out, "the place for the energy"));
    CRD_TRY(crd_sim_motion(sim));
    const CrdIntegrator *integrator = &sim->integrator;
    double *y = integrator->stepper.y;
    out->kinetic = crd_kinetic(sim->model, &integrator->dynamics.system, crd_integrator_v(integrator, y));
    out->potential = crd_potential(sim->model, &integrator->dynamics.system);
    out->total = out->kinetic + out->potential;
    out->work = *crd_integrator_work(integrator, y);
    out->drift_max = integrator->statistics.drift_max;
    return CARDAN_OK;
}

CardanStatus cardan_sim_residual(CardanSim *sim, CardanResidual *out) {
    CRD_TRY(crd_need_given(sim, out, "the place for the residual"));
    CRD_TRY(crd_sim_configuration(sim));
    const CrdIntegrator *integrator = &sim->integrator;
    out->position = crd_max_abs(integrator->dynamics.system.g, sim->model->structure->rows);
    out->velocity = crd_max_abs(integrator->dynamics.system.rate, sim->model->structure->rows);
    out->position_max = integrator->statistics.position_max;
    out->velocity_max = integrator->statistics.velocity_max;
    return CARDAN_OK;
}

static CardanJoint joint_of(const CardanModel *model, const CrdOpening *opening) {
    return (CardanJoint){opening->size > 0.0 ? model->structure->elements[opening->element].joint + 1 : 0};
}

CardanStatus cardan_sim_opening(CardanSim *sim, CardanOpening *out) {
    CRD_TRY(crd_need_given(sim, out, "the place for the opening"));
    const CrdDynamics *dynamics = &sim->integrator.dynamics;
    const CrdOpening *angle = &dynamics->redundancy.imperfect.largest[0],
                     *length = &dynamics->redundancy.imperfect.largest[1];
    *out = (CardanOpening){.length = length->size,
                           .angle = angle->size,
                           .length_t = length->t,
                           .angle_t = angle->t,
                           .length_joint = joint_of(sim->model, length),
                           .angle_joint = joint_of(sim->model, angle),
                           .tolerance = sim->integrator.options.redundancy};
    return CARDAN_OK;
}

CardanStatus cardan_sim_work(CardanSim *sim, CardanWork *out) {
    if (sim == NULL || out == NULL) return crd_refuse(sim, "the place for the work is NULL");
    const CrdIntegrator *integrator = &sim->integrator, *relative = &sim->relative.integrator;
    *out = (CardanWork){.steps = integrator->statistics.steps,
                        .rejected = integrator->statistics.rejected,
                        .rhs = integrator->dynamics.work.rhs + relative->dynamics.work.rhs,
                        .factorisations =
                            integrator->dynamics.work.factorisations + relative->dynamics.work.factorisations,
                        .solves = integrator->dynamics.work.solves + relative->dynamics.work.solves,
                        .refreshed = integrator->stabiliser.refreshed + relative->stabiliser.refreshed,
                        .pivot_min = integrator->dynamics.factor.pivot_min,
                        .alarms = integrator->dynamics.work.alarms + relative->dynamics.work.alarms};
    return CARDAN_OK;
}

const char *cardan_sim_solver_reason(const CardanSim *sim) {
    return sim == NULL ? "" : sim->integrator.dynamics.factor.choice.reason;
}

const char *cardan_sim_coordinates_reason(const CardanSim *sim) {
    return sim == NULL ? "" : sim->relative.reason;
}

CardanCoordinates cardan_sim_coordinates(const CardanSim *sim) {
    return sim != NULL && sim->relative.model != NULL ? CARDAN_COORDINATES_RELATIVE : CARDAN_COORDINATES_ABSOLUTE;
}

CardanSolver cardan_sim_solver(const CardanSim *sim) {
    return sim == NULL ? CARDAN_SOLVER_AUTO : sim->integrator.dynamics.factor.choice.kind;
}
