#include "sim/force_work.h"

#include "equations/force_scene.h"
#include "equations/measures.h"
#include "sim/channel.h"
#include "sim/refuse.h"
#include "sim/sim.h"

#include <assert.h>
#include <string.h>

/* Gauss and Legendre on [0, 1]. */
enum { POINTS = 4 };
static const double PLACE[POINTS] = {0.069431844202973712, 0.33000947820757187, 0.66999052179242813,
                                     0.93056815579702629};
static const double WEIGHT[POINTS] = {0.17392742256872693, 0.32607257743127307, 0.32607257743127307,
                                      0.17392742256872693};

void crd_force_work_layout(CrdForceWork *work, const CrdStructure *structure, CrdArena *arena) {
    work->count = structure->force_count;
    CRD_TAKE_VECTORS(arena, (size_t)work->count, &work->followed, &work->before, &work->now, &work->at);
}

static void follow(CrdForceWork *work, int force) {
    assert(force >= 0 && force < work->count);
    work->followed[force] = 1.0;
    work->any = true;
}

void crd_force_work_begin(CardanSim *sim) {
    const char *const *outputs;
    int count = cardan_model_outputs(sim->model, &outputs);
    CardanChannel channel;
    for (int i = 0; i < count; i++)
        if (cardan_model_find_channel(sim->model, outputs[i], &channel, NULL, 0) >= 0 &&
            channel.measure == CRD_FORCE_WORK)
            follow(&sim->work, channel.object);
}

/* ---- quadrature ---- */

typedef struct Share {
    double weight; /* s */
    double *sum;   /* (forces) J */
} Share;

static CardanStatus add_powers(CardanSim *sim, double *y, void *user) {
    const Share *share = user;
    CrdDynamics *dynamics = &sim->integrator.dynamics;
    (void)y;
    CRD_TRY(crd_law_input(sim->model, &dynamics->actions, &dynamics->system, dynamics->error));
    for (int i = 0; i < sim->work.count; i++) {
        CrdForceAlone alone;
        if (sim->work.followed[i] == 0.0) continue;
        CRD_TRY(
            crd_force_alone(sim->model, i, 0, &dynamics->actions, &dynamics->system, false, &alone, dynamics->error));
        share->sum[i] += share->weight * alone.power.x;
    }
    return CARDAN_OK;
}

/* sum += work from the beginning of the last step to t. */
static CardanStatus integrate(CardanSim *sim, double t, double *sum) {
    const CrdStepper *stepper = &sim->integrator.stepper;
    double h = t - stepper->t_old;
    for (int k = 0; k < POINTS && h > 0.0; k++) {
        Share share = {WEIGHT[k] * h, sum};
        double at = stepper->t_old + PLACE[k] * h;
        if (!(at < stepper->t)) at = stepper->t_old; /* a step of a few roundings of the time */
        CRD_TRY(crd_read_inside(sim, at, CRD_NEEDS_STATE, &crd_close_row, add_powers, &share));
    }
    return CARDAN_OK;
}

CardanStatus crd_force_work_step(CardanSim *sim) {
    CrdForceWork *work = &sim->work;
    if (!work->any) return CARDAN_OK;
    memcpy(work->before, work->now, (size_t)work->count * sizeof *work->now);
    return integrate(sim, sim->integrator.stepper.t, work->now);
}

/* ---- reading ---- */

static CardanStatus follow_asked(CardanSim *sim, int channels, const CardanChannel *channel) {
    for (int i = 0; i < channels; i++) {
        int force = channel[i].object;
        if (channel[i].measure != CRD_FORCE_WORK || sim->work.followed[force] != 0.0) continue;
        if (sim->integrator.statistics.steps > 0)
            return crd_refuse(sim,
                              "the work of force '%s' was not followed: read it once before the first step, or name "
                              "it in the outputs of the model",
                              sim->model->description->forces[force].name);
        follow(&sim->work, force);
    }
    return CARDAN_OK;
}

CardanStatus crd_force_work_read(CardanSim *sim, double t, int channels, const CardanChannel *channel) {
    CrdForceWork *work = &sim->work;
    bool end = t == sim->integrator.stepper.t;
    CRD_TRY(follow_asked(sim, channels, channel));
    memcpy(work->at, end ? work->now : work->before, (size_t)work->count * sizeof *work->at);
    if (end) return CARDAN_OK;
    CrdCall before = crd_sim_enter(sim);
    crd_error_clear(&sim->error);
    CardanStatus status = integrate(sim, t, work->at);
    crd_sim_leave(sim, before);
    return status < 0 ? crd_sim_report(sim, status) : CARDAN_OK;
}

/* ---- memory ---- */

int crd_force_work_memory_size(const CrdStructure *structure) {
    return 2 * structure->force_count;
}

void crd_force_work_get(const CrdForceWork *work, double *numbers) {
    size_t bytes = (size_t)work->count * sizeof *numbers;
    memcpy(numbers, work->followed, bytes);
    memcpy(numbers + work->count, work->now, bytes);
}

void crd_force_work_set(CrdForceWork *work, const double *numbers) {
    size_t bytes = (size_t)work->count * sizeof *numbers;
    memcpy(work->followed, numbers, bytes);
    memcpy(work->now, numbers + work->count, bytes);
    memcpy(work->before, work->now, bytes);
    work->any = false;
    for (int i = 0; i < work->count; i++) work->any = work->any || work->followed[i] != 0.0;
}

void crd_force_work_copy(CrdForceWork *to, const CrdForceWork *from) {
    size_t bytes = (size_t)from->count * sizeof *from->now;
    assert(to->count == from->count);
    memcpy(to->followed, from->followed, bytes);
    memcpy(to->now, from->now, bytes);
    memcpy(to->before, from->now, bytes);
    to->any = from->any;
}
