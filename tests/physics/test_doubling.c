/* Implicit one-step methods by tolerance: their error, estimated by doubling, follows it. A method of order p, each of
 * whose steps may err by the tolerance, makes tol^(-1/(p+1)) steps and an error of tol^(p/(p+1)) in all. */
#include "mechanisms.h"
#include "support/check.h"
#include "support/reading.h"
#include "support/sample.h"
#include "support/scene.h"

enum { TIMES = 2, TOLERANCES_MAX = 4, LENGTH_MAX = 32 };

typedef struct Problem {
    const char *name;
    CardanModel *model;
    double end;
    int nq, nv;
    double exact[TIMES][LENGTH_MAX];
} Problem;

/* Tolerances are first, first / 10, ..., where the method makes some hundred steps. */
typedef struct Case {
    CardanStepper stepper;
    double power, first;
    int count;
} Case;

static const Case CASES[] = {
    {CARDAN_STEPPER_BACKWARD_EULER, 1.0 / 2.0, 1e-3, 3},
    {CARDAN_STEPPER_TRAPEZOIDAL, 2.0 / 3.0, 1e-4, 3},
    {CARDAN_STEPPER_IMPLICIT_MIDPOINT, 2.0 / 3.0, 1e-4, 3},
    {CARDAN_STEPPER_GAUSS, 6.0 / 7.0, 1e-8, 4},
};
enum { CASE_COUNT = sizeof CASES / sizeof *CASES };

static double run(Problem *p, const CardanOptions *options, bool exact) {
    CardanSim *sim = scene_start(p->model, options);
    double worst = 0.0;
    for (int k = 0; k < TIMES; k++) {
        scene_advance(sim, p->end * (k + 1) / TIMES);
        const double *q = cardan_sim_positions(sim), *v = cardan_sim_velocities(sim);
        for (int i = 0; i < p->nq + p->nv; i++) {
            double value = i < p->nq ? q[i] : v[i - p->nq];
            if (exact) p->exact[k][i] = value;
            worst = fmax(worst, fabs(value - p->exact[k][i]));
        }
    }
    cardan_sim_destroy(sim);
    return worst;
}

static Problem problem_of(const char *name, CardanModel *model, double end) {
    CardanSizes sizes = cardan_model_sizes(model);
    Problem p = {.name = name, .model = model, .end = end, .nq = sizes.coordinates, .nv = sizes.velocities};
    assert_true(p.nq + p.nv <= LENGTH_MAX);
    CardanOptions options = scene_tight(1e-12, 1e-13);
    run(&p, &options, true);
    return p;
}

static void check_case(Problem *p, Case c, CardanFormulation formulation) {
    double x[TOLERANCES_MAX], y[TOLERANCES_MAX], mx = 0.0, my = 0.0, top = 0.0, bottom = 0.0;
    char sentence[160];
    snprintf(sentence, sizeof sentence, "%s: %s in formulation %d", p->name, cardan_stepper_name(c.stepper),
             (int)formulation);
    for (int i = 0; i < c.count; i++) {
        double tolerance = c.first * pow(10.0, -i);
        CardanOptions options = scene_tight(tolerance, tolerance);
        options.stepper = c.stepper;
        options.formulation = formulation;
        x[i] = log(tolerance);
        y[i] = log(run(p, &options, false));
        mx += x[i] / c.count;
        my += y[i] / c.count;
        /* what the motion, at up to 10 rad/s, makes of errors in that time */
        check_between(exp(y[i]) / pow(tolerance, c.power), 0.0, 100.0, sentence);
    }
    for (int i = 0; i < c.count; i++) {
        top += (x[i] - mx) * (y[i] - my);
        bottom += (x[i] - mx) * (x[i] - mx);
    }
    check_near(top / bottom, c.power, 0.15, "%s: power of the tolerance", sentence);
}

static void check_problem(Problem p, CardanFormulation other) {
    for (int i = 0; i < 2 * CASE_COUNT; i++)
        if (sample_has(i, 3)) check_case(&p, CASES[i / 2], i % 2 == 0 ? CARDAN_FORMULATION_INDEX1 : other);
    cardan_model_release(p.model);
}

static void errors_follow_the_tolerance_on_a_chain_in_space(void **state) {
    (void)state;
    CardanBuilder *b = mechanism_chain(CARDAN_SPACE_SPATIAL, 2);
    cardan_builder_set_gravity(b, (CardanVec3){0.0, -9.81, 4.0});
    check_problem(problem_of("chain in space", scene_compile(b), 1.0), CARDAN_FORMULATION_PROJECTED);
}

static void errors_follow_the_tolerance_on_a_slider_crank(void **state) {
    (void)state;
    CardanBuilder *b = mechanism_slider_crank(0.2, 0.4, 0.9);
    cardan_builder_set_start_rate(b, (CardanJoint){1}, 3.0);
    check_problem(problem_of("slider-crank", scene_compile(b), 0.9), CARDAN_FORMULATION_GGL);
}

/* A pin of 1e6 N/m and 2e4 N s/m: an explicit stepper needs more than 1e4 steps a second. */
static void stiff_forces_are_stepped_over_within_the_tolerance(void **state) {
    (void)state;
    CardanModel *model = scene_read("cardan: 1\nspace: planar\ngravity: [0, -9.81]\n"
                                    "bodies: {rod: {mass: 1, inertia: 0.02, position: [0.25, 0]}}\n"
                                    "joints: {pin: {type: revolute, bodies: [ground, rod], point: [0, 0], "
                                    "compliant: {stiffness: 1e6, damping: 2e4}}}\n");
    Problem p = problem_of("compliant pin", model, 0.5);
    for (int i = 0; i < CASE_COUNT; i++) {
        CardanOptions options = scene_tight(1e-5, 1e-5);
        options.stepper = CASES[i].stepper;
        double error = run(&p, &options, false);
        CardanSim *sim = scene_start(model, &options);
        scene_advance(sim, 0.5);
        check_between(error / pow(1e-5, CASES[i].power), 0.0, 30.0, cardan_stepper_name(CASES[i].stepper));
        check_between((double)work_of(sim).steps, 1.0, 2500.0, cardan_stepper_name(CASES[i].stepper));
        cardan_sim_destroy(sim);
    }
    cardan_model_release(model);
}

static void samples_inside_steps_are_as_good_as_their_ends(void **state) {
    (void)state;
    CardanModel *model = scene_load("models/double_pendulum.yaml");
    CardanChannel channel[2];
    assert_true(cardan_model_find_channel(model, "shoulder.angle", &channel[0], NULL, 0) >= 0);
    assert_true(cardan_model_find_channel(model, "elbow.rate", &channel[1], NULL, 0) >= 0);
    CardanOptions tight = scene_tight(1e-13, 1e-14);
    for (int s = 0; s < CASE_COUNT; s++) {
        double tolerance = CASES[s].stepper == CARDAN_STEPPER_GAUSS ? 1e-9 : 1e-4, ends = 0.0, inside = 0.0;
        CardanOptions options = scene_tight(tolerance, tolerance);
        options.stepper = CASES[s].stepper;
        CardanSim *sim = scene_start(model, &options), *exact = scene_start(model, &tight);
        while (cardan_sim_time(sim) < 0.8) {
            assert_true(cardan_sim_step(sim, 10.0) >= 0);
            double end = cardan_sim_time(sim), step = cardan_sim_last_step(sim), here[2], there[2];
            for (int k = 1; k <= 4; k++) { /* three inside, then the end */
                double t = k < 4 ? end - step * (1.0 - 0.25 * k + 0.07) : end, *worst = k < 4 ? &inside : &ends;
                if (t <= end - step) continue;
                assert_true(cardan_sim_sample(sim, t, 2, channel, here) >= 0);
                scene_advance(exact, t);
                assert_true(cardan_sim_sample(exact, t, 2, channel, there) >= 0);
                *worst = fmax(*worst, fmax(fabs(here[0] - there[0]), fabs(here[1] - there[1])));
            }
        }
        /* of Gauss in steps of 40 ms: 12 tolerances; degree 5 alone would miss by 1300, the cubic of radau5 by 530 */
        double allowed = CASES[s].stepper == CARDAN_STEPPER_GAUSS ? 20.0 * tolerance : 1.5 * ends;
        check_between(inside, 0.0, allowed, cardan_stepper_name(CASES[s].stepper));
        cardan_sim_destroy(sim);
        cardan_sim_destroy(exact);
    }
    cardan_model_release(model);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(errors_follow_the_tolerance_on_a_chain_in_space),
        cmocka_unit_test(errors_follow_the_tolerance_on_a_slider_crank),
        cmocka_unit_test(stiff_forces_are_stepped_over_within_the_tolerance),
        cmocka_unit_test(samples_inside_steps_are_as_good_as_their_ends),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
