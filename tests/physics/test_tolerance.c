/* Steppers of variable order: their error follows the tolerance. On mechanisms in the plane and in space the largest
 * error of all coordinates and velocities is fitted over tolerances from 1e-5 to 1e-11: proportional means a slope of 1
 * in a log-log picture, and a factor that stays in bounds. */
#include "mechanisms.h"
#include "support/check.h"
#include "support/scene.h"

enum { TOLERANCES = 7, TIMES = 7, LENGTH_MAX = 32 };

typedef struct Problem {
    const char *name;
    CardanModel *model;
    double end;
    int nq, nv;
    double exact[TIMES][LENGTH_MAX];
} Problem;

/* The largest error at TIMES times that steps are made to end on; exact: keeps the numbers instead. */
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
    CardanOptions options = scene_tight(1e-13, 1e-14);
    run(&p, &options, true);
    return p;
}

static void check_stepper(Problem *p, CardanStepper stepper) {
    double x[TOLERANCES], y[TOLERANCES], mx = 0.0, my = 0.0, top = 0.0, bottom = 0.0, most = 0.0;
    double least = (double)INFINITY;
    char sentence[128];
    for (int i = 0; i < TOLERANCES; i++) {
        double tolerance = pow(10.0, -5 - i);
        CardanOptions options = scene_tight(tolerance, tolerance);
        options.stepper = stepper;
        double error = run(p, &options, false);
        least = fmin(least, error / tolerance);
        most = fmax(most, error / tolerance);
        x[i] = log(tolerance);
        y[i] = log(error);
        mx += x[i] / TOLERANCES;
        my += y[i] / TOLERANCES;
    }
    for (int i = 0; i < TOLERANCES; i++) {
        top += (x[i] - mx) * (y[i] - my);
        bottom += (x[i] - mx) * (x[i] - mx);
    }
    snprintf(sentence, sizeof sentence, "%s: error of %s over its tolerance", p->name, cardan_stepper_name(stepper));
    check_between(top / bottom, 0.85, 1.15, sentence);
    check_between(most / least, 1.0, 100.0, sentence); /* over a range of 1e6 */
    check_between(most, 0.0, 1000.0, sentence);        /* what the motion itself makes of an error in that time */
}

static void check_problem(Problem p) {
    check_stepper(&p, CARDAN_STEPPER_ABM);
    check_stepper(&p, CARDAN_STEPPER_GBS);
    cardan_model_release(p.model);
}

static void errors_follow_the_tolerance_on_a_double_pendulum(void **state) {
    (void)state;
    check_problem(problem_of("double pendulum", scene_compile(mechanism_chain(CARDAN_SPACE_PLANAR, 2)), 1.4));
}

static void errors_follow_the_tolerance_on_a_chain_in_space(void **state) {
    (void)state;
    CardanBuilder *b = mechanism_chain(CARDAN_SPACE_SPATIAL, 2);
    cardan_builder_set_gravity(b, (CardanVec3){0.0, -9.81, 4.0});
    check_problem(problem_of("chain in space", scene_compile(b), 1.4));
}

static void errors_follow_the_tolerance_on_a_slider_crank(void **state) {
    (void)state;
    CardanBuilder *b = mechanism_slider_crank(0.2, 0.4, 0.9);
    cardan_builder_set_start_rate(b, (CardanJoint){1}, 3.0);
    check_problem(problem_of("slider-crank", scene_compile(b), 1.4));
}

static void samples_inside_steps_are_as_good_as_their_ends(void **state) {
    (void)state;
    static const CardanStepper STEPPERS[] = {CARDAN_STEPPER_ABM, CARDAN_STEPPER_GBS};
    CardanModel *model = scene_load("models/double_pendulum.yaml");
    CardanChannel channel[2];
    assert_true(cardan_model_find_channel(model, "shoulder.angle", &channel[0], NULL, 0) >= 0);
    assert_true(cardan_model_find_channel(model, "elbow.rate", &channel[1], NULL, 0) >= 0);
    CardanOptions tight = scene_tight(1e-13, 1e-14), options = scene_tight(1e-9, 1e-9);
    for (int s = 0; s < 2; s++) {
        options.stepper = STEPPERS[s];
        CardanSim *sim = scene_start(model, &options), *exact = scene_start(model, &tight);
        for (int k = 1; k <= 80; k++) {
            double t = k * 0.0125, here[2], there[2];
            while (cardan_sim_time(sim) < t) assert_true(cardan_sim_step(sim, 10.0) >= 0);
            assert_true(cardan_sim_sample(sim, t, 2, channel, here) >= 0);
            scene_advance(exact, t);
            assert_true(cardan_sim_sample(exact, t, 2, channel, there) >= 0);
            /* 1e-9 times what the motion makes of it in 1 s, as in the tests above */
            check_near(here[0], there[0], 1e-7, "%s: angle at t = %g", cardan_stepper_name(STEPPERS[s]), t);
            check_near(here[1], there[1], 1e-6, "%s: rate at t = %g", cardan_stepper_name(STEPPERS[s]), t);
        }
        cardan_sim_destroy(sim);
        cardan_sim_destroy(exact);
    }
    cardan_model_release(model);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(errors_follow_the_tolerance_on_a_double_pendulum),
        cmocka_unit_test(errors_follow_the_tolerance_on_a_chain_in_space),
        cmocka_unit_test(errors_follow_the_tolerance_on_a_slider_crank),
        cmocka_unit_test(samples_inside_steps_are_as_good_as_their_ends),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
