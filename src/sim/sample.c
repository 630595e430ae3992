/* Channels at the present time and inside the last step. A sample costs what its channels need (CrdMeasureRecord.needs)
 * and no more: of most the interpolation of the step and the rows there, of reactions one right-hand side, in relative
 * coordinates where these made the step. */
#include "equations/measures.h"
#include "integrate/interpolate.h"
#include "sim/channel.h"
#include "sim/refuse.h"

#include <assert.h>
#include <string.h>

/* What is needed beyond the residuals of the state at t, which the workspace holds, and the rows where accelerations
 * are. */
static CardanStatus complete(CardanSim *sim, double t, CrdMeasureNeed need) {
    CrdIntegrator *integrator = &sim->integrator;
    const double *y = sim->scratch;
    bool motion = need >= CRD_NEEDS_ACCELERATIONS && need < CRD_NEEDS_FACTOR;
    if (motion && crd_relative_motion_inside(sim, t)) return CARDAN_OK;
    if (need >= CRD_NEEDS_ACCELERATIONS)
        return crd_integrator_derivative(integrator, y, integrator->stepper.f_new, false);
    return need >= CRD_NEEDS_FORCES ? crd_integrator_forces(integrator, y) : CARDAN_OK;
}

typedef struct Row {
    const CrdAsked *asked;
    double *values;
} Row;

/* The last quaternion that was read: channels of one follow each other. */
typedef struct Turned {
    int object;
    double parts[4];
} Turned;

static double read_quaternion(const CardanSim *sim, int object, int part, Turned *last) {
    assert(part >= 0 && part < 4);
    if (last->object != object) {
        CardanQuat q = crd_place_quaternion(sim->model, &sim->integrator.dynamics.system, object);
        *last = (Turned){object, {q.w, q.x, q.y, q.z}};
    }
    return last->parts[part];
}

/* One channel whose number stands nowhere. */
static CardanStatus read_channel(CardanSim *sim, double *y, const CardanChannel *channel, Turned *last,
                                 double *values) {
    CrdIntegrator *integrator = &sim->integrator;
    const CardanFrame *frames = integrator->dynamics.system.frames;
    bool frame = channel->object < sim->model->structure->frame_count;
    int measure = channel->measure, field = crd_measures[measure].field;
    if (field > 0 && frame)
        *values = crd_frame_field(&frames[channel->object], field);
    else if (measure >= CRD_QW && measure <= CRD_QZ)
        *values = read_quaternion(sim, channel->object, measure - CRD_QW, last);
    else if (measure <= CRD_YAW && frame)
        *values = crd_measure_frame((CrdMeasure)measure, &frames[channel->object]);
    else if (measure == CRD_FORCE_WORK)
        *values = sim->work.at[channel->object];
    else
        return crd_channel_values(integrator, y, *channel, values);
    return CARDAN_OK;
}

/* Numbers that stand in frames, four at a time. */
static void read_standing(const CardanFrame *frames, const int *place, int count, double *restrict values) {
    const char *bytes = (const char *)frames;
    int i = 0;
    assert(count == 0 || place != NULL);
    for (; i + 4 <= count; i += 4)
        for (int k = 0; k < 4; k++) memcpy(&values[i + k], bytes + place[i + k], sizeof *values);
    for (; i < count; i++) memcpy(&values[i], bytes + place[i], sizeof *values);
}

/* Values of the channels at y, of which the workspace holds what they need; most are numbers of frames. */
static CardanStatus read_row(CardanSim *sim, double *y, void *user) {
    const char *frames = (const char *)sim->integrator.dynamics.system.frames;
    const CrdAsked *asked = ((const Row *)user)->asked;
    const int *place = asked->place;
    double *values = ((const Row *)user)->values + asked->stand;
    Turned last = {.object = -1};
    read_standing(sim->integrator.dynamics.system.frames, place, asked->stand, ((const Row *)user)->values);
    for (int i = asked->stand; i < asked->count; i++) {
        if (place != NULL && place[i] >= 0) {
            memcpy(values++, frames + place[i], sizeof *values);
            continue;
        }
        CRD_TRY(read_channel(sim, y, &asked->channel[i], &last, values));
        values += asked->channel[i].width;
    }
    return CARDAN_OK;
}

CardanStatus crd_read_inside(CardanSim *sim, double t, CrdMeasureNeed need, const CrdRowClosing *closing,
                             CrdReader read, void *user) {
    CrdIntegrator *integrator = &sim->integrator;
    crd_guards_hold(&integrator->guards, true);
    const CrdTrustRegion trust = integrator->dynamics.regularisation.trust; /* a look counts for nothing */
    const CrdRemedy remedy = integrator->dynamics.near_pose.remedy;
    bool rows = need >= CRD_NEEDS_ACCELERATIONS;
    CardanStatus status = sim->relative.made ? crd_relative_interpolate(sim, t, need, closing)
                                             : crd_integrator_interpolate(integrator, t, rows, closing, sim->scratch);
    if (status >= 0) status = complete(sim, t, need);
    integrator->dynamics.actions.states = crd_integrator_z(integrator, sim->scratch);
    if (status >= 0) status = read(sim, sim->scratch, user);
    integrator->dynamics.regularisation.trust = trust;
    integrator->dynamics.near_pose.remedy = remedy;
    crd_guards_hold(&integrator->guards, false);
    return status;
}

static CardanStatus look_inside(CardanSim *sim, double t, Row *row) {
    CrdCall before = crd_sim_enter(sim);
    crd_error_clear(&sim->error);
    CardanStatus status = crd_read_inside(sim, t, row->asked->need, row->asked->closing, read_row, row);
    crd_sim_leave(sim, before);
    return status < 0 ? crd_sim_report(sim, status) : status;
}

/* The present state. Its motion is what the next step begins with, so it is not lost work; unless relative coordinates
 * make that step. */
static CardanStatus look_now(CardanSim *sim, Row *row) {
    const CrdAsked *asked = row->asked;
    bool motion = !sim->relative.leads || asked->need >= CRD_NEEDS_ACCELERATIONS;
    if (asked->need >= CRD_NEEDS_FACTOR) CRD_TRY(crd_sim_factored_motion(sim));
    CRD_TRY(motion ? crd_sim_motion(sim) : crd_sim_configuration(sim));
    CrdIntegrator *integrator = &sim->integrator;
    CrdCall before = crd_sim_enter(sim);
    crd_error_clear(&sim->error);
    CardanStatus status = CARDAN_OK;
    if (!motion && asked->need >= CRD_NEEDS_FORCES) status = crd_integrator_forces(integrator, integrator->stepper.y);
    integrator->dynamics.actions.states = crd_integrator_z(integrator, integrator->stepper.y);
    if (status >= 0) status = read_row(sim, integrator->stepper.y, row);
    crd_sim_leave(sim, before);
    return status < 0 ? crd_sim_report(sim, status) : CARDAN_OK;
}

CardanStatus crd_check_channels(CardanSim *sim, int channels, const CardanChannel *channel) {
    CRD_TRY(crd_need_sim(sim));
    if (channels < 0) return crd_refuse(sim, "there cannot be %d channels", channels);
    if (channels > 0) CRD_TRY(crd_need_given(sim, channel, "the list of channels"));
    for (int i = 0; i < channels; i++)
        if (!crd_is_channel(sim->model, channel[i]))
            return crd_refuse(sim, "channel %d of the list is none of this model", i);
    return CARDAN_OK;
}

CardanStatus crd_sim_sample(CardanSim *sim, double t, const CrdAsked *asked, double *values) {
    CRD_TRY(crd_need_sim(sim));
    const CrdStepper *stepper = &sim->integrator.stepper;
    if (!(t >= stepper->t_old && t <= stepper->t))
        return crd_refuse(sim, "t = %.9g is outside the last step, from %.9g to %.9g", t, stepper->t_old, stepper->t);
    if (asked->work) CRD_TRY(crd_force_work_read(sim, t, asked->count, asked->channel));
    Row row = {asked, values};
    CRD_TRY(t == stepper->t ? look_now(sim, &row) : look_inside(sim, t, &row));
    return CARDAN_OK;
}

CardanStatus cardan_sim_sample(CardanSim *sim, double t, int channels, const CardanChannel *channel, double *values) {
    CRD_TRY(crd_check_channels(sim, channels, channel));
    if (channels > 0) CRD_TRY(crd_need_given(sim, values, "the place for the values"));
    CrdAsked asked = crd_asked_of(channels, channel);
    return crd_sim_sample(sim, t, &asked, values);
}
