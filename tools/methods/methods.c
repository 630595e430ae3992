/* cardan methods MODEL: which combination of methods is best for this mechanism. */
#include "methods.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "interrupt.h"
#include "settings.h"
#include "text.h"
#include "verbs.h"
#include "whole_file.h"

enum {
    KEY_ERRORS = 1,
    KEY_END,
    KEY_SET,
    KEY_SOLVER,
    KEY_BUDGET,
    KEY_JOBS,
    KEY_FULL,
    KEY_LABORATORY,
    KEY_CURVES,
    KEY_SHOW,
    KEY_TITLE,
    KEY_OUTPUT,
    KEY_ALL,
    KEY_JSON
};
enum { JOBS_MOST = 1024 };

static const double usual_budget = 45.0; /* s */
static const double run_share = 0.03;    /* of the budget: the most one run may take */

static const char *const curve_words[] = {"stepper", "stabiliser", "regulariser", "formulation", "all"};

static const char *const shown_words[] = {"error", "drift", "energy"};

/* The picture asked for. */
typedef struct Picture {
    Curves curves;
    Shown shown;
    const char *title; /* NULL: the usual one */
} Picture;

static const char *shown_word(int i) {
    return i <= SHOWN_ENERGY ? shown_words[i] : NULL;
}

static const char *curve_word(int i) {
    return i <= CURVES_ALL ? curve_words[i] : NULL;
}

/* clang-format off */
static const Option options[] = {
    {.name = "errors", .key = KEY_ERRORS, .value = "LIST",
     .help = "errors to reach, relative to the size of the motion, as in 1e-3,1e-6,1e-9 (the usual ones)"},
    {.name = "formulations", .key = KEY_FORMULATIONS, .value = "LIST", .word = word_formulation,
     .help = "only these forms of the equations of motion"},
    {.name = "steppers", .key = KEY_STEPPERS, .value = "LIST", .word = word_stepper, .help = "only these steppers"},
    {.name = "stabilisers", .key = KEY_STABILISERS, .value = "LIST", .word = word_stabilise,
     .help = "only these, as --stabilise of run takes them with '+' for ',': post:2,baumgarte+alpha=40+beta=400"},
    {.name = "regularisers", .key = KEY_REGULARISERS, .value = "LIST", .word = word_regularise,
     .help = "only these, likewise: auto,direct+epsilon=1e-8"},
    {.name = "laboratory", .key = KEY_LABORATORY,
     .help = "the published formulations of the laboratory too, named lab:...; for comparing, run has none of them"},
    {.name = "solver", .key = KEY_SOLVER, .value = "NAME", .setting = "solver", .word = word_solver,
     .help = "how the multipliers are solved for"},
    {.name = "end", .key = KEY_END, .value = "T", .setting = "end", .help = "simulate until t = T seconds"},
    {.name = "set", .key = KEY_SET, .value = "PARAM=VALUE",
     .help = "another value for a parameter of the file; may be given several times"},
    {.name = "budget", .key = KEY_BUDGET, .value = "SECONDS",
     .help = "wall time for all runs, 45 if not given; what is not finished then is reported as such"},
    {.name = "jobs", .key = KEY_JOBS, .value = "N", 
     .help = "runs at the same time; as many as there are cores if not given"},
    {.name = "full", .key = KEY_FULL, .help = "leave out nothing that looks hopeless"},
    {.name = "output", .letter = 'o', .key = KEY_OUTPUT, .value = "FILE.svg or FILE.csv",
     .help = "write the work-precision picture or all runs; may be given several times"},
    {.name = "curves", .key = KEY_CURVES, .value = "WHAT", .word = curve_word,
     .help = "a curve of the picture for each stepper with its best partners, or for each of something else"},
    {.name = "show", .key = KEY_SHOW, .value = "WHAT", .word = shown_word,
     .help = "what the picture has over the work: the error, or another"},
    {.name = "title", .key = KEY_TITLE, .value = "TEXT", .help = "another line above the picture"},
    {.name = "all", .key = KEY_ALL, .help = "print every run, and every combination that did not run with its reason"},
    {.name = "json", .key = KEY_JSON, .help = "print one JSON object with every run"},
    {.name = NULL},
};
/* clang-format on */

/* ---- what was asked for ---- */

static int bad_value(const char *option, const char *expected, const char *text) {
    complain("methods: --%s: expected %s, not '%s'", option, expected, text);
    return STATUS_USAGE;
}

static int falling(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x < y) - (x > y);
}

static int read_errors(Matrix *matrix, const char *list) {
    static const double usual[] = {1e-3, 1e-6, 1e-9};
    char text[256], *rest = text;
    matrix->levels = 0;
    if (list == NULL) {
        matrix->levels = 3;
        memcpy(matrix->level, usual, sizeof usual);
        return STATUS_DONE;
    }
    if ((size_t)snprintf(text, sizeof text, "%s", list) >= sizeof text)
        return bad_value("errors", "a short list", list);
    while (rest != NULL) {
        char *word = rest;
        double x = 0.0;
        rest = strchr(word, ',');
        if (rest != NULL) *rest++ = '\0';
        if (!parse_number(word, &x) || !(x > 0.0 && x < 1.0))
            return bad_value("errors", "numbers between 0 and 1", word);
        if (matrix->levels == LEVELS_MOST) return bad_value("errors", "at most 8 of them", list);
        matrix->level[matrix->levels++] = x;
    }
    qsort(matrix->level, (size_t)matrix->levels, sizeof *matrix->level, falling);
    return STATUS_DONE;
}

static int read_positive(const Arguments *arguments, int key, const char *option, double most, double *x) {
    const char *text = arguments_value(arguments, key);
    if (text == NULL) return STATUS_DONE;
    if (!parse_number(text, x) || !(*x > 0.0 && *x <= most)) return bad_value(option, "a number > 0", text);
    return STATUS_DONE;
}

/* Which word of a list was given; the first when none was. */
static int read_choice(const Arguments *arguments, int key, const char *option, const char *(*word)(int i),
                       int *choice) {
    const char *text = arguments_value(arguments, key), *best = NULL;
    int distance = 0;
    *choice = 0;
    if (text == NULL) return STATUS_DONE;
    for (int i = 0; word(i) != NULL; i++) {
        if (strcmp(word(i), text) == 0) {
            *choice = i;
            return STATUS_DONE;
        }
        suggest_consider(text, word(i), &best, &distance);
    }
    if (best != NULL)
        complain("methods: --%s: unknown '%s'; did you mean '%s'?", option, text, best);
    else
        complain("methods: --%s: unknown '%s'; 'cardan help methods' lists what there is", option, text);
    return STATUS_USAGE;
}

static int check_outputs(const Arguments *arguments) {
    for (int i = 0; i < arguments->given_count; i++) {
        if (arguments->given[i].option->key != KEY_OUTPUT) continue;
        const char *path = arguments->given[i].value, *extension = extension_of(path);
        if (strcmp(extension, ".svg") == 0 || strcmp(extension, ".csv") == 0) continue;
        complain("methods: '%s': names of outputs end in .svg or .csv", path);
        return STATUS_USAGE;
    }
    return STATUS_DONE;
}

/* Everything but what needs the model. */
static int read_arguments(Matrix *matrix, const Arguments *arguments, Picture *picture) {
    int curves = 0, shown = 0;
    double jobs = fmax(1.0, (double)sysconf(_SC_NPROCESSORS_ONLN));
    matrix->budget = usual_budget;
    matrix->full = arguments_has(arguments, KEY_FULL);
    int status = read_errors(matrix, arguments_value(arguments, KEY_ERRORS));
    if (status == STATUS_DONE) status = read_positive(arguments, KEY_BUDGET, "budget", 1e9, &matrix->budget);
    if (status == STATUS_DONE) status = read_positive(arguments, KEY_JOBS, "jobs", JOBS_MOST, &jobs);
    if (status == STATUS_DONE) status = read_choice(arguments, KEY_CURVES, "curves", curve_word, &curves);
    if (status == STATUS_DONE) status = read_choice(arguments, KEY_SHOW, "show", shown_word, &shown);
    if (status == STATUS_DONE) status = check_outputs(arguments);
    *picture = (Picture){(Curves)curves, (Shown)shown, arguments_value(arguments, KEY_TITLE)};
    matrix->jobs = jobs < 1.0 ? 1 : (int)jobs;
    matrix->limits.seconds = run_share * matrix->budget;
    matrix->limits.deadline = matrix->began + matrix->budget;
    return status;
}

static int choose_base(Matrix *matrix, const Arguments *arguments) {
    matrix->base = cardan_model_options(matrix->model);
    matrix->base.coordinates = CARDAN_COORDINATES_ABSOLUTE; /* in which all that is compared can act */
    for (int i = 0; i < arguments->given_count; i++) {
        const Given *given = &arguments->given[i];
        if (given->option->setting == NULL) continue;
        int status = setting_apply(&matrix->base, arguments, given->option, given->option->setting, given->value);
        if (status != STATUS_DONE) return status;
    }
    if (matrix->base.end > 0.0) return STATUS_DONE;
    complain("methods: %s gives no 'end' of the simulation; give it with --end SECONDS", matrix->path);
    return STATUS_USAGE;
}

/* ---- what came of it ---- */

typedef struct Written {
    const Matrix *matrix;
    const Picture *picture;
} Written;

static const char *put_svg(FILE *out, const void *user) {
    const Written *written = user;
    methods_svg(out, written->matrix, written->picture->curves, written->picture->shown, written->picture->title);
    return NULL;
}

static const char *put_csv(FILE *out, const void *user) {
    methods_csv(out, ((const Written *)user)->matrix);
    return NULL;
}

static int report(const Matrix *matrix, const Arguments *arguments, const Picture *picture) {
    int status = STATUS_DONE;
    for (int i = 0; i < arguments->given_count && status == STATUS_DONE; i++)
        if (arguments->given[i].option->key == KEY_OUTPUT)
            status = write_file(arguments->given[i].value,
                                strcmp(extension_of(arguments->given[i].value), ".svg") == 0 ? put_svg : put_csv,
                                &(Written){matrix, picture});
    if (arguments_has(arguments, KEY_JSON))
        methods_json(stdout, matrix);
    else
        methods_text(stdout, matrix, arguments_has(arguments, KEY_ALL));
    int flushed = finish_stdout();
    return status == STATUS_DONE ? flushed : status;
}

static int run(const Arguments *arguments) {
    CardanModel *model = NULL;
    Picture picture;
    Matrix m = {.path = arguments->operands[0], .arguments = arguments, .began = wall_seconds()};
    int status = read_arguments(&m, arguments, &picture);
    interrupt_watch();
    if (status == STATUS_DONE) status = load_model(m.path, arguments, KEY_SET, &model);
    m.model = model;
    if (status == STATUS_DONE) status = choose_base(&m, arguments);
    if (status == STATUS_DONE) status = matrix_make(&m, arguments, arguments_has(arguments, KEY_LABORATORY));
    if (status == STATUS_DONE) status = reference_make(&m.reference, model, &m.base, &m.limits);
    if (status == STATUS_DONE) status = costs_measure(&m);
    if (status == STATUS_DONE) status = ladder_run(&m);
    if (status == STATUS_DONE) status = report(&m, arguments, &picture);
    matrix_free(&m);
    cardan_model_release(model);
    if (status == STATUS_DONE || interrupt_signal() == 0) return status;
    complain("methods: interrupted; nothing is kept of unfinished runs");
    return STATUS_SIGNAL + interrupt_signal();
}

const Verb verb_methods = {
    .name = "methods",
    .operands = "MODEL",
    .operands_min = 1,
    .operands_max = 1,
    .summary = "which stepper, stabiliser and so on is best for a mechanism",
    .text = "Runs the model with every combination of formulation, stepper, stabiliser and regulariser, from coarse to "
            "fine tolerances or steps, on all cores, and measures each run against a reference that is computed twice "
            "by different methods. Prints for each error asked for what the cheapest combinations need, and "
            "recommends the one that reaches it with the least work and keeps the constraints.\n\n"
            "Work is right-hand sides, factorisations and solves, weighed by what each costs on this model. "
            "Combinations that are refused, fail, are stopped early or left out are counted with their reasons.",
    .examples = "cardan methods models/slider_crank.yaml -o methods.svg -o methods.csv\n"
                "cardan methods models/slider_crank.yaml --steppers rk4,dop853 --errors 1e-4,1e-8 --curves stabiliser",
    .options = options,
    .run = run,
};
