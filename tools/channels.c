/* cardan channels MODEL | RUN [NAME...]: what can be recorded of a model, or what a run file has, with units. */
#include "verbs.h"

#include <stdlib.h>
#include <string.h>

#include "channels.h"
#include "record.h"

enum { KEY_SET = 1, KEY_JSON, LABEL_SIZE = 512, SENTENCE_SIZE = 1024 };

/* clang-format off */
static const Option options[] = {
    {.name = "set", .key = KEY_SET, .value = "PARAM=VALUE",
     .help = "another value for a parameter of the file; may be given several times"},
    {.name = "json", .key = KEY_JSON, .help = "print one JSON object"},
    {.name = NULL},
};
/* clang-format on */

/* Called for each column. */
static void put_column(Json *json, const char *name, const char *unit) {
    if (json != NULL)
        json_string(json, name, unit);
    else
        printf("%-36s %s\n", name, unit);
}

static void put_channel(Json *json, const CardanModel *model, CardanChannel channel) {
    char label[LABEL_SIZE];
    for (int k = 0; k < channel.width; k++)
        put_column(json, cardan_model_channel_label(model, channel, k, label, sizeof label),
                   cardan_model_channel_unit(model, channel, k));
}

void channels_json(Json *json, const CardanModel *model) {
    Record record = {0};
    char reason[SENTENCE_SIZE];
    if (record_choose(&record, NULL, model, reason, sizeof reason) == STATUS_DONE) {
        json_open_object(json, "units", true);
        json_string(json, "t", "s");
        for (int i = 0; i < record.channel_count; i++) put_channel(json, model, record.channels[i]);
        json_close(json);
    }
    record_close(&record); /* no file is open: nothing can fail */
}

/* A name, or a group with stars. */
static int put_group(Json *json, const CardanModel *model, const char *path, const char *name) {
    char sentence[SENTENCE_SIZE];
    int count = cardan_model_match_channels(model, name, 0, NULL, sentence, sizeof sentence);
    if (count < 0) {
        complain_about(path, sentence);
        return exit_status((CardanStatus)count);
    }
    CardanChannel *channels = calloc((size_t)count, sizeof *channels);
    if (channels == NULL) {
        complain("out of memory");
        return STATUS_FAULT;
    }
    count = cardan_model_match_channels(model, name, count, channels, sentence, sizeof sentence);
    for (int i = 0; i < count; i++) put_channel(json, model, channels[i]);
    free(channels);
    return STATUS_DONE;
}

static int of_model(const Arguments *arguments, Json *json) {
    const char *path = arguments->operands[0];
    CardanModel *model = NULL;
    char sentence[SENTENCE_SIZE];
    int status = load_model(path, arguments, KEY_SET, &model);
    for (int i = 1; i < arguments->operand_count && status == STATUS_DONE; i++)
        if (cardan_model_match_channels(model, arguments->operands[i], 0, NULL, sentence, sizeof sentence) < 0) {
            complain_about(path, sentence); /* before anything is printed */
            status = STATUS_MODEL;
        }
    if (json != NULL && status == STATUS_DONE) {
        json_open_object(json, NULL, true);
        json_string(json, "model", cardan_model_name(model));
        json_open_object(json, "channels", true);
    }
    bool objects = status == STATUS_DONE && arguments->operand_count == 1 &&
                   cardan_model_match_channels(model, "*.*", 0, NULL, sentence, sizeof sentence) > 0;
    if (objects) status = put_group(json, model, path, "*.*");
    if (status == STATUS_DONE && arguments->operand_count == 1) status = put_group(json, model, path, "*");
    for (int i = 1; i < arguments->operand_count && status == STATUS_DONE; i++)
        status = put_group(json, model, path, arguments->operands[i]);
    while (json != NULL && json->depth > 0) json_close(json);
    cardan_model_release(model);
    return status;
}

static int of_run(const Arguments *arguments, Json *json) {
    RunFile file;
    int status = runfile_read(&file, arguments->operands[0]);
    if (status == STATUS_DONE && arguments->operand_count > 1) {
        complain("channels: a run file has the columns it was written with; names are for models");
        status = STATUS_USAGE;
    }
    if (json != NULL && status == STATUS_DONE) {
        json_open_object(json, NULL, true);
        json_string(json, "model", file.info.model_name);
        json_open_object(json, "channels", true);
    }
    for (int c = 0; status == STATUS_DONE && c < file.info.columns; c++)
        put_column(json, cardan_result_name(file.result, c), cardan_result_unit(file.result, c));
    while (json != NULL && json->depth > 0) json_close(json);
    runfile_free(&file);
    return status;
}

static int run(const Arguments *arguments) {
    Json json = {.out = stdout};
    Json *out = arguments_has(arguments, KEY_JSON) ? &json : NULL;
    int status = runfile_is(arguments->operands[0]) ? of_run(arguments, out) : of_model(arguments, out);
    int flushed = finish_stdout();
    return status == STATUS_DONE ? flushed : status;
}

const Verb verb_channels = {
    .name = "channels",
    .operands = "MODEL|RUN [NAME...]",
    .operands_min = 1,
    .operands_max = 1000,
    .summary = "list what can be recorded of a model, with units",
    .text =
        "Lists the columns that `outputs` of a model file can ask for, each with its unit: all of them, or those of "
        "the names given, where a star stands for any part of a name between dots (crank.*, '*.reaction'). Of a "
        "run file the columns it has. The headings of CSV files are these names.",
    .examples = "cardan channels models/slider_crank.yaml 'crank.*' energy",
    .options = options,
    .run = run,
};
