/* What rows of output are compared by: channels of a model whose numbers have a tolerance, and how far two rows are
 * apart in it. */
#ifndef TESTS_SUPPORT_ROW_CHANNELS_H
#define TESTS_SUPPORT_ROW_CHANNELS_H

#include "support/check.h"

#include "measure/measure.h"
#include "sim/sim.h"

enum { ROOM = 400 };

typedef struct Channels {
    int count;
    CardanChannel list[ROOM];
} Channels;

static inline void channels_add(Channels *channels, const CardanModel *model, const char *name) {
    CardanChannel channel;
    if (cardan_model_find_channel(model, name, &channel, NULL, 0) < 0) return; /* not in this space, or a particle */
    if (crd_measures[channel.measure].needs != CRD_NEEDS_STATE || channel.measure == CRD_STEP) return;
    const char *unit = cardan_model_channel_unit(model, channel, 0);
    bool metric = strcmp(unit, "m") == 0 || strcmp(unit, "m/s") == 0, part = strcmp(unit, "1") == 0;
    if (channel.width != 1 || !(metric || part || strncmp(unit, "rad", 3) == 0)) return; /* a force has no tolerance */
    if (channels->count < ROOM) channels->list[channels->count++] = channel;
}

/* What its file lists, and all that bodies do. */
static inline Channels channels_of(const CardanModel *model) {
    static const char *const OF_BODY[] = {"x",  "y",  "z",  "vx", "vy", "vz", "angle", "spin",
                                          "wx", "wy", "wz", "qw", "qx", "qy", "qz"};
    Channels channels = {0};
    const char *const *outputs;
    int count = cardan_model_outputs(model, &outputs);
    for (int i = 0; i < count; i++) channels_add(&channels, model, outputs[i]);
    for (int i = 1; i <= cardan_model_sizes(model).bodies; i++)
        for (size_t k = 0; k < sizeof OF_BODY / sizeof *OF_BODY; k++) {
            char name[160];
            snprintf(name, sizeof name, "%s.%s", cardan_model_body_name(model, (CardanBody){i}), OF_BODY[k]);
            channels_add(&channels, model, name);
        }
    return channels;
}

/* Of the ends of a step, the velocities of the faster: rates are controlled against those, and where a mechanism
 * turns back inside a step its speed says nothing about what the step was asked for. */
static inline const double *faster(const CardanSim *a, const CardanSim *b) {
    const double *va = cardan_sim_velocities(a), *vb = cardan_sim_velocities(b);
    return crd_reach(a->model, va) > crd_reach(b->model, vb) ? va : vb;
}

/* The tolerance of a channel, by its unit. */
static inline double tolerance_of(const CardanSim *sim, const double *v, CardanChannel channel) {
    const CrdIntegrator *run = &sim->integrator;
    CrdAllowed place = crd_tolerated_positions(&run->stabiliser.tolerance, sim->model, 1.0),
               rate = crd_tolerated_rates(&run->stabiliser.tolerance, sim->model, v, 1.0);
    const struct {
        const char *unit;
        double size;
    } units[] = {
        {"m", place.length}, {"m/s", rate.length}, {"rad", place.angle}, {"rad/s", rate.angle}, {"1", place.angle}};
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (strcmp(cardan_model_channel_unit(sim->model, channel, 0), units[i].unit) == 0) return units[i].size;
    fail_msg("no tolerance of %s", crd_measures[channel.measure].name);
    return 0.0;
}

/* Two quaternions of opposite sign are one orientation: steps of more than half a turn do not tell which it was. */
static inline double difference(CardanChannel channel, double here, double there) {
    bool either = channel.measure >= CRD_QW && channel.measure <= CRD_QZ;
    return either ? fmin(fabs(here - there), fabs(here + there)) : fabs(here - there);
}

#endif
