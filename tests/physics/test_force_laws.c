/* Forces beside closed forms of motions they alone make. */
#include "support/check.h"
#include "support/scene.h"

#define CART                                                                                                           \
    "cardan: 1\nspace: planar\nbodies:\n  cart: {mass: 2, inertia: 1, velocity: [%g, 0]}\n"                            \
    "joints:\n  rail: {type: prismatic, bodies: [ground, cart], axis: [1, 0]}\nforces:\n  f: {joint: rail, %s}\n"

/* A cart of 2 kg on a rail with this speed and this force on its coordinate. */
static CardanModel *cart(double speed, const char *force) {
    char text[1024];
    snprintf(text, sizeof text, CART, speed, force);
    return scene_read(text);
}

static CardanSim *run_model(CardanModel *model, double t) {
    CardanOptions options = scene_tight(1e-12, 1e-13);
    CardanSim *sim = scene_start(model, &options);
    if (t > 0.0) scene_advance(sim, t);
    return sim;
}

static void finish(CardanModel *model, CardanSim *sim) {
    cardan_sim_destroy(sim);
    cardan_model_release(model);
}

/* v = vt tanh(g t / vt), vt = sqrt(m g / c); fallen vt^2 / g log cosh. */
static void drag_lets_a_body_fall_with_its_terminal_velocity(void **state) {
    (void)state;
    CardanModel *model = scene_read("cardan: 1\nspace: spatial\ngravity: [0, 0, -9.81]\n"
                                    "bodies: {drop: {mass: 0.5, particle: true}}\n"
                                    "forces: {air: {type: drag, body: drop, coefficient: 0.2}}\n");
    double vt = sqrt(0.5 * 9.81 / 0.2);
    for (double t = 0.1; t < 8.0; t *= 3.0) {
        CardanSim *sim = run_model(model, t);
        CardanBodyState drop = scene_body(sim, model, "drop");
        check_near(drop.velocity.z, -vt * tanh(9.81 * t / vt), 1e-10, "speed at %g s", t);
        check_near(drop.position.z, -vt * vt / 9.81 * log(cosh(9.81 * t / vt)), 1e-9, "height at %g s", t);
        CardanEnergy e = scene_energy(sim);
        check_near(e.total, e.work, 1e-9, "the energy lost is the work of the drag");
        cardan_sim_destroy(sim);
    }
    cardan_model_release(model);
}

/* m x'' = kp (r - x) - kd x': x = r (1 - e^(-d t) (cos w t + d/w sin w t)), d = kd/2m, w^2 = kp/m - d^2. */
static void a_motor_answers_a_step_like_an_oscillator(void **state) {
    (void)state;
    CardanModel *model = cart(0.0, "type: motor, target: 0.3, gains: [50, 4]");
    CardanSim *sim = run_model(model, 0.7);
    double d = 1.0, w = sqrt(25.0 - 1.0), t = 0.7;
    double x = 0.3 * (1.0 - exp(-d * t) * (cos(w * t) + d / w * sin(w * t)));
    check_near(scene_coordinate(sim, model, "rail", NULL), x, 1e-11, "step response");
    finish(model, sim);
}

/* A target that moves on is followed by its rate too: the error obeys the same equation without the target. */
static void a_motor_knows_the_rate_of_its_target(void **state) {
    (void)state;
    CardanModel *model = cart(0.5, "type: motor, target: \"0.5*t\", gains: [50, 4]");
    CardanSim *sim = run_model(model, 2.0);
    double rate;
    check_near(scene_coordinate(sim, model, "rail", &rate), 1.0, 1e-11, "place");
    check_near(rate, 0.5, 1e-11, "rate");
    finish(model, sim);
    model = cart(0.0, "type: motor, target: \"0.5*sin(2*t)\", gains: [0, 3]"); /* x' - target' = -e^(-kd t/m) */
    sim = run_model(model, 1.0);
    /* u = x' - cos(2t): u' = -1.5 u + 2 sin 2t, u(0) = -1; u = A e^(-1.5 t) + (1.5*2 sin 2t - 4 cos 2t)/(1.5^2 + 4) */
    double s = 1.5 * 1.5 + 4.0, a = -1.0 + 4.0 / s;
    double u = a * exp(-1.5) + (3.0 * sin(2.0) - 4.0 * cos(2.0)) / s;
    scene_coordinate(sim, model, "rail", &rate);
    check_near(rate, cos(2.0) + u, 1e-11, "rate of a damped follower");
    finish(model, sim);
}

/* While |demand| > limit the acceleration is limit / m. */
static void a_motor_gives_no_more_than_its_limit(void **state) {
    (void)state;
    CardanModel *model = cart(0.0, "type: motor, target: 10, gains: [50, 4], limit: 6");
    CardanSim *sim = run_model(model, 1.0);
    check_near(scene_coordinate(sim, model, "rail", NULL), 0.5 * 3.0, 1e-12, "constant acceleration");
    check_near(scene_energy(sim).work, 6.0 * 1.5, 1e-11, "force times way");
    finish(model, sim);
}

/* m v' = -C tanh(v/s): sinh(v/s) = sinh(v0/s) e^(-C t/(m s)). */
static void friction_stops_a_cart(void **state) {
    (void)state;
    CardanModel *model = cart(1.0, "type: friction, coulomb: 3, speed: 0.1");
    double rate;
    CardanSim *sim = run_model(model, 0.5);
    scene_coordinate(sim, model, "rail", &rate);
    double expected = 0.1 * asinh(sinh(10.0) * exp(-3.0 * 0.5 / (2.0 * 0.1)));
    check_near(rate, expected, 1e-11, "speed while it is slowed down");
    scene_advance(sim, 2.0);
    scene_coordinate(sim, model, "rail", &rate);
    check_near(rate, 0.1 * asinh(sinh(10.0) * exp(-30.0)), 1e-12, "creep of the regularised law");
    CardanEnergy e = scene_energy(sim);
    check_near(e.work, e.kinetic - 1.0, 1e-10, "the energy lost is the work of the friction");
    finish(model, sim);
}

/* A spring without loss: out again with the same speed, and the time inside is half a period. */
static void a_stop_throws_back(void **state) {
    (void)state;
    CardanModel *model = cart(1.5, "type: limit, range: [-10, 0.6], stiffness: 800");
    double inside = acos(-1.0) / 20.0, out = 0.4 + inside, rate;
    CardanSim *sim = run_model(model, out + 0.1);
    double x = scene_coordinate(sim, model, "rail", &rate);
    check_near(rate, -1.5, 1e-8, "speed after it");
    check_near(x, 0.6 - 1.5 * 0.1, 1e-8, "place after it");
    finish(model, sim);
}

/* Leaving a damped stop: m x'' = -k x - c x' until the sum would pull, then free. */
static void a_damped_stop_never_pulls(void **state) {
    (void)state;
    CardanModel *model = cart(1.5, "type: limit, range: [-10, 0], stiffness: 800, damping: 60");
    /* x = v/w e^(-d t) sin w t, d = 15, w^2 = 400 - 225; k x + c x' = 0 where tan w t = -c w / (k - c d) */
    double d = 15.0, w = sqrt(175.0), t = (acos(-1.0) - atan2(60.0 * w, 800.0 - 60.0 * d)) / w;
    if (t <= 0.0) t += acos(-1.0) / w;
    double x = 1.5 / w * exp(-d * t) * sin(w * t), v = 1.5 * exp(-d * t) * (cos(w * t) - d / w * sin(w * t)), rate;
    assert_true(x > 0.0 && v < 0.0);
    check_near(800.0 * x + 60.0 * v, 0.0, 1e-10, "where the sum vanishes");
    CardanSim *sim = run_model(model, t + 0.3);
    check_near(scene_coordinate(sim, model, "rail", &rate), x + 0.3 * v, 1e-8, "place after it");
    check_near(rate, v, 1e-8, "speed after it");
    finish(model, sim);
}

/* A ball that rolls while it slips: spin and speed meet, 5/7 of the speed is left (a solid sphere). */
static void a_sliding_ball_comes_to_roll(void **state) {
    (void)state;
    CardanModel *model = scene_read(
        "cardan: 1\nspace: spatial\ngravity: [0, 0, -10]\n"
        "bodies: {ball: {mass: 1, inertia: {sphere: 0.1}, position: [0, 0, 0.1], velocity: [1.4, 0.7, 0]}}\n"
        "forces:\n  table: {type: contact, body: ball, radius: 0.1, plane: {point: [0, 0, 0], normal: [0, 0, 3]},\n"
        "          stiffness: 1e6, dissipation: 1, friction: 0.3, speed: 1e-3}\n");
    CardanOptions options = scene_tight(1e-8, 1e-9);
    CardanSim *sim = scene_start(model, &options);
    scene_advance(sim, 1.0);
    CardanBodyState ball = scene_body(sim, model, "ball");
    check_near(ball.velocity.x, 1.4 * 5.0 / 7.0, 1e-5, "speed of a rolling ball");
    check_near(ball.velocity.y, 0.7 * 5.0 / 7.0, 1e-5, "speed across");
    check_near(ball.angular_velocity.y, ball.velocity.x / 0.1, 1e-4, "it rolls");
    check_near(ball.angular_velocity.x, -ball.velocity.y / 0.1, 1e-4, "it rolls across");
    check_near(ball.position.z, 0.1 - pow(10.0 / 1e6, 2.0 / 3.0), 1e-5, "depth under its weight");
    finish(model, sim);
}

/* ---- springs as measures ---- */

/* A string without stiffness tells its length: 2 x'' = -4 (length - 2), length = 3 + x. The law stands before it. */
static void a_law_reads_the_length_of_a_spring(void **state) {
    (void)state;
    CardanModel *model =
        scene_read("cardan: 1\nspace: planar\nbodies:\n  cart: {mass: 2, inertia: 1}\n"
                   "joints:\n  rail: {type: prismatic, bodies: [ground, cart], axis: [1, 0]}\nforces:\n"
                   "  pull: {type: torque, joint: rail, value: \"-4*(string.length - 2)\"}\n"
                   "  string: {type: spring, bodies: [ground, cart], points: [[-3, 0.5], [0, 0.5]]}\n");
    CardanSim *sim = run_model(model, 1.7);
    CardanChannel channel;
    double length, x = cos(sqrt(2.0) * 1.7) - 1.0;
    check_near(scene_coordinate(sim, model, "rail", NULL), x, 1e-11, "place");
    assert_int_equal(cardan_model_find_channel(model, "string.length", &channel, NULL, 0), CARDAN_OK);
    assert_int_equal(cardan_sim_sample(sim, 1.7, 1, &channel, &length), CARDAN_OK);
    check_near(length, 3.0 + x, 1e-11, "length");
    assert_int_equal(cardan_model_find_channel(model, "pull.length", &channel, NULL, 0), CARDAN_ERR_MODEL);
    finish(model, sim);
}

/* ---- tyre ---- */

static double magic(double b, double c, double d, double e, double s) {
    double x = b * s;
    return d * sin(c * atan(x - e * (x - atan(x))));
}

#define TYRE                                                                                                           \
    "cardan: 1\nspace: spatial\nbodies:\n  wheel: {mass: %.17g, inertia: [%.17g, %.17g, %.17g], position: [0, 0, "     \
    "0.29],\n"                                                                                                         \
    "    velocity: [10, %.17g, -0.1], angular_velocity: [0, %.17g, 0]}\n"                                              \
    "forces:\n  tyre: {type: tyre, wheel: wheel, axis: [0, 2, 0], radius: 0.3, plane: {point: [5, 5, 0], normal: "     \
    "[0, 0, 1]},\n    vertical: {stiffness: 2e5, damping: 1e3}, longitudinal: {B: 10, C: 1.9, D: 1, E: 0.97},\n"       \
    "    lateral: {B: 8, C: 1.3, D: 0.9, E: -1}, slow: 1 %s}\n"

static CardanModel *tyre(double heavy, double side, double spin, const char *more) {
    char text[1024];
    snprintf(text, sizeof text, TYRE, 20.0 * heavy, 0.5 * heavy, heavy, 0.5 * heavy, side, spin, more);
    return scene_read(text);
}

/* Upright wheel: forces by the table of the format page. */
static void a_tyre_follows_the_magic_formula(void **state) {
    (void)state;
    static const double CASES[][2] = {{0, 34}, {0, 30}, {0.5, 10.0 / 0.3}, {-0.3, 33.6}, {2.0, 45}};
    for (int i = 0; i < 5; i++) {
        double side = CASES[i][0], spin = CASES[i][1], a[6];
        CardanModel *model = tyre(1.0, side, spin, "");
        CardanSim *sim = run_model(model, 0.0);
        double fz = 2e5 * 0.01 + 1e3 * 0.1, s = (0.3 * spin - 10.0) / 10.0, alpha = -atan2(side, 10.0);
        double fx = magic(10, 1.9, 1, 0.97, s), fy = magic(8, 1.3, 0.9, -1, alpha);
        double fill = sqrt(fx * fx + fy / 0.9 * fy / 0.9);
        if (fill > 1.0) fx /= fill;
        if (fill > 1.0) fy /= fill;
        if (i == 4) assert_true(fill > 1.0);
        assert_int_equal(cardan_sim_evaluate(sim, a, NULL), CARDAN_OK);
        check_near(20.0 * a[0], fx * fz, 1e-9, "longitudinal force %d", i);
        check_near(20.0 * a[1], fy * fz, 1e-9, "lateral force %d", i);
        check_near(20.0 * a[2], fz, 1e-9, "vertical force %d", i);
        check_near(1.0 * a[4], -0.29 * fx * fz, 1e-9, "moment about the axle %d", i);
        check_near(0.5 * a[3], 0.29 * fy * fz, 1e-9, "moment across %d", i);
        finish(model, sim);
    }
}

/* Too heavy to change its motion: z = s (1 - e^(-vx t / sigma)). */
static void the_slip_of_a_tyre_lags_over_the_relaxation_length(void **state) {
    (void)state;
    CardanModel *model = tyre(1e12, 0.5, 34.0, ", relaxation: 0.4");
    CardanSim *sim = run_model(model, 0.05);
    const double *z = cardan_sim_first_order(sim, (CardanFirstOrder){0});
    double grown = 1.0 - exp(-10.0 * 0.05 / 0.4);
    assert_int_equal(cardan_model_sizes(model).first_order, 2);
    check_near(z[0], (0.3 * 34.0 - 10.0) / 10.0 * grown, 1e-7, "longitudinal slip");
    check_near(z[1], -atan2(0.5, 10.0) * grown, 1e-7, "slip angle");
    finish(model, sim);
}

/* A braked wheel in the plane stops turning and drags its car to rest with the grip of a locked wheel. */
static void a_planar_tyre_rolls_forward_with_its_spin(void **state) {
    (void)state;
    CardanModel *model =
        scene_read("cardan: 1\nspace: planar\ngravity: [0, -10]\n"
                   "bodies: {wheel: {mass: 20, inertia: 1, position: [0, 0.299], velocity: [-3, 0], spin: 10}}\n"
                   "forces:\n  tyre: {type: tyre, wheel: wheel, radius: 0.3, plane: {point: [0, 0], normal: [0, 1]},\n"
                   "         vertical: {stiffness: 2e5, damping: 2e3}, longitudinal: {B: 10, C: 1.9, D: 1, E: 0.97}, "
                   "slow: 0.5}\n");
    CardanSim *sim = run_model(model, 1.0);
    CardanBodyState wheel = scene_body(sim, model, "wheel");
    check_near(wheel.velocity.x, -3.0, 1e-6, "free rolling keeps its speed");
    check_near(wheel.spin, 10.0, 1e-5, "and its spin");
    check_near(wheel.position.y, 0.299, 1e-12, "it stands on its spring");
    finish(model, sim);
}

/* ---- ropes ---- */

#define HOIST                                                                                                          \
    "cardan: 1\nspace: planar\ngravity: [0, -9.81]\nbodies:\n"                                                         \
    "  load: {mass: 2, inertia: 1, position: [0.5, 1], velocity: [0, %g]}\n"                                           \
    "  weight: {mass: 1, inertia: 1, position: [1, 1]}\njoints:\n"                                                     \
    "  left: {type: prismatic, bodies: [ground, load], axis: [0, 1]}\n"                                                \
    "  right: {type: prismatic, bodies: [ground, weight], axis: [0, 1]}\nforces:\n"                                    \
    "  rope: {type: rope, stiffness: 981, length: %.17g, points: [[ground, [0.5, 2]], [load, [0, 0]], "                \
    "[ground, [0.5, 2]], [ground, [1, 2]], [weight, [0, 0]]]}\n"

static CardanModel *hoist(double speed, double length) {
    char text[1024];
    snprintf(text, sizeof text, HOIST, speed, length);
    return scene_read(text);
}

/* The load hangs on two strands, the weight of half its mass on one: with one tension all the way both stay. */
static void a_rope_has_one_tension_all_along(void **state) {
    (void)state;
    CardanModel *model = hoist(0.0, 3.5 - 0.01); /* 981 N/m, 9.81 N */
    CardanSim *sim = run_model(model, 3.0);
    check_near(scene_coordinate(sim, model, "left", NULL), 0.0, 1e-12, "the load hangs still");
    check_near(scene_coordinate(sim, model, "right", NULL), 0.0, 1e-12, "and so does the weight");
    check_near(scene_energy(sim).potential, (2.0 + 1.0) * 9.81 + 0.5 * 981.0 * 1e-4, 1e-10, "energy of the rope");
    finish(model, sim);
}

/* Both fall freely until the rope is taut; then its length swings, slack again in between, and nothing is lost. */
static void a_slack_rope_does_nothing(void **state) {
    (void)state;
    CardanModel *model = hoist(1.0, 3.6);
    CardanSim *sim = run_model(model, 0.1); /* the load rises by 5 cm, the weight falls by as much */
    double fall = 0.5 * 9.81 * 0.01, first = scene_energy(sim).total;
    check_near(scene_coordinate(sim, model, "left", NULL), 0.1 - fall, 1e-13, "the load flies");
    check_near(scene_coordinate(sim, model, "right", NULL), -fall, 1e-13, "the weight falls");
    bool slack = false, taut = false;
    for (int i = 2; i <= 100; i++) {
        scene_advance(sim, 0.05 * i);
        double length = 3.5 - 2.0 * scene_coordinate(sim, model, "left", NULL);
        length -= scene_coordinate(sim, model, "right", NULL);
        slack = slack || (taut && length < 3.6);
        taut = taut || length > 3.6;
        check_near(scene_energy(sim).total, first, 1e-8, "energy at %g s", 0.05 * i);
    }
    assert_true(slack && taut);
    finish(model, sim);
}

/* Where the law would push, nothing acts. */
static void a_rope_that_a_law_pulls_never_pushes(void **state) {
    (void)state;
    CardanModel *model =
        scene_read("cardan: 1\nspace: planar\nbodies:\n  cart: {mass: 2, inertia: 1, position: [10, 0]}\n"
                   "joints:\n  rail: {type: prismatic, bodies: [ground, cart], axis: [1, 0]}\nforces:\n"
                   "  pull: {type: rope, length: 0, law: \"4*cos(t)\", "
                   "points: [[ground, [0, 0]], [cart, [0, 0]]]}\n");
    CardanSim *sim = run_model(model, 4.0);
    /* x'' = -2 cos t until pi/2; then it moves on with x' = -2 */
    double rate, half = 0.5 * acos(-1.0);
    check_near(scene_coordinate(sim, model, "rail", &rate), -2.0 - 2.0 * (4.0 - half), 1e-9, "way");
    check_near(rate, -2.0, 1e-9, "it is not pushed back");
    finish(model, sim);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(drag_lets_a_body_fall_with_its_terminal_velocity),
        cmocka_unit_test(a_motor_answers_a_step_like_an_oscillator),
        cmocka_unit_test(a_motor_knows_the_rate_of_its_target),
        cmocka_unit_test(a_motor_gives_no_more_than_its_limit),
        cmocka_unit_test(friction_stops_a_cart),
        cmocka_unit_test(a_stop_throws_back),
        cmocka_unit_test(a_damped_stop_never_pulls),
        cmocka_unit_test(a_sliding_ball_comes_to_roll),
        cmocka_unit_test(a_law_reads_the_length_of_a_spring),
        cmocka_unit_test(a_tyre_follows_the_magic_formula),
        cmocka_unit_test(the_slip_of_a_tyre_lags_over_the_relaxation_length),
        cmocka_unit_test(a_planar_tyre_rolls_forward_with_its_spin),
        cmocka_unit_test(a_rope_has_one_tension_all_along),
        cmocka_unit_test(a_slack_rope_does_nothing),
        cmocka_unit_test(a_rope_that_a_law_pulls_never_pushes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
