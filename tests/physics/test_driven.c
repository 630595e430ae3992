/* Driven mechanisms: kinematics against closed forms, drives' forces against dynamics, dead points, inverse dynamics.
 */
#include "support/check.h"
#include "support/scene.h"

#define POSITION 1e-12
#define ACCELERATION 1e-10

static CardanStudy *study_of(const CardanModel *model) {
    CardanStudy *study = NULL;
    assert_int_equal(cardan_study_create(model, &study, NULL, 0), CARDAN_OK);
    return study;
}

static void need(CardanStudy *study, CardanStatus status) {
    if (status < 0) fail_msg("%s", cardan_study_message(study));
}

static void done(CardanStudy *study, CardanModel *model) {
    cardan_study_destroy(study);
    cardan_model_release(model);
}

/* ---- closed forms ---- */

static void a_swept_slider_crank_follows_its_law(void **state) {
    (void)state;
    CardanModel *model = scene_load("models/slider_crank.yaml");
    CardanStudy *study = study_of(model);
    CardanJoint main = cardan_model_find_joint(model, "main");
    for (int i = 1; i <= 60; i++) {
        double a = 0.1 * i, r = 0.2, l = 0.4, rate = 3.0;
        need(study, cardan_study_sweep(study, main, a, rate, NULL));
        double c = sqrt(l * l - r * r * sin(a) * sin(a)), dc = -r * r * sin(a) * cos(a) / c;
        double ddc = -r * r * cos(2.0 * a) / c - dc * dc / c;
        check_near(cardan_study_positions(study)[6], r * cos(a) + c, POSITION, "the slider at %g", a);
        check_near(cardan_study_velocities(study)[6], rate * (dc - r * sin(a)), POSITION, "its velocity at %g", a);
        check_near(cardan_study_accelerations(study)[6], rate * rate * (ddc - r * cos(a)), ACCELERATION,
                   "its acceleration at %g", a);
    }
    done(study, model);
}

/* P runs on x = 0.84/0.9 with y = x tan(phi/2), phi the crank's angle. */
static void peaucelliers_joint_runs_on_a_straight_line(void **state) {
    (void)state;
    CardanModel *model = scene_load("models/peaucellier.yaml");
    CardanStudy *study = study_of(model);
    for (int i = 0; i <= 40; i++) {
        double t = 0.05 * i, phi = 0.5 + 0.8 * sin(1.5 * t), d = 1.2 * cos(1.5 * t), dd = -1.8 * sin(1.5 * t);
        need(study, cardan_study_kinematics(study, t, NULL));
        const double *q = cardan_study_positions(study) + 15, *v = cardan_study_velocities(study) + 15;
        const double *a = cardan_study_accelerations(study) + 15; /* of cp, the sixth body */
        double rx = 0.2 * cos(q[2]), ry = 0.2 * sin(q[2]), line = 0.84 / 0.9, half = tan(0.5 * phi);
        double square = 1.0 + half * half;
        check_near(q[0] + rx, line, POSITION, "x of P at t = %g", t);
        check_near(q[1] + ry, line * half, POSITION, "y of P at t = %g", t);
        check_near(a[0] - a[2] * ry - v[2] * v[2] * rx, 0.0, ACCELERATION, "acceleration of P along x at t = %g", t);
        check_near(a[1] + a[2] * rx - v[2] * v[2] * ry, line * (0.5 * dd * square + 0.5 * d * d * square * half),
                   ACCELERATION, "acceleration of P along y at t = %g", t);
    }
    done(study, model);
}

static void a_cam_lifts_its_follower_by_the_law_of_its_rim(void **state) {
    (void)state;
    CardanModel *model = scene_load("models/cam.yaml");
    CardanStudy *study = study_of(model);
    for (int i = 0; i <= 60; i++) {
        double t = 0.021 * i, phi = 10.0 * t, e = 0.02, R = 0.05, w = 10.0;
        need(study, cardan_study_kinematics(study, t, NULL));
        double c = sqrt(R * R - e * e * cos(phi) * cos(phi)), dc = e * e * sin(phi) * cos(phi) / c;
        double ddc = e * e * cos(2.0 * phi) / c - dc * dc / c;
        check_near(cardan_study_positions(study)[4], e * sin(phi) + c + 0.1, POSITION, "the follower at t = %g", t);
        check_near(cardan_study_accelerations(study)[4], w * w * (ddc - e * sin(phi)), ACCELERATION,
                   "its acceleration at t = %g", t);
    }
    done(study, model);
}

static void the_plate_of_a_stewart_platform_finds_its_path(void **state) {
    (void)state;
    CardanModel *model = scene_load("models/stewart_platform.yaml");
    CardanStudy *study = study_of(model);
    for (int i = 0; i <= 20; i++) {
        double t = 0.05 * i, w = 3.0, A = 0.12, s = sin(w * t), c = cos(w * t);
        need(study, cardan_study_kinematics(study, t, NULL));
        const double *q = cardan_study_positions(study), *a = cardan_study_accelerations(study);
        double path[3] = {A * s, A * (1.0 - c), 0.9 + A * s * s};
        double bend[3] = {-A * w * w * s, A * w * w * c, 2.0 * A * w * w * cos(2.0 * w * t)};
        for (int k = 0; k < 3; k++) {
            check_near(q[k], path[k], POSITION, "coordinate %d of the plate at t = %g", k, t);
            check_near(a[k], bend[k], ACCELERATION, "its acceleration at t = %g", t);
        }
    }
    done(study, model);
}

/* ---- drives' forces ---- */

static void drives_need_the_forces_that_dynamics_gives_them(void **state) {
    (void)state;
    static const char *const files[] = {"jansen_leg",  "watt_six_bar", "six_axis_arm", "universal_shaft",
                                        "scotch_yoke", "peaucellier",  "cam",          "stewart_platform",
                                        "oldham"};
    int compared = 0;
    for (size_t f = 0; f < sizeof files / sizeof *files; f++) {
        char path[256];
        snprintf(path, sizeof path, "models/%s.yaml", files[f]);
        CardanModel *model = scene_load(path);
        CardanStudy *study = study_of(model);
        CardanSim *sim = scene_start(model, NULL);
        for (double t = 0.02; t < 0.2; t += 0.05) {
            need(study, cardan_study_kinematics(study, t, NULL));
            CardanStatus status =
                cardan_sim_set_motion(sim, t, cardan_study_positions(study), cardan_study_velocities(study));
            if (status < 0) fail_msg("%s: %s", files[f], cardan_sim_message(sim));
            for (int j = 1; j <= cardan_model_sizes(model).joints; j++) {
                double mine, theirs, most = 1.0;
                if (cardan_study_effort(study, (CardanJoint){j}, &mine) < 0) continue;
                assert_int_equal(cardan_sim_effort(sim, (CardanJoint){j}, &theirs), CARDAN_OK);
                most = fmax(most, fabs(theirs));
                check_near(mine, theirs, 1e-9 * most, "%s: effort of joint %d at t = %g", files[f], j, t);
                compared++;
            }
        }
        cardan_sim_destroy(sim);
        done(study, model);
    }
    assert_true(compared > 60);
}

/* ---- dead points ---- */

static void a_crank_that_its_slider_drives_stops_in_line(void **state) {
    (void)state;
    CardanModel *model = scene_load("models/slider_crank.yaml");
    CardanStudy *study = study_of(model);
    CardanAssembly found;
    CardanJoint main = cardan_model_find_joint(model, "main"), guide = cardan_model_find_joint(model, "guide");
    double at = 0.0, q[9];
    need(study, cardan_study_target(study, main, 1.0, 0.0));
    need(study, cardan_study_assemble(study, 0, 0, &found));
    assert_int_equal(cardan_study_sweep(study, guide, -0.5, 1.0, NULL), CARDAN_ERR_NUMERIC);
    const char *message = cardan_study_message(study);
    if (strstr(message, "dead point") == NULL || strstr(message, "'pin'") == NULL) fail_msg("%s", message);
    assert_int_equal(cardan_study_dead_point(study, &at, q), CARDAN_OK);
    check_near(at, -0.4, 1e-10, "where the slider turns");
    check_near(q[2], 3.14159265358979323846, 1e-10, "the crank there");
    done(study, model);
}

static const char FOUR_BAR[] =
    "cardan: 1\nname: rocker\nspace: planar\ngravity: [0, -9.81]\n"
    "bodies:\n"
    "  crank: {mass: 1.0, inertia: 0.01, position: [0.1, 0]}\n"
    "  coupler: {mass: 2.0, inertia: 0.05, position: [0.5, 0.2], angle: 0.4}\n"
    "  rocker: {mass: 1.5, inertia: 0.03, position: [0.85, 0.2], angle: 1.8}\n"
    "joints:\n"
    "  main: {type: revolute, bodies: [ground, crank], local: {a: [0, 0], b: [-0.1, 0]}}\n"
    "  pin: {type: revolute, bodies: [crank, coupler], local: {a: [0.1, 0], b: [-0.35, 0]}}\n"
    "  knee: {type: revolute, bodies: [coupler, rocker], local: {a: [0.35, 0], b: [0.25, 0]}}\n"
    "  base: {type: revolute, bodies: [ground, rocker], local: {a: [0.8, 0], b: [-0.25, 0]}}\n";

/* Crank 0.2 and coupler 0.7 in line, rocker 0.5, base 0.8: the law of cosines gives the rocker's angle. */
static void a_rocker_that_is_driven_stops_where_crank_and_coupler_are_in_line(void **state) {
    (void)state;
    CardanModel *model = scene_read(FOUR_BAR);
    CardanStudy *study = study_of(model);
    CardanJoint base = cardan_model_find_joint(model, "base");
    CardanAssembly found;
    double at = 0.0, q[9];
    need(study, cardan_study_assemble(study, 0, 0, &found));
    assert_int_equal(cardan_study_sweep(study, base, -1.5, 1.0, NULL), CARDAN_ERR_NUMERIC);
    assert_int_equal(cardan_study_dead_point(study, &at, q), CARDAN_OK);
    double stretched = 3.14159265358979323846 - acos((0.25 + 0.64 - 0.81) / (2.0 * 0.5 * 0.8));
    check_near(q[8], stretched, 1e-10, "the rocker's angle where it turns");
    check_near(remainder(q[2] - q[5], 2.0 * 3.14159265358979323846), 0.0, 1e-9, "crank and coupler in line");
    done(study, model);
}

static void what_is_not_fully_driven_is_refused_with_the_joints_that_move(void **state) {
    (void)state;
    CardanModel *model = scene_load("models/double_pendulum.yaml");
    CardanStudy *study = study_of(model);
    assert_int_equal(cardan_study_kinematics(study, 0.1, NULL), CARDAN_ERR_MODEL);
    if (strstr(cardan_study_message(study), "nothing drives") == NULL) fail_msg("%s", cardan_study_message(study));
    assert_int_equal(cardan_study_sweep(study, (CardanJoint){1}, 0.5, 1.0, NULL), CARDAN_ERR_MODEL);
    if (strstr(cardan_study_message(study), "'elbow'") == NULL) fail_msg("%s", cardan_study_message(study));
    done(study, model);
}

/* ---- inverse dynamics ---- */

#define ARM_BODIES                                                                                                     \
    "cardan: 1\nname: arm\nspace: planar\ngravity: [0, -9.81]\n"                                                       \
    "bodies:\n"                                                                                                        \
    "  upper: {mass: 2.0, inertia: 0.05, position: [0.25, 0]}\n"                                                       \
    "  lower: {mass: 1.0, inertia: 0.02, position: [0.7, 0]}\n"                                                        \
    "joints:\n"                                                                                                        \
    "  shoulder: {type: revolute, bodies: [ground, upper], point: [0, 0]}\n"                                           \
    "  elbow: {type: revolute, bodies: [upper, lower], point: [0.5, 0]}\n"
#define ARM_DRIVES                                                                                                     \
    "  m1: {type: driver, joint: shoulder, value: \"0.7*sin(2*t) - 0.2*t\"}\n"                                         \
    "  m2: {type: driver, joint: elbow, value: \"0.5*(1 - cos(3*t))\"}\n"
#define FOUR_BAR_DRIVE "  turn: {type: driver, joint: main, value: \"1.3*t + 0.3*sin(4*t)\"}\n"

/* Torques of a study as wrenches on the bodies of a simulation: + on b, - on a. */
typedef struct Torques {
    CardanStudy *study;
    int count;
    CardanJoint motor[2];
    int a[2], b[2]; /* among the bodies; -1: the ground */
} Torques;

static CardanStatus apply(void *user, double t, const CardanFrame *frames, const double *inputs, CardanWrench *wrench) {
    (void)frames, (void)inputs;
    const Torques *torques = user;
    double force[2];
    CardanInverse out;
    CardanStatus status = cardan_study_inverse(torques->study, t, torques->count, torques->motor, force, &out);
    for (int i = 0; i < torques->count && status >= 0; i++) {
        wrench[torques->b[i]].moment.z += force[i];
        if (torques->a[i] >= 0) wrench[torques->a[i]].moment.z -= force[i];
    }
    return status;
}

/* The free mechanism under the torques of the study, beside the study's own motion. */
static void check_forward(const char *driven_text, const char *free_text, Torques *torques, int bodies) {
    CardanModel *driven = scene_read(driven_text), *free_model = NULL;
    CardanStudy *study = study_of(driven);
    CardanBuilder *builder = NULL;
    CardanBody list[3] = {{1}, {2}, {3}};
    CardanForceDef force = cardan_default_force(CARDAN_FORCE_CALLBACK);
    CardanAssembly found;
    torques->study = study_of(driven);
    need(torques->study, cardan_study_assemble(torques->study, 0, 0, &found));
    need(study, cardan_study_assemble(study, 0, 0, &found));
    assert_true(cardan_builder_read_text(free_text, strlen(free_text), "free", &builder) >= 0);
    force.name = "motors";
    force.bodies = bodies;
    force.bodies_list = list;
    force.callback = apply;
    force.user = torques;
    cardan_builder_set_start(builder, CARDAN_START_PROJECT, CARDAN_START_PROJECT);
    cardan_builder_add_force(builder, &force);
    free_model = scene_compile(builder);
    CardanOptions options = scene_fixed(CARDAN_STEPPER_RK4, 1e-3);
    CardanSim *sim = scene_start(free_model, &options);
    assert_true(cardan_sim_set_motion(sim, 0.0, cardan_study_positions(study), cardan_study_velocities(study)) >= 0);
    scene_advance(sim, 0.5);
    need(study, cardan_study_kinematics(study, 0.5, NULL));
    for (int i = 0; i < 3 * bodies; i++)
        check_near(cardan_sim_positions(sim)[i], cardan_study_positions(study)[i], 1e-8, "coordinate %d after 0.5 s",
                   i);
    cardan_sim_destroy(sim);
    cardan_model_release(free_model);
    cardan_study_destroy(torques->study);
    done(study, driven);
}

static void torques_of_the_inverse_lead_the_free_mechanism_along_the_motion(void **state) {
    (void)state;
    Torques arm = {.count = 2, .motor = {{1}, {2}}, .a = {-1, 0}, .b = {0, 1}};
    check_forward(ARM_BODIES ARM_DRIVES, ARM_BODIES, &arm, 2);
    char text[2000];
    Torques loop = {.count = 1, .motor = {{1}}, .a = {-1}, .b = {0}};
    snprintf(text, sizeof text, "%s%s", FOUR_BAR, FOUR_BAR_DRIVE);
    check_forward(text, FOUR_BAR, &loop, 3);
    Torques both = {.count = 2, .motor = {{1}, {4}}, .a = {-1, -1}, .b = {0, 2}}; /* over-actuated */
    check_forward(text, FOUR_BAR, &both, 3);
}

static void of_more_motors_than_needed_the_least_torques_are_taken(void **state) {
    (void)state;
    char text[2000];
    snprintf(text, sizeof text, "%s%s", FOUR_BAR, FOUR_BAR_DRIVE);
    CardanModel *model = scene_read(text);
    CardanStudy *study = study_of(model);
    CardanAssembly found;
    CardanInverse out;
    need(study, cardan_study_assemble(study, 0, 0, &found));
    for (double t = 0.1; t < 1.0; t += 0.2) {
        const CardanJoint one[1] = {{1}}, two[2] = {{1}, {4}};
        double alone, tau[2], r1, r2;
        need(study, cardan_study_inverse(study, t, 1, one, &alone, &out));
        check_near(out.share, 0.0, 1e-9, "what is left with one motor");
        need(study, cardan_study_inverse(study, t, 2, two, tau, &out));
        check_near(out.share, 0.0, 1e-9, "what is left with two");
        assert_int_equal(cardan_study_joint(study, one[0], NULL, &r1), CARDAN_OK);
        assert_int_equal(cardan_study_joint(study, two[1], NULL, &r2), CARDAN_OK);
        double share = alone * r1 / (r1 * r1 + r2 * r2); /* the same power by the least torques */
        check_near(tau[0], share * r1, 1e-6 * fabs(alone), "the crank's torque at t = %g", t);
        check_near(tau[1], share * r2, 1e-6 * fabs(alone), "the rocker's torque at t = %g", t);
    }
    done(study, model);
}

static void too_few_motors_are_told_by_what_they_leave(void **state) {
    (void)state;
    CardanModel *model = scene_read(ARM_BODIES ARM_DRIVES);
    CardanStudy *study = study_of(model);
    const CardanJoint shoulder[1] = {{1}};
    double torque;
    CardanInverse out;
    need(study, cardan_study_inverse(study, 0.3, 1, shoulder, &torque, &out));
    check_between(out.share, 1e-3, 100.0, "what one motor leaves of an arm's motion");
    done(study, model);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_swept_slider_crank_follows_its_law),
        cmocka_unit_test(peaucelliers_joint_runs_on_a_straight_line),
        cmocka_unit_test(a_cam_lifts_its_follower_by_the_law_of_its_rim),
        cmocka_unit_test(the_plate_of_a_stewart_platform_finds_its_path),
        cmocka_unit_test(drives_need_the_forces_that_dynamics_gives_them),
        cmocka_unit_test(a_crank_that_its_slider_drives_stops_in_line),
        cmocka_unit_test(a_rocker_that_is_driven_stops_where_crank_and_coupler_are_in_line),
        cmocka_unit_test(what_is_not_fully_driven_is_refused_with_the_joints_that_move),
        cmocka_unit_test(torques_of_the_inverse_lead_the_free_mechanism_along_the_motion),
        cmocka_unit_test(of_more_motors_than_needed_the_least_torques_are_taken),
        cmocka_unit_test(too_few_motors_are_told_by_what_they_leave),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
