/* Going on: the last checkpoint put into a simulation, and a run that is written behind it. */
#include "core/cookie.h"
#include "sim/refuse.h"
#include "store/run.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { COUNTS = 15 };

/* ---- events ---- */

/* The model's own name of what an event is of; NULL: it has none such. */
static const char *own_name(const CardanModel *model, const char *name) {
    const CrdDescription *description = model->description;
    if (name == NULL) return NULL;
    for (int i = 0; i < description->force_count; i++)
        if (strcmp(description->forces[i].name, name) == 0) return description->forces[i].name;
    for (int i = 0; i < description->joint_count; i++)
        if (strcmp(description->joints[i].name, name) == 0) return description->joints[i].name;
    for (int i = 0; i < description->event_count; i++)
        if (strcmp(description->events[i].name, name) == 0) return description->events[i].name;
    return "";
}

/* The events as they were at the checkpoint: records behind it belong to what comes again. */
static void restore_events(const CardanResult *result, CardanSim *sim, const double *counts) {
    CrdLog *log = &sim->integrator.log;
    CrdRecord record;
    *log = (CrdLog){.events = log->events, .singular = (int)counts[2], .total = (long)counts[3]};
    for (size_t at = CRD_FILE_HEAD; at < result->checkpoint; at = record.end) {
        CardanEvent event;
        int index;
        if (crd_record_read(result->bytes, result->info.size, at, &record) != CRD_READ) return;
        if (record.kind != CRD_RECORD_EVENT || !crd_event_read(&record, &index, &event)) continue;
        event.name = own_name(sim->model, event.name);
        log->events[index] = event;
        if (index >= log->count) log->count = index + 1;
    }
}

static void restore_counts(CardanSim *sim, const double *counts) {
    CrdDynamics *dynamics = &sim->integrator.dynamics;
    CrdOpening *largest = dynamics->redundancy.imperfect.largest;
    dynamics->work = (CrdWork){(long)counts[4], (long)counts[5], (long)counts[6], (long)counts[7]};
    dynamics->factor.pivot_min = counts[8];
    for (int i = 0; i < 2; i++)
        largest[i] = (CrdOpening){counts[9 + 3 * i], counts[10 + 3 * i], (int)counts[11 + 3 * i]};
}

/* ---- the simulation ---- */

static CardanStatus check_model(const CardanResult *result, CardanSim *sim, uint32_t size) {
    if (result->fingerprint != crd_fingerprint(sim->model))
        return crd_fail(
            &sim->error, CARDAN_ERR_MODEL,
            "the run is of another model, '%s': names, masses or the pose at the start are not those of '%s'",
            result->info.model_name, cardan_model_name(sim->model));
    if ((int)size != cardan_sim_state_size(sim))
        return crd_fail(&sim->error, CARDAN_ERR_MODEL,
                        "the run's state has %u numbers and this simulation's %d: its options are others, or it was "
                        "written by another version (%s)",
                        size, cardan_sim_state_size(sim), result->info.program);
    return CARDAN_OK;
}

CardanStatus cardan_result_restore(const CardanResult *result, CardanSim *sim, int *count, double *numbers) {
    CRD_TRY(crd_need_given(sim, result, "the result"));
    crd_error_clear(&sim->error);
    if (!result->info.resumable)
        return crd_sim_report(sim,
                              crd_fail(&sim->error, CARDAN_ERR_IO, "the run file has no checkpoint to go on from"));
    CrdRecord record;
    crd_record_read(result->bytes, result->info.size, result->checkpoint, &record);
    CrdCursor cursor = crd_cursor(&record);
    const double *counts = crd_take_numbers(&cursor, COUNTS);
    uint32_t own = crd_take_u32(&cursor), size = crd_take_u32(&cursor);
    const double *callers = crd_take_numbers(&cursor, own), *state = crd_take_numbers(&cursor, size);
    if (cursor.failed || own > CRD_RUN_NUMBERS)
        return crd_sim_report(sim,
                              crd_fail(&sim->error, CARDAN_ERR_IO, "the checkpoint of the run file makes no sense"));
    CardanStatus status = check_model(result, sim, size);
    if (status < 0) return crd_sim_report(sim, status);
    restore_events(result, sim, counts);
    CRD_TRY(cardan_sim_set_state(sim, state));
    restore_counts(sim, counts);
    if (count != NULL) *count = (int)own;
    if (numbers != NULL) memcpy(numbers, callers, own * sizeof *numbers);
    return CARDAN_OK;
}

CardanStatus cardan_result_show(const CardanResult *result, long i, CardanSim *sim) {
    CRD_TRY(crd_need_given(sim, result, "the result"));
    CRD_TRY(crd_need_free(sim));
    const double *y = cardan_result_state(result, i);
    int n = sim->integrator.stepper.n;
    if (y == NULL) return crd_refuse(sim, "the run has no state in row %ld", i);
    crd_error_clear(&sim->error);
    if (result->fingerprint != crd_fingerprint(sim->model) || result->info.state_size != n)
        return crd_sim_report(
            sim, crd_fail(&sim->error, CARDAN_ERR_MODEL, "the run is of another model, '%s'", result->info.model_name));
    double *state = crd_new((size_t)cardan_sim_state_size(sim), sizeof *state);
    if (state == NULL) return crd_sim_report(sim, crd_fail_memory(&sim->error));
    crd_sim_keep_state(sim, state);
    state[0] = cardan_result_time(result, i);
    memcpy(state + 1, y, (size_t)n * sizeof *state);
    CrdCall before = crd_sim_enter(sim);
    crd_sim_put_state(sim, state); /* rows between steps are on the constraints to a tolerance only: no more is asked */
    crd_sim_leave(sim, before);
    crd_delete(state);
    return CARDAN_OK;
}

/* ---- the run ---- */

CardanStatus cardan_run_resume(CardanSim *sim, const CardanResult *result, const CardanRunDef *def,
                               int (*truncate)(void *user, size_t size), CardanRun **out) {
    if (out != NULL) *out = NULL;
    CRD_TRY(crd_need_given(sim, out, "the place for the run"));
    CRD_TRY(crd_need_given(sim, def, "what the run is to hold"));
    CRD_TRY(crd_need_given(sim, result, "the result"));
    if (def->internal != CRD_COOKIE)
        return crd_refuse(sim, "what the run is to hold was not made by cardan_default_run()");
    CRD_TRY(crd_check_channels(sim, def->channels, def->channel));
    CardanRun *run = crd_run_new(sim, def);
    if (run == NULL) return crd_sim_report(sim, crd_fail_memory(&sim->error));
    if (run->columns != result->info.columns) {
        cardan_run_close(run);
        return crd_refuse(sim, "the run has %d columns, not %d", result->info.columns, run->columns);
    }
    run->states = result->info.state_size > 0;
    run->replay = result->bytes;
    run->replay_at = result->info.checkpoint_end;
    run->replay_end = result->info.size;
    run->truncate = truncate;
    const CrdLog *log = &sim->integrator.log;
    for (int i = 0; i < log->count; i++) {
        const CardanEvent *event = &log->events[i];
        run->told[i] = (CrdTold){event->t, event->left_at, event->jump, event->branch};
    }
    run->told_count = log->count;
    *out = run;
    return CARDAN_OK;
}

double cardan_run_differs(const CardanRun *run) {
    return run == NULL ? (double)NAN : run->differs;
}

/* ---- files ---- */

CardanStatus cardan_sim_save_file(CardanSim *sim, const char *path) {
    CRD_TRY(crd_need_given(sim, path, "the name of the file"));
    CardanRunDef def = cardan_default_run();
    CardanRun *run = NULL;
    def.states = false;
    CRD_TRY(cardan_run_create(sim, &def, &run));
    CardanStatus status = cardan_run_checkpoint(run, 0, NULL);
    size_t size = 0;
    const void *bytes = cardan_run_bytes(run, &size);
    FILE *file = status >= 0 ? fopen(path, "wb") : NULL;
    bool good = file != NULL && fwrite(bytes, 1, size, file) == size;
    if (file != NULL) good = fclose(file) == 0 && good;
    cardan_run_close(run);
    if (good) return CARDAN_OK;
    crd_error_clear(&sim->error);
    return crd_sim_report(sim, crd_fail(&sim->error, CARDAN_ERR_IO, "'%s' could not be written", path));
}

/* All of a file; NULL: it could not be read. */
static void *read_all(const char *path, size_t *size) {
    FILE *file = fopen(path, "rb");
    CrdBytes bytes = {0};
    unsigned char part[4096];
    if (file == NULL) return NULL;
    for (size_t got; (got = fread(part, 1, sizeof part, file)) > 0;) crd_bytes_put(&bytes, part, got);
    if (ferror(file)) bytes.failed = true;
    fclose(file);
    *size = bytes.count;
    if (!bytes.failed && bytes.at != NULL) return bytes.at;
    crd_delete(bytes.at);
    return NULL;
}

CardanStatus cardan_sim_load_file(CardanSim *sim, const char *path) {
    CRD_TRY(crd_need_given(sim, path, "the name of the file"));
    size_t size = 0;
    char message[CRD_MESSAGE_SIZE] = "it could not be read";
    void *bytes = read_all(path, &size);
    CardanResult *result = NULL;
    CardanStatus status =
        bytes != NULL ? cardan_result_read(bytes, size, &result, message, sizeof message) : CARDAN_ERR_IO;
    if (status < 0) {
        crd_error_clear(&sim->error);
        crd_sim_report(sim, crd_fail(&sim->error, status, "'%s': %s", path, message));
    } else {
        status = cardan_result_restore(result, sim, NULL, NULL);
    }
    cardan_result_close(result);
    crd_delete(bytes);
    return status;
}
