/* Channels at the present time and inside the last step. A sample costs what its channels need (CrdMeasureRecord.needs)
 * and no more: of most the interpolation of the step and the rows there, of reactions one right-hand side, in relative
 * coordinates where these made the step. */
#include "integrate/interpolate.h"
#include "sim/channel.h"
#include "sim/refuse.h"

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

/* The numbers of frames that the channels begin with, the most of most rows; returns how many those are. */
static int read_frames(const CrdAsked *asked, const CardanFrame *frames, double *values) {
    const int *place = asked->place;
    int i = 0;
    if (place == NULL) return 0;
    for (; i < asked->count && place[i] >= 0; i++) memcpy(&values[i], (const char *)frames + place[i], sizeof *values);
    return i;
}

/* Values of the channels at y, of which the workspace holds what they need. */
static CardanStatus read_row(CardanSim *sim, double *y, void *user) {
    CrdIntegrator *integrator = &sim->integrator;
    const CardanFrame *frames = integrator->dynamics.system.frames;
    const CrdAsked *asked = ((const Row *)user)->asked;
    double *values = ((const Row *)user)->values;
    int count = sim->model->structure->frame_count, first = read_frames(asked, frames, values);
    values += first;
    for (int i = first; i < asked->count; i++) {
        const CardanChannel *channel = &asked->channel[i];
        int field = crd_measures[channel->measure].field;
        if (field > 0 && channel->object < count)
            *values = crd_frame_field(&frames[channel->object], field);
        else if (channel->measure == CRD_FORCE_WORK)
            *values = sim->work.at[channel->object];
        else
            CRD_TRY(crd_channel_values(integrator, y, *channel, values));
        values += channel->width;
    }
    return CARDAN_OK;
}

CardanStatus crd_read_inside(CardanSim *sim, double t, CrdMeasureNeed need, CrdReader read, void *user) {
    CrdIntegrator *integrator = &sim->integrator;
    crd_guards_hold(&integrator->guards, true);
    const CrdTrustRegion trust = integrator->dynamics.regularisation.trust; /* a look counts for nothing */
    bool rows = need >= CRD_NEEDS_ACCELERATIONS;
    CardanStatus status = sim->relative.made ? crd_relative_interpolate(sim, t, need)
                                             : crd_integrator_interpolate(integrator, t, rows, sim->scratch);
    if (status >= 0) status = complete(sim, t, need);
    integrator->dynamics.actions.states = crd_integrator_z(integrator, sim->scratch);
    if (status >= 0) status = read(sim, sim->scratch, user);
    integrator->dynamics.regularisation.trust = trust;
    crd_guards_hold(&integrator->guards, false);
    return status;
}

static CardanStatus look_inside(CardanSim *sim, double t, Row *row) {
    CrdCall before = crd_sim_enter(sim);
    crd_error_clear(&sim->error);
    CardanStatus status = crd_read_inside(sim, t, row->asked->need, read_row, row);
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
