/* Cardan. Modes: rhs; a stepper (parameter: rtol = atol); default (nothing set). "/space" behind it treats a planar
 * problem as one in space. */
#include "engine.h"

#include "blas_threads.h"
#include "sim/sim.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double a_moment = 1e-12;

typedef struct Cardan {
    const Problem *problem;
    bool planar;
    CardanModel *model;
    CardanSim *sim;
    double *slope;
} Cardan;

static CardanVec3 vector(const double v[3]) {
    return (CardanVec3){v[0], v[1], v[2]};
}

static CardanBody handle(int body) {
    return (CardanBody){body + 1}; /* the ground is 0 */
}

static void add_body(CardanBuilder *builder, const Body *body, int i, bool planar) {
    char name[32];
    CardanBodyDef def = cardan_default_body();
    snprintf(name, sizeof name, "b%d", i);
    def.name = name;
    def.mass = body->mass;
    def.inertia =
        (CardanInertia){planar ? 0 : body->inertia[0], planar ? 0 : body->inertia[1], body->inertia[2], 0, 0, 0};
    const Start *start = &body->start;
    def.pose.p = vector(start->centre);
    if (planar)
        def.pose.angle = 2 * atan2(start->turn[3], start->turn[0]);
    else
        def.pose.q = (CardanQuat){start->turn[0], start->turn[1], start->turn[2], start->turn[3]};
    def.velocity = vector(start->velocity);
    def.angular_velocity = vector(start->spin);
    cardan_builder_add_body(builder, &def);
}

/* Point (of b) and axis (of a) where the joint starts. */
static void place(const Problem *problem, const Joint *joint, double point[3], double axis[3]) {
    const Start *b = &problem->body[joint->b].start;
    memcpy(axis, joint->axis, sizeof joint->axis);
    if (joint->a != GROUND) problem_turn(problem->body[joint->a].start.turn, joint->axis, axis);
    problem_arm(problem, joint->b, joint->point, point);
    problem_turn(b->turn, point, point);
    for (int k = 0; k < 3; k++) point[k] += b->centre[k];
}

static void add_joint(CardanBuilder *builder, const Problem *problem, const Joint *joint, const char *kind, int i,
                      bool planar) {
    static const CardanJointType types[] = {CARDAN_JOINT_REVOLUTE, CARDAN_JOINT_PRISMATIC, CARDAN_JOINT_SPHERICAL};
    char name[32];
    double point[3], axis[3];
    if (joint->kind == JOINT_FREE) return;
    place(problem, joint, point, axis);
    CardanJointDef def = cardan_default_joint(types[joint->kind]);
    snprintf(name, sizeof name, "%s%d", kind, i);
    def.name = name;
    def.a = handle(joint->a);
    def.b = handle(joint->b);
    def.point = vector(point);
    if (joint->kind == JOINT_PRISMATIC || (joint->kind == JOINT_REVOLUTE && !planar)) def.axis = vector(axis);
    cardan_builder_add_joint(builder, &def);
}

static void add_spring(CardanBuilder *builder, const Problem *problem, const Spring *spring, int i) {
    char name[32];
    double arm[3];
    CardanForceDef def = cardan_default_force(CARDAN_FORCE_SPRING);
    snprintf(name, sizeof name, "s%d", i);
    def.name = name;
    def.a = handle(spring->a);
    def.b = handle(spring->b);
    problem_arm(problem, spring->a, spring->from, arm);
    def.point_a = vector(arm);
    problem_arm(problem, spring->b, spring->to, arm);
    def.point_b = vector(arm);
    def.stiffness = spring->stiffness;
    def.damping = spring->damping;
    def.length = spring->rest;
    def.length_given = true;
    cardan_builder_add_force(builder, &def);
}

static CardanModel *compile(const Problem *problem, bool planar) {
    CardanBuilder *builder = cardan_builder_create(planar ? CARDAN_SPACE_PLANAR : CARDAN_SPACE_SPATIAL);
    CardanModel *model = NULL;
    cardan_builder_set_gravity(builder, (CardanVec3){0, -problem->gravity, 0});
    for (int i = 0; i < problem->bodies; i++) add_body(builder, &problem->body[i], i, planar);
    for (int i = 0; i < problem->bodies; i++) add_joint(builder, problem, &problem->tree[i], "j", i, planar);
    for (int i = 0; i < problem->loops; i++) add_joint(builder, problem, &problem->loop[i], "l", i, planar);
    for (int i = 0; i < problem->springs; i++) add_spring(builder, problem, &problem->spring[i], i);
    if (cardan_builder_compile(builder, &model) < 0) fprintf(stderr, "%s\n", cardan_builder_message(builder));
    cardan_builder_destroy(builder);
    return model;
}

static bool choose(CardanOptions *options, const char *mode, double parameter) {
    char word[32], message[512];
    snprintf(word, sizeof word, "%.*s", (int)strcspn(mode, "/"), mode);
    *options = cardan_default_options();
    if (strcmp(word, "rhs") == 0 || strcmp(word, "default") == 0) return true;
    if (cardan_options_set(options, "stepper", word, message, sizeof message) < 0) {
        fprintf(stderr, "%s\n", message);
        return false;
    }
    options->rtol = options->atol = parameter;
    return true;
}

/* Of the coordinates that steps are made in. */
static const CrdStepper *stepper_of(const CardanSim *sim) {
    return sim->relative.leads ? &sim->relative.integrator.stepper : &sim->integrator.stepper;
}

static void destroy(void *self) {
    Cardan *cardan = self;
    cardan_sim_destroy(cardan->sim);
    cardan_model_release(cardan->model);
    free(cardan->slope);
    free(cardan);
}

static void *create(const Problem *problem, const char *mode, double parameter) {
    CardanOptions options;
    Cardan *cardan = calloc(1, sizeof *cardan);
    blas_use_one_thread();
    if (cardan == NULL || !choose(&options, mode, parameter)) return NULL;
    cardan->problem = problem;
    cardan->planar = problem->planar && strstr(mode, "/space") == NULL;
    cardan->model = compile(problem, cardan->planar);
    if (cardan->model == NULL || cardan_sim_create(cardan->model, &options, &cardan->sim) < 0) {
        if (cardan->sim != NULL) fprintf(stderr, "%s\n", cardan_sim_message(cardan->sim));
        destroy(cardan);
        return NULL;
    }
    /* loops are stepped in relative coordinates from their first step on */
    if (strncmp(mode, "rhs", 3) == 0 && cardan_sim_step(cardan->sim, a_moment) < 0) abort();
    cardan->slope = calloc((size_t)stepper_of(cardan->sim)->n, sizeof *cardan->slope);
    return cardan;
}

static void right_side(void *self) {
    Cardan *cardan = self;
    const CrdStepper *stepper = stepper_of(cardan->sim);
    if (stepper->ode.rhs(stepper->ode.user, stepper->t, stepper->y, cardan->slope) < 0) abort();
}

static void accelerations(void *self, double *acceleration) {
    Cardan *cardan = self;
    const Problem *problem = cardan->problem;
    int width = cardan->planar ? 3 : 6, linear = cardan->planar ? 2 : 3;
    double *all = calloc((size_t)cardan_model_sizes(cardan->model).velocities, sizeof *all);
    if (all == NULL || cardan_sim_evaluate(cardan->sim, all, NULL) < 0) abort();
    for (int i = 0; i < problem->bodies; i++) {
        const Joint *joint = &problem->tree[i];
        int first = joint->kind == JOINT_REVOLUTE ? linear : 0,
            components = joint->kind == JOINT_REVOLUTE ? width : linear;
        acceleration[i] = 0;
        for (int k = first; k < components; k++) {
            double along = cardan->planar && k == 2 ? 1 : joint->axis[k - first];
            double other = joint->a == GROUND ? 0 : all[width * joint->a + k];
            acceleration[i] += along * (all[width * i + k] - other);
        }
    }
    free(all);
}

static bool advance(void *self, double t) {
    Cardan *cardan = self;
    if (cardan_sim_advance(cardan->sim, t) >= 0) return true;
    fprintf(stderr, "%s\n", cardan_sim_message(cardan->sim));
    return false;
}

static void poses(void *self, Pose *pose) {
    Cardan *cardan = self;
    for (int i = 0; i < cardan->problem->bodies; i++) {
        CardanBodyState state;
        if (cardan_sim_body(cardan->sim, handle(i), &state) < 0) abort();
        double w = state.quaternion.w, x = state.quaternion.x, y = state.quaternion.y, z = state.quaternion.z;
        if (cardan->planar) {
            w = cos(0.5 * state.angle);
            z = sin(0.5 * state.angle);
            x = y = 0;
        }
        pose[i] = (Pose){{state.position.x, state.position.y, state.position.z},
                         {1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y), //
                          2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x), //
                          2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)}};
    }
}

static long steps(void *self) {
    Cardan *cardan = self;
    CardanWork work;
    return cardan_sim_work(cardan->sim, &work) < 0 ? -1 : work.steps;
}

static const char *version(void) {
    return PEER_VERSION;
}

const Engine peer_engine = {"cardan", version, create, destroy, right_side, accelerations, advance, poses, steps};
