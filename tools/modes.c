/* cardan modes MODEL: frequencies, damping and shapes of small motions. */
#include "verbs.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "about.h"
#include "mode_files.h"
#include "mode_run.h"
#include "text.h"

enum { KEY_NUMBER = 1, KEY_AT, KEY_OUTPUT, KEY_MODE, KEY_AMPLITUDE, KEY_SET, KEY_JSON };
enum { NUMBER_MOST = 1000, MOVERS = 3 };

/* Of the largest motion: what moves less is not told. */
static const double TOLD = 0.05;

/* 1/s, of the largest eigenvalue: growth that is rounding. */
static const double NEUTRAL = 1e-9;

/* clang-format off */
static const Option options[] = {
    {.name = "number", .key = KEY_NUMBER, .value = "N",
     .help = "the lowest N modes; without it all of them, or 20 of a large mechanism"},
    {.name = "at", .key = KEY_AT, .value = "T", .help = "simulate to t = T seconds first"},
    {.name = "output", .letter = 'o', .key = KEY_OUTPUT, .value = "FILE",
     .help = "FILE.cardan: a swing of one mode as a run, closed, for view, plot and convert, or what is made of a run: "
             ".html, .glb, .h5; FILE.csv: the straight displacements of it as places of bodies over time; FILE.json: all "
             "modes with their shapes"},
    {.name = "mode", .key = KEY_MODE, .value = "K", .help = "which mode the swing shows; the first without it"},
    {.name = "amplitude", .key = KEY_AMPLITUDE, .value = "X",
     .help = "largest motion of the swing, in lengths of the mechanism or rad; 0.1 without it"},
    {.name = "set", .key = KEY_SET, .value = "PARAM=VALUE",
     .help = "another value for a parameter of the file; may be given several times"},
    {.name = "json", .key = KEY_JSON, .help = "print one JSON object"},
    {.name = NULL},
};
/* clang-format on */

/* ---- words ---- */

static CardanMode mode_of(const CardanModes *modes, CardanModeKind kind, int i) {
    CardanMode mode = {0};
    if (cardan_modes_get(modes, kind, i, &mode, NULL, NULL) < 0) mode.residual = (double)NAN;
    return mode;
}

static void print_verdict(const CardanModes *modes) {
    int count = cardan_modes_count(modes, CARDAN_MODES_DAMPED), growing = 0, fading = 0;
    double largest = 0.0;
    for (int i = 0; i < count; i++) {
        CardanMode mode = mode_of(modes, CARDAN_MODES_DAMPED, i);
        largest = fmax(largest, hypot(mode.re, mode.im));
    }
    for (int i = 0; i < count; i++) {
        CardanMode mode = mode_of(modes, CARDAN_MODES_DAMPED, i);
        growing += mode.re > NEUTRAL * largest;
        fading += mode.re < -NEUTRAL * largest;
    }
    int ignorable = cardan_modes_ignorable(modes);
    if (growing > 0)
        printf("unstable: %d of %d modes grow\n", growing, count);
    else if (fading == count && ignorable == 0)
        printf("stable: all %d modes fade\n", count);
    else
        printf("no mode grows; %d of %d fade\n", fading, count);
    if (ignorable > 0)
        printf("  %d eigenvalues 0 of directions in which it may stand or move on anywhere are not listed\n",
               ignorable);
}

/* What moves most, by name. */
static void print_movers(const CardanModes *modes, CardanModeKind kind, int i, int nv, double *re, double *im) {
    char name[160];
    double largest = 0.0;
    if (cardan_modes_get(modes, kind, i, NULL, re, im) < 0) return;
    for (int k = 0; k < nv; k++) largest = fmax(largest, hypot(re[k], im[k]));
    for (int told = 0; told < MOVERS; told++) {
        int most = 0;
        for (int k = 1; k < nv; k++)
            if (hypot(re[k], im[k]) > hypot(re[most], im[most])) most = k;
        double size = hypot(re[most], im[most]), sign = fabs(re[most]) >= fabs(im[most]) ? re[most] : im[most];
        if (!(size > TOLD * largest)) break;
        printf("%s%s %.2f", told > 0 ? ", " : "  ", cardan_modes_name(modes, most, name, sizeof name),
               copysign(size, sign));
        re[most] = im[most] = 0.0;
    }
}

static void print_kind(const CardanModes *modes, CardanModeKind kind, int nv, double *re, double *im) {
    int count = cardan_modes_count(modes, kind);
    if (count == 0) return;
    printf("  %s\n    %4s %14s %10s %14s %14s  %s\n", kind == CARDAN_MODES_DAMPED ? "damped" : "undamped", "mode",
           "frequency, Hz", "damping", "re, 1/s", "im, rad/s", "what moves");
    for (int i = 0; i < count; i++) {
        CardanMode mode = mode_of(modes, kind, i);
        printf("    %4d %14.8g %10.5f %14.8g %14.8g", i + 1, mode.frequency, mode.damping, mode.re, mode.im);
        print_movers(modes, kind, i, nv, re, im);
        printf("\n");
    }
}

/* What the swing in the files is. */
static void print_swing(const Arguments *arguments, const ModeFile *file) {
    CardanMode mode = mode_of(file->modes, CARDAN_MODES_DAMPED, file->mode);
    for (int i = 0; i < arguments->given_count; i++) {
        const Given *given = &arguments->given[i];
        if (given->option->key != KEY_OUTPUT || !mode_run_is_known(given->value)) continue;
        printf("  wrote %s: mode %d, ", given->value, file->mode + 1);
        if (mode.im > 0.0)
            printf("one period of %.6g s without growth or fading", 1.0 / mode.frequency);
        else
            printf("which does not swing, as it %s", mode.re > 0.0 ? "grows" : "fades");
        printf(", amplitude %g (lengths of the mechanism or rad)\n", file->amplitude);
    }
}

static int print_text(const Arguments *arguments, const About *about, const ModeFile *file) {
    const CardanModes *modes = file->modes;
    int nv = cardan_model_sizes(about->model).velocities;
    double *shape = calloc(2 * (size_t)nv + 1, sizeof *shape);
    if (shape == NULL) {
        complain("out of memory");
        return STATUS_FAULT;
    }
    printf("%s, small motions about its state at t = %g: ", cardan_model_name(about->model),
           cardan_sim_time(about->sim));
    print_verdict(modes);
    print_kind(modes, CARDAN_MODES_DAMPED, nv, shape, shape + nv);
    print_kind(modes, CARDAN_MODES_UNDAMPED, nv, shape, shape + nv);
    print_swing(arguments, file);
    free(shape);
    return finish_stdout();
}

/* ---- what is asked for ---- */

typedef struct Asked {
    int number, mode;
    double amplitude;
} Asked;

static int whole(const Arguments *arguments, int key, int least, int *out) {
    const char *text = arguments_value(arguments, key);
    double x;
    if (text == NULL) return STATUS_DONE;
    if (!parse_number(text, &x) || x != floor(x) || x < least || x > NUMBER_MOST) {
        complain("modes: '%s' is no number from %d to %d", text, least, NUMBER_MOST);
        return STATUS_USAGE;
    }
    *out = (int)x;
    return STATUS_DONE;
}

static int read_asked(const Arguments *arguments, Asked *asked) {
    *asked = (Asked){0, 1, 0.1};
    const char *amplitude = arguments_value(arguments, KEY_AMPLITUDE);
    int status = whole(arguments, KEY_NUMBER, 1, &asked->number);
    if (status == STATUS_DONE) status = whole(arguments, KEY_MODE, 1, &asked->mode);
    if (status == STATUS_DONE && amplitude != NULL && !parse_number(amplitude, &asked->amplitude)) {
        complain("modes: --amplitude wants a number, not '%s'", amplitude);
        status = STATUS_USAGE;
    }
    for (int i = 0; i < arguments->given_count && status == STATUS_DONE; i++) {
        const Given *given = &arguments->given[i];
        if (given->option->key != KEY_OUTPUT || mode_file_is_known(given->value) || mode_run_is_known(given->value))
            continue;
        complain("modes: '%s': modes are written as .cardan, .html, .glb, .h5, .csv or .json", given->value);
        status = STATUS_USAGE;
    }
    return status;
}

static int tell(const Arguments *arguments, const About *about, const CardanModes *modes, const Asked *asked) {
    const ModeFile file = {about->model, about->sim, modes, asked->mode - 1, asked->amplitude};
    const ModeRun swing = {arguments, KEY_OUTPUT, KEY_SET};
    if (asked->mode > cardan_modes_count(modes, CARDAN_MODES_DAMPED)) {
        complain("modes: there are %d modes, none has the number %d", cardan_modes_count(modes, CARDAN_MODES_DAMPED),
                 asked->mode);
        return STATUS_USAGE;
    }
    int status = mode_run_write(&swing, &file);
    for (int i = 0; i < arguments->given_count && status == STATUS_DONE; i++) {
        const Given *given = &arguments->given[i];
        if (given->option->key == KEY_OUTPUT && mode_file_is_known(given->value))
            status = mode_file_write(given->value, &file);
    }
    if (status != STATUS_DONE) return status;
    if (!arguments_has(arguments, KEY_JSON)) return print_text(arguments, about, &file);
    mode_json(stdout, &file);
    return finish_stdout();
}

static int run(const Arguments *arguments) {
    About about;
    Asked asked;
    CardanModes *modes = NULL;
    int status = read_asked(arguments, &asked);
    if (status != STATUS_DONE) return status;
    status = about_open(&about, arguments, KEY_SET, KEY_AT);
    if (status == STATUS_DONE) {
        CardanStatus st = cardan_sim_modes(about.sim, asked.number, &modes);
        status = st < 0 ? about_failed(&about, arguments, st) : tell(arguments, &about, modes, &asked);
    }
    cardan_modes_destroy(modes);
    about_close(&about);
    return status;
}

const Verb verb_modes = {
    .name = "modes",
    .operands = "MODEL",
    .operands_min = 1,
    .operands_max = 1,
    .summary = "frequencies, damping and shapes of small motions",
    .text = "Eigenvalues of the linearised equations about the start of the model, or about where it is at the time of "
            "--at, which must be an equilibrium or a steady motion: damped modes, and at rest undamped ones, each with "
            "the bodies that move most in it. A shape is 1 where it is largest, in lengths of the mechanism or rad.\n\n"
            "Up to 400 states all modes are found. Of larger mechanisms at rest the lowest ones are, sparsely.",
    .examples = "cardan modes models/bicycle.yaml --set push=0 --set v=5\n"
                "cardan modes models/bicycle.yaml --set push=0 --set v=5 --mode 2 -o weave.cardan\n"
                "cardan view weave.cardan -o weave.html",
    .options = options,
    .run = run,
};
