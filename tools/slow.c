/* cardan slow MODEL: the start on the slow manifold, and the multipliers that stiff joints have there. */
#include "verbs.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "json.h"
#include "text.h"

enum { KEY_SET = 1, KEY_METHOD, KEY_KERNEL, KEY_TOLERANCE, KEY_MULTIPLIERS, KEY_JSON };
enum { SENTENCE_SIZE = 2048 };

/* clang-format off */
static const Option options[] = {
    {.name = "method", .key = KEY_METHOD, .value = "NAME", .word = cardan_slow_method_name,
     .help = "how the slow manifold is found, in place of what the file says"},
    {.name = "kernel", .key = KEY_KERNEL, .value = "NAME", .word = cardan_slow_kernel_name,
     .help = "filter of the iterated method"},
    {.name = "tolerance", .key = KEY_TOLERANCE, .value = "PART",
     .help = "what may still ring, as a part of the largest multiplier"},
    {.name = "multipliers", .key = KEY_MULTIPLIERS,
     .help = "extrapolate the spring forces to rigid joints, from two stiffnesses, row by row"},
    {.name = "set", .key = KEY_SET, .value = "PARAM=VALUE",
     .help = "another value for a parameter of the file; may be given several times"},
    {.name = "json", .key = KEY_JSON, .help = "print one JSON object"},
    {.name = NULL},
};
/* clang-format on */

static int index_of(const char *(*word)(int i), const char *text) {
    int i = 0;
    while (word(i) != NULL && strcmp(word(i), text) != 0) i++;
    return word(i) != NULL ? i : -1;
}

/* The file's wish with what the command line says over it. */
static int choose(const Arguments *arguments, const CardanModel *model, CardanSlow *wish) {
    const char *method = arguments_value(arguments, KEY_METHOD), *kernel = arguments_value(arguments, KEY_KERNEL),
               *tolerance = arguments_value(arguments, KEY_TOLERANCE);
    *wish = cardan_model_slow(model);
    int m = method != NULL ? index_of(cardan_slow_method_name, method) : (int)wish->method,
        k = kernel != NULL ? index_of(cardan_slow_kernel_name, kernel) : (int)wish->kernel;
    if (m < 0 || k < 0) {
        complain("--%s '%s': expected %s or %s", m < 0 ? "method" : "kernel", m < 0 ? method : kernel,
                 m < 0 ? cardan_slow_method_name(0) : cardan_slow_kernel_name(0),
                 m < 0 ? cardan_slow_method_name(1) : cardan_slow_kernel_name(1));
        return STATUS_USAGE;
    }
    wish->method = (CardanSlowMethod)m;
    wish->kernel = (CardanSlowKernel)k;
    if (tolerance == NULL) return STATUS_DONE;
    if (parse_number(tolerance, &wish->tolerance) && wish->tolerance > 0.0) return STATUS_DONE;
    complain("--tolerance '%s': expected a number > 0", tolerance);
    return STATUS_USAGE;
}

static double largest(const double *x, int n) {
    double max = 0.0;
    for (int i = 0; i < n; i++) max = fmax(max, fabs(x[i]));
    return max;
}

static void print_rows(const CardanSlowReport *report) {
    printf("    %-16s %3s %22s %22s %22s\n", "joint", "row", "stiffness x deflection", "extrapolated",
           "rigid multiplier");
    for (int i = 0; i < report->joints; i++)
        for (int r = 0; r < report->joint[i].rows; r++)
            printf("    %-16s %3d %22.12g %22.12g %22.12g\n", report->joint[i].name, r + 1, report->joint[i].elastic[r],
                   report->joint[i].extrapolated[r], report->joint[i].multiplier[r]);
}

static void print_text(const CardanModel *model, const CardanSlow *wish, const CardanSlowReport *report) {
    printf("%s: %d joint%s, %d rows on the slow manifold (%s)\n", cardan_model_name(model), report->joints,
           report->joints == 1 ? "" : "s", report->rows, cardan_slow_method_name((int)wish->method));
    printf("  frequencies %.4g to %.4g rad/s, the motion %.4g 1/s; damping ratio %.3g\n", report->frequency_min,
           report->frequency_max, report->rate, report->damping);
    printf("  moved       %.3g m, %.3g rad\n", report->moved_length, report->moved_angle);
    printf("  may ring    %.3g N (N m) of %.4g\n", report->ringing, report->multiplier);
    printf("  work        %d %s, %ld evaluations\n", report->iterations,
           wish->method == CARDAN_SLOW_BOUNDED ? "sweeps" : "iterations", report->evaluations);
    if (report->extrapolate) {
        print_rows(report);
        return;
    }
    printf("    %-16s %20s %22s %18s\n", "joint", "frequencies rad/s", "stiffness x deflection", "rigid multiplier");
    for (int i = 0; i < report->joints; i++) {
        const CardanSlowJoint *joint = &report->joint[i];
        printf("    %-16s %9.4g .. %8.4g %22.9g %18.9g\n", joint->name, joint->frequency_min, joint->frequency_max,
               largest(joint->elastic, joint->rows), largest(joint->multiplier, joint->rows));
    }
}

static void print_json(const CardanModel *model, const CardanSlow *wish, const CardanSlowReport *report) {
    Json json = {.out = stdout};
    json_open_object(&json, NULL, true);
    json_string(&json, "model", cardan_model_name(model));
    json_string(&json, "method", cardan_slow_method_name((int)wish->method));
    json_integer(&json, "rows", report->rows);
    json_number(&json, "frequency_min", report->frequency_min);
    json_number(&json, "frequency_max", report->frequency_max);
    json_number(&json, "rate", report->rate);
    json_number(&json, "damping", report->damping);
    json_number(&json, "moved_length", report->moved_length);
    json_number(&json, "moved_angle", report->moved_angle);
    json_number(&json, "ringing", report->ringing);
    json_number(&json, "multiplier", report->multiplier);
    json_integer(&json, "iterations", report->iterations);
    json_integer(&json, "evaluations", report->evaluations);
    json_open_object(&json, "joints", true);
    for (int i = 0; i < report->joints; i++) {
        const CardanSlowJoint *joint = &report->joint[i];
        json_open_object(&json, joint->name, false);
        json_number(&json, "frequency_min", joint->frequency_min);
        json_number(&json, "frequency_max", joint->frequency_max);
        json_vector(&json, "elastic", joint->elastic, joint->rows);
        json_vector(&json, "multiplier", joint->multiplier, joint->rows);
        if (report->extrapolate) json_vector(&json, "extrapolated", joint->extrapolated, joint->rows);
        json_close(&json);
    }
    json_close(&json);
    json_close(&json);
}

static int look(const Arguments *arguments, const CardanModel *model, const CardanSlow *wish) {
    char sentence[SENTENCE_SIZE] = "";
    CardanSizes sizes = cardan_model_sizes(model);
    CardanSlowReport report = {.room = sizes.joints + sizes.forces,
                               .extrapolate = arguments_has(arguments, KEY_MULTIPLIERS)};
    report.joint = calloc((size_t)report.room + 1, sizeof *report.joint);
    if (report.joint == NULL) {
        complain("out of memory");
        return STATUS_FAULT;
    }
    int status = exit_status(cardan_model_slow_start(model, wish, &report, sentence, sizeof sentence));
    if (status != STATUS_DONE)
        complain_refusal(arguments->verb, arguments->operands[0], status, sentence);
    else if (arguments_has(arguments, KEY_JSON))
        print_json(model, wish, &report);
    else
        print_text(model, wish, &report);
    free(report.joint);
    return status;
}

static int run(const Arguments *arguments) {
    CardanModel *model = NULL;
    CardanSlow wish;
    int status = load_model(arguments->operands[0], arguments, KEY_SET, &model);
    if (status == STATUS_DONE) status = choose(arguments, model, &wish);
    if (status == STATUS_DONE) status = look(arguments, model, &wish);
    cardan_model_release(model);
    int flushed = finish_stdout();
    return status == STATUS_DONE ? flushed : status;
}

const Verb verb_slow = {
    .name = "slow",
    .operands = "MODEL",
    .operands_min = 1,
    .operands_max = 1,
    .summary = "find the start of a stiff mechanism that does not ring",
    .text = "Puts the start of the model file MODEL on the slow manifold of its stiff compliant joints and bushings, "
            "where their springs carry the load and nothing rings, and prints per joint the frequencies it takes part "
            "in, its spring force and what the force of a rigid joint would be. Joints are those of `start: {slow: "
            "[...]}` in the file, else all that are stiff enough.\n\n"
            "Refused by name are joints that are not stiff enough, damped or spread too far for the iterated method, "
            "and starts in which a contact or limit acts.",
    .examples = "cardan slow models/stiff_slider_crank.yaml\n"
                "cardan slow models/stiff_slider_crank.yaml --multipliers --set k=1e6",
    .options = options,
    .run = run,
};
