/* Benchmark problems in coordinates of their own, as custom blocks: the car axis and the slider-crank with flexible rod
 * of the Test Set for IVP Solvers. References: extrapolation in quadruple precision, on the constraints. The published
 * digits are good to fewer places. */
#include "block_models.h"
#include "support/check.h"
#include "support/reading.h"
#include "support/sample.h"
#include "support/scene.h"

enum { VALUES = 24 };

/* q, v, accelerations, multipliers at t, one after another. */
static CardanSim *values_at(CardanBuilder *builder, double t, const CardanOptions *options, double *values) {
    CardanModel *model = scene_compile(builder);
    CardanSizes n = cardan_model_sizes(model);
    CardanSim *sim = scene_run(model, options);
    scene_advance(sim, t);
    memcpy(values, cardan_sim_positions(sim), (size_t)n.coordinates * sizeof *values);
    memcpy(values + n.coordinates, cardan_sim_velocities(sim), (size_t)n.velocities * sizeof *values);
    double *a = values + n.coordinates + n.velocities;
    assert_true(cardan_sim_evaluate(sim, a, a + n.velocities) >= 0);
    return sim;
}

/* q and v at 3 s */
static const double CAR_AXIS[] = {4.934557842752409213152679276e-02,  4.969894602300081067629339733e-01,
                                  1.041742524885426115194776207e+00,  3.739110272653658193578976992e-01,
                                  -7.705836840359208428394055773e-02, 7.446866592068416491401753027e-03,
                                  1.755681575354173662974061531e-02,  7.703410437796010631206427885e-01};

/* Error 1e-8 of each number, of the multipliers too; energy, with the work of the shaken foot, is kept to `drift` of
 * the kinetic energy. */
static void check_car_axis(const CardanOptions *options, double drift) {
    static const double multipliers[] = {-4.736886590853326515313475999e-03, -1.104680331259565839860600729e-03};
    double values[VALUES];
    CardanSim *sim = values_at(mechanism_car_axis(), 3.0, options, values);
    for (int i = 0; i < 8; i++) check_near(values[i], CAR_AXIS[i], 1e-8 * fabs(CAR_AXIS[i]), "y%d", i + 1);
    for (int i = 0; i < 2; i++)
        check_near(-values[12 + i], multipliers[i], 1e-8 * fabs(multipliers[i]), "multiplier %d", i + 1);
    CardanResidual residual = residual_of(sim);
    check_between(residual.position_max, 0.0, 1e-13, "position residual");
    check_between(residual.velocity_max, 0.0, 1e-12, "velocity residual");
    CardanEnergy energy = scene_energy(sim);
    check_between(energy.drift_max, 0.0, drift * energy.kinetic, "drift of energy");
    cardan_sim_destroy(sim);
}

static void car_axis_at_3_seconds(void **state) {
    (void)state;
    CardanOptions options = scene_tight(1e-11, 1e-13);
    check_car_axis(&options, 1e-10);
    options.stabilise.form = CARDAN_STABILISE_FORM_FULL; /* which asks for (G v)_q */
    check_car_axis(&options, 1e-10);
}

/* Gauss' method of order 6 with 1500 steps, on every formulation. The work of the drive is that of the multipliers
 * inside the stages, which GGL knows to a lower order. */
static void car_axis_by_an_implicit_stepper(void **state) {
    (void)state;
    const CardanFormulation formulations[] = {CARDAN_FORMULATION_INDEX1, CARDAN_FORMULATION_GGL,
                                              CARDAN_FORMULATION_PROJECTED};
    for (int i = 0; i < 3; i++) {
        CardanOptions options = scene_fixed(CARDAN_STEPPER_GAUSS, 2e-3);
        options.formulation = formulations[i];
        check_car_axis(&options, formulations[i] == CARDAN_FORMULATION_GGL ? 1e-5 : 1e-10);
    }
}

/* Steppers for stiff models choose their steps: errors of 1e-7 of each number, at 1e-11. Measured 5e-9 to 8e-9 by
 * radau5, 2e-8 by bdf. */
static void car_axis_by_steppers_for_stiff_models(void **state) {
    (void)state;
    static const CardanStepper steppers[] = {CARDAN_STEPPER_RADAU5, CARDAN_STEPPER_BDF};
    for (int i = 0; i < 4; i++) {
        if (!sample_has(i, 4)) continue;
        double values[VALUES];
        CardanOptions options = scene_tight(1e-11, 1e-14);
        options.stepper = steppers[i % 2];
        options.formulation = i / 2 == 0 ? CARDAN_FORMULATION_INDEX1 : CARDAN_FORMULATION_GGL;
        CardanSim *sim = values_at(mechanism_car_axis(), 3.0, &options, values);
        for (int k = 0; k < 8; k++)
            check_near(values[k], CAR_AXIS[k], 1e-7 * fabs(CAR_AXIS[k]), "%s: y%d",
                       cardan_stepper_name(steppers[i % 2]), k + 1);
        cardan_sim_destroy(sim);
    }
}

/* q, v, accelerations, multipliers at 0.1 s */
static const double FLEXIBLE[VALUES] = {
    1.5000000000000000000e+01, -3.3117349882564466688e-01, 1.6973733263995853918e-01,  1.8931928430200417802e-04,
    2.3757513204885725789e-05, -5.3238967781923862080e-06, -8.3633132916665877224e-06, 1.5000000000000000000e+02,
    6.0253467551296027422e+01, -8.7531163267271399995e+00, -3.0055411709507232849e-02, -5.5004306459252846669e-03,
    4.9741116636745672645e-04, 1.1055599716078321166e-03,  0.0000000000000000000e+00,  6.4887375414275873728e+03,
    2.1679386296085701360e+03, 3.3911379783375570183e+01,  1.7149507879255782865e-01,  -1.4224491517739124661e+00,
    1.0039465204191484601e+00, -6.2329359278286786324e+01, -1.6379209934418669091e+02, 2.5298579487869895163e+01};

/* The rod's longitudinal modes swing at 3e4 rad/s: an explicit stepper takes 6000 steps. Error 1e-6 of each number,
 * accelerations and multipliers included; energy, with the work of the drive, is kept. */
static void flexible_slider_crank_at_a_tenth_of_a_second(void **state) {
    (void)state;
    double values[VALUES];
    CardanOptions options = scene_tight(1e-11, 1e-14);
    CardanSim *sim = values_at(mechanism_flexible_slider_crank(), 0.1, &options, values);
    for (int i = 0; i < VALUES; i++) {
        double allowed = i == 14 ? 1e-8 : 1e-6 * fabs(FLEXIBLE[i]); /* the driven crank's acceleration is 0 */
        check_near(values[i], FLEXIBLE[i], allowed, "y%d", i + 1);
    }
    CardanResidual residual = residual_of(sim);
    check_between(residual.position_max, 0.0, 1e-14, "position residual");
    check_between(residual.velocity_max, 0.0, 1e-12, "velocity residual");
    CardanEnergy energy = scene_energy(sim);
    check_between(energy.drift_max, 0.0, 1e-10 * energy.kinetic, "drift of energy");
    cardan_sim_destroy(sim);
}

/* Nothing damps these modes, so neither stepper gains by being implicit: 13000 and 37000 steps at 1e-9. Places and
 * velocities to 1e-7, or of each number where it is above 1; measured 1.3e-8 and 5.3e-8. */
static void flexible_slider_crank_by_steppers_for_stiff_models(void **state) {
    (void)state;
    static const CardanStepper steppers[] = {CARDAN_STEPPER_RADAU5, CARDAN_STEPPER_BDF};
    for (int s = 0; s < 2; s++) {
        if (!sample_has(s, 2)) continue;
        double values[VALUES];
        CardanOptions options = scene_tight(1e-9, 1e-12);
        options.stepper = steppers[s];
        options.formulation = CARDAN_FORMULATION_GGL;
        CardanSim *sim = values_at(mechanism_flexible_slider_crank(), 0.1, &options, values);
        for (int i = 0; i < 14; i++)
            check_near(values[i], FLEXIBLE[i], 1e-7 * fmax(1.0, fabs(FLEXIBLE[i])), "%s: y%d",
                       cardan_stepper_name(steppers[s]), i + 1);
        cardan_sim_destroy(sim);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(car_axis_at_3_seconds),
        cmocka_unit_test(car_axis_by_an_implicit_stepper),
        cmocka_unit_test(car_axis_by_steppers_for_stiff_models),
        cmocka_unit_test(flexible_slider_crank_at_a_tenth_of_a_second),
        cmocka_unit_test(flexible_slider_crank_by_steppers_for_stiff_models),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
