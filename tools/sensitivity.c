/* cardan sensitivity MODEL: how what comes out at the end depends on parameters and start values. */
#include "verbs.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "about.h"
#include "json.h"
#include "text.h"

enum { KEY_OF = 1, KEY_TO, KEY_METHOD, KEY_END, KEY_SET, KEY_JSON };
enum { FORWARDS_MOST = 4 }; /* names up to which one direction each is cheaper than a run backwards */

static const char *const METHODS[] = {"tangent", "adjoint", NULL};

static const char *word_method(int i) {
    return METHODS[i];
}

/* clang-format off */
static const Option options[] = {
    {.name = "of", .key = KEY_OF, .value = "CHANNEL", .help = "what is differentiated: its value at the end; required"},
    {.name = "to", .key = KEY_TO, .value = "NAME,...",
     .help = "with respect to what: parameters, or start.BODY.x, start.BODY.spin and so on; may be given several times"},
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
    const char *channel;
    Names names;
    CardanSensitivityMethod method;
    double end, value, *derivative;
} Answer;

static void print_text(const CardanModel *model, const Answer *answer) {
    int largest = 0;
    for (int i = 1; i < answer->names.count; i++)
        if (fabs(answer->derivative[i]) > fabs(answer->derivative[largest])) largest = i;
    printf("%s: %s is %.9g at t = %g; it depends most on %s\n", cardan_model_name(model), answer->channel,
           answer->value, answer->end, answer->names.name[largest]);
    for (int i = 0; i < answer->names.count; i++)
        printf("  d %s / d %-20s %18.10g\n", answer->channel, answer->names.name[i], answer->derivative[i]);
    printf("  method      %s, on the steps of the run as they were made\n", METHODS[answer->method]);
}

static void print_json(const CardanModel *model, const Answer *answer) {
    Json json = {.out = stdout};
    json_open_object(&json, NULL, true);
    json_string(&json, "model", cardan_model_name(model));
    json_string(&json, "of", answer->channel);
    json_number(&json, "t", answer->end);
    json_number(&json, "value", answer->value);
    json_string(&json, "method", METHODS[answer->method]);
    json_open_object(&json, "derivatives", false);
    for (int i = 0; i < answer->names.count; i++) json_number(&json, answer->names.name[i], answer->derivative[i]);
    json_close(&json);
    json_close(&json);
}

/* What is asked for, checked. */
static int read_asked(const Arguments *arguments, Answer *answer, double *end) {
    const char *method = arguments_value(arguments, KEY_METHOD), *until = arguments_value(arguments, KEY_END);
    answer->channel = arguments_value(arguments, KEY_OF);
    int status = names_read(&answer->names, arguments, KEY_TO);
    if (status != STATUS_DONE) return status;
    if (answer->channel == NULL || answer->names.count == 0) {
        complain("sensitivity: of what, and with respect to what? --of CHANNEL --to NAME,...");
        return STATUS_USAGE;
    }
    if (until != NULL && (!parse_number(until, end) || !(*end > 0.0))) {
        complain("sensitivity: --end wants a time in seconds, not '%s'", until);
        return STATUS_USAGE;
    }
    answer->method = answer->names.count > FORWARDS_MOST ? CARDAN_SENSITIVITY_ADJOINT : CARDAN_SENSITIVITY_TANGENT;
    for (int i = 0; method != NULL && METHODS[i] != NULL; i++)
        if (strcmp(method, METHODS[i]) == 0) {
            answer->method = (CardanSensitivityMethod)i;
            return STATUS_DONE;
        }
    if (method == NULL) return STATUS_DONE;
    complain("sensitivity: --method is tangent or adjoint, not '%s'", method);
    return STATUS_USAGE;
}

static int differentiate(const Arguments *arguments, const CardanModel *model, Answer *answer, double end) {
    char reason[ABOUT_SENTENCE];
    CardanOptions own = cardan_model_options(model);
    if (end > 0.0) own.end = end;
    answer->end = own.end;
    answer->derivative = calloc((size_t)answer->names.count, sizeof *answer->derivative);
    if (answer->derivative == NULL) {
        complain("out of memory");
        return STATUS_FAULT;
    }
    CardanStatus st = cardan_model_sensitivity(model, &own, answer->method, answer->channel, answer->names.count,
                                               (const char *const *)answer->names.name, &answer->value,
                                               answer->derivative, reason, sizeof reason);
    if (st < 0) {
        complain_refusal(arguments->verb, arguments->operands[0], exit_status(st), reason);
        return exit_status(st);
    }
    if (arguments_has(arguments, KEY_JSON))
        print_json(model, answer);
    else
        print_text(model, answer);
    return finish_stdout();
}

static int run(const Arguments *arguments) {
    Answer answer = {0};
    CardanModel *model = NULL;
    double end = 0.0;
    int status = read_asked(arguments, &answer, &end);
    if (status == STATUS_DONE) status = load_model(arguments->operands[0], arguments, KEY_SET, &model);
    if (status == STATUS_DONE) status = differentiate(arguments, model, &answer, end);
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
    .summary = "derivatives of a channel at the end over parameters and start values",
    .text =
        "Simulates, keeps the steps that were made, and differentiates them exactly as they were made, projections on "
        "the constraints included. Start values are named as `cardan linearise` names its states, as in "
        "start.pole.angle, and are put on the constraints.\n\n"
        "Steps are those of an explicit Runge-Kutta method in absolute coordinates. A run that meets an event or a "
        "singular pose is refused with its time.",
    .examples =
        "cardan sensitivity models/double_pendulum.yaml --of lower.x --to L,m,start.upper.spin --end 1\n"
        "cardan sensitivity models/bicycle.yaml --of steer.angle --to v,trail,tilt --end 1 --method adjoint --json",
    .options = options,
    .run = run,
};
