/* Channels at the present time and inside the last step. A sample costs what its channels need (CrdMeasureRecord.needs)
 * and no more: of most the interpolation of the step and the rows there, of reactions one right-hand side. */
#include "integrate/interpolate.h"
#include "sim/channel.h"
#include "sim/refuse.h"

/* What is needed beyond the residuals of y, which the workspace holds, and the rows where accelerations are. */
static CardanStatus complete(CrdIntegrator *integrator, const double *y, CrdMeasureNeed need) {
    if (need >= CRD_NEEDS_ACCELERATIONS)
        return crd_integrator_derivative(integrator, y, integrator->stepper.f_new, false);
    return need >= CRD_NEEDS_FORCES ? crd_integrator_forces(integrator, y) : CARDAN_OK;
}

/* Values of the channels at y, of which the workspace holds what they need. */
static CardanStatus read_channels(CrdIntegrator *integrator, double *y, const CrdAsked *asked, double *values) {
    const CardanFrame *frames = integrator->dynamics.system.frames;
    int count = integrator->dynamics.model->structure->frame_count;
    integrator->dynamics.actions.states = crd_integrator_z(integrator, y);
    for (int i = 0; i < asked->count; i++) {
        const CardanChannel *channel = &asked->channel[i];
        int field = crd_measures[channel->measure].field;
        if (field > 0 && channel->object < count) /* the most of most rows: a number of a body's frame */
            *values = crd_frame_field(&frames[channel->object], field);
        else
            CRD_TRY(crd_channel_values(integrator, y, *channel, values));
        values += channel->width;
    }
    return CARDAN_OK;
}

/* At t inside the last step, with the pieces of laws that held there; the state is made in sim->scratch. */
static CardanStatus look_inside(CardanSim *sim, double t, const CrdAsked *asked, double *values) {
    CrdMeasureNeed need = asked->need;
    CrdIntegrator *integrator = &sim->integrator;
    CrdCall before = crd_sim_enter(sim);
    crd_error_clear(&sim->error);
    crd_guards_hold(&integrator->guards, true);
    const CrdTrustRegion trust = integrator->dynamics.regularisation.trust; /* a look counts for nothing */
    bool rows = need >= CRD_NEEDS_ACCELERATIONS;
    CardanStatus status = sim->relative.made ? crd_relative_interpolate(sim, t, need)
                                             : crd_integrator_interpolate(integrator, t, rows, sim->scratch);
    if (status >= 0) status = complete(integrator, sim->scratch, need);
    if (status >= 0) status = read_channels(integrator, sim->scratch, asked, values);
    integrator->dynamics.regularisation.trust = trust;
    crd_guards_hold(&integrator->guards, false);
    crd_sim_leave(sim, before);
    return status < 0 ? crd_sim_report(sim, status) : status;
}

/* The present state. Its motion is what the next step begins with, so it is not lost work; unless relative coordinates
 * make that step. */
static CardanStatus look_now(CardanSim *sim, const CrdAsked *asked, double *values) {
    bool motion = !sim->relative.leads || asked->need >= CRD_NEEDS_ACCELERATIONS;
    CRD_TRY(motion ? crd_sim_motion(sim) : crd_sim_configuration(sim));
    CrdIntegrator *integrator = &sim->integrator;
    CrdCall before = crd_sim_enter(sim);
    crd_error_clear(&sim->error);
    CardanStatus status = CARDAN_OK;
    if (!motion && asked->need >= CRD_NEEDS_FORCES) status = crd_integrator_forces(integrator, integrator->stepper.y);
    if (status >= 0) status = read_channels(integrator, integrator->stepper.y, asked, values);
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
    CRD_TRY(t == stepper->t ? look_now(sim, asked, values) : look_inside(sim, t, asked, values));
    return CARDAN_OK;
}

CardanStatus cardan_sim_sample(CardanSim *sim, double t, int channels, const CardanChannel *channel, double *values) {
    CRD_TRY(crd_check_channels(sim, channels, channel));
    if (channels > 0) CRD_TRY(crd_need_given(sim, values, "the place for the values"));
    CrdAsked asked = {channels, channel, crd_channels_need(channels, channel)};
    return crd_sim_sample(sim, t, &asked, values);
}
