/* cardan inverse MODEL: motor forces for the motion that the drives of a model prescribe. */
#include "verbs.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "json.h"
#include "number.h"
#include "study.h"
#include "text.h"

enum { KEY_SET = 1, KEY_JSON, KEY_MOTOR, KEY_END, KEY_STEP };
enum { MOTORS_MAX = 256, ROWS_DEFAULT = 50, ROWS_MAX = 1000000 };

/* Share of the motion's accelerations from which motors are said not to reach it. */
static const double UNDER_ACTUATED = 1e-9;
/* clang-format off */
static const Option options[] = {
    {.name = "set", .key = KEY_SET, .value = "PARAM=VALUE",
     .help = "another value for a parameter of the file; may be given several times"},
    {.name = "motor", .key = KEY_MOTOR, .value = "JOINT",
     .help = "a motor acts along this joint's coordinate; several allowed"},
    {.name = "end", .key = KEY_END, .value = "T", .help = "until this time (the file's end)"},
    {.name = "step", .key = KEY_STEP, .value = "H", .help = "a row every H seconds (a fiftieth of the time)"},
    {.name = "json", .key = KEY_JSON, .help = "print one JSON object"},
    {.name = NULL},
};
/* clang-format on */

typedef struct Motors {
    Study *study;
    int count, steps;
    double end;
    CardanJoint joint[MOTORS_MAX];
    double *rows;  /* (steps + 1) x (1 + count): t, forces */
    double *share; /* (steps + 1) */
} Motors;

static int read_motors(Motors *motors) {
    const Arguments *arguments = motors->study->arguments;
    for (int i = 0; i < arguments->given_count; i++) {
        if (arguments->given[i].option->key != KEY_MOTOR) continue;
        CardanJoint joint = cardan_model_find_joint(motors->study->model, arguments->given[i].value);
        if (joint.index < 1 || motors->count == MOTORS_MAX) {
            complain("inverse: --motor: there is no joint '%s', or more than %d are given", arguments->given[i].value,
                     MOTORS_MAX);
            return STATUS_USAGE;
        }
        motors->joint[motors->count++] = joint;
    }
    if (motors->count > 0) return STATUS_DONE;
    complain("inverse: name the joints at which motors act, as --motor main");
    return STATUS_USAGE;
}

static int read_times(Motors *motors) {
    const Arguments *arguments = motors->study->arguments;
    CardanOptions own = cardan_model_options(motors->study->model);
    const char *end = arguments_value(arguments, KEY_END), *step = arguments_value(arguments, KEY_STEP);
    double h = 0.0;
    motors->end = own.end > 0.0 ? own.end : 1.0;
    bool right = (end == NULL || (parse_number(end, &motors->end) && motors->end > 0.0)) &&
                 (step == NULL || (parse_number(step, &h) && h > 0.0));
    double steps = h > 0.0 ? ceil(motors->end / h - 1e-9) : ROWS_DEFAULT;
    if (right && steps <= ROWS_MAX) {
        motors->steps = (int)steps;
        return STATUS_DONE;
    }
    complain("inverse: --end and --step are numbers above 0, with at most %d rows", ROWS_MAX);
    return STATUS_USAGE;
}

static int solve(Motors *motors) {
    CardanAssembly found;
    CardanInverse out;
    int status = study_check(motors->study, cardan_study_assemble(motors->study->study, 0, 0, &found));
    size_t width = (size_t)motors->count + 1;
    for (int i = 0; i <= motors->steps && status == STATUS_DONE; i++) {
        double *row = motors->rows + (size_t)i * width;
        row[0] = motors->end * i / motors->steps;
        status = study_check(motors->study, cardan_study_inverse(motors->study->study, row[0], motors->count,
                                                                 motors->joint, row + 1, &out));
        motors->share[i] = out.share;
    }
    return status;
}

static double worst_share(const Motors *motors) {
    double worst = 0.0;
    for (int i = 0; i <= motors->steps; i++) worst = fmax(worst, motors->share[i]);
    return worst;
}

static void print_json(const Motors *motors) {
    Json json = {.out = stdout};
    double worst = worst_share(motors);
    json_open_object(&json, NULL, true);
    json_string(&json, "model", cardan_model_name(motors->study->model));
    json_string(&json, "status", worst > UNDER_ACTUATED ? "under_actuated" : "ok");
    json_number(&json, "left", worst);
    json_open_array(&json, "motors", false);
    for (int i = 0; i < motors->count; i++)
        json_string(&json, NULL, cardan_model_joint_name(motors->study->model, motors->joint[i]));
    json_close(&json);
    json_open_array(&json, "rows", true);
    for (int i = 0; i <= motors->steps; i++)
        json_vector(&json, NULL, motors->rows + (size_t)i * ((size_t)motors->count + 1), motors->count + 1);
    json_close(&json);
    json_close(&json);
}

static void print_text(const Motors *motors) {
    double worst = worst_share(motors);
    char text[NUMBER_SIZE];
    if (worst > UNDER_ACTUATED)
        printf("# under-actuated: the motors cannot give this motion; what is left is up to %.3g times its "
               "accelerations\n",
               worst);
    printf("t");
    for (int i = 0; i < motors->count; i++)
        printf(",%s", cardan_model_joint_name(motors->study->model, motors->joint[i]));
    printf(",left\n");
    for (int i = 0; i <= motors->steps; i++) {
        const double *row = motors->rows + (size_t)i * ((size_t)motors->count + 1);
        for (int k = 0; k <= motors->count; k++) printf("%s%s", k > 0 ? "," : "", number_text(row[k], text));
        printf(",%s\n", number_text(motors->share[i], text));
    }
}

static int work(Study *study) {
    static Motors motors;
    motors = (Motors){.study = study};
    int status = read_motors(&motors);
    if (status == STATUS_DONE) status = read_times(&motors);
    if (status != STATUS_DONE) return status;
    motors.rows = calloc((size_t)(motors.steps + 1) * ((size_t)motors.count + 1), sizeof(double));
    motors.share = calloc((size_t)motors.steps + 1, sizeof(double));
    if (motors.rows == NULL || motors.share == NULL) {
        complain("out of memory");
        status = STATUS_FAULT;
    } else {
        status = solve(&motors);
    }
    if (status == STATUS_DONE && study->json) print_json(&motors);
    if (status == STATUS_DONE && !study->json) print_text(&motors);
    free(motors.rows);
    free(motors.share);
    return status == STATUS_DONE ? finish_stdout() : status;
}

static int run(const Arguments *arguments) {
    return study_run(arguments, KEY_SET, KEY_JSON, work);
}

const Verb verb_inverse = {
    .name = "inverse",
    .operands = "MODEL",
    .operands_min = 1,
    .operands_max = 1,
    .summary = "find the motor forces for a prescribed motion",
    .text =
        "The drives of the model file MODEL prescribe the motion, and give no force themselves; the motors named by "
        "--motor do. Of more motors than needed the least forces are taken; of too few it is told what of the "
        "motion's accelerations is left. Prints a table (CSV): the time, the motors' forces or torques, what is "
        "left.",
    .examples = "cardan inverse models/peaucellier.yaml --motor Q --end 1 --step 0.1",
    .options = options,
    .run = run,
};
