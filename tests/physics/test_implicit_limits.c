/* Implicit steppers at their limits: long steps that still converge, uneven masses, uneven springs, and what cannot be
 * solved. A run follows the motion as well as its method can, or says by name why it does not, with the state of the
 * last good step. */
#include "support/check.h"
#include "support/reading.h"
#include "support/sample.h"
#include "support/scene.h"

/* What a place may be off by: of fixed steps steps * h^order, by tolerance tolerances * tol^power; power 0: it takes
 * none. Rows are the worst of the smooth motions below, doubled. */
typedef struct Case {
    CardanStepper stepper;
    double order, steps;
    double power, tolerances;
    bool explicit_forces; /* is no better at stiff springs than explicit ones; `auto` with fixed steps is dop853 */
} Case;

static const Case CASES[] = {
    {CARDAN_STEPPER_BACKWARD_EULER, 1.0, 8.0, 0.5, 2.0, false},
    {CARDAN_STEPPER_TRAPEZOIDAL, 2.0, 40.0, 2.0 / 3.0, 2.0, false},
    {CARDAN_STEPPER_IMPLICIT_MIDPOINT, 2.0, 40.0, 2.0 / 3.0, 2.0, false},
    {CARDAN_STEPPER_GALPHA, 2.0, 50.0, 2.0 / 3.0, 6.0, false},
    {CARDAN_STEPPER_GAUSS, 4.0, 1e3, 1.0, 20.0, false},
    {CARDAN_STEPPER_RADAU5, 4.0, 1e3, 1.0, 20.0, false},
    {CARDAN_STEPPER_BDF, 4.0, 1e3, 1.0, 40.0, false},
    {CARDAN_STEPPER_AUTO, 4.0, 1e3, 1.0, 20.0, true},
    {CARDAN_STEPPER_RATTLE, 2.0, 40.0, 0.0, 0.0, true},
    {CARDAN_STEPPER_HEM, 4.0, 1e3, 0.0, 0.0, true},
};
enum { CASE_COUNT = sizeof CASES / sizeof *CASES };

static const double STEP = 0.005, TOLERANCE = 1e-6, END = 1.0;

static CardanOptions options_of(Case c, bool fixed) {
    CardanOptions options = fixed ? scene_fixed(c.stepper, STEP) : scene_tight(TOLERANCE, TOLERANCE);
    options.stepper = c.stepper;
    return options;
}

/* x of a body at the end, which must be `exact`; or the run stops with a sentence that has all these words. True: it
 * ran. */
static bool runs_or_says(const CardanModel *model, Case c, bool fixed, const char *body, double exact,
                         const char *reason) {
    CardanOptions options = options_of(c, fixed);
    CardanSim *sim = scene_start(model, &options);
    CardanStatus status = cardan_sim_advance(sim, END);
    const char *name = cardan_stepper_name(c.stepper);
    double allowed = fixed ? c.steps * pow(STEP, c.order) : c.tolerances * pow(TOLERANCE, c.power);
    if (status >= 0) {
        check_near(scene_body(sim, model, body).position.x, exact, allowed, "%s, %s", name,
                   fixed ? "fixed" : "by tolerance");
    } else {
        assert_int_equal(status, CARDAN_ERR_NUMERIC);
        if (strstr(cardan_sim_message(sim), "t = ") == NULL || strstr(cardan_sim_message(sim), reason) == NULL)
            fail_msg("%s: %s", name, cardan_sim_message(sim));
        assert_true(cardan_sim_time(sim) < END);
    }
    cardan_sim_destroy(sim);
    return status >= 0;
}

/* ---- long steps ---- */

static double crank_angle(CardanStepper stepper, CardanFormulation formulation, double step) {
    CardanModel *model = scene_load("models/andrews.yaml");
    CardanOptions options = stepper == CARDAN_STEPPER_DOP853 ? scene_tight(1e-11, 1e-13) : scene_fixed(stepper, step);
    options.formulation = formulation;
    CardanSim *sim = scene_start(model, &options);
    double rate;
    scene_advance(sim, 0.05);
    double angle = scene_coordinate(sim, model, "O", &rate);
    cardan_sim_destroy(sim);
    cardan_model_release(model);
    return angle;
}

/* The crank turns by up to 1.2 rad in a step of 1 ms: corrections fall by half, or a symmetric projection is not found.
 * What comes out has the error of such steps; shorter ones have the order. */
static void andrews_mechanism_runs_to_its_end_with_steps_of_a_millisecond(void **state) {
    (void)state;
    double exact = crank_angle(CARDAN_STEPPER_DOP853, CARDAN_FORMULATION_INDEX1, 0.0);
    for (int f = 0; f < CARDAN_FORMULATIONS; f++) {
        check_near(crank_angle(CARDAN_STEPPER_IMPLICIT_MIDPOINT, (CardanFormulation)f, 1e-3), exact, 5.0,
                   "midpoint, %d", f);
        check_near(crank_angle(CARDAN_STEPPER_GAUSS, (CardanFormulation)f, 1e-3), exact, 0.1, "gauss, %d", f);
    }
    double error[2];
    for (int k = 0; k < 2; k++)
        error[k] =
            fabs(crank_angle(CARDAN_STEPPER_IMPLICIT_MIDPOINT, CARDAN_FORMULATION_INDEX1, 2e-4 / (1 << k)) - exact);
    check_near(log2(error[0] / error[1]), 2.0, 0.1, "order of the midpoint rule");
    check_between(error[1], 0.0, 2e-3, "its error with steps of 0.1 ms");
}

/* ---- uneven masses and springs ---- */

static double exact_place(const CardanModel *model, const char *body) {
    CardanOptions tight = scene_tight(1e-12, 1e-13);
    CardanSim *sim = scene_start(model, &tight);
    scene_advance(sim, END);
    double x = scene_body(sim, model, body).position.x;
    cardan_sim_destroy(sim);
    return x;
}

static int count_runs(const CardanModel *model, const char *body, double exact, const char *reason, int *all) {
    int runs = 0;
    *all = 0;
    for (int i = 0; i < 2 * CASE_COUNT; i++) {
        const Case c = CASES[i / 2];
        bool fixed = i % 2 == 0;
        if ((!fixed && c.power == 0.0) || !sample_has(i, 3)) continue;
        runs += runs_or_says(model, c, fixed, body, exact, reason);
        ++*all;
    }
    return runs;
}

static void chains_of_masses_1_to_1e8_are_run_by_all(void **state) {
    (void)state;
    for (int heavy = 0; heavy < 2; heavy++) { /* below, and above */
        char text[600];
        int all;
        double mass[2] = {heavy == 1 ? 1e8 : 1.0, heavy == 1 ? 1.0 : 1e8};
        snprintf(text, sizeof text,
                 "cardan: 1\nspace: planar\ngravity: [0, -9.81]\nbodies:\n"
                 "  upper: {mass: %g, inertia: %g, position: [0.5, 0]}\n"
                 "  lower: {mass: %g, inertia: %g, position: [1.5, 0]}\n"
                 "joints:\n  top: {type: revolute, bodies: [ground, upper], point: [0, 0]}\n"
                 "  mid: {type: revolute, bodies: [upper, lower], point: [1, 0]}\n",
                 mass[0], 0.1 * mass[0], mass[1], 0.1 * mass[1]);
        CardanModel *model = scene_read(text);
        int runs = count_runs(model, "lower", exact_place(model, "lower"), "", &all);
        assert_int_equal(runs, all);
        cardan_model_release(model);
    }
}

/* A loop whose coupler is 1e8 times as heavy as its links: where a step fails the light one is named. */
static void loops_of_masses_1_to_1e8_run_or_name_the_light_body(void **state) {
    (void)state;
    CardanModel *model = scene_read("cardan: 1\nspace: planar\ngravity: [0, -9.81]\nbodies:\n"
                                    "  crank: {mass: 1, inertia: 0.1, position: [0.1, 0.5]}\n"
                                    "  coupler: {mass: 1e8, inertia: 1e7, position: [1.1, 1.2]}\n"
                                    "  rocker: {mass: 1, inertia: 0.1, position: [2.1, 0.7]}\n"
                                    "joints:\n  o: {type: revolute, bodies: [ground, crank], point: [0, 0]}\n"
                                    "  p: {type: revolute, bodies: [crank, coupler], point: [0.2, 1]}\n"
                                    "  q: {type: revolute, bodies: [coupler, rocker], point: [2, 1.4]}\n"
                                    "  r: {type: revolute, bodies: [rocker, ground], point: [2.2, 0]}\n");
    int all, runs = count_runs(model, "coupler", exact_place(model, "coupler"), "of the mass of the heaviest", &all);
    if (getenv("CARDAN_TELL") != NULL) print_message("    %d of %d run\n", runs, all);
    assert_true(runs >= all / 2);
    cardan_model_release(model);
}

/* Two masses, 1e10 N/m to the ground and 1 N/m between them: the outer one swings as if the inner one stood. */
static void springs_of_1_to_1e10_are_run_or_steps_are_called_too_long(void **state) {
    (void)state;
    for (int damped = 0; damped < 2; damped++) {
        char text[700];
        snprintf(text, sizeof text,
                 "cardan: 1\nspace: planar\nbodies:\n  a: {mass: 1, inertia: 1, position: [1, 0]}\n"
                 "  b: {mass: 1, inertia: 1, position: [2.1, 0]}\n"
                 "joints:\n  ja: {type: prismatic, bodies: [ground, a], axis: [1, 0]}\n"
                 "  jb: {type: prismatic, bodies: [ground, b], axis: [1, 0]}\n"
                 "forces:\n  hard: {type: spring, bodies: [ground, a], points: [[0, 0], [0, 0]], stiffness: 1e10, "
                 "damping: %g, length: 1}\n"
                 "  soft: {type: spring, bodies: [a, b], points: [[0, 0], [0, 0]], stiffness: 1, length: 1}\n",
                 damped * 1e6);
        CardanModel *model = scene_read(text);
        for (int i = 0; i < 2 * CASE_COUNT; i++) {
            const Case c = CASES[i / 2];
            bool fixed = i % 2 == 0;
            if (!fixed && c.power == 0.0) continue;
            bool ran = runs_or_says(model, c, fixed, "b", 2.0 + 0.1 * cos(END), "too long");
            if (ran != !(fixed && c.explicit_forces))
                fail_msg("%s: it %s", cardan_stepper_name(c.stepper), ran ? "ran" : "stopped");
        }
        cardan_model_release(model);
    }
}

/* ---- what cannot be solved ---- */

/* 3 s are several swings: no iteration finds its way, or (generalised-alpha) none but a way off the energy. */
static void an_iteration_that_does_not_converge_is_told_with_time_step_and_body(void **state) {
    (void)state;
    CardanModel *model = scene_load("models/double_pendulum.yaml");
    for (int i = 0; i < CASE_COUNT; i++) {
        CardanOptions options = scene_fixed(CASES[i].stepper, 3.0);
        CardanSim *sim = scene_start(model, &options);
        CardanStatus status = CARDAN_OK;
        CardanBodyState before = scene_body(sim, model, "upper");
        double t = 0.0;
        while (status >= 0 && t < 30.0) {
            t = cardan_sim_time(sim);
            before = scene_body(sim, model, "upper");
            status = cardan_sim_step(sim, 30.0);
        }
        const char *sentence = cardan_sim_message(sim), *name = cardan_stepper_name(CASES[i].stepper);
        if (status != CARDAN_ERR_NUMERIC) fail_msg("%s makes steps of 3 s: %s", name, sentence);
        if (strstr(sentence, "3 s") == NULL || strstr(sentence, "too long") == NULL || strstr(sentence, "t = ") == NULL)
            fail_msg("%s: %s", name, sentence);
        CardanBodyState after = scene_body(sim, model, "upper");
        assert_true(cardan_sim_time(sim) == t && after.angle == before.angle && after.position.x == before.position.x);
        cardan_sim_destroy(sim);
    }
    cardan_model_release(model);
}

/* x'' = x: the matrix of a step is 1 - (h c)^2 with the method's own c. */
static void a_singular_step_matrix_is_told_with_time_and_body(void **state) {
    (void)state;
    static const struct {
        CardanStepper stepper;
        double step;
    } singular[] = {{CARDAN_STEPPER_BACKWARD_EULER, 1.0},
                    {CARDAN_STEPPER_TRAPEZOIDAL, 2.0},
                    {CARDAN_STEPPER_IMPLICIT_MIDPOINT, 2.0}};
    CardanModel *model = scene_read("cardan: 1\nspace: planar\nbodies:\n"
                                    "  hill: {mass: 1, particle: true, position: [1, 0]}\n"
                                    "forces:\n  push: {type: force, body: hill, value: [\"hill.x\", 0]}\n");
    for (int i = 0; i < 3; i++) {
        CardanOptions options = scene_fixed(singular[i].stepper, singular[i].step);
        CardanSim *sim = scene_start(model, &options);
        assert_int_equal(cardan_sim_step(sim, (double)INFINITY), CARDAN_ERR_NUMERIC);
        const char *sentence = cardan_sim_message(sim);
        if (strstr(sentence, "is singular at t = ") == NULL || strstr(sentence, "'hill'") == NULL)
            fail_msg("%s", sentence);
        assert_true(cardan_sim_time(sim) == 0.0 && scene_body(sim, model, "hill").position.x == 1.0);
        cardan_sim_destroy(sim);
    }
    cardan_model_release(model);
}

/* A mass falls from 1 m into a centre that pulls with 1/x^2: after pi / sqrt(8) s there is no motion. */
static void steps_that_vanish_are_told_where_the_motion_ends(void **state) {
    (void)state;
    const double end = acos(-1.0) / sqrt(8.0);
    CardanModel *model = scene_read("cardan: 1\nspace: planar\nbodies:\n"
                                    "  moth: {mass: 1, particle: true, position: [1, 0]}\n"
                                    "forces:\n  lamp: {type: force, body: moth, value: [\"-1/moth.x^2\", 0]}\n");
    for (int i = 0; i < CASE_COUNT; i++) {
        CardanOptions options = scene_tight(1e-5, 1e-7);
        options.stepper = CASES[i].stepper;
        if (CASES[i].power == 0.0) continue;
        CardanSim *sim = scene_start(model, &options);
        CardanStatus status = cardan_sim_advance(sim, 2.0);
        const char *name = cardan_stepper_name(CASES[i].stepper), *sentence = cardan_sim_message(sim);
        if (status != CARDAN_ERR_NUMERIC) fail_msg("%s goes on: %s", name, sentence);
        check_near(cardan_sim_time(sim), end, 0.02, "%s: the end", name);
        if (strstr(sentence, "t = 1.1") == NULL || strstr(sentence, "'moth'") == NULL)
            fail_msg("%s: %s", name, sentence);
        assert_true(isfinite(scene_body(sim, model, "moth").velocity.x));
        cardan_sim_destroy(sim);
    }
    cardan_model_release(model);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(andrews_mechanism_runs_to_its_end_with_steps_of_a_millisecond),
        cmocka_unit_test(chains_of_masses_1_to_1e8_are_run_by_all),
        cmocka_unit_test(loops_of_masses_1_to_1e8_run_or_name_the_light_body),
        cmocka_unit_test(springs_of_1_to_1e10_are_run_or_steps_are_called_too_long),
        cmocka_unit_test(an_iteration_that_does_not_converge_is_told_with_time_step_and_body),
        cmocka_unit_test(a_singular_step_matrix_is_told_with_time_and_body),
        cmocka_unit_test(steps_that_vanish_are_told_where_the_motion_ends),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
