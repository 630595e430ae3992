/* What stands in records: events, options, what tells models apart. */
#include "options/options.h"
#include "options/table.h"
#include "store/run.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

/* ---- events ---- */

enum { EVENT_WORDS = 6 + CARDAN_PASSAGE_JOINTS, EVENT_NUMBERS = 9 };

void crd_event_write(CrdBytes *out, int index, const CardanEvent *event) {
    assert(index >= 0 && event != NULL);
    uint32_t words[EVENT_WORDS] = {(uint32_t)index,         (uint32_t)event->kind,        (uint32_t)event->direction,
                                   (uint32_t)event->remedy, (uint32_t)event->joint_count, (uint32_t)event->branch};
    const double numbers[EVENT_NUMBERS] = {event->t,          event->left_at, event->pivot_min,
                                           event->epsilon,    event->radius,  event->gave_way,
                                           event->lambda_max, event->jump,    (double)event->softened};
    for (int i = 0; i < CARDAN_PASSAGE_JOINTS; i++) words[6 + i] = (uint32_t)event->joint[i].index;
    crd_bytes_put(out, words, sizeof words);
    crd_bytes_put_numbers(out, numbers, EVENT_NUMBERS);
    crd_bytes_put_text(out, event->name != NULL ? event->name : "", event->name != NULL ? strlen(event->name) : 0);
}

bool crd_event_read(const CrdRecord *record, int *index, CardanEvent *out) {
    assert(record != NULL && index != NULL && out != NULL);
    CrdCursor cursor = crd_cursor(record);
    uint32_t words[EVENT_WORDS];
    for (int i = 0; i < EVENT_WORDS; i++) words[i] = crd_take_u32(&cursor);
    const double *x = crd_take_numbers(&cursor, EVENT_NUMBERS);
    size_t length;
    const char *name = crd_take_text(&cursor, &length);
    if (cursor.failed || words[0] >= 2 * CRD_EVENTS_MAX) return false;
    *index = (int)words[0];
    *out = (CardanEvent){.kind = (CardanEventKind)words[1],
                         .direction = (int32_t)words[2],
                         .remedy = (CardanRemedy)words[3],
                         .joint_count = (int)words[4],
                         .branch = (CardanBranch)words[5],
                         .t = x[0],
                         .left_at = x[1],
                         .pivot_min = x[2],
                         .epsilon = x[3],
                         .radius = x[4],
                         .gave_way = x[5],
                         .lambda_max = x[6],
                         .jump = x[7],
                         .softened = (long)x[8],
                         .name = length > 0 ? name : NULL};
    for (int i = 0; i < CARDAN_PASSAGE_JOINTS; i++) out->joint[i].index = (int)words[6 + i];
    return true;
}

/* ---- options ---- */

void crd_options_write(const CardanOptions *options, CrdBytes *out) {
    CrdBytes text = {0};
    char line[256];
    const char *words[CRD_WORDS_MAX];
    for (int i = 0; crd_option(i) != NULL; i++) {
        const CrdOption *option = crd_option(i);
        double value = crd_option_value(options, option);
        if (value == 0.0 && option->unset != NULL) continue; /* it cannot be given */
        if (option->kind == CRD_OPTION_WORD) {
            crd_option_words(option, words);
            snprintf(line, sizeof line, "%s %s\n", option->name, words[(int)value]);
        } else {
            snprintf(line, sizeof line, "%s %.17g\n", option->name, value);
        }
        crd_bytes_put(&text, line, strlen(line));
    }
    out->failed = out->failed || text.failed;
    crd_bytes_put_text(out, (const char *)text.at, text.count);
    crd_delete(text.at);
}

CardanStatus crd_options_read(const char *text, CardanOptions *out, char *message, size_t size) {
    assert(text != NULL && out != NULL);
    char line[256], name[128], value[128];
    *out = cardan_default_options();
    while (*text != '\0') {
        size_t length = strcspn(text, "\n");
        snprintf(line, sizeof line, "%.*s", (int)(length < sizeof line ? length : sizeof line - 1), text);
        text += length + (text[length] == '\n');
        if (sscanf(line, "%127s %127s", name, value) != 2) continue;
        CRD_TRY(cardan_options_set(out, name, value, message, size));
    }
    return CARDAN_OK;
}

/* ---- models ---- */

static uint64_t hash(uint64_t before, const void *bytes, size_t size) {
    assert(size == 0 || bytes != NULL);
    const unsigned char *at = bytes;
    for (size_t i = 0; i < size; i++) before = (before ^ at[i]) * 0x100000001b3u;
    return before;
}

static uint64_t hash_text(uint64_t before, const char *text) {
    return hash(before, text, strlen(text) + 1);
}

uint64_t crd_fingerprint(const CardanModel *model) {
    assert(model != NULL);
    const CrdStructure *structure = model->structure;
    const CrdValues *values = &model->values;
    const int sizes[] = {structure->nq, structure->nv, structure->rows, structure->first_order,
                         structure->tracked_count};
    uint64_t h = hash(0xcbf29ce484222325u, sizes, sizeof sizes);
    for (int i = 0; i < structure->joint_count; i++)
        h = hash_text(h, cardan_model_joint_name(model, (CardanJoint){i + 1}));
    for (int i = 0; i < cardan_model_sizes(model).bodies; i++)
        h = hash_text(h, cardan_model_body_name(model, cardan_model_body(model, i)));
    for (int i = 0; i < structure->block_count; i++) {
        h = hash(h, &values->blocks[i].mass, sizeof values->blocks[i].mass);
        h = hash(h, values->blocks[i].inertia, sizeof values->blocks[i].inertia);
    }
    h = hash(h, values->q0, (size_t)structure->nq * sizeof(double));
    return hash(h, values->v0, (size_t)structure->nv * sizeof(double));
}
