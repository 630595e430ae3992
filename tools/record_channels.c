/* Which channels results have: those of the model file, or the usual ones. */
#include "record.h"
#include "rows.h"

#include <stdlib.h>

#include "text.h"

enum { NAME_SIZE = 512, SENTENCE_SIZE = 1024 };

typedef struct ChannelList { /* filled by two passes: first counted, then kept */
    const CardanModel *model;
    const char *path; /* of its file */
    Record *record;   /* NULL: only counting */
    int count;
    char *reason; /* size bytes: what is wrong with a name */
    size_t size;
} ChannelList;

/* A name, or a group of them with stars. */
static int add_channel(ChannelList *list, const char *name) {
    CardanChannel *channels = list->record != NULL ? list->record->channels + list->count : NULL;
    int room = list->record != NULL ? list->record->channel_count - list->count : 0;
    int count = cardan_model_match_channels(list->model, name, room, channels, list->reason, list->size);
    if (count < 0) return exit_status((CardanStatus)count);
    for (int i = 0; i < count && list->record != NULL; i++) list->record->columns += channels[i].width;
    list->count += count;
    return STATUS_DONE;
}

static int add_member(ChannelList *list, const char *object, const char *measure) {
    char name[NAME_SIZE];
    snprintf(name, sizeof name, "%s.%s", object, measure);
    return add_channel(list, name);
}

/* What a file without `outputs` gets: joint coordinates, places of bodies, energy, residual. */
static int add_usual_channels(ChannelList *list) {
    static const char *const coordinate[] = {NULL, "angle", "displacement", "length"};
    static const char *const place[] = {"x", "y", "z"};
    CardanSizes sizes = cardan_model_sizes(list->model);
    int dimensions = cardan_model_space(list->model) == CARDAN_SPACE_PLANAR ? 2 : 3, status = STATUS_DONE;
    for (int i = 1; i <= sizes.joints && status == STATUS_DONE; i++) {
        const char *measure = coordinate[cardan_model_joint_coordinate(list->model, (CardanJoint){i})];
        if (measure != NULL) status = add_member(list, cardan_model_joint_name(list->model, (CardanJoint){i}), measure);
    }
    for (int i = 1; i <= sizes.bodies; i++)
        for (int k = 0; k < dimensions && status == STATUS_DONE; k++)
            status = add_member(list, cardan_model_body_name(list->model, (CardanBody){i}), place[k]);
    if (status == STATUS_DONE) status = add_channel(list, "energy");
    if (status == STATUS_DONE) status = add_channel(list, "residual");
    return status;
}

/* Says where an output stands that could not be found. */
static void put_place(ChannelList *list, int output) {
    char sentence[SENTENCE_SIZE];
    int line = 0, column = 0;
    cardan_model_output_place(list->model, output, &line, &column);
    if (line == 0 || list->path == NULL) return;
    snprintf(sentence, sizeof sentence, "%s", list->reason);
    snprintf(list->reason, list->size, "%s:%d:%d: outputs: %s", list->path, line, column, sentence);
}

static int list_channels(ChannelList *list) {
    const char *const *names = NULL;
    int count = cardan_model_outputs(list->model, &names);
    if (count == 0) return add_usual_channels(list);
    for (int i = 0; i < count; i++) {
        int status = add_channel(list, names[i]);
        if (status == STATUS_DONE) continue;
        put_place(list, i);
        return status;
    }
    return STATUS_DONE;
}

static int no_room(char *reason, size_t size) {
    snprintf(reason, size, "out of memory");
    return STATUS_FAULT;
}

int record_choose(Record *record, const char *path, const CardanModel *model, char *reason, size_t size) {
    ChannelList list = {.model = model, .path = path, .reason = reason, .size = size};
    int status = list_channels(&list);
    if (status != STATUS_DONE) return status;
    record->channel_count = list.count;
    record->channels = calloc((size_t)list.count + 1, sizeof *record->channels);
    if (record->channels == NULL) return no_room(reason, size);
    list.record = record;
    list.count = 0;
    status = list_channels(&list);
    if (status != STATUS_DONE) return status;
    record->room = rows_at_once(record->columns);
    record->times = calloc((size_t)record->room, sizeof *record->times);
    record->values = calloc((size_t)record->room, ((size_t)record->columns + 1) * sizeof *record->values);
    bool room = lines_make(&record->lines, record->columns + 1);
    return room && record->times != NULL && record->values != NULL ? STATUS_DONE : no_room(reason, size);
}
