/* cardan assemble MODEL: closes a mechanism from a rough pose and says what that took. */
#include "verbs.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "json.h"
#include "study.h"
#include "text.h"
#include "whole_file.h"

enum { KEY_SET = 1, KEY_JSON, KEY_HOLD, KEY_AT, KEY_NEAR, KEY_WEIGHT, KEY_STARTS, KEY_ALTERNATIVES, KEY_OUTPUT };
enum { ALTERNATIVES_DEFAULT = 20 };
/* clang-format off */
static const Option options[] = {
    {.name = "set", .key = KEY_SET, .value = "PARAM=VALUE",
     .help = "another value for a parameter of the file; may be given several times"},
    {.name = "at", .key = KEY_AT, .value = "JOINT=VALUE", .help = "close it with this joint's coordinate there, exactly"},
    {.name = "near", .key = KEY_NEAR, .value = "JOINT=VALUE", .help = "the same as a wish that gives way to the joints"},
    {.name = "hold", .key = KEY_HOLD, .value = "BODY", .help = "keep this body where it is"},
    {.name = "weight", .key = KEY_WEIGHT, .value = "BODY=W",
     .help = "measure by weights in place of masses: 1 of each body but this one"},
    {.name = "starts", .key = KEY_STARTS, .value = "N", .help = "poses to start from at most (40)"},
    {.name = "alternatives", .key = KEY_ALTERNATIVES, .value = "N",
     .help = "further starts that look for other ways to close it (20; 0: none)"},
    {.name = "output", .letter = 'o', .key = KEY_OUTPUT, .value = "FILE",
     .help = "write the model file with its bodies there, all else in it kept; FILE may be MODEL"},
    {.name = "json", .key = KEY_JSON, .help = "print one JSON object"},
    {.name = NULL},
};
/* clang-format on */

/* ---- asking ---- */

static int ask_joint(Study *study, const Given *given, double weight) {
    double value = 0.0;
    CardanJoint joint;
    int status = study_joint_value(study, given, &joint, &value);
    if (status != STATUS_DONE) return status;
    return study_check(study, cardan_study_target(study->study, joint, value, weight));
}

static int ask_body(Study *study, const Given *given) {
    bool weight = given->option->key == KEY_WEIGHT;
    double value = 0.0;
    CardanBody body;
    int status = study_body_value(study, given, weight, &body, &value);
    if (status != STATUS_DONE) return status;
    CardanStatus st = weight ? cardan_study_weight(study->study, body, value) : cardan_study_hold(study->study, body);
    return study_check(study, st);
}

static int ask(Study *study) {
    int status = STATUS_DONE;
    for (int i = 0; i < study->arguments->given_count && status == STATUS_DONE; i++) {
        const Given *given = &study->arguments->given[i];
        int key = given->option->key;
        if (key == KEY_AT || key == KEY_NEAR) status = ask_joint(study, given, key == KEY_AT ? 0.0 : 1.0);
        if (key == KEY_HOLD || key == KEY_WEIGHT) status = ask_body(study, given);
    }
    return status;
}

/* ---- telling ---- */

static void print_json(Study *study, const CardanAssembly *found) {
    Json json = {.out = stdout};
    json_open_object(&json, NULL, true);
    json_string(&json, "model", cardan_model_name(study->model));
    json_string(&json, "status", "ok");
    json_number(&json, "residual", found->residual);
    json_number(&json, "residual_rate", found->residual_rate);
    json_number(&json, "moved", found->moved);
    json_string(&json, "furthest", cardan_model_body_name(study->model, found->furthest));
    json_integer(&json, "starts", found->starts);
    json_integer(&json, "iterations", found->iterations);
    json_open_array(&json, "alternatives", false);
    for (int i = 0; i < found->alternatives; i++) {
        double distance = 0.0;
        if (cardan_study_alternative(study->study, i, NULL, &distance) >= 0) json_number(&json, NULL, distance);
    }
    json_close(&json);
    study_put_state(&json, study);
    json_close(&json);
}

static void print_text(Study *study, const CardanAssembly *found) {
    printf("%s: closed to %.2g; ", cardan_model_name(study->model), found->residual);
    if (found->moved > 0.0)
        printf("the largest move is %.4g, of '%s'", found->moved,
               cardan_model_body_name(study->model, found->furthest));
    else
        printf("nothing had to move");
    if (found->starts > 1) printf("; %d starts", found->starts);
    printf("; %d iterations\n", found->iterations);
    if (found->alternatives > 0) {
        printf("  alternatives  %d other way%s to close it near by, from the given pose", found->alternatives,
               found->alternatives == 1 ? "" : "s");
        for (int i = 0; i < found->alternatives && i < 8; i++) {
            double distance = 0.0;
            if (cardan_study_alternative(study->study, i, NULL, &distance) >= 0)
                printf("%s %.3g", i > 0 ? "," : "", distance);
        }
        printf("\n");
    }
    study_print_state(study);
}

/* ---- the verb ---- */

static int number_of(const Arguments *arguments, int key, const char *name, int fallback, int *out) {
    const char *text = arguments_value(arguments, key);
    double value = fallback;
    if (text != NULL && (!parse_number(text, &value) || !(value >= 0.0) || value > 1e6 || value != floor(value))) {
        complain("assemble: --%s '%s' is not a whole number from 0", name, text);
        return STATUS_USAGE;
    }
    *out = (int)value;
    return STATUS_DONE;
}

/* The model file with the bodies where the study has them. */
static int write_model(Study *study, const char *path) {
    const char *made = NULL;
    size_t length = 0, made_length = 0;
    char *text = read_whole(study->path, &length);
    if (text == NULL) return STATUS_IO;
    int status = study_check(study, cardan_study_rewrite(study->study, text, length, &made, &made_length));
    if (status == STATUS_DONE) status = write_whole(path, made, made_length);
    free(text);
    return status;
}

static int assemble(Study *study) {
    CardanAssembly found;
    const char *output = arguments_value(study->arguments, KEY_OUTPUT);
    int starts = 0, alternatives = 0;
    int status = number_of(study->arguments, KEY_STARTS, "starts", 0, &starts);
    if (status == STATUS_DONE)
        status = number_of(study->arguments, KEY_ALTERNATIVES, "alternatives", ALTERNATIVES_DEFAULT, &alternatives);
    if (status == STATUS_DONE) status = ask(study);
    if (status != STATUS_DONE) return status;
    status = study_check(study, cardan_study_assemble(study->study, starts, alternatives, &found));
    if (status != STATUS_DONE) return status;
    if (output != NULL) status = write_model(study, output);
    if (status != STATUS_DONE) return status;
    if (arguments_has(study->arguments, KEY_JSON))
        print_json(study, &found);
    else
        print_text(study, &found);
    return finish_stdout();
}

static int run(const Arguments *arguments) {
    if (arguments_has(arguments, KEY_OUTPUT) && arguments_has(arguments, KEY_SET)) {
        complain("assemble: --output keeps the parameters of the file: write the value there in place of --set");
        return STATUS_USAGE;
    }
    return study_run(arguments, KEY_SET, KEY_JSON, assemble);
}

const Verb verb_assemble = {
    .name = "assemble",
    .operands = "MODEL",
    .operands_min = 1,
    .operands_max = 1,
    .summary = "close a mechanism from a rough pose",
    .text =
        "Moves the bodies of the model file MODEL from the poses as written to where all joints close, by damped "
        "least squares in the metric of masses, from several starts where the first does not lead there; then "
        "velocities, accelerations and reactions. Other ways to close it near by are listed.\n\n"
        "Where it cannot be closed the joints are named, by how much they stay open, and which length would have "
        "to change (exit status 3).\n\n"
        "--output writes the model file with the bodies there: only the numbers that changed are replaced, comments "
        "stay. Joints' coordinates are zero in the pose as written; where a drive or a law counts one that moved, it "
        "is named and nothing is written.",
    .examples = "cardan assemble models/four_bar.yaml\n"
                "cardan assemble models/slider_crank.yaml --at main=0.5 --json\n"
                "cardan assemble rough.yaml -o closed.yaml",
    .options = options,
    .run = run,
};
