/* radau5 with error control, and bdf on the equations of the books: stiff springs, dampers and bushings, chemistry and
 * oscillators that explicit steppers crawl through, against published numbers and tighter runs of another stepper. */
#include "support/check.h"
#include "support/defaulted.h"
#include "support/reading.h"
#include "support/sample.h"
#include "support/scene.h"

static CardanOptions by_tolerance(CardanStepper stepper, CardanFormulation formulation, double tolerance) {
    CardanOptions o = scene_tight(tolerance, tolerance);
    o.stepper = stepper;
    o.formulation = formulation;
    return o;
}

/* ---- stiff equations without a mechanism, as states of a user's ---- */

typedef CardanStatus (*Rate)(void *user, double t, const CardanFrame *frames, const double *inputs, const double *z,
                             double *rate);

/* Van der Pol (Hairer, Wanner, IV.10, VDPOL): eps 1e-6. */
static CardanStatus van_der_pol(void *user, double t, const CardanFrame *frames, const double *inputs, const double *z,
                                double *rate) {
    (void)user, (void)t, (void)frames, (void)inputs;
    rate[0] = z[1];
    rate[1] = ((1.0 - z[0] * z[0]) * z[1] - z[0]) / 1e-6;
    return CARDAN_OK;
}

/* Robertson's chemical reaction (ROBER there). */
static CardanStatus robertson(void *user, double t, const CardanFrame *frames, const double *inputs, const double *z,
                              double *rate) {
    (void)user, (void)t, (void)frames, (void)inputs;
    rate[0] = -0.04 * z[0] + 1e4 * z[1] * z[2];
    rate[2] = 3e7 * z[1] * z[1];
    rate[1] = -rate[0] - rate[2];
    return CARDAN_OK;
}

static void check_states(CardanStepper stepper, const char *name, Rate rate, int n, const double *start, double end,
                         const double *expected, double tolerance, long steps) {
    CardanBuilder *b = cardan_builder_create(CARDAN_SPACE_SPATIAL);
    cardan_builder_add_body(b, &(CardanBodyDef){DEFAULTED, .name = "rest", .mass = 1.0, .particle = true});
    CardanFirstOrder states = cardan_builder_add_first_order(
        b, &(CardanFirstOrderDef){DEFAULTED, .name = name, .count = n, .z0 = start, .rate = rate});
    CardanModel *model = scene_compile(b);
    CardanOptions o = by_tolerance(stepper, CARDAN_FORMULATION_INDEX1, tolerance);
    o.atol = 1e-4 * tolerance; /* numbers of 1e-5 have a say */
    CardanSim *sim = scene_start(model, &o);
    scene_advance(sim, end);
    const double *z = cardan_sim_first_order(sim, states);
    for (int i = 0; i < n; i++) check_near(z[i], expected[i], 100.0 * tolerance * fabs(expected[i]), "%s: %d", name, i);
    if (work_of(sim).steps >= steps)
        fail_msg("%s by %s: %ld steps", name, cardan_stepper_name(stepper), work_of(sim).steps);
    cardan_sim_destroy(sim);
    cardan_model_release(model);
}

/* VDPOL at 2 and ROBER at 40, from an independent computation: Radau IIA of order 9 with 25 digits (mpmath), steps by
 * doubling at 1e-12 (VDPOL; agrees with the published 1.706167732170483, -0.8928097010247975 to 3e-14) and at 1e-14 and
 * 1e-17 (ROBER; these agree to 1e-17). */
static void stiff_equations_of_the_books_are_solved_in_few_steps(void **state) {
    (void)state;
    const double pol[] = {2.0, 0.0}, pol_end[] = {1.70616773217046, -0.89280970102482};
    const double rober[] = {1.0, 0.0, 0.0}, rober_end[] = {0.715827068719405, 9.18553476455777e-6, 0.284163745745830};
    check_states(CARDAN_STEPPER_RADAU5, "pol", van_der_pol, 2, pol, 2.0, pol_end, 1e-7, 1500);
    check_states(CARDAN_STEPPER_RADAU5, "rober", robertson, 3, rober, 40.0, rober_end, 1e-7, 300);
    check_states(CARDAN_STEPPER_BDF, "pol", van_der_pol, 2, pol, 2.0, pol_end, 1e-7, 4000);
    check_states(CARDAN_STEPPER_BDF, "rober", robertson, 3, rober, 40.0, rober_end, 1e-7, 600);
}

/* ---- the stiff bushing ---- */

static const char BUSHING[] = "cardan: 1\nspace: planar\ngravity: [0, -9.81]\nbodies:\n"
                              "  a: {mass: 1, inertia: 0.02, position: [0.25, 0]}\n"
                              "  b: {mass: 1, inertia: 0.02, position: [0.75, 0]}\n"
                              "joints:\n  p: {type: revolute, bodies: [ground, a], point: [0, 0]}\n"
                              "forces:\n  mount: {type: bushing, bodies: [a, b], point: [0.5, 0],\n"
                              "    stiffness: [1e7, 1e7, 1e4], damping: [1e5, 1e5, 1e3]}\n";

/* 564404 steps of dop853 at the default tolerance. */
static void a_bushing_of_1e7_takes_hundreds_of_steps(void **state) {
    (void)state;
    CardanModel *model = scene_read(BUSHING);
    for (int f = 0; f < CARDAN_FORMULATIONS; f++) {
        if (!sample_has(f, 3)) continue;
        CardanOptions o = cardan_default_options(),
                      tight = by_tolerance(CARDAN_STEPPER_RADAU5, CARDAN_FORMULATION_INDEX1, 1e-10);
        o.stepper = CARDAN_STEPPER_RADAU5;
        o.formulation = (CardanFormulation)f;
        CardanSim *sim = scene_start(model, &o), *exact = scene_start(model, &tight);
        scene_advance(sim, 5.0);
        scene_advance(exact, 5.0);
        CardanEnergy energy = scene_energy(sim), right = scene_energy(exact);
        check_near(energy.kinetic + energy.potential, right.kinetic + right.potential, 1e-5, "formulation %d", f);
        check_near(energy.drift_max, 0.0, 1e-5, "energy less work, formulation %d", f);
        if (work_of(sim).steps > 800) fail_msg("formulation %d: %ld steps", f, work_of(sim).steps);
        cardan_sim_destroy(sim);
        cardan_sim_destroy(exact);
    }
    cardan_model_release(model);
}

/* ---- benchmarks ---- */

/* IFToMM A05: s at 10 s, the slider's displacement from 0.5. */
static void the_flyball_governor_reaches_its_published_height(void **state) {
    (void)state;
    CardanModel *model = scene_load("models/flyball_governor.yaml");
    double rate;
    for (int f = 0; f < CARDAN_FORMULATIONS; f++) {
        if (!sample_has(f, 3)) continue;
        CardanOptions o = by_tolerance(CARDAN_STEPPER_RADAU5, (CardanFormulation)f, 1e-9);
        CardanSim *sim = scene_start(model, &o);
        scene_advance(sim, 10.0);
        check_near(0.5 + scene_coordinate(sim, model, "slide", &rate), 0.619622917061365659, 1e-7, "formulation %d", f);
        cardan_sim_destroy(sim);
    }
    CardanOptions radau = by_tolerance(CARDAN_STEPPER_RADAU5, CARDAN_FORMULATION_INDEX1, 1e-5),
                  dop = by_tolerance(CARDAN_STEPPER_DOP853, CARDAN_FORMULATION_INDEX1, 1e-5);
    CardanSim *few = scene_start(model, &radau), *many = scene_start(model, &dop);
    scene_advance(few, 10.0);
    scene_advance(many, 10.0);
    assert_true(20 * work_of(few).steps < work_of(many).steps);
    cardan_sim_destroy(few);
    cardan_sim_destroy(many);
    cardan_model_release(model);
}

/* The start of the test set for IVP solvers; the reference is that of tests/reference/test_oracle.c. */
static void andrews_mechanism_meets_its_reference_in_every_formulation(void **state) {
    (void)state;
    CardanModel *model = scene_load("models/andrews.yaml");
    for (int f = 0; f < CARDAN_FORMULATIONS; f++) {
        if (!sample_has(f, 3)) continue;
        CardanOptions o = by_tolerance(CARDAN_STEPPER_RADAU5, (CardanFormulation)f, 1e-9);
        CardanSim *sim = scene_start(model, &o);
        scene_advance(sim, 0.03);
        check_near(scene_body(sim, model, "k1").angle, 15.810771195153707, 15.8e-7, "angle, formulation %d", f);
        check_near(scene_body(sim, model, "k1").spin, 1139.9203022591061, 1140e-7, "spin, formulation %d", f);
        check_near(scene_body(sim, model, "k5").angle, 0.52440996587995407, 1e-7, "angle of k5, formulation %d", f);
        cardan_sim_destroy(sim);
    }
    cardan_model_release(model);
}

/* ---- inside steps ---- */

/* The polynomial of collocation is of third degree: a tenth of its steps' fourth power is seen. */
static void what_is_read_inside_a_step_lies_on_the_motion(void **state) {
    (void)state;
    CardanModel *model = scene_load("models/double_pendulum.yaml");
    CardanOptions o = scene_fixed(CARDAN_STEPPER_RADAU5, 0.01), tight = scene_tight(1e-12, 1e-12);
    CardanSim *sim = scene_start(model, &o), *exact = scene_start(model, &tight);
    double worst[2] = {0.0, 0.0}, time = 0.0;
    const char *outputs[] = {"energy"};
    CardanChannel channel;
    assert_int_equal(cardan_model_find_channel(model, outputs[0], &channel, NULL, 0), CARDAN_OK);
    for (int half = 0; half < 2; half++) {
        while (time < 0.5 * (half + 1)) {
            double inside[8], there[8];
            assert_true(cardan_sim_step(sim, (double)INFINITY) >= 0);
            time = cardan_sim_time(sim) - 0.4 * cardan_sim_last_step(sim);
            scene_advance(exact, time);
            assert_true(cardan_sim_sample(sim, time, 1, &channel, inside) >= 0);
            assert_true(cardan_sim_sample(exact, time, 1, &channel, there) >= 0);
            worst[half] = fmax(worst[half], fabs(inside[0] - there[0]));
        }
    }
    check_near(fmax(worst[0], worst[1]), 0.0, 1e-3, "kinetic energy inside steps of 10 ms");
    cardan_sim_destroy(sim);
    cardan_sim_destroy(exact);
    cardan_model_release(model);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stiff_equations_of_the_books_are_solved_in_few_steps),
        cmocka_unit_test(a_bushing_of_1e7_takes_hundreds_of_steps),
        cmocka_unit_test(the_flyball_governor_reaches_its_published_height),
        cmocka_unit_test(andrews_mechanism_meets_its_reference_in_every_formulation),
        cmocka_unit_test(what_is_read_inside_a_step_lies_on_the_motion),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
