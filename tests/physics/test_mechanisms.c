/* Mechanisms with a known law: straight lines, gear ratios, harmonic motion, universal joints, rolling, sliding on
 * blades and wires. Each is driven or let go and looked at many times on its way. */
#include "support/defaulted.h"
#include "support/run.h"

#include "core/numbers.h"

/* ---- linkages ---- */

static void peaucelliers_point_stays_on_its_line(void **state) {
    (void)state;
    Run run = load("models/peaucellier.yaml");
    double lowest = HUGE_VAL, highest = -HUGE_VAL;
    for (int i = 1; i <= 100; i++) {
        scene_advance(run.sim, 0.05 * i);
        CardanBodyState bar = body(&run, "cp");
        check_near(bar.position.x + 0.2 * cos(bar.angle), 0.84 / 0.9, 1e-12, "x of the point at t = %g", 0.05 * i);
        lowest = fmin(lowest, bar.position.y + 0.2 * sin(bar.angle));
        highest = fmax(highest, bar.position.y + 0.2 * sin(bar.angle));
    }
    assert_true(highest - lowest > 0.5); /* it does move */
    finish(&run);
}

static void a_scotch_yoke_is_exactly_harmonic(void **state) {
    (void)state;
    Run run = load("models/scotch_yoke.yaml");
    for (int i = 1; i <= 100; i++) {
        double t = 0.02 * i, speed;
        scene_advance(run.sim, t);
        check_near(coordinate(&run, "guide", &speed), 0.1 * (cos(20.0 * t) - 1.0), 1e-14, "displacement at t = %g", t);
        check_near(speed, -2.0 * sin(20.0 * t), 1e-12, "speed at t = %g", t);
        /* m x'' of the slider comes through the slot */
        check_near(scene_reaction(run.sim, run.model, "slot").force.x, 2.0 * 40.0 * cos(20.0 * t), 1e-9, "slot");
    }
    finish(&run);
}

/* e sin(phi) + sqrt(R^2 - (e cos(phi))^2), and the follower's weight and acceleration on the rim. */
static void a_cam_lifts_its_follower_by_the_law_of_its_rim(void **state) {
    (void)state;
    Run run = load("models/cam.yaml");
    double R = 0.05, e = 0.02;
    for (int i = 1; i <= 100; i++) {
        double t = 0.031 * i, phi = 10.0 * t;
        scene_advance(run.sim, t);
        double height = e * sin(phi) + sqrt(R * R - e * e * cos(phi) * cos(phi)) - sqrt(R * R - e * e);
        check_near(coordinate(&run, "lift", NULL), height, 1e-13, "lift at t = %g", t);
    }
    finish(&run);
}

static void an_oldham_coupling_turns_both_shafts_alike(void **state) {
    (void)state;
    Run run = load("models/oldham.yaml");
    for (int i = 1; i <= 50; i++) {
        double t = 0.05 * i, phi = 10.0 * t, rate;
        scene_advance(run.sim, t);
        check_near(coordinate(&run, "right", &rate), phi, 1e-12, "angle at t = %g", t);
        check_near(rate, 10.0, 1e-11, "rate at t = %g", t);
        CardanBodyState disc = body(&run, "disc"); /* twice round its circle in each turn */
        check_near(disc.position.x, 0.02 * cos(phi) * cos(phi), 1e-14, "x of the disc");
        check_near(disc.position.y, 0.02 * cos(phi) * sin(phi), 1e-14, "y of the disc");
    }
    finish(&run);
}

/* ---- universal joints ---- */

static void a_universal_joint_turns_unevenly(void **state) {
    (void)state;
    Run run = load("models/universal_shaft.yaml");
    double bend = 0.5, least = HUGE_VAL, most = -HUGE_VAL;
    for (int i = 1; i <= 100; i++) {
        double t = 0.04 * i, in = 3.0 * t + 0.4 * t * t, front, back;
        scene_advance(run.sim, t);
        check_near(coordinate(&run, "front", &front), in, 1e-11, "input at t = %g", t);
        double out = coordinate(&run, "back", &back);
        /* tan(out) = tan(in) cos(bend) without the poles of the tangents; on the same turn */
        check_near(sin(out) * cos(in), sin(in) * cos(out) * cos(bend), 1e-11, "tangents at t = %g", t);
        assert_true(fabs(out - in) < 0.5 * CRD_PI);
        double s = sin(in) * sin(bend), rate = front * cos(bend) / (1.0 - s * s);
        check_near(back, rate, 1e-10, "output rate at t = %g", t);
        least = fmin(least, back / front);
        most = fmax(most, back / front);
    }
    check_near(least, cos(bend), 0.02, "slowest");
    check_near(most, 1.0 / cos(bend), 0.02, "fastest");
    finish(&run);
}

static void a_double_universal_shaft_keeps_equal_speeds(void **state) {
    (void)state;
    Run run = load("models/double_universal.yaml");
    for (int i = 1; i <= 80; i++) {
        double t = 0.05 * i, front, back, in;
        scene_advance(run.sim, t);
        in = coordinate(&run, "front", &front);
        check_near(coordinate(&run, "back", &back), in, 1e-11, "angle at t = %g", t);
        check_near(back, front, 1e-10, "rate at t = %g", t);
    }
    finish(&run);
}

/* The bend changes all the time; the plunge of the stub and the spring of the hub take no part in the turning. */
static void constant_velocity_joints_turn_both_shafts_alike(void **state) {
    (void)state;
    Run run = load("models/half_shaft.yaml");
    CardanEnergy first = scene_energy(run.sim);
    double lowest = HUGE_VAL, highest = -HUGE_VAL;
    for (int i = 1; i <= 100; i++) {
        double t = 0.02 * i, in, out;
        scene_advance(run.sim, t);
        double angle = coordinate(&run, "stub", &in), ride = coordinate(&run, "ride", NULL);
        check_near(coordinate(&run, "bearing", &out), angle, 1e-10, "angle at t = %g", t);
        check_near(out, in, 1e-10, "rate at t = %g", t);
        lowest = fmin(lowest, ride);
        highest = fmax(highest, ride);
        CardanEnergy now = scene_energy(run.sim);
        check_near(now.total - now.work, first.total - first.work, 1e-8, "energy and work at t = %g", t);
    }
    assert_true(highest - lowest > 0.1); /* the shaft is bent to and fro */
    finish(&run);
}

/* As written the bend may be anything up to 170 degrees. */
static void a_constant_velocity_joint_is_not_folded_back(void **state) {
    (void)state;
    for (int degrees = 0; degrees <= 180; degrees += 5) {
        double bend = degrees * CRD_PI / 180.0;
        CardanBuilder *builder = cardan_builder_create(CARDAN_SPACE_SPATIAL);
        CardanBodyDef shaft = {DEFAULTED, .name = "shaft", .mass = 1.0, .inertia = {.xx = 1.0, .yy = 1.0, .zz = 1.0}};
        CardanJointDef joint = {DEFAULTED,
                                .name = "joint",
                                .type = CARDAN_JOINT_CONSTANT_VELOCITY,
                                .b = cardan_builder_add_body(builder, &shaft),
                                .axis = {1.0, 0.0, 0.0},
                                .axis2 = {cos(bend), sin(bend), 0.0}};
        CardanModel *model = NULL;
        cardan_builder_add_joint(builder, &joint);
        CardanStatus status = cardan_builder_compile(builder, &model);
        assert_int_equal(status, degrees <= 170 ? CARDAN_OK : CARDAN_ERR_MODEL);
        if (status < 0) assert_non_null(strstr(cardan_builder_message(builder), "at most 170 are possible"));
        cardan_model_release(model);
        cardan_builder_destroy(builder);
    }
}

/* ---- gears ---- */

static void a_planetary_gear_keeps_its_ratio_over_a_thousand_turns(void **state) {
    (void)state;
    Run run = load("models/planetary.yaml");
    double sun = 0.0;
    for (int i = 1; sun < 2000.0 * CRD_PI; i++) {
        double rate, slow;
        scene_advance(run.sim, 0.5 * i);
        sun = coordinate(&run, "sun_axis", &rate);
        double frame = coordinate(&run, "carrier_axis", &slow);
        check_near(frame * 3.5, sun, 1e-13 * (1.0 + sun), "angle of the carrier at t = %g", 0.5 * i);
        check_near(slow * 3.5, rate, 1e-12 * (1.0 + rate), "rate of the carrier");
    }
    finish(&run);
}

/* In space angles are counted by memory: steps here are longer than a turn of the fast wheel is short. */
static void spatial_gears_keep_their_ratio_over_a_thousand_turns(void **state) {
    (void)state;
    Run run = start(scene_read("cardan: 1\nspace: spatial\n"
                               "bodies:\n"
                               "  fast: {mass: 1, inertia: [0.02, 0.02, 0.03], position: [0, 0, 0]}\n"
                               "  slow: {mass: 2, inertia: [0.06, 0.06, 0.1], position: [1, 0, 0]}\n"
                               "joints:\n"
                               "  one: {type: revolute, bodies: [ground, fast], axis: [0, 0, 1]}\n"
                               "  two: {type: revolute, bodies: [ground, slow], axis: [0, 1, 1]}\n"
                               "  gears: {type: coupler, joints: {one: 2, two: 7}}\n"
                               "  motor: {type: driver, joint: one, value: \"150*t + 3*t^2\"}\n"
                               "start: {velocities: project}\n"),
                    1e-10, 1e-11);
    for (int i = 1; i <= 25; i++) {
        double t = i, rate, slow, angle = 150.0 * t + 3.0 * t * t;
        scene_advance(run.sim, t);
        check_near(coordinate(&run, "one", &rate), angle, 1e-11 * angle, "driven angle at t = %g", t);
        check_near(coordinate(&run, "two", &slow), -2.0 / 7.0 * angle, 1e-11 * angle, "geared angle at t = %g", t);
        check_near(slow, -2.0 / 7.0 * rate, 1e-9, "geared rate at t = %g", t);
        double effort; /* (J1 + (2/7)^2 J2) a */
        assert_int_equal(cardan_sim_effort(run.sim, joint_of(&run, "motor"), &effort), CARDAN_OK);
        double tilted = 0.5 * (0.06 + 0.1); /* about (0, 1, 1) */
        check_near(effort, 6.0 * (0.03 + 4.0 / 49.0 * tilted), 1e-9, "torque of the motor at t = %g", t);
    }
    assert_true(coordinate(&run, "one", NULL) > 2000.0 * CRD_PI * 0.8);
    finish(&run);
}

/* ---- screws and wires ---- */

static void a_nut_on_a_screw_swings_about_its_balance(void **state) {
    (void)state;
    Run run = load("models/screw.yaml");
    double p = 0.05, k = 0.002, J = 0.006, m = 2.0, w = sqrt(k / (m * p * p + J)), far = m * 9.81 * p / k;
    for (int i = 1; i <= 10; i++) {
        double t = 0.2 * i, x, speed, rate, angle = -far * (1.0 - cos(w * t));
        scene_advance(run.sim, t);
        check_near(coordinate(&run, "thread", &rate), angle, 1e-11 * (1.0 + fabs(angle)), "angle at t = %g", t);
        check_near(rate, -far * w * sin(w * t), 1e-10 * far * w, "rate at t = %g", t);
        assert_int_equal(
            cardan_sim_coordinate(run.sim, joint_of(&run, "thread"), CARDAN_COORDINATE_DISPLACEMENT, &x, &speed), 0);
        check_near(x, p * angle, 1e-11 * (1.0 + fabs(angle)), "displacement at t = %g", t);
        check_near(speed, p * rate, 1e-10, "speed at t = %g", t);
    }
    finish(&run);
}

static void a_bead_slides_down_a_helix_evenly_accelerated(void **state) {
    (void)state;
    Run run = load("models/bead_on_helix.yaml");
    double R = 0.5, b = 0.2, length = R * R + b * b;
    for (int i = 1; i <= 10; i++) {
        double t = 0.2 * i, s = -0.5 * 9.81 * b / length * t * t, speed = 2.0 * s / t;
        scene_advance(run.sim, t);
        CardanBodyState bead = body(&run, "bead");
        check_near(bead.position.x, R * cos(s), 1e-11, "x at t = %g", t);
        check_near(bead.position.y, R * sin(s), 1e-11, "y at t = %g", t);
        check_near(bead.position.z, b * s, 1e-11, "z at t = %g", t);
        check_near(bead.velocity.z, b * speed, 1e-10, "vz at t = %g", t);
    }
    finish(&run);
}

/* ---- rows of velocities ---- */

/* u' = a w^2, b w' = -a u w with b = J/m + a^2: u = V tanh(q), w = V/sqrt(b) / cosh(q), q = q0 + a V t / b. */
static void chaplygins_sleigh_follows_its_reduced_equations(void **state) {
    (void)state;
    Run run = load("models/sleigh.yaml");
    double a = 0.4, b = 0.7 / 3.0 + a * a, V = sqrt(0.25 + b * 4.0), q0 = atanh(0.5 / V);
    for (int i = 1; i <= 40; i++) {
        double t = 0.25 * i, q = q0 + a * V * t / b, u = V * tanh(q), w = V / sqrt(b) / cosh(q);
        double angle = sqrt(b) / a * 2.0 * (atan(tanh(0.5 * q)) - atan(tanh(0.5 * q0)));
        scene_advance(run.sim, t);
        CardanBodyState sled = body(&run, "sled");
        check_near(sled.angle, angle, 1e-10, "angle at t = %g", t);
        check_near(sled.spin, w, 1e-10, "spin at t = %g", t);
        check_near(cos(angle) * sled.velocity.x + sin(angle) * sled.velocity.y, u, 1e-10, "speed at t = %g", t);
        check_near(cos(angle) * sled.velocity.y - sin(angle) * sled.velocity.x, a * w, 1e-10, "across at t = %g", t);
    }
    check_near(scene_energy(run.sim).drift_max, 0.0, 1e-11, "energy");
    CardanSizes sizes = cardan_model_sizes(run.model);
    assert_int_equal(sizes.rows, 1);
    assert_int_equal(sizes.holonomic_rows, 0);
    finish(&run);
}

/* The formulas are at the head of the model. 100 turns about the vertical. */
static void a_rolling_disc_circles_steadily(void **state) {
    (void)state;
    Run run = start(scene_load("models/rolling_disc.yaml"), 1e-13, 1e-14);
    double theta = 1.2, W = 2.5, a = 0.5, m = 2.0, A = 0.125, C = 0.25, c = cos(theta), s = sin(theta);
    double n = (A * W * W * s * c - m * 9.81 * a * c) / ((C + m * a * a) * W * s), radius = -a * n / W;
    for (int i = 1; i <= 200; i++) {
        double t = 0.5 * i * 2.0 * CRD_PI / W * 1.003, turn = W * t; /* not always at the same place of the circle */
        scene_advance(run.sim, t);
        CardanBodyState disc = body(&run, "disc");
        /* the path's centre is at (0, a c + radius) */
        check_near(disc.position.x, radius * sin(turn), 1e-9, "x at t = %g", t);
        check_near(disc.position.y, a * c + radius - radius * cos(turn), 1e-9, "y at t = %g", t);
        check_near(disc.position.z, a * s, 1e-9, "lean at t = %g", t);
        check_near(disc.velocity.x, radius * W * cos(turn), 1e-9, "vx at t = %g", t);
        check_near(disc.velocity.y, radius * W * sin(turn), 1e-9, "vy at t = %g", t);
        check_near(disc.angular_velocity.z, W * s * s + n * c, 1e-9, "spin about the vertical at t = %g", t);
        CardanWrench road = scene_reaction(run.sim, run.model, "road");
        check_near(road.force.z, m * 9.81, 1e-7, "weight on the road at t = %g", t);
        check_near(sqrt(road.force.x * road.force.x + road.force.y * road.force.y), m * radius * W * W, 1e-7,
                   "grip at t = %g", t);
        check_near(road.moment.x, 0.0, 1e-9, "no moment where it touches");
    }
    CardanSizes sizes = cardan_model_sizes(run.model);
    assert_int_equal(sizes.rows, 3);
    assert_int_equal(sizes.holonomic_rows, 1);
    finish(&run);
}

static void nonholonomic_rows_take_freedoms_of_velocity(void **state) {
    (void)state;
    static const struct {
        const char *file;
        int freedoms;
    } models[] = {{"models/rolling_disc.yaml", 3}, {"models/sleigh.yaml", 2}, {"models/planetary.yaml", 1},
                  {"models/scotch_yoke.yaml", 0},  {"models/screw.yaml", 1},  {"models/compliant_pendulum.yaml", 3}};
    for (size_t i = 0; i < sizeof models / sizeof *models; i++) {
        CardanModel *model = scene_load(models[i].file);
        CardanCheck check;
        char message[256];
        if (cardan_model_check(model, &check, NULL, NULL, message, sizeof message) < 0) fail_msg("%s", message);
        assert_int_equal(check.degrees_of_freedom, models[i].freedoms);
        assert_int_equal(check.redundant_rows, 0);
        cardan_model_release(model);
    }
}

/* ---- drives ---- */

/* A body led along a path by a point off its centre feels the force of the drive; power in equals energy out. */
static void a_point_is_led_along_its_path(void **state) {
    (void)state;
    Run run =
        start(scene_read("cardan: 1\nspace: spatial\ngravity: [0, 0, -9.81]\n"
                         "parameters: {r: 0.6}\n"
                         "bodies:\n"
                         "  ball: {mass: 0.8, particle: true, position: [r, 0, 0]}\n"
                         "  stick: {mass: 0.5, inertia: [0.02, 0.03, 0.01], position: [2.1, 0, -0.3]}\n"
                         "joints:\n"
                         "  hand: {type: driver, body: ball, path: [\"r*cos(2*t)\", \"r*sin(2*t)\", \"0.3*t^2\"]}\n"
                         "  grip: {type: driver, body: stick, point: [2, 0, 0], "
                         "path: [\"2 + 0.2*sin(3*t)\", \"0.1*t\", \"0\"]}\n"
                         "start: {velocities: project}\n"),
              1e-11, 1e-12);
    for (int i = 1; i <= 20; i++) {
        double t = 0.1 * i, r = 0.6;
        scene_advance(run.sim, t);
        CardanBodyState ball = body(&run, "ball");
        check_near(ball.position.x, r * cos(2.0 * t), 1e-13, "x at t = %g", t);
        check_near(ball.velocity.z, 0.6 * t, 1e-12, "vz at t = %g", t);
        CardanWrench hand = scene_reaction(run.sim, run.model, "hand");
        check_near(hand.force.x, -0.8 * 4.0 * r * cos(2.0 * t), 1e-10, "force at t = %g", t);
        check_near(hand.force.y, -0.8 * 4.0 * r * sin(2.0 * t), 1e-10, "force at t = %g", t);
        check_near(hand.force.z, 0.8 * (0.6 + 9.81), 1e-10, "force at t = %g", t);
        CardanWrench grip = scene_reaction(run.sim, run.model, "grip");
        check_near(grip.moment.x, 0.0, 1e-10, "no moment at the hand");
        double effort, power;
        assert_int_equal(cardan_sim_effort(run.sim, joint_of(&run, "hand"), &effort), CARDAN_ERR_ARGUMENT);
        assert_int_equal(cardan_sim_power(run.sim, joint_of(&run, "hand"), &power), CARDAN_OK);
        check_near(power, 0.8 * (0.6 + 9.81) * 0.6 * t, 1e-10, "power of the hand: force times speed, upwards");
    }
    check_near(scene_energy(run.sim).drift_max, 0.0, 1e-9, "energy less the drives' work");
    finish(&run);
}

/* A channel of one number, now. */
static double sample(const Run *run, const char *name) {
    CardanChannel channel;
    char message[256];
    double value;
    if (cardan_model_find_channel(run->model, name, &channel, message, sizeof message) < 0) fail_msg("%s", message);
    assert_true(cardan_sim_sample(run->sim, cardan_sim_time(run->sim), 1, &channel, &value) >= 0);
    return value;
}

/* length' of a rope that is wound in: work equals the change of energy; an input moves a drive at once. */
static void drives_follow_inputs_that_stand_still_between_changes(void **state) {
    (void)state;
    Run run = start(scene_read("cardan: 1\nspace: planar\n"
                               "inputs: {u: 0}\n"
                               "bodies:\n  cart: {mass: 2, inertia: 1, position: [0, 0]}\n"
                               "joints:\n"
                               "  rail: {type: prismatic, bodies: [ground, cart], axis: [1, 0]}\n"
                               "  push: {type: driver, joint: rail, value: \"u*t + t^2\"}\n"),
                    1e-10, 1e-12);
    double effort, speed;
    scene_advance(run.sim, 1.0);
    assert_int_equal(cardan_sim_effort(run.sim, joint_of(&run, "push"), &effort), CARDAN_OK);
    check_near(effort, 4.0, 1e-10, "m times the second derivative of the law");
    check_near(coordinate(&run, "rail", &speed), 1.0, 1e-12, "place");
    check_near(speed, 2.0, 1e-12, "speed");
    check_near(scene_energy(run.sim).work, 4.0, 1e-9, "work of the drive");
    check_near(sample(&run, "push.effort"), 4.0, 1e-10, "effort as a channel");
    check_near(sample(&run, "push.power"), 8.0, 1e-9, "force times speed");
    double power;
    CardanChannel channel;
    assert_int_equal(cardan_sim_power(run.sim, joint_of(&run, "rail"), &power), CARDAN_ERR_ARGUMENT);
    assert_int_equal(cardan_model_find_channel(run.model, "rail.effort", &channel, NULL, 0), CARDAN_ERR_MODEL);
    finish(&run);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(peaucelliers_point_stays_on_its_line),
        cmocka_unit_test(a_scotch_yoke_is_exactly_harmonic),
        cmocka_unit_test(a_cam_lifts_its_follower_by_the_law_of_its_rim),
        cmocka_unit_test(an_oldham_coupling_turns_both_shafts_alike),
        cmocka_unit_test(a_universal_joint_turns_unevenly),
        cmocka_unit_test(constant_velocity_joints_turn_both_shafts_alike),
        cmocka_unit_test(a_constant_velocity_joint_is_not_folded_back),
        cmocka_unit_test(a_double_universal_shaft_keeps_equal_speeds),
        cmocka_unit_test(a_planetary_gear_keeps_its_ratio_over_a_thousand_turns),
        cmocka_unit_test(spatial_gears_keep_their_ratio_over_a_thousand_turns),
        cmocka_unit_test(a_nut_on_a_screw_swings_about_its_balance),
        cmocka_unit_test(a_bead_slides_down_a_helix_evenly_accelerated),
        cmocka_unit_test(chaplygins_sleigh_follows_its_reduced_equations),
        cmocka_unit_test(a_rolling_disc_circles_steadily),
        cmocka_unit_test(nonholonomic_rows_take_freedoms_of_velocity),
        cmocka_unit_test(a_point_is_led_along_its_path),
        cmocka_unit_test(drives_follow_inputs_that_stand_still_between_changes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
