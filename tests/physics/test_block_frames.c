/* Frames of custom blocks carry all that bodies carry: an arm of one angle that offers its centre as a frame, against
 * the same arm as a body on a hinge, with every kind of joint and load on it in turn. Both runs make errors of their
 * tolerance, 1e-11 a step. */
#include "core/rotation.h"
#include "support/check.h"
#include "support/defaulted.h"
#include "support/scene.h"

static const double G = 9.81, HALF = 0.5;

/* Uniform rod of 1 m and 2 kg about the z axis through the origin; the frame is its centre. */
static CardanStatus arm_mass(void *user, double t, const double *q, double *m) {
    (void)user, (void)t, (void)q;
    m[0] = 2.0 / 3.0;
    return CARDAN_OK;
}

static CardanStatus arm_force(void *user, double t, const double *q, const double *v, const double *inputs, double *f) {
    (void)user, (void)t, (void)v, (void)inputs;
    f[0] = -2.0 * G * HALF * cos(q[0]);
    return CARDAN_OK;
}

static double arm_potential(void *user, double t, const double *q) {
    (void)user, (void)t;
    return 2.0 * G * HALF * sin(q[0]);
}

static CardanStatus arm_frame(void *user, int k, double t, const double *q, const double *v, CardanFrame *frame,
                              double *jacobian, double *bias) {
    (void)user, (void)k, (void)t;
    CrdMat turn = crd_matrix_about_z(q[0]);
    CrdVec out = crd_apply(turn.m, crd_vec(HALF, 0, 0)), across = crd_cross(crd_vec(0, 0, 1), out);
    memcpy(frame->rotation, turn.m, sizeof frame->rotation);
    frame->angle = q[0];
    frame->x = out;
    frame->v = crd_scale(v[0], across);
    frame->w = crd_vec(0, 0, v[0]);
    crd_put(jacobian, across);
    jacobian[5] = 1.0;
    crd_put(bias, crd_scale(-v[0] * v[0], out));
    return CARDAN_OK;
}

/* What one case adds; link: a body at (1.5, 0), or 0.3 lower to roll along the arm. */
typedef void (*Attach)(CardanBuilder *b, CardanSpace space, CardanBody arm, CardanBody link);
static void rolling(CardanBuilder *b, CardanSpace space, CardanBody arm, CardanBody link);

static CardanBuilder *build(CardanSpace space, bool by_block, Attach attach) {
    static const double start_rate[] = {0.8};
    CardanBuilder *b = cardan_builder_create(space);
    CardanBody arm;
    cardan_builder_set_gravity(b, crd_vec(0, -G, 0));
    if (by_block) {
        CardanBlock block = cardan_builder_add_block(
            b, &(CardanBlockDef){DEFAULTED, .name = "rod", .coordinates = 1, .v0 = start_rate, .frames = 1,
                                 .mass = arm_mass, .force = arm_force, .frame = arm_frame, .potential = arm_potential});
        arm = cardan_builder_block_frame(b, block, 0);
    } else {
        arm = cardan_builder_add_body(b, &(CardanBodyDef){DEFAULTED, .name = "rod", .mass = 2.0,
                                                          .inertia = {.xx = 0.1, .yy = 2.0 / 12.0, .zz = 2.0 / 12.0},
                                                          .pose.p = {HALF, 0, 0}, .velocity = {0, 0.8 * HALF, 0},
                                                          .angular_velocity = {0, 0, 0.8}});
        cardan_builder_add_joint(b, &(CardanJointDef){DEFAULTED, .name = "hinge", .type = CARDAN_JOINT_REVOLUTE,
                                                      .b = arm, .axis = {0, 0, 1}});
    }
    CardanBody link = cardan_builder_add_body(b, &(CardanBodyDef){DEFAULTED, .name = "link", .mass = 1.0,
                                                                  .inertia = {.xx = 0.02, .yy = 0.09, .zz = 0.1},
                                                                  .pose.p = {1.5, attach == rolling ? -0.3 : 0.0, 0}});
    attach(b, space, arm, link);
    cardan_builder_set_start(b, CARDAN_START_KEEP, CARDAN_START_PROJECT);
    return b;
}

/* ---- joints ---- */

static CardanJointDef elbow_of(CardanJointType type, CardanBody arm, CardanBody link) {
    return (CardanJointDef){DEFAULTED, .name = "elbow",    .type = type,     .a = arm,
                            .b = link, .point = {1, 0, 0}, .axis = {0, 0, 1}};
}

static CardanJoint add_elbow(CardanBuilder *b, CardanSpace space, CardanBody arm, CardanBody link) {
    CardanJointDef def = elbow_of(CARDAN_JOINT_REVOLUTE, arm, link);
    if (space == CARDAN_SPACE_SPATIAL) def.axis = crd_vec(0, 0.6, 0.8);
    return cardan_builder_add_joint(b, &def);
}

static void weld(CardanBuilder *b, CardanSpace space, CardanBody arm, CardanBody link) {
    CardanJointDef def = elbow_of(CARDAN_JOINT_WELD, arm, link);
    (void)space;
    def.axis = crd_vec(0, 0, 0);
    cardan_builder_add_joint(b, &def);
}

static void prismatic(CardanBuilder *b, CardanSpace space, CardanBody arm, CardanBody link) {
    CardanJointDef def = elbow_of(CARDAN_JOINT_PRISMATIC, link, arm); /* the frame may be either side */
    (void)space;
    def.axis = crd_vec(0.6, 0.8, 0);
    cardan_builder_add_joint(b, &def);
}

static void distance(CardanBuilder *b, CardanSpace space, CardanBody arm, CardanBody link) {
    (void)space;
    cardan_builder_add_joint(b, &(CardanJointDef){DEFAULTED, .name = "bar", .type = CARDAN_JOINT_DISTANCE, .a = arm,
                                                  .b = link, .local = CARDAN_LOCAL_POINT_A | CARDAN_LOCAL_POINT_B,
                                                  .local_a = {0.4, 0.1, 0}, .local_b = {-0.2, 0, 0}});
}

static void compliant(CardanBuilder *b, CardanSpace space, CardanBody arm, CardanBody link) {
    CardanJointDef def = elbow_of(CARDAN_JOINT_REVOLUTE, arm, link);
    (void)space;
    def.compliant = true;
    def.stiffness[0] = 500.0;
    def.stiffness[1] = 50.0;
    def.damping[0] = 5.0;
    def.damping[1] = 0.5;
    cardan_builder_add_joint(b, &def);
}

static void spherical(CardanBuilder *b, CardanSpace space, CardanBody arm, CardanBody link) {
    CardanJointDef def =
        elbow_of(space == CARDAN_SPACE_SPATIAL ? CARDAN_JOINT_SPHERICAL : CARDAN_JOINT_REVOLUTE, arm, link);
    cardan_builder_add_joint(b, &def);
}

static void driver(CardanBuilder *b, CardanSpace space, CardanBody arm, CardanBody link) {
    CardanJoint elbow = add_elbow(b, space, arm, link);
    cardan_builder_add_joint(b, &(CardanJointDef){DEFAULTED, .name = "drive", .type = CARDAN_JOINT_DRIVER,
                                                  .joint = elbow, .law = "0.5*sin(3*t)"});
}

static void rolling(CardanBuilder *b, CardanSpace space, CardanBody arm, CardanBody link) {
    (void)space;
    cardan_builder_add_joint(b,
                             &(CardanJointDef){DEFAULTED, .name = "roll", /* the link rolls along the arm, below it */
                                               .type = CARDAN_JOINT_ROLLING, .a = arm, .b = link, .point = {0, 0, 0},
                                               .normal = {0, -1, 0}, .radius = 0.3, .axis = {0, 0, 1}});
}

/* ---- loads ---- */

static void add_force(CardanBuilder *b, CardanForceDef def) {
    def.name = "load";
    cardan_builder_add_force(b, &def);
}

static void spring(CardanBuilder *b, CardanSpace space, CardanBody arm, CardanBody link) {
    (void)space;
    add_force(b, (CardanForceDef){DEFAULTED, .type = CARDAN_FORCE_SPRING, .a = arm, .b = link, .point_a = {0.3, 0.1, 0},
                                  .stiffness = 80.0, .damping = 2.0, .length = 0.6, .length_given = true});
}

static void bushing(CardanBuilder *b, CardanSpace space, CardanBody arm, CardanBody link) {
    (void)space;
    add_force(b, (CardanForceDef){DEFAULTED, .type = CARDAN_FORCE_BUSHING, .a = arm, .b = link, .point = {1, 0, 0},
                                  .bushing_stiffness = {300, 200, 100, 20, 30, 40},
                                  .bushing_damping = {3, 2, 1, 0.2, 0.3, 0.4}});
}

static void force(CardanBuilder *b, CardanSpace space, CardanBody arm, CardanBody link) {
    add_elbow(b, space, arm, link);
    add_force(b, (CardanForceDef){DEFAULTED, .type = CARDAN_FORCE_AT_POINT, .body = arm, .point = {0.2, 0.1, 0},
                                  .follower = true, .law = {"3*sin(5*t)", "2"}});
}

static void torque(CardanBuilder *b, CardanSpace space, CardanBody arm, CardanBody link) {
    add_elbow(b, space, arm, link);
    add_force(b, (CardanForceDef){DEFAULTED, .type = CARDAN_FORCE_TORQUE, .body = arm, .value = {0, 0, 4}});
}

static void drag(CardanBuilder *b, CardanSpace space, CardanBody arm, CardanBody link) {
    add_elbow(b, space, arm, link);
    add_force(b, (CardanForceDef){DEFAULTED, .type = CARDAN_FORCE_DRAG, .body = arm, .point = {0.5, 0, 0},
                                  .coefficient = 0.7});
}

static void contact(CardanBuilder *b, CardanSpace space, CardanBody arm, CardanBody link) {
    add_elbow(b, space, arm, link);
    add_force(b, (CardanForceDef){DEFAULTED, .type = CARDAN_FORCE_CONTACT, .body = arm, .point = {0.5, 0, 0},
                                  .radius = 0.1, .plane_point = {0, -0.4, 0}, .plane_normal = {0, 1, 0},
                                  .stiffness = 2e3, .dissipation = 0.5, .friction = 0.3, .speed = 0.05});
}

static void on_joint(CardanBuilder *b, CardanSpace space, CardanBody arm, CardanBody link, CardanForceDef def) {
    def.joint = add_elbow(b, space, arm, link);
    add_force(b, def);
}

static void torsion(CardanBuilder *b, CardanSpace space, CardanBody arm, CardanBody link) {
    on_joint(
        b, space, arm, link,
        (CardanForceDef){DEFAULTED, .type = CARDAN_FORCE_TORSION, .stiffness = 20.0, .damping = 0.3, .angle = 0.2});
}

static void motor(CardanBuilder *b, CardanSpace space, CardanBody arm, CardanBody link) {
    on_joint(b, space, arm, link,
             (CardanForceDef){DEFAULTED, .type = CARDAN_FORCE_MOTOR, .gains = {40.0, 4.0}, .law = {"0.4*sin(2*t)"}});
}

static void friction(CardanBuilder *b, CardanSpace space, CardanBody arm, CardanBody link) {
    on_joint(b, space, arm, link,
             (CardanForceDef){DEFAULTED, .type = CARDAN_FORCE_FRICTION, .coulomb = 0.5, .stick = 0.7, .viscous = 0.1,
                              .speed = 0.1});
}

static void limit(CardanBuilder *b, CardanSpace space, CardanBody arm, CardanBody link) {
    on_joint(b, space, arm, link,
             (CardanForceDef){DEFAULTED, .type = CARDAN_FORCE_LIMIT, .range = {-0.1, 0.1}, .stiffness = 300.0,
                              .damping = 3.0});
}

static void measured(CardanBuilder *b, CardanSpace space, CardanBody arm, CardanBody link) {
    on_joint(b, space, arm, link,
             (CardanForceDef){DEFAULTED, .type = CARDAN_FORCE_TORQUE, .law = {"-2*elbow.rate - elbow.angle"}});
}

/* ---- the comparison ---- */

static const struct {
    const char *name;
    Attach attach;
} CASES[] = {
    {"weld", weld},           {"prismatic", prismatic}, {"distance", distance}, {"compliant", compliant},
    {"spherical", spherical}, {"driver", driver},       {"rolling", rolling},   {"spring", spring},
    {"bushing", bushing},     {"force", force},         {"torque", torque},     {"drag", drag},
    {"contact", contact},     {"torsion", torsion},     {"motor", motor},       {"friction", friction},
    {"limit", limit},         {"measured", measured},
};

static void compare(const char *name, CardanSpace space, Attach attach, CardanStabiliseForm form) {
    CardanOptions options = scene_tight(1e-11, 1e-12);
    options.stabilise.form = form;
    CardanModel *block = scene_compile(build(space, true, attach)), *body = scene_compile(build(space, false, attach));
    CardanSim *x = scene_start(block, &options), *y = scene_start(body, &options);
    for (int i = 1; i <= 3; i++) {
        scene_advance(x, 0.2 * i);
        scene_advance(y, 0.2 * i);
        CardanBodyState p = scene_body(x, block, "link"), q = scene_body(y, body, "link");
        check_near(crd_norm(crd_sub(p.position, q.position)), 0.0, 1e-8, "%s, space %d: place", name, space);
        check_near(crd_norm(crd_sub(p.velocity, q.velocity)), 0.0, 1e-7, "%s, space %d: velocity", name, space);
        check_near(crd_norm(crd_sub(p.angular_velocity, q.angular_velocity)), 0.0, 1e-7, "%s, space %d: spin", name,
                   space);
        assert_true(cardan_sim_body(x, (CardanBody){1}, &p) >= 0); /* handles go by the order of adding */
        q = scene_body(y, body, "rod");
        check_near(crd_norm(crd_sub(p.position, q.position)), 0.0, 1e-8, "%s, space %d: the frame", name, space);
        check_near(crd_norm(crd_sub(p.velocity, q.velocity)), 0.0, 1e-7, "%s, space %d: its velocity", name, space);
        CardanEnergy e = scene_energy(x), f = scene_energy(y);
        check_near(e.total - e.work, f.total - f.work, 1e-7, "%s, space %d: energy less work", name, space);
        check_between(e.drift_max, 0.0, 1e-7, name);
    }
    cardan_sim_destroy(x);
    cardan_sim_destroy(y);
    cardan_model_release(block);
    cardan_model_release(body);
}

static void frames_of_blocks_carry_joints_and_loads_as_bodies_do(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++)
        for (int space = 0; space < 2; space++)
            compare(CASES[i].name, (CardanSpace)space, CASES[i].attach, CARDAN_STABILISE_FORM_BLOCK);
}

static void the_full_form_works_on_frames_of_blocks(void **state) {
    (void)state;
    for (int space = 0; space < 2; space++) {
        compare("spherical", (CardanSpace)space, spherical, CARDAN_STABILISE_FORM_FULL);
        compare("driver", (CardanSpace)space, driver, CARDAN_STABILISE_FORM_FULL);
        compare("distance", (CardanSpace)space, distance, CARDAN_STABILISE_FORM_FULL);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(frames_of_blocks_carry_joints_and_loads_as_bodies_do),
        cmocka_unit_test(the_full_form_works_on_frames_of_blocks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
