/* Calls on a simulation that must be refused or break down. */
#ifndef TESTS_FAULT_MESSAGES_SIM_ROWS_H
#define TESTS_FAULT_MESSAGES_SIM_ROWS_H

#include "fault/messages/place.h"

static const double NOT_A_NUMBER = (double)NAN;

static CardanStatus step(Place *p, int k) {
    return cardan_sim_step(p->sim, (const double[]){0.0, NOT_A_NUMBER, 1.0}[k]);
}

static CardanStatus go_on(Place *p, int k) {
    return cardan_sim_advance(p->sim, (const double[]){0.0, NOT_A_NUMBER, 1.0}[k]);
}

static CardanStatus set_input(Place *p, int k) {
    const CardanInput inputs[] = {{CARDAN_INVALID}, {99}, p->u};
    return cardan_sim_set_input(p->sim, inputs[k], k < 2 ? 1.0 : NOT_A_NUMBER);
}

static CardanStatus get_input(Place *p, int k) {
    return cardan_sim_get_input(p->sim, k == 0 ? (CardanInput){CARDAN_INVALID} : p->u, k == 0 ? p->numbers : NULL);
}

static CardanStatus apply_wrench(Place *p, int k) {
    const CardanBody bodies[] = {{CARDAN_INVALID}, {99}, {0}, {1}, {1}};
    return cardan_sim_apply_wrench(p->sim, bodies[k], (CardanWrench){.force.x = k == 3 ? NOT_A_NUMBER : 1.0});
}

static CardanStatus set_parameter(Place *p, int k) {
    const char *const names[] = {NULL, "nobody", "m", "m"};
    return cardan_sim_set_parameter(p->sim, names[k], k == 2 ? -1.0 : 1.5);
}

static CardanStatus get_state(Place *p, int k) {
    (void)k;
    return cardan_sim_get_state(p->sim, NULL);
}

static CardanStatus set_state(Place *p, int k) {
    for (int i = 0; i < STATE_MOST; i++) p->numbers[i] = k == 1 ? NOT_A_NUMBER : 0.0;
    return cardan_sim_set_state(p->sim, k == 0 ? NULL : p->numbers);
}

static CardanStatus set_motion(Place *p, int k) {
    CardanSizes sizes = cardan_model_sizes(p->model);
    double *q = p->numbers, *v = p->numbers + sizes.coordinates;
    for (int i = 0; i < sizes.coordinates; i++) q[i] = p->sim != NULL ? cardan_sim_positions(p->sim)[i] : 0.0;
    for (int i = 0; i < sizes.velocities; i++) v[i] = p->sim != NULL ? cardan_sim_velocities(p->sim)[i] : 0.0;
    double t = k == 0 ? NOT_A_NUMBER : k == 5 && p->sim != NULL ? cardan_sim_time(p->sim) : 7.0;
    if (k == 3) q[2] = NOT_A_NUMBER;
    if (k == 4) q[0] += 0.5;
    return cardan_sim_set_motion(p->sim, t, k == 1 ? NULL : q, k == 2 ? NULL : v);
}

static CardanStatus evaluate(Place *p, int k) {
    (void)k;
    return cardan_sim_evaluate(p->sim, p->numbers, NULL);
}

static CardanStatus first_order(Place *p, int k) {
    const double *z = cardan_sim_first_order(p->sim, (CardanFirstOrder){k == 0 ? CARDAN_INVALID : 99});
    return z == NULL ? CARDAN_ERR_ARGUMENT : CARDAN_OK;
}

static CardanStatus set_first_order(Place *p, int k) {
    const double z[] = {NOT_A_NUMBER, 0.0, 0.0, 0.0}, good[] = {0.0, 0.0, 0.0, 0.0};
    const CardanFirstOrder which = {k == 0 ? CARDAN_INVALID : 1};
    return cardan_sim_set_first_order(p->sim, which, k == 1 ? NULL : k == 2 ? z : good);
}

static CardanStatus body(Place *p, int k) {
    CardanBodyState out;
    const CardanBody bodies[] = {{CARDAN_INVALID}, {99}, {1}};
    return cardan_sim_body(p->sim, bodies[k], k == 2 ? NULL : &out);
}

static CardanStatus joint(Place *p, int k) {
    const CardanJoint joints[] = {{CARDAN_INVALID}, {0}, {99}, p->rail};
    return cardan_sim_joint(p->sim, joints[k], &p->numbers[0], &p->numbers[1]);
}

static CardanStatus coordinate(Place *p, int k) {
    const CardanJoint joints[] = {{CARDAN_INVALID}, p->hinge};
    return cardan_sim_coordinate(p->sim, joints[k], CARDAN_COORDINATE_LENGTH, &p->numbers[0], NULL);
}

static CardanStatus reaction(Place *p, int k) {
    CardanWrench out;
    return cardan_sim_reaction(p->sim, k == 0 ? (CardanJoint){CARDAN_INVALID} : p->hinge, k == 1 ? NULL : &out);
}

static CardanStatus load_of(Place *p, int k) {
    CardanWrench out;
    const CardanForce forces[] = {{CARDAN_INVALID}, {99}, {1}, {1}, {1}};
    const CardanBody bodies[] = {{1}, {1}, {CARDAN_INVALID}, {1}, {1}};
    return cardan_sim_load(p->sim, forces[k], bodies[k], k == 3 ? NULL : &out);
}

static CardanStatus reaction_softened(Place *p, int k) {
    bool out;
    return cardan_sim_reaction_softened(p->sim, k == 0 ? (CardanJoint){CARDAN_INVALID} : p->hinge,
                                        k == 1 ? NULL : &out);
}

static CardanStatus reaction_unique(Place *p, int k) {
    bool out;
    return cardan_sim_reaction_unique(p->sim, k == 0 ? (CardanJoint){CARDAN_INVALID} : p->hinge, k == 1 ? NULL : &out);
}

static CardanStatus effort(Place *p, int k) {
    const CardanJoint joints[] = {{CARDAN_INVALID}, p->drive, p->hinge, p->drive};
    return cardan_sim_effort(p->sim, joints[k], k == 1 ? NULL : p->numbers);
}

static CardanStatus power(Place *p, int k) {
    const CardanJoint joints[] = {{CARDAN_INVALID}, p->drive, p->hinge, p->drive};
    return cardan_sim_power(p->sim, joints[k], k == 1 ? NULL : p->numbers);
}

static CardanStatus energy(Place *p, int k) {
    CardanEnergy out;
    return cardan_sim_energy(p->sim, k == 0 ? NULL : &out);
}

static CardanStatus residual(Place *p, int k) {
    (void)k;
    return cardan_sim_residual(p->sim, NULL);
}

static CardanStatus opening(Place *p, int k) {
    (void)k;
    return cardan_sim_opening(p->sim, NULL);
}

static CardanStatus work(Place *p, int k) {
    (void)k;
    return cardan_sim_work(p->sim, NULL);
}

static CardanStatus sample(Place *p, int k) {
    CardanChannel channel, foreign = {1000, 1, 1, 0, 0};
    double t = k == 5 ? 1e9 : cardan_sim_time(p->sim);
    MUST(cardan_model_find_channel(p->model, "energy", &channel, NULL, 0));
    if (k == 0) return cardan_sim_sample(p->sim, t, -1, &channel, p->numbers);
    if (k == 1) return cardan_sim_sample(p->sim, t, 1, NULL, p->numbers);
    if (k == 2) return cardan_sim_sample(p->sim, t, 1, &channel, NULL);
    return cardan_sim_sample(p->sim, t, 1, k == 3 ? &foreign : &channel, p->numbers);
}

static CardanStatus sample_rows(Place *p, int k) {
    CardanChannel channel;
    double now = cardan_sim_time(p->sim), t[] = {now, k == 3 ? 1e9 : k == 4 ? now - 1e-9 : now};
    MUST(cardan_model_find_channel(p->model, "energy", &channel, NULL, 0));
    if (k == 0) return cardan_sim_sample_rows(p->sim, -1, t, 1, &channel, p->numbers);
    if (k == 1) return cardan_sim_sample_rows(p->sim, 2, NULL, 1, &channel, p->numbers);
    if (k == 2) return cardan_sim_sample_rows(p->sim, 2, t, 1, &channel, NULL);
    return cardan_sim_sample_rows(p->sim, 2, t, 1, &channel, p->numbers);
}

static CardanStatus gradient(Place *p, int k) {
    CardanChannel channel, foreign = {1000, 1, 1, 0, 0};
    char name[64];
    int last = cardan_model_sizes(p->model).forces;
    snprintf(name, sizeof name, "%s.power", cardan_model_force_name(p->model, (CardanForce){last}));
    MUST(cardan_model_find_channel(p->model, k == 2 ? name : "energy", &channel, NULL, 0));
    return cardan_sim_gradient(p->sim, k == 0 ? foreign : channel, NULL, NULL, NULL, NULL);
}

static CardanStatus slow_start(Place *p, int k) {
    static const char *const names[] = {"hinge"}, *const none[] = {NULL};
    CardanSlow wish = cardan_default_slow();
    if (k == 0) wish.internal = 0;
    if (k == 1) wish.method = CARDAN_SLOW_METHODS;
    if (k == 2) wish.tolerance = -1.0;
    wish.names = k == 4 ? none : names;
    wish.count = k == 3 ? 0 : 1;
    return cardan_sim_slow_start(p->sim, &wish, NULL);
}

static CardanStatus start_report(Place *p, int k) {
    CardanStartReport report = {0};
    return cardan_sim_start_report(p->sim, k == 0 ? NULL : &report);
}

static CardanStatus copy(Place *p, int k) {
    (void)k;
    return cardan_sim_clone(p->sim, NULL);
}

#define ARGUMENT CARDAN_ERR_ARGUMENT
#define NUMERIC CARDAN_ERR_NUMERIC

static CardanStatus linearise(Place *p, int k) {
    static const char *const unknown[] = {"nobody"}, *const channel[] = {"nobody.angle"}, *const none[] = {NULL};
    CardanLinear *linear = NULL;
    CardanStatus status =
        cardan_sim_linearise(p->sim, k == 1 ? (CardanLinearForm)9 : CARDAN_LINEAR_MINIMAL, k == 2 || k == 4 ? 1 : 0,
                             k == 2 ? unknown : none, k == 3 ? 1 : 0, channel, k == 0 ? NULL : &linear);
    cardan_linear_destroy(linear);
    return status;
}

static CardanStatus modes_of(Place *p, int k) {
    CardanModes *modes = NULL;
    CardanStatus status = cardan_sim_modes(p->sim, k == 1 ? -1 : 0, k == 0 ? NULL : &modes);
    cardan_modes_destroy(modes);
    return status;
}

static const Row SIM_ROWS[] = {
    {"cardan_sim_linearise", linearise, 0, PLAIN, ARGUMENT, "the place for the linearisation is NULL"},
    {"cardan_sim_linearise", linearise, 1, PLAIN, ARGUMENT, "there is no form number 9"},
    {"cardan_sim_linearise", linearise, 2, PLAIN, CARDAN_ERR_MODEL, "there is no input 'nobody'"},
    {"cardan_sim_linearise", linearise, 3, PLAIN, CARDAN_ERR_MODEL, "there is no channel 'nobody.angle'"},
    {"cardan_sim_linearise", linearise, 4, PLAIN, ARGUMENT, "name 0 of the inputs is NULL"},
    {"cardan_sim_linearise", linearise, 5, BROKEN, NUMERIC, "sqrt"},
    {"cardan_sim_linearise", linearise, 5, ACTING, ARGUMENT, "the action of an event"},
    {"cardan_sim_modes", modes_of, 0, PLAIN, ARGUMENT, "the place for the modes is NULL"},
    {"cardan_sim_modes", modes_of, 1, PLAIN, ARGUMENT, "there cannot be -1 modes"},
    {"cardan_sim_modes", modes_of, 2, PLAIN, NUMERIC, "not steady"},
    {"cardan_sim_modes", modes_of, 2, BROKEN, NUMERIC, "sqrt"},
    {"cardan_sim_modes", modes_of, 2, ACTING, ARGUMENT, "the action of an event"},
    {"cardan_sim_step", step, 0, PLAIN, ARGUMENT, "needs a later time"},
    {"cardan_sim_step", step, 1, PLAIN, ARGUMENT, "needs a later time, not nan"},
    {"cardan_sim_step", step, 2, BROKEN, NUMERIC, "sqrt"},
    {"cardan_sim_step", step, 2, ACTING, ARGUMENT, "the action of an event"},
    {"cardan_sim_advance", go_on, 0, PLAIN, ARGUMENT, "the time 0 is before the present"},
    {"cardan_sim_advance", go_on, 1, PLAIN, ARGUMENT, "the time is not finite"},
    {"cardan_sim_advance", go_on, 2, BROKEN, NUMERIC, "sqrt"},
    {"cardan_sim_advance", go_on, 2, ACTING, ARGUMENT, "the action of an event"},
    {"cardan_sim_set_input", set_input, 0, PLAIN, ARGUMENT, "there is no input number -1"},
    {"cardan_sim_set_input", set_input, 1, PLAIN, ARGUMENT, "there is no input number 99"},
    {"cardan_sim_set_input", set_input, 2, PLAIN, ARGUMENT, "the value is not finite"},
    {"cardan_sim_get_input", get_input, 0, PLAIN, ARGUMENT, "there is no input number -1"},
    {"cardan_sim_get_input", get_input, 1, PLAIN, ARGUMENT, "the place for the value is NULL"},
    {"cardan_sim_apply_wrench", apply_wrench, 0, PLAIN, ARGUMENT, "there is no body number -1"},
    {"cardan_sim_apply_wrench", apply_wrench, 1, PLAIN, ARGUMENT, "there is no body number 99"},
    {"cardan_sim_apply_wrench", apply_wrench, 2, PLAIN, ARGUMENT, "on the ground"},
    {"cardan_sim_apply_wrench", apply_wrench, 3, PLAIN, ARGUMENT, "number 0 of the wrench is not finite"},
    {"cardan_sim_apply_wrench", apply_wrench, 4, ACTING, ARGUMENT, "the action of an event"},
    {"cardan_sim_set_parameter", set_parameter, 0, PLAIN, ARGUMENT, "the name of a parameter is NULL"},
    {"cardan_sim_set_parameter", set_parameter, 1, PLAIN, CARDAN_ERR_MODEL, "there is no parameter 'nobody'"},
    {"cardan_sim_set_parameter", set_parameter, 2, PLAIN, CARDAN_ERR_MODEL, "mass"},
    {"cardan_sim_set_parameter", set_parameter, 3, BROKEN, NUMERIC, "sqrt"},
    {"cardan_sim_set_parameter", set_parameter, 3, ACTING, ARGUMENT, "the action of an event"},
    {"cardan_sim_get_state", get_state, 0, PLAIN, ARGUMENT, "the place for the state is NULL"},
    {"cardan_sim_set_state", set_state, 0, PLAIN, ARGUMENT, "the state is NULL"},
    {"cardan_sim_set_state", set_state, 1, PLAIN, ARGUMENT, "number 0 of the state is not finite"},
    {"cardan_sim_set_state", set_state, 2, ACTING, ARGUMENT, "the action of an event"},
    {"cardan_sim_set_motion", set_motion, 0, PLAIN, ARGUMENT, "the time is not finite"},
    {"cardan_sim_set_motion", set_motion, 1, PLAIN, ARGUMENT, "the list of coordinates is NULL"},
    {"cardan_sim_set_motion", set_motion, 2, PLAIN, ARGUMENT, "the list of velocities is NULL"},
    {"cardan_sim_set_motion", set_motion, 3, PLAIN, ARGUMENT, "number 2 of the coordinates is not finite"},
    {"cardan_sim_set_motion", set_motion, 4, PLAIN, CARDAN_ERR_MODEL, "does not meet the constraints"},
    {"cardan_sim_set_motion", set_motion, 5, BROKEN, NUMERIC, "sqrt"},
    {"cardan_sim_set_motion", set_motion, 5, ACTING, ARGUMENT, "the action of an event"},
    {"cardan_sim_evaluate", evaluate, 0, BROKEN, NUMERIC, "sqrt"},
    {"cardan_sim_first_order", first_order, 0, PLAIN, ARGUMENT, "no first-order states number -1"},
    {"cardan_sim_first_order", first_order, 1, PLAIN, ARGUMENT, "no first-order states number 99"},
    {"cardan_sim_set_first_order", set_first_order, 0, PLAIN, ARGUMENT, "no first-order states number -1"},
    {"cardan_sim_set_first_order", set_first_order, 1, PLAIN, ARGUMENT, "the list of first-order states is NULL"},
    {"cardan_sim_set_first_order", set_first_order, 2, PLAIN, ARGUMENT, "number 0 of the first-order states"},
    {"cardan_sim_set_first_order", set_first_order, 3, ACTING, ARGUMENT, "the action of an event"},
    {"cardan_sim_body", body, 0, PLAIN, ARGUMENT, "there is no body number -1"},
    {"cardan_sim_body", body, 1, PLAIN, ARGUMENT, "there is no body number 99"},
    {"cardan_sim_body", body, 2, PLAIN, ARGUMENT, "the place for the state of a body is NULL"},
    {"cardan_sim_joint", joint, 0, PLAIN, ARGUMENT, "there is no joint number -1"},
    {"cardan_sim_joint", joint, 1, PLAIN, ARGUMENT, "there is no joint number 0"},
    {"cardan_sim_joint", joint, 2, PLAIN, ARGUMENT, "there is no joint number 99"},
    {"cardan_sim_joint", joint, 3, PLAIN, ARGUMENT, "joint 'rail' has no such coordinate"},
    {"cardan_sim_coordinate", coordinate, 0, PLAIN, ARGUMENT, "there is no joint number -1"},
    {"cardan_sim_coordinate", coordinate, 1, PLAIN, ARGUMENT, "joint 'hinge' has no such coordinate"},
    {"cardan_sim_reaction", reaction, 0, PLAIN, ARGUMENT, "there is no joint number -1"},
    {"cardan_sim_reaction", reaction, 1, PLAIN, ARGUMENT, "the place for the reaction is NULL"},
    {"cardan_sim_reaction", reaction, 2, BROKEN, NUMERIC, "sqrt"},
    {"cardan_sim_load", load_of, 0, PLAIN, ARGUMENT, "there is no force number -1"},
    {"cardan_sim_load", load_of, 1, PLAIN, ARGUMENT, "there is no force number 99"},
    {"cardan_sim_load", load_of, 2, PLAIN, ARGUMENT, "there is no body number -1"},
    {"cardan_sim_load", load_of, 3, PLAIN, ARGUMENT, "the place for the load is NULL"},
    {"cardan_sim_load", load_of, 4, BROKEN, NUMERIC, "sqrt"},
    {"cardan_sim_reaction_softened", reaction_softened, 0, PLAIN, ARGUMENT, "there is no joint number -1"},
    {"cardan_sim_reaction_softened", reaction_softened, 1, PLAIN, ARGUMENT, "the place for the answer is NULL"},
    {"cardan_sim_reaction_softened", reaction_softened, 2, BROKEN, NUMERIC, "sqrt"},
    {"cardan_sim_reaction_unique", reaction_unique, 0, PLAIN, ARGUMENT, "there is no joint number -1"},
    {"cardan_sim_reaction_unique", reaction_unique, 1, PLAIN, ARGUMENT, "the place for the answer is NULL"},
    {"cardan_sim_reaction_unique", reaction_unique, 2, BROKEN, NUMERIC, "sqrt"},
    {"cardan_sim_effort", effort, 0, PLAIN, ARGUMENT, "there is no joint number -1"},
    {"cardan_sim_effort", effort, 1, PLAIN, ARGUMENT, "the place for the effort is NULL"},
    {"cardan_sim_effort", effort, 2, PLAIN, ARGUMENT, "joint 'hinge' has no effort"},
    {"cardan_sim_effort", effort, 3, BROKEN, NUMERIC, "sqrt"},
    {"cardan_sim_power", power, 0, PLAIN, ARGUMENT, "there is no joint number -1"},
    {"cardan_sim_power", power, 1, PLAIN, ARGUMENT, "the place for the power is NULL"},
    {"cardan_sim_power", power, 2, PLAIN, ARGUMENT, "joint 'hinge' has no power"},
    {"cardan_sim_power", power, 3, BROKEN, NUMERIC, "sqrt"},
    {"cardan_sim_energy", energy, 0, PLAIN, ARGUMENT, "the place for the energy is NULL"},
    {"cardan_sim_energy", energy, 1, BROKEN, NUMERIC, "sqrt"},
    {"cardan_sim_residual", residual, 0, PLAIN, ARGUMENT, "the place for the residual is NULL"},
    {"cardan_sim_opening", opening, 0, PLAIN, ARGUMENT, "the place for the opening is NULL"},
    {"cardan_sim_work", work, 0, PLAIN, ARGUMENT, "the place for the work is NULL"},
    {"cardan_sim_sample", sample, 0, PLAIN, ARGUMENT, "there cannot be -1 channels"},
    {"cardan_sim_sample", sample, 1, PLAIN, ARGUMENT, "the list of channels is NULL"},
    {"cardan_sim_sample", sample, 2, PLAIN, ARGUMENT, "the place for the values is NULL"},
    {"cardan_sim_sample", sample, 3, PLAIN, ARGUMENT, "channel 0 of the list is none of this model"},
    {"cardan_sim_sample", sample, 4, BROKEN, NUMERIC, "sqrt"},
    {"cardan_sim_sample", sample, 5, PLAIN, ARGUMENT, "is outside the last step"},
    {"cardan_sim_sample_rows", sample_rows, 0, PLAIN, ARGUMENT, "there cannot be -1 rows"},
    {"cardan_sim_sample_rows", sample_rows, 1, PLAIN, ARGUMENT, "the list of times is NULL"},
    {"cardan_sim_sample_rows", sample_rows, 2, PLAIN, ARGUMENT, "the place for the values is NULL"},
    {"cardan_sim_sample_rows", sample_rows, 3, PLAIN, ARGUMENT, "is outside the last step"},
    {"cardan_sim_sample_rows", sample_rows, 4, PLAIN, ARGUMENT, "times of rows must not fall"},
    {"cardan_sim_sample_rows", sample_rows, 5, BROKEN, NUMERIC, "sqrt"},
    {"cardan_sim_gradient", gradient, 0, PLAIN, ARGUMENT, "channel 0 of the list is none of this model"},
    {"cardan_sim_gradient", gradient, 1, PLAIN, ARGUMENT, "channel 'energy.kinetic' is no function of"},
    {"cardan_sim_gradient", gradient, 2, BROKEN, NUMERIC, "sqrt"},
    {"cardan_sim_slow_start", slow_start, 0, PLAIN, ARGUMENT, "not made by cardan_default_slow()"},
    {"cardan_sim_slow_start", slow_start, 1, PLAIN, ARGUMENT, "there is no slow method number 2"},
    {"cardan_sim_slow_start", slow_start, 2, PLAIN, ARGUMENT, "the tolerance of a slow start"},
    {"cardan_sim_slow_start", slow_start, 3, PLAIN, ARGUMENT, "0 names are no list"},
    {"cardan_sim_slow_start", slow_start, 4, PLAIN, ARGUMENT, "name 0 of the list is NULL"},
    {"cardan_sim_slow_start", slow_start, 5, PLAIN, CARDAN_ERR_MODEL, "'hinge' is no compliant joint"},
    {"cardan_sim_slow_start", slow_start, 5, ACTING, ARGUMENT, "the action of an event"},
    {"cardan_sim_start_report", start_report, 0, PLAIN, ARGUMENT, "the place for the report is NULL"},
    {"cardan_sim_start_report", start_report, 1, PLAIN, ARGUMENT, "before the first step"},
    {"cardan_sim_start_report", start_report, 1, ACTING, ARGUMENT, "the action of an event"},
    {"cardan_sim_clone", copy, 0, PLAIN, ARGUMENT, "the place for the copy is NULL"},
};

#undef ARGUMENT
#undef NUMERIC

#endif
