/* Steps that cannot be made: the status and the sentence say why, the state is the last good one to the last bit, it
 * can be read, and the simulation goes on as if nothing had happened once the reason is gone. */
#include "support/defaulted.h"
#include "support/reading.h"
#include "unit/sim_fixture.h"

/* What a callback force does when. */
typedef struct Trouble {
    double from;         /* s; fails after this time */
    CardanStatus status; /* what it returns then; CARDAN_OK: a NaN */
    bool over;           /* fails no more */
    long calls;
} Trouble;

static CardanStatus troubled(void *user, double t, const CardanFrame *frames, const double *inputs,
                             CardanWrench *wrench) {
    Trouble *trouble = user;
    (void)frames, (void)inputs;
    trouble->calls++;
    wrench[0].force.x = 0.5;
    if (t <= trouble->from || trouble->over) return CARDAN_OK;
    if (trouble->status == CARDAN_OK) wrench[0].force.x = (double)NAN;
    return trouble->status;
}

static CardanSim *troubled_sim(Trouble *trouble, const CardanOptions *options) {
    CardanBuilder *b = mechanism_slider_crank(0.2, 0.4, 0.8);
    CardanBody slider = {3};
    cardan_builder_add_force(b, &(CardanForceDef){DEFAULTED, .name = "wind", .type = CARDAN_FORCE_CALLBACK, .bodies = 1,
                                                  .bodies_list = &slider, .callback = troubled, .user = trouble});
    return sim_alone(model_of(b), options);
}

static CardanOptions options_of(int stepper, bool fixed) {
    CardanOptions o = fixed_options((CardanStepper)stepper, 3e-3);
    if ((stepper == CARDAN_STEPPER_DOPRI5 || stepper == CARDAN_STEPPER_DOP853) && !fixed) o.step = 0.0;
    return o;
}

/* Steps until one fails; the state before it. */
static CardanStatus step_to_the_end(CardanSim *sim, double end, Snapshot *before) {
    CardanStatus status = CARDAN_OK;
    while (status >= 0 && cardan_sim_time(sim) < end) {
        *before = snapshot_of(sim);
        status = cardan_sim_step(sim, end);
    }
    return status;
}

/* ---- motions beyond numbers ---- */

static CardanStatus enormous(void *user, double t, const CardanFrame *frames, const double *inputs,
                             CardanWrench *wrench) {
    (void)user, (void)t, (void)frames, (void)inputs;
    wrench[0].force.x = 1e307;
    return CARDAN_OK;
}

static void a_start_beyond_all_numbers_is_refused_by_name(void **state) {
    (void)state;
    CardanBuilder *b = cardan_builder_create(CARDAN_SPACE_PLANAR);
    cardan_builder_add_body(b, &(CardanBodyDef){DEFAULTED, .name = "rock", .mass = 1.0, .particle = true});
    CardanBody feather =
        cardan_builder_add_body(b, &(CardanBodyDef){DEFAULTED, .name = "feather", .mass = 1e-3, .particle = true});
    cardan_builder_add_force(b, &(CardanForceDef){DEFAULTED, .name = "storm", .type = CARDAN_FORCE_CALLBACK,
                                                  .bodies = 1, .bodies_list = &feather, .callback = enormous});
    CardanModel *model = model_of(b);
    CardanSim *sim = NULL;
    assert_int_equal(cardan_sim_create(model, NULL, &sim), CARDAN_ERR_NUMERIC);
    assert_non_null(strstr(cardan_sim_message(sim), "beyond all numbers, that of body 'feather' first"));
    cardan_sim_destroy(sim);
    cardan_model_release(model);
}

/* ---- forces that fail ---- */

static void a_force_that_fails_ends_the_run_at_the_last_good_state(void **state) {
    (void)state;
    for (int stepper = 0; stepper < CARDAN_STEPPERS; stepper++)
        for (int fixed = 0; keeps_joints(stepper) && fixed < 2; fixed++) {
            Trouble trouble = {.from = 0.25, .status = CARDAN_ERR_NUMERIC};
            CardanOptions o = options_of(stepper, fixed != 0);
            CardanSim *sim = troubled_sim(&trouble, &o);
            assert_int_equal(cardan_sim_advance(sim, 1.0), CARDAN_ERR_NUMERIC);
            assert_non_null(strstr(cardan_sim_message(sim), "force 'wind' failed at t = 0.25"));
            assert_true(cardan_sim_time(sim) <= 0.25 && cardan_sim_time(sim) > 0.24);
            CardanEnergy energy;
            CardanBodyState body;
            assert_int_equal(cardan_sim_energy(sim, &energy), CARDAN_OK);
            assert_int_equal(cardan_sim_body(sim, (CardanBody){3}, &body), CARDAN_OK);
            assert_true(isfinite(energy.total) && isfinite(body.position.x));
            assert_true(residual_of(sim).position < 1e-11);
            cardan_sim_destroy(sim);
        }
}

static void a_failed_step_leaves_every_number_of_the_state_as_before(void **state) {
    (void)state;
    const CardanStatus statuses[] = {CARDAN_ERR_NUMERIC, CARDAN_ERR_MODEL, CARDAN_OK};
    for (int stepper = 0; stepper < CARDAN_STEPPERS; stepper++)
        for (int fixed = 0; keeps_joints(stepper) && fixed < 2; fixed++)
            for (int k = 0; k < 3; k++) {
                Trouble trouble = {.from = 0.1, .status = statuses[k]};
                CardanOptions o = options_of(stepper, fixed != 0);
                CardanSim *sim = troubled_sim(&trouble, &o);
                Snapshot before;
                CardanStatus status = step_to_the_end(sim, 1.0, &before);
                assert_int_equal(status, statuses[k] == CARDAN_OK ? CARDAN_ERR_NUMERIC : statuses[k]);
                assert_true(before.state[0] > 0.0 && before.state[0] < 0.104); /* a NaN may show one step later */
                assert_unchanged(&before, sim);
                cardan_sim_destroy(sim);
            }
}

static void a_force_that_is_not_a_number_is_a_failure_with_a_sentence(void **state) {
    (void)state;
    for (int stepper = 0; stepper < CARDAN_STEPPERS; stepper++)
        for (int fixed = 0; keeps_joints(stepper) && fixed < 2; fixed++) {
            Trouble trouble = {.from = 0.1, .status = CARDAN_OK};
            CardanOptions o = options_of(stepper, fixed != 0);
            CardanSim *sim = troubled_sim(&trouble, &o);
            assert_int_equal(cardan_sim_advance(sim, 1.0), CARDAN_ERR_NUMERIC);
            const char *message = cardan_sim_message(sim);
            if (strlen(message) < 10 || (strstr(message, "t = 0.1") == NULL && strstr(message, "t = 0.09") == NULL))
                fail_msg("%s, %s step: no sentence with the time: '%s'", cardan_stepper_name(o.stepper),
                         fixed ? "fixed" : "own", message);
            assert_true(isfinite(cardan_sim_positions(sim)[0]));
            cardan_sim_destroy(sim);
        }
}

static void the_very_first_step_may_fail_and_leave_the_start(void **state) {
    (void)state;
    for (int stepper = 0; stepper < CARDAN_STEPPERS; stepper++) {
        if (!keeps_joints(stepper)) continue;
        Trouble trouble = {.from = 0.0, .status = CARDAN_ERR_MODEL};
        CardanOptions o = options_of(stepper, false);
        CardanSim *sim = troubled_sim(&trouble, &o);
        Snapshot before = snapshot_of(sim);
        assert_int_equal(cardan_sim_step(sim, (double)INFINITY), CARDAN_ERR_MODEL);
        assert_unchanged(&before, sim);
        cardan_sim_destroy(sim);
    }
}

static void after_a_failure_the_motion_goes_on_as_if_there_had_been_none(void **state) {
    (void)state;
    for (int stepper = 0; stepper < CARDAN_STEPPERS; stepper++) {
        if (!keeps_joints(stepper)) continue;
        Trouble trouble = {.from = 0.1, .status = CARDAN_ERR_MODEL}, none = {.from = 1e9};
        CardanOptions o = options_of(stepper, false);
        CardanSim *failed = troubled_sim(&trouble, &o), *never = troubled_sim(&none, &o);
        Snapshot before;
        assert_int_equal(step_to_the_end(failed, 1.0, &before), CARDAN_ERR_MODEL);
        while (cardan_sim_time(never) < cardan_sim_time(failed))
            assert_int_equal(cardan_sim_step(never, 1.0), CARDAN_OK);
        trouble.over = true;
        for (int i = 0; i < 10; i++) {
            assert_int_equal(cardan_sim_step(failed, 1.0), CARDAN_OK);
            assert_int_equal(cardan_sim_step(never, 1.0), CARDAN_OK);
            assert_same_bits(failed, never);
        }
        assert_string_equal(cardan_sim_message(failed), "");
        cardan_sim_destroy(failed);
        cardan_sim_destroy(never);
    }
}

static void a_programmers_error_in_a_callback_is_not_tried_again(void **state) {
    (void)state;
    Trouble trouble = {.from = 0.1, .status = CARDAN_ERR_ARGUMENT};
    CardanSim *sim = troubled_sim(&trouble, NULL);
    Snapshot before;
    assert_int_equal(step_to_the_end(sim, 1.0, &before), CARDAN_ERR_ARGUMENT);
    long calls = trouble.calls;
    assert_int_equal(cardan_sim_step(sim, 1.0), CARDAN_ERR_ARGUMENT);
    assert_true(trouble.calls - calls < 15); /* one attempt: at most the 12 stages of dop853 and the slope */
    cardan_sim_destroy(sim);
}

/* ---- samples and failures ---- */

static void the_last_step_can_still_be_sampled_after_a_failed_one(void **state) {
    (void)state;
    for (int stepper = 0; stepper < CARDAN_STEPPERS; stepper++) {
        if (!keeps_joints(stepper)) continue;
        Trouble trouble = {.from = 0.1, .status = CARDAN_ERR_MODEL}, none = {.from = 1e9};
        CardanOptions o = options_of(stepper, false);
        CardanModel *names = model_of(mechanism_slider_crank(0.2, 0.4, 0.8));
        CardanSim *failed = troubled_sim(&trouble, &o), *never = troubled_sim(&none, &o);
        CardanChannel c;
        Snapshot before;
        double a, b;
        assert_int_equal(cardan_model_find_channel(names, "slider.vx", &c, NULL, 0), CARDAN_OK);
        assert_int_equal(step_to_the_end(failed, 1.0, &before), CARDAN_ERR_MODEL);
        while (cardan_sim_time(never) < cardan_sim_time(failed))
            assert_int_equal(cardan_sim_step(never, 1.0), CARDAN_OK);
        double t = cardan_sim_time(never) - 0.5 * cardan_sim_last_step(never);
        assert_int_equal(cardan_sim_sample(never, t, 1, &c, &b), CARDAN_OK);
        CardanStatus status = cardan_sim_sample(failed, t, 1, &c, &a);
        if (status >= 0 && a != b) /* refused would be fair too */
            fail_msg("%s: %.17g after a failed step, %.17g without one", cardan_stepper_name(o.stepper), a, b);
        cardan_sim_destroy(failed);
        cardan_sim_destroy(never);
        cardan_model_release(names);
    }
}

static void a_new_input_does_not_change_what_was(void **state) {
    (void)state;
    for (int stepper = 0; stepper < CARDAN_STEPPERS; stepper++) {
        if (!keeps_joints(stepper)) continue;
        CardanBuilder *b = mechanism_slider_crank(0.2, 0.4, 0.8);
        CardanInput u = cardan_builder_add_input(b, "u", 0.1);
        cardan_builder_add_force(b, &(CardanForceDef){DEFAULTED, .name = "motor", .type = CARDAN_FORCE_TORQUE,
                                                      .joint = {1}, .law = {"u", NULL, NULL}});
        CardanModel *model = model_of(b);
        CardanOptions o = options_of(stepper, false);
        CardanSim *changed = sim_of(model, &o), *plain = sim_of(model, &o);
        CardanChannel c;
        double was, is;
        assert_int_equal(cardan_model_find_channel(model, "slider.vx", &c, NULL, 0), CARDAN_OK);
        advance(changed, 0.1);
        advance(plain, 0.1);
        double t = 0.1 - 0.5 * cardan_sim_last_step(plain);
        assert_int_equal(cardan_sim_sample(plain, t, 1, &c, &was), CARDAN_OK);
        assert_int_equal(cardan_sim_set_input(changed, u, 50.0), CARDAN_OK);
        CardanStatus status = cardan_sim_sample(changed, t, 1, &c, &is);
        if (status >= 0 && is != was) /* refused would be fair too */
            fail_msg("%s: %.17g after the input changed, %.17g before", cardan_stepper_name(o.stepper), is, was);
        cardan_sim_destroy(changed);
        cardan_sim_destroy(plain);
        cardan_model_release(model);
    }
}

/* ---- laws and singular poses ---- */

static void a_law_that_is_not_defined_names_its_force_and_the_time(void **state) {
    (void)state;
    CardanBuilder *b = mechanism_slider_crank(0.2, 0.4, 0.8);
    cardan_builder_add_force(b, &(CardanForceDef){DEFAULTED, .name = "motor", .type = CARDAN_FORCE_TORQUE, .joint = {1},
                                                  .law = {"sqrt(0.125 - t)", NULL, NULL}});
    CardanSim *sim = sim_alone(model_of(b), NULL);
    assert_int_equal(cardan_sim_advance(sim, 1.0), CARDAN_ERR_NUMERIC);
    assert_non_null(strstr(cardan_sim_message(sim), "force 'motor'"));
    assert_non_null(strstr(cardan_sim_message(sim), "sqrt(-"));
    assert_non_null(strstr(cardan_sim_message(sim), "t = 0.125"));
    assert_true(cardan_sim_time(sim) > 0.12 && cardan_sim_time(sim) <= 0.125);
    cardan_sim_destroy(sim);
}

/* The law is defined for inputs >= 0 only. */
static void every_call_that_fails_leaves_its_own_sentence(void **state) {
    (void)state;
    CardanBuilder *b = mechanism_slider_crank(0.2, 0.4, 0.8);
    CardanInput u = cardan_builder_add_input(b, "u", 1.0);
    cardan_builder_add_parameter(b, "m", 1.0);
    cardan_builder_bind(b, "crank.mass", "m");
    cardan_builder_add_force(b, &(CardanForceDef){DEFAULTED, .name = "motor", .type = CARDAN_FORCE_TORQUE, .joint = {1},
                                                  .law = {"sqrt(u)", NULL, NULL}});
    CardanModel *model = model_of(b);
    CardanSim *sim = sim_of(model, NULL);
    CardanChannel c;
    CardanEnergy energy;
    advance(sim, 0.05);
    Snapshot before = snapshot_of(sim);
    assert_int_equal(cardan_model_find_channel(model, "pin.reaction", &c, NULL, 0), CARDAN_OK);
    for (int call = 0; call < 7; call++) {
        double values[3];
        char words[32];
        snprintf(words, sizeof words, "sqrt(-%d)", call + 1);
        assert_int_equal(cardan_sim_set_input(sim, u, -(call + 1.0)), CARDAN_OK);
        CardanStatus status =
            call == 0   ? cardan_sim_evaluate(sim, NULL, NULL)
            : call == 1 ? cardan_sim_energy(sim, &energy)
            : call == 2 ? cardan_sim_sample(sim, 0.05, 1, &c, values)
            : call == 3 ? cardan_sim_step(sim, 1.0)
            : call == 4 ? cardan_sim_advance(sim, 1.0)
            : call == 5 ? cardan_sim_set_parameter(sim, "m", 2.0)
                        : cardan_sim_set_motion(sim, 7.0, cardan_sim_positions(sim), cardan_sim_velocities(sim));
        if (status != CARDAN_ERR_NUMERIC) fail_msg("call %d: status %d", call, (int)status);
        if (strstr(cardan_sim_message(sim), words) == NULL)
            fail_msg("call %d: '%s' instead of a sentence with %s", call, cardan_sim_message(sim), words);
    }
    assert_unchanged(&before, sim);
    CardanWrench none;
    assert_int_equal(cardan_sim_reaction(sim, (CardanJoint){1}, &none), CARDAN_ERR_NUMERIC);
    assert_int_equal(cardan_sim_set_input(sim, u, 1.0), CARDAN_OK);
    advance(sim, 0.1);
    assert_string_equal(cardan_sim_message(sim), "");
    cardan_sim_destroy(sim);
    cardan_model_release(model);
}

/* Crank and rod of the same length: upright, the slider is at the crank's bearing and could go either way. */
static void a_singular_pose_ends_the_run_and_names_a_joint_and_the_time(void **state) {
    (void)state;
    for (int solver = CARDAN_SOLVER_DENSE; solver < CARDAN_SOLVERS; solver++) {
        CardanBuilder *b = mechanism_slider_crank(0.2, 0.2, acos(0.0) - 0.5);
        cardan_builder_set_start_rate(b, (CardanJoint){1}, 1.0);
        cardan_builder_set_gravity(b, (CardanVec3){0.0, 0.0, 0.0});
        CardanOptions o = cardan_default_options();
        o.solver = (CardanSolver)solver;
        o.regularise.method = CARDAN_REGULARISE_NONE;
        CardanModel *model = model_of(b);
        CardanSim *sim = sim_of(model, &o);
        CardanStatus status = CARDAN_OK;
        /* lands on the pose again and again: 0.5 rad at a rate of 1 rad/s and a bit */
        Snapshot before = snapshot_of(sim);
        double angle = 0.0, rate = 0.0;
        while (status >= 0 && angle < 0.6) {
            before = snapshot_of(sim);
            status = cardan_sim_joint(sim, (CardanJoint){1}, &angle, &rate);
            double wait = (0.5 - angle) / rate; /* Newton on the time of the singular pose */
            if (status >= 0) status = cardan_sim_advance(sim, cardan_sim_time(sim) + fmax(wait, 1e-13));
        }
        if (status != CARDAN_ERR_NUMERIC)
            fail_msg("%s: status %d at angle %.17g: %s", cardan_solver_name(o.solver), (int)status, angle - 0.5,
                     cardan_sim_message(sim));
        const char *message = cardan_sim_message(sim);
        bool named = strstr(message, "'main'") || strstr(message, "'pin'") || strstr(message, "'wrist'") ||
                     strstr(message, "'guide'");
        if (!named || strstr(message, "t = ") == NULL) fail_msg("'%s' names no joint or no time", message);
        assert_true(cardan_sim_time(sim) >= before.state[0]);
        CardanBodyState slider;
        assert_int_equal(cardan_sim_body(sim, (CardanBody){3}, &slider), CARDAN_OK);
        assert_near(slider.position.x, 0.0, 1e-3);
        assert_true(residual_of(sim).position < 1e-9);
        assert_int_equal(cardan_sim_joint(sim, (CardanJoint){1}, &angle, NULL), CARDAN_OK);
        assert_near(angle, 0.5, 1e-2);
        cardan_sim_destroy(sim);
        cardan_model_release(model);
    }
}

static void a_start_in_a_singular_pose_is_refused_with_names(void **state) {
    (void)state;
    CardanModel *model = model_of(mechanism_slider_crank(0.2, 0.2, acos(0.0)));
    CardanSim *sim = NULL;
    CardanOptions o = cardan_default_options();
    o.regularise.method = CARDAN_REGULARISE_NONE;
    CardanStatus status = cardan_sim_create(model, &o, &sim);
    assert_int_equal(status, CARDAN_ERR_NUMERIC);
    assert_non_null(sim);
    assert_non_null(strstr(cardan_sim_message(sim), "'guide'"));
    cardan_sim_destroy(sim);
    cardan_model_release(model);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_start_beyond_all_numbers_is_refused_by_name),
        cmocka_unit_test(a_force_that_fails_ends_the_run_at_the_last_good_state),
        cmocka_unit_test(a_failed_step_leaves_every_number_of_the_state_as_before),
        cmocka_unit_test(a_force_that_is_not_a_number_is_a_failure_with_a_sentence),
        cmocka_unit_test(the_very_first_step_may_fail_and_leave_the_start),
        cmocka_unit_test(after_a_failure_the_motion_goes_on_as_if_there_had_been_none),
        cmocka_unit_test(a_programmers_error_in_a_callback_is_not_tried_again),
        cmocka_unit_test(the_last_step_can_still_be_sampled_after_a_failed_one),
        cmocka_unit_test(a_new_input_does_not_change_what_was),
        cmocka_unit_test(a_law_that_is_not_defined_names_its_force_and_the_time),
        cmocka_unit_test(every_call_that_fails_leaves_its_own_sentence),
        cmocka_unit_test(a_singular_pose_ends_the_run_and_names_a_joint_and_the_time),
        cmocka_unit_test(a_start_in_a_singular_pose_is_refused_with_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
