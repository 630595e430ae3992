/* Robots of models/ beside their kinematics in closed form: the Stewart platform on the path its legs were computed
 * from, the delta robot by three spheres, the six-axis arm by Denavit and Hartenberg's products and its published
 * loads. */
#include "support/run.h"

#include "core/numbers.h"

static void near_vec(CrdVec a, CrdVec b, double tolerance, const char *what, double t) {
    check_near(a.x, b.x, tolerance, "%s, x at t = %g", what, t);
    check_near(a.y, b.y, tolerance, "%s, y at t = %g", what, t);
    check_near(a.z, b.z, tolerance, "%s, z at t = %g", what, t);
}

/* Distance of two rotations as quaternions of either sign. */
static double apart(CardanQuat p, CardanQuat q) {
    double plus = hypot(hypot(p.w + q.w, p.x + q.x), hypot(p.y + q.y, p.z + q.z));
    return fmin(plus, hypot(hypot(p.w - q.w, p.x - q.x), hypot(p.y - q.y, p.z - q.z)));
}

/* ---- Stewart platform ---- */

static void a_stewart_platform_follows_the_path_of_its_inverse_kinematics(void **state) {
    (void)state;
    Run run = load("models/stewart_platform.yaml");
    const double w = 3.0, A = 0.12, Y = 0.25, B = 0.15, h = 0.9;
    for (int i = 1; i <= 40; i++) {
        double t = 0.1 * i, s = sin(w * t), c = cos(w * t), yaw = Y * s, yaw_rate = Y * w * c, roll_rate = B * w * s;
        scene_advance(run.sim, t);
        CardanBodyState plate = body(&run, "plate");
        near_vec(plate.position, (CrdVec){A * s, A * (1.0 - c), h + A * s * s}, 1e-12, "place", t);
        near_vec(plate.velocity, (CrdVec){A * w * c, A * w * s, 2.0 * A * w * s * c}, 1e-11, "velocity", t);
        check_near(apart(plate.quaternion, crd_quat_of_rpy(B * (1.0 - c), 0.0, yaw)), 0.0, 1e-12, "rotation at t = %g",
                   t);
        CrdVec spin = {cos(yaw) * roll_rate, sin(yaw) * roll_rate, yaw_rate};
        near_vec(plate.angular_velocity, spin, 1e-11, "angular velocity", t);
    }
    check_near(scene_energy(run.sim).drift_max, 0.0, 1e-9, "energy less the drives' work"); /* of 800 J */
    finish(&run);
}

/* At rest the six feet carry the whole weight: plate 60 kg, six legs of 9 kg. */
static void the_feet_of_a_stewart_platform_carry_its_weight(void **state) {
    (void)state;
    static const char *const NAMES[] = {"A", "Y", "B"};
    static const double ZERO[] = {0, 0, 0};
    char message[256];
    CardanModel *moving = scene_load("models/stewart_platform.yaml"), *model = NULL;
    if (cardan_model_with_parameters(moving, 3, NAMES, ZERO, &model, message, sizeof message) < 0)
        fail_msg("%s", message);
    cardan_model_release(moving);
    Run run = start(model, 1e-12, 1e-13);
    scene_advance(run.sim, 0.1);
    double weight = 0.0, push = effort_of(&run, "push1");
    for (int i = 1; i <= 6; i++) {
        char foot[8], drive[8];
        snprintf(foot, sizeof foot, "foot%d", i);
        snprintf(drive, sizeof drive, "push%d", i);
        weight += scene_reaction(run.sim, run.model, foot).force.z;
        check_near(effort_of(&run, drive), push, 1e-10, "all legs alike, leg %d", i);
    }
    check_near(weight, 114.0 * 9.81, 1e-9, "weight on the feet");
    finish(&run);
}

/* ---- delta robot ---- */

/* The lower point at `radius` from three centres. */
static CrdVec three_spheres(const CrdVec *c, double radius) {
    CrdVec d = crd_sub(c[1], c[0]), x = crd_scale(1.0 / crd_norm(d), d);
    CrdVec e = crd_sub(c[2], c[0]), f = crd_axpy(e, -crd_dot(e, x), x), y = crd_scale(1.0 / crd_norm(f), f);
    CrdVec z = crd_cross(x, y);
    double u = 0.5 * crd_dot(d, x), v = 0.5 * (crd_dot(e, e) - 2.0 * u * crd_dot(e, x)) / crd_dot(e, y);
    double h = sqrt(radius * radius - u * u - v * v);
    return crd_axpy(crd_axpy(crd_axpy(c[0], u, x), v, y), z.z < 0.0 ? h : -h, z);
}

static void a_delta_robots_plate_never_turns(void **state) {
    (void)state;
    static const char *const DRIVES[] = {"drive_a", "drive_b", "drive_c"};
    static const double SIZE[] = {0.3, 0.2, -0.15}, PACE[] = {6, 9, 12};
    const double base = 0.2, arm = 0.3, rod = 0.7, plate = 0.06, th = 0.3;
    Run run = start(scene_load("models/delta_robot.yaml"), 1e-9, 1e-11);
    for (int i = 1; i <= 40; i++) {
        double t = 0.05 * i;
        CrdVec elbow[3];
        scene_advance(run.sim, t);
        for (int k = 0; k < 3; k++) {
            double angle = coordinate(&run, DRIVES[k], NULL), way = 2.0 * CRD_PI / 3.0 * k;
            double radius = base - plate + arm * cos(th + angle);
            elbow[k] = (CrdVec){radius * cos(way), radius * sin(way), -arm * sin(th + angle)};
            check_near(angle, SIZE[k] * (1.0 - cos(PACE[k] * t)), 0.03, "arm %d near its target at t = %g", k, t);
        }
        CardanBodyState hand = body(&run, "hand");
        near_vec(hand.position, three_spheres(elbow, rod), 1e-12, "place", t);
        check_near(apart(hand.quaternion, (CardanQuat){.w = 1.0}), 0.0, 1e-12, "rotation at t = %g", t);
        near_vec(hand.angular_velocity, (CrdVec){0}, 1e-11, "angular velocity", t);
    }
    check_near(scene_energy(run.sim).drift_max, 0.0, 1e-8, "energy less the motors' work");
    finish(&run);
}

/* ---- six-axis arm ---- */

/* Denavit and Hartenberg's parameters of the Puma 560. */
static const struct {
    double d, a, alpha;
} LINKS[] = {{0.672, 0, 0.5 * CRD_PI},  {0, 0.4318, 0},        {0.15005, 0.0203, -0.5 * CRD_PI},
             {0.4318, 0, 0.5 * CRD_PI}, {0, 0, -0.5 * CRD_PI}, {0, 0, 0}};

/* Rz(q) Tz(d) Tx(a) Rx(alpha) of all links, one after the other. */
static CardanQuat flange(const double *q, CrdVec *origin) {
    CardanQuat turn = {.w = 1.0};
    *origin = (CrdVec){0};
    for (int i = 0; i < 6; i++) {
        turn = crd_quat_mul(turn, crd_quat_of((CrdVec){0, 0, q[i]}));
        *origin = crd_add(*origin, turned(turn, (CrdVec){LINKS[i].a, 0, LINKS[i].d}));
        turn = crd_quat_mul(turn, crd_quat_of((CrdVec){LINKS[i].alpha, 0, 0}));
    }
    return turn;
}

/* From 0 to 1, and out and back, within a second. */
static double there(double t) {
    double u = fmin(t, 1.0);
    return u * u * u * (10.0 - 15.0 * u + 6.0 * u * u);
}

static double and_back(double t) {
    double u = fmin(t, 1.0);
    return 64.0 * pow(u * (1.0 - u), 3);
}

static void a_six_axis_arm_moves_as_its_links_multiply(void **state) {
    (void)state;
    Run run = load("models/six_axis_arm.yaml");
    for (int i = 0; i <= 24; i++) {
        double t = 0.05 * i, x = there(t), y = and_back(t);
        if (i > 0) scene_advance(run.sim, t);
        double q[] = {0.8 * y, 0.25 * CRD_PI * x, CRD_PI * x, -1.2 * y, 0.25 * CRD_PI * x, 2.5 * y};
        CrdVec origin;
        CardanQuat turn = flange(q, &origin);
        CrdVec out = turned(turn, (CrdVec){0, 0, 0.032}); /* the hand's centre of mass */
        CardanBodyState hand = body(&run, "hand");
        near_vec(hand.position, crd_add(origin, out), 1e-12, "place", t);
        check_near(apart(hand.quaternion, turn), 0.0, 1e-12, "rotation at t = %g", t);
    }
    check_near(scene_energy(run.sim).drift_max, 0.0, 1e-10, "energy less the drives' work");
    finish(&run);
}

/* Published: gravity load of the Puma 560 in the pose (0, pi/4, pi, 0, pi/4, 0), Corke's Robotics Toolbox, four
 * decimals. In the pose of zero angles by hand: axes 2 and 3 with what hangs in front of them. */
static void the_motors_of_an_arm_carry_its_weight(void **state) {
    (void)state;
    static const char *const MOTORS[] = {"m1", "m2", "m3", "m4", "m5", "m6"};
    static const double PUBLISHED[] = {0, 31.6399, 6.0351, 0, 0.0283, 0};
    const double second = 9.81 * (17.4 * 0.068 + 4.8 * 0.4318 + 1.25 * 0.4521), third = 9.81 * 1.25 * 0.0203;
    const double stretched[] = {0, second, third, 0, 0, 0};
    Run run = load("models/six_axis_arm.yaml");
    for (int i = 0; i < 6; i++) check_near(effort_of(&run, MOTORS[i]), stretched[i], 1e-12, "at first, %s", MOTORS[i]);
    scene_advance(run.sim, 1.1);
    for (int i = 0; i < 6; i++) check_near(effort_of(&run, MOTORS[i]), PUBLISHED[i], 0.5e-4, "held, %s", MOTORS[i]);
    finish(&run);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_stewart_platform_follows_the_path_of_its_inverse_kinematics),
        cmocka_unit_test(the_feet_of_a_stewart_platform_carry_its_weight),
        cmocka_unit_test(a_delta_robots_plate_never_turns),
        cmocka_unit_test(a_six_axis_arm_moves_as_its_links_multiply),
        cmocka_unit_test(the_motors_of_an_arm_carry_its_weight),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
