/* cardan check MODEL: what is known of a mechanism without simulating it. */
#include "verbs.h"

#include <stdlib.h>

#include "json.h"

enum { KEY_SET = 1, KEY_JSON };
enum { SENTENCE_SIZE = 2048 };

/* clang-format off */
static const Option options[] = {
    {.name = "set", .key = KEY_SET, .value = "PARAM=VALUE",
     .help = "another value for a parameter of the file; may be given several times"},
    {.name = "json", .key = KEY_JSON, .help = "print one JSON object"},
    {.name = NULL},
};
/* clang-format on */

typedef struct Findings {
    const CardanModel *model;
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

static void print_json(const Findings *findings) {
    Json json = {.out = stdout};
    json_open_object(&json, NULL, true);
    json_string(&json, "model", cardan_model_name(findings->model));
    json_integer(&json, "degrees_of_freedom", findings->check.degrees_of_freedom);
    json_integer(&json, "velocities", findings->check.velocities);
    json_integer(&json, "rows", findings->check.rows);
    json_integer(&json, "redundant_rows", findings->check.redundant_rows);
    json_open_array(&json, "redundant_joints", false);
    for (int i = 0; i < findings->sizes.joints; i++)
        if (findings->redundant[i])
            json_string(&json, NULL, cardan_model_joint_name(findings->model, (CardanJoint){i + 1}));
    json_close(&json);
    json_boolean(&json, "singular", findings->check.singular);
    put_residual(&json, findings->check.residual_position, findings->check.residual_velocity);
    json_boolean(&json, "assembled", findings->check.assembled);
    json_open_object(&json, "joints", true);
    for (int i = 0; i < findings->sizes.joints; i++) {
        json_open_object(&json, cardan_model_joint_name(findings->model, (CardanJoint){i + 1}), false);
        json_integer(&json, "rows", cardan_model_joint_rows(findings->model, (CardanJoint){i + 1}));
        put_residual(&json, findings->residual[2 * i], findings->residual[2 * i + 1]);
        json_close(&json);
    }
    json_close(&json);
    json_close(&json);
}

/* Whether a simulation could start, and with which solver. */
static void print_start(const CardanModel *model) {
    CardanSim *sim = NULL;
    CardanStatus st = cardan_sim_create(model, NULL, &sim);
    if (sim == NULL)
        printf("  start       not possible: out of memory\n");
    else if (st < 0)
        printf("  start       not possible: %s\n", cardan_sim_message(sim));
    else
        printf("  start       ready%s%s; solver %s\n", st > 0 ? ": " : "", st > 0 ? cardan_sim_message(sim) : "",
               cardan_sim_solver_reason(sim));
    cardan_sim_destroy(sim);
}

static void print_text(const Findings *findings) {
    const CardanCheck *check = &findings->check;
    printf("%s: %d degree%s of freedom\n", cardan_model_name(findings->model), check->degrees_of_freedom,
           check->degrees_of_freedom == 1 ? "" : "s");
    printf("  sizes       %s; bodies %d, joints %d, forces %d; coordinates %d, velocities %d, rows %d\n",
           cardan_model_space(findings->model) == CARDAN_SPACE_PLANAR ? "planar" : "spatial", findings->sizes.bodies,
           findings->sizes.joints, findings->sizes.forces, findings->sizes.coordinates, check->velocities, check->rows);
    printf("  redundant   rows %d", check->redundant_rows);
    for (int i = 0, n = 0; i < findings->sizes.joints; i++)
        if (findings->redundant[i])
            printf("%s%s", n++ == 0 ? "; joints " : ", ",
                   cardan_model_joint_name(findings->model, (CardanJoint){i + 1}));
    printf("\n  pose        %s\n",
           check->singular ? "singular: fewer independent rows than in its neighbours" : "regular");
    printf("  residual    %.3g in positions, %.3g in velocities%s\n", check->residual_position,
           check->residual_velocity, check->assembled ? "" : "; the constraints cannot be met from here");
    print_start(findings->model);
    for (int i = 0; i < findings->sizes.joints; i++)
        printf("    %-20s rows %d   residual %.2g, %.2g\n",
               cardan_model_joint_name(findings->model, (CardanJoint){i + 1}),
               cardan_model_joint_rows(findings->model, (CardanJoint){i + 1}), findings->residual[2 * i],
               findings->residual[2 * i + 1]);
}

static int examine(const char *path, Findings *findings) {
    char sentence[SENTENCE_SIZE] = "";
    findings->sizes = cardan_model_sizes(findings->model);
    findings->redundant = calloc((size_t)findings->sizes.joints + 1, sizeof *findings->redundant);
    findings->residual = calloc(2 * ((size_t)findings->sizes.joints + 1), sizeof *findings->residual);
    if (findings->redundant == NULL || findings->residual == NULL) {
        complain("out of memory");
        return STATUS_FAULT;
    }
    CardanStatus st = cardan_model_check(findings->model, &findings->check, findings->redundant, findings->residual,
                                         sentence, sizeof sentence);
    if (st < 0) complain_about(path, sentence);
    return exit_status(st);
}

static int run(const Arguments *arguments) {
    CardanModel *model = NULL;
    int status = load_model(arguments->operands[0], arguments, KEY_SET, &model);
    if (status != STATUS_DONE) return status;
    Findings findings = {.model = model};
    status = examine(arguments->operands[0], &findings);
    if (status == STATUS_DONE) {
        if (arguments_has(arguments, KEY_JSON))
            print_json(&findings);
        else
            print_text(&findings);
    }
    free(findings.redundant);
    free(findings.residual);
    cardan_model_release(model);
    int flushed = finish_stdout();
    return status == STATUS_DONE ? flushed : status;
}

const Verb verb_check = {
    .name = "check",
    .operands = "MODEL",
    .operands_min = 1,
    .operands_max = 1,
    .summary = "examine a mechanism without simulating it",
    .text = "Prints the sizes of the mechanism described in the model file MODEL, its degrees of freedom, which joints "
            "have dependent rows, whether the given pose is singular, and how well it meets each joint.",
    .examples = "cardan check models/four_bar.yaml\ncardan check models/slider_crank.yaml --set l=0.5 --json",
    .options = options,
    .run = run,
};
