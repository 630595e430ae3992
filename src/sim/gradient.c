/* Value and gradient of a channel at the present state. */
#include "equations/force_scene.h"
#include "equations/measure_gradient.h"
#include "sim/channel.h"
#include "sim/refuse.h"

#include <string.h>

/* Where the numbers go, by CrdGradientBy: width rows of `length` each; NULL: nobody asks. */
typedef struct Target {
    int width, skip; /* columns of the channel, and of its measure before them */
    double *out[3];
    int length[3];
} Target;

static bool add_slopes(void *user, CrdGradientBy by, int index, const CrdDual *columns) {
    const Target *target = user;
    for (int k = 0; target->out[by] != NULL && k < target->width; k++)
        target->out[by][(size_t)k * (size_t)target->length[by] + (size_t)index] += columns[target->skip + k].d;
    return true;
}

static CardanStatus gradient(CardanSim *sim, const CrdLawMeasure *it, Target *target, double *values) {
    CrdIntegrator *integrator = &sim->integrator;
    CrdDynamics *dynamics = &integrator->dynamics;
    CrdSystem *system = &dynamics->system;
    const CardanModel *model = sim->model;
    double *y = integrator->stepper.y;
    CrdScene scene = {model, y, y + model->structure->nq};
    CrdDual columns[CRD_COLUMNS];
    dynamics->actions.states = crd_integrator_z(integrator, y);
    crd_begin_rows(model, &dynamics->actions, system);
    if (model->structure->force_count > 0) CRD_TRY(crd_law_input(model, &dynamics->actions, system, dynamics->error));
    CRD_TRY(crd_measure_columns(model, &dynamics->actions, system, it, false, columns, dynamics->error));
    for (int k = 0; values != NULL && k < target->width; k++) values[k] = columns[target->skip + k].x;
    for (int by = 0; by < 3; by++)
        if (target->out[by] != NULL)
            memset(target->out[by], 0, (size_t)target->width * (size_t)target->length[by] * sizeof(double));
    return crd_measure_gradient(&scene, &dynamics->actions, system, it, add_slopes, target, dynamics->error);
}

CardanStatus cardan_sim_gradient(CardanSim *sim, CardanChannel channel, double *values, double *by_displacement,
                                 double *by_velocity, double *by_state) {
    CRD_TRY(crd_check_channels(sim, 1, &channel));
    const CrdStructure *structure = sim->model->structure;
    const CrdLawMeasure it = crd_channel_measure(channel);
    char label[128];
    if (!crd_has_gradient(sim->model, &it))
        return crd_refuse(sim,
                          "channel '%s' is no function of time, coordinates, velocities and first-order states alone, "
                          "and has no gradient",
                          cardan_model_channel_label(sim->model, channel, 0, label, sizeof label));
    CRD_TRY(crd_sim_configuration(sim));
    Target target = {.width = channel.width,
                     .skip = channel.column > 0 ? channel.column - 1 : 0,
                     .out = {by_displacement, by_velocity, by_state},
                     .length = {structure->nv, structure->nv, structure->first_order}};
    CrdCall before = crd_sim_enter(sim);
    crd_error_clear(&sim->error);
    CardanStatus status = gradient(sim, &it, &target, values);
    crd_sim_leave(sim, before);
    return status < 0 ? crd_sim_report(sim, status) : CARDAN_OK;
}
