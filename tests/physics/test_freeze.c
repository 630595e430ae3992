/* Factors kept for several steps (stabilise.freeze: k) and their guard, and rows of velocities alone, which are
 * corrected once. */
#include "support/check.h"
#include "support/reading.h"
#include "support/scene.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct Ran {
    CardanResidual residual;
    CardanWork work;
    double first; /* the first coordinate at the end */
} Ran;

static Ran run(const CardanModel *model, const CardanOptions *options, double end) {
    CardanSim *sim = scene_start(model, options);
    scene_advance(sim, end);
    Ran ran = {.work = work_of(sim), .first = cardan_sim_positions(sim)[0]};
    assert_int_equal(cardan_sim_residual(sim, &ran.residual), CARDAN_OK);
    cardan_sim_destroy(sim);
    return ran;
}

static CardanOptions keeping(CardanOptions options, CardanMetric metric, int freeze) {
    options.coordinates = CARDAN_COORDINATES_ABSOLUTE;
    options.stabilise.metric = metric;
    options.stabilise.freeze = freeze;
    return options;
}

/* ---- rows stay where they were ---- */

/* Residuals at rounding: of places of size 1, and of rates at speeds of up to 10 in joints of some links. */
static const double PLACES = 1e-14, RATES = 3e-13;

static void rows_stay_at_rounding_with_a_factor_of_steps_ago(void **state) {
    (void)state;
    static const char *const files[] = {"models/slider_crank.yaml",  "models/bricard.yaml",
                                        "models/rolling_disc.yaml",  "models/stewart_platform.yaml",
                                        "models/bead_on_curve.yaml", "models/bennett.yaml"};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        CardanModel *model = scene_load(files[i]);
        for (int k = 4; k <= 64; k *= 16)
            for (int metric = CARDAN_METRIC_MASS; metric <= CARDAN_METRIC_EUCLID; metric++) {
                CardanOptions o = keeping(cardan_model_options(model), (CardanMetric)metric, k);
                Ran ran = run(model, &o, 0.5);
                check_between(ran.residual.position_max, 0.0, PLACES, files[i]);
                check_between(ran.residual.velocity_max, 0.0, RATES, files[i]);
            }
        cardan_model_release(model);
    }
}

static void short_steps_save_all_factors_but_one_in_k(void **state) {
    (void)state;
    enum { STEPS = 400, K = 8 };
    CardanModel *model = scene_load("models/slider_crank.yaml");
    CardanOptions fixed = scene_fixed(CARDAN_STEPPER_RK4, 1e-3), fresh = keeping(fixed, CARDAN_METRIC_EUCLID, 1),
                  kept = keeping(fixed, CARDAN_METRIC_EUCLID, K);
    Ran one = run(model, &fresh, STEPS * 1e-3), many = run(model, &kept, STEPS * 1e-3);
    assert_int_equal(one.work.steps, STEPS);
    assert_int_equal(many.work.refreshed, 0);
    assert_int_equal(one.work.factorisations - many.work.factorisations, STEPS - STEPS / K);
    check_between(many.residual.position_max, 0.0, PLACES, "places");
    check_between(many.residual.velocity_max, 0.0, RATES, "rates");
    check_near(many.first, one.first, 1e-12, "the crank");
    cardan_model_release(model);
}

/* Ten times the step turns the crank ten times as far while a factor is kept: it contracts no longer. */
static void the_guard_makes_it_anew_where_the_pose_changes_fast(void **state) {
    (void)state;
    CardanModel *model = scene_load("models/slider_crank.yaml");
    CardanOptions o = keeping(scene_fixed(CARDAN_STEPPER_RK4, 2e-2), CARDAN_METRIC_EUCLID, 64);
    Ran ran = run(model, &o, 2.0);
    assert_int_equal(ran.work.steps, 100);
    assert_true(ran.work.refreshed >= 5);
    check_between(ran.residual.position_max, 0.0, PLACES, "places");
    check_between(ran.residual.velocity_max, 0.0, RATES, "rates");
    cardan_model_release(model);
}

/* Steps at a singular pose have fresh factors: the passage is the same to the error of a step. */
static void a_pose_is_passed_as_without_it(void **state) {
    (void)state;
    CardanModel *model = scene_load("models/equal_slider_crank.yaml");
    CardanOptions fresh = keeping(cardan_model_options(model), CARDAN_METRIC_MASS, 1),
                  kept = keeping(cardan_model_options(model), CARDAN_METRIC_MASS, 32);
    CardanSim *one = scene_start(model, &fresh), *many = scene_start(model, &kept);
    scene_advance(one, 2.0);
    scene_advance(many, 2.0);
    const CardanEvent *a, *b;
    int n = cardan_sim_events(one, &a, NULL);
    assert_int_equal(cardan_sim_events(many, &b, NULL), n);
    assert_true(n > 0);
    for (int i = 0; i < n; i++) {
        assert_int_equal(a[i].branch, b[i].branch);
        check_near(b[i].t, a[i].t, 1e-5, "passage %d", i);
    }
    check_near(cardan_sim_positions(many)[0], cardan_sim_positions(one)[0], 1e-5, "the crank");
    cardan_sim_destroy(one);
    cardan_sim_destroy(many);
    cardan_model_release(model);
}

/* ---- the state ---- */

static void step_often(CardanSim *sim, int steps) {
    for (int i = 0; i < steps; i++)
        if (cardan_sim_step(sim, 10.0) < 0) fail_msg("%s", cardan_sim_message(sim));
}

static void check_same_bits(CardanSim *a, CardanSim *b, const char *what) {
    int size = cardan_sim_state_size(a);
    double *x = malloc(2 * (size_t)size * sizeof *x);
    assert_non_null(x);
    assert_int_equal(cardan_sim_get_state(a, x), CARDAN_OK);
    assert_int_equal(cardan_sim_get_state(b, x + size), CARDAN_OK);
    if (memcmp(x, x + size, (size_t)size * sizeof *x) != 0) fail_msg("%s: other bits", what);
    free(x);
}

static void a_run_put_back_goes_on_with_the_same_bits(void **state) {
    (void)state;
    static const char *const files[] = {"models/slider_crank.yaml", "models/bricard.yaml", "models/bead_on_curve.yaml"};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        CardanModel *model = scene_load(files[i]);
        CardanOptions o = keeping(scene_fixed(CARDAN_STEPPER_RK4, 2e-3), CARDAN_METRIC_EUCLID, 10);
        CardanSim *sim = scene_start(model, &o), *back = scene_start(model, &o), *clone;
        double *kept = malloc((size_t)cardan_sim_state_size(sim) * sizeof *kept);
        assert_non_null(kept);
        step_often(sim, 25); /* the factor is of five steps ago */
        assert_int_equal(cardan_sim_get_state(sim, kept), CARDAN_OK);
        assert_int_equal(cardan_sim_clone(sim, &clone), CARDAN_OK);
        assert_int_equal(cardan_sim_set_state(back, kept), CARDAN_OK);
        step_often(sim, 12);
        step_often(back, 12);
        step_often(clone, 12);
        check_same_bits(sim, back, files[i]);
        check_same_bits(sim, clone, files[i]);
        /* It is of the state: forgotten, the next step would be another. */
        CardanOptions other = keeping(o, CARDAN_METRIC_EUCLID, 1);
        CardanSim *fresh = scene_start(model, &other);
        step_often(fresh, 37);
        assert_true(memcmp(cardan_sim_velocities(fresh), cardan_sim_velocities(sim), sizeof(double)) != 0);
        cardan_sim_destroy(fresh);
        cardan_sim_destroy(clone);
        cardan_sim_destroy(back);
        cardan_sim_destroy(sim);
        free(kept);
        cardan_model_release(model);
    }
}

static void relative_coordinates_have_no_kept_factor(void **state) {
    (void)state;
    CardanModel *model = scene_load("models/double_pendulum.yaml");
    CardanOptions o = cardan_model_options(model);
    CardanSim *sim;
    o.stabilise.freeze = 4;
    assert_true(cardan_sim_create(model, &o, &sim) >= 0);
    assert_int_equal(cardan_sim_coordinates(sim), CARDAN_COORDINATES_ABSOLUTE);
    assert_non_null(strstr(cardan_sim_coordinates_reason(sim), "stabilise.freeze"));
    cardan_sim_destroy(sim);
    o.coordinates = CARDAN_COORDINATES_RELATIVE;
    assert_int_equal(cardan_sim_create(model, &o, &sim), CARDAN_ERR_MODEL);
    assert_non_null(strstr(cardan_sim_message(sim), "stabilise.freeze"));
    cardan_sim_destroy(sim);
    cardan_model_release(model);
}

/* ---- rows of velocities alone ---- */

/* z' = y x' of a particle (Rosenberg): S = (1 + y^2) / m changes on the way. */
static CardanStatus rosenberg(void *user, double t, const CardanFrame *frames, double *g, CardanTwistRow *jacobian,
                              double *rate, double *gamma) {
    (void)user, (void)t, (void)g, (void)rate;
    jacobian[0][0] = -frames[0].x.y;
    jacobian[0][2] = 1.0;
    gamma[0] = frames[0].v.y * frames[0].v.x;
    return CARDAN_OK;
}

static CardanModel *rosenberg_model(void) {
    CardanBuilder *b = cardan_builder_create(CARDAN_SPACE_SPATIAL);
    CardanBodyDef particle = cardan_default_body();
    particle.name = "bead";
    particle.mass = 2.0;
    particle.particle = true;
    particle.pose.p = (CardanVec3){0.0, 1.0, 0.0};
    particle.velocity = (CardanVec3){1.0, 0.5, 1.0};
    CardanBody bead = cardan_builder_add_body(b, &particle);
    CardanForceDef spring = cardan_default_force(CARDAN_FORCE_SPRING);
    spring.name = "spring";
    spring.b = bead;
    spring.stiffness = 20.0;
    spring.length_given = true;
    cardan_builder_add_force(b, &spring);
    CardanRowsDef rows = cardan_default_rows();
    rows.name = "slope";
    rows.bodies = 1;
    rows.body = &bead;
    rows.rows = 1;
    rows.nonholonomic = true;
    rows.evaluate = rosenberg;
    cardan_builder_add_rows(b, &rows);
    return scene_compile(b);
}

static void rows_of_velocities_alone_are_corrected_once(void **state) {
    (void)state;
    enum { STEPS = 2000 };
    CardanModel *models[2] = {rosenberg_model(), scene_load("models/slider_crank.yaml")};
    long solves[2][2];
    for (int m = 0; m < 2; m++)
        for (int passes = 1; passes <= 2; passes++) {
            CardanOptions o = keeping(scene_fixed(CARDAN_STEPPER_RK4, 5e-3), CARDAN_METRIC_MASS, 1);
            o.stabilise.passes = passes;
            Ran ran = run(models[m], &o, m == 0 ? STEPS * 5e-3 : 0.5);
            solves[m][passes - 1] = ran.work.solves;
            if (m == 0) {
                print_message("passes %d: rate %.2e after %ld steps, refreshed %ld\n", passes,
                              ran.residual.velocity_max, ran.work.steps, ran.work.refreshed);
                assert_int_equal(ran.work.refreshed, 0);
                check_between(ran.residual.velocity_max, 0.0, 1e-10, "the row's rate");
            }
        }
    assert_int_equal(solves[0][0], solves[0][1]);
    assert_int_equal(solves[1][1] - solves[1][0], 2 * 100); /* of position rows the second pass is made */
    cardan_model_release(models[0]);
    cardan_model_release(models[1]);
}

/* ... and that is no drift: ten times as long leaves as much. */
static void once_does_not_drift(void **state) {
    (void)state;
    CardanModel *model = rosenberg_model();
    CardanOptions o = keeping(scene_fixed(CARDAN_STEPPER_RK4, 5e-3), CARDAN_METRIC_MASS, 1), none = o;
    none.stabilise.method = CARDAN_STABILISE_NONE;
    Ran soon = run(model, &o, 4.0), late = run(model, &o, 40.0), bare = run(model, &none, 40.0);
    print_message("rate %.2e after 4 s, %.2e after 40 s, %.2e without\n", soon.residual.velocity_max,
                  late.residual.velocity_max, bare.residual.velocity_max);
    assert_true(late.residual.velocity_max <= 3.0 * soon.residual.velocity_max);
    assert_true(bare.residual.velocity_max > 1e3 * late.residual.velocity_max);
    cardan_model_release(model);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_stay_at_rounding_with_a_factor_of_steps_ago),
        cmocka_unit_test(short_steps_save_all_factors_but_one_in_k),
        cmocka_unit_test(the_guard_makes_it_anew_where_the_pose_changes_fast),
        cmocka_unit_test(a_pose_is_passed_as_without_it),
        cmocka_unit_test(a_run_put_back_goes_on_with_the_same_bits),
        cmocka_unit_test(relative_coordinates_have_no_kept_factor),
        cmocka_unit_test(rows_of_velocities_alone_are_corrected_once),
        cmocka_unit_test(once_does_not_drift),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
