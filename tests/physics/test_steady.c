/* Steady motions at given rates against closed forms, and simulations that begin in them. */
#include "support/check.h"
#include "support/scene.h"

#define GRAVITY 9.81

/* Angles follow from cosines of numbers of size 1, known to some rounding. */
#define ANGLE 1e-12

/* Simulated from a steady motion, joints stay where they are. */
#define STAYS 1e-9

static CardanStudy *study_of(const CardanModel *model) {
    CardanStudy *study = NULL;
    assert_int_equal(cardan_study_create(model, &study, NULL, 0), CARDAN_OK);
    return study;
}

static void done(CardanStudy *study, CardanModel *model) {
    cardan_study_destroy(study);
    cardan_model_release(model);
}

static void keep(CardanStudy *study, const CardanModel *model, const char *joint, double rate) {
    assert_int_equal(cardan_study_keep_rate(study, cardan_model_find_joint(model, joint), rate), CARDAN_OK);
}

static CardanEquilibrium steady(CardanStudy *study) {
    CardanEquilibrium found;
    if (cardan_study_equilibrium(study, &found) < 0) fail_msg("%s", cardan_study_message(study));
    assert_true(found.judged);
    return found;
}

static double coordinate(CardanStudy *study, const CardanModel *model, const char *joint, double *rate) {
    double x;
    assert_int_equal(cardan_study_joint(study, cardan_model_find_joint(model, joint), &x, rate), CARDAN_OK);
    return x;
}

static double effort(CardanStudy *study, const CardanModel *model, const char *joint) {
    double x;
    assert_int_equal(cardan_study_effort(study, cardan_model_find_joint(model, joint), &x), CARDAN_OK);
    return x;
}

/* Two seconds from the motion of the study, left to itself: a joint stays, another keeps its rate. */
static void check_stays(CardanStudy *study, const CardanModel *model, const char *joint, const char *turning) {
    CardanOptions options = scene_tight(1e-12, 1e-13);
    CardanSim *sim = scene_start(model, &options);
    double x = coordinate(study, model, joint, NULL), rate, now, rate_now;
    coordinate(study, model, turning, &rate);
    if (cardan_sim_set_motion(sim, 0.0, cardan_study_positions(study), cardan_study_velocities(study)) < 0)
        fail_msg("%s", cardan_sim_message(sim));
    for (int i = 1; i <= 4; i++) {
        scene_advance(sim, 0.5 * i);
        now = scene_coordinate(sim, model, joint, NULL);
        scene_coordinate(sim, model, turning, &rate_now);
        check_near(now, x, STAYS, "'%s' after %g s", joint, 0.5 * i);
        check_near(rate_now, rate, STAYS * fabs(rate), "the rate of '%s' after %g s", turning, 0.5 * i);
    }
    cardan_sim_destroy(sim);
}

/* ---- governors ---- */

/* An arm and a link of length 1/2 and mass 1/5, 1/10 as thin rods, a ball of 2 where they meet, a sleeve of 3; pivots e
 * beside the axis. One side, or both. */
static CardanModel *governor(double e, bool both, double angle) {
    static const char *const side[2] = {"r", "l"};
    char text[6000];
    size_t n = 0;
    const double l = 0.5, s = sin(angle), c = cos(angle);
#define ADD(...) n += (size_t)snprintf(text + n, sizeof text - n, __VA_ARGS__)
    ADD("cardan: 1\nname: governor\nspace: spatial\ngravity: [0, 0, -%g]\nbodies:\n", GRAVITY);
    ADD("  shaft: {mass: 1, inertia: [0.1, 0.1, 0.01], position: [0, 0, 0]}\n");
    ADD("  sleeve: {mass: 3, inertia: [0.02, 0.02, 0.03], position: [0, 0, %.17g]}\n", -2.0 * l * c);
    for (int i = 0; i <= both; i++) {
        double sign = i == 0 ? 1.0 : -1.0, turn = -sign * angle;
        ADD("  arm_%s: {mass: 0.2, inertia: [%.17g, %.17g, 1e-6], position: [%.17g, 0, %.17g], axis_angle: [0, 1, 0, "
            "%.17g]}\n",
            side[i], 0.2 * l * l / 12, 0.2 * l * l / 12, sign * (e + 0.5 * l * s), -0.5 * l * c, turn);
        ADD("  link_%s: {mass: 0.1, inertia: [%.17g, %.17g, 1e-6], position: [%.17g, 0, %.17g], axis_angle: [0, 1, 0, "
            "%.17g]}\n",
            side[i], 0.1 * l * l / 12, 0.1 * l * l / 12, sign * (e + 0.5 * l * s), -1.5 * l * c, -turn);
        ADD("  ball_%s: {mass: 2, particle: true, position: [%.17g, 0, %.17g]}\n", side[i], sign * (e + l * s), -l * c);
    }
    ADD("joints:\n  spin: {type: revolute, bodies: [ground, shaft], point: [0, 0, 0], axis: [0, 0, 1]}\n");
    ADD("  slide: {type: prismatic, bodies: [shaft, sleeve], point: [0, 0, 0], axis: [0, 0, 1]}\n");
    for (int i = 0; i <= both; i++) {
        double sign = i == 0 ? 1.0 : -1.0;
        ADD("  hinge_%s: {type: revolute, bodies: [shaft, arm_%s], point: [%.17g, 0, 0], axis: [0, 1, 0]}\n", side[i],
            side[i], sign * e);
        ADD("  knee_%s: {type: revolute, bodies: [arm_%s, link_%s], point: [%.17g, 0, %.17g], axis: [0, 1, 0]}\n",
            side[i], side[i], side[i], sign * (e + l * s), -l * c);
        ADD("  tip_%s: {type: spherical, bodies: [arm_%s, ball_%s], point: [%.17g, 0, %.17g]}\n", side[i], side[i],
            side[i], sign * (e + l * s), -l * c);
        ADD("  foot_%s: {type: revolute, bodies: [sleeve, link_%s], point: [%.17g, 0, %.17g], axis: [0, 1, 0]}\n",
            side[i], side[i], sign * e, -2.0 * l * c);
    }
#undef ADD
    assert_true(n < sizeof text);
    return scene_read(text);
}

/* kg m^2: of each rod about itself. */
#define THIN 1e-6

/* d(V - T)/d(angle) of one side with half the sleeve; rods by their moments about the axis. */
static double slope(double e, double sleeve, double w, double x) {
    const double l = 0.5, ball = 2.0, rods = 0.3, s = sin(x), c = cos(x);
    double weight = GRAVITY * l * s * (ball + 0.5 * 0.2 + 1.5 * 0.1 + 2.0 * sleeve);
    double moment = ball * (e + l * s) * l * c + rods * (0.5 * e * l * c + l * l * s * c / 3.0) - 2.0 * THIN * s * c;
    return weight - w * w * moment;
}

/* Below the critical speed the arms hang, above it they are raised, and hanging is unstable. */
static void a_governor_hangs_below_its_critical_speed_and_rises_above_it(void **state) {
    (void)state;
    const double l = 0.5, weight = GRAVITY * (2.0 + 0.25 + 6.0), inertia = l * (2.0 + 0.1) - 2.0 * THIN / l;
    const double critical = sqrt(weight / inertia), speeds[] = {0.3, 0.9, 1.1, 1.5, 3.0};
    for (int i = 0; i < 5; i++) {
        double w = critical * speeds[i], expected = speeds[i] < 1.0 ? 0.0 : acos(weight / (inertia * w * w)), rate;
        CardanModel *model = governor(0.0, false, 0.4);
        CardanStudy *study = study_of(model);
        keep(study, model, "spin", w);
        CardanEquilibrium found = steady(study);
        double angle = fabs(0.4 - coordinate(study, model, "hinge_r", NULL));
        check_near(angle, expected, ANGLE, "the arm at %g of the critical speed", speeds[i]);
        coordinate(study, model, "spin", &rate);
        check_near(rate, w, 1e-14 * w, "the speed of the shaft");
        assert_int_equal(found.negative + found.neutral, 0);
        check_stays(study, model, "hinge_r", "spin");
        done(study, model);
    }
}

static void both_branches_are_listed_with_their_stability(void **state) {
    (void)state;
    CardanModel *model = governor(0.0, false, 0.4);
    CardanStudy *study = study_of(model);
    CardanEquilibrium found[16];
    int count = 0, hanging = 0, raised = 0;
    const double w = 1.5 * sqrt(GRAVITY * 8.25 / (1.05 - 4.0 * THIN)), expected = acos(1.0 / 2.25);
    keep(study, model, "spin", w);
    if (cardan_study_equilibria(study, 60, 16, found, &count) < 0) fail_msg("%s", cardan_study_message(study));
    for (int i = 0; i < count && i < 16; i++) {
        assert_int_equal(cardan_study_take(study, i), CARDAN_OK);
        CardanBodyState ball;
        assert_int_equal(cardan_study_body(study, cardan_model_find_body(model, "ball_r"), &ball), CARDAN_OK);
        CardanBodyState sleeve;
        assert_int_equal(cardan_study_body(study, cardan_model_find_body(model, "sleeve"), &sleeve), CARDAN_OK);
        if (fabs(ball.position.x) < 1e-9 && sleeve.position.z < -0.9) {
            hanging++;
            assert_int_equal(found[i].negative, 1);
        }
        if (fabs(fabs(ball.position.x) - 0.5 * sin(expected)) < 1e-9) {
            raised++;
            assert_int_equal(found[i].negative, 0);
        }
        check_near(fabs(ball.velocity.y), w * fabs(ball.position.x), 1e-12 * w, "the ball goes round");
    }
    assert_int_equal(hanging, 1);
    assert_int_equal(raised, 2); /* to either side */
    done(study, model);
}

/* Pivots beside the axis: the angle of V - T's slope by bisection. */
static void a_governor_with_two_arms_stands_where_its_amended_potential_is_least(void **state) {
    (void)state;
    for (int i = 0; i < 4; i++) {
        double w = 2.0 + 4.0 * i, low = 0.0, high = 1.5;
        for (int k = 0; k < 200; k++) {
            double x = 0.5 * (low + high);
            *(slope(0.05, 1.5, w, x) < 0.0 ? &low : &high) = x;
        }
        CardanModel *model = governor(0.05, true, 0.4);
        CardanStudy *study = study_of(model);
        keep(study, model, "spin", w);
        CardanEquilibrium found = steady(study);
        assert_int_equal(found.negative + found.neutral, 0);
        check_near(0.4 - coordinate(study, model, "hinge_r", NULL), low, ANGLE, "the right arm at %g rad/s", w);
        check_near(0.4 + coordinate(study, model, "hinge_l", NULL), low, ANGLE, "the left arm at %g rad/s", w);
        check_near(effort(study, model, "spin"), 0.0, 1e-9, "what keeps %g rad/s", w);
        check_stays(study, model, "hinge_r", "spin");
        done(study, model);
    }
}

/* ---- others ---- */

static CardanModel *conical(const char *more) {
    char text[2000];
    snprintf(text, sizeof text,
             "cardan: 1\nname: conical\nspace: spatial\ngravity: [0, 0, -9.81]\nbodies:\n"
             "  shaft: {mass: 0.3, inertia: [0.01, 0.01, 0.001], position: [0, 0, 0]}\n"
             "  arm: {mass: 2, inertia: [0.02, 0.02, 0.001], position: ['0.5*sin(0.3)', 0, '-0.5*cos(0.3)'], "
             "axis_angle: [0, 1, 0, -0.3]}\njoints:\n"
             "  spin: {type: revolute, bodies: [ground, shaft], point: [0, 0, 0], axis: [0, 0, 1]}\n"
             "  hinge: {type: revolute, bodies: [shaft, arm], point: [0, 0, 0], axis: [0, 1, 0]}\n%s",
             more);
    return scene_read(text);
}

/* With a drag on its shaft a torque keeps the speed, and it is the effort; a drive in the file says the same. */
static void a_conical_pendulum_is_kept_going_by_the_torque_of_its_drag(void **state) {
    (void)state;
    static const char *const drag =
        "forces: {drag: {type: torque, joint: spin, value: '-0.7*spin.rate'}}\nstart: {velocities: project}\n";
    static const char *const drive = "  motor: {type: driver, joint: spin, value: '6*t'}\n";
    const double expected = acos(2.0 * GRAVITY * 0.5 / ((2.0 * 0.25 + 0.02 - 0.001) * 36.0));
    for (int driven = 0; driven < 2; driven++) {
        char more[400];
        snprintf(more, sizeof more, "%s%s", driven ? drive : "", drag);
        CardanModel *model = conical(more);
        CardanStudy *study = study_of(model);
        if (driven)
            assert_int_equal(cardan_study_keep_rate(study, (CardanJoint){0}, 0.0), CARDAN_OK);
        else
            keep(study, model, "spin", 6.0);
        CardanEquilibrium found;
        if (cardan_study_equilibrium(study, &found) < 0) fail_msg("%s", cardan_study_message(study));
        check_near(0.3 - coordinate(study, model, "hinge", NULL), expected, ANGLE, "the pendulum");
        check_near(effort(study, model, driven ? "motor" : "spin"), 4.2, 1e-12, "what keeps it going");
        if (driven) check_stays(study, model, "hinge", "spin");
        done(study, model);
    }
}

/* A bead on a hoop of radius 1/2 that turns about its upright diameter. */
static void a_bead_leaves_the_bottom_of_its_hoop_at_the_critical_speed(void **state) {
    (void)state;
    static const char *const hoop =
        "cardan: 1\nname: hoop\nspace: spatial\ngravity: [0, 0, -9.81]\nbodies:\n"
        "  hoop: {mass: 1, inertia: [0.1, 0.1, 0.2], position: [0, 0, 0]}\n"
        "  bead: {mass: 0.2, particle: true, position: ['0.5*sin(0.5)', 0, '-0.5*cos(0.5)']}\njoints:\n"
        "  spin: {type: revolute, bodies: [ground, hoop], point: [0, 0, 0], axis: [0, 0, 1]}\n"
        "  wire: {type: curve, bodies: [hoop, bead], path: ['0.5*sin(s)', '0', '-0.5*cos(s)'], s: 0.5}\n";
    const double critical = sqrt(GRAVITY / 0.5);
    for (int i = 0; i < 2; i++) {
        double w = (i == 0 ? 0.98 : 1.02) * critical;
        CardanModel *model = scene_read(hoop);
        CardanStudy *study = study_of(model);
        keep(study, model, "spin", w);
        CardanEquilibrium found[16];
        int count = 0, bottom = 0, raised = 0;
        if (cardan_study_equilibria(study, 60, 16, found, &count) < 0) fail_msg("%s", cardan_study_message(study));
        for (int k = 0; k < count && k < 16; k++) {
            assert_int_equal(cardan_study_take(study, k), CARDAN_OK);
            CardanBodyState bead;
            assert_int_equal(cardan_study_body(study, cardan_model_find_body(model, "bead"), &bead), CARDAN_OK);
            bool low = bead.position.z < -0.4;
            if (low && fabs(bead.position.x) < 1e-7) {
                bottom++;
                assert_int_equal(found[k].negative, i == 0 ? 0 : 1);
                check_near(found[k].weakest, GRAVITY / 0.5 - w * w, 1e-9, "the bottom's stiffness");
            } else if (low) {
                raised++;
                check_near(-bead.position.z / 0.5, GRAVITY / (0.5 * w * w), 1e-10, "the raised bead");
                assert_int_equal(found[k].negative, 0);
            }
        }
        assert_int_equal(bottom, 1);
        assert_int_equal(raised, i == 0 ? 0 : 2);
        done(study, model);
    }
}

/* Two rates: precession about the vertical and spin on the ring, whose tilt is looked for. */
static void a_gyroscope_precesses_steadily_at_its_tilt(void **state) {
    (void)state;
    static const char *const top =
        "cardan: 1\nname: top\nspace: spatial\ngravity: [0, 0, -9.81]\nbodies:\n"
        "  fork: {mass: 1, inertia: [0.1, 0.1, 0.2], position: [0, 0, 0]}\n"
        "  ring: {mass: 0.5, inertia: [0.01, 0.01, 0.02], position: ['0.3*sin(1)', 0, '0.3*cos(1)'], axis_angle: [0, "
        "1, 0, 1]}\n"
        "  rotor: {mass: 2, inertia: [0.03, 0.03, 0.05], position: ['0.3*sin(1)', 0, '0.3*cos(1)'], axis_angle: [0, 1, "
        "0, 1]}\njoints:\n"
        "  precession: {type: revolute, bodies: [ground, fork], point: [0, 0, 0], axis: [0, 0, 1]}\n"
        "  tilt: {type: revolute, bodies: [fork, ring], point: [0, 0, 0], axis: [0, 1, 0]}\n"
        "  spin: {type: revolute, bodies: [ring, rotor], point: ['0.3*sin(1)', 0, '0.3*cos(1)'], axis: ['sin(1)', 0, "
        "'cos(1)']}\n";
    const double a = 0.04 + 2.5 * 0.09, c = 0.05, ring = 0.02, moment = 2.5 * GRAVITY * 0.3, w = 4.0, s = 45.0;
    double expected = acos((c * s * w - moment) / ((a - c - ring) * w * w)), rate;
    CardanModel *model = scene_read(top);
    CardanStudy *study = study_of(model);
    keep(study, model, "precession", w);
    keep(study, model, "spin", s);
    CardanEquilibrium found;
    if (cardan_study_equilibrium(study, &found) < 0) fail_msg("%s", cardan_study_message(study));
    check_near(1.0 + coordinate(study, model, "tilt", NULL), expected, 1e-11, "the tilt");
    coordinate(study, model, "spin", &rate);
    check_near(rate, s, 1e-12 * s, "the spin");
    check_near(effort(study, model, "spin"), 0.0, 1e-9, "what keeps the spin");
    check_stays(study, model, "tilt", "spin");
    done(study, model);
}

/* In the plane: a mass on a radial spring of a table that turns; k (r - r0) = m w^2 r. */
static void a_slider_on_a_turntable_stretches_its_spring(void **state) {
    (void)state;
    CardanModel *model = scene_read(
        "cardan: 1\nname: table\nspace: planar\ngravity: [0, 0]\nbodies:\n"
        "  table: {mass: 1, inertia: 0.1, position: [0, 0]}\n  mass: {mass: 0.5, inertia: 0.01, position: [0.2, 0]}\n"
        "joints:\n  turn: {type: revolute, bodies: [ground, table], point: [0, 0]}\n"
        "  rail: {type: prismatic, bodies: [table, mass], point: [0.2, 0], axis: [1, 0]}\n"
        "forces:\n  spring: {type: torsion, joint: rail, stiffness: 30}\n");
    CardanStudy *study = study_of(model);
    keep(study, model, "turn", 5.0);
    CardanEquilibrium found = steady(study);
    check_near(coordinate(study, model, "rail", NULL), 30.0 * 0.2 / (30.0 - 12.5) - 0.2, ANGLE, "the stretch");
    check_near(found.weakest, 30.0 / 0.5 - 25.0, 1e-9, "its stiffness by its mass");
    done(study, model);
}

/* ---- refused ---- */

static void check_refused(CardanModel *model, const char *joint, double rate, const char *words) {
    CardanStudy *study = study_of(model);
    CardanEquilibrium found;
    keep(study, model, joint, rate);
    assert_int_equal(cardan_study_equilibrium(study, &found), CARDAN_ERR_MODEL);
    if (strstr(cardan_study_message(study), words) == NULL) fail_msg("%s", cardan_study_message(study));
    done(study, model);
}

static void what_is_no_steady_motion_is_refused_by_name(void **state) {
    (void)state;
    check_refused(conical("  motor: {type: driver, joint: hinge, value: 'sin(0.2*t)'}\n"), "spin", 6.0,
                  "drive 'motor'");
    check_refused(conical("  motor: {type: driver, joint: spin, value: '6*t'}\n"), "spin", 6.0, "a drive leads it");
    check_refused(scene_load("models/four_bar.yaml"), "main", 3.0, "would open");
    check_refused(scene_load("models/bicycle.yaml"), "rear_hub", 10.0, "_road'");
    check_refused(scene_read("cardan: 1\nname: across\nspace: spatial\ngravity: [0, -9.81, 0]\nbodies:\n"
                             "  shaft: {mass: 0.3, inertia: [0.01, 0.01, 0.001], position: [0, 0, 0]}\n"
                             "  arm: {mass: 2, inertia: [0.02, 0.02, 0.001], position: [0.3, 0, -0.4]}\njoints:\n"
                             "  spin: {type: revolute, bodies: [ground, shaft], point: [0, 0, 0], axis: [0, 0, 1]}\n"
                             "  hinge: {type: revolute, bodies: [shaft, arm], point: [0, 0, 0], axis: [0, 1, 0]}\n"),
                  "spin", 6.0, "loads change");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_governor_hangs_below_its_critical_speed_and_rises_above_it),
        cmocka_unit_test(both_branches_are_listed_with_their_stability),
        cmocka_unit_test(a_governor_with_two_arms_stands_where_its_amended_potential_is_least),
        cmocka_unit_test(a_conical_pendulum_is_kept_going_by_the_torque_of_its_drag),
        cmocka_unit_test(a_bead_leaves_the_bottom_of_its_hoop_at_the_critical_speed),
        cmocka_unit_test(a_gyroscope_precesses_steadily_at_its_tilt),
        cmocka_unit_test(a_slider_on_a_turntable_stretches_its_spring),
        cmocka_unit_test(what_is_no_steady_motion_is_refused_by_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
