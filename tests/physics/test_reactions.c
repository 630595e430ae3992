/* Reactions: against closed forms, and against Newton and Euler for every body of whole mechanisms. Also what is read
 * between steps. Everything here is algebra at one state, so the tolerances are rounding times the size of the forces.
 */
#include "core/rotation.h"
#include "mechanisms.h"
#include "support/check.h"
#include "support/defaulted.h"
#include "support/scene.h"

static const double G = 9.81;

static void finish(CardanModel *model, CardanSim *sim) {
    cardan_sim_destroy(sim);
    cardan_model_release(model);
}

static void near_vec(CardanVec3 a, CardanVec3 e, double tolerance, const char *what) {
    check_near(a.x, e.x, tolerance, "%s, x", what);
    check_near(a.y, e.y, tolerance, "%s, y", what);
    check_near(a.z, e.z, tolerance, "%s, z", what);
}

/* ---- closed forms ---- */

/* A rod of 1 m and 1 kg about its end, inertia J about its middle: phi'' = -(g / 2) cos phi / (1/4 + J); the pin gives
 * a + g of its middle. */
static CardanVec3 pin_force(double inertia, double phi, double rate) {
    double turning = -0.5 * G * cos(phi) / (0.25 + inertia);
    return crd_vec(0.5 * (-turning * sin(phi) - rate * rate * cos(phi)),
                   0.5 * (turning * cos(phi) - rate * rate * sin(phi)) + G, 0.0);
}

static void pin_of_a_swinging_rod(void **state) {
    (void)state;
    static const double inertia[] = {1.0 / 12.0, (1.0 + 0.1 * 0.1) / 12.0}; /* in the plane; a square bar in space */
    for (int space = 0; space < 2; space++) {
        CardanModel *model = scene_compile(mechanism_chain((CardanSpace)space, 1));
        CardanOptions options = scene_tight(1e-10, 1e-11);
        CardanSim *sim = scene_start(model, &options);
        for (int i = 0; i <= 6; i++) {
            double rate;
            scene_advance(sim, 0.3 * i);
            double phi = scene_coordinate(sim, model, "j0", &rate);
            CardanWrench r = scene_reaction(sim, model, "j0");
            near_vec(r.force, pin_force(inertia[space], phi, rate), 1e-11, "force of the pin"); /* of 25 N */
            near_vec(r.moment, crd_vec(0, 0, 0), 1e-12, "moment of a pin loaded in its plane");
        }
        finish(model, sim);
    }
}

/* A weight welded to the ground: the weld carries it, and its moment about the joint's point. */
static void a_weld_carries_a_weight(void **state) {
    (void)state;
    CardanBuilder *b = cardan_builder_create(CARDAN_SPACE_SPATIAL);
    cardan_builder_set_gravity(b, (CardanVec3){0.0, 0.0, -G});
    CardanBody body = cardan_builder_add_body(
        b, &(CardanBodyDef){DEFAULTED, .name = "weight", .mass = 3.0, .inertia = {.xx = 1.0, .yy = 1.2, .zz = 0.9},
                            .pose = {.p = {0.7, -0.4, 0.2}, .q = {0.5, 0.5, 0.5, 0.5}}});
    cardan_builder_add_joint(b, &(CardanJointDef){DEFAULTED, .name = "weld", .type = CARDAN_JOINT_WELD, .b = body,
                                                  .point = {0.1, 0.3, 1.0}});
    CardanModel *model = scene_compile(b);
    CardanOptions options = scene_tight(1e-8, 1e-8);
    CardanSim *sim = scene_start(model, &options);
    scene_advance(sim, 1.0);
    CardanWrench r = scene_reaction(sim, model, "weld");
    near_vec(r.force, crd_vec(0.0, 0.0, 3.0 * G), 1e-12, "force of the weld");
    CrdVec arm = crd_sub(crd_vec(0.7, -0.4, 0.2), crd_vec(0.1, 0.3, 1.0));
    near_vec(r.moment, crd_cross(arm, crd_vec(0.0, 0.0, 3.0 * G)), 1e-12,
             "moment of the weld"); /* balances the weight's */
    finish(model, sim);
}

/* A bob on a bar at 45 degrees, at rest: tension m g cos 45; turning in a cone: m g / cos. */
static void tension_of_a_bar(void **state) {
    (void)state;
    const double s = sqrt(0.5), l = 2.0, m = 1.5;
    for (int cone = 0; cone < 2; cone++) {
        double speed = cone ? sqrt(G * l * s) : 0.0; /* v^2 / (l s) = g */
        CardanBuilder *b = cardan_builder_create(CARDAN_SPACE_SPATIAL);
        cardan_builder_set_gravity(b, (CardanVec3){0.0, 0.0, -G});
        CardanBody bob =
            cardan_builder_add_body(b, &(CardanBodyDef){DEFAULTED, .name = "bob", .mass = m, .particle = true,
                                                        .pose.p = {l * s, 0.0, -l * s}, .velocity = {0.0, speed, 0.0}});
        cardan_builder_add_joint(b, &(CardanJointDef){DEFAULTED, .name = "bar", .type = CARDAN_JOINT_DISTANCE, .b = bob,
                                                      .local = CARDAN_LOCAL_POINT_A | CARDAN_LOCAL_POINT_B});
        CardanModel *model = scene_compile(b);
        CardanOptions options = scene_tight(1e-11, 1e-12);
        CardanSim *sim = scene_start(model, &options);
        CardanWrench r = scene_reaction(sim, model, "bar");
        double tension = cone ? m * G / s : m * G * s;
        near_vec(r.force, crd_scale(tension, crd_vec(-s, 0.0, s)), 1e-12, "pull of the bar");
        if (cone) {
            scene_advance(sim, 3.0);
            check_near(scene_body(sim, model, "bob").position.z, -l * s, 1e-9, "height of the cone");
            check_near(crd_norm(scene_reaction(sim, model, "bar").force), tension, 1e-8, "pull of the bar later");
        }
        finish(model, sim);
    }
}

/* Torque on the crank held by a force on the slider: principle of virtual work, F = torque / (dx/dphi). */
static void slider_crank_in_balance(void **state) {
    (void)state;
    const double r = 0.2, l = 0.4, phi = 0.7, torque = 0.9;
    double lean = asin(-r * sin(phi) / l), slope = -r * sin(phi) - l * sin(lean) * (-r * cos(phi) / (l * cos(lean)));
    CardanBuilder *b = mechanism_slider_crank(r, l, phi);
    cardan_builder_set_gravity(b, (CardanVec3){0});
    cardan_builder_add_force(
        b, &(CardanForceDef){DEFAULTED, .name = "motor", .type = CARDAN_FORCE_TORQUE, .joint = {1}, .value.x = torque});
    cardan_builder_add_force(b, &(CardanForceDef){DEFAULTED, .name = "load", .type = CARDAN_FORCE_AT_POINT, .body = {3},
                                                  .value.x = -torque / slope});
    CardanModel *model = scene_compile(b);
    CardanOptions options = scene_tight(1e-10, 1e-11);
    CardanSim *sim = scene_start(model, &options);
    double a[9];
    assert_true(cardan_sim_evaluate(sim, a, NULL) >= 0);
    check_near(worst_of(a, 9), 0.0, 1e-11, "acceleration in balance");
    /* the rod is a two-force member: its pull runs along it; the guide takes the part across */
    double pull = -torque / slope / cos(lean);
    CardanWrench wrist = scene_reaction(sim, model, "wrist"), guide = scene_reaction(sim, model, "guide");
    near_vec(wrist.force, crd_vec(-pull * cos(lean), -pull * sin(lean), 0.0), 1e-11, "wrist");
    near_vec(guide.force, crd_vec(0.0, pull * sin(lean), 0.0), 1e-11, "guide");
    finish(model, sim);
}

/* ---- Newton and Euler for every body ---- */

typedef struct Part {
    const char *body;
    double mass;
    CardanInertia inertia; /* principal; planar: zz */
} Part;

typedef struct Pin {
    const char *joint, *a, *b; /* NULL: the ground */
    CardanVec3 on_b;           /* its point on b, own axes */
} Pin;

static CrdMat rotation_of(const CardanBodyState *s, CardanSpace space) {
    return space == CARDAN_SPACE_PLANAR ? crd_matrix_about_z(s->angle)
                                        : crd_matrix_of(crd_quat_normalised(s->quaternion));
}

/* Where the joint's point is now; pins to the ground are given on b too. */
static CrdVec point_of(CardanSim *sim, const CardanModel *model, const Pin *pin) {
    CardanBodyState b = scene_body(sim, model, pin->b);
    CrdMat r = rotation_of(&b, cardan_model_space(model));
    return crd_add(b.position, crd_apply(r.m, pin->on_b));
}

static void check_newton(CardanSim *sim, const CardanModel *model, int parts, const Part *part, int pins,
                         const Pin *pin, CardanVec3 gravity, const CardanWrench *applied) {
    CardanSpace space = cardan_model_space(model);
    int width = space == CARDAN_SPACE_PLANAR ? 3 : 6;
    double a[64];
    assert_true(cardan_sim_evaluate(sim, a, NULL) >= 0);
    for (int i = 0; i < parts; i++) {
        CardanBodyState s = scene_body(sim, model, part[i].body);
        CrdMat r = rotation_of(&s, space);
        CrdVec force = crd_axpy(applied[i].force, part[i].mass, gravity), moment = applied[i].moment;
        for (int k = 0; k < pins; k++) {
            CardanWrench w = scene_reaction(sim, model, pin[k].joint);
            double sign = strcmp(pin[k].b, part[i].body) == 0                       ? 1.0
                          : pin[k].a != NULL && strcmp(pin[k].a, part[i].body) == 0 ? -1.0
                                                                                    : 0.0;
            CrdVec arm = crd_sub(point_of(sim, model, &pin[k]), s.position);
            force = crd_axpy(force, sign, w.force);
            moment = crd_axpy(moment, sign, crd_add(w.moment, crd_cross(arm, w.force)));
        }
        const double *own = a + width * i;
        CrdVec accel = space == CARDAN_SPACE_PLANAR ? crd_vec(own[0], own[1], 0.0) : crd_vec_of(own);
        near_vec(force, crd_scale(part[i].mass, accel), 1e-12, part[i].body); /* forces of 50 N */
        if (space == CARDAN_SPACE_PLANAR) {
            check_near(moment.z, part[i].inertia.zz * own[2], 1e-12, "Euler for %s", part[i].body);
            continue;
        }
        const CardanInertia *j = &part[i].inertia;
        CrdVec w = crd_apply_t(r.m, s.angular_velocity), h = crd_vec(j->xx * w.x, j->yy * w.y, j->zz * w.z);
        CrdVec euler = crd_add(crd_vec(j->xx * own[3], j->yy * own[4], j->zz * own[5]), crd_cross(w, h));
        near_vec(crd_apply_t(r.m, moment), euler, 1e-12, part[i].body);
    }
}

static void slider_crank_obeys_newton_with_its_reactions(void **state) {
    (void)state;
    static const Part parts[] = {
        {"crank", 1.0, {.zz = 0.04 / 12.0}}, {"rod", 2.0, {.zz = 0.32 / 12.0}}, {"slider", 0.5, {.zz = 1e-3}}};
    static const Pin pins[] = {{"main", NULL, "crank", {-0.1, 0, 0}},
                               {"pin", "crank", "rod", {-0.2, 0, 0}},
                               {"wrist", "rod", "slider", {0, 0, 0}},
                               {"guide", NULL, "slider", {-0.6, 0, 0}}};
    CardanModel *model = scene_load("models/slider_crank.yaml");
    CardanOptions options = scene_tight(1e-10, 1e-11);
    CardanSim *sim = scene_start(model, &options);
    for (int i = 1; i <= 4; i++) {
        double rate;
        scene_advance(sim, 0.4 * i);
        scene_coordinate(sim, model, "main", &rate);
        CardanWrench applied[3] = {{.moment = {0, 0, 0.1 - 0.02 * rate}}};
        check_newton(sim, model, 3, parts, 4, pins, crd_vec(0, -G, 0), applied);
    }
    finish(model, sim);
}

static void spatial_slider_crank_obeys_newton_and_euler_with_its_reactions(void **state) {
    (void)state;
    static const Part parts[] = {{"crank", 0.12, {.xx = 1e-4, .yy = 1e-4, .zz = 1e-4}},
                                 {"rod", 0.5, {.xx = 0.0004, .yy = 0.004, .zz = 0.004}},
                                 {"slider", 2.0, {.xx = 1e-4, .yy = 1e-4, .zz = 1e-4}}};
    static const Pin pins[] = {{"main", NULL, "crank", {0, 0, -0.04}},
                               {"ball", "crank", "rod", {-0.15, 0, 0}},
                               {"cross", "slider", "rod", {0.15, 0, 0}},
                               {"guide", NULL, "slider", {0, 0, 0}}};
    CardanModel *model = scene_load("models/spatial_slider_crank.yaml");
    CardanOptions options = scene_tight(1e-11, 1e-12);
    CardanSim *sim = scene_start(model, &options);
    for (int i = 1; i <= 4; i++) {
        CardanWrench applied[3] = {0};
        scene_advance(sim, 0.2 * i);
        check_newton(sim, model, 3, parts, 4, pins, crd_vec(0, 0, -G), applied);
    }
    finish(model, sim);
}

/* In the joint's axes on a: the axis is the last of them in space; in the plane x is the axis of a prismatic joint, and
 * a revolute joint has those of body a. */
static void reactions_in_the_axes_of_the_joint(void **state) {
    (void)state;
    CardanModel *model = scene_load("models/spatial_slider_crank.yaml");
    CardanOptions options = scene_tight(1e-9, 1e-10);
    CardanSim *sim = scene_start(model, &options);
    scene_advance(sim, 0.3);
    CardanChannel channel;
    double local[6];
    static const char *const joints[] = {"main", "guide", "cross"}; /* axis x on a, which is the ground or the slider */
    for (int i = 0; i < 3; i++) {
        char name[64];
        snprintf(name, sizeof name, "%s.reaction_local", joints[i]);
        assert_true(cardan_model_find_channel(model, name, &channel, NULL, 0) >= 0);
        assert_int_equal(channel.width, 6);
        assert_true(cardan_sim_sample(sim, cardan_sim_time(sim), 1, &channel, local) >= 0);
        CardanWrench r = scene_reaction(sim, model, joints[i]);
        check_near(local[2], r.force.x, 1e-10, "force along the axis of '%s'", joints[i]);
        check_near(local[5], r.moment.x, 1e-10, "moment about the axis of '%s'", joints[i]);
        check_near(hypot(local[0], local[1]), hypot(r.force.y, r.force.z), 1e-10, "force across that of '%s'",
                   joints[i]);
        check_near(hypot(local[3], local[4]), hypot(r.moment.y, r.moment.z), 1e-10, "moment across that of '%s'",
                   joints[i]);
    }
    finish(model, sim);
    model = scene_load("models/double_pendulum.yaml");
    sim = scene_start(model, &options);
    scene_advance(sim, 0.4);
    assert_true(cardan_model_find_channel(model, "elbow.reaction_local", &channel, NULL, 0) >= 0);
    assert_true(cardan_sim_sample(sim, cardan_sim_time(sim), 1, &channel, local) >= 0);
    CardanWrench r = scene_reaction(sim, model, "elbow");
    double angle = scene_body(sim, model, "upper").angle;
    check_near(local[0], cos(angle) * r.force.x + sin(angle) * r.force.y, 1e-12, "force along the upper link");
    check_near(local[1], cos(angle) * r.force.y - sin(angle) * r.force.x, 1e-12, "force across the upper link");
    finish(model, sim);
}

/* ---- between steps ---- */

/* Dense output of DOP853 is of order 7: across steps of a tenth of a second it follows the pendulum A01 to a small
 * multiple of the tolerance, on the constraints to one of it, and looking changes nothing. */
static void what_is_sampled_between_steps_is_as_good_as_the_steps(void **state) {
    (void)state;
    CardanModel *model = scene_load("models/pendulum.yaml");
    CardanOptions options = scene_tight(1e-9, 1e-9), exact = scene_tight(1e-13, 1e-14);
    CardanSim *sim = scene_start(model, &options), *blind = scene_start(model, &options),
              *fine = scene_start(model, &exact);
    CardanChannel channels[4];
    static const char *const names[] = {"ball.x", "ball.vy", "bar.length", "bar.reaction"};
    for (int i = 0; i < 4; i++) assert_true(cardan_model_find_channel(model, names[i], &channels[i], NULL, 0) >= 0);
    double worst[4] = {0}, longest = 0.0;
    for (double t = 0.0137; t < 4.0; t += 0.0137) {
        double values[6];
        while (cardan_sim_time(sim) < t) {
            assert_true(cardan_sim_step(sim, 5.0) >= 0);
            longest = fmax(longest, cardan_sim_last_step(sim));
        }
        assert_true(cardan_sim_sample(sim, t, 4, channels, values) >= 0);
        scene_advance(fine, t);
        CardanBodyState s = scene_body(fine, model, "ball");
        CardanWrench r = scene_reaction(fine, model, "bar");
        worst[0] = fmax(worst[0], fabs(values[0] - s.position.x));
        worst[1] = fmax(worst[1], fabs(values[1] - s.velocity.y));
        worst[2] = fmax(worst[2], fabs(values[2] - 1.0));
        worst[3] = fmax(worst[3], hypot(values[3] - r.force.x, values[4] - r.force.y));
    }
    assert_true(longest > 0.05); /* steps are much longer than the samples' distance */
    check_between(worst[0], 0.0, 1e-7, "x between steps");
    check_between(worst[1], 0.0, 1e-6, "vy between steps");
    check_between(worst[2], 0.0, 1e-9 + 1e-9 * 1.0, "length of the bar between steps"); /* atol + rtol times 1 m */
    check_between(worst[3], 0.0, 1e-5, "reaction between steps");
    scene_advance(sim, 5.0);
    while (cardan_sim_time(blind) < 5.0) assert_true(cardan_sim_step(blind, 5.0) >= 0);
    assert_true(cardan_sim_positions(sim)[0] == cardan_sim_positions(blind)[0]);
    assert_true(cardan_sim_velocities(sim)[1] == cardan_sim_velocities(blind)[1]);
    cardan_sim_destroy(blind);
    cardan_sim_destroy(fine);
    finish(model, sim);
}

/* ---- next to a singular pose ---- */

enum { NEAR = 200, NEAR_COLUMNS = 7 }; /* rows around the pose; slider.ax, reactions of wrist and main */

/* Rows of 2e-5 s about the first pose of the slider-crank with equal lengths. */
static void sample_near_pose(CardanModel *model, CardanSim *sim, double row[][NEAR_COLUMNS]) {
    static const char *const names[] = {"slider.ax", "wrist.reaction", "main.reaction"};
    CardanChannel channels[3];
    char message[128];
    for (int i = 0; i < 3; i++)
        assert_true(cardan_model_find_channel(model, names[i], &channels[i], message, sizeof message) >= 0);
    assert_true(channels[1].width == 3 && channels[2].width == 3);
    for (int i = 0; i < NEAR; i++) {
        double t = 0.985917653 + 2e-5 * (i - NEAR / 2 + 0.5); /* in the pose itself they are not unique */
        while (cardan_sim_time(sim) < t) assert_true(cardan_sim_step(sim, 2.0) >= 0);
        assert_true(cardan_sim_sample(sim, t, 3, channels, row[i]) >= 0);
    }
}

/* Along its guide nothing but the wrist acts on the slider of 1 kg; and all that a pose makes of reactions is smooth.
 */
static void reactions_next_to_a_pose_are_those_of_the_motion_there(void **state) {
    (void)state;
    CardanModel *model = scene_load("models/equal_slider_crank.yaml");
    CardanOptions options = cardan_model_options(model);
    options.coordinates = CARDAN_COORDINATES_ABSOLUTE;
    CardanSim *sim = scene_start(model, &options);
    double row[NEAR][NEAR_COLUMNS], off = 0.0, bent = 0.0;
    sample_near_pose(model, sim, row);
    for (int i = 0; i < NEAR; i++) off = fmax(off, fabs(row[i][0] - row[i][1]));
    for (int i = 1; i < NEAR - 1; i++)
        for (int k = 1; k < NEAR_COLUMNS; k++) bent = fmax(bent, fabs(row[i - 1][k] - 2.0 * row[i][k] + row[i + 1][k]));
    check_between(off, 0.0, 1e-8, "m a - F of the slider"); /* of 5 N */
    check_between(bent, 0.0, 1e-6, "second differences of reactions");
    finish(model, sim);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pin_of_a_swinging_rod),
        cmocka_unit_test(a_weld_carries_a_weight),
        cmocka_unit_test(tension_of_a_bar),
        cmocka_unit_test(slider_crank_in_balance),
        cmocka_unit_test(slider_crank_obeys_newton_with_its_reactions),
        cmocka_unit_test(spatial_slider_crank_obeys_newton_and_euler_with_its_reactions),
        cmocka_unit_test(reactions_in_the_axes_of_the_joint),
        cmocka_unit_test(what_is_sampled_between_steps_is_as_good_as_the_steps),
        cmocka_unit_test(reactions_next_to_a_pose_are_those_of_the_motion_there),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
