/* Steppers on models: what they refuse and why, what they keep, how they fail, and that histories end where the motion
 * is no longer smooth. (Orders: test_orders.c; saved states of every stepper: test_backend.c.) */
#include "mechanisms.h"
#include "sim_fixture.h"
#include "support/defaulted.h"
#include "support/reading.h"
#include "support/scene.h"

/* ---- what does not fit ---- */

static void check_refused(const CardanModel *model, const CardanOptions *options, const char *reason) {
    CardanSim *sim = NULL;
    assert_int_equal(cardan_sim_create(model, options, &sim), CARDAN_ERR_MODEL);
    if (strstr(cardan_sim_message(sim), reason) == NULL) fail_msg("%s", cardan_sim_message(sim));
    cardan_sim_destroy(sim);
}

static void what_a_stepper_cannot_do_is_refused_with_the_reason(void **state) {
    (void)state;
    CardanModel *joints = scene_load("models/double_pendulum.yaml"), *sleigh = scene_load("models/sleigh.yaml");
    CardanOptions o = scene_fixed(CARDAN_STEPPER_VERLET, 0.01);
    check_refused(joints, &o, "stepper 'verlet' cannot keep joints closed");
    check_refused(sleigh, &o, "no place for nonholonomic rows");
    o.stepper = CARDAN_STEPPER_RATTLE;
    check_refused(sleigh, &o, "stepper 'rattle' has no place for nonholonomic rows");
    o.stabilise.method = CARDAN_STABILISE_BAUMGARTE;
    check_refused(joints, &o, "Baumgarte's terms would disturb it");
    o.stepper = CARDAN_STEPPER_HEM;
    check_refused(joints, &o, "Baumgarte's terms would disturb it");
    o = scene_fixed(CARDAN_STEPPER_RATTLE, 0.0);
    check_refused(joints, &o, "stepper 'rattle' estimates no error and needs a fixed 'step'");
    o.stepper = CARDAN_STEPPER_HEM;
    check_refused(joints, &o, "stepper 'hem' estimates no error and needs a fixed 'step'");
    cardan_model_release(joints);
    cardan_model_release(sleigh);
}

static CardanStatus unit_mass(void *user, double t, const double *q, double *m) {
    (void)user, (void)t, (void)q;
    m[0] = 1.0;
    return CARDAN_OK;
}

static void masses_of_blocks_may_change_so_rattle_refuses_them(void **state) {
    (void)state;
    CardanBuilder *b = cardan_builder_create(CARDAN_SPACE_PLANAR);
    cardan_builder_add_block(b, &(CardanBlockDef){DEFAULTED, .name = "bob", .coordinates = 1, .mass = unit_mass});
    CardanModel *model = scene_compile(b);
    CardanOptions o = scene_fixed(CARDAN_STEPPER_RATTLE, 0.01);
    check_refused(model, &o,
                  "stepper 'rattle' needs masses that do not change, and block 'bob' has a mass matrix of its own");
    o.stepper = CARDAN_STEPPER_VERLET;
    check_refused(model, &o, "stepper 'verlet' needs masses that do not change");
    cardan_model_release(model);
}

/* ---- what they keep ---- */

/* Without stabilisation: an explicit method drifts on both levels, a half-explicit one on that of positions alone. */
static void half_explicit_stages_keep_the_velocities_on_the_constraints(void **state) {
    (void)state;
    CardanModel *model = scene_load("models/slider_crank.yaml");
    CardanResidual residual[2];
    for (int k = 0; k < 2; k++) {
        CardanOptions o = scene_fixed(k == 0 ? CARDAN_STEPPER_HEM : CARDAN_STEPPER_RK4, 0.01);
        o.stabilise.method = CARDAN_STABILISE_NONE;
        CardanSim *sim = scene_start(model, &o);
        scene_advance(sim, 2.0);
        residual[k] = residual_of(sim);
        cardan_sim_destroy(sim);
    }
    assert_true(residual[0].velocity_max < 1e-13 && residual[0].position_max > 1e-9);
    assert_true(residual[1].velocity_max > 1e-9 && residual[1].position_max > 1e-9);
    cardan_model_release(model);
}

/* Bennett's linkage has redundant rows, a driven one rows that move, the bead a curve with memory. */
static void rattle_and_hem_agree_with_dop853_on_models_of_every_kind(void **state) {
    (void)state;
    static const char *const FILES[] = {"models/bennett.yaml", "models/double_universal.yaml",
                                        "models/bead_on_curve.yaml", "models/spatial_slider_crank.yaml",
                                        "models/four_bar.yaml"};
    for (size_t f = 0; f < sizeof FILES / sizeof *FILES; f++) {
        CardanModel *model = scene_load(FILES[f]);
        CardanSizes sizes = cardan_model_sizes(model);
        CardanOptions tight = scene_tight(1e-11, 1e-11);
        CardanSim *exact = scene_start(model, &tight);
        scene_advance(exact, 0.2);
        for (int k = 0; k < 2; k++) {
            CardanOptions o = scene_fixed(k == 0 ? CARDAN_STEPPER_RATTLE : CARDAN_STEPPER_HEM, 2e-4);
            CardanSim *sim = scene_start(model, &o);
            scene_advance(sim, 0.2);
            double worst = 0.0, size = 0.0;
            for (int i = 0; i < sizes.coordinates; i++) {
                double there = cardan_sim_positions(exact)[i];
                worst = fmax(worst, fabs(cardan_sim_positions(sim)[i] - there));
                size = fmax(size, fabs(there));
            }
            if (!(worst <= (k == 0 ? 2e-4 : 1e-7) * size))
                fail_msg("%s with %s: error %g", FILES[f], cardan_stepper_name(o.stepper), worst);
            cardan_sim_destroy(sim);
        }
        cardan_sim_destroy(exact);
        cardan_model_release(model);
    }
}

/* ---- how they fail ---- */

static void a_step_too_long_for_rattle_is_a_failure_that_changes_nothing(void **state) {
    (void)state;
    CardanModel *model = scene_load("models/double_pendulum.yaml");
    CardanOptions o = scene_fixed(CARDAN_STEPPER_RATTLE, 2.0);
    CardanSim *sim = scene_start(model, &o);
    Snapshot before = snapshot_of(sim);
    assert_int_equal(cardan_sim_advance(sim, 4.0), CARDAN_ERR_NUMERIC);
    assert_non_null(strstr(cardan_sim_message(sim), "no multipliers put the positions on the constraints"));
    Snapshot after = snapshot_of(sim);
    assert_true(same_bits(&before, &after));
    cardan_sim_destroy(sim);
    cardan_model_release(model);
}

/* ---- histories ---- */

/* An input that jumps: what was remembered from before the jump would spoil the order after it. */
static void a_jump_of_an_input_ends_the_history(void **state) {
    (void)state;
    static const CardanStepper STEPPERS[] = {CARDAN_STEPPER_DOP853, CARDAN_STEPPER_ABM, CARDAN_STEPPER_GBS};
    double end[3][16] = {{0.0}};
    CardanBuilder *b = mechanism_slider_crank(0.2, 0.4, 0.8);
    CardanInput u = cardan_builder_add_input(b, "u", 0.0);
    cardan_builder_add_force(b, &(CardanForceDef){DEFAULTED, .name = "motor", .type = CARDAN_FORCE_TORQUE, .joint = {1},
                                                  .law = {"u", NULL, NULL}});
    CardanModel *model = scene_compile(b);
    int nq = cardan_model_sizes(model).coordinates;
    for (int s = 0; s < 3; s++) {
        CardanOptions o = scene_tight(1e-10, 1e-10);
        o.stepper = STEPPERS[s];
        CardanSim *sim = scene_start(model, &o);
        for (int k = 1; k <= 10; k++) {
            assert_int_equal(cardan_sim_set_input(sim, u, k % 2 == 0 ? -2.0 : 2.0), CARDAN_OK);
            scene_advance(sim, 0.05 * k);
        }
        memcpy(end[s], cardan_sim_positions(sim), (size_t)nq * sizeof *end[s]);
        for (int i = 0; i < nq; i++) assert_near(end[s][i], end[0][i], 1e-8);
        cardan_sim_destroy(sim);
    }
    cardan_model_release(model);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_a_stepper_cannot_do_is_refused_with_the_reason),
        cmocka_unit_test(masses_of_blocks_may_change_so_rattle_refuses_them),
        cmocka_unit_test(half_explicit_stages_keep_the_velocities_on_the_constraints),
        cmocka_unit_test(rattle_and_hem_agree_with_dop853_on_models_of_every_kind),
        cmocka_unit_test(a_step_too_long_for_rattle_is_a_failure_that_changes_nothing),
        cmocka_unit_test(a_jump_of_an_input_ends_the_history),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
