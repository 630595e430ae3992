/* Implicit steppers and formulations on models: they agree with DOP853 where rows are nonholonomic, redundant, driven
 * or curves, the constraints hold by the formulation alone, Gauss keeps its energy and finds its way back, stiff joints
 * are stepped over, and what cannot be solved is refused by name. */
#include "mechanisms.h"
#include "support/check.h"
#include "support/reading.h"
#include "support/sample.h"
#include "support/scene.h"

enum { TIMES = 4, LENGTH_MAX = 64 };

static int read_motion(const CardanModel *model, CardanSim *sim, double *out) {
    CardanSizes sizes = cardan_model_sizes(model);
    assert_true(sizes.coordinates + sizes.velocities <= LENGTH_MAX);
    memcpy(out, cardan_sim_positions(sim), (size_t)sizes.coordinates * sizeof *out);
    memcpy(out + sizes.coordinates, cardan_sim_velocities(sim), (size_t)sizes.velocities * sizeof *out);
    return sizes.coordinates + sizes.velocities;
}

/* The motion at TIMES times up to the end, one after the other. */
static int course_of(const CardanModel *model, const CardanOptions *options, double end, double *motion,
                     CardanResidual *residual) {
    CardanSim *sim = scene_start(model, options);
    int n = 0;
    for (int k = 1; k <= TIMES; k++) {
        scene_advance(sim, end * k / TIMES);
        n += read_motion(model, sim, motion + n);
    }
    if (residual != NULL) *residual = residual_of(sim);
    cardan_sim_destroy(sim);
    return n;
}

static double distance(const double *a, const double *b, int n) {
    double worst = 0.0;
    for (int i = 0; i < n; i++) worst = fmax(worst, fabs(a[i] - b[i]));
    return worst;
}

/* ---- kinds of rows ---- */

/* The error allowed is that of Gauss at this step, measured and doubled; the reference is good to 1e-11. Redundant rows
 * are met as far as the others determine them. */
static void formulations_agree_on_every_kind_of_rows(void **state) {
    (void)state;
    static const struct {
        const char *path; /* nonholonomic; holonomic and not, in space; redundant; driven; curve; couplers */
        double end, step, allowed, residual;
    } cases[] = {
        {"models/sleigh.yaml", 0.5, 0.01, 1e-11, 1e-13},
        {"models/rolling_disc.yaml", 0.5, 0.02, 4e-11, 1e-13},
        {"models/bennett.yaml", 0.5, 0.01, 1e-10, 2e-9},
        {"models/universal_shaft.yaml", 0.2, 0.005, 2e-10, 1e-12},
        {"models/bead_on_curve.yaml", 0.5, 0.005, 1e-10, 1e-13},
        {"models/planetary.yaml", 0.5, 0.01, 1e-11, 1e-12},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        CardanModel *model = scene_load(cases[i].path);
        double exact[TIMES * LENGTH_MAX], motion[TIMES * LENGTH_MAX];
        CardanOptions tight = scene_tight(1e-12, 1e-13);
        int n = course_of(model, &tight, cases[i].end, exact, NULL);
        for (int k = 0; k < CARDAN_FORMULATIONS; k++) {
            if (!sample_has((int)i + k, 3)) continue;
            CardanResidual residual;
            CardanOptions o = scene_fixed(CARDAN_STEPPER_GAUSS, cases[i].step);
            o.formulation = (CardanFormulation)k;
            course_of(model, &o, cases[i].end, motion, &residual);
            check_near(distance(motion, exact, n), 0.0, cases[i].allowed, "%s on %s", cases[i].path,
                       cardan_options_word("formulation", k));
            check_near(residual.position_max, 0.0, cases[i].residual, "%s: positions", cases[i].path);
            check_near(residual.velocity_max, 0.0, cases[i].residual, "%s: velocities", cases[i].path);
        }
        cardan_model_release(model);
    }
}

/* ---- the constraints hold by the formulation alone ---- */

typedef struct Held {
    CardanFormulation formulation;
    CardanLevels levels;
    CardanStabiliseForm form;
    CardanMetric metric;
    bool velocities; /* are held too */
} Held;

/* ggl; Pa, Pb, Pc; both metrics. No stabilisation follows the steps. */
static const Held HELD[] = {
    {CARDAN_FORMULATION_GGL, CARDAN_LEVELS_BOTH, CARDAN_STABILISE_FORM_BLOCK, CARDAN_METRIC_MASS, true},
    {CARDAN_FORMULATION_GGL, CARDAN_LEVELS_BOTH, CARDAN_STABILISE_FORM_BLOCK, CARDAN_METRIC_EUCLID, true},
    {CARDAN_FORMULATION_PROJECTED, CARDAN_LEVELS_POSITION, CARDAN_STABILISE_FORM_BLOCK, CARDAN_METRIC_MASS, false},
    {CARDAN_FORMULATION_PROJECTED, CARDAN_LEVELS_BOTH, CARDAN_STABILISE_FORM_BLOCK, CARDAN_METRIC_MASS, true},
    {CARDAN_FORMULATION_PROJECTED, CARDAN_LEVELS_BOTH, CARDAN_STABILISE_FORM_BLOCK, CARDAN_METRIC_EUCLID, true},
    {CARDAN_FORMULATION_PROJECTED, CARDAN_LEVELS_BOTH, CARDAN_STABILISE_FORM_FULL, CARDAN_METRIC_EUCLID, true},
};

static CardanOptions held_options(const Held *held, CardanStepper stepper, double step) {
    CardanOptions o = scene_fixed(stepper, step);
    o.formulation = held->formulation;
    o.stabilise.method = CARDAN_STABILISE_NONE;
    o.stabilise.levels = held->levels;
    o.stabilise.form = held->form;
    o.stabilise.metric = held->metric;
    return o;
}

static void constraints_hold_without_stabilisation_and_the_order_stays(void **state) {
    (void)state;
    static const struct {
        CardanStepper stepper;
        int order;
        double step;
    } steppers[] = {{CARDAN_STEPPER_BACKWARD_EULER, 1, 0.002},
                    {CARDAN_STEPPER_TRAPEZOIDAL, 2, 0.005},
                    {CARDAN_STEPPER_IMPLICIT_MIDPOINT, 2, 0.005},
                    {CARDAN_STEPPER_GAUSS, 6, 0.0125}};
    CardanModel *model = scene_compile(mechanism_chain(CARDAN_SPACE_PLANAR, 2));
    CardanOptions tight = scene_tight(1e-13, 1e-14);
    double exact[TIMES * LENGTH_MAX], motion[TIMES * LENGTH_MAX];
    int n = course_of(model, &tight, 0.6, exact, NULL);
    for (size_t i = 0; i < sizeof HELD / sizeof *HELD; i++)
        for (size_t s = 0; s < sizeof steppers / sizeof *steppers; s++) {
            if (!sample_has((int)(i + s), 2)) continue;
            double error[2];
            for (int k = 0; k < 2; k++) {
                CardanResidual residual;
                CardanOptions o = held_options(&HELD[i], steppers[s].stepper, steppers[s].step / (1 << k));
                course_of(model, &o, 0.6, motion, &residual);
                error[k] = distance(motion, exact, n);
                check_near(residual.position_max, 0.0, 1e-14, "row %zu, stepper %zu: positions", i, s);
                if (HELD[i].velocities)
                    check_near(residual.velocity_max, 0.0, 1e-13, "row %zu, stepper %zu: velocities", i, s);
                else
                    assert_true(residual.velocity_max > 1e-11); /* Pa holds positions alone */
            }
            /* of Gauss on Pc the leading term is small here, and the next one still shows */
            check_between(log2(error[0] / error[1]), steppers[s].order - 0.5, steppers[s].order + 0.25,
                          cardan_stepper_name(steppers[s].stepper));
        }
    cardan_model_release(model);
}

/* Baumgarte's gains with gamma = 1/h: alpha = 2 gamma, beta = gamma^2 in the model file itself. */
static void baumgarte_takes_gamma_as_one_over_the_step(void **state) {
    (void)state;
    static const char *const text =
        "cardan: 1\nspace: planar\ngravity: [0, -9.81]\nparameters: {h: 0.01}\n"
        "bodies:\n  rod: {mass: 1, inertia: 0.1, position: [0.5, 0]}\n"
        "joints:\n  pin: {type: revolute, bodies: [ground, rod], point: [0, 0]}\n"
        "simulation: {end: 5, stepper: heun, step: h, stabilise: {method: baumgarte, alpha: 2/h, beta: 1/h^2}}\n";
    CardanModel *model = scene_read(text);
    CardanOptions with = cardan_model_options(model), without = with;
    double motion[TIMES * LENGTH_MAX];
    CardanResidual damped, drifted;
    assert_true(fabs(with.stabilise.alpha - 200.0) < 1e-9 && fabs(with.stabilise.beta - 1e4) < 1e-7);
    without.stabilise.method = CARDAN_STABILISE_NONE;
    course_of(model, &with, 5.0, motion, &damped);
    course_of(model, &without, 5.0, motion, &drifted);
    assert_true(damped.position_max < 0.2 * drifted.position_max);
    cardan_model_release(model);
}

/* ---- energy and the way back ---- */

enum { TENTHS = 10, STEPS = 100000 };

static const char *const TWO_POINTS = "cardan: 1\nspace: planar\ngravity: [0, -9.81]\n"
                                      "bodies:\n"
                                      "  a: {mass: 1, particle: true, position: [1, 0]}\n"
                                      "  b: {mass: 1, particle: true, position: [2, 0]}\n"
                                      "joints:\n"
                                      "  upper: {type: distance, bodies: [ground, a], local: {a: [0, 0], b: [0, 0]}}\n"
                                      "  lower: {type: distance, bodies: [a, b], local: {a: [0, 0], b: [0, 0]}}\n";

static void energy_course(const CardanModel *model, CardanStepper stepper, double *mean, double *worst) {
    CardanOptions o = scene_fixed(stepper, 0.01);
    CardanSim *sim = scene_start(model, &o);
    double start = scene_energy(sim).total;
    for (int k = 0; k < TENTHS; k++) {
        mean[k] = worst[k] = 0.0;
        for (int i = 0; i < STEPS / TENTHS; i++) {
            assert_true(cardan_sim_step(sim, (double)INFINITY) >= 0);
            double off = scene_energy(sim).total - start;
            mean[k] += off * TENTHS / STEPS;
            worst[k] = fmax(worst[k], fabs(off));
        }
    }
    cardan_sim_destroy(sim);
}

/* A double pendulum of two points, tumbling through 1000 s. */
static void gauss_keeps_the_energy_of_the_double_pendulum_while_rk4_loses_it(void **state) {
    (void)state;
    if (SAMPLE_IS_PART) skip(); /* half a minute there, and shorter courses say nothing about drift */
    CardanModel *model = scene_read(TWO_POINTS);
    double mean[TENTHS], worst[TENTHS], rk4_mean[TENTHS], rk4_worst[TENTHS];
    energy_course(model, CARDAN_STEPPER_GAUSS, mean, worst);
    energy_course(model, CARDAN_STEPPER_RK4, rk4_mean, rk4_worst);
    for (int k = 0; k < TENTHS; k++) {
        check_between(worst[k] / worst[0], 0.5, 2.0, "Gauss: largest error in a tenth against the first");
        check_near(mean[k], mean[0], 0.1 * worst[0], "Gauss: mean of tenth %d", k);
        if (k > 0) check_between((rk4_mean[k - 1] - rk4_mean[k]) / rk4_worst[0], 0.3, 3.0, "RK4: loss in a tenth");
    }
    check_between(worst[TENTHS - 1], 1e-8, 1e-6, "Gauss: error of the energy in J");
    assert_true(rk4_worst[TENTHS - 1] > 5.0 * rk4_worst[0]);
    cardan_model_release(model);
}

/* There, velocities turned round, and back: the symmetric projection leaves rounding, post-stabilisation an error. */
static double way_back(const CardanModel *model, CardanStepper stepper, CardanFormulation formulation) {
    CardanSizes sizes = cardan_model_sizes(model);
    CardanOptions o = scene_fixed(stepper, 0.01);
    o.formulation = formulation;
    CardanSim *sim = scene_start(model, &o);
    double start[LENGTH_MAX], q[LENGTH_MAX], v[LENGTH_MAX], end[LENGTH_MAX];
    read_motion(model, sim, start);
    for (int i = 0; i < 60; i++) assert_true(cardan_sim_step(sim, (double)INFINITY) >= 0);
    memcpy(q, cardan_sim_positions(sim), (size_t)sizes.coordinates * sizeof *q);
    for (int i = 0; i < sizes.velocities; i++) v[i] = -cardan_sim_velocities(sim)[i];
    assert_true(cardan_sim_set_motion(sim, 0.0, q, v) >= 0);
    for (int i = 0; i < 60; i++) assert_true(cardan_sim_step(sim, (double)INFINITY) >= 0);
    read_motion(model, sim, end);
    cardan_sim_destroy(sim);
    return distance(start, end, sizes.coordinates);
}

static void symmetric_steppers_find_their_way_back(void **state) {
    (void)state;
    CardanBuilder *b = mechanism_chain(CARDAN_SPACE_SPATIAL, 2);
    cardan_builder_set_gravity(b, (CardanVec3){0.0, -9.81, 4.0});
    CardanModel *models[2] = {scene_compile(mechanism_chain(CARDAN_SPACE_PLANAR, 2)), scene_compile(b)};
    for (int m = 0; m < 2; m++) {
        check_near(way_back(models[m], CARDAN_STEPPER_GAUSS, CARDAN_FORMULATION_INDEX1), 0.0, 1e-11, "gauss, model %d",
                   m);
        check_near(way_back(models[m], CARDAN_STEPPER_IMPLICIT_MIDPOINT, CARDAN_FORMULATION_INDEX1), 0.0, 1e-9,
                   "midpoint, model %d", m);
        assert_true(way_back(models[m], CARDAN_STEPPER_IMPLICIT_MIDPOINT, CARDAN_FORMULATION_GGL) > 1e-7);
        assert_true(way_back(models[m], CARDAN_STEPPER_BACKWARD_EULER, CARDAN_FORMULATION_INDEX1) > 1e-4);
        cardan_model_release(models[m]);
    }
}

/* ---- stiff ---- */

/* A compliant pin of 1e8 N/m: its vibration has a period of 0.5 ms. With steps of 10 ms the trapezoidal rule and
 * backward Euler follow the slow motion, which is that of the pendulum; RK4 fails. */
static void stiff_joints_are_stepped_over(void **state) {
    (void)state;
    static const char *const format = "cardan: 1\nspace: planar\ngravity: [0, -9.81]\n"
                                      "bodies:\n  rod: {mass: 1.5, inertia: {rod: 1.2}, position: [0.6, 0]}\n"
                                      "joints:\n  pin: {type: revolute, bodies: [ground, rod], point: [0, 0]%s}\n";
    char stiff[512], rigid[512];
    snprintf(stiff, sizeof stiff, format, ", compliant: {stiffness: 1e8, damping: 1e4}");
    snprintf(rigid, sizeof rigid, format, "");
    CardanModel *model = scene_read(stiff), *limit = scene_read(rigid);
    CardanOptions tight = scene_tight(1e-12, 1e-13);
    double exact[TIMES * LENGTH_MAX], motion[TIMES * LENGTH_MAX];
    int n = course_of(limit, &tight, 1.0, exact, NULL); /* the last angle is 4 before the end: 3 velocities follow */
    static const struct {
        CardanStepper stepper;
        double allowed; /* its error on the rigid pendulum */
    } cases[] = {
        {CARDAN_STEPPER_BACKWARD_EULER, 0.2}, {CARDAN_STEPPER_TRAPEZOIDAL, 2e-3}, {CARDAN_STEPPER_GAUSS, 1e-5}};
    for (int i = 0; i < 3; i++) {
        CardanOptions o = scene_fixed(cases[i].stepper, 0.01);
        course_of(model, &o, 1.0, motion, NULL);
        check_near(motion[n - 4], exact[n - 4], cases[i].allowed, "%s: angle", cardan_stepper_name(cases[i].stepper));
    }
    CardanOptions o = scene_fixed(CARDAN_STEPPER_RK4, 0.01);
    CardanSim *sim = scene_start(model, &o);
    CardanStatus status = cardan_sim_advance(sim, 1.0);
    assert_true(status == CARDAN_ERR_NUMERIC || fabs(cardan_sim_positions(sim)[2] - exact[n - 4]) > 1.0);
    cardan_sim_destroy(sim);
    cardan_model_release(model);
    cardan_model_release(limit);
}

/* ---- singular poses ---- */

/* Dead centres of a slider-crank with equal links and flat poses of two four-bars, passed with steps of any size: the
 * error of the energy is that of the method. */
static void singular_poses_are_passed_with_eliminated_multipliers(void **state) {
    (void)state;
    static const struct {
        CardanStepper stepper;
        double allowed; /* J, of 36, with steps of 4 ms: measured 8e-11, 6e-3, 1.3e-2 */
    } cases[] = {
        {CARDAN_STEPPER_GAUSS, 5e-10}, {CARDAN_STEPPER_IMPLICIT_MIDPOINT, 0.02}, {CARDAN_STEPPER_TRAPEZOIDAL, 0.05}};
    static const char *const paths[] = {"models/equal_slider_crank.yaml", "models/double_four_bar.yaml"};
    for (int p = 0; p < 2; p++) {
        CardanModel *model = scene_load(paths[p]);
        for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
            for (int k = 0; k < 2; k++) {
                if (!sample_has((int)i + k + p, 3)) continue;
                CardanOptions o = scene_fixed(cases[i].stepper, 0.004 / (1 << k));
                CardanSim *sim = scene_start(model, &o);
                long total = 0;
                scene_advance(sim, 3.0);
                cardan_sim_events(sim, NULL, &total);
                assert_true(total >= 1); /* a pose was passed */
                check_between(scene_energy(sim).drift_max, 0.0, cases[i].allowed,
                              cardan_stepper_name(cases[i].stepper));
                cardan_sim_destroy(sim);
            }
        cardan_model_release(model);
    }
}

/* ---- refusals ---- */

static void a_step_too_long_is_refused_by_name_and_changes_nothing(void **state) {
    (void)state;
    CardanModel *model = scene_compile(mechanism_chain(CARDAN_SPACE_PLANAR, 2));
    for (int k = 0; k < CARDAN_FORMULATIONS; k++) {
        CardanOptions o = scene_fixed(CARDAN_STEPPER_GAUSS, 3.0);
        o.formulation = (CardanFormulation)k;
        CardanSim *sim = scene_start(model, &o);
        double before[LENGTH_MAX], after[LENGTH_MAX];
        int n = read_motion(model, sim, before);
        assert_int_equal(cardan_sim_step(sim, (double)INFINITY), CARDAN_ERR_NUMERIC);
        assert_true(strlen(cardan_sim_message(sim)) > 0);
        assert_true(read_motion(model, sim, after) == n && distance(before, after, n) == 0.0);
        assert_true(cardan_sim_time(sim) == 0.0);
        cardan_sim_destroy(sim);
    }
    cardan_model_release(model);
}

/* 200 links have 6600 unknowns in a step of gauss, far more than a dense matrix could have. */
static void a_long_chain_takes_implicit_steps(void **state) {
    (void)state;
    CardanModel *model = scene_compile(mechanism_chain(CARDAN_SPACE_PLANAR, 200));
    for (int f = 0; f < CARDAN_FORMULATIONS; f++) {
        CardanOptions o = scene_fixed(CARDAN_STEPPER_GAUSS, 0.01);
        o.formulation = (CardanFormulation)f;
        CardanSim *sim = scene_start(model, &o);
        if (cardan_sim_advance(sim, 0.1) < 0) fail_msg("%s", cardan_sim_message(sim));
        CardanEnergy energy = scene_energy(sim);
        check_near(energy.drift_max, 0.0, 1e-6 * (energy.kinetic + fabs(energy.potential)), "formulation %d", f);
        check_near(residual_of(sim).position_max, 0.0, 1e-11, "formulation %d", f);
        cardan_sim_destroy(sim);
    }
    cardan_model_release(model);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(formulations_agree_on_every_kind_of_rows),
        cmocka_unit_test(constraints_hold_without_stabilisation_and_the_order_stays),
        cmocka_unit_test(baumgarte_takes_gamma_as_one_over_the_step),
        cmocka_unit_test(gauss_keeps_the_energy_of_the_double_pendulum_while_rk4_loses_it),
        cmocka_unit_test(symmetric_steppers_find_their_way_back),
        cmocka_unit_test(stiff_joints_are_stepped_over),
        cmocka_unit_test(singular_poses_are_passed_with_eliminated_multipliers),
        cmocka_unit_test(a_step_too_long_is_refused_by_name_and_changes_nothing),
        cmocka_unit_test(a_long_chain_takes_implicit_steps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
