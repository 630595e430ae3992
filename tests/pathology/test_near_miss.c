/* Four-bars that nearly are parallelograms: 1, 2 + e, 1, 2 m. Their branches do not cross in the flat pose; the crank
 * goes on and the rocker turns back there, within the root of e.
 *
 * References: the one-coordinate equation m(x) x'^2 / 2 = E by quadrature in 30 digits, t = integral of
 * sqrt(m / (2 E)) dx over the crank's angle with intervals down to the root of e on both sides of the flat pose. */
#include "support/check.h"
#include "support/scene.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define END 1.5 /* s; the flat pose is at 1.07 */

static const struct {
    double gap;   /* m */
    double angle; /* rad; of the crank at END */
} CASES[] = {
    {1e-3, 4.55831842154508415}, {1e-4, 4.54451906705016673},  {1e-5, 4.54033695486252186},
    {1e-6, 4.53903271273117498}, {1e-7, 4.53862210481575225},  {1e-8, 4.53849244228924548},
    {1e-9, 4.53845145771212165}, {1e-10, 4.53843849908238854}, {1e-11, 4.53843440138701487},
};

/* Crank at 1 rad, the tip of the rocker above its pivot. */
static CardanModel *four_bar(double gap) {
    char text[2048];
    double b = 2.0 + gap, bx = cos(1.0), by = sin(1.0), dx = 2.0 - bx, dy = -by, l = hypot(dx, dy);
    double x = (b * b - 1.0 + l * l) / (2.0 * l), y = sqrt(b * b - x * x);
    double cx = bx + (x * dx - y * dy) / l, cy = by + (x * dy + y * dx) / l;
    snprintf(text, sizeof text,
             "cardan: 1\nspace: planar\nbodies:\n"
             "  c: {mass: 1, inertia: 0.1, position: [%.17g, %.17g], angle: 1}\n"
             "  r: {mass: 1, inertia: 0.1, position: [%.17g, %.17g], angle: %.17g}\n"
             "  k: {mass: 1, inertia: 0.1, position: [%.17g, %.17g], angle: %.17g}\n"
             "joints:\n"
             "  A: {type: revolute, bodies: [ground, c], point: [0, 0]}\n"
             "  B: {type: revolute, bodies: [c, r], point: [%.17g, %.17g]}\n"
             "  C: {type: revolute, bodies: [r, k], point: [%.17g, %.17g]}\n"
             "  D: {type: revolute, bodies: [ground, k], point: [2, 0]}\n"
             "start: {rates: {A: 2}}\n",
             bx / 2, by / 2, (bx + cx) / 2, (by + cy) / 2, atan2(cy - by, cx - bx), (2 + cx) / 2, cy / 2,
             atan2(cy, cx - 2), bx, by, cx, cy);
    return scene_read(text);
}

/* Error of the crank's angle in tolerances; -1: refused, for the gap's sake. */
static double error_of(double gap, double angle, double tolerance) {
    CardanOptions options = scene_tight(tolerance, tolerance);
    CardanModel *model = four_bar(gap);
    CardanSim *sim = scene_start(model, &options);
    CardanStatus status = cardan_sim_advance(sim, END);
    long events = 0;
    cardan_sim_events(sim, NULL, &events);
    double error = fabs(scene_body(sim, model, "c").angle - angle) / tolerance;
    if (status < 0 && strstr(cardan_sim_message(sim), "is missed by") == NULL)
        fail_msg("gap %.0e at %.0e: %s", gap, tolerance, cardan_sim_message(sim));
    assert_int_equal(events, 0); /* there is no pose to be logged */
    cardan_sim_destroy(sim);
    cardan_model_release(model);
    return status < 0 ? -1.0 : error;
}

static void a_pose_that_is_missed_is_passed_as_the_rows_have_it(void **state) {
    (void)state;
    const double tolerances[] = {1e-3, 1e-4, 1e-6, 1e-9};
    double most = 0.0;
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++)
        for (int k = 0; k < 4; k++) {
            double error = error_of(CASES[i].gap, CASES[i].angle, tolerances[k]);
            if (CASES[i].gap >= 1e-9 && error < 0.0)
                fail_msg("gap %.0e is refused at %.0e", CASES[i].gap, tolerances[k]);
            if (error > 100.0) fail_msg("gap %.0e at %.0e: %.3g tolerances off", CASES[i].gap, tolerances[k], error);
            most = fmax(most, error);
        }
    print_message("    largest error %.2g tolerances\n", most);
}

static void a_gap_below_what_rounding_leaves_is_refused_by_name(void **state) {
    (void)state;
    CardanOptions options = scene_tight(1e-12, 1e-12);
    CardanModel *model = four_bar(1e-10);
    CardanSim *sim = scene_start(model, &options);
    assert_int_equal(cardan_sim_advance(sim, END), CARDAN_ERR_NUMERIC);
    assert_non_null(strstr(cardan_sim_message(sim), "is missed by"));
    assert_true(cardan_sim_time(sim) < 1.07 && cardan_sim_time(sim) > 0.5);
    cardan_sim_destroy(sim);
    cardan_model_release(model);
}

static void a_fixed_step_that_would_jump_the_gap_is_refused_and_a_short_one_passes(void **state) {
    (void)state;
    CardanModel *model = four_bar(1e-6);
    CardanOptions options = scene_fixed(CARDAN_STEPPER_RK4, 0.01);
    CardanSim *sim = scene_start(model, &options);
    assert_int_equal(cardan_sim_advance(sim, END), CARDAN_ERR_NUMERIC);
    assert_non_null(strstr(cardan_sim_message(sim), "too long"));
    cardan_sim_destroy(sim);
    options = scene_fixed(CARDAN_STEPPER_RK4, 1e-4);
    sim = scene_start(model, &options);
    scene_advance(sim, END);
    check_between(fabs(scene_body(sim, model, "c").angle - CASES[3].angle), 0.0, 1e-5, "short steps");
    cardan_sim_destroy(sim);
    cardan_model_release(model);
}

static void an_exact_parallelogram_still_crosses(void **state) {
    (void)state;
    CardanOptions options = scene_tight(1e-9, 1e-9);
    CardanModel *model = four_bar(0.0);
    CardanSim *sim = scene_start(model, &options);
    scene_advance(sim, END);
    long events = 0;
    cardan_sim_events(sim, NULL, &events);
    assert_int_equal(events, 1);
    check_between(fabs(scene_body(sim, model, "c").angle - 4.0), 0.0, 1e-7, "angle");
    cardan_sim_destroy(sim);
    cardan_model_release(model);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_pose_that_is_missed_is_passed_as_the_rows_have_it),
        cmocka_unit_test(a_gap_below_what_rounding_leaves_is_refused_by_name),
        cmocka_unit_test(a_fixed_step_that_would_jump_the_gap_is_refused_and_a_short_one_passes),
        cmocka_unit_test(an_exact_parallelogram_still_crosses),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
