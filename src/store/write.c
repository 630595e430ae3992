/* Writing a run: records are put together in memory and handed to the sink a few at a time. */
#include "cardan/cardan.h"
#include "core/cookie.h"
#include "sim/refuse.h"
#include "sim/series.h"
#include "store/run.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* Bytes that are held back before the sink gets them: a page of records, not a call for each. */
#define CRD_RUN_HELD_BACK ((size_t)1 << 16)

/* Numbers of rows that are read at once: they stay in a cache, and their nodes are few beside them. */
#define CRD_RUN_NUMBERS_AT_ONCE ((size_t)1 << 16)

CardanRunDef cardan_default_run(void) {
    return (CardanRunDef){.internal = CRD_COOKIE, .states = true};
}

const char *cardan_run_message(const CardanRun *run) {
    return run == NULL ? "there is no run" : run->error.text;
}

/* ---- to the sink ---- */

CardanStatus crd_run_flush(CardanRun *run) {
    if (run->error.status < 0) return run->error.status;
    if (run->bytes.failed) return crd_fail_memory(&run->error);
    if (run->sink.write == NULL || run->bytes.count == 0) return CARDAN_OK;
    if (run->sink.write(run->sink.user, run->bytes.at, run->bytes.count) != 0)
        return crd_fail(&run->error, CARDAN_ERR_IO, "the run could not be written");
    run->bytes.count = 0;
    return CARDAN_OK;
}

/* The next record of the file that belongs to every run; false: there is none left. */
static bool next_stored(CardanRun *run, CrdRecord *record) {
    while (run->replay_at < run->replay_end &&
           crd_record_read(run->replay, run->replay_end, run->replay_at, record) == CRD_READ) {
        run->replay_at = record->end;
        if (record->kind < CRD_RECORD_REPEATABLE) return true;
    }
    return false;
}

/* Other bits: the file is shortened to what is the same. */
static CardanStatus leave_replay(CardanRun *run, const CrdRecord *stored) {
    run->differs = cardan_sim_time(run->sim);
    run->replay_at = run->replay_end = 0;
    if (run->truncate == NULL || run->truncate(run->sink.user, stored->begin) != 0)
        return crd_fail(&run->error, CARDAN_ERR_IO, "the run file could not be shortened");
    return CARDAN_OK;
}

CardanStatus crd_run_put(CardanRun *run, size_t begin) {
    CrdRecord stored;
    crd_record_end(&run->bytes, begin);
    if (run->bytes.failed) return crd_fail_memory(&run->error);
    const unsigned char *made = run->bytes.at + begin;
    uint32_t kind;
    memcpy(&kind, made, sizeof kind);
    if (run->replay_at < run->replay_end) {
        size_t size = run->bytes.count - begin;
        bool repeatable = kind < CRD_RECORD_REPEATABLE;
        if (!repeatable) { /* what stands behind would be lost if this were written before it */
            run->bytes.count = begin;
            return CARDAN_OK;
        }
        if (next_stored(run, &stored)) {
            bool same = stored.end - stored.begin == size && memcmp(run->replay + stored.begin, made, size) == 0;
            if (same) run->bytes.count = begin;
            if (same) return CARDAN_OK;
            CRD_TRY(leave_replay(run, &stored));
        }
    }
    return run->bytes.count >= CRD_RUN_HELD_BACK ? crd_run_flush(run) : CARDAN_OK;
}

/* ---- beginning ---- */

static void put_model(CardanRun *run, const CardanRunDef *def) {
    size_t begin = crd_record_begin(&run->bytes, CRD_RECORD_MODEL);
    const char *name = cardan_model_name(run->sim->model), *label = def->model_label != NULL ? def->model_label : "";
    crd_bytes_put_text(&run->bytes, name, strlen(name));
    crd_bytes_put_text(&run->bytes, label, strlen(label));
    crd_bytes_put_text(&run->bytes, def->model_text, def->model_text != NULL ? def->model_length : 0);
    crd_record_end(&run->bytes, begin);
}

static void put_setup(CardanRun *run, const CardanRunDef *def) {
    size_t begin = crd_record_begin(&run->bytes, CRD_RECORD_SETUP);
    uint64_t fingerprint = crd_fingerprint(run->sim->model);
    const char *program = cardan_version_text(), *notes = def->notes != NULL ? def->notes : "";
    crd_bytes_put(&run->bytes, &fingerprint, sizeof fingerprint);
    crd_bytes_put_text(&run->bytes, program, strlen(program));
    crd_options_write(&run->sim->integrator.options, &run->bytes);
    crd_bytes_put_text(&run->bytes, notes, strlen(notes));
    crd_record_end(&run->bytes, begin);
}

static void put_channels(CardanRun *run) {
    const CardanModel *model = run->sim->model;
    size_t begin = crd_record_begin(&run->bytes, CRD_RECORD_CHANNELS);
    char label[512];
    crd_bytes_put_u32(&run->bytes, (uint32_t)run->columns);
    crd_bytes_put_u32(&run->bytes, run->states ? (uint32_t)run->sim->integrator.stepper.n : 0);
    for (int i = 0; i < run->asked.count; i++)
        for (int k = 0; k < run->channel[i].width; k++) {
            const char *unit = cardan_model_channel_unit(model, run->channel[i], k);
            cardan_model_channel_label(model, run->channel[i], k, label, sizeof label);
            crd_bytes_put_text(&run->bytes, label, strlen(label));
            crd_bytes_put_text(&run->bytes, unit, strlen(unit));
        }
    crd_record_end(&run->bytes, begin);
}

CardanRun *crd_run_new(CardanSim *sim, const CardanRunDef *def) {
    assert(sim != NULL && def != NULL);
    CardanRun *run = crd_new(1, sizeof *run);
    if (run == NULL) return NULL;
    *run = (CardanRun){.sim = sim, .sink = def->sink, .states = def->states};
    run->differs = (double)NAN;
    run->channel = crd_new((size_t)def->channels + 1, sizeof *run->channel);
    run->told = crd_new(2 * CRD_EVENTS_MAX, sizeof *run->told);
    run->state = crd_new((size_t)cardan_sim_state_size(sim), sizeof *run->state);
    for (int i = 0; run->channel != NULL && i < def->channels; i++) {
        run->channel[i] = def->channel[i];
        run->columns += def->channel[i].width;
    }
    run->asked = crd_asked_of(run->channel != NULL ? def->channels : 0, run->channel);
    run->place = crd_new((size_t)def->channels + 1, sizeof *run->place);
    if (run->place != NULL) crd_find_places(sim->model, &run->asked, run->place);
    run->values = crd_new((size_t)run->columns + 1, sizeof *run->values);
    if (run->channel != NULL && run->place != NULL && run->told != NULL && run->state != NULL && run->values != NULL)
        return run;
    cardan_run_close(run);
    return NULL;
}

CardanStatus cardan_run_create(CardanSim *sim, const CardanRunDef *def, CardanRun **out) {
    if (out != NULL) *out = NULL;
    CRD_TRY(crd_need_given(sim, out, "the place for the run"));
    CRD_TRY(crd_need_given(sim, def, "what the run is to hold"));
    if (def->internal != CRD_COOKIE)
        return crd_refuse(sim, "what the run is to hold was not made by cardan_default_run()");
    CRD_TRY(crd_check_channels(sim, def->channels, def->channel));
    CardanRun *run = crd_run_new(sim, def);
    if (run == NULL) return crd_sim_report(sim, crd_fail_memory(&sim->error));
    crd_file_head(&run->bytes);
    put_model(run, def);
    put_setup(run, def);
    put_channels(run);
    CardanStatus status = crd_run_flush(run);
    if (status < 0) {
        crd_error_clear(&sim->error);
        crd_fail(&sim->error, status, "%s", run->error.text);
        cardan_run_close(run);
        return crd_sim_report(sim, status);
    }
    *out = run;
    return CARDAN_OK;
}

void cardan_run_close(CardanRun *run) {
    if (run == NULL) return;
    CRD_DELETE_ALL(run->channel, run->place, run->told, run->state, run->values, run->many_values, run->many_states,
                   run->bytes.at);
    crd_delete(run);
}

const void *cardan_run_bytes(const CardanRun *run, size_t *size) {
    bool there = run != NULL && run->sink.write == NULL && !run->bytes.failed;
    if (size != NULL) *size = there ? run->bytes.count : 0;
    return there ? run->bytes.at : NULL;
}

/* ---- as it goes ---- */

static CardanStatus put_row(CardanRun *run, double t, const double *values, const double *state) {
    size_t begin = crd_record_begin(&run->bytes, CRD_RECORD_SAMPLE);
    crd_bytes_put_numbers(&run->bytes, &t, 1);
    crd_bytes_put_numbers(&run->bytes, values, (size_t)run->columns);
    CRD_TRY(crd_run_put(run, begin));
    if (!run->states) return CARDAN_OK;
    begin = crd_record_begin(&run->bytes, CRD_RECORD_STATE);
    crd_bytes_put_numbers(&run->bytes, &t, 1);
    crd_bytes_put_numbers(&run->bytes, state, (size_t)run->sim->integrator.stepper.n);
    return crd_run_put(run, begin);
}

CardanStatus cardan_run_row(CardanRun *run, double t, double *values) {
    if (run == NULL) return CARDAN_ERR_ARGUMENT;
    if (run->error.status < 0) return run->error.status;
    CardanSim *sim = run->sim;
    if (values == NULL) values = run->values;
    CardanStatus status = crd_sim_sample(sim, t, &run->asked, values);
    if (status < 0) return crd_fail(&run->error, status, "%s", cardan_sim_message(sim));
    const CrdStepper *stepper = &sim->integrator.stepper;
    return put_row(run, t, values, t == stepper->t ? stepper->y : sim->scratch);
}

/* Room for rows that are read at once, made when it is first needed. */
static bool make_room(CardanRun *run) {
    size_t n = run->states ? (size_t)run->sim->integrator.stepper.n : 0, width = (size_t)run->columns + n + 1;
    if (run->many > 0) return true;
    int many = width < CRD_RUN_NUMBERS_AT_ONCE ? (int)(CRD_RUN_NUMBERS_AT_ONCE / width) : 1;
    run->many_values = crd_new((size_t)many, (size_t)run->columns * sizeof *run->many_values + 1);
    run->many_states = crd_new((size_t)many, n * sizeof *run->many_states + 1);
    if (run->many_values == NULL || run->many_states == NULL) return false;
    run->many = many;
    return true;
}

/* As many as there is room for. Where they cannot be read together they are one by one, up to the one at fault. */
static CardanStatus put_some(CardanRun *run, int rows, const double *t, double *values) {
    size_t columns = (size_t)run->columns, n = run->states ? (size_t)run->sim->integrator.stepper.n : 0;
    CrdManyRows some = {rows, t, &run->asked, run->columns, values, run->states ? run->many_states : NULL};
    bool read = crd_sim_sample_rows(run->sim, &some) >= 0;
    for (int i = 0; i < rows; i++)
        CRD_TRY(read ? put_row(run, t[i], values + (size_t)i * columns, run->many_states + (size_t)i * n)
                     : cardan_run_row(run, t[i], values + (size_t)i * columns));
    return CARDAN_OK;
}

CardanStatus cardan_run_rows(CardanRun *run, int rows, const double *t, double *values) {
    if (run == NULL) return CARDAN_ERR_ARGUMENT;
    if (run->error.status < 0) return run->error.status;
    if (rows < 0 || (rows > 0 && t == NULL))
        return crd_fail(&run->error, CARDAN_ERR_ARGUMENT, "rows need a number of them and a list of times");
    if (!make_room(run)) return crd_fail_memory(&run->error);
    for (int done = 0, count; done < rows; done += count) {
        count = rows - done < run->many ? rows - done : run->many;
        CRD_TRY(put_some(run, count, t + done,
                         values != NULL ? values + (size_t)done * (size_t)run->columns : run->many_values));
    }
    return CARDAN_OK;
}

static bool is_told(const CrdTold *told, const CardanEvent *event) {
    return told->t == event->t && told->left_at == event->left_at && told->jump == event->jump &&
           told->branch == event->branch;
}

CardanStatus cardan_run_follow(CardanRun *run) {
    if (run == NULL) return CARDAN_ERR_ARGUMENT;
    const CrdLog *log = &run->sim->integrator.log;
    for (int i = 0; i < log->count && run->error.status >= 0; i++) {
        const CardanEvent *event = &log->events[i];
        if (i < run->told_count && is_told(&run->told[i], event)) continue;
        size_t begin = crd_record_begin(&run->bytes, CRD_RECORD_EVENT);
        crd_event_write(&run->bytes, i, event);
        CRD_TRY(crd_run_put(run, begin));
        run->told[i] = (CrdTold){event->t, event->left_at, event->jump, event->branch};
        if (i >= run->told_count) run->told_count = i + 1;
    }
    return run->error.status < 0 ? run->error.status : CARDAN_OK;
}

/* t, sizes, the log's counts, what was counted, openings; then the caller's numbers and the state. */
static void put_memory(CardanRun *run, int count, const double *numbers) {
    assert(count == 0 || numbers != NULL);
    CardanSim *sim = run->sim;
    const CrdLog *log = &sim->integrator.log;
    const CrdDynamics *dynamics = &sim->integrator.dynamics;
    const CrdOpening *largest = dynamics->redundancy.imperfect.largest;
    int size = cardan_sim_state_size(sim);
    const double counts[] = {cardan_sim_time(sim),
                             (double)log->count,
                             (double)log->singular,
                             (double)log->total,
                             (double)dynamics->work.rhs,
                             (double)dynamics->work.factorisations,
                             (double)dynamics->work.solves,
                             (double)dynamics->work.alarms,
                             dynamics->factor.pivot_min,
                             largest[0].size,
                             largest[0].t,
                             (double)largest[0].element,
                             largest[1].size,
                             largest[1].t,
                             (double)largest[1].element};
    crd_bytes_put_numbers(&run->bytes, counts, sizeof counts / sizeof *counts);
    crd_bytes_put_u32(&run->bytes, (uint32_t)count);
    crd_bytes_put_u32(&run->bytes, (uint32_t)size);
    crd_bytes_put_numbers(&run->bytes, numbers, (size_t)count);
    crd_bytes_put_numbers(&run->bytes, run->state, (size_t)size);
}

CardanStatus cardan_run_checkpoint(CardanRun *run, int count, const double *numbers) {
    if (run == NULL) return CARDAN_ERR_ARGUMENT;
    if (count < 0 || count > CRD_RUN_NUMBERS || (count > 0 && numbers == NULL))
        return crd_fail(&run->error, CARDAN_ERR_ARGUMENT, "a checkpoint has up to %d numbers", CRD_RUN_NUMBERS);
    CRD_TRY(cardan_run_follow(run));
    CRD_TRY(cardan_sim_get_state(run->sim, run->state));
    size_t begin = crd_record_begin(&run->bytes, CRD_RECORD_CHECKPOINT);
    put_memory(run, count, numbers);
    CRD_TRY(crd_run_put(run, begin));
    CRD_TRY(crd_run_flush(run));
    if (run->sink.sync != NULL && run->sink.sync(run->sink.user) != 0)
        return crd_fail(&run->error, CARDAN_ERR_IO, "the run could not be written through to the disk");
    return CARDAN_OK;
}

CardanStatus cardan_run_finish(CardanRun *run, int status, double seconds, int count, const double *numbers) {
    if (run == NULL) return CARDAN_ERR_ARGUMENT;
    CRD_TRY(cardan_run_follow(run));
    double t = cardan_sim_time(run->sim);
    size_t begin = crd_record_begin(&run->bytes, CRD_RECORD_END);
    crd_bytes_put_numbers(&run->bytes, (const double[]){t, status}, 2);
    CRD_TRY(crd_run_put(run, begin));
    CardanWork work;
    if (cardan_sim_work(run->sim, &work) < 0) work = (CardanWork){0};
    begin = crd_record_begin(&run->bytes, CRD_RECORD_WORK);
    crd_bytes_put_numbers(&run->bytes,
                          (const double[]){t, seconds, (double)work.steps, (double)work.rejected, (double)work.rhs,
                                           (double)work.factorisations, (double)work.solves},
                          7);
    CRD_TRY(crd_run_put(run, begin));
    return cardan_run_checkpoint(run, count, numbers);
}
