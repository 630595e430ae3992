/* cardan equilibrium MODEL: where a mechanism stays at rest, and whether it would come back. */
#include "verbs.h"

#include <math.h>
#include <stdlib.h>

#include "json.h"
#include "study.h"
#include "text.h"

enum { KEY_SET = 1, KEY_JSON, KEY_STARTS, KEY_LOADS, KEY_RATE, KEY_STEADY };
enum { SHOWN = 64 };
/* clang-format off */
static const Option options[] = {
    {.name = "set", .key = KEY_SET, .value = "PARAM=VALUE",
     .help = "another value for a parameter of the file; may be given several times"},
    {.name = "rate", .key = KEY_RATE, .value = "JOINT=RATE",
     .help = "look for steady motions in which this joint's coordinate goes on at this rate; may be given several times"},
    {.name = "steady", .key = KEY_STEADY, .help = "look for steady motions in which the drives of the file go on"},
    {.name = "starts", .key = KEY_STARTS, .value = "N",
     .help = "look from so many poses beside the given one for other equilibria (0)"},
    {.name = "loads", .key = KEY_LOADS, .value = "BODY", .help = "list all loads on this body in the first of them"},
    {.name = "json", .key = KEY_JSON, .help = "print one JSON object"},
    {.name = NULL},
};
/* clang-format on */

/* At given rates an even number of falling directions may be held by gyroscopic forces; an odd one may not. */
static const char *verdict(const CardanEquilibrium *e, bool moving) {
    if (!e->judged) return "stability not judged: forces without a potential, or it cannot be told";
    if (e->negative > 0 && moving && e->negative % 2 == 0)
        return "no least of the amended potential, so stable only if gyroscopic forces hold it";
    if (e->negative > 0) return "unstable";
    return e->neutral > 0 ? "neutral" : "stable";
}

static const char *word(const CardanEquilibrium *e, bool moving) {
    if (!e->judged) return "unknown";
    return e->negative > 0 && moving && e->negative % 2 == 0 ? "gyroscopic" : verdict(e, moving);
}

static bool moves(const Study *study) {
    return arguments_has(study->arguments, KEY_RATE) || arguments_has(study->arguments, KEY_STEADY);
}

static void put_one(Json *json, const CardanEquilibrium *e, bool moving) {
    json_open_object(json, NULL, false);
    json_string(json, "stability", word(e, moving));
    json_integer(json, "negative", e->negative);
    json_integer(json, "neutral", e->neutral);
    json_number(json, "weakest", e->weakest);
    json_number(json, "potential", e->potential);
    json_number(json, "residual", e->residual);
    json_integer(json, "iterations", e->iterations);
    json_close(json);
}

static void print_json(Study *study, const CardanEquilibrium *found, int count) {
    Json json = {.out = stdout};
    const char *remark = cardan_study_message(study->study);
    json_open_object(&json, NULL, true);
    json_string(&json, "model", cardan_model_name(study->model));
    json_string(&json, "status", remark[0] != '\0' ? "remark" : "ok");
    if (remark[0] != '\0') json_string(&json, "remark", remark);
    json_string(&json, "kind", moves(study) ? "steady motion" : "rest");
    json_open_array(&json, "equilibria", true);
    for (int i = 0; i < count && i < SHOWN; i++) put_one(&json, &found[i], moves(study));
    json_close(&json);
    study_put_state(&json, study);
    json_close(&json);
}

static void print_text(Study *study, const CardanEquilibrium *found, int count) {
    const char *remark = cardan_study_message(study->study);
    bool moving = moves(study);
    printf("%s: %s, %s", cardan_model_name(study->model), moving ? "steady motion" : "at rest",
           verdict(&found[0], moving));
    if (found[0].judged && found[0].negative > 0)
        printf(" in %d direction%s", found[0].negative, found[0].negative == 1 ? "" : "s");
    if (found[0].judged && found[0].negative == 0 && found[0].neutral == 0 && found[0].weakest > 0.0 && !moving)
        printf(", lowest frequency %.6g rad/s", sqrt(found[0].weakest));
    printf("\n");
    if (remark[0] != '\0') printf("  remark      %s\n", remark);
    printf("  balanced to %.2g of the largest force, %d iterations; %s %.9g J\n", found[0].residual,
           found[0].iterations, moving ? "V - T" : "potential", found[0].potential);
    for (int i = 0; i < count && count > 1 && i < SHOWN; i++)
        printf("  %3d         %s %.9g J, %s\n", i + 1, moving ? "V - T" : "potential", found[i].potential,
               verdict(&found[i], moving));
    study_print_state(study);
}

static int give_rates(Study *study) {
    int status = STATUS_DONE;
    if (arguments_has(study->arguments, KEY_STEADY))
        status = study_check(study, cardan_study_keep_rate(study->study, (CardanJoint){0}, 0.0));
    for (int i = 0; i < study->arguments->given_count && status == STATUS_DONE; i++) {
        const Given *given = &study->arguments->given[i];
        CardanJoint joint;
        double rate;
        if (given->option->key != KEY_RATE) continue;
        status = study_joint_value(study, given, &joint, &rate);
        if (status == STATUS_DONE) status = study_check(study, cardan_study_keep_rate(study->study, joint, rate));
    }
    return status;
}

static int find(Study *study, CardanEquilibrium *found, int *count) {
    const char *text = arguments_value(study->arguments, KEY_STARTS);
    double starts = 0.0;
    *count = 1;
    if (text != NULL && (!parse_number(text, &starts) || !(starts >= 0.0) || starts > 1e5 || starts != floor(starts))) {
        complain("equilibrium: --starts '%s' is not a whole number from 0", text);
        return STATUS_USAGE;
    }
    int status = give_rates(study);
    if (status != STATUS_DONE) return status;
    CardanStatus st = starts > 0.0 ? cardan_study_equilibria(study->study, (int)starts, SHOWN, found, count)
                                   : cardan_study_equilibrium(study->study, found);
    return study_check(study, st);
}

static int work(Study *study) {
    static CardanEquilibrium found[SHOWN];
    int count = 0, status = find(study, found, &count);
    if (status != STATUS_DONE) return status;
    if (arguments_has(study->arguments, KEY_JSON))
        print_json(study, found, count);
    else
        print_text(study, found, count);
    const char *body = arguments_value(study->arguments, KEY_LOADS);
    if (body != NULL && !study->json) status = study_print_loads(study, body);
    return status == STATUS_DONE ? finish_stdout() : status;
}

static int run(const Arguments *arguments) {
    return study_run(arguments, KEY_SET, KEY_JSON, work);
}

const Verb verb_equilibrium = {
    .name = "equilibrium",
    .operands = "MODEL",
    .operands_min = 1,
    .operands_max = 1,
    .summary = "find where a mechanism stays at rest, and whether it is stable there",
    .text =
        "From the pose of the model file MODEL the potential is followed down on the constraints to where all "
        "forces balance; drives are held where they are at t = 0. Stable or not is told by the signs of the "
        "reduced Hessian. With --starts other equilibria are looked for, unstable ones too, and listed by their "
        "potential.\n\n"
        "With --rate (or --steady) steady motions are looked for likewise: the given coordinates, and the drives, go "
        "on at their rates, all other joints stay at rest, and what keeps the rates is the effort of those joints. "
        "Signs are those of the reduced Hessian of V - T then.\n\n"
        "Forces that vanish at rest (dry friction) take no part and are named. Where nothing balances a body, as "
        "one that falls freely, it is named and the exit status is 4.",
    .examples = "cardan equilibrium models/pendulum.yaml\n"
                "cardan equilibrium models/double_pendulum.yaml --starts 20 --json\n"
                "cardan equilibrium models/flyball_governor.yaml --rate base=5",
    .options = options,
    .run = run,
};
