/* Reading a simulation: bodies, joints, reactions, energies, residuals, work, channels. */
#include "sim/sim.h"

#include "core/rotation.h"
#include "output/channel.h"

#include <math.h>
#include <string.h>

/* Frames and rows of the present state. */
static CardanStatus look(CardanSim *sim) {
    CrdRun *run = &sim->run;
    if (run->solved) return CARDAN_OK;
    return crd_run_measure(run, run->t, run->y);
}

CardanStatus cardan_sim_body(CardanSim *sim, CardanBody body, CardanBodyState *out) {
    if (sim == NULL || out == NULL || body.index < 0 || body.index >= sim->model->shape->carrier_count)
        return CARDAN_ERR_ARGUMENT;
    CRD_TRY(look(sim));
    const CardanFrame *f = &sim->run.dynamics.system.frames[body.index];
    *out = (CardanBodyState){.position = f->x, .velocity = f->v, .angle = f->angle, .spin = f->w.z};
    out->angular_velocity = crd_apply(f->rotation, f->w);
    out->quaternion = crd_quat_of_matrix(f->rotation);
    const CrdCarrier *carrier = &sim->model->shape->carriers[body.index];
    if (carrier->kind == CRD_CARRIER_BODY && sim->model->shape->blocks[carrier->block].kind == CRD_SPATIAL_BODY) {
        const double *q = sim->run.y + sim->model->shape->blocks[carrier->block].q + 3; /* continuous in time */
        out->quaternion = (CardanQuat){q[0], q[1], q[2], q[3]};
    }
    return CARDAN_OK;
}

static bool is_joint(const CardanSim *sim, CardanJoint joint) {
    return sim != NULL && joint.index >= 1 && joint.index <= sim->model->shape->joint_count;
}

CardanStatus cardan_sim_coordinate(CardanSim *sim, CardanJoint joint, CardanCoordinate which, double *coordinate,
                                   double *rate) {
    if (!is_joint(sim, joint)) return CARDAN_ERR_ARGUMENT;
    const CrdShape *s = sim->model->shape;
    int e = s->element_of_joint[joint.index - 1];
    if (s->elements[e].kind == NULL || !crd_joint_has(s->elements[e].kind, which)) return CARDAN_ERR_ARGUMENT;
    CRD_TRY(look(sim));
    CrdPair pair = crd_pair_of(s, &sim->run.dynamics.system, e);
    CrdCoordinate x;
    crd_joint_coordinate(which, &sim->model->numbers.joints[e], &pair, &x);
    if (coordinate != NULL) *coordinate = x.value;
    if (rate != NULL) *rate = x.rate;
    return CARDAN_OK;
}

CardanStatus cardan_sim_joint(CardanSim *sim, CardanJoint joint, double *coordinate, double *rate) {
    if (!is_joint(sim, joint)) return CARDAN_ERR_ARGUMENT;
    return cardan_sim_coordinate(sim, joint, cardan_model_joint_coordinate(sim->model, joint), coordinate, rate);
}

CardanWrench cardan_sim_reaction(CardanSim *sim, CardanJoint joint) {
    if (!is_joint(sim, joint) || crd_run_evaluate(&sim->run) < 0) return (CardanWrench){0};
    crd_least_multipliers(&sim->run.dynamics);
    return crd_reaction(&sim->run, sim->model->shape->element_of_joint[joint.index - 1], false);
}

/* The element of a joint that has what is asked for, with accelerations and multipliers evaluated. */
static CardanStatus evaluated(CardanSim *sim, CardanJoint joint, bool (*has)(const CrdElement *), int *element) {
    if (!is_joint(sim, joint)) return CARDAN_ERR_ARGUMENT;
    *element = sim->model->shape->element_of_joint[joint.index - 1];
    if (!has(&sim->model->shape->elements[*element])) return CARDAN_ERR_ARGUMENT;
    return crd_run_evaluate(&sim->run);
}

CardanStatus cardan_sim_effort(CardanSim *sim, CardanJoint joint, double *effort) {
    int element;
    if (effort == NULL) return CARDAN_ERR_ARGUMENT;
    CRD_TRY(evaluated(sim, joint, crd_element_has_effort, &element));
    *effort = crd_joint_effort(sim->model, &sim->run.dynamics.system, sim->run.dynamics.lambda, element);
    return CARDAN_OK;
}

CardanStatus cardan_sim_power(CardanSim *sim, CardanJoint joint, double *power) {
    int element;
    if (power == NULL) return CARDAN_ERR_ARGUMENT;
    CRD_TRY(evaluated(sim, joint, crd_element_has_power, &element));
    *power = crd_joint_power(sim->model, &sim->run.dynamics.system, sim->run.dynamics.lambda, element);
    return CARDAN_OK;
}

bool cardan_sim_reaction_unique(CardanSim *sim, CardanJoint joint) {
    if (!is_joint(sim, joint) || crd_run_evaluate(&sim->run) < 0) return false;
    const CrdShape *s = sim->model->shape;
    bool known = sim->unique_steps == sim->run.steps && sim->unique_t == sim->run.t;
    if (!known) {
        size_t rows = sim->run.dynamics.redundant > 0 && sim->run.dynamics.looks ? (size_t)s->rows : 0;
        double *projector = rows > 0 ? crd_new(rows * rows + rows, sizeof *projector) : NULL;
        crd_reactions_unique(&sim->run, projector, projector != NULL ? projector + rows * rows : NULL, sim->unique);
        crd_delete(projector);
        sim->unique_steps = sim->run.steps;
        sim->unique_t = sim->run.t;
    }
    return sim->unique[s->element_of_joint[joint.index - 1]];
}

int cardan_sim_events(const CardanSim *sim, const CardanEvent **events, long *total) {
    if (sim == NULL) return 0;
    if (events != NULL) *events = sim->run.log.events;
    if (total != NULL) *total = sim->run.log.total;
    return sim->run.log.count;
}

CardanStatus cardan_sim_energy(CardanSim *sim, CardanEnergy *out) {
    if (sim == NULL || out == NULL) return CARDAN_ERR_ARGUMENT;
    CrdRun *run = &sim->run;
    CRD_TRY(crd_sim_motion(sim));
    out->kinetic = crd_kinetic(sim->model, &run->dynamics.system, crd_run_v(run, run->y));
    out->potential = run->dynamics.system.potential;
    out->total = out->kinetic + out->potential;
    out->work = *crd_run_work(run, run->y);
    out->drift_max = run->drift_max;
    return CARDAN_OK;
}

CardanResidual cardan_sim_residual(CardanSim *sim) {
    CardanResidual residual = {(double)NAN, (double)NAN, (double)NAN, (double)NAN};
    if (sim == NULL || look(sim) < 0) return residual;
    const CrdRun *run = &sim->run;
    residual.position = crd_worst(run->dynamics.system.g, sim->model->shape->rows);
    residual.velocity = crd_worst(run->dynamics.system.rate, sim->model->shape->rows);
    residual.position_max = run->position_max;
    residual.velocity_max = run->velocity_max;
    return residual;
}

CardanWork cardan_sim_work(const CardanSim *sim) {
    if (sim == NULL) return (CardanWork){0};
    const CrdRun *run = &sim->run;
    return (CardanWork){.steps = run->steps,
                        .rejected = run->rejected,
                        .rhs = run->dynamics.rhs,
                        .factorisations = run->dynamics.factorisations,
                        .solves = run->dynamics.solves,
                        .refreshed = run->stabiliser.refreshed,
                        .pivot_min = run->dynamics.pivot_min};
}

const char *cardan_sim_solver_reason(const CardanSim *sim) {
    return sim == NULL ? "" : sim->run.dynamics.choice.reason;
}

CardanSolver cardan_sim_solver(const CardanSim *sim) {
    return sim == NULL ? CARDAN_SOLVER_AUTO : sim->run.dynamics.choice.kind;
}

CardanStatus cardan_sim_sample(CardanSim *sim, double t, int channels, const CardanChannel *channel, double *values) {
    if (sim == NULL || channels < 0 || (channels > 0 && (channel == NULL || values == NULL))) return CARDAN_ERR_ARGUMENT;
    CrdRun *run = &sim->run;
    if (!(t >= run->t_old && t <= run->t)) return CARDAN_ERR_ARGUMENT;
    for (int i = 0; i < channels; i++)
        if (!crd_is_channel(sim->model->shape, channel[i])) return CARDAN_ERR_ARGUMENT;
    double *y = run->y;
    if (t == run->t) {
        CRD_TRY(crd_sim_motion(sim));
    } else {
        crd_events_hold(run, true);
        CardanStatus status = crd_run_interpolate(run, t, sim->scratch);
        if (status >= 0) status = crd_run_slope(run, sim->scratch, run->f_new, false);
        crd_events_hold(run, false);
        if (status < 0) return status;
        y = sim->scratch;
    }
    crd_least_multipliers(&run->dynamics);
    for (int i = 0; i < channels; i++) {
        crd_channel_values(run, y, channel[i], values);
        values += channel[i].width;
    }
    return CARDAN_OK;
}
