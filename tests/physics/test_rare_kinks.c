/* Kinks that the time alone decides and that are easy to miss or seldom met: a function that dips below zero and comes
 * back between two looks, breakpoints of a table that are parameters, the jump of atan2. And Verlet's steps where there
 * are first-order states, or where they are too long. Closed forms all. */
#include "support/defaulted.h"
#include "support/events.h"
#include "support/reading.h"

#include <stdarg.h>
#include <string.h>

/* A cart of 1 kg at rest on a rail along x, pushed by this law of the time. */
static CardanModel *cart(const char *parameters, const char *law) {
    char text[1024];
    snprintf(text, sizeof text,
             "cardan: 1\nspace: planar\n%sbodies: {cart: {mass: 1, inertia: 1}}\n"
             "joints: {rail: {type: prismatic, bodies: [ground, cart], axis: [1, 0]}}\n"
             "forces: {push: {type: force, body: cart, value: [\"%s\", 0]}}\n",
             parameters, law);
    return scene_read(text);
}

static void check_cart(CardanSim *sim, const CardanModel *model, double x, double v, double tolerance) {
    double rate, place = scene_coordinate(sim, model, "rail", &rate);
    check_near(place, x, tolerance, "place");
    check_near(rate, v, tolerance, "speed");
}

/* Force 3 / (4 w^3) max(w^2 - (t - 1/2)^2, 0): an impulse of 1 N s around t = 1/2, so x = 1/2 and v = 1 at t = 1.
 * Nothing else makes steps short, and the function is as far from zero before as after. The force has the size 1/w, and
 * roundings of t in it are eps / w of it; the place of the kinks, where the slope of the function is 2 w, is good to
 * eps / w. */
static void a_dip_between_two_looks_is_found(void **state) {
    (void)state;
    for (double w = 0.2; w > 1e-5; w *= 0.1) {
        char law[256];
        snprintf(law, sizeof law, "0.75/%.17g^3*max(%.17g^2 - (t - 0.5)^2, 0)", w, w);
        CardanModel *model = cart("", law);
        CardanOptions fixed = scene_fixed(CARDAN_STEPPER_RK4, 1.0), tight = scene_tight(1e-9, 1e-9);
        const CardanOptions *both[] = {&fixed, &tight};
        double rounding = 1e-14 / w;
        for (int i = 0; i < 2; i++) {
            CardanSim *sim = scene_start(model, both[i]);
            scene_advance(sim, 1.0);
            check_event(sim, 0, CARDAN_EVENT_KINK, "push", 1, 0.5 - w, rounding);
            check_event(sim, 1, CARDAN_EVENT_KINK, "push", -1, 0.5 + w, rounding);
            check_event_count(sim, 2);
            check_cart(sim, model, 0.5, 1.0, 1e-13 + 10.0 * rounding); /* a parabola: RK4 is exact */
            cardan_sim_destroy(sim);
        }
        cardan_model_release(model);
    }
}

/* The function turns just before it would reach zero: nothing is found, and nothing is lost. */
static void a_dip_that_stays_above_zero_is_no_event(void **state) {
    (void)state;
    CardanModel *model = cart("", "max(-1e-6 - (t - 0.5)^2, 0)");
    CardanOptions options = scene_fixed(CARDAN_STEPPER_RK4, 1.0);
    CardanSim *sim = scene_start(model, &options);
    scene_advance(sim, 1.0);
    check_event_count(sim, 0);
    check_cart(sim, model, 0.0, 0.0, 0.0);
    cardan_sim_destroy(sim);
    cardan_model_release(model);
}

/* A triangle over p, 2 p, 3 p of height 1: impulse p, its middle at 2 p. Its corners follow the parameter. */
static void breakpoints_that_are_parameters_are_hit(void **state) {
    (void)state;
    CardanModel *model = cart("parameters: {p: 0.25}\n", "table(t, p,0, 2*p,1, 3*p,0)");
    for (double p = 0.25; p > 0.1; p -= 0.06) {
        CardanOptions options = scene_fixed(CARDAN_STEPPER_RK4, 1.0);
        CardanSim *sim = scene_start(model, &options);
        MUST(cardan_sim_set_parameter(sim, "p", p));
        scene_advance(sim, 1.0);
        for (int k = 0; k < 3; k++) check_event(sim, k, CARDAN_EVENT_KINK, "push", 1, (k + 1) * p, 1e-15);
        check_event_count(sim, 3);
        check_cart(sim, model, p * (1.0 - 2.0 * p), p, 1e-15);
        cardan_sim_destroy(sim);
    }
    cardan_model_release(model);
}

/* The angle of a hand that turns at 3 rad/s: 3 t to t = pi / 3, then 3 t - 2 pi. */
static void the_jump_of_atan2_is_hit(void **state) {
    (void)state;
    CardanModel *model = cart("", "atan2(sin(3*t), cos(3*t))");
    CardanOptions options = scene_fixed(CARDAN_STEPPER_DOP853, 0.5);
    CardanSim *sim = scene_start(model, &options);
    const double end = 2.0, pi = acos(-1.0), jump = pi / 3.0;
    scene_advance(sim, end);
    check_event(sim, 0, CARDAN_EVENT_KINK, "push", -1, jump, 1e-15);
    check_cart(sim, model, 0.5 * end * end * end - pi * (end - jump) * (end - jump),
               1.5 * end * end - 2.0 * pi * (end - jump), 1e-6);
    cardan_sim_destroy(sim);
    cardan_model_release(model);
}

/* ---- Verlet and RATTLE ---- */

static CardanStatus decay(void *user, double t, const CardanFrame *frames, const double *inputs, const double *z,
                          double *rate) {
    (void)user;
    (void)t;
    (void)frames;
    (void)inputs;
    rate[0] = -3.0 * z[0];
    return CARDAN_OK;
}

/* z' = -3 z by the trapezoidal rule: z_n = ((1 - a) / (1 + a))^n with a = 3 h / 2, exactly. */
static void verlet_takes_first_order_states_along_by_the_trapezoidal_rule(void **state) {
    (void)state;
    CardanBuilder *b = cardan_builder_create(CARDAN_SPACE_PLANAR);
    cardan_builder_add_body(b, &(CardanBodyDef){DEFAULTED, .name = "mass", .mass = 1.0, .particle = true});
    const double z0[] = {1.0};
    cardan_builder_add_first_order(b,
                                   &(CardanFirstOrderDef){DEFAULTED, .name = "z", .count = 1, .z0 = z0, .rate = decay});
    CardanModel *model = scene_compile(b);
    for (double h = 0.1; h > 0.01; h *= 0.5) {
        CardanOptions options = scene_fixed(CARDAN_STEPPER_VERLET, h);
        CardanSim *sim = scene_start(model, &options);
        scene_advance(sim, 1.0);
        check_near(cardan_sim_first_order(sim, cardan_model_find_first_order(model, "z"))[0],
                   pow((1.0 - 1.5 * h) / (1.0 + 1.5 * h), round(1.0 / h)), 1e-13, "z with steps of %g", h);
        cardan_sim_destroy(sim);
    }
    cardan_model_release(model);
}

/* A damper of 100 N s/m on 1 kg: the iteration of the last kick multiplies its error by c h / 2 = 5. */
static void rattle_refuses_steps_that_a_damper_makes_too_long(void **state) {
    (void)state;
    CardanModel *model = cart("", "1 - 100*cart.vx");
    CardanOptions options = scene_fixed(CARDAN_STEPPER_RATTLE, 0.1);
    CardanSim *sim = scene_start(model, &options);
    assert_int_equal(cardan_sim_advance(sim, 1.0), CARDAN_ERR_NUMERIC);
    assert_non_null(strstr(cardan_sim_message(sim), "forces that depend on velocities change too much in one step"));
    assert_non_null(strstr(cardan_sim_message(sim), "a step shorter than 0.1 may do"));
    assert_true(cardan_sim_time(sim) == 0.0);
    check_cart(sim, model, 0.0, 0.0, 0.0);
    cardan_sim_destroy(sim);
    cardan_model_release(model);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_dip_between_two_looks_is_found),
        cmocka_unit_test(a_dip_that_stays_above_zero_is_no_event),
        cmocka_unit_test(breakpoints_that_are_parameters_are_hit),
        cmocka_unit_test(the_jump_of_atan2_is_hit),
        cmocka_unit_test(verlet_takes_first_order_states_along_by_the_trapezoidal_rule),
        cmocka_unit_test(rattle_refuses_steps_that_a_damper_makes_too_long),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
