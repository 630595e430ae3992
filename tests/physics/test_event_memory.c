/* What events leave behind: saved states, clones, the log, laws that stick, every stepper. */
#include "support/events.h"
#include "support/reading.h"
#include "support/sample.h"

/* A ball on springy ground with friction by sign, a table in time and a limit: every kind of switch. */
static const char *const ALL =
    "cardan: 1\nspace: planar\ngravity: [0, -9.81]\ninputs: {u: 1}\n"
    "bodies:\n  cart: {mass: 1, inertia: 1, velocity: [1, 0]}\n"
    "  ball: {mass: 1, particle: true, position: [3, 0.5], velocity: [0.2, 0]}\n"
    "joints:\n  rail: {type: prismatic, bodies: [ground, cart], axis: [1, 0]}\n"
    "forces:\n  stop: {type: limit, joint: rail, range: [-0.4, 0.4], stiffness: 300, damping: 2}\n"
    "  rub: {type: torque, joint: rail, value: \"-0.1*sign(rail.speed) + u*table(t, 0.3,0, 0.55,2, 0.9,-1)\"}\n"
    "  wave: {type: torque, joint: rail, value: \"0.5*sign(sin(7*t))\"}\n"
    "  floor: {type: contact, body: ball, plane: {point: [0, 0], normal: [0, 1]}, stiffness: 4000, exponent: 1.5, "
    "dissipation: 0.1, friction: 0.3, speed: 0.01}\n";

static void same_bits(const double *a, const double *b, int n, const char *what) {
    if (memcmp(a, b, (size_t)n * sizeof *a) != 0) fail_msg("%s: other bits", what);
}

/* Saved after any number of steps, put back into another simulation, and cloned: all go on alike. */
static void check_memory(const CardanModel *model, const CardanOptions *options) {
    CardanSim *sim = scene_start(model, options), *other = scene_start(model, options);
    int n = cardan_sim_state_size(sim);
    double *saved = room((size_t)n, sizeof *saved), *a = room((size_t)n, sizeof *a), *b = room((size_t)n, sizeof *b);
    for (int stop = 0; stop < 12; stop++) {
        for (int k = 0; k < 7 && cardan_sim_time(sim) < 2.0; k++) assert_true(cardan_sim_step(sim, 2.0) >= 0);
        if (cardan_sim_time(sim) >= 2.0) break;
        MUST(cardan_sim_get_state(sim, saved));
        assert_int_equal(cardan_sim_set_state(other, saved), CARDAN_OK);
        CardanSim *clone = NULL;
        assert_int_equal(cardan_sim_clone(sim, &clone), CARDAN_OK);
        double end = fmin(2.0, cardan_sim_time(sim) + 0.2);
        CardanSim *straight = NULL;
        assert_int_equal(cardan_sim_clone(sim, &straight), CARDAN_OK);
        scene_advance(straight, end);
        scene_advance(other, end);
        scene_advance(clone, end);
        MUST(cardan_sim_get_state(straight, a));
        MUST(cardan_sim_get_state(other, b));
        same_bits(a, b, n, "put back");
        MUST(cardan_sim_get_state(clone, b));
        same_bits(a, b, n, "cloned");
        cardan_sim_destroy(clone);
        cardan_sim_destroy(straight);
    }
    assert_true(cardan_sim_events(sim, NULL, NULL) > 4);
    free(saved);
    free(a);
    free(b);
    cardan_sim_destroy(sim);
    cardan_sim_destroy(other);
}

static void a_run_put_back_at_any_step_goes_on_with_the_same_bits(void **state) {
    (void)state;
    CardanModel *model = scene_read(ALL);
    CardanOptions options = scene_tight(1e-7, 1e-7);
    check_memory(model, &options);
    options = scene_fixed(CARDAN_STEPPER_RK4, 0.01);
    check_memory(model, &options);
    options = scene_tight(1e-2, 1e-2);
    for (int stepper = CARDAN_STEPPER_BACKWARD_EULER; stepper <= CARDAN_STEPPER_GAUSS; stepper++) {
        if (!sample_has(stepper, 2)) continue;
        options.stepper = (CardanStepper)stepper;
        check_memory(model, &options);
    }
    cardan_model_release(model);
}

/* The log has an event that is met again once, and a clone's log has none at all: no number of a state comes from it. A
 * loop, whose poses are watched for branches. */
static void an_event_that_is_met_again_leaves_the_same_bits(void **state) {
    (void)state;
    static const CardanCoordinates WAYS[] = {CARDAN_COORDINATES_ABSOLUTE, CARDAN_COORDINATES_RELATIVE};
    CardanModel *model = scene_read("cardan: 1\nspace: planar\nbodies:\n"
                                    "  crank: {mass: 1, inertia: 0.01, position: [0.1, 0]}\n"
                                    "  rod: {mass: 2, inertia: {rod: 0.4}, position: [0.4, 0]}\n"
                                    "  slider: {mass: 0.5, inertia: 1e-3, position: [0.6, 0]}\njoints:\n"
                                    "  main: {type: revolute, bodies: [ground, crank], point: [0, 0]}\n"
                                    "  pin: {type: revolute, bodies: [crank, rod], point: [0.2, 0]}\n"
                                    "  wrist: {type: revolute, bodies: [rod, slider], point: [0.6, 0]}\n"
                                    "  guide: {type: prismatic, bodies: [ground, slider], axis: [1, 0]}\n"
                                    "forces: {push: {type: torque, joint: main, value: \"0.1*abs(sin(5*t))\"}}\n"
                                    "start: {rates: {main: 5}}\n");
    for (size_t way = 0; way < sizeof WAYS / sizeof *WAYS; way++) {
        CardanOptions options = scene_tight(1e-7, 1e-7);
        options.coordinates = WAYS[way];
        CardanSim *sim = scene_start(model, &options), *clone = NULL;
        int n = cardan_sim_state_size(sim);
        double *before = room((size_t)n, sizeof *before), *first = room((size_t)n, sizeof *first),
               *again = room((size_t)n, sizeof *again);
        for (int steps = 0; cardan_sim_events(sim, NULL, NULL) == 0; steps++) {
            assert_true(steps < 1000);
            MUST(cardan_sim_get_state(sim, before));
            assert_true(cardan_sim_step(sim, 1.0) >= 0);
        }
        MUST(cardan_sim_get_state(sim, first));
        assert_int_equal(cardan_sim_set_state(sim, before), CARDAN_OK);
        assert_int_equal(cardan_sim_clone(sim, &clone), CARDAN_OK);
        assert_true(cardan_sim_step(sim, 1.0) >= 0 && cardan_sim_step(clone, 1.0) >= 0);
        check_event_count(sim, 1);
        check_event_count(clone, 1);
        MUST(cardan_sim_get_state(sim, again));
        same_bits(first, again, n, "met again");
        MUST(cardan_sim_get_state(clone, again));
        same_bits(first, again, n, "met by a clone");
        free(before);
        free(first);
        free(again);
        cardan_sim_destroy(clone);
        cardan_sim_destroy(sim);
    }
    cardan_model_release(model);
}

/* Looking inside the last step before an event sees the side that held there. */
static void samples_before_an_event_are_on_its_near_side(void **state) {
    (void)state;
    CardanModel *model = scene_read("cardan: 1\nspace: planar\nbodies: {cart: {mass: 1, inertia: 1}}\n"
                                    "joints: {rail: {type: prismatic, bodies: [ground, cart], axis: [1, 0]}}\n"
                                    "forces: {pull: {type: torque, joint: rail, value: \"1 + 4*step(t - 1)\"}}\n");
    CardanChannel channel;
    double value;
    assert_int_equal(cardan_model_find_channel(model, "rail.speed", &channel, NULL, 0), CARDAN_OK);
    CardanSim *sim = scene_start(model, NULL);
    while (cardan_sim_time(sim) < 1.0) assert_int_equal(cardan_sim_step(sim, 2.0), CARDAN_OK);
    assert_true(cardan_sim_time(sim) == 1.0);
    double before = 1.0 - 0.5 * cardan_sim_last_step(sim), acceleration[3];
    assert_int_equal(cardan_sim_sample(sim, before, 1, &channel, &value), CARDAN_OK);
    check_near(value, before, 1e-12, "speed before");
    assert_int_equal(cardan_sim_evaluate(sim, acceleration, NULL), CARDAN_OK);
    check_near(acceleration[0], 5.0, 1e-14, "acceleration after");
    cardan_sim_destroy(sim);
    cardan_model_release(model);
}

static void thousands_of_kinks_are_counted_and_the_first_kept(void **state) {
    (void)state;
    CardanModel *model = scene_read("cardan: 1\nspace: planar\nbodies: {cart: {mass: 1, inertia: 1}}\n"
                                    "joints: {rail: {type: prismatic, bodies: [ground, cart], axis: [1, 0]}}\n"
                                    "forces: {pull: {type: torque, joint: rail, value: \"sign(sin(1000*pi*t))\"}}\n");
    CardanSim *sim = scene_start(model, NULL);
    scene_advance(sim, 1.0005);
    long total;
    assert_int_equal(cardan_sim_events(sim, NULL, &total), 256);
    assert_int_equal(total, 1000);
    check_event(sim, 255, CARDAN_EVENT_KINK, "pull", 1, 0.256, 1e-15);
    cardan_sim_destroy(sim);
    cardan_model_release(model);
}

/* A cart braked by sign comes to rest and sticks: both sides lead back. It is stepped through, not stopped at for ever.
 */
static void a_law_that_sticks_does_not_hang(void **state) {
    (void)state;
    CardanModel *model =
        scene_read("cardan: 1\nspace: planar\nbodies: {cart: {mass: 1, inertia: 1, velocity: [1, 0]}}\n"
                   "joints: {rail: {type: prismatic, bodies: [ground, cart], axis: [1, 0]}}\n"
                   "forces: {rub: {type: torque, joint: rail, value: \"0.2 - sign(rail.speed)\"}}\n");
    CardanOptions options = scene_fixed(CARDAN_STEPPER_RK4, 0.01);
    CardanSim *sim = scene_start(model, &options);
    scene_advance(sim, 3.0); /* at rest after 1/0.8 s at 1/1.6 m */
    double rate, x;
    CardanJoint rail = cardan_model_find_joint(model, "rail");
    assert_int_equal(cardan_sim_joint(sim, rail, &x, &rate), CARDAN_OK);
    check_event(sim, 0, CARDAN_EVENT_KINK, "rub", -1, 1.25, 1e-9);
    check_near(rate, 0.0, 0.02, "it rests, as far as steps of 0.01 s tell");
    check_near(x, 0.625, 0.02, "where it rests");
    cardan_sim_destroy(sim);
    options = scene_tight(1e-6, 1e-6); /* under error control it would crawl: that is told */
    sim = scene_start(model, &options);
    assert_int_equal(cardan_sim_advance(sim, 3.0), CARDAN_ERR_NUMERIC);
    if (strstr(cardan_sim_message(sim), "'rub' sticks at t = ") == NULL) fail_msg("%s", cardan_sim_message(sim));
    check_between(cardan_sim_time(sim), 1.249, 1.4, "where it sticks");
    cardan_sim_destroy(sim);
    cardan_model_release(model);
}

/* Released at rest at 1 with friction 0.3 against stiffness 4, at the end of the second half period: 1 - 4 0.3/4. */
static void every_stepper_ends_its_steps_at_kinks(void **state) {
    (void)state;
    CardanModel *model = scene_read("cardan: 1\nspace: planar\nbodies: {cart: {mass: 1, inertia: 1}}\n"
                                    "joints: {rail: {type: prismatic, bodies: [ground, cart], axis: [1, 0]}}\n"
                                    "forces:\n  spring: {type: torsion, joint: rail, stiffness: 4, angle: -1}\n"
                                    "  rub: {type: torque, joint: rail, value: \"-0.3*sign(rail.speed)\"}\n");
    double half = 0.5 * acos(-1.0);
    for (int stepper = 0; stepper < CARDAN_STEPPERS; stepper++) {
        CardanOptions options = scene_fixed((CardanStepper)stepper, 0.002);
        char message[512];
        CardanSim *sim = NULL;
        if (cardan_options_check(&options, message, sizeof message) < 0) options = scene_tight(1e-8, 1e-8);
        options.stepper = (CardanStepper)stepper;
        if (cardan_options_check(&options, message, sizeof message) < 0) continue;
        CardanStatus status = cardan_sim_create(model, &options, &sim);
        if (status >= 0) {
            scene_advance(sim, 2.5 * half);
            double tolerance = stepper == CARDAN_STEPPER_EULER ||
                                       strcmp(cardan_stepper_name((CardanStepper)stepper), "backward_euler") == 0
                                   ? 0.02
                                   : 1e-4;
            CardanEvent first = event_at(sim, 0, CARDAN_EVENT_KINK, "rub"),
                        second = event_at(sim, 1, CARDAN_EVENT_KINK, "rub");
            check_near(first.t, half, tolerance, "%s: first", cardan_stepper_name((CardanStepper)stepper));
            check_near(second.t, 2.0 * half, tolerance, "%s: second", cardan_stepper_name((CardanStepper)stepper));
            check_event_count(sim, 2);
        }
        cardan_sim_destroy(sim);
    }
    cardan_model_release(model);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_run_put_back_at_any_step_goes_on_with_the_same_bits),
        cmocka_unit_test(an_event_that_is_met_again_leaves_the_same_bits),
        cmocka_unit_test(samples_before_an_event_are_on_its_near_side),
        cmocka_unit_test(thousands_of_kinks_are_counted_and_the_first_kept),
        cmocka_unit_test(a_law_that_sticks_does_not_hang),
        cmocka_unit_test(every_stepper_ends_its_steps_at_kinks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
