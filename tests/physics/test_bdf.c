/* bdf: benchmarks to their published numbers, its history in saved states, what is read inside steps, events, singular
 * poses and failures. Its orders with fixed steps are in test_orders.c, stiff equations of the books in test_radau.c.
 */
#include "pathology/passage_fixture.h"
#include "support/sample.h"

static CardanOptions by_tolerance(CardanFormulation formulation, double tolerance) {
    CardanOptions o = scene_tight(tolerance, tolerance);
    o.stepper = CARDAN_STEPPER_BDF;
    o.formulation = formulation;
    return o;
}

/* ---- benchmarks ---- */

/* IFToMM A05: s at 10 s, the slider's displacement from 0.5. Measured 4e-8. */
static void the_flyball_governor_reaches_its_published_height(void **state) {
    (void)state;
    CardanModel *model = scene_load("models/flyball_governor.yaml");
    double rate;
    for (int f = 0; f < CARDAN_FORMULATIONS; f++) {
        if (!sample_has(f, 3)) continue;
        CardanOptions o = by_tolerance((CardanFormulation)f, 1e-9);
        CardanSim *sim = scene_start(model, &o);
        scene_advance(sim, 10.0);
        check_near(0.5 + scene_coordinate(sim, model, "slide", &rate), 0.619622917061365659, 1e-7, "formulation %d", f);
        cardan_sim_destroy(sim);
    }
    cardan_model_release(model);
}

static void the_governor_takes_twenty_times_fewer_steps_than_dop853(void **state) {
    (void)state;
    CardanModel *model = scene_load("models/flyball_governor.yaml");
    CardanOptions dop = scene_tight(1e-5, 1e-5);
    CardanSim *many = scene_start(model, &dop);
    scene_advance(many, 10.0);
    for (int f = 0; f < CARDAN_FORMULATIONS; f++) {
        if (!sample_has(f, 3)) continue;
        CardanOptions o = by_tolerance((CardanFormulation)f, 1e-5);
        CardanSim *few = scene_start(model, &o);
        scene_advance(few, 10.0);
        if (20 * work_of(few).steps > work_of(many).steps)
            fail_msg("formulation %d: %ld steps, dop853 %ld", f, work_of(few).steps, work_of(many).steps);
        cardan_sim_destroy(few);
    }
    cardan_sim_destroy(many);
    cardan_model_release(model);
}

/* The start of the test set for IVP solvers; the reference is that of tests/reference/test_oracle.c. */
static void andrews_mechanism_meets_its_reference_in_every_formulation(void **state) {
    (void)state;
    CardanModel *model = scene_load("models/andrews.yaml");
    for (int f = 0; f < CARDAN_FORMULATIONS; f++) {
        if (!sample_has(f, 3)) continue;
        CardanOptions o = by_tolerance((CardanFormulation)f, 1e-10);
        CardanSim *sim = scene_start(model, &o);
        scene_advance(sim, 0.03);
        check_near(scene_body(sim, model, "k1").angle, 15.810771195153707, 15.8e-7, "angle, formulation %d", f);
        check_near(scene_body(sim, model, "k1").spin, 1139.9203022591061, 1140e-7, "spin, formulation %d", f);
        check_near(scene_body(sim, model, "k5").angle, 0.52440996587995407, 1e-7, "angle of k5, formulation %d", f);
        cardan_sim_destroy(sim);
    }
    cardan_model_release(model);
}

/* ---- its history ---- */

enum { STATE_MAX = 4000 };

/* A run goes on from a saved state in another simulation with the same bits, whatever the order was. */
static void saved_states_go_on_with_the_same_bits(void **state) {
    (void)state;
    static const char *const paths[] = {"models/flyball_governor.yaml", "models/slider_crank.yaml",
                                        "models/quarter_car.yaml"};
    static double kept[STATE_MAX], a[STATE_MAX], b[STATE_MAX];
    for (int p = 0; p < 3; p++) {
        CardanModel *model = scene_load(paths[p]);
        for (int f = 0; f < CARDAN_FORMULATIONS; f++) {
            if (!sample_has(p + f, 3)) continue;
            CardanOptions o = by_tolerance((CardanFormulation)f, 1e-6);
            CardanSim *sim = scene_start(model, &o), *other = scene_start(model, &o);
            int size = cardan_sim_state_size(sim);
            assert_true(size <= STATE_MAX);
            for (int k = 1; k <= 6; k++) {
                scene_advance(sim, 0.05 * k * k);
                assert_true(cardan_sim_get_state(sim, kept) >= 0);
                assert_true(cardan_sim_set_state(other, kept) >= 0);
                scene_advance(sim, 0.05 * k * k + 0.04);
                scene_advance(other, 0.05 * k * k + 0.04);
                assert_true(cardan_sim_get_state(sim, a) >= 0);
                assert_true(cardan_sim_get_state(other, b) >= 0);
                assert_memory_equal(a, b, (size_t)size * sizeof *a);
            }
            cardan_sim_destroy(sim);
            cardan_sim_destroy(other);
        }
        cardan_model_release(model);
    }
}

/* Landing on many times adds no error: a step that is short only to land is no node of the polynomial. */
static void landing_on_a_thousand_times_changes_little(void **state) {
    (void)state;
    CardanModel *model = scene_load("models/flyball_governor.yaml");
    CardanOptions o = by_tolerance(CARDAN_FORMULATION_INDEX1, 1e-7), tight = scene_tight(1e-11, 1e-11);
    CardanSim *sim = scene_start(model, &o), *exact = scene_start(model, &tight);
    double rate, worst = 0.0;
    for (int i = 1; i <= 1000; i++) {
        scene_advance(sim, 0.0021 * i + 1e-5 * (i % 7));
        if (i % 100 != 0) continue;
        scene_advance(exact, cardan_sim_time(sim));
        worst = fmax(
            worst, fabs(scene_coordinate(sim, model, "slide", &rate) - scene_coordinate(exact, model, "slide", &rate)));
    }
    check_between(worst, 0.0, 1e-6, "height, landing on 1000 times at 1e-7");
    cardan_sim_destroy(sim);
    cardan_sim_destroy(exact);
    cardan_model_release(model);
}

/* What is read inside a step is of the step's order: ten tolerances, as its ends are, against a tight run. */
static void what_is_read_inside_a_step_lies_on_the_motion(void **state) {
    (void)state;
    CardanModel *model = scene_load("models/double_pendulum.yaml");
    CardanOptions o = by_tolerance(CARDAN_FORMULATION_INDEX1, 1e-7), tight = scene_tight(1e-12, 1e-12);
    CardanSim *sim = scene_start(model, &o), *exact = scene_start(model, &tight);
    CardanChannel channel;
    double inside = 0.0, ends = 0.0;
    assert_int_equal(cardan_model_find_channel(model, "energy", &channel, NULL, 0), CARDAN_OK);
    while (cardan_sim_time(sim) < 0.5) {
        double here[8], there[8];
        assert_true(cardan_sim_step(sim, 0.5) >= 0);
        double end = cardan_sim_time(sim), time = end - 0.4 * cardan_sim_last_step(sim);
        scene_advance(exact, time);
        assert_true(cardan_sim_sample(sim, time, 1, &channel, here) >= 0);
        assert_true(cardan_sim_sample(exact, time, 1, &channel, there) >= 0);
        inside = fmax(inside, fabs(here[0] - there[0]));
        scene_advance(exact, end);
        assert_true(cardan_sim_sample(sim, end, 1, &channel, here) >= 0);
        assert_true(cardan_sim_sample(exact, end, 1, &channel, there) >= 0);
        ends = fmax(ends, fabs(here[0] - there[0]));
    }
    check_between(ends, 0.0, 1e-4, "kinetic energy at ends of steps, of 20 J");
    check_between(inside, 0.0, 2.0 * ends, "kinetic energy inside steps");
    cardan_sim_destroy(sim);
    cardan_sim_destroy(exact);
    cardan_model_release(model);
}

/* A bound of the order is kept: backward Euler takes many more steps than order 5. */
static void a_lower_order_takes_more_steps(void **state) {
    (void)state;
    CardanModel *model = scene_load("models/double_pendulum.yaml");
    long before = 0;
    for (int order = 5; order >= 1; order--) {
        CardanOptions o = by_tolerance(CARDAN_FORMULATION_INDEX1, 1e-4);
        o.order = order;
        CardanSim *sim = scene_start(model, &o);
        scene_advance(sim, 0.5);
        if (work_of(sim).steps < before) fail_msg("order %d: %ld steps", order, work_of(sim).steps);
        if (order == 1) assert_true(work_of(sim).steps > 3 * before);
        before = work_of(sim).steps;
        cardan_sim_destroy(sim);
    }
    cardan_model_release(model);
}

/* ---- events ---- */

/* A ball that bounces: the history is left at each contact, and what follows is as exact as before. */
static void bounces_are_landed_on_and_left_at_order_one(void **state) {
    (void)state;
    CardanModel *model =
        scene_read("cardan: 1\nspace: planar\ngravity: [0, -9.81]\nbodies:\n"
                   "  ball: {mass: 1, inertia: 0.1, position: [0, 1]}\n"
                   "joints:\n  guide: {type: prismatic, bodies: [ground, ball], point: [0, 0], axis: [0, 1]}\n"
                   "forces:\n  floor: {type: limit, joint: guide, range: [-0.9, 5], stiffness: 1e6, damping: 10}\n");
    CardanOptions tight = scene_tight(1e-11, 1e-12);
    for (int f = 0; f < CARDAN_FORMULATIONS; f++) {
        CardanOptions o = by_tolerance((CardanFormulation)f, 1e-8);
        CardanSim *sim = scene_start(model, &o), *exact = scene_start(model, &tight);
        double rate;
        long total = 0;
        scene_advance(sim, 2.0);
        scene_advance(exact, 2.0);
        cardan_sim_events(sim, NULL, &total);
        assert_true(total >= 4);
        check_near(scene_coordinate(sim, model, "guide", &rate), scene_coordinate(exact, model, "guide", &rate), 1e-5,
                   "height, formulation %d", f);
        cardan_sim_destroy(sim);
        cardan_sim_destroy(exact);
    }
    cardan_model_release(model);
}

/* ---- failures ---- */

static void a_step_too_long_is_refused_by_name_and_changes_nothing(void **state) {
    (void)state;
    CardanModel *model = scene_load("models/double_pendulum.yaml");
    for (int order = 1; order <= 5; order += 2) {
        CardanOptions o = scene_fixed(CARDAN_STEPPER_BDF, 3.0);
        o.order = order;
        CardanSim *sim = scene_start(model, &o);
        double before = scene_body(sim, model, "upper").angle;
        assert_int_equal(cardan_sim_step(sim, (double)INFINITY), CARDAN_ERR_NUMERIC);
        assert_non_null(strstr(cardan_sim_message(sim), "too long at t = 0"));
        if (order > 1) assert_non_null(strstr(cardan_sim_message(sim), "iteration of bdf does not converge"));
        assert_true(cardan_sim_time(sim) == 0.0 && scene_body(sim, model, "upper").angle == before);
        cardan_sim_destroy(sim);
    }
    cardan_model_release(model);
}

/* A mass on a spring that pushes it away, x'' = x: a step of backward Euler of 1 s has the matrix 1 - 1. */
static void a_singular_matrix_is_told_with_time_and_body(void **state) {
    (void)state;
    CardanModel *model = scene_read("cardan: 1\nspace: planar\nbodies:\n"
                                    "  hill: {mass: 1, particle: true, position: [1, 0]}\n"
                                    "forces:\n  push: {type: force, body: hill, value: [\"hill.x\", 0]}\n");
    CardanOptions o = scene_fixed(CARDAN_STEPPER_BDF, 1.0);
    o.order = 1;
    CardanSim *sim = scene_start(model, &o);
    assert_int_equal(cardan_sim_step(sim, (double)INFINITY), CARDAN_ERR_NUMERIC);
    assert_non_null(strstr(cardan_sim_message(sim), "the step matrix of bdf is singular at t = 1"));
    assert_non_null(strstr(cardan_sim_message(sim), "'hill'"));
    assert_true(cardan_sim_time(sim) == 0.0);
    cardan_sim_destroy(sim);
    cardan_model_release(model);
}

/* A mass falls into a centre that pulls with 1/x^2, from 1 m at rest: after pi / sqrt(8) s there is no motion. */
static void a_motion_that_ends_is_followed_to_its_end_and_told(void **state) {
    (void)state;
    CardanModel *model = scene_read("cardan: 1\nspace: planar\nbodies:\n"
                                    "  moth: {mass: 1, particle: true, position: [1, 0]}\n"
                                    "forces:\n  lamp: {type: force, body: moth, value: [\"-1/moth.x^2\", 0]}\n");
    static const CardanStepper steppers[] = {CARDAN_STEPPER_BDF, CARDAN_STEPPER_RADAU5};
    for (int s = 0; s < 2; s++) {
        CardanOptions o = scene_tight(1e-8, 1e-10);
        o.stepper = steppers[s];
        CardanSim *sim = scene_start(model, &o);
        assert_int_equal(cardan_sim_advance(sim, 2.0), CARDAN_ERR_NUMERIC);
        check_near(cardan_sim_time(sim), HALF_PI / sqrt(2.0), 1e-6, "the end, by %s", cardan_stepper_name(steppers[s]));
        assert_non_null(strstr(cardan_sim_message(sim), "t = 1.1107"));
        assert_non_null(strstr(cardan_sim_message(sim), "'moth'"));
        assert_true(isfinite(scene_body(sim, model, "moth").velocity.x));
        cardan_sim_destroy(sim);
    }
    cardan_model_release(model);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_flyball_governor_reaches_its_published_height),
        cmocka_unit_test(the_governor_takes_twenty_times_fewer_steps_than_dop853),
        cmocka_unit_test(andrews_mechanism_meets_its_reference_in_every_formulation),
        cmocka_unit_test(saved_states_go_on_with_the_same_bits),
        cmocka_unit_test(landing_on_a_thousand_times_changes_little),
        cmocka_unit_test(what_is_read_inside_a_step_lies_on_the_motion),
        cmocka_unit_test(a_lower_order_takes_more_steps),
        cmocka_unit_test(bounces_are_landed_on_and_left_at_order_one),
        cmocka_unit_test(a_step_too_long_is_refused_by_name_and_changes_nothing),
        cmocka_unit_test(a_singular_matrix_is_told_with_time_and_body),
        cmocka_unit_test(a_motion_that_ends_is_followed_to_its_end_and_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
