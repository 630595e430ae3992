/* A simulation as a part of somebody else's program: state as numbers, clones, inputs, wrenches, parameters. */
#include "support/defaulted.h"
#include "support/reading.h"
#include "support/sample.h"
#include "unit/sim_fixture.h"

#include "model/model.h"
#include "nets.h"
#include "sim/sim.h"

/* Crank and rod of lengths r, l on parameters, mass of the crank on m, a motor with the input u. */
static CardanModel *machine(double r, double m) {
    char text[1200];
    snprintf(text, sizeof text,
             "{cardan: 1, space: planar, gravity: [0, -9.81], parameters: {r: %.17g, l: 0.4, m: %.17g, c: 0.02},"
             " inputs: {u: 0.3},"
             " bodies: {crank: {mass: m, inertia: 'm*r^2/12', position: ['r*cos(0.8)/2', 'r*sin(0.8)/2'], angle: 0.8},"
             "  rod: {mass: 2, inertia: '2*l^2/12', position: ['r*cos(0.8) + l/2*cos(asin(-r*sin(0.8)/l))',"
             "   'r*sin(0.8)/2'], angle: 'asin(-r*sin(0.8)/l)'},"
             "  slider: {mass: 0.5, inertia: 1e-3, position: ['r*cos(0.8) + l*cos(asin(-r*sin(0.8)/l))', 0]}},"
             " joints: {main: {type: revolute, bodies: [ground, crank], point: [0, 0]},"
             "  pin: {type: revolute, bodies: [crank, rod], local: {a: ['r/2', 0], b: ['-l/2', 0]}},"
             "  wrist: {type: revolute, bodies: [rod, slider], local: {a: ['l/2', 0], b: [0, 0]}},"
             "  guide: {type: prismatic, bodies: [ground, slider], point: [0, 0], axis: [1, 0]}},"
             " forces: {motor: {type: torque, joint: main, value: 'u - c*main.rate + 0*sqrt(2 - m)'}}}",
             r, m);
    return model_of_text(text);
}

/* ---- the state as numbers ---- */

static void a_state_put_back_goes_on_with_the_same_bits(void **state) {
    (void)state;
    CardanBuilder *builders[] = {mechanism_slider_crank(0.2, 0.4, 0.8), mechanism_chain(CARDAN_SPACE_SPATIAL, 4)};
    for (int m = 0; m < 2; m++) {
        CardanModel *model = model_of(builders[m]);
        for (int stepper = 0; stepper < CARDAN_STEPPERS; stepper++) {
            if (!keeps_joints(stepper) || !sample_has(stepper + m, 2)) continue;
            CardanOptions o = fixed_options((CardanStepper)stepper, 1e-3);
            if (stepper == CARDAN_STEPPER_DOPRI5 || stepper == CARDAN_STEPPER_DOP853) o.step = 0.0;
            CardanSim *sim = sim_of(model, &o), *other = sim_of(model, &o);
            advance(sim, 0.1);
            Snapshot middle = snapshot_of(sim);
            for (int i = 0; i < 20; i++) assert_int_equal(cardan_sim_step(sim, (double)INFINITY), CARDAN_OK);
            Snapshot end = snapshot_of(sim);
            assert_false(same_bits(&middle, &end));
            CardanSim *two[] = {sim, other}; /* back in the same one, and in one that has been nowhere */
            for (int k = 0; k < 2; k++) {
                assert_int_equal(cardan_sim_set_state(two[k], middle.state), CARDAN_OK);
                assert_unchanged(&middle, two[k]);
                for (int i = 0; i < 20; i++) assert_int_equal(cardan_sim_step(two[k], (double)INFINITY), CARDAN_OK);
                assert_unchanged(&end, two[k]);
            }
            cardan_sim_destroy(sim);
            cardan_sim_destroy(other);
        }
        cardan_model_release(model);
    }
}

/* No step that an event split is left from where the simulation was before. */
static void a_state_of_an_earlier_time_goes_on_with_steps_of_its_own(void **state) {
    (void)state;
    CardanModel *model = model_of(mechanism_chain(CARDAN_SPACE_SPATIAL, 2));
    CardanOptions o = fixed_options(CARDAN_STEPPER_RK4, 1e-3);
    CardanSim *sim = sim_of(model, &o);
    Snapshot start = snapshot_of(sim);
    start.state[0] = -1.0; /* s */
    assert_int_equal(cardan_sim_set_state(sim, start.state), CARDAN_OK);
    assert_int_equal(cardan_sim_step(sim, (double)INFINITY), CARDAN_OK);
    assert_near(cardan_sim_last_step(sim), 1e-3, 1e-15);
    cardan_sim_destroy(sim);
    cardan_model_release(model);
}

/* What the passage remembers is part of the state: before, in and after the flat pose of A02, at about 0.62 s; without
 * and with redundant rows. */
static void check_bits_through_a_pose(CardanModel *model) {
    CardanOptions o = cardan_default_options();
    o.rtol = 1e-9;
    o.atol = 1e-10;
    CardanSim *sim = sim_of(model, &o);
    for (int i = 1; i <= 24; i++) {
        CardanSim *other = sim_of(model, &o), *copy = NULL;
        Snapshot here = snapshot_of(sim);
        assert_int_equal(cardan_sim_clone(sim, &copy), CARDAN_OK);
        assert_int_equal(cardan_sim_set_state(other, here.state), CARDAN_OK);
        advance(sim, 0.05 * i);
        advance(other, 0.05 * i);
        advance(copy, 0.05 * i);
        assert_same_bits(sim, other);
        assert_same_bits(sim, copy);
        cardan_sim_destroy(other);
        cardan_sim_destroy(copy);
    }
    assert_true(cardan_sim_events(sim, NULL, NULL) >= 1);
    cardan_sim_destroy(sim);
    cardan_model_release(model);
}

static void a_state_put_back_passes_a_singular_pose_with_the_same_bits(void **state) {
    (void)state;
    check_bits_through_a_pose(model_of(mechanism_four_bars(2)));
    check_bits_through_a_pose(model_of(mechanism_hinged_bars(2, 0.5, -1.0, true)));
}

static void a_clone_goes_on_with_the_same_bits_and_is_independent(void **state) {
    (void)state;
    CardanModel *model = machine(0.2, 1.0);
    for (int stepper = 0; stepper < CARDAN_STEPPERS; stepper++) {
        if (!keeps_joints(stepper)) continue;
        CardanOptions o = fixed_options((CardanStepper)stepper, 1e-3);
        if (stepper == CARDAN_STEPPER_DOPRI5 || stepper == CARDAN_STEPPER_DOP853) o.step = 0.0;
        CardanSim *sim = sim_of(model, &o), *copy = NULL;
        CardanInput u = cardan_model_find_input(model, "u");
        assert_int_equal(cardan_sim_set_input(sim, u, 0.7), CARDAN_OK);
        advance(sim, 0.1);
        assert_int_equal(cardan_sim_clone(sim, &copy), CARDAN_OK);
        assert_same_bits(sim, copy);
        assert_true(input_of(copy, u) == 0.7);
        advance(sim, 0.2);
        Snapshot later = snapshot_of(sim);
        advance(copy, 0.2);
        assert_same_bits(sim, copy);
        assert_int_equal(cardan_sim_set_input(copy, u, -5.0), CARDAN_OK);
        advance(copy, 0.3);
        assert_unchanged(&later, sim);
        assert_true(input_of(sim, u) == 0.7);
        cardan_sim_destroy(copy);
        advance(sim, 0.3);
        cardan_sim_destroy(sim);
    }
    cardan_model_release(model);
}

static void a_clone_takes_a_waiting_wrench_and_its_own_parameters_along(void **state) {
    (void)state;
    CardanModel *model = machine(0.2, 1.0);
    CardanSim *sim = sim_of(model, NULL), *copy = NULL;
    assert_true(cardan_sim_set_parameter(sim, "m", 1.5) >= 0);
    advance(sim, 0.05);
    assert_int_equal(cardan_sim_apply_wrench(sim, (CardanBody){3}, (CardanWrench){.force = {4.0, 0.0, 0.0}}),
                     CARDAN_OK);
    assert_int_equal(cardan_sim_clone(sim, &copy), CARDAN_OK);
    for (int i = 1; i <= 3; i++) { /* the wrench acts in the first only */
        advance(sim, 0.05 + 0.05 * i);
        advance(copy, 0.05 + 0.05 * i);
        assert_same_bits(sim, copy);
    }
    cardan_sim_destroy(sim);
    cardan_sim_destroy(copy);
    cardan_model_release(model);
}

static void a_motion_can_be_set_on_the_constraints_only(void **state) {
    (void)state;
    CardanModel *model = machine(0.2, 1.0);
    CardanSim *sim = sim_of(model, NULL), *other = sim_of(model, NULL);
    double q[9], v[9];
    advance(sim, 0.2);
    memcpy(q, cardan_sim_positions(sim), sizeof q);
    memcpy(v, cardan_sim_velocities(sim), sizeof v);
    assert_int_equal(cardan_sim_set_motion(other, 5.0, q, v), CARDAN_OK);
    assert_true(cardan_sim_time(other) == 5.0);
    assert_true(largest_difference(model, sim, other) < 1e-13);
    advance(sim, 0.4);
    advance(other, 5.2); /* nothing here depends on t: the same motion, later */
    assert_true(largest_difference(model, sim, other) < 1e-4);
    Snapshot before = snapshot_of(other);
    q[0] += 1e-3;
    assert_int_equal(cardan_sim_set_motion(other, 0.0, q, v), CARDAN_ERR_MODEL);
    assert_non_null(strstr(cardan_sim_message(other), "does not meet the constraints"));
    assert_unchanged(&before, other);
    cardan_sim_destroy(sim);
    cardan_sim_destroy(other);
    cardan_model_release(model);
}

/* ---- inputs ---- */

static void an_input_changes_the_motion_from_then_on_and_only_then(void **state) {
    (void)state;
    CardanModel *model = machine(0.2, 1.0);
    CardanInput u = cardan_model_find_input(model, "u");
    CardanOptions o = tight_options();
    CardanSim *changed = sim_of(model, &o), *plain = sim_of(model, &o);
    assert_true(input_of(plain, u) == 0.3);
    advance(changed, 0.1);
    advance(plain, 0.1);
    assert_same_bits(changed, plain);
    double a[9], b[9], jump = 0.0;
    assert_int_equal(cardan_sim_evaluate(plain, a, NULL), CARDAN_OK);
    Snapshot before = snapshot_of(changed);
    assert_int_equal(cardan_sim_set_input(changed, u, 1.3), CARDAN_OK);
    assert_unchanged(&before, changed); /* accelerations jump, the state does not */
    assert_int_equal(cardan_sim_evaluate(changed, b, NULL), CARDAN_OK);
    for (int i = 0; i < 9; i++) jump = fmax(jump, fabs(a[i] - b[i]));
    assert_true(jump > 1.0);
    double angle, angle_plain, rate, rate_plain, h = 1e-3;
    advance(changed, 0.1 + h);
    advance(plain, 0.1 + h);
    MUST(cardan_sim_joint(changed, (CardanJoint){1}, &angle, &rate));
    MUST(cardan_sim_joint(plain, (CardanJoint){1}, &angle_plain, &rate_plain));
    assert_near(rate - rate_plain, (b[2] - a[2]) * h, 1e-2 * fabs(b[2] - a[2]) * h);
    cardan_sim_destroy(changed);
    cardan_sim_destroy(plain);
    cardan_model_release(model);
}

/* Constant from the start: the same as a model with that value, to the last bit. */
static void an_input_is_the_number_it_stands_for(void **state) {
    (void)state;
    CardanBuilder *b = mechanism_slider_crank(0.2, 0.4, 0.8), *c = mechanism_slider_crank(0.2, 0.4, 0.8);
    CardanInput u = cardan_builder_add_input(b, "u", 0.0);
    CardanForceDef law = {DEFAULTED, .name = "motor", .type = CARDAN_FORCE_TORQUE, .joint = {1},
                          .law = {"u", NULL, NULL}};
    CardanForceDef number = {DEFAULTED, .name = "motor", .type = CARDAN_FORCE_TORQUE, .joint = {1},
                             .value = {0.25, 0.0, 0.0}};
    cardan_builder_add_force(b, &law);
    cardan_builder_add_force(c, &number);
    CardanSim *by_input = sim_alone(model_of(b), NULL), *by_number = sim_alone(model_of(c), NULL);
    assert_int_equal(cardan_sim_set_input(by_input, u, 0.25), CARDAN_OK);
    for (int i = 1; i <= 20; i++) {
        advance(by_input, 0.02 * i);
        advance(by_number, 0.02 * i);
        assert_memory_equal(cardan_sim_positions(by_input), cardan_sim_positions(by_number), 9 * sizeof(double));
    }
    cardan_sim_destroy(by_input);
    cardan_sim_destroy(by_number);
}

/* ---- wrenches ---- */

static void a_wrench_acts_like_a_constant_force_for_one_advance(void **state) {
    (void)state;
    CardanBuilder *b = mechanism_slider_crank(0.2, 0.4, 0.8);
    CardanBody slider = {3};
    cardan_builder_add_force(b, &(CardanForceDef){DEFAULTED, .name = "push", .type = CARDAN_FORCE_AT_POINT,
                                                  .body = slider, .value = {3.0, 0.0, 0.0}});
    cardan_builder_add_force(b, &(CardanForceDef){DEFAULTED, .name = "turn", .type = CARDAN_FORCE_TORQUE, .body = {1},
                                                  .value = {0.0, 0.0, 0.2}});
    CardanModel *model = model_of(b), *plain_model = model_of(mechanism_slider_crank(0.2, 0.4, 0.8));
    CardanOptions o = tight_options();
    CardanSim *forced = sim_of(model, &o), *pushed = sim_of(plain_model, &o), *plain = sim_of(plain_model, &o);
    assert_int_equal(cardan_sim_apply_wrench(pushed, slider, (CardanWrench){.force = {1.0, 0.0, 0.0}}), CARDAN_OK);
    assert_int_equal(cardan_sim_apply_wrench(pushed, slider, (CardanWrench){.force = {2.0, 0.0, 0.0}}), CARDAN_OK);
    assert_int_equal(cardan_sim_apply_wrench(pushed, (CardanBody){1}, (CardanWrench){.moment = {0.0, 0.0, 0.2}}),
                     CARDAN_OK);
    advance(forced, 0.1);
    advance(pushed, 0.1);
    advance(plain, 0.1);
    assert_true(largest_difference(model, forced, pushed) < 1e-10);
    assert_true(largest_difference(model, plain, pushed) > 1e-2);
    CardanEnergy of_force, of_wrench;
    MUST(cardan_sim_energy(forced, &of_force));
    MUST(cardan_sim_energy(pushed, &of_wrench));
    assert_near(of_force.work, of_wrench.work, 1e-9);
    /* gone with the next advance: the same motion as one that never had it, from the same state */
    Snapshot here = snapshot_of(pushed);
    assert_int_equal(cardan_sim_set_state(plain, here.state), CARDAN_OK);
    advance(pushed, 0.2);
    advance(plain, 0.2);
    assert_same_bits(pushed, plain);
    cardan_sim_destroy(forced);
    cardan_sim_destroy(pushed);
    cardan_sim_destroy(plain);
    cardan_model_release(model);
    cardan_model_release(plain_model);
}

static void a_wrench_lasts_for_one_internal_step_too(void **state) {
    (void)state;
    CardanModel *model = model_of(mechanism_chain(CARDAN_SPACE_SPATIAL, 2));
    CardanSim *pushed = sim_of(model, NULL), *plain = sim_of(model, NULL);
    assert_int_equal(cardan_sim_apply_wrench(pushed, (CardanBody){2}, (CardanWrench){.force = {0.0, 5.0, 0.0}}),
                     CARDAN_OK);
    assert_int_equal(cardan_sim_step(pushed, 0.01), CARDAN_OK);
    Snapshot here = snapshot_of(pushed);
    assert_int_equal(cardan_sim_set_state(plain, here.state), CARDAN_OK);
    assert_int_equal(cardan_sim_step(pushed, 0.02), CARDAN_OK);
    assert_int_equal(cardan_sim_step(plain, 0.02), CARDAN_OK);
    assert_same_bits(pushed, plain);
    cardan_sim_destroy(pushed);
    cardan_sim_destroy(plain);
    cardan_model_release(model);
}

/* ---- parameters ---- */

static void another_mass_gives_the_motion_of_a_model_built_with_it(void **state) {
    (void)state;
    CardanModel *model = machine(0.2, 1.0), *heavy = machine(0.2, 1.75);
    CardanOptions o = tight_options();
    CardanSim *sim = sim_of(model, &o), *fresh = sim_of(heavy, &o);
    advance(sim, 0.1);
    double q[9], v[9];
    memcpy(q, cardan_sim_positions(sim), sizeof q);
    memcpy(v, cardan_sim_velocities(sim), sizeof v);
    assert_int_equal(cardan_sim_set_parameter(sim, "m", 1.75), CARDAN_OK); /* nothing moved: no remark */
    assert_string_equal(cardan_sim_message(sim), "");
    assert_int_equal(cardan_sim_set_motion(fresh, 0.1, q, v), CARDAN_OK);
    advance(sim, 0.3);
    advance(fresh, 0.3);
    assert_true(largest_difference(model, sim, fresh) < 1e-8);
    assert_ptr_equal(sim->model->structure, model->structure);
    assert_ptr_not_equal(sim->model, model);
    assert_near(model->values.blocks[0].mass, 1.0, 0.0);
    CardanSim *unchanged = sim_of(model, &o);
    advance(unchanged, 0.3);
    assert_true(largest_difference(model, sim, unchanged) > 1e-3);
    cardan_sim_destroy(unchanged);
    cardan_sim_destroy(sim);
    cardan_sim_destroy(fresh);
    cardan_model_release(model);
    cardan_model_release(heavy);
}

static void another_length_puts_the_state_on_the_changed_constraints(void **state) {
    (void)state;
    CardanModel *model = machine(0.2, 1.0), *longer = machine(0.21, 1.0);
    CardanOptions o = tight_options();
    CardanSim *sim = sim_of(model, &o), *fresh = sim_of(longer, &o);
    advance(sim, 0.1);
    assert_int_equal(cardan_sim_set_parameter(sim, "r", 0.21), CARDAN_REMARK);
    assert_non_null(strstr(cardan_sim_message(sim), "'r'"));
    assert_true(residual_of(sim).position < 1e-14);
    assert_true(residual_of(sim).velocity < 1e-13);
    CardanBodyState rod;
    assert_int_equal(cardan_sim_body(sim, (CardanBody){2}, &rod), CARDAN_OK);
    double pin[2] = {rod.position.x - 0.2 * cos(rod.angle), rod.position.y - 0.2 * sin(rod.angle)};
    assert_near(hypot(pin[0], pin[1]), 0.21, 1e-13);
    assert_int_equal(cardan_sim_set_motion(fresh, 0.1, cardan_sim_positions(sim), cardan_sim_velocities(sim)),
                     CARDAN_OK);
    advance(sim, 0.3);
    advance(fresh, 0.3);
    assert_true(largest_difference(model, sim, fresh) < 1e-8);
    cardan_sim_destroy(sim);
    cardan_sim_destroy(fresh);
    cardan_model_release(model);
    cardan_model_release(longer);
}

static void assert_refused(CardanSim *sim, const char *name, double value, CardanStatus expected) {
    CardanModel *model = sim->model;
    double a[9], b[9];
    Snapshot before = snapshot_of(sim);
    assert_int_equal(cardan_sim_evaluate(sim, a, NULL), CARDAN_OK);
    CardanStatus status = cardan_sim_set_parameter(sim, name, value);
    if (status != expected) fail_msg("%s = %g: status %d, %s", name, value, (int)status, cardan_sim_message(sim));
    assert_true(strlen(cardan_sim_message(sim)) > 10);
    assert_unchanged(&before, sim);
    assert_ptr_equal(sim->model, model);
    assert_int_equal(cardan_sim_evaluate(sim, b, NULL), CARDAN_OK);
    assert_memory_equal(a, b, sizeof a);
}

static void a_parameter_that_makes_no_sense_changes_nothing(void **state) {
    (void)state;
    CardanModel *model = machine(0.2, 1.0);
    CardanSim *sim = sim_of(model, NULL), *other = sim_of(model, NULL);
    advance(sim, 0.1);
    advance(other, 0.1);
    assert_refused(sim, "m", -1.0, CARDAN_ERR_MODEL);               /* a negative mass */
    assert_refused(sim, "m", (double)NAN, CARDAN_ERR_MODEL);        /* not a number */
    assert_refused(sim, "nobody", 1.0, CARDAN_ERR_MODEL);           /* no such parameter */
    assert_refused(sim, "m", 3.0, CARDAN_ERR_NUMERIC);              /* the motor's law has sqrt(2 - m) */
    CardanStatus status = cardan_sim_set_parameter(sim, "l", 0.01); /* a rod too short to close */
    assert_true(status == CARDAN_ERR_MODEL || status == CARDAN_ERR_NUMERIC);
    assert_same_bits(sim, other);
    advance(sim, 0.2);
    advance(other, 0.2);
    assert_same_bits(sim, other);
    cardan_sim_destroy(sim);
    cardan_sim_destroy(other);
    cardan_model_release(model);
}

static void a_law_that_fails_after_the_pose_was_moved_takes_the_move_back(void **state) {
    (void)state;
    CardanModel *model = model_of_text(
        "{cardan: 1, space: planar, gravity: [0, -9.81], parameters: {L: 1},"
        " bodies: {ball: {mass: 1, particle: true, position: [L, 0]}},"
        " joints: {bar: {type: distance, bodies: [ground, ball], local: {a: [0, 0], b: [0, 0]}, length: L}},"
        " forces: {push: {type: force, body: ball, value: ['sqrt(1.5 - L + 0*t)', 0]}}}");
    CardanSim *sim = sim_of(model, NULL);
    advance(sim, 0.1);
    Snapshot before = snapshot_of(sim);
    CardanStatus status = cardan_sim_set_parameter(sim, "L", 2.0);
    if (status != CARDAN_ERR_NUMERIC) fail_msg("status %d: %s", (int)status, cardan_sim_message(sim));
    assert_unchanged(&before, sim);
    assert_true(residual_of(sim).position < 1e-13);
    cardan_sim_destroy(sim);
    cardan_model_release(model);
}

static void several_parameters_change_at_once(void **state) {
    (void)state;
    CardanModel *model = model_of_text("{cardan: 1, space: planar, parameters: {a: 2, b: 1},"
                                       " bodies: {ball: {mass: 'a - b', particle: true}}}");
    const char *const names[] = {"b", "a"};
    const double values[] = {5.0, 8.0}; /* one after the other a negative mass would lie between */
    char message[256] = "";
    CardanModel *other = NULL;
    CardanStatus status = cardan_model_with_parameters(model, 2, names, values, &other, message, sizeof message);
    if (status < 0) fail_msg("%s", message);
    assert_near(other->values.blocks[0].mass, 3.0, 0.0);
    assert_ptr_equal(other->structure, model->structure);
    cardan_model_release(other);
    assert_int_equal(cardan_model_with_parameters(model, 1, names, values, &other, message, sizeof message),
                     CARDAN_ERR_MODEL);
    assert_null(other);
    assert_true(strlen(message) > 10);
    cardan_model_release(model);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_state_put_back_goes_on_with_the_same_bits),
        cmocka_unit_test(a_state_of_an_earlier_time_goes_on_with_steps_of_its_own),
        cmocka_unit_test(a_state_put_back_passes_a_singular_pose_with_the_same_bits),
        cmocka_unit_test(a_clone_goes_on_with_the_same_bits_and_is_independent),
        cmocka_unit_test(a_clone_takes_a_waiting_wrench_and_its_own_parameters_along),
        cmocka_unit_test(a_motion_can_be_set_on_the_constraints_only),
        cmocka_unit_test(an_input_changes_the_motion_from_then_on_and_only_then),
        cmocka_unit_test(an_input_is_the_number_it_stands_for),
        cmocka_unit_test(a_wrench_acts_like_a_constant_force_for_one_advance),
        cmocka_unit_test(a_wrench_lasts_for_one_internal_step_too),
        cmocka_unit_test(another_mass_gives_the_motion_of_a_model_built_with_it),
        cmocka_unit_test(another_length_puts_the_state_on_the_changed_constraints),
        cmocka_unit_test(a_parameter_that_makes_no_sense_changes_nothing),
        cmocka_unit_test(a_law_that_fails_after_the_pose_was_moved_takes_the_move_back),
        cmocka_unit_test(several_parameters_change_at_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
