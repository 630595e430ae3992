/* cardan check MODEL: what is known of a mechanism without simulating it, and whether a run could start. */
#include "verbs.h"

#include <stdlib.h>

#include "json.h"
#include "ready.h"

enum { KEY_SET = 1, KEY_JSON };
/* clang-format off */
static const Option options[] = {
    {.name = "set", .key = KEY_SET, .value = "PARAM=VALUE",
     .help = "another value for a parameter of the file; may be given several times"},
    {.name = "json", .key = KEY_JSON, .help = "print one JSON object"},
    {.name = NULL},
};
/* clang-format on */

typedef struct Findings {
    const char *path;
    const CardanModel *model;
    Readiness ready;
    bool examined; /* what follows is known */
    CardanSizes sizes;
    CardanCheck check;
    bool *redundant;  /* sizes.joints long; joint i at i - 1 */
    double *residual; /* 2 x sizes.joints: position, velocity */
} Findings;

static void put_residual(Json *json, double position, double velocity) {
    json_open_object(json, "residual", false);
    json_number(json, "position", position);
    json_number(json, "velocity", velocity);
    json_close(json);
}

/* What is not as one expects it, the largest first. */
static void put_remarks(Json *json, const Findings *findings) {
    json_open_array(json, "remarks", findings->ready.remarks.count > 0);
    for (int i = 0; i < findings->ready.remarks.count; i++) json_string(json, NULL, findings->ready.remarks.text[i]);
    json_close(json);
}

static void put_counts(Json *json, const Findings *findings) {
    json_integer(json, "degrees_of_freedom", findings->check.degrees_of_freedom);
    json_integer(json, "velocities", findings->check.velocities);
    json_integer(json, "rows", findings->check.rows);
    json_integer(json, "redundant_rows", findings->check.redundant_rows);
    json_open_array(json, "redundant_joints", false);
    for (int i = 0; i < findings->sizes.joints; i++)
        if (findings->redundant[i])
            json_string(json, NULL, cardan_model_joint_name(findings->model, (CardanJoint){i + 1}));
    json_close(json);
    json_boolean(json, "singular", findings->check.singular);
    put_residual(json, findings->check.residual_position, findings->check.residual_velocity);
    json_boolean(json, "assembled", findings->check.assembled);
    json_open_object(json, "joints", true);
    for (int i = 0; i < findings->sizes.joints; i++) {
        json_open_object(json, cardan_model_joint_name(findings->model, (CardanJoint){i + 1}), false);
        json_integer(json, "rows", cardan_model_joint_rows(findings->model, (CardanJoint){i + 1}));
        put_residual(json, findings->residual[2 * i], findings->residual[2 * i + 1]);
        json_close(json);
    }
    json_close(json);
}

static void print_json(const Findings *findings) {
    Json json = {.out = stdout};
    json_open_object(&json, NULL, true);
    if (findings->model != NULL) json_string(&json, "model", cardan_model_name(findings->model));
    json_boolean(&json, "ready", findings->ready.status == STATUS_DONE);
    if (findings->ready.status != STATUS_DONE) json_string(&json, "reason", findings->ready.reason);
    put_remarks(&json, findings);
    if (findings->ready.coordinates[0] != '\0') {
        json_string(&json, "coordinates", findings->ready.relative ? "relative" : "absolute");
        json_string(&json, "coordinates_reason", findings->ready.coordinates);
    }
    if (findings->examined) put_counts(&json, findings);
    if (findings->model != NULL) started_put(&json, findings->model, &findings->ready.started);
    json_close(&json);
}

static void print_verdict(const Findings *findings) {
    const Readiness *ready = &findings->ready;
    printf("%s: ", cardan_model_name(findings->model));
    if (findings->examined)
        printf("%d degree%s of freedom; ", findings->check.degrees_of_freedom,
               findings->check.degrees_of_freedom == 1 ? "" : "s");
    if (ready->status == STATUS_DONE)
        printf("ready to run\n");
    else
        printf("not ready: %s\n", ready->reason);
    for (int i = 0; i < ready->remarks.count; i++) printf("  remark      %s\n", ready->remarks.text[i]);
}

static void print_text(const Findings *findings) {
    const CardanCheck *check = &findings->check;
    print_verdict(findings);
    if (!findings->examined) return;
    printf("  sizes       %s; bodies %d, joints %d, forces %d; coordinates %d, velocities %d, rows %d\n",
           cardan_model_space(findings->model) == CARDAN_SPACE_PLANAR ? "planar" : "spatial", findings->sizes.bodies,
           findings->sizes.joints, findings->sizes.forces, findings->sizes.coordinates, check->velocities, check->rows);
    printf("  redundant   rows %d", check->redundant_rows);
    for (int i = 0, n = 0; i < findings->sizes.joints; i++)
        if (findings->redundant[i])
            printf("%s%s", n++ == 0 ? "; joints " : ", ",
                   cardan_model_joint_name(findings->model, (CardanJoint){i + 1}));
    printf("\n  pose        %s\n", check->singular ? "singular" : "regular");
    printf("  residual    %.3g in positions, %.3g in velocities\n", check->residual_position, check->residual_velocity);
    if (findings->ready.coordinates[0] != '\0')
        printf("  coordinates %s: %s\n", findings->ready.relative ? "relative" : "absolute",
               findings->ready.coordinates);
    if (findings->ready.solver[0] != '\0') printf("  solver      %s\n", findings->ready.solver);
    for (int i = 0; i < findings->sizes.joints; i++)
        printf("    %-20s rows %d   residual %.2g, %.2g\n",
               cardan_model_joint_name(findings->model, (CardanJoint){i + 1}),
               cardan_model_joint_rows(findings->model, (CardanJoint){i + 1}), findings->residual[2 * i],
               findings->residual[2 * i + 1]);
    started_print_line(stdout, findings->model, &findings->ready.started, true, "  start       ");
    started_print(stdout, findings->model, &findings->ready.started);
    printf("  to see it   cardan view %s --pose\n", findings->path);
}

/* What the counts say goes before what the start said. */
static void remark_on_counts(const CardanCheck *check, const char *counted, Remarks *remarks) {
    if (!check->assembled) remarks_add(remarks, "the joints cannot be closed from the given pose");
    if (check->singular)
        remarks_add(remarks, "the given pose is singular: fewer independent rows than in its neighbours");
    if (counted[0] != '\0') remarks_add(remarks, counted);
}

static int examine(Findings *findings) {
    char sentence[REASON_SIZE] = "";
    findings->sizes = cardan_model_sizes(findings->model);
    findings->redundant = calloc((size_t)findings->sizes.joints + 1, sizeof *findings->redundant);
    findings->residual = calloc(2 * ((size_t)findings->sizes.joints + 1), sizeof *findings->residual);
    if (findings->redundant == NULL || findings->residual == NULL) {
        complain("out of memory");
        return STATUS_FAULT;
    }
    CardanStatus st = cardan_model_check(findings->model, &findings->check, findings->redundant, findings->residual,
                                         sentence, sizeof sentence);
    findings->examined = st >= 0;
    if (findings->examined) remark_on_counts(&findings->check, sentence, &findings->ready.remarks);
    remarks_on_model(&findings->ready.remarks, findings->model);
    look_ready(findings->path, findings->model, &findings->ready);
    if (st >= 0 || findings->ready.status != STATUS_DONE) return STATUS_DONE; /* then that is why */
    snprintf(findings->ready.reason, sizeof findings->ready.reason, "%s", sentence);
    findings->ready.status = exit_status(st);
    return STATUS_DONE;
}

static int run(const Arguments *arguments) {
    const char *path = arguments->operands[0];
    CardanModel *model = NULL;
    Findings *findings = calloc(1, sizeof *findings);
    if (findings == NULL) {
        complain("out of memory");
        return STATUS_FAULT;
    }
    Readiness *ready = &findings->ready;
    ready->status = load_model_quietly(path, arguments, KEY_SET, &model, ready->reason, sizeof ready->reason);
    findings->path = path;
    findings->model = model;
    int status = model != NULL ? examine(findings) : STATUS_DONE;
    if (status == STATUS_DONE && arguments_has(arguments, KEY_JSON))
        print_json(findings);
    else if (status == STATUS_DONE && model != NULL)
        print_text(findings);
    int flushed = finish_stdout();
    if (status == STATUS_DONE && ready->status != STATUS_DONE) {
        complain_refusal(arguments->verb, path, ready->status, ready->reason);
        status = ready->status;
    }
    started_free(&ready->started);
    free(findings->redundant);
    free(findings->residual);
    free(findings);
    cardan_model_release(model);
    return status == STATUS_DONE ? flushed : status;
}

const Verb verb_check = {
    .name = "check",
    .operands = "MODEL",
    .operands_min = 1,
    .operands_max = 1,
    .summary = "examine a mechanism and say whether a run could start",
    .text = "Prints the sizes of the mechanism described in the model file MODEL, its degrees of freedom, which joints "
            "have dependent rows, whether the given pose is singular, how well it meets each joint, and what a start "
            "moves: by body, with held "
            "bodies and joints that are asked for, and with --json accelerations and multipliers there.\n\n"
            "A gate before `run`: the start is made, the outputs are looked up and the first instant is stepped. Where "
            "that fails the sentence and the exit status are those of `run`, and with --json \"ready\" is false and "
            "\"reason\" the sentence.",
    .examples = "cardan check models/four_bar.yaml\ncardan check models/slider_crank.yaml --set l=0.5 --json",
    .options = options,
    .run = run,
};
