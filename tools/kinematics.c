/* cardan kinematics MODEL: a driven mechanism over time or over a joint's coordinate, without dynamics. */
#include "verbs.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "json.h"
#include "number.h"
#include "study.h"
#include "text.h"

enum { KEY_SET = 1, KEY_JSON, KEY_SWEEP, KEY_END, KEY_STEP, KEY_RATE };
enum { ROWS_DEFAULT = 50, ROWS_MAX = 1000000 };
/* clang-format off */
static const Option options[] = {
    {.name = "set", .key = KEY_SET, .value = "PARAM=VALUE",
     .help = "another value for a parameter of the file; may be given several times"},
    {.name = "sweep", .key = KEY_SWEEP, .value = "JOINT=A:B:N",
     .help = "drive this joint's coordinate from A to B in N steps, in place of the time"},
    {.name = "rate", .key = KEY_RATE, .value = "R", .help = "at which the swept coordinate moves (1)"},
    {.name = "end", .key = KEY_END, .value = "T", .help = "until this time (the file's end)"},
    {.name = "step", .key = KEY_STEP, .value = "H", .help = "a row every H seconds (a fiftieth of the time)"},
    {.name = "json", .key = KEY_JSON, .help = "print one JSON object"},
    {.name = NULL},
};
/* clang-format on */

typedef struct Way {
    Study *study;
    CardanJoint joint; /* index 0: the time */
    double from, to, rate;
    int steps;
    bool json;
    Json out;
} Way;

/* ---- what is asked ---- */

static int positive(const Arguments *arguments, int key, const char *name, double *out) {
    const char *text = arguments_value(arguments, key);
    if (text == NULL || (parse_number(text, out) && *out > 0.0)) return STATUS_DONE;
    complain("kinematics: --%s '%s' is not a number above 0", name, text);
    return STATUS_USAGE;
}

static int read_time(Way *way) {
    CardanOptions own = cardan_model_options(way->study->model);
    double end = own.end > 0.0 ? own.end : 1.0, step = 0.0;
    int status = positive(way->study->arguments, KEY_END, "end", &end);
    if (status == STATUS_DONE) status = positive(way->study->arguments, KEY_STEP, "step", &step);
    if (status != STATUS_DONE) return status;
    double steps = step > 0.0 ? ceil(end / step - 1e-9) : ROWS_DEFAULT;
    if (steps > ROWS_MAX) {
        complain("kinematics: more than %d rows are asked for", ROWS_MAX);
        return STATUS_USAGE;
    }
    way->to = end;
    way->steps = (int)steps;
    return STATUS_DONE;
}

/* "main=0:6.28:100" */
static int read_sweep(Way *way, const char *text) {
    char name[256], numbers[3][64];
    const char *equals = strchr(text, '=');
    double steps = 0.0;
    size_t length = equals != NULL ? (size_t)(equals - text) : 0;
    bool right = length > 0 && length < sizeof name &&
                 sscanf(equals + 1, "%63[^:]:%63[^:]:%63s", numbers[0], numbers[1], numbers[2]) == 3 &&
                 parse_number(numbers[0], &way->from) && parse_number(numbers[1], &way->to) &&
                 parse_number(numbers[2], &steps) && steps >= 1.0 && steps <= ROWS_MAX && steps == floor(steps);
    if (!right) {
        complain("kinematics: --sweep '%s': expected JOINT=A:B:N, as main=0:6.28:100", text);
        return STATUS_USAGE;
    }
    memcpy(name, text, length);
    name[length] = '\0';
    way->joint = cardan_model_find_joint(way->study->model, name);
    way->steps = (int)steps;
    if (way->joint.index >= 1) return STATUS_DONE;
    complain("kinematics: --sweep: there is no joint '%s'", name);
    return STATUS_USAGE;
}

/* ---- rows ---- */

static void print_head(const Way *way) {
    const CardanModel *model = way->study->model;
    CardanSizes sizes = cardan_model_sizes(model);
    bool planar = cardan_model_space(model) == CARDAN_SPACE_PLANAR;
    printf("%s", way->joint.index > 0 ? cardan_model_joint_name(model, way->joint) : "t");
    for (int i = 0; i < sizes.bodies; i++) {
        const char *name = cardan_model_body_name(model, cardan_model_body(model, i));
        if (planar)
            printf(",%s.x,%s.y,%s.angle,%s.vx,%s.vy,%s.spin", name, name, name, name, name, name);
        else
            printf(",%s.x,%s.y,%s.z,%s.vx,%s.vy,%s.vz", name, name, name, name, name, name);
    }
    for (int i = 1; i <= sizes.joints; i++) {
        double effort;
        if (cardan_study_effort(way->study->study, (CardanJoint){i}, &effort) >= 0)
            printf(",%s.effort", cardan_model_joint_name(model, (CardanJoint){i}));
    }
    printf(way->joint.index > 0 ? ",effort\n" : "\n");
}

static void print_number(double x) {
    char text[NUMBER_SIZE];
    printf(",%s", number_text(x, text));
}

static void print_row(const Way *way, double s, double swept) {
    Study *study = way->study;
    CardanSizes sizes = cardan_model_sizes(study->model);
    bool planar = cardan_model_space(study->model) == CARDAN_SPACE_PLANAR;
    char text[NUMBER_SIZE];
    printf("%s", number_text(s, text));
    for (int i = 0; i < sizes.bodies; i++) {
        CardanBodyState b;
        if (cardan_study_body(study->study, cardan_model_body(study->model, i), &b) < 0) return;
        print_number(b.position.x);
        print_number(b.position.y);
        print_number(planar ? b.angle : b.position.z);
        print_number(b.velocity.x);
        print_number(b.velocity.y);
        print_number(planar ? b.spin : b.velocity.z);
    }
    for (int i = 1; i <= sizes.joints; i++) {
        double effort;
        if (cardan_study_effort(study->study, (CardanJoint){i}, &effort) >= 0) print_number(effort);
    }
    if (way->joint.index > 0) print_number(swept);
    printf("\n");
}

static void put_row(Way *way, double swept) {
    json_open_object(&way->out, NULL, true);
    if (way->joint.index > 0) json_number(&way->out, "effort", swept);
    study_put_state(&way->out, way->study);
    json_vector(&way->out, "accelerations", cardan_study_accelerations(way->study->study),
                cardan_model_sizes(way->study->model).velocities);
    json_close(&way->out);
}

/* ---- the way ---- */

static CardanStatus go(const Way *way, double s, CardanDriven *driven) {
    return way->joint.index > 0 ? cardan_study_sweep(way->study->study, way->joint, s, way->rate, driven)
                                : cardan_study_kinematics(way->study->study, s, driven);
}

static void finish_json(Way *way, CardanStatus status) {
    double at = 0.0;
    json_close(&way->out);
    json_string(&way->out, "status", status < 0 ? "failed" : "ok");
    if (status < 0) json_string(&way->out, "reason", cardan_study_message(way->study->study));
    if (status < 0) {
        char reason[2048];
        snprintf(reason, sizeof reason, "%s", cardan_study_message(way->study->study));
        if (cardan_study_dead_point(way->study->study, &at, NULL) >= 0) json_number(&way->out, "dead_point", at);
    }
    json_close(&way->out);
}

static int follow(Way *way) {
    CardanDriven driven = {0};
    CardanStatus status = go(way, way->from, &driven); /* before anything is written */
    if (status < 0) return study_check(way->study, status);
    if (way->json) {
        json_open_object(&way->out, NULL, true);
        json_string(&way->out, "model", cardan_model_name(way->study->model));
        json_open_array(&way->out, "rows", true);
    } else {
        print_head(way);
    }
    for (int i = 0; i <= way->steps && status >= 0; i++) {
        double s = i == way->steps ? way->to : way->from + (way->to - way->from) * i / way->steps;
        status = go(way, s, &driven);
        if (status >= 0 && way->json) put_row(way, driven.effort);
        if (status >= 0 && !way->json) print_row(way, s, driven.effort);
    }
    char reason[2048];
    snprintf(reason, sizeof reason, "%s", cardan_study_message(way->study->study));
    if (way->json) finish_json(way, status);
    int flushed = finish_stdout();
    if (status < 0) complain_about(way->study->path, reason);
    return status < 0 ? exit_status(status) : flushed;
}

static int work(Study *study) {
    Way way = {.study = study, .rate = 1.0, .json = study->json, .out = {.out = stdout}};
    const char *sweep = arguments_value(study->arguments, KEY_SWEEP);
    int status = positive(study->arguments, KEY_RATE, "rate", &way.rate);
    if (status == STATUS_DONE) status = sweep != NULL ? read_sweep(&way, sweep) : read_time(&way);
    if (status != STATUS_DONE) return status;
    CardanAssembly found;
    if (sweep != NULL) status = study_check(study, cardan_study_target(study->study, way.joint, way.from, 0.0));
    if (status == STATUS_DONE) status = study_check(study, cardan_study_assemble(study->study, 0, 0, &found));
    return status == STATUS_DONE ? follow(&way) : status;
}

static int run(const Arguments *arguments) {
    return study_run(arguments, KEY_SET, KEY_JSON, work);
}

const Verb verb_kinematics = {
    .name = "kinematics",
    .operands = "MODEL",
    .operands_min = 1,
    .operands_max = 1,
    .summary = "follow a driven mechanism without dynamics",
    .text = "Positions, velocities, accelerations and the drives' forces of a fully driven mechanism: over the time by "
            "the drives of the model file MODEL, or, with --sweep, over the coordinate of a joint. Prints a table "
            "(CSV), with --json all bodies and joints of each row.\n\n"
            "A dead point, where the mechanism goes no further, is located to ten digits and named with its joints; "
            "the rows before it are printed and the exit status is 4. Where drives are missing the joints that still "
            "move are named (exit status 3).",
    .examples = "cardan kinematics models/slider_crank.yaml --sweep main=0.1:6.2:12\n"
                "cardan kinematics models/peaucellier.yaml --end 1 --step 0.1",
    .options = options,
    .run = run,
};
