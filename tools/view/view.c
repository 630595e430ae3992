/* cardan view MODEL: one HTML page that shows a mechanism and its motion. */
#include "verbs.h"

#include <stdlib.h>
#include <string.h>

#include "export.h"
#include "settings.h"
#include "text.h"
#include "view/page.h"
#include "whole_file.h"

enum { KEY_OUTPUT = 1, KEY_POSE, KEY_SETTING, KEY_SET, KEY_GHOST, KEY_TRACE, KEY_FRAMES, KEY_THREE };
enum { SENTENCE_SIZE = 2048, GHOST_SETTINGS = 8, NAME_SIZE = 256, FRAMES_ASKED_MOST = 100000 };

/* clang-format off */
static const Option options[] = {
    {.name = "output", .letter = 'o', .key = KEY_OUTPUT, .value = "PAGE.html",
     .help = "where the page goes, '-' for stdout; without it the model file's name with .html, in this folder"},
    {.name = "pose", .key = KEY_POSE, .help = "the pose as the file gives it alone: nothing is moved or simulated"},
    {.name = "end", .key = KEY_SETTING, .value = "T", .setting = "end", .help = "simulate until t = T seconds"},
    {.name = "step", .key = KEY_SETTING, .value = "H", .setting = "step", .help = "fixed steps of H seconds"},
    {.name = "stepper", .key = KEY_SETTING, .value = "NAME", .setting = "stepper", .word = word_stepper,
     .help = "how steps are computed"},
    {.name = "rtol", .key = KEY_SETTING, .value = "R", .setting = "tolerance.relative",
     .help = "relative tolerance of the step control"},
    {.name = "set", .key = KEY_SET, .value = "PARAM=VALUE",
     .help = "another value for a parameter of the file; may be given several times"},
    {.name = "ghost", .key = KEY_GHOST, .value = "PARAM=VALUE[,...]",
     .help = "a run with these values, faint behind the first; may be given several times"},
    {.name = "trace", .key = KEY_TRACE, .value = "BODY[:X,Y[,Z]]",
     .help = "draw the path of this point of a body, own axes from its centre of mass; may be given several times"},
    {.name = "frames", .key = KEY_FRAMES, .value = "N", .help = "at most N frames"},
    {.name = "three", .key = KEY_THREE, .value = "FILE",
     .help = "three.js as one script; without it $CARDAN_THREE, or where the package libjs-three puts it"},
    {.name = NULL},
};
/* clang-format on */

/* Models, their movies and what they are called. */
typedef struct Runs {
    int count, room;
    CardanModel **models;
    RunFile *files; /* of runs that are read: result NULL, it is none */
    Movie *movies;
    char (*names)[NAME_SIZE];
    const char **labels;
} Runs;

/* ---- what is asked for ---- */

static int check_operand(const char *path) {
    static const char *const results[] = {".csv", ".h5"};
    for (size_t i = 0; i < sizeof results / sizeof *results; i++) {
        if (strcmp(extension_of(path), results[i]) != 0) continue;
        complain("view: '%s': results as %s have no poses to be shown; give the model file or a run file", path,
                 results[i]);
        return STATUS_USAGE;
    }
    return STATUS_DONE;
}

static int choose_options(const Arguments *arguments, const CardanModel *model, CardanOptions *opt) {
    char sentence[SENTENCE_SIZE] = "";
    *opt = cardan_model_options(model);
    for (int i = 0; i < arguments->given_count; i++) {
        const Given *given = &arguments->given[i];
        if (given->option->setting == NULL) continue;
        int status = setting_apply(opt, arguments, given->option, given->option->setting, given->value);
        if (status != STATUS_DONE) return status;
        if (strcmp(given->option->setting, "tolerance.relative") == 0) opt->step = 0.0;
    }
    if (cardan_options_check(opt, sentence, sizeof sentence) >= 0) return STATUS_DONE;
    complain("view: %s", sentence);
    return STATUS_USAGE;
}

/* "crank", "crank:0.1,0", "plate:0,0,0.3". */
static int read_trace(const Arguments *arguments, const char *text, const CardanModel *model, Trace *trace) {
    const char *colon = strchr(text, ':');
    char body[sizeof trace->name], numbers[128];
    double x[3] = {0.0, 0.0, 0.0};
    snprintf(trace->name, sizeof trace->name, "%s", text);
    snprintf(body, sizeof body, "%.*s", colon != NULL ? (int)(colon - text) : (int)strlen(text), text);
    trace->body = cardan_model_find_body(model, body);
    if (trace->body.index <= 0) {
        complain("%s: --trace '%s': there is no body '%s' in '%s'", arguments->verb->name, text, body,
                 arguments->operands[0]);
        return STATUS_USAGE;
    }
    snprintf(numbers, sizeof numbers, "%s", colon != NULL ? colon + 1 : "");
    int most = cardan_model_space(model) == CARDAN_SPACE_PLANAR ? 2 : 3, k = 0;
    for (char *part = numbers, *next = NULL; part != NULL && part[0] != '\0'; part = next, k++) {
        next = strchr(part, ',');
        if (next != NULL) *next++ = '\0';
        if (k < most && parse_number(part, &x[k])) continue;
        complain("%s: --trace '%s': expected BODY or BODY:X,Y%s", arguments->verb->name, text, most == 3 ? ",Z" : "");
        return STATUS_USAGE;
    }
    trace->point = (CardanVec3){x[0], x[1], x[2]};
    return STATUS_DONE;
}

static int read_traces(const Arguments *arguments, const CardanModel *model, Trace *traces, int *count) {
    for (int i = 0; i < arguments->given_count; i++) {
        if (arguments->given[i].option->key != KEY_TRACE) continue;
        int status = read_trace(arguments, arguments->given[i].value, model, &traces[*count]);
        if (status != STATUS_DONE) return status;
        (*count)++;
    }
    return STATUS_DONE;
}

static int read_frames(const Arguments *arguments, int *frames) {
    const char *text = arguments_value(arguments, KEY_FRAMES);
    double x = 0.0;
    if (text == NULL) return STATUS_DONE;
    if (parse_number(text, &x) && x >= 2.0 && x <= FRAMES_ASKED_MOST && x == (double)(int)x) {
        *frames = (int)x;
        return STATUS_DONE;
    }
    complain("view: --frames '%s': expected a whole number from 2 to %d", text, FRAMES_ASKED_MOST);
    return STATUS_USAGE;
}

/* The model with the values of "r=0.3,l=0.5". */
static int change_model(const char *text, const CardanModel *model, CardanModel **out) {
    char copy[NAME_SIZE], sentence[SENTENCE_SIZE] = "";
    const char *names[GHOST_SETTINGS];
    double values[GHOST_SETTINGS];
    int count = 0;
    snprintf(copy, sizeof copy, "%s", text);
    for (char *part = copy, *next = NULL; part != NULL; part = next) {
        next = strchr(part, ',');
        if (next != NULL) *next++ = '\0';
        char *equals = strchr(part, '=');
        if (equals == NULL || count == GHOST_SETTINGS || !parse_number(equals + 1, &values[count])) {
            complain("view: --ghost '%s': expected PARAM=VALUE, at most %d of them with commas between", text,
                     GHOST_SETTINGS);
            return STATUS_USAGE;
        }
        *equals = '\0';
        names[count++] = part;
    }
    if (cardan_model_with_parameters(model, count, names, values, out, sentence, sizeof sentence) >= 0)
        return STATUS_DONE;
    complain("view: --ghost '%s': %s", text, sentence);
    return STATUS_USAGE;
}

/* ---- runs ---- */

static bool runs_open(Runs *runs, const Arguments *arguments) {
    runs->room = arguments->operand_count + arguments->given_count + 1;
    runs->models = calloc((size_t)runs->room, sizeof *runs->models);
    runs->files = calloc((size_t)runs->room, sizeof *runs->files);
    runs->movies = calloc((size_t)runs->room, sizeof *runs->movies);
    runs->names = calloc((size_t)runs->room, sizeof *runs->names);
    runs->labels = calloc((size_t)runs->room, sizeof *runs->labels);
    return runs->models != NULL && runs->files != NULL && runs->movies != NULL && runs->names != NULL &&
           runs->labels != NULL;
}

static void runs_close(Runs *runs) {
    for (int i = 0; i < runs->count; i++) {
        movie_free(&runs->movies[i]);
        cardan_model_release(runs->models[i]);
        runfile_free(&runs->files[i]);
    }
    free(runs->files);
    free(runs->models);
    free(runs->movies);
    free(runs->names);
    free(runs->labels);
}

/* Takes over the model. */
static int add_run(Runs *runs, const Arguments *arguments, const char *path, const char *name, CardanModel *model) {
    CardanOptions opt;
    int i = runs->count++;
    const RunFile *file = runs->files[i].result != NULL ? &runs->files[i] : NULL;
    MovieOrder order = {.pose = arguments_has(arguments, KEY_POSE), .ghost = i > 0, .run = file};
    runs->models[i] = model;
    snprintf(runs->names[i], NAME_SIZE, "%s", name);
    runs->labels[i] = runs->names[i];
    int status = read_frames(arguments, &order.frames);
    if (status == STATUS_DONE) status = choose_options(arguments, model, &opt);
    if (status == STATUS_DONE && file != NULL && cardan_result_options(file->result, &opt, NULL, 0) < 0) {
        complain("'%s': its options are not those of this version", path);
        status = STATUS_IO;
    }
    if (status != STATUS_DONE) return status;
    if (!order.pose && !(opt.end > 0.0)) {
        fprintf(stderr,
                "cardan: view: %s gives no 'end' of the simulation: the page shows its pose; or give --end SECONDS\n",
                path);
        order.pose = true;
    }
    return movie_make(&runs->movies[i], path, model, &opt, &order);
}

static int make_runs(Runs *runs, const Arguments *arguments) {
    for (int i = 0; i < arguments->operand_count; i++) {
        CardanModel *model = NULL;
        RunFile *file = &runs->files[runs->count];
        bool is_run = runfile_is(arguments->operands[i]);
        int status = is_run ? runfile_read(file, arguments->operands[i]) : check_operand(arguments->operands[i]);
        if (status == STATUS_DONE && is_run) status = runfile_model(file, &model);
        if (status == STATUS_DONE && !is_run) status = load_model(arguments->operands[i], arguments, KEY_SET, &model);
        if (status == STATUS_DONE)
            status = add_run(runs, arguments, arguments->operands[i], cardan_model_name(model), model);
        if (status != STATUS_DONE) return status;
    }
    for (int i = 0; i < arguments->given_count; i++) {
        const Given *given = &arguments->given[i];
        if (given->option->key != KEY_GHOST) continue;
        CardanModel *model = NULL;
        int status = change_model(given->value, runs->models[0], &model);
        if (status == STATUS_DONE) status = add_run(runs, arguments, arguments->operands[0], given->value, model);
        if (status != STATUS_DONE) return status;
    }
    return STATUS_DONE;
}

/* ---- the file ---- */

/* Name of the page when none is given: that of the model file, in this folder. */
static void usual_name(const char *path, char *name, size_t size) {
    const char *slash = strrchr(path, '/'), *base = slash != NULL ? slash + 1 : path;
    size_t length = strlen(base) - strlen(extension_of(base));
    snprintf(name, size, "%.*s.html", (int)length, base);
}

static const char *put_page(FILE *out, const void *user) {
    page_write(out, user);
    return NULL;
}

static void tell(const char *path, const Runs *runs) {
    const Movie *movie = &runs->movies[0];
    printf("%s: wrote %s", cardan_model_name(movie->model), path);
    if (movie->frames > 1)
        printf(" (%d frames to t = %.9g s%s); open it in a browser\n", movie->frames, movie->t[movie->frames - 1],
               runs->count > 1 ? ", with ghosts" : "");
    else
        printf(" (the pose as written); open it in a browser\n");
    for (int i = 0; i < movie->remarks.count; i++) printf("  remark    %s\n", movie->remarks.text[i]);
}

/* What kept a run from starting or going on is said too; the page shows how far it came. */
static int verdict(const Arguments *arguments, const Runs *runs) {
    for (int i = 0; i < runs->count; i++) {
        const Movie *movie = &runs->movies[i];
        if (movie->status == STATUS_DONE) continue;
        complain_about(movie->path, movie->reason);
        if (!arguments_has(arguments, KEY_POSE)) return movie->status;
    }
    return STATUS_DONE;
}

static int run(const Arguments *arguments) {
    char usual[NAME_SIZE];
    Runs runs = {0};
    Page page = {0};
    Trace *traces = calloc((size_t)arguments->given_count + 1, sizeof *traces);
    const char *path = arguments_value(arguments, KEY_OUTPUT);
    usual_name(arguments->operands[0], usual, sizeof usual);
    if (path == NULL) path = usual;
    int status = STATUS_DONE;
    if (!runs_open(&runs, arguments) || traces == NULL) {
        complain("out of memory");
        status = STATUS_FAULT;
    }
    if (status == STATUS_DONE) status = three_read(arguments_value(arguments, KEY_THREE), &page.three);
    if (status == STATUS_DONE) status = make_runs(&runs, arguments);
    if (status == STATUS_DONE) status = read_traces(arguments, runs.models[0], traces, &page.traces);
    if (status == STATUS_DONE) {
        page.movies = runs.count;
        page.movie = runs.movies;
        page.labels = runs.labels;
        page.trace = traces;
        status = write_file(path, put_page, &page);
    }
    if (status == STATUS_DONE && strcmp(path, "-") != 0) tell(path, &runs);
    if (status == STATUS_DONE) status = verdict(arguments, &runs);
    free(page.three.bytes);
    free(traces);
    runs_close(&runs);
    int flushed = finish_stdout();
    return status == STATUS_DONE ? flushed : status;
}

int export_html(const RunFile *run, const char *path) {
    const Arguments none = {.verb = &verb_view};
    CardanModel *model = NULL;
    CardanOptions opt;
    Movie movie = {0};
    const char *label = run->info.model_name;
    Page page = {.movies = 1, .movie = &movie, .labels = &label};
    MovieOrder order = {.run = run};
    int status = three_read(NULL, &page.three);
    if (status == STATUS_DONE) status = runfile_model(run, &model);
    if (status == STATUS_DONE) status = choose_options(&none, model, &opt);
    if (status == STATUS_DONE && cardan_result_options(run->result, &opt, NULL, 0) < 0) status = STATUS_IO;
    if (status == STATUS_DONE) status = movie_make(&movie, run->path, model, &opt, &order);
    if (status == STATUS_DONE) status = write_file(path, put_page, &page);
    if (movie.model != NULL) movie_free(&movie);
    free(page.three.bytes);
    cardan_model_release(model);
    return status;
}

const Verb verb_view = {
    .name = "view",
    .operands = "MODEL or RUN...",
    .operands_min = 1,
    .operands_max = 16,
    .summary = "make a page that shows a mechanism and its motion",
    .text =
        "Writes one HTML page that opens from disk in any browser and needs no network: the mechanism of the model "
        "file MODEL in 3-D with its joints, forces and reactions, a time line, and the channels under `outputs` as "
        "plots. Bodies are drawn as their `geometry` says, or from their joints.\n\n"
        "A run file is shown as it was computed. A model is simulated as by `run`. With --pose the page shows the pose "
        "as it is written, with what `check` "
        "finds: open joints, redundant ones, what nothing holds. A run that cannot start or go on leaves a page all "
        "the same, and the exit status of `run`. Further models, and runs with other values (--ghost), stand faint "
        "behind the first.\n\n"
        "three.js is put into the page from the package libjs-three.",
    .examples = "cardan view models/bricard.yaml -o bricard.html\n"
                "cardan view models/slider_crank.yaml --ghost r=0.15 --trace rod:0,0.05\n"
                "cardan view models/four_bar.yaml --pose -o pose.html",
    .options = options,
    .run = run,
};
