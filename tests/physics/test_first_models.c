/* The mechanisms somebody tries first, written from docs/FORMAT.md alone: crank and rocker with a motor and a spring,
 * the RSSR linkage, the pendulum balanced on a cart; beside their closed forms. */
#include "support/run.h"

#include "core/numbers.h"

static void a_crank_of_grashofs_kind_turns_while_the_rocker_swings_between_its_limits(void **state) {
    (void)state;
    const double a = 0.1, b = 0.4, c = 0.3, d = 0.45;
    assert_true(a + d < b + c);
    Run run = load("models/crank_rocker.yaml");
    double low = HUGE_VAL, high = -HUGE_VAL, rate;
    for (int i = 1; i <= 5000; i++) {
        scene_advance(run.sim, 1e-3 * i);
        CardanBodyState crank = body(&run, "crank"), rocker = body(&run, "rocker");
        double x = d + c * cos(rocker.angle) - a * cos(crank.angle), y = c * sin(rocker.angle) - a * sin(crank.angle);
        check_near(hypot(x, y), b, 1e-13, "length of the coupler at t = %g", 1e-3 * i);
        low = fmin(low, rocker.angle);
        high = fmax(high, rocker.angle);
    }
    /* the looks are at most 0.03 rad of the crank apart, and the rocker's angle is flat in it at its limits */
    check_near(low, CRD_PI - acos((c * c + d * d - (b + a) * (b + a)) / (2.0 * c * d)), 1e-4, "lower limit");
    check_near(high, CRD_PI - acos((c * c + d * d - (b - a) * (b - a)) / (2.0 * c * d)), 1e-4, "upper limit");
    assert_true(coordinate(&run, "main", &rate) > 14.0 * 2.0 * CRD_PI);
    check_near(scene_energy(run.sim).drift_max, 0.0, 1e-9, "energy less the work of motor and damper");
    finish(&run);
}

/* 2 c (Dx sin phi + Dz cos phi) = |D|^2 + c^2 - l^2 with D from Q to the crank's end: the branch it is built in. */
static double rssr_output(double input) {
    const double a = 0.1, c = 0.25, l = 0.5;
    double x = a * cos(input) - 0.45, y = a * sin(input) - 0.1, z = -0.05;
    double right = (x * x + y * y + z * z + c * c - l * l) / (2.0 * c);
    return remainder(atan2(x, z) + acos(right / hypot(x, z)), 2.0 * CRD_PI);
}

static void the_output_of_an_rssr_linkage_is_that_of_its_closed_form(void **state) {
    (void)state;
    Run run = load("models/rssr.yaml");
    const double w = 10.0, h = 1e-4;
    for (int i = 0; i <= 300; i++) {
        double t = 0.01 * i, rate, speed;
        if (i > 0) scene_advance(run.sim, t);
        check_near(coordinate(&run, "input", &speed), w * t, 1e-12, "input at t = %g", t);
        check_near(speed, w, 1e-11, "speed of the input at t = %g", t);
        check_near(coordinate(&run, "output", &rate), rssr_output(w * t), 1e-12, "output at t = %g", t);
        /* central difference: h^2/6 of a third derivative below 10 */
        double slope = (rssr_output(w * t + h) - rssr_output(w * t - h)) / (2.0 * h);
        check_near(rate, w * slope, 1e-6, "rate of the output at t = %g", t);
    }
    check_near(scene_energy(run.sim).drift_max, 0.0, 1e-10, "energy less the drive's work");
    finish(&run);
}

/* Numbers of models/cart_pendulum.yaml. */
typedef struct Cart {
    double total, pole, turn; /* M + m, m h, J + m h^2 */
    double kx, kv, ka, kw;
} Cart;
static const Cart CART = {1.2, 0.1, 0.2 / 3.0, 4.5, 6.4, -51.0, -13.0};

/* det([M+m, -mh; -mh, J+mh^2] s^2 - [kx + kv s, ka + kw s; 0, m g h]): coefficients of s^4 to 1. */
static void characteristic(const Cart *cart, double p[5]) {
    double fall = cart->pole * 9.81;
    p[0] = cart->total * cart->turn - cart->pole * cart->pole;
    p[1] = -cart->kv * cart->turn - cart->pole * cart->kw;
    p[2] = -cart->total * fall - cart->kx * cart->turn - cart->pole * cart->ka;
    p[3] = cart->kv * fall;
    p[4] = cart->kx * fall;
}

/* All roots of a quartic lie to the left of the imaginary axis (Routh and Hurwitz). */
static bool is_stable(const double p[5]) {
    double b = p[1] * p[2] - p[0] * p[3];
    return p[0] > 0.0 && p[1] > 0.0 && b > 0.0 && p[3] * b > p[1] * p[1] * p[4] && p[4] > 0.0;
}

static void the_feedback_of_the_cart_makes_the_upright_rest_stable(void **state) {
    (void)state;
    Cart loose = CART;
    double p[5];
    characteristic(&CART, p);
    assert_true(is_stable(p));
    loose.kx = loose.kv = loose.ka = loose.kw = 0.0;
    characteristic(&loose, p);
    assert_false(is_stable(p));
}

/* Slopes of x, angle, their rates by the linear equations. */
static void linear_slopes(const double y[4], double slope[4]) {
    double force = CART.kx * y[0] + CART.ka * y[1] + CART.kv * y[2] + CART.kw * y[3], fall = CART.pole * 9.81 * y[1];
    double det = CART.total * CART.turn - CART.pole * CART.pole;
    slope[0] = y[2];
    slope[1] = y[3];
    slope[2] = (CART.turn * force + CART.pole * fall) / det;
    slope[3] = (CART.pole * force + CART.total * fall) / det;
}

static void linear_step(double h, double y[4]) {
    static const double AT[] = {0.0, 0.5, 0.5, 1.0}, WEIGHT[] = {1.0 / 6.0, 1.0 / 3.0, 1.0 / 3.0, 1.0 / 6.0};
    double sum[4] = {0}, slope[4] = {0}, at[4];
    for (int stage = 0; stage < 4; stage++) {
        for (int i = 0; i < 4; i++) at[i] = y[i] + AT[stage] * h * slope[i];
        linear_slopes(at, slope);
        for (int i = 0; i < 4; i++) sum[i] += WEIGHT[stage] * h * slope[i];
    }
    for (int i = 0; i < 4; i++) y[i] += sum[i];
}

static void small_motions_of_the_cart_are_those_of_the_linear_equations(void **state) {
    (void)state;
    const double tilt = 1e-4; /* the equations differ by its cube */
    CardanModel *whole = scene_load("models/cart_pendulum.yaml"), *model = NULL;
    assert_int_equal(cardan_model_with_parameters(whole, 1, (const char *const[]){"tilt"}, &tilt, &model, NULL, 0),
                     CARDAN_OK);
    cardan_model_release(whole);
    Run run = start(model, 1e-12, 1e-16);
    double y[4] = {0.0, tilt, 0.0, 0.0};
    for (int i = 1; i <= 40; i++) {
        for (int k = 0; k < 100; k++) linear_step(1e-3, y); /* its own error: (6 1/s h)^4 of the motion, 1e-13 */
        scene_advance(run.sim, 0.1 * i);
        check_near(body(&run, "cart").position.x, y[0], 1e-11, "place at t = %g", 0.1 * i);
        check_near(body(&run, "pole").angle, y[1], 1e-11, "angle at t = %g", 0.1 * i);
    }
    finish(&run);
}

static void the_pole_comes_upright_and_stays_there_when_pushed(void **state) {
    (void)state;
    Run run = load("models/cart_pendulum.yaml");
    double most = 0.0;
    scene_advance(run.sim, 4.999);
    check_near(body(&run, "pole").angle, 0.0, 2e-3, "angle at 5 s");
    check_near(body(&run, "cart").position.x, 0.0, 5e-3, "place at 5 s");
    for (int i = 1; i <= 100; i++) {
        scene_advance(run.sim, 5.0 + 0.01 * i);
        most = fmax(most, fabs(body(&run, "pole").angle));
    }
    check_between(most, 0.05, 0.3, "largest angle after the push");
    scene_advance(run.sim, 12.0);
    check_near(body(&run, "pole").angle, 0.0, 1e-3, "angle at 12 s");
    check_near(body(&run, "pole").velocity.x, 0.0, 1e-3, "speed at 12 s");
    check_near(body(&run, "cart").position.x, 0.0, 1e-3, "place at 12 s");
    check_near(scene_energy(run.sim).drift_max, 0.0, 1e-10, "energy less the work of feedback and push");
    finish(&run);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_crank_of_grashofs_kind_turns_while_the_rocker_swings_between_its_limits),
        cmocka_unit_test(the_output_of_an_rssr_linkage_is_that_of_its_closed_form),
        cmocka_unit_test(the_feedback_of_the_cart_makes_the_upright_rest_stable),
        cmocka_unit_test(small_motions_of_the_cart_are_those_of_the_linear_equations),
        cmocka_unit_test(the_pole_comes_upright_and_stays_there_when_pushed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
