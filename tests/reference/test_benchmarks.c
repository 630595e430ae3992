/* Benchmark problems with reference solutions that do not come from this engine: closed forms in elliptic functions and
 * extrapolation in quadruple precision. Each is run through its model file and through the C interface where both
 * exist. DOP853 with tolerances 1e-12 and 1e-13 unless said otherwise; what is allowed stands in each test. */
#include "mechanisms.h"
#include "support/check.h"
#include "support/defaulted.h"
#include "support/scene.h"

static const double PI_2 = 1.57079632679489661923;

static CardanSim *start_tight(const CardanModel *model) {
    CardanOptions options = scene_tight(1e-12, 1e-13);
    return scene_start(model, &options);
}

static void finish(CardanModel *model, CardanSim *sim) {
    cardan_sim_destroy(sim);
    cardan_model_release(model);
}

/* ---- A01: simple pendulum, closed form ---- */

static CardanBuilder *pendulum(void) {
    CardanBuilder *b = cardan_builder_create(CARDAN_SPACE_PLANAR);
    cardan_builder_set_gravity(b, (CardanVec3){0.0, -9.81, 0.0});
    CardanBody ball = cardan_builder_add_body(
        b, &(CardanBodyDef){DEFAULTED, .name = "ball", .mass = 1.0, .particle = true, .pose.p = {-1.0, 0.0, 0.0}});
    cardan_builder_add_joint(b, &(CardanJointDef){DEFAULTED, .name = "bar", .type = CARDAN_JOINT_DISTANCE, .b = ball,
                                                  .local = CARDAN_LOCAL_POINT_A | CARDAN_LOCAL_POINT_B});
    return b;
}

static void check_pendulum(CardanModel *model) {
    static const double expected[][5] = {{1.0, 0.986291751131875319355639, -0.1650108531255411687524991,
                                          0.2969055159163158215577797, 1.774643641112655626467597},
                                         {5.0, -0.9423054350437573354968575, -0.3347543384140005807887011,
                                          0.8579042568859490730575399, -2.414928654370488622601252},
                                         {10.0, -0.2750874625761168600543914, -0.9614192050991250642651351,
                                          4.17559810095172883646052, -1.194749054560475271647513}};
    CardanSim *sim = start_tight(model);
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        const double *e = expected[i];
        scene_advance(sim, e[0]);
        CardanBodyState s = scene_body(sim, model, "ball");
        check_near(s.position.x, e[1], 1e-10, "x at %g s", e[0]);
        check_near(s.position.y, e[2], 1e-10, "y at %g s", e[0]);
        check_near(s.velocity.x, e[3], 1e-9, "x' at %g s", e[0]); /* speeds reach 4.4 m/s, accelerations 20 m/s^2 */
        check_near(s.velocity.y, e[4], 1e-9, "y' at %g s", e[0]);
    }
    finish(model, sim);
}

static void simple_pendulum_a01_after_10_seconds(void **state) {
    (void)state;
    check_pendulum(scene_load("models/pendulum.yaml"));
    check_pendulum(scene_compile(pendulum()));
}

/* ---- uniform chains; theta from the downward vertical, so the body's angle is theta - pi/2 ---- */

static void check_chain(CardanSim *sim, const CardanModel *model, const char *const *bodies, int n, double t,
                        const double *theta, const double *rate) {
    scene_advance(sim, t);
    for (int i = 0; i < n; i++) {
        CardanBodyState s = scene_body(sim, model, bodies[i]);
        check_near(s.angle + PI_2, theta[i], 1e-9, "angle of link %d at %g s", i, t);
        check_near(s.spin, rate[i], 1e-8, "rate of link %d at %g s", i, t); /* rates of 12 rad/s, ten times the size */
    }
}

static void check_double_pendulum(CardanModel *model, const char *const *bodies) {
    static const double theta1[] = {-1.2077162381906379939, -0.81439102309129635145};
    static const double rate1[] = {-3.4065175329719577744, -0.51604547210520891676};
    static const double theta2[] = {-0.082758306820570846952, 0.40736207491190723400};
    static const double rate2[] = {-0.96114544454599847324, 11.898955053045295263};
    CardanSim *sim = start_tight(model);
    check_chain(sim, model, bodies, 2, 1.0, theta1, rate1);
    check_chain(sim, model, bodies, 2, 2.0, theta2, rate2);
    finish(model, sim);
}

static void uniform_chain_of_2_at_1_and_2_seconds(void **state) {
    (void)state;
    check_double_pendulum(scene_load("models/double_pendulum.yaml"), (const char *const[]){"upper", "lower"});
    check_double_pendulum(scene_compile(mechanism_chain(CARDAN_SPACE_PLANAR, 2)), (const char *const[]){"l0", "l1"});
}

static void uniform_chain_of_10_at_half_and_1_second(void **state) {
    (void)state;
    static const char *const bodies[] = {"l0", "l1", "l2", "l3", "l4", "l5", "l6", "l7", "l8", "l9"};
    static const double theta_half[] = {9.3149150911532963393e-01, 1.0962051989377113851e+00, 1.3527894441262271264e+00,
                                        1.6096719988870976347e+00, 1.5814267597309581357e+00, 1.5625852063174330713e+00,
                                        1.5738846313052420580e+00, 1.5698686305241974221e+00, 1.5710540203200636535e+00,
                                        1.5707114126590726581e+00};
    static const double rate_half[] = {
        -1.1456094144357433368e+00, -1.4566774565227316118e+00, -2.4968771419956345597e+00, -6.6721966841352257234e-01,
        5.6595415801082529513e-01,  -1.8759606525599192121e-01, 4.2570684635998114879e-02,  -7.1177615283329645728e-03,
        7.7984983151818685491e-04,  -3.4815868434300433505e-07};
    static const double theta_one[] = {4.8309071277708684216e-01, 5.3137956890364766614e-01, 5.5841472020151811203e-01,
                                       6.5603922948978085552e-01, 7.2285135259279645161e-01, 9.4452464471180096091e-01,
                                       1.2669933829015891795e+00, 1.7094107828845216331e+00, 1.5510279354324631476e+00,
                                       1.5695147551999155374e+00};
    static const double rate_one[] = {
        -6.8150213914890915012e-01, -1.1235730059246401981e+00, -8.7711890515452849070e-01, -1.3436900228492406192e+00,
        -2.1328017087108945063e+00, -2.1659524030045196081e+00, -4.9207815508926580316e+00, -4.7502474176509960734e-01,
        1.0535149140104865349e+00,  -5.6967387228979385859e-01};
    CardanModel *model = scene_compile(mechanism_chain(CARDAN_SPACE_PLANAR, 10));
    CardanSim *sim = start_tight(model);
    check_chain(sim, model, bodies, 10, 0.5, theta_half, rate_half);
    check_chain(sim, model, bodies, 10, 1.0, theta_one, rate_one);
    finish(model, sim);
}

/* Two point masses on two bars: particles and distance joints only. */
static CardanBuilder *point_masses(void) {
    CardanBuilder *b = cardan_builder_create(CARDAN_SPACE_PLANAR);
    cardan_builder_set_gravity(b, (CardanVec3){0.0, -9.81, 0.0});
    CardanBody last = {0};
    static const char *const names[] = {"m0", "m1"}, *const bars[] = {"r0", "r1"};
    for (int i = 0; i < 2; i++) {
        CardanBody mass = cardan_builder_add_body(b, &(CardanBodyDef){DEFAULTED, .name = names[i], .mass = 1.0,
                                                                      .particle = true, .pose.p = {i + 1.0, 0.0, 0.0}});
        cardan_builder_add_joint(b,
                                 &(CardanJointDef){DEFAULTED, .name = bars[i], .type = CARDAN_JOINT_DISTANCE, .a = last,
                                                   .b = mass, .local = CARDAN_LOCAL_POINT_A | CARDAN_LOCAL_POINT_B});
        last = mass;
    }
    return b;
}

static const char POINT_MASSES[] =
    "{cardan: 1, space: planar, gravity: [0, -9.81],\n"
    " bodies: {m0: {mass: 1, particle: true, position: [1, 0]}, m1: {mass: 1, particle: true, position: [2, 0]}},\n"
    " joints: {r0: {type: distance, bodies: [ground, m0], local: {a: [0, 0], b: [0, 0]}},\n"
    "          r1: {type: distance, bodies: [m0, m1], local: {a: [0, 0], b: [0, 0]}}}}\n";

static void check_point_masses(CardanModel *model) {
    static const double expected[][5] = {
        {1.0, -0.62508769980639062995, -1.0345850856800123406, -3.9222795728879766169, -1.3030992486963312433},
        {2.0, -0.48297153425175437745, -1.3240487123023625488, 3.0652881920734013152, 2.9492715475716189830}};
    CardanSim *sim = start_tight(model);
    for (int i = 0; i < 2; i++) {
        const double *e = expected[i];
        scene_advance(sim, e[0]);
        CardanBodyState one = scene_body(sim, model, "m0"), two = scene_body(sim, model, "m1");
        check_near(one.position.x, sin(e[1]), 1e-9, "x of the first mass at %g s", e[0]);
        check_near(one.position.y, -cos(e[1]), 1e-9, "y of the first mass at %g s", e[0]);
        check_near(two.position.x, sin(e[1]) + sin(e[2]), 1e-9, "x of the second mass at %g s", e[0]);
        check_near(two.position.y, -cos(e[1]) - cos(e[2]), 1e-9, "y of the second mass at %g s", e[0]);
        check_near(one.velocity.x, cos(e[1]) * e[3], 1e-8, "x' of the first mass at %g s", e[0]);
        check_near(two.velocity.y, sin(e[1]) * e[3] + sin(e[2]) * e[4], 1e-8, "y' of the second mass at %g s", e[0]);
    }
    finish(model, sim);
}

static void double_pendulum_of_point_masses_on_bars(void **state) {
    (void)state;
    check_point_masses(scene_read(POINT_MASSES));
    check_point_masses(scene_compile(point_masses()));
}

/* ---- A02: double four-bar ---- */

static void check_four_bars(CardanModel *model, const char *const cranks[3]) {
    CardanSim *sim = start_tight(model);
    scene_advance(sim, 0.5);
    CardanBodyState first = scene_body(sim, model, cranks[0]);
    check_near(2.0 * first.position.x, 0.69528663316440051141, 1e-9, "B0 x"); /* its end: twice as far as the middle */
    check_near(2.0 * first.position.y, 0.71873256343574162209, 1e-9, "B0 y");
    check_near(2.0 * first.velocity.x, 1.9602054253718332236, 1e-9, "B0 x'");
    check_near(2.0 * first.velocity.y, -1.8962611405865766571, 1e-9, "B0 y'");
    for (int i = 1; i < 3; i++) /* another branch would keep the energy too */
        check_near(scene_body(sim, model, cranks[i]).angle, first.angle, 1e-12, "angle of crank %d", i);
    finish(model, sim);
}

static void double_four_bar_a02_at_half_a_second(void **state) {
    (void)state;
    check_four_bars(scene_load("models/double_four_bar.yaml"), (const char *const[]){"crank0", "crank1", "crank2"});
    check_four_bars(scene_compile(mechanism_four_bars(2)), (const char *const[]){"c0", "c1", "c2"});
}

/* ---- spinning in space ---- */

static CardanBuilder *top(void) {
    CardanBuilder *b = cardan_builder_create(CARDAN_SPACE_SPATIAL);
    cardan_builder_set_gravity(b, (CardanVec3){0.0, 0.0, -9.81});
    CardanBody body = cardan_builder_add_body(
        b, &(CardanBodyDef){DEFAULTED, .name = "top", .mass = 15.0,
                            .inertia = {.xx = 0.234375, .yy = 0.46875, .zz = 0.234375}, .pose.p = {0.0, 1.0, 0.0},
                            .velocity = {4.61538, 0.0, 0.0}, .body_rates = {0.0, 150.0, -4.61538}});
    cardan_builder_add_joint(b, &(CardanJointDef){DEFAULTED, .name = "tip", .type = CARDAN_JOINT_SPHERICAL, .b = body});
    return b;
}

/* A quaternion and its negative are the same rotation. */
static void check_quaternion(CardanQuat q, const double *e, double tolerance) {
    double sign = q.w * e[0] + q.x * e[1] + q.y * e[2] + q.z * e[3] < 0.0 ? -1.0 : 1.0;
    const double own[] = {q.w, q.x, q.y, q.z};
    for (int i = 0; i < 4; i++) check_near(sign * own[i], e[i], tolerance, "Euler parameter %d", i);
}

static void check_top(CardanModel *model) {
    static const double e[] = {-0.70827915297431256211, 0.43878108812658189737, 0.54572839614541767341,
                               0.089399752824005010462};
    static const double rates[] = {-2.69159091214340862, 150.0, 4.91726098989399442};
    CardanSim *sim = start_tight(model);
    scene_advance(sim, 0.2);
    CardanBodyState s = scene_body(sim, model, "top");
    check_near(s.position.x, 0.60555056137711977014, 1e-9, "x of the centre of mass");
    check_near(s.position.y, 0.59895768179491915768, 1e-9, "y of the centre of mass");
    check_near(s.position.z, -0.52398302743000318478, 1e-9, "z of the centre of mass");
    check_quaternion(s.quaternion, e, 1e-9);
    for (int i = 0; i < 3; i++) /* 1e-9 of the spin's 150 rad/s */
        check_near(cardan_sim_velocities(sim)[3 + i], rates[i], 1e-8, "body rate %d", i);
    finish(model, sim);
}

static void heavy_top_after_a_fifth_of_a_second(void **state) {
    (void)state;
    check_top(scene_load("models/heavy_top.yaml"));
    check_top(scene_compile(top()));
}

static void free_rotor_flips_about_its_middle_axis(void **state) {
    (void)state;
    static const double e[] = {-0.8011321123660422000383, 1.763428358897589017922e-03, 0.5984399440524096684332,
                               7.339088423977186232349e-03};
    static const double rates[] = {-6.488260953961032029144e-02, 4.999589007806474732915, 3.833950539008700765413e-02};
    CardanBuilder *b = cardan_builder_create(CARDAN_SPACE_SPATIAL);
    cardan_builder_add_body(b, &(CardanBodyDef){DEFAULTED, .name = "rotor", .mass = 1.0,
                                                .inertia = {.xx = 1.0, .yy = 2.0, .zz = 3.0},
                                                .body_rates = {0.01, 5.0, 0.01}});
    CardanModel *built = scene_compile(b);
    CardanModel *read = scene_read("{cardan: 1, space: spatial, bodies: {rotor: {mass: 1, inertia: [1, 2, 3], "
                                   "body_rates: [0.01, 5, 0.01]}}}");
    CardanModel *models[] = {built, read};
    for (int k = 0; k < 2; k++) {
        CardanSim *sim = start_tight(models[k]);
        scene_advance(sim, 1.0);
        check_quaternion(scene_body(sim, models[k], "rotor").quaternion, e, 1e-10);
        for (int i = 0; i < 3; i++) check_near(cardan_sim_velocities(sim)[3 + i], rates[i], 1e-10, "body rate %d", i);
        finish(models[k], sim);
    }
}

/* ---- spatial slider-crank: crank's centre of mass at its middle, the slider's pin along x ---- */

static CardanBuilder *spatial_slider_crank(void) {
    CardanBuilder *b = cardan_builder_create(CARDAN_SPACE_SPATIAL);
    cardan_builder_set_gravity(b, (CardanVec3){0.0, 0.0, -9.81});
    const CardanInertia small = {.xx = 1e-4, .yy = 1e-4, .zz = 1e-4};
    double half = 0.5 * acos(2.0 / 3.0), s = sin(half) / sqrt(5.0);
    CardanBody crank = cardan_builder_add_body(
        b, &(CardanBodyDef){DEFAULTED, .name = "crank", .mass = 0.12, .inertia = small, .pose.p = {0.0, 0.1, 0.16},
                            .velocity = {0.0, -0.24, 0.0}, .angular_velocity = {6.0, 0.0, 0.0}});
    CardanBody rod = cardan_builder_add_body(
        b, &(CardanBodyDef){DEFAULTED, .name = "rod", .mass = 0.5, .inertia = {.xx = 0.0004, .yy = 0.004, .zz = 0.004},
                            .pose = {.p = {0.1, 0.05, 0.1}, .q = {cos(half), 0.0, 2.0 * s, -s}},
                            .velocity = {0.12, -0.24, 0.0}, .angular_velocity = {1.92, -0.96, 0.48}});
    CardanBody slider =
        cardan_builder_add_body(b, &(CardanBodyDef){DEFAULTED, .name = "slider", .mass = 2.0, .inertia = small,
                                                    .pose.p = {0.2, 0.0, 0.0}, .velocity = {0.24, 0.0, 0.0}});
    const CardanVec3 x = {1.0, 0.0, 0.0};
    cardan_builder_add_joint(b, &(CardanJointDef){DEFAULTED, .name = "main", .type = CARDAN_JOINT_REVOLUTE, .b = crank,
                                                  .point = {0.0, 0.1, 0.12}, .axis = x});
    cardan_builder_add_joint(b, &(CardanJointDef){DEFAULTED, .name = "ball", .type = CARDAN_JOINT_SPHERICAL, .a = crank,
                                                  .b = rod, .point = {0.0, 0.1, 0.2}});
    cardan_builder_add_joint(b, &(CardanJointDef){DEFAULTED, .name = "cross", .type = CARDAN_JOINT_UNIVERSAL,
                                                  .a = slider, .b = rod, .point = {0.2, 0.0, 0.0}, .axis = x,
                                                  .axis2 = {0.0, 2.0, -1.0}});
    cardan_builder_add_joint(b, &(CardanJointDef){DEFAULTED, .name = "guide", .type = CARDAN_JOINT_PRISMATIC,
                                                  .b = slider, .local = CARDAN_POINT_AT_CENTRE, .axis = x});
    return b;
}

static void check_spatial_slider_crank(CardanModel *model) {
    static const double expected[][5] = {
        {0.1, 5.60031482093039988e-01, 5.82888813465430546, 2.26787188552919102e-01, 3.05277006934754004e-01},
        {0.5, 5.58376255330730440, 1.44081608102003758e+01, 1.84952629777802629e-01, -4.56029063251560052e-03},
        {1.0, 1.09135907298646680e+01, 1.04275930004120484e+01, 2.11721661393443778e-01, -5.03491864925010031e-01}};
    CardanSim *sim = start_tight(model);
    for (int i = 0; i < 3; i++) {
        const double *e = expected[i];
        double rate;
        scene_advance(sim, e[0]);
        check_near(scene_coordinate(sim, model, "main", &rate), e[1], 1e-8, "crank angle at %g s", e[0]);
        check_near(rate, e[2], 1e-7, "crank rate at %g s", e[0]); /* up to 23 rad/s and 150 rad/s^2 */
        CardanBodyState s = scene_body(sim, model, "slider");
        check_near(s.position.x, e[3], 1e-8, "slider at %g s", e[0]);
        check_near(s.velocity.x, e[4], 1e-8, "slider's speed at %g s", e[0]);
    }
    finish(model, sim);
}

static void spatial_slider_crank_after_1_second(void **state) {
    (void)state;
    check_spatial_slider_crank(scene_load("models/spatial_slider_crank.yaml"));
    check_spatial_slider_crank(scene_compile(spatial_slider_crank()));
}

/* ---- planar slider-crank of Exudyn's examples: torque 0.1 N m on the crank, no gravity ---- */

static CardanBuilder *exudyn_slider_crank(void) {
    const double m = 0.2, r = 0.1, l = 0.3;
    CardanBuilder *b = cardan_builder_create(CARDAN_SPACE_PLANAR);
    CardanBody crank =
        cardan_builder_add_body(b, &(CardanBodyDef){DEFAULTED, .name = "crank", .mass = m,
                                                    .inertia.zz = m * r * r / 12.0, .pose.p = {0.5 * r, 0.0, 0.0}});
    CardanBody rod =
        cardan_builder_add_body(b, &(CardanBodyDef){DEFAULTED, .name = "rod", .mass = m, .inertia.zz = m * l * l / 12.0,
                                                    .pose.p = {r + 0.5 * l, 0.0, 0.0}});
    CardanBody slider = cardan_builder_add_body(
        b, &(CardanBodyDef){DEFAULTED, .name = "slider", .mass = 0.4, .inertia.zz = 1e-3, .pose.p = {r + l, 0.0, 0.0}});
    CardanJoint main = cardan_builder_add_joint(
        b, &(CardanJointDef){DEFAULTED, .name = "main", .type = CARDAN_JOINT_REVOLUTE, .b = crank});
    cardan_builder_add_joint(b, &(CardanJointDef){DEFAULTED, .name = "pin", .type = CARDAN_JOINT_REVOLUTE, .a = crank,
                                                  .b = rod, .point = {r, 0.0, 0.0}});
    cardan_builder_add_joint(b, &(CardanJointDef){DEFAULTED, .name = "wrist", .type = CARDAN_JOINT_REVOLUTE, .a = rod,
                                                  .b = slider, .point = {r + l, 0.0, 0.0}});
    cardan_builder_add_joint(b, &(CardanJointDef){DEFAULTED, .name = "guide", .type = CARDAN_JOINT_PRISMATIC,
                                                  .b = slider, .axis = {1.0, 0.0, 0.0}});
    cardan_builder_add_force(
        b, &(CardanForceDef){DEFAULTED, .name = "motor", .type = CARDAN_FORCE_TORQUE, .joint = main, .value.x = 0.1});
    return b;
}

static const char EXUDYN[] = "{cardan: 1, space: planar, parameters: {m: 0.2, r: 0.1, l: 0.3},\n"
                             " bodies: {crank: {mass: m, inertia: 'm*r^2/12', position: ['r/2', 0]},\n"
                             "          rod: {mass: m, inertia: 'm*l^2/12', position: ['r + l/2', 0]},\n"
                             "          slider: {mass: 0.4, inertia: 1e-3, position: ['r + l', 0]}},\n"
                             " joints: {main: {type: revolute, bodies: [ground, crank], point: [0, 0]},\n"
                             "          pin: {type: revolute, bodies: [crank, rod], point: [r, 0]},\n"
                             "          wrist: {type: revolute, bodies: [rod, slider], point: ['r + l', 0]},\n"
                             "          guide: {type: prismatic, bodies: [ground, slider], axis: [1, 0]}},\n"
                             " forces: {motor: {type: torque, joint: main, value: 0.1}}}\n";

static void planar_slider_crank_under_a_constant_torque(void **state) {
    (void)state;
    CardanModel *models[] = {scene_read(EXUDYN), scene_compile(exudyn_slider_crank())};
    for (int k = 0; k < 2; k++) {
        CardanSim *sim = start_tight(models[k]);
        double rate;
        scene_advance(sim, 1.0);
        check_near(scene_coordinate(sim, models[k], "main", &rate), 14.12789221775066, 1e-9, "crank angle");
        check_near(rate, 20.53748285141424, 1e-8, "crank rate");
        CardanEnergy energy = scene_energy(sim);
        check_near(energy.work, 0.1 * 14.12789221775066, 1e-10, "work of the torque");
        finish(models[k], sim);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(simple_pendulum_a01_after_10_seconds),
        cmocka_unit_test(uniform_chain_of_2_at_1_and_2_seconds),
        cmocka_unit_test(uniform_chain_of_10_at_half_and_1_second),
        cmocka_unit_test(double_pendulum_of_point_masses_on_bars),
        cmocka_unit_test(double_four_bar_a02_at_half_a_second),
        cmocka_unit_test(heavy_top_after_a_fifth_of_a_second),
        cmocka_unit_test(free_rotor_flips_about_its_middle_axis),
        cmocka_unit_test(spatial_slider_crank_after_1_second),
        cmocka_unit_test(planar_slider_crank_under_a_constant_torque),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
