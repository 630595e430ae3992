/* What a start made of the values as given: by body and joint, and the motion that begins there, checked against the
 * operators of the model. */
#include "support/check.h"
#include "support/scene.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A four-bar that is written a little open: the rocker 2 mm off, nothing moving, the crank held where it is. */
#define BARS                                                                                                           \
    "cardan: 1\nname: bars\nspace: planar\nbodies:\n"                                                                  \
    "  crank: {mass: 1, inertia: 0.01, position: [0, 0.25]}\n"                                                         \
    "  rod: {mass: 2, inertia: 0.2, position: [0.5, 0.5]}\n"                                                           \
    "  rocker: {mass: 1, inertia: 0.01, position: [1.002, 0.25]}\n"                                                    \
    "joints:\n"                                                                                                        \
    "  main: {type: revolute, bodies: [ground, crank], local: {a: [0, 0], b: [0, -0.25]}}\n"                           \
    "  pin: {type: revolute, bodies: [crank, rod], local: {a: [0, 0.25], b: [-0.5, 0]}}\n"                             \
    "  wrist: {type: revolute, bodies: [rod, rocker], local: {a: [0.5, 0], b: [0, 0.25]}}\n"                           \
    "  foot: {type: revolute, bodies: [ground, rocker], local: {a: [1.2, 0], b: [0, -0.25]}}\n"

enum { CRANK, ROD, ROCKER, BODIES };
enum { MAIN, PIN, WRIST, FOOT, JOINTS };

static CardanSim *begin(const char *text) {
    CardanModel *model = scene_read(text);
    CardanOptions options = cardan_model_options(model);
    return scene_run(model, &options);
}

static void what_moved_is_told_by_body_and_joint(void **state) {
    (void)state;
    CardanSim *sim = begin(BARS "start: {positions: project, hold: [crank], rates: {main: 2}}\n");
    CardanStartBody body[BODIES];
    CardanStartJoint joint[JOINTS];
    CardanStartReport report = {.body = body, .joint = joint};
    assert_int_equal(cardan_sim_start_report(sim, &report), CARDAN_OK);
    static const double given[BODIES][2] = {{0, 0.25}, {0.5, 0.5}, {1.002, 0.25}};
    double most = 0.0;
    for (int i = 0; i < BODIES; i++) {
        CardanBodyState now;
        assert_int_equal(cardan_sim_body(sim, (CardanBody){i + 1}, &now), CARDAN_OK);
        double moved = hypot(now.position.x - given[i][0], now.position.y - given[i][1]);
        check_near(body[i].moved, moved, 1e-15, "body %d", i);
        check_near(body[i].turned, fabs(now.angle), 1e-15, "body %d", i);
        check_near(body[i].speed, hypot(now.velocity.x, now.velocity.y), 1e-15, "body %d", i);
        check_near(body[i].spin, fabs(now.spin), 1e-15, "body %d", i);
        most = fmax(most, moved);
    }
    check_near(report.moved, most, 1e-15, "the most");
    assert_true(body[CRANK].held && body[CRANK].moved == 0.0 && body[CRANK].turned == 0.0);
    assert_true(!body[ROD].held && body[ROD].turned > 0.01 && body[ROCKER].moved > 0.01);
    assert_int_equal(report.moved_body.index, 1 + ROCKER);
    /* rows as they were given: the foot's stood 0.198 m off, the wrist's 2 mm */
    check_near(joint[FOOT].off, 0.198, 1e-15, "foot");
    check_near(joint[WRIST].off, 0.002, 1e-15, "wrist");
    check_near(joint[MAIN].off, 0.0, 1e-15, "main");
    assert_true(joint[MAIN].rate_held && !joint[PIN].rate_held && !joint[MAIN].held);
    check_near(joint[MAIN].rate_given, 0.0, 1e-15, "as written");
    check_near(joint[MAIN].rate, 2.0, 1e-13, "as asked for");
    check_near(joint[MAIN].now, 0.0, 1e-15, "the crank is held");
    cardan_sim_destroy(sim);
}

static void coordinates_that_are_asked_for_are_told(void **state) {
    (void)state;
    CardanSim *sim = begin(BARS "start: {positions: project, joints: {main: 0.3}}\n");
    CardanStartJoint joint[JOINTS];
    CardanStartReport report = {.joint = joint};
    assert_int_equal(cardan_sim_start_report(sim, &report), CARDAN_OK);
    assert_true(joint[MAIN].held && !joint[FOOT].held);
    check_near(joint[MAIN].given, 0.0, 1e-15, "as written");
    check_near(joint[MAIN].now, 0.3, 1e-12, "as asked for");
    assert_true(report.turned > 0.29);
    cardan_sim_destroy(sim);
}

static void it_is_refused_after_the_first_step_and_changes_nothing_before(void **state) {
    (void)state;
    const char *text =
        BARS "start: {positions: project, rates: {main: 2}}\nsimulation: {end: 1, coordinates: absolute}\n";
    CardanSim *sim = begin(text), *other = begin(text);
    CardanStartJoint joint[JOINTS];
    CardanStartReport report = {.joint = joint};
    assert_int_equal(cardan_sim_start_report(sim, &report), CARDAN_OK);
    for (int i = 0; i < 10; i++) {
        assert_true(cardan_sim_step(sim, 1.0) >= 0);
        assert_true(cardan_sim_step(other, 1.0) >= 0);
    }
    assert_memory_equal(cardan_sim_positions(sim), cardan_sim_positions(other), 9 * sizeof(double));
    assert_int_equal(cardan_sim_start_report(sim, &report), CARDAN_ERR_ARGUMENT);
    assert_non_null(strstr(cardan_sim_message(sim), "before the first step; 10 were made"));
    cardan_sim_destroy(sim);
    cardan_sim_destroy(other);
}

/* ---- the motion ---- */

static double largest(const double *x, int n) {
    double max = 0.0;
    for (int i = 0; i < n; i++) max = fmax(max, fabs(x[i]));
    return max;
}

/* M a + G^T lambda = f and G a = gamma by the operators' products, to rounding of their terms. */
static void check_motion(const char *file) {
    CardanModel *model = scene_load(file);
    CardanOptions options = cardan_model_options(model);
    CardanSim *sim = scene_start(model, &options);
    CardanSizes sizes = cardan_model_sizes(model);
    size_t nv = (size_t)sizes.velocities, rows = (size_t)sizes.rows;
    double *work = calloc(4 * nv + 3 * rows + 1, sizeof *work);
    assert_non_null(work);
    double *a = work, *f = a + nv, *ma = f + nv, *gl = ma + nv, *lambda = gl + nv, *ga = lambda + rows,
           *gamma = ga + rows;
    CardanStartReport report = {.accelerations = a, .multipliers = lambda};
    if (cardan_sim_start_report(sim, &report) < 0) fail_msg("%s", cardan_sim_message(sim));
    CardanOperators *operators;
    assert_int_equal(cardan_operators_create(model, CARDAN_COORDINATES_ABSOLUTE, &operators, NULL, 0), CARDAN_OK);
    assert_int_equal(cardan_operators_set(operators, 0.0, cardan_sim_positions(sim), cardan_sim_velocities(sim)),
                     CARDAN_OK);
    assert_int_equal(cardan_operators_forces(operators, f), CARDAN_OK);
    assert_int_equal(cardan_operators_mass_times(operators, a, ma), CARDAN_OK);
    assert_int_equal(cardan_operators_rows_transposed(operators, lambda, gl), CARDAN_OK);
    assert_int_equal(cardan_operators_rows_times(operators, a, ga), CARDAN_OK);
    assert_int_equal(cardan_operators_residuals(operators, NULL, NULL, gamma), CARDAN_OK);
    double size = largest(f, sizes.velocities) + largest(gl, sizes.velocities),
           rate = largest(gamma, sizes.rows) + largest(a, sizes.velocities);
    for (size_t i = 0; i < nv; i++) check_near(ma[i] + gl[i], f[i], 1e-12 * size, "%s: force %zu", file, i);
    for (size_t i = 0; i < rows; i++) check_near(ga[i], gamma[i], 1e-12 * rate, "%s: row %zu", file, i);
    cardan_operators_destroy(operators);
    free(work);
    cardan_sim_destroy(sim);
    cardan_model_release(model);
}

static void accelerations_and_multipliers_solve_the_equations_of_motion(void **state) {
    (void)state;
    static const char *const files[] = {
        "models/slider_crank.yaml",     "models/andrews.yaml",         "models/bricard.yaml",
        "models/rolling_disc.yaml",     "models/double_wishbone.yaml", "models/heavy_top.yaml",
        "models/stewart_platform.yaml", "models/every_joint.yaml",     "models/stiff_slider_crank.yaml",
        "models/flyball_governor.yaml", "models/delta_robot.yaml"};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) check_motion(files[i]);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_moved_is_told_by_body_and_joint),
        cmocka_unit_test(coordinates_that_are_asked_for_are_told),
        cmocka_unit_test(it_is_refused_after_the_first_step_and_changes_nothing_before),
        cmocka_unit_test(accelerations_and_multipliers_solve_the_equations_of_motion),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
