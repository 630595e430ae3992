/* A planar model with one of everything that a program can put into it: parameters and bindings, an input, bodies and
 * particles, joints, rows of its own (holonomic and not), a custom block with a row and a frame, every kind of force.
 *
 *     arm   hinged to the ground at the origin, length L, mass m, driven by a law with the input u
 *     bob   particle on a string of 0.5 from the arm's end
 *     cart  slides on y = -1 by two rows of the user's, pushed by a law
 *     skate knife edge: a nonholonomic row of the user's
 *     bead  block of two coordinates on the unit circle about (4, 0); its frame carries a string to the particle tail
 */
#ifndef TESTS_FAULT_RICH_MODEL_H
#define TESTS_FAULT_RICH_MODEL_H

#include "support/defaulted.h"
#include <cardan/cardan.h>
#include <math.h>

static double rich_stiffness = 3.0; /* user pointer of the callback force */
static double rich_bead_mass = 0.7; /* user pointer of the block */

static CardanStatus bead_mass(void *user, double t, const double *q, double *m) {
    (void)t, (void)q;
    m[0] = m[3] = *(const double *)user;
    return CARDAN_OK;
}

static CardanStatus bead_force(void *user, double t, const double *q, const double *v, const double *inputs,
                               double *f) {
    (void)t, (void)q;
    f[0] = -0.1 * v[0];
    f[1] = -0.1 * v[1] - 9.81 * *(const double *)user + 0.1 * inputs[0];
    return CARDAN_OK;
}

static CardanStatus bead_rows(void *user, double t, const double *q, const double *v, double *g, double *jacobian,
                              double *rate, double *gamma) {
    (void)user, (void)t, (void)rate;
    double x = q[0] - 4.0, y = q[1];
    g[0] = 0.5 * (x * x + y * y - 1.0);
    jacobian[0] = x;
    jacobian[1] = y;
    gamma[0] = -(v[0] * v[0] + v[1] * v[1]);
    return CARDAN_OK;
}

static CardanStatus bead_frame(void *user, int k, double t, const double *q, const double *v, CardanFrame *frame,
                               double *jacobian, double *bias) {
    (void)user, (void)k, (void)t, (void)bias;
    *frame = (CardanFrame){.x = {q[0], q[1], 0.0}, .v = {v[0], v[1], 0.0}, .rotation = {1, 0, 0, 0, 1, 0, 0, 0, 1}};
    jacobian[0] = 1.0; /* vx by the first coordinate, vy by the second */
    jacobian[2 + 1] = 1.0;
    return CARDAN_OK;
}

static CardanStatus cart_rows(void *user, double t, const CardanFrame *frames, double *g, CardanTwistRow *jacobian,
                              double *rate, double *gamma) {
    (void)user, (void)t, (void)rate, (void)gamma;
    g[0] = frames[0].x.y + 1.0;
    g[1] = frames[0].angle;
    jacobian[0][1] = 1.0;
    jacobian[1][5] = 1.0;
    return CARDAN_OK;
}

static CardanStatus skate_rows(void *user, double t, const CardanFrame *frames, double *g, CardanTwistRow *jacobian,
                               double *rate, double *gamma) {
    (void)user, (void)t, (void)g, (void)rate;
    double c = cos(frames[0].angle), s = sin(frames[0].angle);
    jacobian[0][0] = -s;
    jacobian[0][1] = c;
    gamma[0] = frames[0].w.z * (c * frames[0].v.x + s * frames[0].v.y);
    return CARDAN_OK;
}

static CardanStatus rich_pull(void *user, double t, const CardanFrame *frames, const double *inputs,
                              CardanWrench *wrench) {
    (void)t;
    double pull = *(const double *)user * (frames[1].x.x - frames[0].x.x) + 0.01 * inputs[0];
    wrench[0].force.x = pull;
    wrench[1].force.x = -pull;
    wrench[0].moment.z = 0.1 * sin(t);
    return CARDAN_OK;
}

static inline void rich_bodies(CardanBuilder *b, CardanBody *arm, CardanBody *bob, CardanBody *cart,
                               CardanBody *skate) {
    *arm = cardan_builder_add_body(b, &(CardanBodyDef){DEFAULTED, .name = "arm", .mass = 1.0, .inertia.zz = 1.0 / 12});
    *bob = cardan_builder_add_body(b, &(CardanBodyDef){DEFAULTED, .name = "bob", .mass = 0.3, .particle = true});
    *cart = cardan_builder_add_body(
        b, &(CardanBodyDef){DEFAULTED, .name = "cart", .mass = 2.0, .inertia.zz = 0.1, .pose.p = {0.0, -1.0, 0.0}});
    *skate = cardan_builder_add_body(b, &(CardanBodyDef){DEFAULTED, .name = "skate", .mass = 1.0, .inertia.zz = 0.2,
                                                         .pose.p = {0.0, 2.0, 0.0}, .velocity = {1.0, 0.0, 0.0},
                                                         .angular_velocity = {0.0, 0.0, 0.5}});
    cardan_builder_bind(b, "arm.mass", "m");
    cardan_builder_bind(b, "arm.inertia", "m*L^2/12");
    cardan_builder_bind(b, "arm.position[0]", "L/2");
    cardan_builder_bind(b, "bob.position[0]", "L + 0.5");
}

static inline void rich_forces(CardanBuilder *b, CardanBody arm, CardanBody cart, CardanBody frame, CardanJoint hinge) {
    const CardanBody both[2] = {arm, cart};
    cardan_builder_add_force(b, &(CardanForceDef){DEFAULTED, .name = "spring", .type = CARDAN_FORCE_SPRING, .a = cart,
                                                  .b = frame, .stiffness = 5.0, .damping = 0.2});
    cardan_builder_bind(b, "spring.stiffness", "k");
    cardan_builder_add_force(b, &(CardanForceDef){DEFAULTED, .name = "push", .type = CARDAN_FORCE_AT_POINT,
                                                  .body = cart, .law = {"k*sin(2*t)", NULL, NULL}});
    cardan_builder_add_force(b,
                             &(CardanForceDef){DEFAULTED, .name = "wind", .type = CARDAN_FORCE_AT_POINT, .body = arm,
                                               .follower = true, .value = {0.1, 0.2, 0.0}, .point = {0.1, 0.0, 0.0}});
    cardan_builder_add_force(b,
                             &(CardanForceDef){DEFAULTED, .name = "motor", .type = CARDAN_FORCE_TORQUE, .joint = hinge,
                                               .law = {"u*cos(t) - 0.1*hinge.rate + 0.01*arm.x", NULL, NULL}});
    cardan_builder_add_force(b, &(CardanForceDef){DEFAULTED, .name = "pull", .type = CARDAN_FORCE_CALLBACK, .bodies = 2,
                                                  .bodies_list = both, .callback = rich_pull, .user = &rich_stiffness});
}

static CardanStatus rich_rate(void *user, double t, const CardanFrame *frames, const double *inputs, const double *z,
                              double *rate) {
    (void)user, (void)t;
    rate[0] = frames[0].x.x - z[0] + 0.01 * inputs[0];
    rate[1] = z[0] - z[1];
    return CARDAN_OK;
}

/* The forces that the first five leave out, and first-order states: the user's, which a law reads, and a tyre's. */
static inline void rich_more_forces(CardanBuilder *b, CardanBody arm, CardanBody cart, CardanBody skate,
                                    CardanJoint hinge) {
    const double z0[2] = {0.1, -0.1};
    const CardanMagic magic = {10.0, 1.9, 1.0, 0.97};
    const CardanVec3 up = {0.0, 1.0, 0.0}, below = {0.0, -1.05, 0.0};
    cardan_builder_add_first_order(b, &(CardanFirstOrderDef){DEFAULTED, .name = "lag", .count = 2, .z0 = z0,
                                                             .bodies = 1, .body = &cart, .rate = rich_rate});
    const CardanForceDef more[] = {
        {DEFAULTED, .name = "coil", .type = CARDAN_FORCE_TORSION, .joint = hinge, .stiffness = 0.5,
         .law = {"0.1*x^3 + 0.01*lag.z1", NULL, NULL}},
        {DEFAULTED, .name = "mount", .type = CARDAN_FORCE_BUSHING, .a = cart, .b = skate,
         .bushing_stiffness = {0.1, 0.1, 0.1}},
        {DEFAULTED, .name = "servo", .type = CARDAN_FORCE_MOTOR, .joint = hinge, .gains = {0.1, 0.1}, .limit = 1.0,
         .law = {"sin(t)", NULL, NULL}},
        {DEFAULTED, .name = "rub", .type = CARDAN_FORCE_FRICTION, .joint = hinge, .coulomb = 0.01, .speed = 0.1},
        {DEFAULTED, .name = "stop", .type = CARDAN_FORCE_LIMIT, .joint = hinge, .range = {-9.0, 9.0},
         .stiffness = 10.0},
        {DEFAULTED, .name = "floor", .type = CARDAN_FORCE_CONTACT, .body = cart, .radius = 0.1, .stiffness = 10.0,
         .friction = 0.1, .speed = 0.1, .plane_point = below, .plane_normal = up},
        {DEFAULTED, .name = "air", .type = CARDAN_FORCE_DRAG, .body = arm, .coefficient = 0.01},
        {DEFAULTED, .name = "tyre", .type = CARDAN_FORCE_TYRE, .body = skate, .radius = 0.5, .stiffness = 10.0,
         .slow = 0.5, .longitudinal = magic, .relaxation = 0.3, .plane_point = {0.0, 1.6, 0.0}, .plane_normal = up}};
    for (size_t i = 0; i < sizeof more / sizeof *more; i++) cardan_builder_add_force(b, &more[i]);
}

static inline CardanBuilder *rich_model(void) {
    CardanBuilder *b = cardan_builder_create(CARDAN_SPACE_PLANAR);
    CardanBody arm, bob, cart, skate;
    const double q0[2] = {4.0 + 0.6, 0.8}, v0[2] = {0.0, 0.0};
    cardan_builder_set_name(b, "rich");
    cardan_builder_set_gravity(b, (CardanVec3){0.0, -9.81, 0.0});
    cardan_builder_add_parameter(b, "L", 1.0);
    cardan_builder_add_parameter(b, "m", 1.0);
    cardan_builder_add_parameter(b, "k", 4.0);
    cardan_builder_add_input(b, "u", 0.5);
    rich_bodies(b, &arm, &bob, &cart, &skate);
    CardanBody tail =
        cardan_builder_add_body(b, &(CardanBodyDef){DEFAULTED, .name = "tail", .mass = 0.2, .particle = true,
                                                    .pose.p = {q0[0], q0[1] - 0.5, 0.0}});
    CardanBlock bead = cardan_builder_add_block(
        b, &(CardanBlockDef){DEFAULTED, .name = "bead", .coordinates = 2, .q0 = q0, .v0 = v0, .rows = 1, .frames = 1,
                             .user = &rich_bead_mass, .mass = bead_mass, .force = bead_force, .constraint = bead_rows,
                             .frame = bead_frame});
    CardanBody frame = cardan_builder_block_frame(b, bead, 0);
    CardanJoint hinge = cardan_builder_add_joint(
        b, &(CardanJointDef){DEFAULTED, .name = "hinge", .type = CARDAN_JOINT_REVOLUTE, .b = arm});
    cardan_builder_add_joint(b, &(CardanJointDef){DEFAULTED, .name = "string", .type = CARDAN_JOINT_DISTANCE, .a = arm,
                                                  .b = bob, .local = CARDAN_LOCAL_POINT_A | CARDAN_LOCAL_POINT_B});
    cardan_builder_bind(b, "string.local.a[0]", "L/2");
    cardan_builder_add_joint(b, &(CardanJointDef){DEFAULTED, .name = "line", .type = CARDAN_JOINT_DISTANCE, .a = frame,
                                                  .b = tail, .local = CARDAN_LOCAL_POINT_A | CARDAN_LOCAL_POINT_B});
    cardan_builder_add_rows(
        b, &(CardanRowsDef){DEFAULTED, .name = "rail", .rows = 2, .bodies = 1, .body = &cart, .evaluate = cart_rows});
    cardan_builder_add_rows(b, &(CardanRowsDef){DEFAULTED, .name = "edge", .rows = 1, .bodies = 1, .body = &skate,
                                                .nonholonomic = true, .evaluate = skate_rows});
    rich_forces(b, arm, cart, frame, hinge);
    rich_more_forces(b, arm, cart, skate, hinge);
    cardan_builder_set_start_rate(b, hinge, 0.5);
    return b;
}

#endif
