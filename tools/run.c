/* cardan run MODEL: simulate. */
#include "verbs.h"

#include <stdlib.h>
#include <string.h>

#include "report.h"
#include "settings.h"

enum { KEY_SETTING = 1, KEY_STABILISE, KEY_REGULARISE, KEY_SET, KEY_OUTPUT, KEY_JSON, KEY_CHECKPOINT, KEY_EVERY };

enum { SENTENCE_SIZE = 1024 };

/* clang-format off */
static const Option options[] = {
    {.name = "end", .key = KEY_SETTING, .value = "T", .setting = "end", .help = "simulate until t = T seconds"},
    {.name = "step", .key = KEY_SETTING, .value = "H", .setting = "step", .help = "fixed steps of H seconds"},
    {.name = "stepper", .key = KEY_SETTING, .value = "NAME", .setting = "stepper", .word = word_stepper,
     .help = "how steps are computed"},
    {.name = "order", .key = KEY_SETTING, .value = "K", .setting = "order",
     .help = "highest order of bdf and abm; with --step that of bdf"},
    {.name = "rtol", .key = KEY_SETTING, .value = "R", .setting = "tolerance.relative",
     .help = "relative tolerance of the step control; without --step it replaces fixed steps of the file"},
    {.name = "atol", .key = KEY_SETTING, .value = "A", .setting = "tolerance.absolute",
     .help = "absolute tolerance of the step control, likewise"},
    {.name = "formulation", .key = KEY_SETTING, .value = "NAME", .setting = "formulation", .word = word_formulation,
     .help = "form of the equations of motion"},
    {.name = "rho", .key = KEY_SETTING, .value = "R", .setting = "rho",
     .help = "of stepper galpha, 0 to 1: what a step leaves of the fastest motions"},
    {.name = "stabilise", .key = KEY_STABILISE, .value = "METHOD[:PASSES]", .word = word_stabilise,
     .help = "how the state is kept on the constraints; more of the file's keys may follow, as in post:2,form=full"},
    {.name = "regularise", .key = KEY_REGULARISE, .value = "METHOD", .word = word_regularise,
     .help = "how singular poses are passed; keys may follow, as in METHOD,epsilon=1e-8"},
    {.name = "redundancy", .key = KEY_SETTING, .value = "TOL", .setting = "redundancy",
     .help = "rows that depend on others within TOL count as dependent; joints of imperfect loops then open a little"},
    {.name = "coordinates", .key = KEY_SETTING, .value = "NAME", .setting = "coordinates", .word = word_coordinates,
     .help = "in which coordinates steps are made"},
    {.name = "solver", .key = KEY_SETTING, .value = "NAME", .setting = "solver", .word = word_solver,
     .help = "how the multipliers are solved for"},
    {.name = "threads", .key = KEY_SETTING, .value = "N", .setting = "threads",
     .help = "threads for the branches of large trees, 1: none besides; results are the same to the bit"},
    {.name = "set", .key = KEY_SET, .value = "PARAM=VALUE",
     .help = "another value for a parameter of the file; may be given several times"},
    {.name = "output-step", .key = KEY_SETTING, .value = "H", .setting = "output_step",
     .help = "results every H seconds instead of at every step"},
    {.name = "output", .letter = 'o', .key = KEY_OUTPUT, .value = "FILE",
     .help = "write the results: .csv, .cardan (run file), .h5, .glb, .html; '-' is CSV on stdout; may be given several "
             "times"},
    {.name = "json", .key = KEY_JSON, .help = "print the final state and the account of the run as one JSON object"},
    {.name = "checkpoint", .key = KEY_CHECKPOINT, .value = "FILE",
     .help = "write a run file of any name, from which `cardan resume` goes on"},
    {.name = "every", .key = KEY_EVERY, .value = "SECONDS",
     .help = "save a checkpoint to the run file that often; without it every 5 s"},
    {.name = NULL},
};
/* clang-format on */

/* The file's options with those of the command line over them. */
static int choose_options(const Arguments *arguments, const CardanModel *model, CardanOptions *opt) {
    bool step = false, tolerance = false, end = false;
    int status = STATUS_DONE;
    *opt = cardan_model_options(model);
    for (int i = 0; i < arguments->given_count && status == STATUS_DONE; i++) {
        const Given *given = &arguments->given[i];
        const char *setting = given->option->setting;
        if (given->option->key == KEY_STABILISE)
            status = setting_section(opt, arguments, given->option, "stabilise", given->value);
        if (given->option->key == KEY_REGULARISE)
            status = setting_section(opt, arguments, given->option, "regularise", given->value);
        if (setting == NULL) continue;
        status = setting_apply(opt, arguments, given->option, setting, given->value);
        step = step || strcmp(setting, "step") == 0;
        end = end || strcmp(setting, "end") == 0;
        tolerance = tolerance || strncmp(setting, "tolerance.", 10) == 0;
    }
    if (status != STATUS_DONE) return status;
    if (tolerance && !step) opt->step = 0.0;
    if (tolerance && step) fputs("cardan: run: steps are fixed by --step; the tolerances have no effect\n", stderr);
    if (!end && !(opt->end > 0.0)) {
        complain("run: %s gives no 'end' of the simulation; give it with --end SECONDS", arguments->operands[0]);
        return STATUS_USAGE;
    }
    char sentence[SENTENCE_SIZE] = "";
    if (cardan_options_check(opt, sentence, sizeof sentence) >= 0) return STATUS_DONE;
    complain("run: %s", sentence);
    return STATUS_USAGE;
}

/* Simulates and reports; the model stands. */
static int run_model(const Arguments *arguments, const CardanModel *model, const CardanOptions *opt, Outcome *outcome) {
    const char *path = arguments->operands[0];
    bool json = arguments_has(arguments, KEY_JSON);
    CardanSim *sim = NULL;
    CardanStatus st = cardan_sim_create(model, opt, &sim);
    const char *said = sim != NULL ? cardan_sim_message(sim) : "out of memory";
    if (st < 0) {
        outcome->status = exit_status(st);
        snprintf(outcome->reason, sizeof outcome->reason, "%s", said);
        complain_about(path, said);
        if (json && outcome->status == STATUS_STOPPED) report_json(stdout, model, NULL, outcome);
        cardan_sim_destroy(sim);
        return outcome->status;
    }
    if (st > 0) remarks_add(&outcome->remarks, said);
    remarks_on_model(&outcome->remarks, model);
    started_look(&outcome->started, sim, model, false);

    Record record;
    const RecordOrder order = {arguments, KEY_OUTPUT, KEY_CHECKPOINT, KEY_EVERY, KEY_SET, path};
    outcome->status = record_open(&record, sim, model, opt, &order);
    bool opened = outcome->status == STATUS_DONE;
    if (opened) simulate(sim, model, opt, &record, outcome);
    if (opened && outcome->status == STATUS_DONE) outcome->status = record_export(&record);
    int closed = record_close(&record);
    if (outcome->status == STATUS_DONE && closed != STATUS_DONE) {
        outcome->status = closed;
        snprintf(outcome->reason, sizeof outcome->reason, "the results could not be written");
    } else if (opened && outcome->status != STATUS_DONE && outcome->status != STATUS_IO) {
        complain_about(path, outcome->reason);
    }
    if (opened && json)
        report_json(stdout, model, sim, outcome);
    else if (opened) {
        FILE *out = record_on_stdout(arguments, KEY_OUTPUT) ? stderr : stdout;
        report_text(out, model, sim, outcome, arguments, KEY_OUTPUT);
    }
    cardan_sim_destroy(sim);
    return outcome->status;
}

static int run(const Arguments *arguments) {
    CardanModel *model = NULL;
    CardanOptions opt;
    Outcome *outcome = calloc(1, sizeof *outcome);
    int status = record_check_names(arguments, KEY_OUTPUT);
    if (outcome == NULL) {
        complain("out of memory");
        status = STATUS_FAULT;
    } else if (arguments_has(arguments, KEY_JSON) && record_on_stdout(arguments, KEY_OUTPUT)) {
        complain("run: --json and -o - would mix on standard output");
        status = STATUS_USAGE;
    }
    if (status == STATUS_DONE) status = load_model(arguments->operands[0], arguments, KEY_SET, &model);
    if (status == STATUS_DONE) status = choose_options(arguments, model, &opt);
    if (status == STATUS_DONE) status = run_model(arguments, model, &opt, outcome);
    cardan_model_release(model);
    free(outcome);
    int flushed = finish_stdout();
    return status == STATUS_DONE ? flushed : status;
}

const Verb verb_run = {
    .name = "run",
    .operands = "MODEL",
    .operands_min = 1,
    .operands_max = 1,
    .summary = "simulate a mechanism",
    .text = "Simulates the mechanism described in the model file MODEL and prints a short account, or with --json one "
            "JSON object. Options stand over the `simulation` section of the file.\n\n"
            "Results are written with -o: a column t, then the channels the file lists under `outputs` (without such "
            "a list: joint coordinates, places of bodies, energy, residual), a row at every step or every "
            "output step, the start and the end always among them.",
    .examples = "cardan run models/slider_crank.yaml -o result.csv\n"
                "cardan run models/slider_crank.yaml --end 2 --stepper rk4 --step 1e-3 --set r=0.25 --json",
    .options = options,
    .run = run,
};
