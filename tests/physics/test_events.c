/* Kinks of laws, limits, contacts and drives: located where closed forms have them, and motions exact across them. */
#include "support/defaulted.h"
#include "support/events.h"
#include "support/reading.h"

#define G 9.81

static CardanModel *model_of(const char *format, ...) {
    char text[2048];
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    return scene_read(text);
}

/* A cart of 1 kg on a rail along x, with this speed and these forces. */
#define CART                                                                                                           \
    "cardan: 1\nspace: planar\nbodies: {cart: {mass: 1, inertia: 1, velocity: [%.17g, 0]}}\n"                          \
    "joints: {rail: {type: prismatic, bodies: [ground, cart], axis: [1, 0]}}\nforces:\n"

/* ---- contact: a ball on springy ground, y'' = -g - w^2 y below 0 ---- */

#define BALL                                                                                                           \
    "cardan: 1\nspace: planar\ngravity: [0, -9.81]\nbodies: {ball: {mass: 1, particle: true, position: [0, 1]}}\n"     \
    "forces: {floor: {type: contact, body: ball, plane: {point: [0, 0], normal: [0, 1]}, stiffness: %.17g, "           \
    "exponent: 1}}\n"

/* Falls for sqrt(2 h / g), stays down for 2 (pi - atan(v w / g)) / w, and rises as it fell. */
static void check_bounces(const CardanModel *model, const CardanOptions *options, double stiffness, double tolerance) {
    double fall = sqrt(2.0 / G), w = sqrt(stiffness), down = 2.0 * (acos(-1.0) - atan(G * fall * w / G)) / w;
    double up = 0.3, end = 5.0 * fall + 3.0 * down + up;
    CardanSim *sim = scene_start(model, options);
    scene_advance(sim, end);
    for (int k = 0; k < 3; k++) {
        double touch = fall + k * (2.0 * fall + down);
        check_event(sim, 2 * k, CARDAN_EVENT_CONTACT, "floor", 1, touch, tolerance);
        check_event(sim, 2 * k + 1, CARDAN_EVENT_CONTACT, "floor", -1, touch + down, tolerance);
    }
    check_event_count(sim, 6);
    CardanBodyState ball = scene_body(sim, model, "ball");
    check_near(ball.position.y, G * fall * up - 0.5 * G * up * up, 10.0 * tolerance, "height");
    check_near(ball.velocity.y, G * fall - G * up, 10.0 * tolerance, "speed");
    cardan_sim_destroy(sim);
}

static void a_bouncing_contact_is_located_within_the_tolerance(void **state) {
    (void)state;
    CardanModel *hard = model_of(BALL, 1e5), *soft = model_of(BALL, 100.0);
    for (double tolerance = 1e-6; tolerance > 1e-12; tolerance *= 1e-3) {
        CardanOptions options = scene_tight(tolerance, tolerance);
        check_bounces(hard, &options, 1e5, 100.0 * tolerance);
        options.stepper = CARDAN_STEPPER_DOPRI5;
        check_bounces(hard, &options, 1e5, 100.0 * tolerance);
    }
    /* in fixed steps: the ball is down for less than two of them */
    CardanOptions large = scene_fixed(CARDAN_STEPPER_DOP853, 0.2);
    check_bounces(soft, &large, 100.0, 2e-4);
    large = scene_fixed(CARDAN_STEPPER_DOP853, 0.1);
    check_bounces(soft, &large, 100.0, 1e-6);
    large = scene_fixed(CARDAN_STEPPER_RK4, 0.02);
    check_bounces(soft, &large, 100.0, 1e-4);
    cardan_model_release(hard);
    cardan_model_release(soft);
}

/* ---- limit ---- */

/* x = 1/2 + sin(w (t - 1/2)) / w until it leaves with the opposite speed. */
static void check_stops(const CardanOptions *options, double stiffness, double tolerance) {
    CardanModel *model =
        model_of(CART "  stop: {type: limit, joint: rail, range: [-0.5, 0.5], stiffness: %.17g}\n", 1.0, stiffness);
    CardanSim *sim = scene_start(model, options);
    double inside = acos(-1.0) / sqrt(stiffness), end = 1.75 + 2.0 * inside;
    scene_advance(sim, end);
    check_event(sim, 0, CARDAN_EVENT_LIMIT, "stop", 1, 0.5, tolerance);
    check_event(sim, 1, CARDAN_EVENT_LIMIT, "stop", -1, 0.5 + inside, tolerance);
    check_event(sim, 2, CARDAN_EVENT_LIMIT, "stop", -1, 1.5 + inside, tolerance);
    check_event(sim, 3, CARDAN_EVENT_LIMIT, "stop", 1, 1.5 + 2.0 * inside, tolerance);
    check_event_count(sim, 4);
    check_near(scene_coordinate(sim, model, "rail", NULL), -0.25, 10.0 * tolerance, "place");
    cardan_sim_destroy(sim);
    cardan_model_release(model);
}

static void a_limit_stop_is_located_within_the_tolerance(void **state) {
    (void)state;
    for (double tolerance = 1e-6; tolerance > 1e-12; tolerance *= 1e-3) {
        CardanOptions options = scene_tight(tolerance, tolerance);
        check_stops(&options, 1e4, 100.0 * tolerance);
    }
    CardanOptions large = scene_fixed(CARDAN_STEPPER_DOP853, 0.2); /* it is at the stop for 0.31 s */
    check_stops(&large, 100.0, 1e-4);
    large = scene_fixed(CARDAN_STEPPER_DOP853, 0.1);
    check_stops(&large, 100.0, 1e-6);
}

/* Against the stop x'' = -k x - c x' from x' = 1: x = e^(-d t) sin(w t) / w. The sum vanishes where tan(w t) = -2 d w /
 * (w^2 - d^2), d = c/2; it then leaves with what speed it has. */
static void a_damped_stop_lets_go_where_it_would_pull(void **state) {
    (void)state;
    const double k = 1e4, c = 60.0, d = 0.5 * c, w = sqrt(k - d * d);
    CardanModel *model = model_of(
        CART "  stop: {type: limit, joint: rail, range: [-9, 0.5], stiffness: %.17g, damping: %.17g}\n", 1.0, k, c);
    CardanOptions options = scene_tight(1e-10, 1e-10);
    CardanSim *sim = scene_start(model, &options);
    double inside = atan2(2.0 * d * w, d * d - w * w) / w, x = exp(-d * inside) * sin(w * inside) / w;
    double v = exp(-d * inside) * (cos(w * inside) - d / w * sin(w * inside));
    scene_advance(sim, 2.0);
    check_event(sim, 0, CARDAN_EVENT_LIMIT, "stop", 1, 0.5, 1e-9);
    check_event(sim, 1, CARDAN_EVENT_KINK, "stop", -1, 0.5 + inside, 1e-9);
    check_event(sim, 2, CARDAN_EVENT_LIMIT, "stop", -1, 0.5 + inside - x / v, 1e-8);
    check_event_count(sim, 3);
    double rate;
    check_near(scene_coordinate(sim, model, "rail", &rate), 0.5 + x + v * (1.5 - inside), 1e-8, "place");
    check_near(rate, v, 1e-9, "speed");
    CardanEnergy energy = scene_energy(sim);
    check_near(energy.drift_max, 0.0, 1e-9, "energy balance");
    cardan_sim_destroy(sim);
    cardan_model_release(model);
}

/* ---- Coulomb's sign: an oscillator whose every half period ends 2 F/k nearer ---- */

#define STIFFNESS 4.0
#define RUB 0.3

/* Released at rest at 1: x = (1 - F/k) cos(w t) + F/k, then the same mirrored; half periods of pi / w. */
static double rubbed(double t, double *rate) {
    double w = sqrt(STIFFNESS), half = acos(-1.0) / w, a = 1.0, c = RUB / STIFFNESS;
    int sign = 1;
    for (; t > half; t -= half, sign = -sign) a -= 2.0 * c;
    *rate = -sign * (a - c) * w * sin(w * t);
    return sign * ((a - c) * cos(w * t) + c);
}

#define OSCILLATOR                                                                                                     \
    CART "  spring: {type: torsion, joint: rail, stiffness: 4, angle: -1}\n"                                           \
         "  rub: {type: torque, joint: rail, value: \"%s\"}\n"

static double error_of_oscillator(const CardanModel *model, const CardanOptions *options, double t, CardanWork *work) {
    double v, rate, x = rubbed(t, &rate);
    CardanSim *sim = scene_start(model, options);
    scene_advance(sim, t);
    double error = fabs(scene_coordinate(sim, model, "rail", &v) + 1.0 - x);
    if (work != NULL) *work = work_of(sim);
    if (options->step <= 0.0) check_near(scene_energy(sim).drift_max, 0.0, 200.0 * options->rtol, "energy balance");
    cardan_sim_destroy(sim);
    return fmax(error, fabs(v - rate));
}

/* The same law, but nobody is told of its kink. */
static CardanStatus blind_rub(void *user, double t, const CardanFrame *frames, const double *inputs,
                              CardanWrench *wrench) {
    (void)user, (void)t, (void)inputs;
    double v = frames[0].v.x;
    wrench[0].force.x = -RUB * ((v > 0.0) - (v < 0.0)) - STIFFNESS * (frames[0].x.x + 1.0);
    return CARDAN_OK;
}

static CardanModel *blind_oscillator(void) {
    CardanBuilder *b = cardan_builder_create(CARDAN_SPACE_PLANAR);
    CardanBody cart =
        cardan_builder_add_body(b, &(CardanBodyDef){DEFAULTED, .name = "cart", .mass = 1.0, .inertia.zz = 1.0});
    cardan_builder_add_joint(b, &(CardanJointDef){DEFAULTED, .name = "rail", .type = CARDAN_JOINT_PRISMATIC, .b = cart,
                                                  .axis = {1.0, 0.0, 0.0}});
    cardan_builder_add_force(b, &(CardanForceDef){DEFAULTED, .name = "rub", .type = CARDAN_FORCE_CALLBACK, .bodies = 1,
                                                  .bodies_list = &cart, .callback = blind_rub});
    return scene_compile(b);
}

static void errors_stay_with_the_tolerance_across_kinks(void **state) {
    (void)state;
    static const char *const LAWS[] = {"-0.3*sign(rail.speed)",
                                       "if(rail.speed > 0, -0.3, 0.3)",
                                       "0.3 - 0.6*step(rail.speed)",
                                       "-0.3*rail.speed/abs(rail.speed + 1e-300)",
                                       "max(min(-1e9*rail.speed, 0.3), -0.3)",
                                       "0.3*(1 - 2*(cart.vx >= 0))"};
    for (size_t i = 0; i < sizeof LAWS / sizeof *LAWS; i++) {
        CardanModel *model = model_of(OSCILLATOR, 0.0, LAWS[i]);
        bool clipped = strstr(LAWS[i], "max") != NULL; /* 1e-9 of the speed early: as good as the sign */
        for (double tolerance = 1e-6; tolerance > (clipped ? 1e-7 : 1e-12); tolerance *= 1e-3) {
            CardanOptions options = scene_tight(tolerance, tolerance);
            double error = error_of_oscillator(model, &options, 7.0, NULL);
            if (!(error < 100.0 * tolerance)) fail_msg("%s at %g: error %g", LAWS[i], tolerance, error);
        }
        cardan_model_release(model);
    }
}

static void blind_steps_cost_more_for_the_same(void **state) {
    (void)state;
    CardanModel *seeing = model_of(OSCILLATOR, 0.0, "-0.3*sign(rail.speed)"), *blind = blind_oscillator();
    CardanOptions options = scene_tight(1e-9, 1e-9);
    CardanWork with, without;
    double error = error_of_oscillator(seeing, &options, 7.0, &with);
    assert_true(error < 1e-7);
    error_of_oscillator(blind, &options, 7.0, &without);
    if (!(2 * with.rhs < without.rhs)) fail_msg("%ld against %ld right-hand sides", with.rhs, without.rhs);
    cardan_model_release(seeing);
    cardan_model_release(blind);
}

/* Errors fall by 2^4 when steps are halved; blind ones by about 2. */
static void fixed_steps_keep_their_order_across_kinks(void **state) {
    (void)state;
    CardanModel *model = model_of(OSCILLATOR, 0.0, "-0.3*sign(rail.speed)"), *blind = blind_oscillator();
    double last = 0.0;
    for (double h = 0.1; h > 0.01; h *= 0.5) {
        CardanOptions options = scene_fixed(CARDAN_STEPPER_RK4, h);
        double error = error_of_oscillator(model, &options, 7.0, NULL);
        if (last > 0.0) check_between(log2(last / error), 3.8, 4.2, "order");
        last = error;
    }
    CardanOptions options = scene_fixed(CARDAN_STEPPER_RK4, 0.0125);
    assert_true(error_of_oscillator(blind, &options, 7.0, NULL) > 1000.0 * last);
    cardan_model_release(model);
    cardan_model_release(blind);
}

/* ---- what the time alone decides ---- */

/* Pulses of a force on a free cart: its speed is what they brought. */
static void pulses_are_hit_however_large_the_step(void **state) {
    (void)state;
    CardanModel *model =
        model_of(CART "  pull: {type: torque, joint: rail, value: \"1000*(step(t - 1.5) - step(t - 1.5005)) + "
                      "if(t < 3, 0, 2) + table(t, 5,0, 5.25,8, 5.5,0)\"}\n",
                 0.0);
    for (int fixed = 0; fixed < 2; fixed++) {
        CardanOptions options = fixed ? scene_fixed(CARDAN_STEPPER_RK4, 4.0) : scene_tight(1e-9, 1e-9);
        CardanSim *sim = scene_start(model, &options);
        scene_advance(sim, 8.0);
        const double times[] = {1.5, 1.5005, 3.0, 5.0, 5.25, 5.5};
        for (int i = 0; i < 6; i++) check_event(sim, i, CARDAN_EVENT_KINK, "pull", 1, times[i], 0.0);
        check_event_count(sim, 6);
        double rate, x = scene_coordinate(sim, model, "rail", &rate);
        check_near(rate, 0.5 + 2.0 * 5.0 + 8.0 * 0.25, 1e-12, "speed");
        check_near(x, 0.5 * (8.0 - 1.50025) + 25.0 + 2.0 * (8.0 - 5.25), 1e-11, "place");
        cardan_sim_destroy(sim);
    }
    cardan_model_release(model);
}

/* A square wave of 400 edges and stairs of 80, in one advance. */
static void waves_and_stairs_are_hit_at_every_edge(void **state) {
    (void)state;
    CardanModel *model = model_of(CART "  wave: {type: torque, joint: rail, value: \"sign(sin(100*pi*t))\"}\n"
                                       "  stair: {type: torque, joint: rail, value: \"floor(20*t)\"}\n",
                                  0.0);
    CardanOptions options = scene_fixed(CARDAN_STEPPER_RK4, 0.3);
    CardanSim *sim = scene_start(model, &options);
    scene_advance(sim, 4.0);
    double rate;
    scene_coordinate(sim, model, "rail", &rate);
    check_near(rate, 0.05 * 80.0 * 79.0 / 2.0, 1e-10, "speed");
    long total;
    cardan_sim_events(sim, NULL, &total);
    assert_int_equal(total,
                     400 + 80); /* those at the end too; the wave stands at zero at the start: that is no event */
    cardan_sim_destroy(sim);
    cardan_model_release(model);
}

/* The speed of what is driven changes with the slope of the table at once, by an impulse whose work is counted. */
static void a_table_drives_exactly(void **state) {
    (void)state;
    CardanModel *model =
        scene_read("cardan: 1\nspace: planar\nbodies: {a: {mass: 3, inertia: 1, velocity: [1, 0]}}\n"
                   "joints:\n  rail: {type: prismatic, bodies: [ground, a], axis: [1, 0]}\n"
                   "  drive: {type: driver, joint: rail, value: \"table(t, 0,0, 1,1, 2.5,-2, 4,-2)\"}\n");
    const double at[] = {0.5, 1.0, 1.7, 2.5, 3.0}, x[] = {0.5, 1.0, -0.4, -2.0, -2.0}, v[] = {1, -2, -2, 0, 0};
    CardanOptions options = scene_tight(1e-9, 1e-9);
    CardanSim *sim = scene_start(model, &options);
    for (int i = 0; i < 5; i++) {
        double rate;
        scene_advance(sim, at[i]);
        check_near(scene_coordinate(sim, model, "rail", &rate), x[i], 1e-13, "place at %g", at[i]);
        check_near(rate, v[i], 1e-13, "speed at %g", at[i]);
        CardanEnergy energy = scene_energy(sim);
        check_near(energy.kinetic, 1.5 * v[i] * v[i], 1e-13, "energy at %g", at[i]);
        check_near(energy.work, 1.5 * (v[i] * v[i] - 1.0), 1e-13, "work of the drive at %g", at[i]);
        check_near(energy.drift_max, 0.0, 1e-13, "energy balance");
    }
    check_event(sim, 0, CARDAN_EVENT_DRIVE, "drive", 1, 1.0, 0.0);
    check_event(sim, 1, CARDAN_EVENT_DRIVE, "drive", 1, 2.5, 0.0);
    cardan_sim_destroy(sim);
    cardan_model_release(model);
}

static void a_drive_that_jumps_is_refused_where_it_does(void **state) {
    (void)state;
    CardanModel *model = scene_read("cardan: 1\nspace: planar\nbodies: {a: {mass: 3, inertia: 1}}\n"
                                    "joints:\n  rail: {type: prismatic, bodies: [ground, a], axis: [1, 0]}\n"
                                    "  drive: {type: driver, joint: rail, value: \"0.25*step(t - 1)\"}\n");
    CardanOptions options = scene_tight(1e-9, 1e-9);
    CardanSim *sim = scene_start(model, &options);
    assert_int_equal(cardan_sim_advance(sim, 2.0), CARDAN_ERR_NUMERIC);
    assert_non_null(strstr(cardan_sim_message(sim), "'drive' jumps by 0.25 at t = 1"));
    cardan_sim_destroy(sim);
    cardan_model_release(model);
}

/* ---- odd places ---- */

/* At a corner of its path a bead keeps what of its velocity points along the new direction. */
static void a_bead_turns_at_the_corner_of_its_path(void **state) {
    (void)state;
    CardanModel *model = scene_read(
        "cardan: 1\nspace: planar\nbodies: {bead: {mass: 2, particle: true, position: [0, 0], velocity: [1, 0]}}\n"
        "joints: {wire: {type: curve, bodies: [ground, bead], path: [s, \"table(s, 1,0, 3,2)\"], s: 0}}\n");
    CardanOptions options = scene_tight(1e-9, 1e-9);
    CardanSim *sim = scene_start(model, &options);
    scene_advance(sim, 2.0);
    CardanBodyState bead = scene_body(sim, model, "bead");
    check_near(bead.velocity.x, 0.5, 1e-8, "along x");
    check_near(bead.velocity.y, 0.5, 1e-8, "along y");
    check_near(bead.position.x, 1.5, 1e-8, "x");
    check_near(bead.position.y, 0.5, 1e-8, "y");
    check_event(sim, 0, CARDAN_EVENT_DRIVE, "wire", 1, 1.0, 1e-8);
    check_near(scene_energy(sim).drift_max, 0.0, 1e-9, "energy balance");
    cardan_sim_destroy(sim);
    cardan_model_release(model);
}

/* if(c, a, b) guards a domain: the piece that is held has no value beyond its kink. */
static void a_piece_without_value_beyond_its_kink_is_no_obstacle(void **state) {
    (void)state;
    CardanModel *model = model_of(
        CART "  pull: {type: torque, joint: rail, value: \"if(cart.x < 0.5, 3*sqrt(0.5 - cart.x), 0)\"}\n", 1.0);
    CardanOptions options = scene_tight(1e-9, 1e-9);
    CardanSim *sim = scene_start(model, &options);
    scene_advance(sim, 1.0);
    double rate;
    scene_coordinate(sim, model, "rail", &rate);
    check_near(rate, sqrt(1.0 + 4.0 * pow(0.5, 1.5)), 1e-7, "speed"); /* by the work of the force */
    assert_int_equal(event_at(sim, 0, CARDAN_EVENT_KINK, "pull").direction, 1);
    check_event_count(sim, 1);
    cardan_sim_destroy(sim);
    cardan_model_release(model);
}

/* A law at its kink from the start, and a law that is never off it. */
static void a_start_at_a_kink_is_no_event(void **state) {
    (void)state;
    CardanModel *model =
        model_of(CART "  push: {type: torque, joint: rail, value: \"2*step(t) - 0.5*sign(rail.speed)\"}\n"
                      "  never: {type: torque, joint: rail, value: \"abs(cart.vy)\"}\n"
                      "  stop: {type: limit, joint: rail, range: [0, 9], stiffness: 100}\n",
                 0.0);
    CardanOptions options = scene_tight(1e-9, 1e-9);
    CardanSim *sim = scene_start(model, &options);
    scene_advance(sim, 2.0);
    double rate, x = scene_coordinate(sim, model, "rail", &rate);
    check_near(rate, 3.0, 1e-8, "speed");
    check_near(x, 3.0, 1e-8, "place");
    check_event_count(sim, 0);
    cardan_sim_destroy(sim);
    cardan_model_release(model);
}

/* Another value of an input changes the side of a kink at once. */
static void an_input_changes_sides_at_once(void **state) {
    (void)state;
    CardanModel *model =
        scene_read("cardan: 1\nspace: planar\ninputs: {u: 1}\nbodies: {cart: {mass: 1, inertia: 1}}\n"
                   "joints: {rail: {type: prismatic, bodies: [ground, cart], axis: [1, 0]}}\n"
                   "forces: {pull: {type: torque, joint: rail, value: \"3*sign(u) + if(t < u, 1, 0)\"}}\n");
    CardanSim *sim = scene_start(model, NULL);
    double a;
    scene_advance(sim, 0.5);
    assert_int_equal(cardan_sim_set_input(sim, cardan_model_find_input(model, "u"), -1.0), CARDAN_OK);
    double acceleration[3];
    assert_int_equal(cardan_sim_evaluate(sim, acceleration, NULL), CARDAN_OK);
    check_near(acceleration[0], -3.0, 1e-14, "acceleration");
    scene_advance(sim, 2.0);
    scene_coordinate(sim, model, "rail", &a);
    check_near(a, 0.5 * 4.0 - 1.5 * 3.0, 1e-12, "speed");
    check_event_count(sim, 0);
    cardan_sim_destroy(sim);
    cardan_model_release(model);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_bouncing_contact_is_located_within_the_tolerance),
        cmocka_unit_test(a_limit_stop_is_located_within_the_tolerance),
        cmocka_unit_test(a_damped_stop_lets_go_where_it_would_pull),
        cmocka_unit_test(errors_stay_with_the_tolerance_across_kinks),
        cmocka_unit_test(blind_steps_cost_more_for_the_same),
        cmocka_unit_test(fixed_steps_keep_their_order_across_kinks),
        cmocka_unit_test(pulses_are_hit_however_large_the_step),
        cmocka_unit_test(waves_and_stairs_are_hit_at_every_edge),
        cmocka_unit_test(a_table_drives_exactly),
        cmocka_unit_test(a_drive_that_jumps_is_refused_where_it_does),
        cmocka_unit_test(a_bead_turns_at_the_corner_of_its_path),
        cmocka_unit_test(a_piece_without_value_beyond_its_kink_is_no_obstacle),
        cmocka_unit_test(a_start_at_a_kink_is_no_event),
        cmocka_unit_test(an_input_changes_sides_at_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
