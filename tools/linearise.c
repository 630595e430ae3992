/* cardan linearise MODEL: the equations of motion to first order about a state. */
#include "verbs.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "about.h"
#include "linear_files.h"

enum { KEY_INPUTS = 1, KEY_OUTPUTS, KEY_FORM, KEY_AT, KEY_OUTPUT, KEY_SET, KEY_JSON };
enum { SHOWN = 12 }; /* states whose matrices are printed */

static const char *const FORMS[] = {"minimal", "descriptor", NULL};

static const char *word_form(int i) {
    return FORMS[i];
}

/* clang-format off */
static const Option options[] = {
    {.name = "inputs", .key = KEY_INPUTS, .value = "NAME,...",
     .help = "what acts: inputs of the model, joints or forces on them (a force more along the joint), BODY.fx .. BODY.mz"},
    {.name = "outputs", .key = KEY_OUTPUTS, .value = "CHANNEL,...",
     .help = "what is read, as in the model file's `outputs`; without it the files have the states"},
    {.name = "form", .key = KEY_FORM, .value = "FORM", .word = word_form,
     .help = "minimal: A, B, C, D of independent states; descriptor: sparse E, A, B, C, D of all unknowns"},
    {.name = "at", .key = KEY_AT, .value = "T", .help = "simulate to t = T seconds first"},
    {.name = "output", .letter = 'o', .key = KEY_OUTPUT, .value = "FILE",
     .help = "write the matrices: FILE.csv, .json, .py (scipy, python-control) or .m (Octave); may be given several times"},
    {.name = "set", .key = KEY_SET, .value = "PARAM=VALUE",
     .help = "another value for a parameter of the file; may be given several times"},
    {.name = "json", .key = KEY_JSON, .help = "print one JSON object"},
    {.name = NULL},
};
/* clang-format on */

static const char *plural(int n) {
    return n == 1 ? "" : "s";
}

static void print_matrix(const char *name, const CardanLinear *linear, const double *x, int rows, int columns,
                         CardanLinearName row_names) {
    char text[160];
    if (rows == 0 || columns == 0) return;
    printf("  %s\n", name);
    for (int r = 0; r < rows; r++) {
        printf("    %-24s", cardan_linear_name(linear, row_names, r, text, sizeof text));
        for (int c = 0; c < columns; c++) printf(" %12.6g", x[r * columns + c]);
        printf("\n");
    }
}

static void print_minimal(const CardanLinear *linear) {
    CardanStateSpace s = cardan_linear_state_space(linear);
    int differences = 0;
    for (int i = 0; i < s.outputs; i++) differences += !cardan_linear_is_exact(linear, i);
    printf("%d state%s: %d position%s, %d velocit%s, %d of first order; %d input%s, %d output%s\n", s.states,
           plural(s.states), s.positions, plural(s.positions), s.velocities, s.velocities == 1 ? "y" : "ies",
           s.states - s.positions - s.velocities, s.inputs, plural(s.inputs), s.outputs, plural(s.outputs));
    if (differences > 0)
        printf("  remark  %d output%s by central differences along the constraints, the others exactly\n", differences,
               differences == 1 ? " is" : "s are");
    if (s.states > SHOWN) {
        printf("  matrices of more than %d states are not printed: -o FILE.py, .m, .csv or .json writes them\n", SHOWN);
        return;
    }
    print_matrix("A", linear, s.a, s.states, s.states, CARDAN_LINEAR_STATE);
    print_matrix("B", linear, s.b, s.states, s.inputs, CARDAN_LINEAR_STATE);
    print_matrix("C", linear, s.c, s.outputs, s.states, CARDAN_LINEAR_OUTPUT);
    print_matrix("D", linear, s.d, s.outputs, s.inputs, CARDAN_LINEAR_OUTPUT);
}

static void print_text(const About *about, const CardanLinear *linear) {
    CardanDescriptor d = cardan_linear_descriptor(linear);
    double speed = 0.0;
    const double *v = cardan_sim_velocities(about->sim);
    for (int i = 0; i < cardan_model_sizes(about->model).velocities; i++) speed = fmax(speed, fabs(v[i]));
    printf("%s, linearised about its state at t = %g, which %s: ", cardan_model_name(about->model),
           cardan_sim_time(about->sim), speed > 0.0 ? "moves" : "is at rest");
    if (d.size == 0)
        print_minimal(linear);
    else
        printf("E X' = A X + B u with %d unknowns, %d of them states; %d entries in A; %d input%s, %d output%s\n",
               d.size, d.e.start[d.size], d.a.start[d.size], d.inputs, plural(d.inputs), d.outputs, plural(d.outputs));
}

static void print_json(const About *about, const CardanLinear *linear) {
    Json json = {.out = stdout};
    json_open_object(&json, NULL, true);
    json_string(&json, "model", cardan_model_name(about->model));
    json_number(&json, "t", cardan_sim_time(about->sim));
    linear_json(&json, linear);
    json_close(&json);
}

static int check_files(const Arguments *arguments) {
    for (int i = 0; i < arguments->given_count; i++) {
        const Given *given = &arguments->given[i];
        if (given->option->key != KEY_OUTPUT || linear_file_is_known(given->value)) continue;
        complain("linearise: '%s': matrices are written as .csv, .json, .py or .m", given->value);
        return STATUS_USAGE;
    }
    return STATUS_DONE;
}

static int tell(const Arguments *arguments, const About *about, const CardanLinear *linear) {
    int status = STATUS_DONE;
    for (int i = 0; i < arguments->given_count && status == STATUS_DONE; i++)
        if (arguments->given[i].option->key == KEY_OUTPUT)
            status = linear_file_write(arguments->given[i].value, linear, cardan_model_name(about->model));
    if (status != STATUS_DONE) return status;
    if (arguments_has(arguments, KEY_JSON))
        print_json(about, linear);
    else
        print_text(about, linear);
    return finish_stdout();
}

static int run(const Arguments *arguments) {
    About about;
    Names inputs = {0}, outputs = {0};
    CardanLinear *linear = NULL;
    const char *form = arguments_value(arguments, KEY_FORM);
    bool sparse = form != NULL && strcmp(form, FORMS[1]) == 0;
    int status = check_files(arguments);
    if (status != STATUS_DONE) return status;
    if (form != NULL && !sparse && strcmp(form, FORMS[0]) != 0) {
        complain("linearise: --form is minimal or descriptor, not '%s'", form);
        return STATUS_USAGE;
    }
    status = about_open(&about, arguments, KEY_SET, KEY_AT);
    if (status == STATUS_DONE) status = names_read(&inputs, arguments, KEY_INPUTS);
    if (status == STATUS_DONE) status = names_read(&outputs, arguments, KEY_OUTPUTS);
    if (status == STATUS_DONE) {
        CardanStatus st = cardan_sim_linearise(about.sim, sparse ? CARDAN_LINEAR_DESCRIPTOR : CARDAN_LINEAR_MINIMAL,
                                               inputs.count, (const char *const *)inputs.name, outputs.count,
                                               (const char *const *)outputs.name, &linear);
        status = st < 0 ? about_failed(&about, arguments, st) : tell(arguments, &about, linear);
    }
    cardan_linear_destroy(linear);
    names_free(&inputs);
    names_free(&outputs);
    about_close(&about);
    return status;
}

const Verb verb_linearise = {
    .name = "linearise",
    .operands = "MODEL",
    .operands_min = 1,
    .operands_max = 1,
    .summary = "state-space matrices A, B, C, D about a state",
    .text =
        "Linearises the equations of motion about the start of the model, or about where it is at the time of --at: "
        "x' = A x + B u, y = C x + D u. The states are independent displacements and velocities of bodies, named "
        "as in the output, and first-order states. Constraints of every kind are met to first order, the change of "
        "their forces included.\n\n"
        "With --form descriptor the matrices are sparse and of all unknowns, E X' = A X + B u: displacements, "
        "velocities, first-order states, accelerations and multipliers. Both forms have the same finite "
        "eigenvalues.",
    .examples = "cardan linearise models/cart_pendulum.yaml --inputs rail --outputs pole.angle\n"
                "cardan linearise models/bicycle.yaml --set push=0 -o bicycle.py",
    .options = options,
    .run = run,
};
