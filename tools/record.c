/* Result files of a run. Rows stand at every accepted step and so many times inside it that curves look smooth, or at
 * multiples of output_step; both are read from the dense output. The start and the end are always among them. */
#include "record.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "export.h"
#include "record_rows.h"
#include "text.h"

enum { NAME_SIZE = 512, SENTENCE_SIZE = 1024 };

/* Lines are held back for so long at most, where steps go on: people look at what was written so far. */
enum { HELD_SECONDS = 1 };

/* What a checkpoint remembers of the rows: number of the next multiple, time of the last row, rows so far. */
enum { ROW_NUMBERS = 3 };

/* ---- names of files ---- */

static bool is_run_name(const char *path) {
    return strcmp(extension_of(path), ".cardan") == 0;
}

/* A name without a dot is CSV, too. */
static bool is_csv_name(const char *path) {
    return strcmp(extension_of(path), ".csv") == 0 || extension_of(path)[0] == '\0';
}

static int check_name(const char *verb, const char *path) {
    if (path[0] != '\0' && (is_csv_name(path) || is_run_name(path))) return STATUS_DONE;
    const Export *format = export_find(path);
    if (format == NULL) {
        complain("%s: '%s': the name of a result file ends in .csv, .cardan, .h5, .glb or .html", verb, path);
        return STATUS_USAGE;
    }
    if (export_missing(format) == NULL) return STATUS_DONE;
    complain("%s: '%s': %s", verb, path, export_missing(format));
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

/* ---- files ---- */

int record_write_failed(RecordFile *file) {
    int why = errno;
    file->failed = true;
    complain("'%s' could not be written: %s", file->path, why != 0 ? strerror(why) : "write error");
    return STATUS_IO;
}

static void put_headings(const Record *record, const CardanModel *model, FILE *out) {
    char label[NAME_SIZE];
    fputs("t", out);
    for (int i = 0; i < record->channel_count; i++) {
        for (int k = 0; k < record->channels[i].width; k++) {
            fputc(',', out);
            csv_put_field(out, cardan_model_channel_label(model, record->channels[i], k, label, sizeof label));
        }
    }
    fputc('\n', out);
}

/* As one piece: files are not buffered. */
static int write_headings(const Record *record, const CardanModel *model) {
    char *text = NULL;
    size_t length = 0;
    FILE *memory = open_memstream(&text, &length);
    int status = STATUS_DONE;
    if (memory != NULL) put_headings(record, model, memory);
    if (memory == NULL || fclose(memory) != 0) {
        complain("out of memory");
        status = STATUS_FAULT;
    }
    for (int f = 0; f < record->file_count && status == STATUS_DONE; f++) {
        errno = 0;
        if (fwrite(text, 1, length, record->files[f].stream) != length) status = record_write_failed(&record->files[f]);
    }
    free(text);
    return status;
}

static int open_csv(Record *record, const char *path) {
    RecordFile *file = &record->files[record->file_count];
    bool to_stdout = strcmp(path, "-") == 0;
    errno = 0;
    file->path = to_stdout ? "standard output" : path;
    file->stream = to_stdout ? stdout : fopen(path, "w");
    if (file->stream == NULL) {
        complain("'%s' could not be opened for writing: %s", path, strerror(errno));
        return STATUS_IO;
    }
    if (!to_stdout) setvbuf(file->stream, NULL, _IONBF, 0); /* lines are many at a time */
    record->file_count++;
    return STATUS_DONE;
}

/* CSV is written as the run goes, other formats when it is over; *run_path: the run file asked for. */
static int open_files(Record *record, const RecordOrder *order, const char **run_path) {
    const Arguments *arguments = order->arguments;
    record->files = calloc((size_t)arguments->given_count + 1, sizeof *record->files);
    record->exports = calloc((size_t)arguments->given_count + 1, sizeof *record->exports);
    if (record->files == NULL || record->exports == NULL) {
        complain("out of memory");
        return STATUS_FAULT;
    }
    *run_path = arguments_value(arguments, order->checkpoint_key);
    int status = STATUS_DONE;
    for (int i = 0; i < arguments->given_count && status == STATUS_DONE; i++) {
        const Given *given = &arguments->given[i];
        if (given->option->key != order->output_key) continue;
        if (!is_csv_name(given->value) && !is_run_name(given->value)) {
            record->exports[record->export_count++] = given->value;
        } else if (!is_run_name(given->value)) {
            status = open_csv(record, given->value);
        } else if (*run_path == NULL || strcmp(*run_path, given->value) == 0) {
            *run_path = given->value;
        } else {
            complain("%s: one run file is written, not '%s' and '%s'", arguments->verb->name, *run_path, given->value);
            status = STATUS_USAGE;
        }
    }
    return status;
}

/* ---- the run file ---- */

enum { EVERY_USUAL = 5 }; /* s between checkpoints */

static double wall_clock(void) {
    struct timespec now = {0};
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

int record_run_failed(const Record *record, CardanStatus status) {
    if (record->sink.why != 0)
        complain("'%s' could not be written: %s; what was saved before is kept, and 'cardan resume' goes on from there",
                 record->sink.path, strerror(record->sink.why));
    else
        complain("the run could not be recorded: %s", cardan_run_message(record->run));
    return exit_status(status);
}

/* "set r=0.25", "output result.csv", a line each. */
static char *notes_of(const RecordOrder *order) {
    const Arguments *arguments = order->arguments;
    size_t room = 1;
    for (int i = 0; i < arguments->given_count; i++)
        if (arguments->given[i].value != NULL) room += strlen(arguments->given[i].value) + sizeof "output \n";
    char *notes = calloc(room, 1);
    for (int i = 0; notes != NULL && i < arguments->given_count; i++) {
        const Given *given = &arguments->given[i];
        int key = given->option->key;
        bool kept = key == order->set_key || (key == order->output_key && !is_run_name(given->value));
        if (!kept || strcmp(given->value, "-") == 0) continue;
        strcat(strcat(strcat(notes, key == order->set_key ? "set " : "output "), given->value), "\n");
    }
    return notes;
}

/* All of a text file; NULL with a complaint. */
static char *read_text(const char *path, size_t *length) {
    FILE *in = fopen(path, "rb");
    char *text = NULL;
    size_t room = 0;
    *length = 0;
    for (size_t got = 1; in != NULL && got > 0; *length += got) {
        if (*length + 4096 > room) {
            char *bigger = realloc(text, room = 2 * room + 8192);
            if (bigger == NULL) break;
            text = bigger;
        }
        got = fread(text + *length, 1, 4096, in);
    }
    if (in == NULL || ferror(in)) complain("'%s' could not be read again: %s", path, strerror(errno));
    if (in != NULL) fclose(in);
    return text;
}

static CardanRunDef run_def(Record *record) {
    CardanRunDef def = cardan_default_run();
    def.channels = record->channel_count;
    def.channel = record->channels;
    if (record->on_disk) def.sink = runsink_of(&record->sink);
    return def;
}

static int begin_run(Record *record, CardanSim *sim, const RecordOrder *order, const char *path) {
    int status = STATUS_DONE;
    record->on_disk = path != NULL;
    if (record->on_disk) status = runsink_create(&record->sink, path);
    if (status != STATUS_DONE) return status;
    CardanRunDef def = run_def(record);
    char *notes = notes_of(order), *text = read_text(order->model_path, &def.model_length);
    def.notes = notes;
    def.model_text = text;
    def.model_label = order->model_path;
    CardanStatus st = cardan_run_create(sim, &def, &record->run);
    if (st < 0 && record->sink.why != 0)
        complain("'%s' could not be written: %s", path, strerror(record->sink.why));
    else if (st < 0)
        complain("the run file could not be begun: %s", cardan_sim_message(sim));
    free(notes);
    free(text);
    return exit_status(st);
}

static int read_every(Record *record, const RecordOrder *order) {
    const char *text = arguments_value(order->arguments, order->every_key);
    record->every = EVERY_USUAL;
    if (text == NULL || (parse_number(text, &record->every) && record->every >= 0.0)) return STATUS_DONE;
    complain("%s: --every '%s': expected seconds, 0 or more", order->arguments->verb->name, text);
    return STATUS_USAGE;
}

int record_open(Record *record, CardanSim *sim, const CardanModel *model, const CardanOptions *options,
                const RecordOrder *order) {
    *record = (Record){.output_step = options->output_step, .end = options->end, .last_t = -1.0};
    record->sink.descriptor = -1;
    char reason[SENTENCE_SIZE] = "";
    const char *run_path = NULL;
    int status = record_choose(record, order->model_path, model, reason,
                               sizeof reason); /* also without a file: a bad name is a bad model */
    if (status != STATUS_DONE) complain_about(order->model_path, reason);
    if (status == STATUS_DONE) status = read_every(record, order);
    if (status == STATUS_DONE) status = open_files(record, order, &run_path);
    if (status == STATUS_DONE) status = write_headings(record, model);
    bool run = run_path != NULL || record->export_count > 0;
    if (status == STATUS_DONE && run) status = begin_run(record, sim, order, run_path);
    return status;
}

int record_resume(Record *record, CardanSim *sim, const CardanModel *model, const CardanOptions *options,
                  const RunFile *file, const double *numbers, int count) {
    *record = (Record){.output_step = options->output_step, .end = options->end, .every = EVERY_USUAL, .on_disk = true};
    record->sink.descriptor = -1;
    char reason[SENTENCE_SIZE] = "";
    int status = record_choose(record, file->info.model_label, model, reason, sizeof reason);
    if (status != STATUS_DONE) complain_about(file->path, reason);
    if (status == STATUS_DONE && count != ROW_NUMBERS) {
        complain("'%s': its checkpoint was written by a program, which has to go on itself", file->path);
        status = STATUS_IO;
    }
    if (status == STATUS_DONE) status = runsink_append(&record->sink, file->path, file->info.size);
    if (status != STATUS_DONE) return status;
    record->next = numbers[0];
    record->last_t = numbers[1];
    record->rows = (long)numbers[2];
    record->checkpointed = wall_clock();
    CardanRunDef def = run_def(record);
    CardanStatus st = cardan_run_resume(sim, file->result, &def, runsink_truncate, &record->run);
    if (st < 0) complain_about(file->path, cardan_sim_message(sim));
    return exit_status(st);
}

static int checkpoint(Record *record) {
    const double numbers[ROW_NUMBERS] = {record->next, record->last_t, (double)record->rows};
    record->checkpointed = wall_clock();
    CardanStatus st = cardan_run_checkpoint(record->run, ROW_NUMBERS, numbers);
    return st < 0 ? record_run_failed(record, st) : STATUS_DONE;
}

static int checkpoint_if_due(Record *record) {
    if (record->run == NULL || !record->on_disk) return STATUS_DONE;
    bool first = record->checkpointed == 0.0;
    return first || wall_clock() - record->checkpointed >= record->every ? checkpoint(record) : STATUS_DONE;
}

int record_close(Record *record) {
    int status = record_hand_over(record);
    for (int f = 0; f < record->file_count; f++) {
        RecordFile *file = &record->files[f];
        errno = 0;
        bool bad = ferror(file->stream) != 0, told = file->failed;
        if (file->stream == stdout)
            bad = fflush(stdout) != 0 || bad;
        else
            bad = fclose(file->stream) != 0 || bad;
        if (bad && !told) status = record_write_failed(file);
    }
    cardan_run_close(record->run);
    if (record->on_disk) runsink_close(&record->sink);
    free((void *)record->exports);
    free(record->files);
    free(record->channels);
    free(record->times);
    free(record->values);
    lines_free(&record->lines);
    *record = (Record){0};
    return status;
}

/* ---- as it goes ---- */

static int flush_if_due(Record *record) {
    double now = record->file_count > 0 ? wall_clock() : 0.0;
    if (!(now - record->flushed >= HELD_SECONDS)) return STATUS_DONE;
    record->flushed = now;
    if (record_hand_over(record) != STATUS_DONE) return STATUS_IO;
    for (int f = 0; f < record->file_count; f++) {
        errno = 0;
        if (fflush(record->files[f].stream) != 0) return record_write_failed(&record->files[f]);
    }
    return STATUS_DONE;
}

int record_step(Record *record, CardanSim *sim) {
    CardanStatus st = record->run != NULL ? cardan_run_follow(record->run) : CARDAN_OK;
    if (st < 0) return record_run_failed(record, st);
    int status = record_write_rows(record, sim);
    if (status == STATUS_DONE) status = flush_if_due(record);
    return status == STATUS_DONE ? checkpoint_if_due(record) : status;
}

int record_finish(Record *record, CardanSim *sim, int status, double seconds) {
    double now = cardan_sim_time(sim);
    bool done = status == STATUS_DONE, some = record->file_count > 0 || record->run != NULL;
    int written = STATUS_DONE;
    if (!done && record->run != NULL && record->on_disk)
        written = checkpoint(record); /* before a row that is not its own */
    if (some && record->last_t < now)
        written = record_write_row(record, sim, now, done) == STATUS_DONE ? written : STATUS_IO;
    if (!done || written != STATUS_DONE || record->run == NULL) return written;
    const double numbers[ROW_NUMBERS] = {record->next, record->last_t, (double)record->rows};
    CardanStatus st = cardan_run_finish(record->run, status, seconds, ROW_NUMBERS, numbers);
    return st < 0 ? record_run_failed(record, st) : STATUS_DONE;
}

/* ---- other formats ---- */

int record_export(const Record *record) {
    RunFile file = {.path = "this run"};
    int status = STATUS_DONE;
    if (record->export_count == 0) return STATUS_DONE;
    if (record->on_disk) {
        status = runfile_read(&file, record->sink.path);
    } else {
        const void *bytes = cardan_run_bytes(record->run, &file.size);
        bool good = cardan_result_read(bytes, file.size, &file.result, NULL, 0) >= 0;
        file.info = cardan_result_info(file.result);
        status = good ? STATUS_DONE : STATUS_FAULT;
    }
    for (int i = 0; i < record->export_count && status == STATUS_DONE; i++)
        status = export_run(&file, record->exports[i]);
    runfile_free(&file);
    return status;
}
