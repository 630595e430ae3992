/* Calls that hand out their sentence in a buffer, or on the object that they were to make. */
#ifndef TESTS_FAULT_MESSAGES_BUFFER_ROWS_H
#define TESTS_FAULT_MESSAGES_BUFFER_ROWS_H

#include "fault/messages/place.h"

#define SAY p->message, sizeof p->message

static CardanStatus options_set(Place *p, int k) {
    CardanOptions options = cardan_default_options(), zeroed = {0};
    const char *const names[] = {"end", "end", NULL, "nothing", "end"};
    return cardan_options_set(k == 0 ? NULL : k == 1 ? &zeroed : &options, names[k], k == 4 ? "soon" : "1", SAY);
}

static CardanStatus options_check(Place *p, int k) {
    CardanOptions options = cardan_default_options(), zeroed = {0};
    options.rtol = -1.0;
    return cardan_options_check(k == 0 ? NULL : k == 1 ? &zeroed : &options, SAY);
}

static CardanStatus load(Place *p, int k) {
    CardanModel *out = NULL;
    const char *const paths[] = {NULL, "models/pendulum.yaml", "models/nowhere.yaml"};
    CardanStatus status = cardan_model_load(paths[k], k == 1 ? NULL : &out, SAY);
    assert_null(out);
    return status;
}

static CardanStatus with_parameters(Place *p, int k) {
    CardanModel *out = NULL;
    const char *const name = k == 3 ? "nobody" : "m";
    const double value = k == 4 ? -1.0 : 1.0;
    CardanStatus status = cardan_model_with_parameters(k == 0 ? NULL : p->model, k == 2 ? -1 : 1, &name, &value,
                                                       k == 1 ? NULL : &out, SAY);
    assert_null(out);
    return status;
}

static CardanStatus model_check(Place *p, int k) {
    CardanCheck check;
    return cardan_model_check(k == 0 ? NULL : p->model, k == 1 ? NULL : &check, NULL, NULL, SAY);
}

static CardanStatus model_slow(Place *p, int k) {
    return cardan_model_slow_start(k == 0 ? NULL : p->model, NULL, NULL, SAY);
}

static CardanStatus find_channel(Place *p, int k) {
    CardanChannel out;
    return cardan_model_find_channel(k == 0 ? NULL : p->model, k == 1 ? NULL : "nobody.x", k == 2 ? NULL : &out, SAY);
}

static CardanStatus match_channels(Place *p, int k) {
    return (CardanStatus)cardan_model_match_channels(k == 0 ? NULL : p->model, k == 1 ? NULL : "nobody.*", 0, NULL,
                                                     SAY);
}

static CardanStatus sim_create(Place *p, int k) {
    CardanSim *out = NULL;
    CardanOptions options = cardan_default_options(), zeroed = {0};
    options.rtol = -1.0;
    CardanStatus status =
        cardan_sim_create(k == 0 ? NULL : p->model, k == 3 ? &zeroed : &options, k == 1 ? NULL : &out);
    snprintf(SAY, "%s", cardan_sim_message(out));
    cardan_sim_destroy(out);
    return status;
}

static CardanStatus lab_terms(void *user, double t, const double *x, const double *v, CardanLabTerms *terms) {
    (void)user, (void)t, (void)v;
    terms->f[0] = -x[0];
    return CARDAN_OK;
}

static CardanStatus lab_create(Place *p, int k) {
    CardanLabProblem *out = NULL;
    CardanLabDef def = {DEFAULTED, .name = "decay", .order = k == 2 ? 7 : 0, .n = 1, .terms = lab_terms};
    if (k == 3) def.internal = 0;
    CardanStatus status = cardan_lab_problem_create(k == 0 ? NULL : &def, k == 1 ? NULL : &out, SAY);
    assert_null(out);
    return status;
}

static CardanStatus lab_of_model(Place *p, int k) {
    CardanLabProblem *out = NULL;
    CardanStatus status = cardan_lab_problem_of_model(
        k == 0 ? NULL : p->model, k == 2 ? (CardanLabView)9 : CARDAN_LAB_MECHANISM, k == 1 ? NULL : &out, SAY);
    assert_null(out);
    return status;
}

static CardanStatus lab_start(Place *p, int k) {
    return cardan_lab_problem_start(k == 0 ? NULL : p->problem, k == 1 ? NULL : p->numbers, SAY);
}

static CardanStatus lab_motion(Place *p, int k) {
    return cardan_lab_problem_motion(k == 0 ? NULL : p->problem, k == 1 ? NULL : p->numbers, NULL, NULL, SAY);
}

static CardanStatus lab_check(Place *p, int k) {
    CardanLabMethod method = {DEFAULTED, .stepper = k == 2 ? NULL : "nonsense"};
    if (k == 4) method.internal = 0;
    return cardan_lab_check(k == 0 ? NULL : p->problem, k == 1 ? NULL : &method, SAY);
}

static CardanStatus lab_run(Place *p, int k) {
    CardanLabMethod method = {DEFAULTED, .formulation = "reduced", .stepper = "rk4"};
    CardanLabSpan span = {DEFAULTED, .t0 = 0.0, .t1 = k == 4 ? -1.0 : 1.0, .steps = 2};
    if (k == 6) method.internal = 0;
    if (k == 7) span.internal = 0;
    p->numbers[0] = k == 5 ? (double)NAN : 1.0;
    return cardan_lab_run(k == 0 ? NULL : p->problem, k == 1 ? NULL : &method, k == 2 ? NULL : &span,
                          k == 3 ? NULL : p->numbers, NULL, SAY);
}

static CardanStatus sensitivity(Place *p, int k) {
    const char *const names[] = {k == 5 ? NULL : "nobody"};
    double out[3];
    CardanSensitivityDef def = {DEFAULTED, .channel = "energy", .count = k == 4 ? -1 : 1, .names = names};
    if (k == 1) def.channel = NULL;
    if (k == 2) def.method = (CardanSensitivityMethod)9;
    if (k == 3) def.channel = "nobody.x";
    if (k == 7) def.internal = 0;
    if (k == 8) def.target = (CardanSensitivityTarget)9;
    if (k == 9) def.channel = "step";
    return cardan_model_sensitivity(k == 0 ? NULL : p->model, NULL, k == 6 ? NULL : &def, NULL, NULL, out, SAY);
}

static const Row BUFFER_ROWS[] = {
    {"cardan_model_sensitivity", sensitivity, 0, PLAIN, CARDAN_ERR_ARGUMENT, "the model is NULL"},
    {"cardan_model_sensitivity", sensitivity, 1, PLAIN, CARDAN_ERR_ARGUMENT, "the channel is NULL"},
    {"cardan_model_sensitivity", sensitivity, 2, PLAIN, CARDAN_ERR_ARGUMENT, "there is no method number 9"},
    {"cardan_model_sensitivity", sensitivity, 3, PLAIN, CARDAN_ERR_MODEL, "nobody.x"},
    {"cardan_model_sensitivity", sensitivity, 4, PLAIN, CARDAN_ERR_ARGUMENT, "names and a place"},
    {"cardan_model_sensitivity", sensitivity, 5, PLAIN, CARDAN_ERR_ARGUMENT, "name 0 is NULL"},
    {"cardan_model_sensitivity", sensitivity, 6, PLAIN, CARDAN_ERR_ARGUMENT, "definition of a sensitivity is NULL"},
    {"cardan_model_sensitivity", sensitivity, 7, PLAIN, CARDAN_ERR_ARGUMENT,
     "not made by cardan_default_sensitivity()"},
    {"cardan_model_sensitivity", sensitivity, 8, PLAIN, CARDAN_ERR_ARGUMENT, "there is no target number 9"},
    {"cardan_model_sensitivity", sensitivity, 9, PLAIN, CARDAN_ERR_MODEL, "tells of the steps"},
    {"cardan_options_set", options_set, 0, PLAIN, CARDAN_ERR_ARGUMENT, "options is NULL"},
    {"cardan_options_set", options_set, 1, PLAIN, CARDAN_ERR_ARGUMENT, "not made by cardan_default_options()"},
    {"cardan_options_set", options_set, 2, PLAIN, CARDAN_ERR_ARGUMENT, "name or text is NULL"},
    {"cardan_options_set", options_set, 3, PLAIN, CARDAN_ERR_MODEL, "unknown option 'nothing'"},
    {"cardan_options_set", options_set, 4, PLAIN, CARDAN_ERR_MODEL, "expected a number, found 'soon'"},
    {"cardan_options_check", options_check, 0, PLAIN, CARDAN_ERR_ARGUMENT, "options is NULL"},
    {"cardan_options_check", options_check, 1, PLAIN, CARDAN_ERR_ARGUMENT, "not made by cardan_default_options()"},
    {"cardan_options_check", options_check, 2, PLAIN, CARDAN_ERR_MODEL, "tolerance.relative must be"},
    {"cardan_model_load", load, 0, PLAIN, CARDAN_ERR_ARGUMENT, "the path is NULL"},
    {"cardan_model_load", load, 1, PLAIN, CARDAN_ERR_ARGUMENT, "the place for the model is NULL"},
    {"cardan_model_load", load, 2, PLAIN, CARDAN_ERR_IO, "models/nowhere.yaml"},
    {"cardan_model_with_parameters", with_parameters, 0, PLAIN, CARDAN_ERR_ARGUMENT, "the model is NULL"},
    {"cardan_model_with_parameters", with_parameters, 1, PLAIN, CARDAN_ERR_ARGUMENT, "the place for the model"},
    {"cardan_model_with_parameters", with_parameters, 2, PLAIN, CARDAN_ERR_ARGUMENT, "-1 parameters"},
    {"cardan_model_with_parameters", with_parameters, 3, PLAIN, CARDAN_ERR_MODEL, "there is no parameter 'nobody'"},
    {"cardan_model_with_parameters", with_parameters, 4, PLAIN, CARDAN_ERR_MODEL, "mass"},
    {"cardan_model_check", model_check, 0, PLAIN, CARDAN_ERR_ARGUMENT, "the model is NULL"},
    {"cardan_model_check", model_check, 1, PLAIN, CARDAN_ERR_ARGUMENT, "the place for the findings is NULL"},
    {"cardan_model_slow_start", model_slow, 0, PLAIN, CARDAN_ERR_ARGUMENT, "the model is NULL"},
    {"cardan_model_slow_start", model_slow, 1, PLAIN, CARDAN_ERR_MODEL, "contact 'floor' acts"},
    {"cardan_model_find_channel", find_channel, 0, PLAIN, CARDAN_ERR_ARGUMENT, "the model is NULL"},
    {"cardan_model_find_channel", find_channel, 1, PLAIN, CARDAN_ERR_ARGUMENT, "the name is NULL"},
    {"cardan_model_find_channel", find_channel, 2, PLAIN, CARDAN_ERR_ARGUMENT, "the place for the channel is NULL"},
    {"cardan_model_find_channel", find_channel, 3, PLAIN, CARDAN_ERR_MODEL, "there is no channel 'nobody.x'"},
    {"cardan_model_match_channels", match_channels, 0, PLAIN, CARDAN_ERR_ARGUMENT, "the model is NULL"},
    {"cardan_model_match_channels", match_channels, 1, PLAIN, CARDAN_ERR_ARGUMENT, "the name is NULL"},
    {"cardan_model_match_channels", match_channels, 2, PLAIN, CARDAN_ERR_MODEL, "no channel is called 'nobody.*'"},
    {"cardan_sim_create", sim_create, 0, PLAIN, CARDAN_ERR_ARGUMENT, "there is no simulation"},
    {"cardan_sim_create", sim_create, 1, PLAIN, CARDAN_ERR_ARGUMENT, "there is no simulation"},
    {"cardan_sim_create", sim_create, 2, PLAIN, CARDAN_ERR_MODEL, "tolerance.relative must be"},
    {"cardan_sim_create", sim_create, 3, PLAIN, CARDAN_ERR_ARGUMENT, "not made by cardan_default_options()"},
    {"cardan_lab_problem_create", lab_create, 0, PLAIN, CARDAN_ERR_ARGUMENT, "the definition is NULL"},
    {"cardan_lab_problem_create", lab_create, 1, PLAIN, CARDAN_ERR_ARGUMENT, "the place for the problem is NULL"},
    {"cardan_lab_problem_create", lab_create, 2, PLAIN, CARDAN_ERR_ARGUMENT, "problem 'decay' makes no sense"},
    {"cardan_lab_problem_create", lab_create, 3, PLAIN, CARDAN_ERR_ARGUMENT, "cardan_default_lab_problem()"},
    {"cardan_lab_problem_of_model", lab_of_model, 0, PLAIN, CARDAN_ERR_ARGUMENT, "the model is NULL"},
    {"cardan_lab_problem_of_model", lab_of_model, 1, PLAIN, CARDAN_ERR_ARGUMENT, "the place for the problem is NULL"},
    {"cardan_lab_problem_of_model", lab_of_model, 2, PLAIN, CARDAN_ERR_ARGUMENT, "there is no view number 9"},
    {"cardan_lab_problem_of_model", lab_of_model, 3, PLAIN, CARDAN_ERR_ARGUMENT, "model 'rich' does not fit"},
    {"cardan_lab_problem_start", lab_start, 0, PLAIN, CARDAN_ERR_ARGUMENT, "the problem is NULL"},
    {"cardan_lab_problem_start", lab_start, 1, PLAIN, CARDAN_ERR_ARGUMENT, "the state is NULL"},
    {"cardan_lab_problem_start", lab_start, 2, PLAIN, CARDAN_ERR_ARGUMENT, "it has no model"},
    {"cardan_lab_problem_motion", lab_motion, 0, PLAIN, CARDAN_ERR_ARGUMENT, "the problem is NULL"},
    {"cardan_lab_problem_motion", lab_motion, 1, PLAIN, CARDAN_ERR_ARGUMENT, "the state is NULL"},
    {"cardan_lab_problem_motion", lab_motion, 2, PLAIN, CARDAN_ERR_ARGUMENT, "it has no model"},
    {"cardan_lab_check", lab_check, 0, PLAIN, CARDAN_ERR_ARGUMENT, "the problem is NULL"},
    {"cardan_lab_check", lab_check, 1, PLAIN, CARDAN_ERR_ARGUMENT, "the method is NULL"},
    {"cardan_lab_check", lab_check, 2, PLAIN, CARDAN_ERR_ARGUMENT, "no stepper is named"},
    {"cardan_lab_check", lab_check, 3, PLAIN, CARDAN_ERR_ARGUMENT, "nonsense"},
    {"cardan_lab_check", lab_check, 4, PLAIN, CARDAN_ERR_ARGUMENT, "cardan_default_lab_method()"},
    {"cardan_lab_run", lab_run, 0, PLAIN, CARDAN_ERR_ARGUMENT, "the problem is NULL"},
    {"cardan_lab_run", lab_run, 1, PLAIN, CARDAN_ERR_ARGUMENT, "the method is NULL"},
    {"cardan_lab_run", lab_run, 2, PLAIN, CARDAN_ERR_ARGUMENT, "the span is NULL"},
    {"cardan_lab_run", lab_run, 3, PLAIN, CARDAN_ERR_ARGUMENT, "the state is NULL"},
    {"cardan_lab_run", lab_run, 4, PLAIN, CARDAN_ERR_ARGUMENT, "the span from 0 to -1 makes no sense"},
    {"cardan_lab_run", lab_run, 5, PLAIN, CARDAN_ERR_ARGUMENT, "the start state is not finite"},
    {"cardan_lab_run", lab_run, 6, PLAIN, CARDAN_ERR_ARGUMENT, "cardan_default_lab_method()"},
    {"cardan_lab_run", lab_run, 7, PLAIN, CARDAN_ERR_ARGUMENT, "cardan_default_lab_span()"},
};

#endif
