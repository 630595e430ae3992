/* Reading a run file: every complete record in order, up to the first that is not. */
#include "core/text.h"
#include "store/checksum.h"
#include "store/run.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static CardanStatus fail(char *message, size_t size, CardanStatus status, const char *sentence) {
    if (message != NULL && size > 0) snprintf(message, size, "%s", sentence);
    return status;
}

/* ---- the head ---- */

static CardanStatus check_head(const unsigned char *bytes, size_t size, char *message, size_t room) {
    CrdBytes head = {0};
    uint32_t version, sum;
    char sentence[160];
    crd_file_head(&head);
    bool known = !head.failed && size >= 8 && memcmp(bytes, head.at, 8) == 0;
    crd_delete(head.at);
    if (!known) return fail(message, room, CARDAN_ERR_IO, "this is no run file: it does not begin as one");
    if (size < CRD_FILE_HEAD)
        return fail(message, room, CARDAN_ERR_IO, "the run file is cut off in its first 16 bytes");
    memcpy(&version, bytes + 8, sizeof version);
    memcpy(&sum, bytes + 12, sizeof sum);
    if (crd_checksum(0, bytes, 12) != sum)
        return fail(message, room, CARDAN_ERR_IO, "the run file is damaged in its first 16 bytes");
    if (version == CARDAN_RUN_VERSION) return CARDAN_OK;
    snprintf(sentence, sizeof sentence,
             "the run file is of version %u of the format, and this program knows version %d; use a newer one", version,
             CARDAN_RUN_VERSION);
    return fail(message, room, CARDAN_ERR_IO, sentence);
}

/* ---- records ---- */

/* Room for one more pointer. */
static bool grow(const double ***list, long count, long *room) {
    assert(count >= 0 && count <= *room);
    if (count < *room) return true;
    long more = *room > 0 ? 2 * *room : 1024;
    const double **bigger = crd_new((size_t)more, sizeof *bigger);
    if (bigger == NULL) return false;
    if (count > 0) memcpy((void *)bigger, (const void *)*list, (size_t)count * sizeof *bigger);
    crd_delete((void *)*list);
    *list = bigger;
    *room = more;
    return true;
}

static bool read_model(CardanResult *result, const CrdRecord *record) {
    CrdCursor cursor = crd_cursor(record);
    result->info.model_name = crd_take_text(&cursor, NULL);
    result->info.model_label = crd_take_text(&cursor, NULL);
    result->info.model_text = crd_take_text(&cursor, &result->info.model_length);
    return !cursor.failed;
}

static bool read_setup(CardanResult *result, const CrdRecord *record) {
    CrdCursor cursor = crd_cursor(record);
    uint64_t low = crd_take_u32(&cursor), high = crd_take_u32(&cursor);
    result->fingerprint = low | high << 32;
    result->info.program = crd_take_text(&cursor, NULL);
    result->options = crd_take_text(&cursor, NULL);
    result->info.notes = crd_take_text(&cursor, NULL);
    return !cursor.failed;
}

static bool read_channels(CardanResult *result, const CrdRecord *record) {
    CrdCursor cursor = crd_cursor(record);
    uint32_t columns = crd_take_u32(&cursor), states = crd_take_u32(&cursor);
    if (cursor.failed || result->names != NULL || columns > record->length / 16) return false;
    result->info.columns = (int)columns;
    result->info.state_size = (int)states;
    result->names = crd_new((size_t)columns + 1, sizeof *result->names);
    result->units = crd_new((size_t)columns + 1, sizeof *result->units);
    if (result->names == NULL || result->units == NULL) return false;
    for (uint32_t i = 0; i < columns; i++) {
        result->names[i] = crd_take_text(&cursor, NULL);
        result->units[i] = crd_take_text(&cursor, NULL);
    }
    return !cursor.failed;
}

static bool read_sample(CardanResult *result, const CrdRecord *record) {
    if (record->length != (1 + (size_t)result->info.columns) * sizeof(double)) return false;
    if (!grow(&result->samples, result->info.rows, &result->room_samples)) return false;
    result->samples[result->info.rows++] = (const double *)(const void *)record->content;
    return true;
}

static bool read_state(CardanResult *result, const CrdRecord *record) {
    if (record->length != (1 + (size_t)result->info.state_size) * sizeof(double)) return false;
    if (!grow(&result->state, result->info.states, &result->room_states)) return false;
    result->state[result->info.states++] = (const double *)(const void *)record->content;
    return true;
}

static bool read_event(CardanResult *result, const CrdRecord *record) {
    CardanEvent event;
    int index;
    if (!crd_event_read(record, &index, &event) || index > result->info.events) return false;
    if (!crd_grow((void *)&result->event, &result->room_events, index + 1, sizeof *result->event)) return false;
    result->event[index] = event;
    if (index == result->info.events) result->info.events++;
    return true;
}

static bool read_end(CardanResult *result, const CrdRecord *record) {
    CrdCursor cursor = crd_cursor(record);
    (void)crd_take_number(&cursor);
    result->info.ended = true;
    result->info.status = (int)crd_take_number(&cursor);
    return !cursor.failed;
}

static bool read_checkpoint(CardanResult *result, const CrdRecord *record) {
    CrdCursor cursor = crd_cursor(record);
    result->info.resumable = true;
    result->info.checkpoint_t = crd_take_number(&cursor);
    result->checkpoint = record->begin;
    result->info.checkpoint_end = record->end;
    return !cursor.failed;
}

static bool read_work(CardanResult *result, const CrdRecord *record) {
    CrdCursor cursor = crd_cursor(record);
    (void)crd_take_number(&cursor);
    result->info.seconds = crd_take_number(&cursor);
    return !cursor.failed;
}

static bool read_record(CardanResult *result, const CrdRecord *record) {
    assert(record != NULL);
    static bool (*const READERS[])(CardanResult *, const CrdRecord *) = {
        [CRD_RECORD_MODEL] = read_model,       [CRD_RECORD_SETUP] = read_setup,
        [CRD_RECORD_CHANNELS] = read_channels, [CRD_RECORD_SAMPLE] = read_sample,
        [CRD_RECORD_STATE] = read_state,       [CRD_RECORD_EVENT] = read_event,
        [CRD_RECORD_END] = read_end,           [CRD_RECORD_CHECKPOINT] = read_checkpoint,
        [CRD_RECORD_WORK] = read_work};
    bool known = record->kind < sizeof READERS / sizeof *READERS && READERS[record->kind] != NULL;
    if (record->kind == CRD_RECORD_SAMPLE || record->kind == CRD_RECORD_STATE) result->info.ended = false; /* resumed */
    return !known || READERS[record->kind](result, record); /* kinds of later programs are passed over */
}

static void say_damage(CardanResult *result, CrdReading reading, const CrdRecord *record, long number) {
    char *text = result->damage;
    if (reading == CRD_READ_END) return;
    if (reading == CRD_READ_CUT)
        snprintf(text, sizeof result->damage, "the file is cut off in record %ld (%s), at byte %zu", number,
                 record->kind != 0 ? crd_record_name(record->kind) : "its head", record->begin);
    else
        snprintf(text, sizeof result->damage,
                 "record %ld (%s) at byte %zu is damaged: its checksum does not fit; what stands before it is used",
                 number, record->kind != 0 ? crd_record_name(record->kind) : "its head", record->begin);
}

CardanStatus cardan_result_read(const void *bytes, size_t size, CardanResult **out, char *message, size_t room) {
    if (out == NULL || bytes == NULL)
        return crd_refuse_call(message, room, "there is no place for the result, or no bytes");
    *out = NULL;
    CRD_TRY(check_head(bytes, size, message, room));
    CardanResult *result = crd_new(1, sizeof *result);
    if (result == NULL) return fail(message, room, CARDAN_ERR_MEMORY, "out of memory");
    *result = (CardanResult){.bytes = bytes, .options = ""};
    result->info = (CardanResultInfo){.version = CARDAN_RUN_VERSION,
                                      .program = "",
                                      .model_name = "",
                                      .model_label = "",
                                      .model_text = "",
                                      .notes = "",
                                      .size = CRD_FILE_HEAD};
    CrdRecord record;
    CrdReading reading;
    long number = 1;
    for (;; number++) {
        reading = crd_record_read(bytes, size, result->info.size, &record);
        if (reading == CRD_READ && !read_record(result, &record)) reading = CRD_READ_DAMAGED;
        if (reading != CRD_READ) break;
        result->info.size = record.end;
    }
    say_damage(result, reading, &record, number);
    if (result->names == NULL) {
        char sentence[400];
        snprintf(sentence, sizeof sentence, "the run file ends before its channels: %s",
                 result->damage[0] != '\0' ? result->damage : "nothing was written behind its beginning");
        cardan_result_close(result);
        return fail(message, room, CARDAN_ERR_IO, sentence);
    }
    *out = result;
    return CARDAN_OK;
}

void cardan_result_close(CardanResult *result) {
    if (result == NULL) return;
    CRD_DELETE_ALL((void *)result->names, (void *)result->units, (void *)result->samples, (void *)result->state,
                   result->event);
    crd_delete(result);
}

/* ---- what is asked of it ---- */

CardanResultInfo cardan_result_info(const CardanResult *result) {
    if (result == NULL) return (CardanResultInfo){.damage = "there is no result"};
    CardanResultInfo info = result->info;
    info.damage = result->damage;
    return info;
}

const char *cardan_result_name(const CardanResult *result, int column) {
    return result != NULL && column >= 0 && column < result->info.columns ? result->names[column] : "";
}

const char *cardan_result_unit(const CardanResult *result, int column) {
    return result != NULL && column >= 0 && column < result->info.columns ? result->units[column] : "";
}

static bool has_row(const CardanResult *result, long i) {
    return result != NULL && i >= 0 && i < result->info.rows;
}

double cardan_result_time(const CardanResult *result, long i) {
    return has_row(result, i) ? result->samples[i][0] : (double)NAN;
}

const double *cardan_result_row(const CardanResult *result, long i) {
    return has_row(result, i) ? result->samples[i] + 1 : NULL;
}

const double *cardan_result_state(const CardanResult *result, long i) {
    return result != NULL && i >= 0 && i < result->info.states ? result->state[i] + 1 : NULL;
}

const CardanEvent *cardan_result_event(const CardanResult *result, int i) {
    return result != NULL && i >= 0 && i < result->info.events ? &result->event[i] : NULL;
}

CardanStatus cardan_result_options(const CardanResult *result, CardanOptions *out, char *message, size_t size) {
    if (result == NULL || out == NULL)
        return crd_refuse_call(message, size, "there is no result, or no place for options");
    return crd_options_read(result->options, out, message, size);
}
