/* A start, the results that are asked for, and a short advance. */
#include "ready.h"

#include <math.h>

/* Share of the run, or seconds where the file gives no end, that is advanced to see a step succeed; and at most so many
 * steps, because a run that is slow has started all the same. */
static const double first_share = 1e-6, first_seconds = 1e-6;
enum { FIRST_STEPS = 100 };

static void refuse(Readiness *readiness, int status, const char *reason) {
    readiness->status = status;
    snprintf(readiness->reason, sizeof readiness->reason, "%s", reason);
}

/* The channels of `outputs` have values at the start. */
static void look_at_outputs(const char *path, const CardanModel *model, CardanSim *sim, Readiness *readiness) {
    Record record = {0};
    readiness->status = record_choose(&record, path, model, readiness->reason, sizeof readiness->reason);
    if (readiness->status == STATUS_DONE) {
        CardanStatus st = cardan_sim_sample(sim, 0.0, record.channel_count, record.channels, record.values);
        if (st < 0) refuse(readiness, exit_status(st), cardan_sim_message(sim));
    }
    record_close(&record);
}

static void take_first_steps(CardanSim *sim, const CardanOptions *options, Readiness *readiness) {
    double end = options->end > 0.0 ? first_share * options->end : first_seconds;
    for (int i = 0; i < FIRST_STEPS && cardan_sim_time(sim) < end; i++) {
        CardanStatus st = cardan_sim_step(sim, end);
        if (st > 0) remarks_add(&readiness->remarks, cardan_sim_message(sim));
        if (st < 0) refuse(readiness, exit_status(st), cardan_sim_message(sim));
        if (st < 0 || st == CARDAN_STOPPED) return;
    }
}

void look_ready(const char *path, const CardanModel *model, Readiness *readiness) {
    CardanOptions options = cardan_model_options(model);
    if (cardan_options_check(&options, readiness->reason, sizeof readiness->reason) < 0) {
        readiness->status = STATUS_USAGE;
        return;
    }
    CardanSim *sim = NULL;
    CardanStatus st = cardan_sim_create(model, &options, &sim);
    if (st < 0) refuse(readiness, exit_status(st), sim != NULL ? cardan_sim_message(sim) : "out of memory");
    if (st > 0) remarks_add(&readiness->remarks, cardan_sim_message(sim));
    if (st >= 0) {
        snprintf(readiness->solver, sizeof readiness->solver, "%s", cardan_sim_solver_reason(sim));
        readiness->relative = cardan_sim_coordinates(sim) == CARDAN_COORDINATES_RELATIVE;
        snprintf(readiness->coordinates, sizeof readiness->coordinates, "%s", cardan_sim_coordinates_reason(sim));
        if (!started_look(&readiness->started, sim, model, true)) refuse(readiness, STATUS_FAULT, "out of memory");
        if (readiness->status == STATUS_DONE) look_at_outputs(path, model, sim, readiness);
        if (readiness->status == STATUS_DONE) take_first_steps(sim, &options, readiness);
    }
    if (!(options.end > 0.0))
        remarks_add(&readiness->remarks, "the file gives no 'end' of the simulation; run needs --end SECONDS");
    cardan_sim_destroy(sim);
}
