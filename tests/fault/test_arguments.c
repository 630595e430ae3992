/* Programmers' errors: NULL, foreign handles, times that are none. They are told by CARDAN_ERR_ARGUMENT (or an empty
 * answer) and change nothing. And options that make no sense: refused with a sentence that can be read. */
#include "support/defaulted.h"
#include "unit/sim_fixture.h"

#include <limits.h>

#define REFUSED(call) assert_int_equal(call, CARDAN_ERR_ARGUMENT)

static CardanModel *machine(void) {
    CardanBuilder *b = mechanism_slider_crank(0.2, 0.4, 0.8);
    cardan_builder_add_input(b, "u", 0.1);
    cardan_builder_add_parameter(b, "m", 1.0);
    cardan_builder_bind(b, "crank.mass", "m");
    cardan_builder_add_force(b, &(CardanForceDef){DEFAULTED, .name = "motor", .type = CARDAN_FORCE_TORQUE, .joint = {1},
                                                  .law = {"u", NULL, NULL}});
    return model_of(b);
}

/* ---- NULL ---- */

static void null_simulations_are_refused_by_every_function(void **state) {
    (void)state;
    double x[STATE_MOST] = {0};
    CardanSim *out = NULL;
    CardanBodyState body;
    CardanEnergy energy;
    CardanResidual residual;
    CardanWork work;
    CardanWrench reaction;
    bool unique;
    REFUSED(cardan_sim_create(NULL, NULL, &out));
    assert_null(out);
    REFUSED(cardan_sim_clone(NULL, &out));
    assert_null(out);
    REFUSED(cardan_sim_step(NULL, 1.0));
    REFUSED(cardan_sim_advance(NULL, 1.0));
    REFUSED(cardan_sim_set_input(NULL, (CardanInput){1}, 1.0));
    REFUSED(cardan_sim_apply_wrench(NULL, (CardanBody){1}, (CardanWrench){0}));
    REFUSED(cardan_sim_set_parameter(NULL, "m", 1.0));
    REFUSED(cardan_sim_get_state(NULL, x));
    REFUSED(cardan_sim_set_state(NULL, x));
    REFUSED(cardan_sim_set_motion(NULL, 0.0, x, x));
    REFUSED(cardan_sim_evaluate(NULL, x, x));
    REFUSED(cardan_sim_body(NULL, (CardanBody){1}, &body));
    REFUSED(cardan_sim_joint(NULL, (CardanJoint){1}, x, x));
    REFUSED(cardan_sim_effort(NULL, (CardanJoint){1}, x));
    REFUSED(cardan_sim_power(NULL, (CardanJoint){1}, x));
    REFUSED(cardan_sim_energy(NULL, &energy));
    REFUSED(cardan_sim_sample(NULL, 0.0, 0, NULL, NULL));
    REFUSED(cardan_sim_residual(NULL, &residual));
    REFUSED(cardan_sim_work(NULL, &work));
    REFUSED(cardan_sim_reaction(NULL, (CardanJoint){1}, &reaction));
    REFUSED(cardan_sim_get_input(NULL, (CardanInput){1}, x));
    REFUSED(cardan_sim_reaction_unique(NULL, (CardanJoint){1}, &unique));
    REFUSED(cardan_sim_reaction_softened(NULL, (CardanJoint){1}, &unique));
    assert_string_equal(cardan_sim_message(NULL), "there is no simulation");
    assert_true(isnan(cardan_sim_time(NULL)) && isnan(cardan_sim_last_step(NULL)));
    assert_int_equal(cardan_sim_state_size(NULL), -1);
    assert_null(cardan_sim_positions(NULL));
    assert_null(cardan_sim_velocities(NULL));
    assert_int_equal(cardan_sim_solver(NULL), CARDAN_SOLVER_AUTO);
    assert_int_equal(cardan_sim_events(NULL, NULL, NULL), -1);
    cardan_sim_destroy(NULL);
}

static void null_models_are_refused_by_every_function(void **state) {
    (void)state;
    const char *name = "m";
    const char *const *names = NULL;
    double value = 1.0;
    char text[64] = "";
    CardanModel *out = NULL;
    CardanChannel channel;
    CardanCheck check;
    REFUSED(cardan_model_with_parameters(NULL, 1, &name, &value, &out, text, sizeof text));
    assert_null(out);
    REFUSED(cardan_model_load(NULL, &out, text, sizeof text));
    REFUSED(cardan_model_load("models/pendulum.yaml", NULL, text, sizeof text));
    REFUSED(cardan_model_find_channel(NULL, "energy", &channel, text, sizeof text));
    REFUSED(cardan_model_check(NULL, &check, NULL, NULL, text, sizeof text));
    assert_int_equal(cardan_model_sizes(NULL).bodies, 0);
    assert_string_equal(cardan_model_name(NULL), "");
    assert_int_equal(cardan_model_find_body(NULL, "crank").index, CARDAN_INVALID);
    assert_int_equal(cardan_model_find_joint(NULL, "main").index, CARDAN_INVALID);
    assert_int_equal(cardan_model_find_input(NULL, "u").index, CARDAN_INVALID);
    assert_int_equal(cardan_model_body(NULL, 0).index, CARDAN_INVALID);
    assert_string_equal(cardan_model_body_name(NULL, (CardanBody){1}), "");
    assert_string_equal(cardan_model_joint_name(NULL, (CardanJoint){1}), "");
    assert_string_equal(cardan_model_channel_label(NULL, (CardanChannel){0}, 0, text, sizeof text), "");
    assert_int_equal(cardan_model_outputs(NULL, &names), -1);
    assert_null(cardan_model_retain(NULL));
    cardan_model_release(NULL);
    CardanOptions o = cardan_model_options(NULL), usual = cardan_default_options();
    assert_true(o.rtol == usual.rtol && o.stepper == usual.stepper);
}

static void null_builders_and_definitions_are_refused(void **state) {
    (void)state;
    CardanModel *model = NULL;
    CardanBuilder *out = NULL;
    REFUSED(cardan_builder_compile(NULL, &model));
    REFUSED(cardan_builder_read_file(NULL, &out));
    assert_string_equal(cardan_builder_message(out), "the path is NULL");
    cardan_builder_destroy(out);
    REFUSED(cardan_builder_read_file("models/pendulum.yaml", NULL));
    REFUSED(cardan_builder_read_text(NULL, 3, "text", &out));
    assert_string_equal(cardan_builder_message(out), "the text is NULL");
    cardan_builder_destroy(out);
    REFUSED(cardan_builder_set_parameter(NULL, "m", 1.0));
    assert_int_equal(cardan_builder_add_body(NULL, NULL).index, CARDAN_INVALID);
    assert_int_equal(cardan_builder_add_joint(NULL, NULL).index, CARDAN_INVALID);
    assert_int_equal(cardan_builder_add_force(NULL, NULL).index, CARDAN_INVALID);
    assert_int_equal(cardan_builder_add_rows(NULL, NULL).index, CARDAN_INVALID);
    assert_int_equal(cardan_builder_add_block(NULL, NULL).index, CARDAN_INVALID);
    assert_int_equal(cardan_builder_add_input(NULL, "u", 0.0).index, CARDAN_INVALID);
    cardan_builder_destroy(NULL);
    CardanBuilder *b = cardan_builder_create(CARDAN_SPACE_PLANAR);
    assert_int_equal(cardan_builder_add_body(b, NULL).index, CARDAN_INVALID);
    REFUSED(cardan_builder_status(b));
    assert_true(strlen(cardan_builder_message(b)) > 5);
    REFUSED(cardan_builder_compile(b, &model)); /* the first error is kept */
    assert_null(model);
    cardan_builder_destroy(b);
}

/* ---- a living simulation ---- */

static CardanStatus level_row(void *user, double t, const CardanFrame *frames, double *g, CardanTwistRow *jacobian,
                              double *rate, double *gamma) {
    (void)user, (void)t, (void)rate, (void)gamma;
    g[0] = frames[0].x.y;
    jacobian[0][1] = 1.0;
    return CARDAN_OK;
}

static CardanSim *living(CardanModel **model) {
    *model = machine();
    CardanSim *sim = sim_of(*model, NULL);
    advance(sim, 0.1);
    return sim;
}

static void times_that_are_none_are_refused_and_change_nothing(void **state) {
    (void)state;
    CardanModel *model;
    CardanSim *sim = living(&model);
    Snapshot before = snapshot_of(sim);
    const double nan = (double)NAN, inf = (double)INFINITY;
    REFUSED(cardan_sim_advance(sim, 0.05)); /* backwards */
    REFUSED(cardan_sim_advance(sim, nextafter(0.1, 0.0)));
    REFUSED(cardan_sim_advance(sim, nan));
    REFUSED(cardan_sim_advance(sim, inf));
    REFUSED(cardan_sim_advance(sim, -inf));
    REFUSED(cardan_sim_step(sim, 0.1)); /* no room */
    REFUSED(cardan_sim_step(sim, 0.0));
    REFUSED(cardan_sim_step(sim, nan));
    REFUSED(cardan_sim_step(sim, -inf));
    double x;
    CardanChannel energy;
    assert_int_equal(cardan_model_find_channel(model, "slider.x", &energy, NULL, 0), CARDAN_OK);
    REFUSED(cardan_sim_sample(sim, nan, 1, &energy, &x));
    REFUSED(cardan_sim_sample(sim, 0.11, 1, &energy, &x));
    REFUSED(cardan_sim_sample(sim, 0.1 - 1.01 * cardan_sim_last_step(sim), 1, &energy, &x));
    assert_unchanged(&before, sim);
    cardan_sim_destroy(sim);
    cardan_model_release(model);
}

static void foreign_handles_are_refused_and_change_nothing(void **state) {
    (void)state;
    CardanModel *model;
    CardanSim *sim = living(&model);
    Snapshot before = snapshot_of(sim);
    const int bad[] = {-1, INT_MIN, INT_MAX, 5, 1000};
    double x[64];
    CardanBodyState body;
    CardanWrench reaction;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        REFUSED(cardan_sim_set_input(sim, (CardanInput){bad[i]}, 1.0));
        REFUSED(cardan_sim_apply_wrench(sim, (CardanBody){bad[i]}, (CardanWrench){0}));
        REFUSED(cardan_sim_body(sim, (CardanBody){bad[i]}, &body));
        REFUSED(cardan_sim_joint(sim, (CardanJoint){bad[i]}, x, x));
        REFUSED(cardan_sim_effort(sim, (CardanJoint){bad[i]}, x));
        REFUSED(cardan_sim_power(sim, (CardanJoint){bad[i]}, x));
        REFUSED(cardan_sim_reaction(sim, (CardanJoint){bad[i]}, &reaction));
        REFUSED(cardan_sim_get_input(sim, (CardanInput){bad[i]}, x));
        assert_string_equal(cardan_model_body_name(model, (CardanBody){bad[i]}), "");
        assert_string_equal(cardan_model_joint_name(model, (CardanJoint){bad[i]}), "");
        assert_int_equal(cardan_model_joint_rows(model, (CardanJoint){bad[i]}), -1);
        assert_int_equal(cardan_model_joint_coordinate(model, (CardanJoint){bad[i]}), CARDAN_COORDINATE_NONE);
        assert_int_equal(cardan_model_body(model, bad[i]).index, CARDAN_INVALID);
        assert_int_equal(cardan_model_body_kind(model, (CardanBody){bad[i]}), CARDAN_BODY_NONE);
    }
    REFUSED(cardan_sim_apply_wrench(sim, (CardanBody){0}, (CardanWrench){0})); /* the ground feels nothing */
    REFUSED(cardan_sim_set_input(sim, (CardanInput){0}, 1.0));
    REFUSED(cardan_sim_joint(sim, (CardanJoint){0}, x, x));
    assert_unchanged(&before, sim);
    cardan_sim_destroy(sim);
    cardan_model_release(model);
}

static void foreign_channels_are_refused_and_have_no_heading(void **state) {
    (void)state;
    CardanModel *model;
    CardanSim *sim = living(&model);
    Snapshot before = snapshot_of(sim);
    CardanChannel angle, reaction, x, own[3];
    assert_int_equal(cardan_model_find_channel(model, "main.angle", &angle, NULL, 0), CARDAN_OK);
    assert_int_equal(cardan_model_find_channel(model, "main.reaction", &reaction, NULL, 0), CARDAN_OK);
    assert_int_equal(cardan_model_find_channel(model, "slider.x", &x, NULL, 0), CARDAN_OK);
    own[0] = angle, own[1] = reaction, own[2] = x;
    const int bad[] = {-1, INT_MIN, INT_MAX, 1000};
    double values[64];
    char label[64];
    for (int k = 0; k < 3; k++)
        for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
            for (int field = 0; field < 3; field++) {
                CardanChannel c = own[k];
                int *number = field == 0 ? &c.measure : field == 1 ? &c.object : &c.width;
                *number = bad[i];
                REFUSED(cardan_sim_sample(sim, 0.1, 1, &c, values));
                assert_string_equal(cardan_model_channel_label(model, c, 0, label, sizeof label), "");
                assert_string_equal(cardan_model_channel_label(model, c, 999, label, sizeof label), "");
            }
    /* of another model: a joint there, rows without a coordinate here */
    CardanBuilder *b = mechanism_chain(CARDAN_SPACE_PLANAR, 1);
    for (int i = 0; i < 3; i++) {
        const char *const names[] = {"w0", "w1", "w2", "r0", "r1", "r2"};
        CardanBody body =
            cardan_builder_add_body(b, &(CardanBodyDef){DEFAULTED, .name = names[i], .mass = 1.0, .inertia.zz = 1.0});
        cardan_builder_add_rows(b, &(CardanRowsDef){DEFAULTED, .name = names[3 + i], .rows = 1, .bodies = 1,
                                                    .body = &body, .evaluate = level_row});
    }
    CardanModel *other = model_of(b);
    CardanSim *there = sim_of(other, NULL);
    for (int object = 0; object < 4; object++) {
        CardanChannel c = angle;
        c.object = object;
        CardanStatus status = cardan_sim_sample(there, 0.0, 1, &c, values);
        assert_true(status == CARDAN_OK || status == CARDAN_ERR_ARGUMENT);
    }
    assert_unchanged(&before, sim);
    cardan_sim_destroy(there);
    cardan_model_release(other);
    cardan_sim_destroy(sim);
    cardan_model_release(model);
}

static void numbers_that_are_none_and_missing_room_are_refused(void **state) {
    (void)state;
    CardanModel *model;
    CardanSim *sim = living(&model);
    Snapshot before = snapshot_of(sim), broken = before;
    const double nan = (double)NAN;
    double q[16], v[16];
    memcpy(q, cardan_sim_positions(sim), 9 * sizeof *q);
    memcpy(v, cardan_sim_velocities(sim), 9 * sizeof *v);
    CardanChannel c;
    assert_int_equal(cardan_model_find_channel(model, "energy", &c, NULL, 0), CARDAN_OK);
    REFUSED(cardan_sim_set_input(sim, (CardanInput){1}, nan));
    REFUSED(cardan_sim_apply_wrench(sim, (CardanBody){1}, (CardanWrench){.force = {nan, 0, 0}}));
    REFUSED(cardan_sim_apply_wrench(sim, (CardanBody){1}, (CardanWrench){.moment = {0, 0, (double)INFINITY}}));
    for (int i = 0; i < before.size; i++) {
        broken.state[i] = nan;
        REFUSED(cardan_sim_set_state(sim, broken.state));
        broken.state[i] = before.state[i];
    }
    REFUSED(cardan_sim_set_motion(sim, nan, q, v));
    v[3] = nan;
    REFUSED(cardan_sim_set_motion(sim, 0.0, q, v));
    REFUSED(cardan_sim_set_motion(sim, 0.0, NULL, v));
    REFUSED(cardan_sim_set_motion(sim, 0.0, q, NULL));
    REFUSED(cardan_sim_get_state(sim, NULL));
    REFUSED(cardan_sim_set_state(sim, NULL));
    REFUSED(cardan_sim_body(sim, (CardanBody){1}, NULL));
    REFUSED(cardan_sim_energy(sim, NULL));
    REFUSED(cardan_sim_sample(sim, 0.1, 1, &c, NULL));
    REFUSED(cardan_sim_sample(sim, 0.1, 1, NULL, q));
    REFUSED(cardan_sim_sample(sim, 0.1, -1, &c, q));
    REFUSED(cardan_sim_set_parameter(sim, NULL, 1.0));
    REFUSED(cardan_sim_clone(sim, NULL));
    REFUSED(cardan_sim_create(model, NULL, NULL));
    assert_int_equal(cardan_sim_sample(sim, 0.1, 0, NULL, NULL), CARDAN_OK); /* nothing asked, nothing given */
    assert_int_equal(cardan_sim_evaluate(sim, NULL, NULL), CARDAN_OK);       /* either may be NULL */
    assert_int_equal(cardan_sim_joint(sim, (CardanJoint){1}, NULL, NULL), CARDAN_OK);
    assert_unchanged(&before, sim);
    cardan_sim_destroy(sim);
    cardan_model_release(model);
}

static void refused_calls_leave_the_motion_alone(void **state) {
    (void)state;
    CardanModel *model;
    CardanSim *sim = living(&model), *other = sim_of(model, NULL);
    advance(other, 0.1);
    REFUSED(cardan_sim_advance(sim, 0.0));
    REFUSED(cardan_sim_set_input(sim, (CardanInput){7}, 3.0));
    REFUSED(cardan_sim_apply_wrench(sim, (CardanBody){9}, (CardanWrench){.force = {1, 1, 1}}));
    REFUSED(cardan_sim_apply_wrench(sim, (CardanBody){1}, (CardanWrench){.force = {1, (double)NAN, 1}}));
    advance(sim, 0.3);
    advance(other, 0.3);
    assert_same_bits(sim, other);
    cardan_sim_destroy(sim);
    cardan_sim_destroy(other);
    cardan_model_release(model);
}

/* ---- options ---- */

static CardanOptions unreasonable(int which) {
    CardanOptions o = cardan_default_options();
    const double nan = (double)NAN;
    switch (which) {
    case 0:
        o.stepper = CARDAN_STEPPER_RK4;
        break; /* no step */
    case 1:
        o.rtol = -1.0;
        break;
    case 2:
        o.atol = -1e-9;
        break;
    case 3:
        o.atol = nan;
        break;
    case 4:
        o.step = nan;
        break;
    case 5:
        o.step = -1e-3;
        break;
    case 6:
        o.max_step = (double)INFINITY;
        break;
    case 7:
        o.max_steps = -1;
        break;
    case 8:
        o.stabilise.passes = 0;
        break;
    case 9:
        o.stabilise.passes = 3;
        break;
    case 10:
        o.stabilise.freeze = -2;
        break;
    case 11:
        o.step = 0.1, o.max_step = 0.01;
        break;
    case 12:
        o.stabilise.alpha = -1.0;
        break;
    case 13:
        o.stepper = (CardanStepper)99;
        break;
    case 14:
        o.solver = (CardanSolver)-1;
        break;
    case 15:
        o.stabilise.method = (CardanStabiliseMethod)17;
        break;
    default:
        o.stabilise.levels = (CardanLevels)3;
        break;
    }
    return o;
}

static void options_that_make_no_sense_are_refused_with_a_sentence(void **state) {
    (void)state;
    const char *words[] = {"step",     "relative",  "absolute", "absolute", "step",   "step",
                           "max_step", "max_steps", "passes",   "passes",   "freeze", "max_step",
                           "alpha",    "stepper",   "solver",   "stabil",   "stabil"};
    CardanModel *model = machine();
    for (int i = 0; i < (int)(sizeof words / sizeof *words); i++) {
        CardanOptions o = unreasonable(i);
        CardanSim *sim = NULL;
        char message[256];
        CardanStatus checked = cardan_options_check(&o, message, sizeof message);
        CardanStatus status = cardan_sim_create(model, &o, &sim);
        if (status != (i < 13 ? CARDAN_ERR_MODEL : CARDAN_ERR_ARGUMENT)) fail_msg("case %d: status %d", i, (int)status);
        assert_int_equal(status, checked);
        assert_non_null(sim); /* so that the sentence can be read */
        if (strstr(cardan_sim_message(sim), words[i]) == NULL) fail_msg("case %d: '%s'", i, cardan_sim_message(sim));
        assert_string_equal(cardan_sim_message(sim), message);
        cardan_sim_destroy(sim);
    }
    cardan_model_release(model);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(null_simulations_are_refused_by_every_function),
        cmocka_unit_test(null_models_are_refused_by_every_function),
        cmocka_unit_test(null_builders_and_definitions_are_refused),
        cmocka_unit_test(times_that_are_none_are_refused_and_change_nothing),
        cmocka_unit_test(foreign_handles_are_refused_and_change_nothing),
        cmocka_unit_test(foreign_channels_are_refused_and_have_no_heading),
        cmocka_unit_test(numbers_that_are_none_and_missing_room_are_refused),
        cmocka_unit_test(refused_calls_leave_the_motion_alone),
        cmocka_unit_test(options_that_make_no_sense_are_refused_with_a_sentence),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
