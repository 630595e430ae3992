/* Coordinates and rows of the user's own: the same mechanisms as with bodies and joints, and a rolling blade with a
 * closed form. Both runs make errors of their tolerance, 1e-12 a step, so they agree to about 1e-9. */
#include "core/rotation.h"
#include "mechanisms.h"
#include "support/check.h"
#include "support/defaulted.h"
#include "support/reading.h"
#include "support/scene.h"

static const double G = 9.81;

static void finish(CardanModel *model, CardanSim *sim) {
    cardan_sim_destroy(sim);
    cardan_model_release(model);
}

static CardanOptions tight(void) {
    return scene_tight(1e-12, 1e-13);
}

/* ---- an arm of one angle that offers its tip ---- */

/* Uniform rod of 1 m and 1 kg about the origin, angle phi from x in its plane, which may be turned in space. */
typedef struct Arm {
    CrdMat plane;
} Arm;

static CardanStatus arm_mass(void *user, double t, const double *q, double *m) {
    (void)user, (void)t, (void)q;
    m[0] = 1.0 / 3.0;
    return CARDAN_OK;
}

static CrdVec arm_weight(const Arm *arm) {
    return crd_apply_t(arm->plane.m, crd_vec(0.0, -G, 0.0)); /* in the axes of its plane */
}

static CardanStatus arm_force(void *user, double t, const double *q, const double *v, const double *inputs, double *f) {
    (void)t, (void)v, (void)inputs;
    CrdVec g = arm_weight(user);
    f[0] = 0.5 * (-sin(q[0]) * g.x + cos(q[0]) * g.y);
    return CARDAN_OK;
}

static double arm_potential(void *user, double t, const double *q) {
    (void)t;
    CrdVec g = arm_weight(user);
    return -0.5 * (cos(q[0]) * g.x + sin(q[0]) * g.y);
}

static CardanStatus arm_frame(void *user, int k, double t, const double *q, const double *v, CardanFrame *frame,
                              double *jacobian, double *bias) {
    (void)k, (void)t;
    const Arm *arm = user;
    CrdMat turn = crd_matrix_about_z(q[0]), r = crd_mul(arm->plane.m, turn.m);
    CrdVec along = crd_apply(r.m, crd_vec(1, 0, 0)), across = crd_apply(r.m, crd_vec(0, 1, 0));
    memcpy(frame->rotation, r.m, sizeof frame->rotation);
    frame->angle = q[0];
    frame->x = along; /* its tip, 1 m out */
    frame->v = crd_scale(v[0], across);
    frame->w = crd_vec(0, 0, v[0]);
    crd_put(jacobian, across);
    jacobian[5] = 1.0;
    crd_put(bias, crd_scale(-v[0] * v[0], along));
    return CARDAN_OK;
}

static const CardanInertia BAR = {.xx = 0.002, .yy = 0.085, .zz = 0.085};

/* The second link hangs from the arm's tip, on a hinge that in space is tilted out of the plane's normal. */
static CardanBuilder *with_arm(CardanSpace space, Arm *arm) {
    CardanBuilder *b = cardan_builder_create(space);
    cardan_builder_set_gravity(b, (CardanVec3){0.0, -G, 0.0});
    CardanBlock block = cardan_builder_add_block(
        b, &(CardanBlockDef){DEFAULTED, .name = "arm", .coordinates = 1, .frames = 1, .user = arm, .mass = arm_mass,
                             .force = arm_force, .frame = arm_frame, .potential = arm_potential});
    CardanQuat q = crd_quat_of_matrix(arm->plane.m);
    CardanBody link = cardan_builder_add_body(
        b, &(CardanBodyDef){DEFAULTED, .name = "lower", .mass = 1.0,
                            .inertia = space == CARDAN_SPACE_PLANAR ? (CardanInertia){.zz = 1.0 / 12.0} : BAR,
                            .pose = {.p = crd_apply(arm->plane.m, crd_vec(1.5, 0, 0)),
                                     .q = space == CARDAN_SPACE_SPATIAL ? q : (CardanQuat){0}}});
    cardan_builder_add_joint(b, &(CardanJointDef){DEFAULTED, .name = "elbow", .type = CARDAN_JOINT_REVOLUTE,
                                                  .a = cardan_builder_block_frame(b, block, 0), .b = link,
                                                  .point = crd_apply(arm->plane.m, crd_vec(1, 0, 0)),
                                                  .axis = space == CARDAN_SPACE_PLANAR
                                                              ? crd_vec(0, 0, 1)
                                                              : crd_apply(arm->plane.m, crd_vec(0.0, 0.6, 0.8))});
    return b;
}

/* The same with a body for the arm: a thin rod whose only moving inertia is about its hinge. */
static CardanBuilder *with_bodies(const Arm *arm) {
    CardanBuilder *b = cardan_builder_create(CARDAN_SPACE_SPATIAL);
    cardan_builder_set_gravity(b, (CardanVec3){0.0, -G, 0.0});
    CardanQuat q = crd_quat_of_matrix(arm->plane.m);
    CardanBody upper = cardan_builder_add_body(
        b, &(CardanBodyDef){DEFAULTED, .name = "upper", .mass = 1.0,
                            .inertia = {.xx = 0.01, .yy = 1.0 / 12.0, .zz = 1.0 / 12.0},
                            .pose = {.p = crd_apply(arm->plane.m, crd_vec(0.5, 0, 0)), .q = q}});
    CardanBody lower = cardan_builder_add_body(
        b, &(CardanBodyDef){DEFAULTED, .name = "lower", .mass = 1.0, .inertia = BAR,
                            .pose = {.p = crd_apply(arm->plane.m, crd_vec(1.5, 0, 0)), .q = q}});
    cardan_builder_add_joint(b, &(CardanJointDef){DEFAULTED, .name = "shoulder", .type = CARDAN_JOINT_REVOLUTE,
                                                  .b = upper, .axis = crd_apply(arm->plane.m, crd_vec(0, 0, 1))});
    cardan_builder_add_joint(b, &(CardanJointDef){DEFAULTED, .name = "elbow", .type = CARDAN_JOINT_REVOLUTE, .a = upper,
                                                  .b = lower, .point = crd_apply(arm->plane.m, crd_vec(1, 0, 0)),
                                                  .axis = crd_apply(arm->plane.m, crd_vec(0.0, 0.6, 0.8))});
    return b;
}

static void compare(CardanModel *one, CardanModel *other, const char *body, const char *other_body, double end) {
    CardanOptions options = tight();
    CardanSim *x = scene_start(one, &options), *y = scene_start(other, &options);
    double rate_x, rate_y;
    for (int i = 1; i <= 4; i++) {
        scene_advance(x, 0.25 * i * end);
        scene_advance(y, 0.25 * i * end);
        CardanBodyState p = scene_body(x, one, body), q = scene_body(y, other, other_body);
        check_near(crd_norm(crd_sub(p.position, q.position)), 0.0, 1e-9, "place at %g", 0.25 * i * end);
        check_near(crd_norm(crd_sub(p.velocity, q.velocity)), 0.0, 1e-8, "velocity at %g", 0.25 * i * end);
        check_near(crd_norm(crd_sub(p.angular_velocity, q.angular_velocity)), 0.0, 1e-8, "spin at %g", 0.25 * i * end);
        CardanJoint elbow_x = cardan_model_find_joint(one, "elbow"), elbow_y = cardan_model_find_joint(other, "j1");
        if (elbow_y.index == CARDAN_INVALID) elbow_y = cardan_model_find_joint(other, "elbow");
        CardanWrench r = reaction_of(x, elbow_x), s = reaction_of(y, elbow_y);
        check_near(crd_norm(crd_sub(r.force, s.force)), 0.0, 1e-7, "reaction at %g", 0.25 * i * end);
        check_near(crd_norm(crd_sub(r.moment, s.moment)), 0.0, 1e-7, "moment at %g", 0.25 * i * end);
        double angle_x, angle_y;
        assert_true(cardan_sim_joint(x, elbow_x, &angle_x, &rate_x) >= 0);
        assert_true(cardan_sim_joint(y, elbow_y, &angle_y, &rate_y) >= 0);
        check_near(angle_x, angle_y, 1e-9, "elbow's angle at %g", 0.25 * i * end);
        check_near(rate_x, rate_y, 1e-8, "elbow's rate at %g", 0.25 * i * end);
        CardanEnergy e = scene_energy(x), f = scene_energy(y);
        check_near(e.kinetic, f.kinetic, 1e-8, "kinetic energy at %g", 0.25 * i * end);
        check_near(e.potential, f.potential, 1e-8, "potential energy at %g", 0.25 * i * end);
    }
    finish(one, x);
    finish(other, y);
}

static void an_arm_of_one_angle_makes_the_double_pendulum(void **state) {
    (void)state;
    Arm arm = {crd_identity()};
    CardanModel *model = scene_compile(with_arm(CARDAN_SPACE_PLANAR, &arm));
    CardanSizes sizes = cardan_model_sizes(model);
    assert_int_equal(sizes.velocities, 4);
    assert_int_equal(sizes.rows, 2);
    compare(model, scene_compile(mechanism_chain(CARDAN_SPACE_PLANAR, 2)), "lower", "l1", 1.0);
}

static void an_arm_of_one_angle_carries_a_link_in_space(void **state) {
    (void)state;
    Arm arm = {crd_matrix_of(crd_quat_of(crd_vec(0.6, 0.3, -0.2)))};
    compare(scene_compile(with_arm(CARDAN_SPACE_SPATIAL, &arm)), scene_compile(with_bodies(&arm)), "lower", "lower",
            0.8);
}

/* ---- rows of the user's own ---- */

/* |x_b - x_a| = 1 between centres of mass, in the form (|d|^2 - 1) / 2. */
static CardanStatus bar(void *user, double t, const CardanFrame *f, double *g, CardanTwistRow *jacobian, double *rate,
                        double *gamma) {
    (void)t, (void)rate;
    ++*(int *)user;
    CrdVec d = crd_sub(f[1].x, f[0].x), v = crd_sub(f[1].v, f[0].v);
    g[0] = 0.5 * (crd_dot(d, d) - 1.0);
    crd_put(jacobian[0], crd_neg(d));
    crd_put(jacobian[1], d);
    gamma[0] = -crd_dot(v, v);
    return CARDAN_OK;
}

static CardanStatus bar_gradient(void *user, double t, const CardanFrame *f, CardanTwistRow *gradient) {
    (void)user, (void)t;
    CrdVec v = crd_sub(f[1].v, f[0].v);
    crd_put(gradient[0], crd_neg(v));
    crd_put(gradient[1], v);
    return CARDAN_OK;
}

/* Two masses on two bars in space, the second bar by rows or by a joint. */
static CardanBuilder *bars(bool by_rows, bool exact, int *calls) {
    CardanBuilder *b = cardan_builder_create(CARDAN_SPACE_SPATIAL);
    cardan_builder_set_gravity(b, (CardanVec3){0.0, 0.0, -G});
    CardanBody masses[2];
    static const char *const names[] = {"m0", "m1"};
    for (int i = 0; i < 2; i++)
        masses[i] = cardan_builder_add_body(b, &(CardanBodyDef){DEFAULTED, .name = names[i], .mass = 1.0 + i,
                                                                .particle = true, .pose.p = {i + 1.0, 0.0, 0.0},
                                                                .velocity = {0.0, 0.5 + i, 0.0}});
    unsigned centres = CARDAN_LOCAL_POINT_A | CARDAN_LOCAL_POINT_B;
    cardan_builder_add_joint(b, &(CardanJointDef){DEFAULTED, .name = "first", .type = CARDAN_JOINT_DISTANCE,
                                                  .b = masses[0], .local = centres});
    if (by_rows)
        cardan_builder_add_rows(b, &(CardanRowsDef){DEFAULTED, .name = "second", .rows = 1, .bodies = 2, .body = masses,
                                                    .user = calls, .evaluate = bar,
                                                    .gradient = exact ? bar_gradient : NULL});
    else
        cardan_builder_add_joint(b, &(CardanJointDef){DEFAULTED, .name = "second", .type = CARDAN_JOINT_DISTANCE,
                                                      .a = masses[0], .b = masses[1], .local = centres});
    return b;
}

static void rows_by_callback_make_a_distance_joint(void **state) {
    (void)state;
    for (int form = 0; form < 3; form++) { /* block; full with their gradient; full with a differenced one */
        int calls = 0;
        CardanModel *joint = scene_compile(bars(false, false, NULL));
        CardanModel *rows = scene_compile(bars(true, form == 1, &calls));
        CardanOptions options = tight();
        options.stabilise.form = form == 0 ? CARDAN_STABILISE_FORM_BLOCK : CARDAN_STABILISE_FORM_FULL;
        CardanSim *x = scene_start(joint, &options), *y = scene_start(rows, &options);
        for (int i = 1; i <= 4; i++) {
            scene_advance(x, 0.5 * i);
            scene_advance(y, 0.5 * i);
            CardanBodyState p = scene_body(x, joint, "m1"), q = scene_body(y, rows, "m1");
            check_near(crd_norm(crd_sub(p.position, q.position)), 0.0, 1e-9, "place at %g", 0.5 * i);
            CardanWrench r = scene_reaction(x, joint, "second"), s = scene_reaction(y, rows, "second");
            check_near(crd_norm(crd_sub(r.force, s.force)), 0.0, 1e-7, "pull at %g", 0.5 * i);
        }
        assert_true(calls > 0);
        CardanResidual residual = residual_of(y);
        check_between(residual.position_max, 0.0, 1e-13, "residual of the rows");
        finish(joint, x);
        finish(rows, y);
    }
}

/* ---- a blade on a slope: nonholonomic, with a closed form ---- */

/* The centre does not move along the body's y axis. */
static CardanStatus blade(void *user, double t, const CardanFrame *f, double *g, CardanTwistRow *jacobian, double *rate,
                          double *gamma) {
    (void)user, (void)t, (void)g, (void)rate;
    CrdVec e = crd_vec(f->rotation[1], f->rotation[4], 0.0), turning = crd_cross(crd_vec(0, 0, f->w.z), e);
    crd_put(jacobian[0], e);
    gamma[0] = -crd_dot(turning, f->v);
    return CARDAN_OK;
}

/* Released at rest on a slope g along x, turning with w: x = g / (2 w^2) sin^2(w t), y = g / (2 w^2) (w t - sin(2 w t)
 * / 2): it drifts across the slope on a cycloid and never gets down it. */
static void a_blade_on_a_slope_moves_on_a_cycloid(void **state) {
    (void)state;
    const double w = 1.7, slope = 3.0, k = 0.5 * slope / (w * w);
    CardanBuilder *b = cardan_builder_create(CARDAN_SPACE_PLANAR);
    cardan_builder_set_gravity(b, (CardanVec3){slope, 0.0, 0.0});
    CardanBody body = cardan_builder_add_body(
        b, &(CardanBodyDef){DEFAULTED, .name = "blade", .mass = 2.0, .inertia.zz = 0.3, .angular_velocity.z = w});
    cardan_builder_add_rows(b, &(CardanRowsDef){DEFAULTED, .name = "edge", .rows = 1, .bodies = 1, .body = &body,
                                                .nonholonomic = true, .evaluate = blade});
    CardanModel *model = scene_compile(b);
    CardanSizes sizes = cardan_model_sizes(model);
    assert_int_equal(sizes.rows - sizes.holonomic_rows, 1);
    CardanOptions options = tight();
    CardanSim *sim = scene_start(model, &options);
    for (int i = 1; i <= 10; i++) {
        double t = 0.9 * i;
        scene_advance(sim, t);
        CardanBodyState s = scene_body(sim, model, "blade");
        check_near(s.position.x, k * sin(w * t) * sin(w * t), 1e-10, "down the slope at %g s", t);
        check_near(s.position.y, k * (w * t - 0.5 * sin(2.0 * w * t)), 1e-10, "across the slope at %g s", t);
        /* the edge's force: m (v w + g sin(phi)) = 2 m g sin(w t) along the body's y */
        CardanWrench r = scene_reaction(sim, model, "edge");
        CrdVec e = crd_vec(-sin(w * t), cos(w * t), 0.0);
        check_near(crd_dot(r.force, e), 2.0 * 2.0 * slope * sin(w * t), 1e-8, "force of the edge at %g s", t);
    }
    CardanResidual residual = residual_of(sim);
    check_between(residual.velocity_max, 0.0, 1e-13, "slip");
    check_near(scene_energy(sim).drift_max, 0.0, 1e-9, "energy");
    finish(model, sim);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_arm_of_one_angle_makes_the_double_pendulum),
        cmocka_unit_test(an_arm_of_one_angle_carries_a_link_in_space),
        cmocka_unit_test(rows_by_callback_make_a_distance_joint),
        cmocka_unit_test(a_blade_on_a_slope_moves_on_a_cycloid),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
