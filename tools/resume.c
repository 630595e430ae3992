/* cardan resume RUN: go on where a run stopped or was killed. */
#include "verbs.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "export.h"
#include "report.h"
#include "settings.h"
#include "text.h"

enum { KEY_END = 1, KEY_OUTPUT, KEY_EVERY, KEY_JSON };
enum { SENTENCE_SIZE = 1024, NAME_SIZE = 4096, NUMBERS = 16 };

/* clang-format off */
static const Option options[] = {
    {.name = "end", .key = KEY_END, .value = "T", .setting = "end", .help = "go on until t = T seconds"},
    {.name = "output", .letter = 'o', .key = KEY_OUTPUT, .value = "FILE",
     .help = "write the results of the whole run: .csv, .h5, .glb, .html; besides those the run was begun with; may be "
             "given several times"},
    {.name = "every", .key = KEY_EVERY, .value = "SECONDS", .help = "save a checkpoint that often; without it every 5 s"},
    {.name = "json", .key = KEY_JSON, .help = "print the final state and the account of the run as one JSON object"},
    {.name = NULL},
};
/* clang-format on */

typedef struct Resumed {
    const Arguments *arguments;
    RunFile file;
    CardanModel *model;
    CardanOptions opt;
    CardanSim *sim;
    Record record;
    double numbers[NUMBERS];
    int count;
} Resumed;

static int check_outputs(const Arguments *arguments) {
    for (int i = 0; i < arguments->given_count; i++) {
        const Given *given = &arguments->given[i];
        const char *missing = given->option->key == KEY_OUTPUT ? export_missing(export_find(given->value)) : NULL;
        if (missing == NULL) continue;
        complain("resume: '%s': %s", given->value, missing);
        return STATUS_USAGE;
    }
    return STATUS_DONE;
}

/* Model, options and simulation as they were. */
static int put_back(Resumed *resumed) {
    char sentence[SENTENCE_SIZE] = "";
    const char *path = resumed->file.path, *end = arguments_value(resumed->arguments, KEY_END);
    int status = runfile_model(&resumed->file, &resumed->model);
    if (status != STATUS_DONE) return status;
    if (cardan_result_options(resumed->file.result, &resumed->opt, sentence, sizeof sentence) < 0) {
        complain("'%s': its options are not those of this version: %s", path, sentence);
        return STATUS_IO;
    }
    if (end != NULL) status = setting_apply(&resumed->opt, resumed->arguments, &options[0], "end", end);
    if (status != STATUS_DONE) return status;
    CardanStatus st = cardan_sim_create(resumed->model, &resumed->opt, &resumed->sim);
    if (st >= 0) st = cardan_result_restore(resumed->file.result, resumed->sim, &resumed->count, resumed->numbers);
    if (st < 0) complain_about(path, resumed->sim != NULL ? cardan_sim_message(resumed->sim) : "out of memory");
    return exit_status(st);
}

static int read_every(Resumed *resumed) {
    const char *text = arguments_value(resumed->arguments, KEY_EVERY);
    if (text == NULL || (parse_number(text, &resumed->record.every) && resumed->record.every >= 0.0))
        return STATUS_DONE;
    complain("resume: --every '%s': expected seconds, 0 or more", text);
    return STATUS_USAGE;
}

static int go_on(Resumed *resumed, Outcome *outcome) {
    Record *record = &resumed->record;
    char text[SENTENCE_SIZE];
    int status = record_resume(record, resumed->sim, resumed->model, &resumed->opt, &resumed->file, resumed->numbers,
                               resumed->count);
    if (status == STATUS_DONE) status = read_every(resumed);
    if (status == STATUS_DONE) {
        simulate(resumed->sim, resumed->model, &resumed->opt, record, outcome);
        status = outcome->status;
        double differs = cardan_run_differs(record->run);
        if (isfinite(differs)) {
            snprintf(text, sizeof text,
                     "from t = %.9g on other bits came than the file had behind its checkpoint, and were written over "
                     "them: another machine or library computes here",
                     differs);
            remarks_add(&outcome->remarks, text);
        }
        if (status != STATUS_DONE && status != STATUS_IO) complain_about(resumed->file.path, outcome->reason);
    }
    int closed = record_close(record);
    return status == STATUS_DONE ? closed : status;
}

/* What the run was begun with, and what is asked for now, from the whole run file. */
static int write_outputs(const Resumed *resumed) {
    const Arguments *arguments = resumed->arguments;
    char name[NAME_SIZE];
    RunFile whole;
    int status = runfile_read(&whole, resumed->file.path);
    for (int k = 0; status == STATUS_DONE && runfile_note(&whole, "output", k, name, sizeof name); k++)
        status = strchr(name, '.') != NULL ? export_run(&whole, name) : export_csv(&whole, name);
    for (int i = 0; status == STATUS_DONE && i < arguments->given_count; i++)
        if (arguments->given[i].option->key == KEY_OUTPUT) status = export_run(&whole, arguments->given[i].value);
    runfile_free(&whole);
    return status;
}

static int resume(Resumed *resumed, Outcome *outcome) {
    int status = put_back(resumed);
    if (status != STATUS_DONE) return status;
    bool json = arguments_has(resumed->arguments, KEY_JSON);
    bool over = resumed->file.info.ended && !(cardan_sim_time(resumed->sim) < resumed->opt.end);
    if (!over) status = go_on(resumed, outcome);
    outcome->rows = over ? resumed->file.info.rows : outcome->rows;
    if (status == STATUS_DONE) status = write_outputs(resumed);
    outcome->status = status;
    if (json)
        report_json(stdout, resumed->model, resumed->sim, outcome);
    else
        report_text(stdout, resumed->model, resumed->sim, outcome, resumed->arguments, KEY_OUTPUT);
    if (over && !json) printf("  the run had come to its end already; --end T goes on further\n");
    return status;
}

static int run(const Arguments *arguments) {
    Resumed resumed = {.arguments = arguments};
    Outcome *outcome = calloc(1, sizeof *outcome);
    int status = check_outputs(arguments);
    if (outcome == NULL) {
        complain("out of memory");
        status = STATUS_FAULT;
    }
    if (status == STATUS_DONE) status = runfile_read(&resumed.file, arguments->operands[0]);
    if (status == STATUS_DONE) status = resume(&resumed, outcome);
    cardan_sim_destroy(resumed.sim);
    cardan_model_release(resumed.model);
    runfile_free(&resumed.file);
    free(outcome);
    int flushed = finish_stdout();
    return status == STATUS_DONE ? flushed : status;
}

const Verb verb_resume = {
    .name = "resume",
    .operands = "RUN",
    .operands_min = 1,
    .operands_max = 1,
    .summary = "go on with a run that was stopped or killed",
    .text =
        "Goes on with the run of the run file RUN from its last checkpoint, to the same bits as if it had never been "
        "interrupted: states, samples and events of the run file, and the result files it was begun with, which are "
        "written anew from it. Model, parameters and options stand in the run file.\n\n"
        "With --end a run that came to its end goes on further.",
    .examples = "cardan run models/slider_crank.yaml -o run.cardan\ncardan resume run.cardan --end 12",
    .options = options,
    .run = run,
};
