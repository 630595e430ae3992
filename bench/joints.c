/* The rows of N joints (1000) of each kind, and of all kinds mixed, drivers and couplers among them, against the same
 * number of revolutes: g, G, gamma and what drives them, in space. */
#include "bench.h"

#include "cardan/cardan.h"
#include "equations/system.h"
#include "joint/joint.h"

#include <math.h>
#include <stdio.h>

enum { REPEATS = 20, MIXED = CARDAN_JOINT_TYPES };

typedef struct Case {
    CardanModel *model;
    CrdArena arena;
    CrdSystem system;
    CrdError error;
} Case;

static void rows(void *user) {
    Case *c = user;
    CrdActions none = {0};
    crd_constraints(c->model, c->model->values.q0, c->model->values.v0, &none, &c->system, &c->error);
}

static CardanBody add_body(CardanBuilder *builder, int i) {
    char name[32];
    snprintf(name, sizeof name, "b%d", i);
    CardanBodyDef def = cardan_default_body();
    def.name = name;
    def.mass = 1.0;
    def.inertia = (CardanInertia){1.0, 1.1, 1.2, 0, 0, 0};
    def.pose.p = (CardanVec3){i, 0.2 * sin(i), 0.2 * cos(i)};
    def.pose.q = (CardanQuat){0.8, 0.6 * sin(i), 0.6 * cos(i), 0.0};
    def.velocity = (CardanVec3){0.1, 0.2 * cos(i), 0.3};
    def.angular_velocity = (CardanVec3){0.3 * sin(i), 0.2, 0.1};
    return cardan_builder_add_body(builder, &def);
}

static CardanJointDef joint_of(CardanJointType type, CardanBody a, CardanBody b, int i) {
    CardanJointDef def = cardan_default_joint(type);
    def.a = a;
    def.b = b;
    def.point.x = i - 0.5;
    def.axis = (CardanVec3){0.6, 0, 0.8};
    bool wheel = type == CARDAN_JOINT_ROLLING;
    if (type == CARDAN_JOINT_UNIVERSAL || type == CARDAN_JOINT_PERPENDICULAR || type == CARDAN_JOINT_CONSTANT_VELOCITY)
        def.axis2 = (CardanVec3){0.8, 0, -0.6};
    if (type == CARDAN_JOINT_SCREW) def.pitch = 0.1;
    if (wheel) {
        def.radius = 0.3;
        def.normal = (CardanVec3){0, 1, 0};
    }
    if (type == CARDAN_JOINT_CURVE)
        for (int k = 0; k < 3; k++) def.path[k] = (const char *const[]){"s", "s^2", "sin(s)"}[k];
    if (type == CARDAN_JOINT_DISTANCE) def.local = CARDAN_LOCAL_POINT_A | CARDAN_LOCAL_POINT_B;
    if (type == CARDAN_JOINT_WELD || type == CARDAN_JOINT_SPHERICAL || type == CARDAN_JOINT_DISTANCE ||
        type == CARDAN_JOINT_CURVE)
        def.axis = (CardanVec3){0};
    return def;
}

/* A driver of, or a coupler with, the revolute before. */
static void refer(CardanJointDef *def, CardanTerm terms[2], CardanJoint revolute, CardanJoint before) {
    if (def->type == CARDAN_JOINT_DRIVER) {
        def->joint = revolute;
        def->law = "0.1*sin(t)";
    } else {
        terms[0] = (CardanTerm){revolute, CARDAN_COORDINATE_ANGLE, 2.0};
        terms[1] = (CardanTerm){before, CARDAN_COORDINATE_ANGLE, -1.0};
        def->terms = 2;
        def->term = terms;
    }
}

static bool refers(CardanJointType type) {
    return type == CARDAN_JOINT_DRIVER || type == CARDAN_JOINT_COUPLER;
}

/* kind: a joint type, or MIXED. */
static CardanBuilder *build(int kind, int n) {
    CardanBuilder *builder = cardan_builder_create(CARDAN_SPACE_SPATIAL);
    CardanBody last = add_body(builder, 0);
    CardanJoint revolute = {0}, before = {0};
    int type = CARDAN_JOINT_TYPES - 1;
    for (int i = 1; i <= n; i++) {
        char name[32];
        do type = kind == MIXED ? type % (CARDAN_JOINT_TYPES - 1) + 1 : kind;
        while (!crd_joint_kinds[type]->space[CARDAN_SPACE_SPATIAL]);
        CardanJointDef def = cardan_default_joint((CardanJointType)type);
        CardanTerm terms[2];
        if (refers((CardanJointType)type)) {
            refer(&def, terms, revolute, before.index > 0 ? before : revolute);
        } else {
            CardanBody body = add_body(builder, i);
            def = joint_of((CardanJointType)type, last, body, i);
            last = body;
        }
        snprintf(name, sizeof name, "j%d", i);
        def.name = name;
        CardanJoint joint = cardan_builder_add_joint(builder, &def);
        if (type != CARDAN_JOINT_REVOLUTE) continue;
        before = revolute;
        revolute = joint;
    }
    return builder;
}

/* Seconds to evaluate all rows once; < 0: failed. */
static double seconds_of(int kind, int n, int *row_count) {
    Case c = {0};
    CardanBuilder *builder = build(kind, n);
    double seconds = -1.0;
    if (cardan_builder_compile(builder, &c.model) < 0) fprintf(stderr, "%s\n", cardan_builder_message(builder));
    cardan_builder_destroy(builder);
    if (c.model == NULL) return seconds;
    crd_system_layout(&c.system, c.model->structure, &c.arena);
    if (crd_arena_allocate(&c.arena)) {
        const CrdValues *numbers = &c.model->values;
        crd_system_layout(&c.system, c.model->structure, &c.arena);
        crd_kinematics(c.model, 0.0, numbers->q0, numbers->v0, &c.system, &c.error);
        seconds = bench_shortest(rows, &c, REPEATS);
    }
    if (c.error.status < 0) {
        fprintf(stderr, "%s\n", c.error.text);
        seconds = -1.0;
    }
    *row_count = c.model->structure->rows;
    crd_arena_free(&c.arena);
    cardan_model_release(c.model);
    return seconds;
}

static void print(const char *name, int n, int row_count, double seconds, double revolutes, bool json) {
    const char *format =
        json ? "{\"bench\": \"joints\", \"kind\": \"%s\", \"joints\": %d, \"rows\": %d, \"seconds\": %.9g, "
               "\"ratio\": %.4g}\n"
             : "  %-16s %6d joints %6d rows %10.2f us   %5.2f of the revolutes\n";
    printf(format, name, n, row_count, json ? seconds : 1e6 * seconds, seconds / revolutes);
}

int bench_joints(const BenchOptions *options) {
    int n = options->size > 0 ? (int)options->size : 1000, row_count = 0;
    double revolutes = seconds_of(CARDAN_JOINT_REVOLUTE, n, &row_count);
    if (revolutes < 0.0) return 1;
    for (int kind = 1; kind <= MIXED; kind++) {
        bool alone =
            kind == MIXED || (crd_joint_kinds[kind]->space[CARDAN_SPACE_SPATIAL] && !refers((CardanJointType)kind));
        if (!alone) continue;
        double seconds = seconds_of(kind, n, &row_count);
        if (seconds < 0.0) return 1;
        print(kind == MIXED ? "mixed" : crd_joint_kinds[kind]->name, n, row_count, seconds, revolutes, options->json);
    }
    return 0;
}
