/* Generalised-alpha: second order in positions, velocities and multipliers from the first step, what rho leaves of fast
 * motions against the closed form of the amplification matrix, steps by tolerance, states that go on with the same
 * bits. */
#include "mechanisms.h"
#include "sim/sim.h"
#include "support/check.h"
#include "support/reading.h"
#include "support/sample.h"
#include "support/scene.h"

enum { LENGTH_MAX = 64, HALVINGS = 3 };

/* ---- orders ---- */

/* The method's own multipliers at the ends of steps. */
static double own_lambda[LENGTH_MAX];
static int own_count;

static void take_lambda(void *user, const double *lambda) {
    (void)user;
    memcpy(own_lambda, lambda, (size_t)own_count * sizeof *lambda);
}

typedef struct Errors {
    double q, v, lambda, own; /* largest; lambda: of the state; own: of the iteration */
} Errors;

static double difference(const double *a, const double *b, int n) {
    double worst = 0.0;
    for (int i = 0; i < n; i++) worst = fmax(worst, fabs(a[i] - b[i]));
    return worst;
}

static Errors compare(CardanSim *sim, CardanSim *exact, CardanSizes sizes) {
    double lambda[LENGTH_MAX], right[LENGTH_MAX];
    assert_true(cardan_sim_evaluate(sim, NULL, lambda) >= 0 && cardan_sim_evaluate(exact, NULL, right) >= 0);
    const double *internal = exact->integrator.dynamics.lambda; /* in the order of elimination, as those of the step */
    return (Errors){difference(cardan_sim_positions(sim), cardan_sim_positions(exact), sizes.coordinates),
                    difference(cardan_sim_velocities(sim), cardan_sim_velocities(exact), sizes.velocities),
                    difference(lambda, right, sizes.rows), difference(own_lambda, internal, sizes.rows)};
}

/* The largest errors in this many steps of size h. */
static Errors after(CardanModel *model, double rho, double h, int steps) {
    CardanSizes sizes = cardan_model_sizes(model);
    assert_true(sizes.coordinates <= LENGTH_MAX && sizes.rows <= LENGTH_MAX);
    CardanOptions options = scene_fixed(CARDAN_STEPPER_GALPHA, h), tight = scene_tight(1e-13, 1e-14);
    options.rho = rho;
    tight.coordinates = CARDAN_COORDINATES_ABSOLUTE;
    CardanSim *sim = scene_start(model, &options), *exact = scene_start(model, &tight);
    own_count = sizes.rows;
    sim->integrator.stepper.equations.end = take_lambda;
    Errors errors = {0};
    for (int i = 0; i < steps; i++) {
        assert_true(cardan_sim_step(sim, (double)INFINITY) >= 0);
        scene_advance(exact, cardan_sim_time(sim));
        Errors now = compare(sim, exact, sizes);
        errors = (Errors){fmax(errors.q, now.q), fmax(errors.v, now.v), fmax(errors.lambda, now.lambda),
                          fmax(errors.own, now.own)};
    }
    cardan_sim_destroy(sim);
    cardan_sim_destroy(exact);
    return errors;
}

static void check_order(double coarse, double fine, double order, double slack, const char *name, const char *what,
                        double rho) {
    char sentence[160];
    double seen = log2(coarse / fine) / HALVINGS;
    snprintf(sentence, sizeof sentence, "%s, rho = %g: order of %s", name, rho, what);
    check_between(seen, order - slack, order + 1.5, sentence); /* a leading term may happen to be small */
}

/* The error of the first step goes with h^3 in q and v, and with h^2 in lambda; later ones with h^2 in all. */
static void check_orders(const char *name, CardanModel *model, double h) {
    static const double RHO[] = {0.0, 0.5, 0.8, 1.0};
    for (size_t i = 0; i < sizeof RHO / sizeof *RHO; i++) {
        if (!sample_has((int)i, 3)) continue;
        double small = h / pow(2.0, HALVINGS);
        for (int steps = 1; steps <= 2; steps++) {
            Errors a = after(model, RHO[i], h, steps), b = after(model, RHO[i], small, steps);
            check_order(a.q, b.q, 3.0, 0.3, name, "positions in the first steps", RHO[i]);
            check_order(a.v, b.v, 3.0, 0.3, name, "velocities in the first steps", RHO[i]);
            check_order(a.own, b.own, 2.0, 0.3, name, "its multipliers in the first steps", RHO[i]);
        }
        Errors a = after(model, RHO[i], h, 16), b = after(model, RHO[i], small, 16 << HALVINGS);
        check_order(a.q, b.q, 2.0, 0.2, name, "positions", RHO[i]);
        check_order(a.v, b.v, 2.0, 0.2, name, "velocities", RHO[i]);
        check_order(a.lambda, b.lambda, 2.0, 0.2, name, "multipliers", RHO[i]);
        check_order(a.own, b.own, 2.0, 0.2, name, "its multipliers", RHO[i]);
    }
    cardan_model_release(model);
}

static void all_is_of_second_order_from_the_first_step_on_a_slider_crank(void **state) {
    (void)state;
    CardanBuilder *b = mechanism_slider_crank(0.2, 0.4, 0.9);
    cardan_builder_set_start_rate(b, (CardanJoint){1}, 3.0);
    check_orders("slider-crank", scene_compile(b), 0.004);
}

static void all_is_of_second_order_from_the_first_step_on_a_chain_in_space(void **state) {
    (void)state;
    CardanBuilder *b = mechanism_chain(CARDAN_SPACE_SPATIAL, 2);
    cardan_builder_set_gravity(b, (CardanVec3){0.0, -9.81, 4.0});
    cardan_builder_set_start_rate(b, (CardanJoint){1}, 2.0);
    check_orders("chain in space", scene_compile(b), 0.004);
}

static void all_is_of_second_order_from_the_first_step_on_a_driven_pendulum(void **state) {
    (void)state;
    check_orders("driven pendulum",
                 scene_read("cardan: 1\nspace: planar\ngravity: [0, -9.81]\n"
                            "bodies:\n  upper: {mass: 1, inertia: 0.1, position: [0.5, 0]}\n"
                            "  lower: {mass: 1, inertia: 0.1, position: [1.5, 0]}\n"
                            "joints:\n  shoulder: {type: revolute, bodies: [ground, upper], point: [0, 0]}\n"
                            "  elbow: {type: revolute, bodies: [upper, lower], point: [1, 0]}\n"
                            "  motor: {type: driver, joint: shoulder, value: \"1.2*sin(4*t)\"}\n"
                            "start: {velocities: project}\n"),
                 0.004);
}

/* Largest error of its own multipliers over a run by tolerance. */
static double controlled_error(CardanModel *model, double tolerance) {
    CardanSizes sizes = cardan_model_sizes(model);
    CardanOptions options = scene_tight(tolerance, tolerance), tight = scene_tight(1e-13, 1e-14);
    options.stepper = CARDAN_STEPPER_GALPHA;
    CardanSim *sim = scene_start(model, &options), *exact = scene_start(model, &tight);
    double worst = 0.0;
    own_count = sizes.rows;
    sim->integrator.stepper.equations.end = take_lambda;
    while (cardan_sim_time(sim) < 1.0) {
        assert_true(cardan_sim_step(sim, (double)INFINITY) >= 0);
        scene_advance(exact, cardan_sim_time(sim));
        worst = fmax(worst, compare(sim, exact, sizes).own);
    }
    cardan_sim_destroy(sim);
    cardan_sim_destroy(exact);
    return worst;
}

/* Steps go with tolerance^(1/3), so of second order is tolerance^(2/3); of first order would be 1/3. */
static void its_multipliers_stay_of_second_order_when_steps_change_their_size(void **state) {
    (void)state;
    CardanBuilder *b = mechanism_slider_crank(0.2, 0.4, 0.9);
    cardan_builder_set_start_rate(b, (CardanJoint){1}, 3.0);
    CardanModel *model = scene_compile(b);
    double coarse = controlled_error(model, 1e-5), fine = controlled_error(model, 1e-8);
    check_between(log10(coarse / fine) / 3.0, 0.58, 0.76, "power of the tolerance in its multipliers");
    cardan_model_release(model);
}

/* ---- damping ---- */

static CardanModel *oscillator(double stiffness) {
    char text[512];
    snprintf(text, sizeof text,
             "cardan: 1\nspace: planar\ngravity: [0, 0]\n"
             "bodies:\n  mass: {mass: 2, particle: true, position: [0.5, 0], velocity: [0.3, 0]}\n"
             "forces:\n"
             "  pull: {type: force, body: mass, point: [0, 0], value: [\"-%.17g*mass.x\", 0]}\n",
             2.0 * stiffness);
    return scene_read(text);
}

/* x = (q, v, a) after a step of the closed form: q'' = -w^2 q. */
static void amplify(double rho, double h, double w2, double *x) {
    double am = (2.0 * rho - 1.0) / (rho + 1.0), af = rho / (rho + 1.0);
    double gamma = 0.5 + af - am, beta = 0.25 * (1.0 + af - am) * (1.0 + af - am);
    double free_q = x[0] + h * x[1] + h * h * (0.5 - beta) * x[2];
    /* (1 - am) a1 + am a0 = -w^2 ((1 - af) q1 + af q0) */
    double a = -(am * x[2] + w2 * ((1.0 - af) * free_q + af * x[0])) / (1.0 - am + (1.0 - af) * w2 * h * h * beta);
    x[0] = free_q + h * h * beta * a;
    x[1] += h * ((1.0 - gamma) * x[2] + gamma * a);
    x[2] = a;
}

static void steps_are_those_of_the_amplification_matrix(void **state) {
    (void)state;
    static const double RHO[] = {0.0, 0.3, 0.5, 0.8, 1.0}, TURN[] = {0.1, 1.0, 10.0, 1e3};
    const double h = 0.01;
    for (size_t i = 0; i < sizeof RHO / sizeof *RHO; i++)
        for (size_t k = 0; k < sizeof TURN / sizeof *TURN; k++) {
            double w2 = TURN[k] * TURN[k] / (h * h), s = -(1.0 - RHO[i]) / (1.0 + RHO[i]);
            CardanModel *model = oscillator(w2);
            CardanOptions options = scene_fixed(CARDAN_STEPPER_GALPHA, h);
            options.rho = RHO[i];
            CardanSim *sim = scene_start(model, &options);
            /* a start that is too steep for the step is not drawn out */
            bool steep = h * w2 * 0.3 > w2 * 0.5 + 1e-3 / (h * h);
            double x[3] = {0.5, 0.3, -w2 * (0.5 + (steep ? 0.0 : s * h * 0.3))}, largest = 0.5;
            for (int step = 0; step < 50; step++) {
                assert_true(cardan_sim_step(sim, (double)INFINITY) >= 0);
                amplify(RHO[i], h, w2, x);
                largest = fmax(largest, fabs(x[0]));
                /* the start's difference is good to 1e-4 of a step, and to 1e-12 here, where forces are linear */
                check_near(cardan_sim_positions(sim)[0], x[0], 1e-8 * largest, "rho %g, h w %g, step %d", RHO[i],
                           TURN[k], step);
                check_near(cardan_sim_velocities(sim)[0] * h, x[1] * h, 1e-8 * largest * (1.0 + TURN[k]),
                           "rho %g, h w %g, step %d: velocity", RHO[i], TURN[k], step);
            }
            cardan_sim_destroy(sim);
            cardan_model_release(model);
        }
}

/* Far beyond the step an oscillation is multiplied by rho in each; two eigenvalues come together there, so the mean of
 * many steps n has a factor of n^(1/n) about it. */
static void rho_is_what_a_step_leaves_of_fast_motions(void **state) {
    (void)state;
    static const double RHO[] = {0.3, 0.5, 0.8, 0.9};
    const double h = 0.01, w = 1e3 / h;
    for (size_t i = 0; i < sizeof RHO / sizeof *RHO; i++) {
        CardanModel *model = oscillator(w * w);
        CardanOptions options = scene_fixed(CARDAN_STEPPER_GALPHA, h);
        options.rho = RHO[i];
        CardanSim *sim = scene_start(model, &options);
        double early = 0.0, late = 0.0;
        for (int step = 1; step <= 40; step++) {
            if (cardan_sim_step(sim, (double)INFINITY) < 0) fail_msg("%s", cardan_sim_message(sim));
            double size = fabs(cardan_sim_velocities(sim)[0]);
            if (step > 10 && step <= 13) early = fmax(early, size);
            if (step > 35 && step <= 38) late = fmax(late, size);
        }
        check_near(pow(late / early, 1.0 / 25.0) / RHO[i], pow(35.0 / 10.0, 1.0 / 25.0), 0.06, "decay with rho = %g",
                   RHO[i]);
        cardan_sim_destroy(sim);
        cardan_model_release(model);
    }
}

/* ---- states ---- */

static void a_state_put_back_goes_on_with_the_same_bits(void **state) {
    (void)state;
    for (int fixed = 0; fixed < 2; fixed++) {
        CardanModel *model = scene_load("models/quarter_car.yaml");
        CardanOptions options = scene_tight(1e-5, 1e-6);
        options.stepper = CARDAN_STEPPER_GALPHA;
        if (fixed) options.step = 0.003;
        CardanSim *sim = scene_start(model, &options), *other = scene_start(model, &options), *copy = NULL;
        int size = cardan_sim_state_size(sim);
        double *kept = room((size_t)size, sizeof *kept), *end = room((size_t)size, sizeof *end),
               *again = room((size_t)size, sizeof *again);
        scene_advance(sim, 0.6);
        assert_int_equal(cardan_sim_get_state(sim, kept), CARDAN_OK);
        assert_true(cardan_sim_clone(sim, &copy) >= 0);
        assert_int_equal(cardan_sim_set_state(other, kept), CARDAN_OK);
        CardanSim *sims[3] = {sim, other, copy};
        for (int i = 0; i < 3; i++) {
            scene_advance(sims[i], 1.1);
            assert_int_equal(cardan_sim_get_state(sims[i], i == 0 ? end : again), CARDAN_OK);
            if (i > 0) assert_memory_equal(end, again, (size_t)size * sizeof *end);
            cardan_sim_destroy(sims[i]);
        }
        free(kept), free(end), free(again);
        cardan_model_release(model);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_is_of_second_order_from_the_first_step_on_a_slider_crank),
        cmocka_unit_test(all_is_of_second_order_from_the_first_step_on_a_chain_in_space),
        cmocka_unit_test(all_is_of_second_order_from_the_first_step_on_a_driven_pendulum),
        cmocka_unit_test(its_multipliers_stay_of_second_order_when_steps_change_their_size),
        cmocka_unit_test(steps_are_those_of_the_amplification_matrix),
        cmocka_unit_test(rho_is_what_a_step_leaves_of_fast_motions),
        cmocka_unit_test(a_state_put_back_goes_on_with_the_same_bits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
