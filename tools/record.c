/* Result files of a run. Rows stand at every accepted step, or at multiples of output_step read from the dense output;
 * the start and the end are always among them. */
#include "record.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "text.h"

/* Multiples of output_step this near to the end (in parts of it) are the end: k * 0.1 is not exactly 0.3. */
static const double same_time = 1e-9;

enum { NAME_SIZE = 512, SENTENCE_SIZE = 1024 };

/* ---- names of files ---- */

static int check_name(const char *verb, const char *path) {
    static const char *const later[] = {".h5", ".hdf5", ".html", ".glb", ".gltf"};
    const char *extension = extension_of(path);
    if (strcmp(extension, ".csv") == 0 || (extension[0] == '\0' && path[0] != '\0')) return STATUS_DONE;
    for (size_t i = 0; i < sizeof later / sizeof later[0]; i++) {
        if (strcmp(extension, later[i]) != 0) continue;
        complain("%s: '%s': results as %s are not in this version; .csv is%s", verb, path, later[i],
                 strcmp(later[i], ".html") == 0 ? ", and 'cardan view' makes a page" : "");
        return STATUS_USAGE;
    }
    complain("%s: '%s': the name of a result file ends in .csv", verb, path);
    return STATUS_USAGE;
}

int record_check_names(const Arguments *arguments, int output_key) {
    for (int i = 0; i < arguments->given_count; i++) {
        const Given *given = &arguments->given[i];
        if (given->option->key != output_key) continue;
        int status = check_name(arguments->verb->name, given->value);
        if (status != STATUS_DONE) return status;
        for (int k = 0; k < i; k++) {
            const Given *other = &arguments->given[k];
            if (other->option->key != output_key || strcmp(other->value, given->value) != 0) continue;
            complain("%s: '%s' is given twice", arguments->verb->name, given->value);
            return STATUS_USAGE;
        }
    }
    return STATUS_DONE;
}

bool record_on_stdout(const Arguments *arguments, int output_key) {
    for (int i = 0; i < arguments->given_count; i++)
        if (arguments->given[i].option->key == output_key && strcmp(arguments->given[i].value, "-") == 0) return true;
    return false;
}

/* ---- channels ---- */

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
    record->values = calloc((size_t)record->columns + 1, sizeof *record->values);
    record->line =
        malloc(((size_t)record->columns + 1) * NUMBER_SIZE); /* a comma or the end takes the place of a NUL */
    return record->values != NULL && record->line != NULL ? STATUS_DONE : no_room(reason, size);
}

/* ---- files ---- */

static int write_failed(RecordFile *file) {
    int why = errno;
    file->failed = true;
    complain("'%s' could not be written: %s", file->path, why != 0 ? strerror(why) : "write error");
    return STATUS_IO;
}

static void put_field(FILE *out, const char *text) {
    if (strpbrk(text, ",\"\r\n") == NULL) {
        fputs(text, out);
        return;
    }
    fputc('"', out);
    for (; *text != '\0'; text++) {
        if (*text == '"') fputc('"', out);
        fputc(*text, out);
    }
    fputc('"', out);
}

static int write_headings(const Record *record, const CardanModel *model) {
    char label[NAME_SIZE];
    for (int f = 0; f < record->file_count; f++) {
        FILE *out = record->files[f].stream;
        errno = 0;
        fputs("t", out);
        for (int i = 0; i < record->channel_count; i++) {
            for (int k = 0; k < record->channels[i].width; k++) {
                fputc(',', out);
                put_field(out, cardan_model_channel_label(model, record->channels[i], k, label, sizeof label));
            }
        }
        fputc('\n', out);
        if (ferror(out)) return write_failed(&record->files[f]);
    }
    return STATUS_DONE;
}

static int open_files(Record *record, const Arguments *arguments, int output_key) {
    record->files = calloc((size_t)arguments->given_count + 1, sizeof *record->files);
    if (record->files == NULL) {
        complain("out of memory");
        return STATUS_FAULT;
    }
    for (int i = 0; i < arguments->given_count; i++) {
        const Given *given = &arguments->given[i];
        if (given->option->key != output_key) continue;
        RecordFile *file = &record->files[record->file_count];
        bool to_stdout = strcmp(given->value, "-") == 0;
        errno = 0;
        file->path = to_stdout ? "standard output" : given->value;
        file->stream = to_stdout ? stdout : fopen(given->value, "w");
        if (file->stream == NULL) {
            complain("'%s' could not be opened for writing: %s", given->value, strerror(errno));
            return STATUS_IO;
        }
        record->file_count++;
    }
    return STATUS_DONE;
}

int record_open(Record *record, const char *model_path, const CardanModel *model, const CardanOptions *options,
                const Arguments *arguments, int output_key) {
    *record = (Record){.output_step = options->output_step, .end = options->end, .last_t = -1.0};
    char reason[SENTENCE_SIZE] = "";
    int status = record_choose(record, model_path, model, reason,
                               sizeof reason); /* also without a file: a bad name is a bad model */
    if (status != STATUS_DONE) complain_about(model_path, reason);
    if (status == STATUS_DONE && !arguments_has(arguments, output_key)) return STATUS_DONE;
    if (status == STATUS_DONE) status = open_files(record, arguments, output_key);
    if (status == STATUS_DONE) status = write_headings(record, model);
    return status;
}

int record_close(Record *record) {
    int status = STATUS_DONE;
    for (int f = 0; f < record->file_count; f++) {
        RecordFile *file = &record->files[f];
        errno = 0;
        bool bad = ferror(file->stream) != 0, told = file->failed;
        if (file->stream == stdout)
            bad = fflush(stdout) != 0 || bad;
        else
            bad = fclose(file->stream) != 0 || bad;
        if (bad && !told) status = write_failed(file);
    }
    free(record->files);
    free(record->channels);
    free(record->values);
    free(record->line);
    *record = (Record){0};
    return status;
}

/* ---- rows ---- */

/* The row at hand as a line; returns its length. */
static size_t put_line(const Record *record, double t) {
    char *at = record->line;
    at += number_put(t, at);
    for (int k = 0; k < record->columns; k++) {
        *at++ = ',';
        at += number_put(record->values[k], at);
    }
    *at++ = '\n';
    return (size_t)(at - record->line);
}

static int write_row(Record *record, CardanSim *sim, double t) {
    CardanStatus st = cardan_sim_sample(sim, t, record->channel_count, record->channels, record->values);
    if (st < 0) {
        complain("the result at t = %.9g could not be computed: %s", t, cardan_sim_message(sim));
        return exit_status(st);
    }
    size_t length = put_line(record, t);
    for (int f = 0; f < record->file_count; f++) {
        FILE *out = record->files[f].stream;
        errno = 0;
        if (fwrite(record->line, 1, length, out) != length || ferror(out)) return write_failed(&record->files[f]);
    }
    record->last_t = t;
    record->rows++;
    return STATUS_DONE;
}

/* k-th multiple of output_step; by division when that gives the rounder numbers (3/10, not 3 * 0.1). */
static double multiple(const Record *record, double k) {
    double per_second = round(1.0 / record->output_step), t = k * record->output_step;
    if (per_second >= 1.0 && 1.0 / per_second == record->output_step) t = k / per_second;
    return fabs(t - record->end) <= same_time * record->output_step ? record->end : t;
}

int record_step(Record *record, CardanSim *sim, bool finish) {
    double now = cardan_sim_time(sim);
    int status = STATUS_DONE;
    if (record->file_count == 0) return STATUS_DONE;
    if (!(record->output_step > 0.0)) {
        return now > record->last_t ? write_row(record, sim, now) : STATUS_DONE;
    }
    for (double t; status == STATUS_DONE && (t = multiple(record, record->next)) <= now; record->next += 1.0)
        status = write_row(record, sim, t);
    if (status == STATUS_DONE && finish && record->last_t < now) status = write_row(record, sim, now);
    return status;
}
