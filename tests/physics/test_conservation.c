/* What must not change: momentum, energy, the count of turns, the view from a turned world; and what stabilisation
 * methods leave over a long run. */
#include "core/rotation.h"
#include "mechanisms.h"
#include "support/check.h"
#include "support/defaulted.h"
#include "support/reading.h"
#include "support/scene.h"

static void finish(CardanModel *model, CardanSim *sim) {
    cardan_sim_destroy(sim);
    cardan_model_release(model);
}

/* ---- momentum ---- */

static const CardanInertia TENSOR = {.xx = 0.8, .yy = 1.1, .zz = 1.5, .xy = 0.1, .xz = -0.05, .yz = 0.2};

static CrdVec times(const CardanInertia *j, CrdVec w) {
    return crd_vec(j->xx * w.x + j->xy * w.y + j->xz * w.z, j->xy * w.x + j->yy * w.y + j->yz * w.z,
                   j->xz * w.x + j->yz * w.y + j->zz * w.z);
}

/* Adds a body's momentum and its moment about the origin. */
static void add_momentum(const CardanBodyState *s, double mass, const CardanInertia *inertia, CrdVec *p, CrdVec *l) {
    CrdMat r = crd_matrix_of(crd_quat_normalised(s->quaternion));
    CrdVec own = times(inertia, crd_apply_t(r.m, s->angular_velocity));
    CrdVec push = crd_scale(mass, s->velocity);
    *p = crd_add(*p, push);
    *l = crd_add(*l, crd_add(crd_cross(s->position, push), crd_apply(r.m, own)));
}

static void a_free_rotor_keeps_its_angular_momentum(void **state) {
    (void)state;
    CardanBuilder *b = cardan_builder_create(CARDAN_SPACE_SPATIAL);
    cardan_builder_add_body(b, &(CardanBodyDef){DEFAULTED, .name = "rotor", .mass = 2.0, .inertia = TENSOR,
                                                .pose.q = {0.5, 0.5, -0.5, 0.5}, .velocity = {0.3, -0.2, 0.1},
                                                .body_rates = {2.0, -3.0, 1.0}});
    CardanModel *model = scene_compile(b);
    CardanOptions options = scene_tight(1e-12, 1e-13);
    CardanSim *sim = scene_start(model, &options);
    CrdVec p0 = {0}, l0 = {0}, p = {0}, l = {0};
    CardanBodyState s = scene_body(sim, model, "rotor");
    add_momentum(&s, 2.0, &TENSOR, &p0, &l0);
    scene_advance(sim, 20.0);
    s = scene_body(sim, model, "rotor");
    add_momentum(&s, 2.0, &TENSOR, &p, &l);
    /* some 10 turns, 1e-12 a step and a few hundred of them */
    check_near(crd_norm(crd_sub(l, l0)) / crd_norm(l0), 0.0, 1e-9, "change of angular momentum");
    check_near(crd_norm(crd_sub(p, p0)), 0.0, 1e-12, "change of momentum");
    check_near(scene_energy(sim).drift_max, 0.0, 1e-9, "change of energy"); /* of 15 J */
    check_near(crd_norm(crd_vec(s.quaternion.x, s.quaternion.y, s.quaternion.z)),
               sqrt(1.0 - s.quaternion.w * s.quaternion.w), 1e-14, "length of the quaternion");
    finish(model, sim);
}

/* Two bodies on a universal joint and a spring between them, floating: all forces are internal. */
static void internal_forces_change_no_momentum(void **state) {
    (void)state;
    CardanBuilder *b = cardan_builder_create(CARDAN_SPACE_SPATIAL);
    CardanBody one = cardan_builder_add_body(
        b, &(CardanBodyDef){DEFAULTED, .name = "one", .mass = 2.0, .inertia = TENSOR, .velocity = {0.0, 1.0, 0.0}});
    CardanBody two = cardan_builder_add_body(
        b, &(CardanBodyDef){DEFAULTED, .name = "two", .mass = 0.7, .inertia = TENSOR, .pose = {.p = {1.0, 0.2, 0.0}}});
    cardan_builder_add_joint(b, &(CardanJointDef){DEFAULTED, .name = "cross", .type = CARDAN_JOINT_UNIVERSAL, .a = one,
                                                  .b = two, .point = {0.5, 0.1, 0.0}, .axis = {0.0, 1.0, 0.0},
                                                  .axis2 = {0.0, 0.0, 1.0}});
    cardan_builder_add_force(b,
                             &(CardanForceDef){DEFAULTED, .name = "spring", .type = CARDAN_FORCE_SPRING, .a = one,
                                               .b = two, .point_a = {0.0, 0.0, 0.4}, .point_b = {0.0, 0.3, 0.4},
                                               .stiffness = 40.0, .damping = 0.5, .length = 0.3, .length_given = true});
    cardan_builder_set_start(b, CARDAN_START_DEFAULT, CARDAN_START_PROJECT);
    CardanModel *model = scene_compile(b);
    CardanOptions options = scene_tight(1e-11, 1e-12);
    CardanSim *sim = scene_start(model, &options);
    CrdVec p[2] = {{0}}, l[2] = {{0}};
    for (int k = 0; k < 2; k++) {
        CardanBodyState x = scene_body(sim, model, "one"), y = scene_body(sim, model, "two");
        add_momentum(&x, 2.0, &TENSOR, &p[k], &l[k]);
        add_momentum(&y, 0.7, &TENSOR, &p[k], &l[k]);
        scene_advance(sim, 5.0);
    }
    assert_true(scene_energy(sim).work < -0.1); /* the damper took something */
    check_near(crd_norm(crd_sub(p[1], p[0])), 0.0, 1e-9, "change of momentum");
    check_near(crd_norm(crd_sub(l[1], l[0])), 0.0, 1e-9, "change of angular momentum");
    finish(model, sim);
}

/* ---- energy ---- */

static double energy_drift(const CardanModel *model, double tolerance, double end) {
    CardanOptions options = scene_tight(tolerance, tolerance);
    CardanSim *sim = scene_start(model, &options);
    scene_advance(sim, end);
    double drift = scene_energy(sim).drift_max;
    cardan_sim_destroy(sim);
    return drift;
}

/* Error per step is held at the tolerance, so the drift falls with it, up to the count of steps (tolerance^(1/8)). */
static void energy_of_a_spatial_chain_is_kept_as_well_as_the_tolerance_asks(void **state) {
    (void)state;
    CardanBuilder *b = mechanism_chain(CARDAN_SPACE_SPATIAL, 5);
    cardan_builder_set_gravity(b, (CardanVec3){0.0, -9.81, 3.0});
    CardanModel *model = scene_compile(b);
    double loose = energy_drift(model, 1e-6, 2.0), middle = energy_drift(model, 1e-8, 2.0),
           tight = energy_drift(model, 1e-11, 2.0);
    check_between(loose, 1e-9, 1e-3, "drift at 1e-6"); /* J, of some hundred */
    assert_true(middle < loose / 20.0);
    assert_true(tight < middle / 100.0);
    check_between(tight, 0.0, 1e-8, "drift at 1e-11");
    cardan_model_release(model);
}

static const char MACHINE[] =
    "{cardan: 1, space: planar, gravity: [0, -9.81], inputs: {u: 1.5},\n"
    " bodies: {crank: {mass: 1, inertia: 0.01, position: [0.1, 0]}, rod: {mass: 2, inertia: 0.03, position: [0.4, "
    "0]},\n"
    "          slider: {mass: 0.5, inertia: 1e-3, position: [0.6, 0]}},\n"
    " joints: {main: {type: revolute, bodies: [ground, crank], point: [0, 0]},\n"
    "          pin: {type: revolute, bodies: [crank, rod], point: [0.2, 0]},\n"
    "          wrist: {type: revolute, bodies: [rod, slider], point: [0.6, 0]},\n"
    "          guide: {type: prismatic, bodies: [ground, slider], axis: [1, 0]}},\n"
    " forces: {motor: {type: torque, joint: main, value: 'u*cos(3*t) - 0.2*main.rate + 0.1*main.angle'},\n"
    "          wind: {type: force, body: rod, point: [0.1, 0], value: ['0.3*sin(t)', '-0.1*rod.vy']},\n"
    "          buffer: {type: spring, bodies: [ground, slider], points: [[1, 0], [0, 0]], stiffness: 30, damping: "
    "2}}}\n";

/* total - start - work = 0 with a motor law, a force law, a spring and a damper, all through one balance. */
static void work_balances_energy(void **state) {
    (void)state;
    CardanModel *model = scene_read(MACHINE);
    CardanOptions options = scene_tight(1e-11, 1e-12);
    CardanSim *sim = scene_start(model, &options);
    CardanEnergy before = scene_energy(sim);
    double most = 0.0;
    for (int i = 1; i <= 20; i++) {
        scene_advance(sim, 0.25 * i);
        most = fmax(most, fabs(scene_energy(sim).work));
    }
    CardanEnergy after = scene_energy(sim);
    assert_true(most > 0.1); /* there is something to balance */
    check_near(after.total - before.total, after.work, 1e-9, "change of energy against work");
    check_near(after.drift_max, 0.0, 1e-9, "largest imbalance");
    finish(model, sim);
    /* an input changed on the way is in the balance too */
    model = scene_read(MACHINE);
    sim = scene_start(model, &options);
    scene_advance(sim, 1.0);
    assert_true(cardan_sim_set_input(sim, cardan_model_find_input(model, "u"), -2.0) >= 0);
    scene_advance(sim, 2.0);
    CardanBody rod = cardan_model_find_body(model, "rod");
    assert_true(cardan_sim_apply_wrench(sim, rod, (CardanWrench){.force = {3.0, 5.0, 0.0}, .moment = {0, 0, 0.5}}) >=
                0);
    scene_advance(sim, 2.5);
    check_near(scene_energy(sim).drift_max, 0.0, 1e-9, "imbalance with inputs and wrenches from outside");
    finish(model, sim);
}

/* ---- turns ---- */

static CardanBuilder *wheel(double rate) {
    CardanBuilder *b = cardan_builder_create(CARDAN_SPACE_SPATIAL);
    CrdVec axis = crd_scale(1.0 / 3.0, crd_vec(1.0, 2.0, 2.0));
    CardanBody body = cardan_builder_add_body(
        b, &(CardanBodyDef){DEFAULTED, .name = "wheel", .mass = 1.0, .inertia = {.xx = 0.5, .yy = 0.5, .zz = 0.5},
                            .pose = {.p = {0.3, 0.0, 0.0}, .q = {0.6, 0.0, 0.8, 0.0}},
                            .angular_velocity = crd_scale(rate, axis)});
    cardan_builder_add_joint(b, &(CardanJointDef){DEFAULTED, .name = "hinge", .type = CARDAN_JOINT_REVOLUTE, .b = body,
                                                  .point = {0.3, 0.0, 0.0}, .axis = axis});
    return b;
}

/* 1591 turns in steps of three quarters of a turn: only a counter that is carried along can know. */
static void angles_in_space_are_counted_through_turns_with_large_steps(void **state) {
    (void)state;
    const double rate = -50.0, step = 0.1; /* 5 rad a step */
    CardanModel *model = scene_compile(wheel(rate));
    CardanOptions options = scene_fixed(CARDAN_STEPPER_DOP853, step);
    CardanSim *sim = scene_start(model, &options);
    double end = 200.0, seen_rate;
    scene_advance(sim, end);
    assert_int_equal(work_of(sim).steps, 2000);
    /* the quaternion's phase error of a step of 5 rad is 3e-4; a turn lost would be 6.28 */
    check_near(scene_coordinate(sim, model, "hinge", &seen_rate), rate * end, 1.0, "angle after 1591 turns");
    check_near(seen_rate, rate, 1e-6, "rate");
    cardan_sim_destroy(sim);
    options = scene_tight(1e-9, 1e-9);
    sim = scene_start(model, &options);
    scene_advance(sim, 20.0);
    check_near(scene_coordinate(sim, model, "hinge", NULL), rate * 20.0, 1e-6, "angle after 159 turns");
    finish(model, sim);
}

/* rate(t) = W e^(-c t) + m (1 - e^(-c t)) with torque c J (m - rate): turns forth, stops, turns back. */
static void angles_come_back_when_the_turning_reverses(void **state) {
    (void)state;
    const double start = 30.0, c = 0.8, m = -25.0, j = 0.5;
    CardanBuilder *b = wheel(start);
    cardan_builder_add_force(b, &(CardanForceDef){DEFAULTED, .name = "motor", .type = CARDAN_FORCE_TORQUE, .joint = {1},
                                                  .law = {"0.4*(-25 - hinge.rate)"}});
    assert_true(c * j == 0.4);
    CardanModel *model = scene_compile(b);
    CardanOptions options = scene_tight(1e-11, 1e-12);
    CardanSim *sim = scene_start(model, &options);
    for (int i = 1; i <= 10; i++) {
        double t = 0.7 * i, rate, fade = exp(-c * t);
        scene_advance(sim, t);
        double angle = scene_coordinate(sim, model, "hinge", &rate);
        check_near(angle, m * t + (start - m) * (1.0 - fade) / c, 1e-8, "angle at %g s", t);
        check_near(rate, m + (start - m) * fade, 1e-8, "rate at %g s", t);
    }
    finish(model, sim);
}

/* A law may use the counted angle: a coil spring wound by 33 rad, angle = (W / w) sin(w t), w^2 = 0.4 / 0.5. */
static void laws_see_angles_counted_through_turns(void **state) {
    (void)state;
    const double start = 30.0, w = sqrt(0.8);
    CardanBuilder *b = wheel(start);
    cardan_builder_add_force(b, &(CardanForceDef){DEFAULTED, .name = "coil", .type = CARDAN_FORCE_TORQUE, .joint = {1},
                                                  .law = {"-0.4*hinge.angle"}});
    CardanModel *model = scene_compile(b);
    CardanOptions options = scene_tight(1e-11, 1e-12);
    CardanSim *sim = scene_start(model, &options);
    for (int i = 1; i <= 8; i++) {
        double t = 0.9 * i;
        scene_advance(sim, t);
        check_near(scene_coordinate(sim, model, "hinge", NULL), start / w * sin(w * t), 1e-7, "angle at %g s", t);
    }
    finish(model, sim);
}

static void angles_in_the_plane_count_themselves(void **state) {
    (void)state;
    CardanBuilder *b = cardan_builder_create(CARDAN_SPACE_PLANAR);
    CardanBody body =
        cardan_builder_add_body(b, &(CardanBodyDef){DEFAULTED, .name = "wheel", .mass = 1.0, .inertia.zz = 0.5,
                                                    .pose.angle = 0.4, .angular_velocity.z = -50.0});
    cardan_builder_add_joint(b,
                             &(CardanJointDef){DEFAULTED, .name = "hinge", .type = CARDAN_JOINT_REVOLUTE, .b = body});
    CardanModel *model = scene_compile(b);
    CardanOptions options = scene_fixed(CARDAN_STEPPER_RK4, 0.5); /* 25 rad a step */
    CardanSim *sim = scene_start(model, &options);
    scene_advance(sim, 200.0);
    check_near(scene_coordinate(sim, model, "hinge", NULL), -10000.0, 1e-9, "angle");
    finish(model, sim);
}

/* ---- the world turned ---- */

static CardanBuilder *linkage(CardanQuat world) {
    CrdMat q = crd_matrix_of(world);
    CardanBuilder *b = cardan_builder_create(CARDAN_SPACE_SPATIAL);
    CardanBody last = {0};
    static const char *const names[] = {"b0", "b1", "b2"}, *const joints[] = {"j0", "j1", "j2"};
    static const CardanJointType types[] = {CARDAN_JOINT_UNIVERSAL, CARDAN_JOINT_REVOLUTE, CARDAN_JOINT_PRISMATIC};
    cardan_builder_set_gravity(b, crd_apply(q.m, crd_vec(0.0, 0.0, -9.81)));
    for (int i = 0; i < 3; i++) {
        CrdVec place = crd_vec(0.5 + i, 0.1 * i, -0.2 * i), spin = crd_vec(0.0, 0.0, 0.0);
        CardanBody body = cardan_builder_add_body(
            b, &(CardanBodyDef){DEFAULTED, .name = names[i], .mass = 1.0 + i, .inertia = TENSOR,
                                .pose = {.p = crd_apply(q.m, place), .q = world}, .angular_velocity = spin});
        cardan_builder_add_joint(
            b, &(CardanJointDef){DEFAULTED, .name = joints[i], .type = types[i], .a = last, .b = body,
                                 .point = crd_apply(q.m, crd_vec(i, 0.1 * i, -0.1 * i)),
                                 .axis = crd_apply(q.m, crd_vec(0.0, 1.0, 0.0)),
                                 .axis2 = crd_apply(q.m, i == 0 ? crd_vec(0.6, 0.0, 0.8) : crd_vec(0.0, 1.0, 0.0))});
        last = body;
    }
    cardan_builder_add_force(b, &(CardanForceDef){DEFAULTED, .name = "spring", .type = CARDAN_FORCE_SPRING, .a = {2},
                                                  .b = {3}, .stiffness = 50.0, .damping = 1.0});
    return b;
}

static void a_mechanism_moves_alike_in_a_turned_world(void **state) {
    (void)state;
    CardanQuat turn = crd_quat_of(crd_vec(1.1, -0.7, 2.0));
    CrdMat q = crd_matrix_of(turn);
    CardanModel *straight = scene_compile(linkage((CardanQuat){1, 0, 0, 0})), *turned = scene_compile(linkage(turn));
    CardanOptions options = scene_tight(1e-11, 1e-12);
    CardanSim *one = scene_start(straight, &options), *other = scene_start(turned, &options);
    scene_advance(one, 1.0);
    scene_advance(other, 1.0);
    for (int i = 1; i <= 3; i++) {
        CardanBodyState x, y;
        assert_true(cardan_sim_body(one, (CardanBody){i}, &x) >= 0 && cardan_sim_body(other, (CardanBody){i}, &y) >= 0);
        /* both runs make errors of 1e-11 a step */
        check_near(crd_norm(crd_sub(crd_apply(q.m, x.position), y.position)), 0.0, 1e-8, "place of body %d", i);
        check_near(crd_norm(crd_sub(crd_apply(q.m, x.angular_velocity), y.angular_velocity)), 0.0, 1e-7,
                   "spin of body %d", i);
        CardanWrench r = reaction_of(one, (CardanJoint){i}), s = reaction_of(other, (CardanJoint){i});
        check_near(crd_norm(crd_sub(crd_apply(q.m, r.force), s.force)), 0.0, 1e-6, "reaction of joint %d", i);
        check_near(crd_norm(crd_sub(crd_apply(q.m, r.moment), s.moment)), 0.0, 1e-6, "moment of joint %d", i);
    }
    finish(straight, one);
    finish(turned, other);
}

/* ---- methods of stabilisation ---- */

typedef struct Left {
    double half, whole; /* largest position residual over half and the whole of the time */
    double velocity;    /* largest velocity residual */
} Left;

static Left left_by(const CardanModel *model, CardanStabiliseMethod method) {
    CardanOptions options = scene_fixed(CARDAN_STEPPER_RK4, 0.01);
    options.rtol = options.atol = 1e-6;
    options.stabilise.method = method;
    options.stabilise.alpha = 20.0; /* critically damped: it fades in about 0.1 s */
    options.stabilise.beta = 100.0;
    CardanSim *sim = scene_start(model, &options);
    scene_advance(sim, 12.0);
    double half = residual_of(sim).position_max;
    scene_advance(sim, 24.0);
    CardanResidual residual = residual_of(sim);
    cardan_sim_destroy(sim);
    return (Left){half, residual.position_max, residual.velocity_max};
}

/* A chain of four links in space, 24 s of chaos in steps of 10 ms. */
static CardanModel *chaos(void) {
    CardanBuilder *b = mechanism_chain(CARDAN_SPACE_SPATIAL, 4);
    cardan_builder_set_gravity(b, (CardanVec3){0.0, -9.81, 3.0});
    return scene_compile(b);
}

static void without_stabilisation_the_state_drifts_and_goes_on_drifting(void **state) {
    (void)state;
    CardanModel *model = chaos();
    Left none = left_by(model, CARDAN_STABILISE_NONE);
    check_between(none.whole, 1e-3, 1.0, "positions");
    assert_true(none.whole > 1.7 * none.half);
    cardan_model_release(model);
}

static void baumgarte_bounds_the_drift(void **state) {
    (void)state;
    CardanModel *model = chaos();
    Left baumgarte = left_by(model, CARDAN_STABILISE_BAUMGARTE);
    check_between(baumgarte.whole, 1e-6, 2e-4, "positions"); /* the worst moment, not the sum of all */
    assert_true(baumgarte.whole < 3.0 * baumgarte.half);
    cardan_model_release(model);
}

/* Under a hundredth of atol + rtol size (3.5 m) and of atol + rtol speed (up to 30 rad/s). */
static void post_stabilisation_keeps_residuals_a_small_part_of_the_tolerance(void **state) {
    (void)state;
    CardanModel *model = chaos();
    Left post = left_by(model, CARDAN_STABILISE_POST);
    check_between(post.whole, 0.0, 0.01 * 4.5e-6, "positions");
    check_between(post.velocity, 0.0, 0.01 * 3.1e-5, "velocities");
    cardan_model_release(model);
}

/* 4 m and 30 rad/s, some tens of roundings. */
static void projection_keeps_residuals_at_rounding(void **state) {
    (void)state;
    CardanModel *model = chaos();
    Left project = left_by(model, CARDAN_STABILISE_PROJECT);
    check_between(project.whole, 0.0, 1e-13, "positions");
    check_between(project.velocity, 0.0, 1e-13, "velocities");
    cardan_model_release(model);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_free_rotor_keeps_its_angular_momentum),
        cmocka_unit_test(internal_forces_change_no_momentum),
        cmocka_unit_test(energy_of_a_spatial_chain_is_kept_as_well_as_the_tolerance_asks),
        cmocka_unit_test(work_balances_energy),
        cmocka_unit_test(angles_in_space_are_counted_through_turns_with_large_steps),
        cmocka_unit_test(angles_come_back_when_the_turning_reverses),
        cmocka_unit_test(laws_see_angles_counted_through_turns),
        cmocka_unit_test(angles_in_the_plane_count_themselves),
        cmocka_unit_test(a_mechanism_moves_alike_in_a_turned_world),
        cmocka_unit_test(without_stabilisation_the_state_drifts_and_goes_on_drifting),
        cmocka_unit_test(baumgarte_bounds_the_drift),
        cmocka_unit_test(post_stabilisation_keeps_residuals_a_small_part_of_the_tolerance),
        cmocka_unit_test(projection_keeps_residuals_at_rounding),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
