/* cardan sensitivity MODEL: how what comes out at the end depends on parameters and start values. */
#include "verbs.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "about.h"
#include "json.h"
#include "text.h"

enum { KEY_OF = 1, KEY_TO, KEY_AS, KEY_METHOD, KEY_END, KEY_SET, KEY_JSON };
enum { FORWARDS_MOST = 4 }; /* names up to which one direction each is cheaper than a run backwards */

static const char *const METHODS[] = {"tangent", "adjoint", NULL};

static const char *const TARGETS[] = {"end", "integral", "square", NULL};

static const char *word_method(int i) {
    return METHODS[i];
}

static const char *word_target(int i) {
    return TARGETS[i];
}

/* clang-format off */
static const Option options[] = {
    {.name = "of", .key = KEY_OF, .value = "CHANNEL", .help = "what is differentiated, each column of it; required"},
    {.name = "to", .key = KEY_TO, .value = "NAME,...",
     .help = "with respect to what: parameters, or start.BODY.x, start.BODY.spin and so on; may be given several times"},
    {.name = "as", .key = KEY_AS, .value = "TARGET", .word = word_target,
     .help = "end (default): its value at the end; integral: its integral over the run; square: that of its square"},
    {.name = "method", .key = KEY_METHOD, .value = "METHOD", .word = word_method,
     .help = "tangent: a direction a name; adjoint: one run backwards for all; without it the one that takes less"},
    {.name = "end", .key = KEY_END, .value = "T", .help = "the end, in place of the file's"},
    {.name = "set", .key = KEY_SET, .value = "PARAM=VALUE",
     .help = "another value for a parameter of the file; may be given several times"},
    {.name = "json", .key = KEY_JSON, .help = "print one JSON object"},
    {.name = NULL},
};
/* clang-format on */

typedef struct Answer {
    const CardanModel *model;
    CardanChannel channel;
    CardanSensitivityDef def;
    Names names;
    double end, t, *value, *derivative; /* asked for, reached; (width), (width x names) */
    CardanStepper asked, stepper;       /* of the file; whose steps were differentiated */
    bool stopped;
    char reason[ABOUT_SENTENCE];
} Answer;

/* "the integral of crank.angle", or in a table "integral(crank.angle)". */
static const char *told(const Answer *answer, int column, bool table, char *text, size_t size) {
    static const char *const FORMS[2][CARDAN_TARGETS] = {{"%s", "the integral of %s", "the integral of %s^2"},
                                                         {"%s", "integral(%s)", "integral(%s^2)"}};
    char label[96];
    snprintf(text, size, FORMS[table][answer->def.target],
             cardan_model_channel_label(answer->model, answer->channel, column, label, sizeof label));
    return text;
}

static void print_column(const Answer *answer, int column) {
    const double *derivative = answer->derivative + (size_t)column * (size_t)answer->names.count;
    int largest = 0;
    char text[128];
    for (int i = 1; i < answer->names.count; i++)
        if (fabs(derivative[i]) > fabs(derivative[largest])) largest = i;
    printf("%s: %s is %.9g at t = %g; it depends most on %s\n", cardan_model_name(answer->model),
           told(answer, column, false, text, sizeof text), answer->value[column], answer->t,
           answer->names.name[largest]);
    told(answer, column, true, text, sizeof text);
    for (int i = 0; i < answer->names.count; i++)
        printf("  d %s / d %-20s %18.10g\n", text, answer->names.name[i], derivative[i]);
}

static void print_text(const Answer *answer) {
    for (int k = 0; k < answer->channel.width; k++) print_column(answer, k);
    printf("  method      %s, on the steps of the run as they were made\n", METHODS[answer->def.method]);
    if (answer->stepper != answer->asked)
        printf("  stepper     %s in place of %s, which is no explicit Runge-Kutta method: the run is another one than "
               "that "
               "of `cardan run`\n",
               cardan_stepper_name(answer->stepper), cardan_stepper_name(answer->asked));
    if (answer->stopped) printf("  end         %s; derivatives know that it moves\n", answer->reason);
}

static void print_json(const Answer *answer) {
    Json json = {.out = stdout};
    char label[96];
    json_open_object(&json, NULL, true);
    json_string(&json, "model", cardan_model_name(answer->model));
    json_string(&json, "of", answer->def.channel);
    json_string(&json, "as", TARGETS[answer->def.target]);
    json_number(&json, "t", answer->t);
    json_string(&json, "method", METHODS[answer->def.method]);
    json_string(&json, "stepper", cardan_stepper_name(answer->stepper));
    if (answer->stepper != answer->asked) json_string(&json, "stepper_replaced", cardan_stepper_name(answer->asked));
    if (answer->channel.width > 1) json_open_object(&json, "columns", true);
    for (int k = 0; k < answer->channel.width; k++) {
        if (answer->channel.width > 1)
            json_open_object(&json, cardan_model_channel_label(answer->model, answer->channel, k, label, sizeof label),
                             false);
        json_number(&json, "value", answer->value[k]);
        json_open_object(&json, "derivatives", false);
        for (int i = 0; i < answer->names.count; i++)
            json_number(&json, answer->names.name[i],
                        answer->derivative[(size_t)k * (size_t)answer->names.count + (size_t)i]);
        json_close(&json);
        if (answer->channel.width > 1) json_close(&json);
    }
    if (answer->channel.width > 1) json_close(&json);
    json_close(&json);
}

/* Which of some words an option has, into *number; without it nothing changes. */
static int read_word(const Arguments *arguments, int key, const char *name, const char *const *words, int *number) {
    const char *word = arguments_value(arguments, key);
    if (word == NULL) return STATUS_DONE;
    for (int i = 0; words[i] != NULL; i++)
        if (strcmp(word, words[i]) == 0) {
            *number = i;
            return STATUS_DONE;
        }
    char all[64] = "";
    for (int i = 0; words[i] != NULL; i++)
        snprintf(all + strlen(all), sizeof all - strlen(all), "%s%s", i > 0 ? ", " : "", words[i]);
    complain("sensitivity: --%s is one of %s, not '%s'", name, all, word);
    return STATUS_USAGE;
}

/* What is asked for, checked. */
static int read_asked(const Arguments *arguments, Answer *answer) {
    const char *until = arguments_value(arguments, KEY_END);
    answer->def = cardan_default_sensitivity();
    answer->def.channel = arguments_value(arguments, KEY_OF);
    int status = names_read(&answer->names, arguments, KEY_TO), method, target = 0;
    if (status != STATUS_DONE) return status;
    if (answer->def.channel == NULL || answer->names.count == 0) {
        complain("sensitivity: of what, and with respect to what? --of CHANNEL --to NAME,...");
        return STATUS_USAGE;
    }
    if (until != NULL && (!parse_number(until, &answer->end) || !(answer->end > 0.0))) {
        complain("sensitivity: --end wants a time in seconds, not '%s'", until);
        return STATUS_USAGE;
    }
    method = answer->names.count > FORWARDS_MOST ? CARDAN_SENSITIVITY_ADJOINT : CARDAN_SENSITIVITY_TANGENT;
    status = read_word(arguments, KEY_METHOD, "method", METHODS, &method);
    if (status == STATUS_DONE) status = read_word(arguments, KEY_AS, "as", TARGETS, &target);
    answer->def.method = (CardanSensitivityMethod)method;
    answer->def.target = (CardanSensitivityTarget)target;
    answer->def.count = answer->names.count;
    answer->def.names = (const char *const *)answer->names.name;
    return status;
}

static int differentiate(const Arguments *arguments, Answer *answer) {
    CardanOptions own = cardan_model_options(answer->model);
    if (answer->end > 0.0) own.end = answer->end;
    answer->asked = own.stepper;
    answer->def.stepper = &answer->stepper;
    CardanStatus st = cardan_model_find_channel(answer->model, answer->def.channel, &answer->channel, answer->reason,
                                                sizeof answer->reason);
    size_t width = st >= 0 ? (size_t)answer->channel.width : 1;
    answer->value = calloc(width, sizeof *answer->value);
    answer->derivative = calloc(width * (size_t)answer->names.count, sizeof *answer->derivative);
    if (answer->value == NULL || answer->derivative == NULL) {
        complain("out of memory");
        return STATUS_FAULT;
    }
    if (st >= 0)
        st = cardan_model_sensitivity(answer->model, &own, &answer->def, &answer->t, answer->value, answer->derivative,
                                      answer->reason, sizeof answer->reason);
    if (st < 0) {
        complain_refusal(arguments->verb, arguments->operands[0], exit_status(st), answer->reason);
        return exit_status(st);
    }
    answer->stopped = st == CARDAN_STOPPED;
    if (arguments_has(arguments, KEY_JSON))
        print_json(answer);
    else
        print_text(answer);
    return finish_stdout();
}

static int run(const Arguments *arguments) {
    Answer answer = {0};
    CardanModel *model = NULL;
    int status = read_asked(arguments, &answer);
    if (status == STATUS_DONE) status = load_model(arguments->operands[0], arguments, KEY_SET, &model);
    answer.model = model;
    if (status == STATUS_DONE) status = differentiate(arguments, &answer);
    free(answer.value);
    free(answer.derivative);
    names_free(&answer.names);
    cardan_model_release(model);
    return status;
}

const Verb verb_sensitivity = {
    .name = "sensitivity",
    .operands = "MODEL",
    .operands_min = 1,
    .operands_max = 1,
    .summary = "derivatives of a channel at the end, or of its integral, over parameters and start values",
    .text =
        "Simulates, keeps the steps that were made, and differentiates them exactly as they were made, projections on "
        "the constraints included. Start values are named as `cardan linearise` names its states, as in "
        "start.pole.angle, and are put on the constraints.\n\n"
        "Steps are those of an explicit Runge-Kutta method, the file's or else dop853, in absolute coordinates. Events "
        "(limits, contacts, kinks, switched forces and drives) are crossed with the jump that they make; a singular "
        "pose on the way is refused with its time.",
    .examples =
        "cardan sensitivity models/double_pendulum.yaml --of lower.x --to L,m,start.upper.spin --end 1\n"
        "cardan sensitivity models/double_pendulum.yaml --of energy --as integral --to L,m --end 1\n"
        "cardan sensitivity models/bicycle.yaml --of steer.angle --to v,trail,tilt --end 1 --method adjoint --json",
    .options = options,
    .run = run,
};
