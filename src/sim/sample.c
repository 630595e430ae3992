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

/* The state at t inside the last step, in sim->scratch; the workspace then holds of it what is needed. */
static CardanStatus look_inside(CardanSim *sim, double t, CrdMeasureNeed need) {
    CrdIntegrator *integrator = &sim->integrator;
    CrdCall before = crd_sim_enter(sim);
    crd_error_clear(&sim->error);
    crd_guards_hold(&integrator->guards, true);
    const CrdTrustRegion trust = integrator->dynamics.regularisation.trust; /* a look counts for nothing */
    bool rows = need >= CRD_NEEDS_ACCELERATIONS;
    CardanStatus status = sim->relative.made ? crd_relative_interpolate(sim, t, rows)
                                             : crd_integrator_interpolate(integrator, t, rows, sim->scratch);
    if (status >= 0) status = complete(integrator, sim->scratch, need);
    integrator->dynamics.regularisation.trust = trust;
    crd_guards_hold(&integrator->guards, false);
    crd_sim_leave(sim, before);
    return status < 0 ? crd_sim_report(sim, status) : status;
}

/* The present state. Its motion is what the next step begins with, so it is not lost work; unless relative coordinates
 * make that step. */
static CardanStatus look_now(CardanSim *sim, CrdMeasureNeed need) {
    if (!sim->relative.leads || need >= CRD_NEEDS_ACCELERATIONS) return crd_sim_motion(sim);
    CRD_TRY(crd_sim_configuration(sim));
    if (need < CRD_NEEDS_FORCES) return CARDAN_OK;
    CrdCall before = crd_sim_enter(sim);
    crd_error_clear(&sim->error);
    CardanStatus status = crd_integrator_forces(&sim->integrator, sim->integrator.stepper.y);
    crd_sim_leave(sim, before);
    return status < 0 ? crd_sim_report(sim, status) : status;
}

static CardanStatus check_channels(CardanSim *sim, int channels, const CardanChannel *channel, const double *values) {
    CRD_TRY(crd_need_sim(sim));
    if (channels < 0) return crd_refuse(sim, "there cannot be %d channels", channels);
    if (channels > 0) CRD_TRY(crd_need_given(sim, channel, "the list of channels"));
    if (channels > 0) CRD_TRY(crd_need_given(sim, values, "the place for the values"));
    for (int i = 0; i < channels; i++)
        if (!crd_is_channel(sim->model->structure, channel[i]))
            return crd_refuse(sim, "channel %d of the list is none of this model", i);
    return CARDAN_OK;
}

CardanStatus cardan_sim_sample(CardanSim *sim, double t, int channels, const CardanChannel *channel, double *values) {
    CRD_TRY(check_channels(sim, channels, channel, values));
    CrdIntegrator *integrator = &sim->integrator;
    const CrdStepper *stepper = &integrator->stepper;
    if (!(t >= stepper->t_old && t <= stepper->t))
        return crd_refuse(sim, "t = %.9g is outside the last step, from %.9g to %.9g", t, stepper->t_old, stepper->t);
    bool now = t == stepper->t;
    CrdMeasureNeed need = crd_channels_need(channels, channel);
    CRD_TRY(now ? look_now(sim, need) : look_inside(sim, t, need));
    for (int i = 0; i < channels; i++) {
        crd_channel_values(integrator, now ? stepper->y : sim->scratch, channel[i], values);
        values += channel[i].width;
    }
    return CARDAN_OK;
}
