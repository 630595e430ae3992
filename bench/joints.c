/* The rows of N joints (1000) of each kind, and of all kinds mixed, drivers and couplers among them, against the same
 * number of revolutes: g, G, gamma and what drives them, in space. */
#include "bench.h"

#include "assembly/system.h"
#include "cardan/cardan.h"
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
    crd_constraints(c->model, c->model->numbers.q0, c->model->numbers.v0, &none, &c->system, &c->error);
}

static CardanBody add_body(CardanBuilder *b, int i) {
    char name[32];
    snprintf(name, sizeof name, "b%d", i);
    return cardan_builder_add_body(
        b, &(CardanBodyDef){.name = name,
                            .mass = 1.0,
                            .inertia = {1.0, 1.1, 1.2, 0, 0, 0},
                            .pose = {.p = {i, 0.2 * sin(i), 0.2 * cos(i)}, .q = {0.8, 0.6 * sin(i), 0.6 * cos(i), 0.0}},
                            .velocity = {0.1, 0.2 * cos(i), 0.3},
                            .angular_velocity = {0.3 * sin(i), 0.2, 0.1}});
}

static CardanJointDef joint_of(CardanJointType type, CardanBody a, CardanBody b, int i) {
    CardanJointDef def = {.type = type, .a = a, .b = b, .point = {i - 0.5, 0, 0}, .axis = {0.6, 0, 0.8}};
    bool wheel = crd_joint_kinds[type]->needs & CRD_NEEDS_WHEEL;
    if (type == CARDAN_UNIVERSAL || type == CARDAN_PERPENDICULAR) def.axis2 = (CardanVec3){0.8, 0, -0.6};
    if (type == CARDAN_SCREW) def.pitch = 0.1;
    if (wheel) {
        def.radius = 0.3;
        def.normal = (CardanVec3){0, 1, 0};
    }
    if (type == CARDAN_CURVE)
        for (int k = 0; k < 3; k++) def.path[k] = (const char *const[]){"s", "s^2", "sin(s)"}[k];
    if (type == CARDAN_DISTANCE) def.local = CARDAN_LOCAL_POINT_A | CARDAN_LOCAL_POINT_B;
    if (type == CARDAN_WELD || type == CARDAN_SPHERICAL || type == CARDAN_DISTANCE || type == CARDAN_CURVE)
        def.axis = (CardanVec3){0};
    return def;
}

/* A driver of, or a coupler with, the revolute before. */
static void refer(CardanJointDef *def, CardanTerm terms[2], CardanJoint revolute, CardanJoint before) {
    if (def->type == CARDAN_DRIVER) {
        def->joint = revolute;
        def->law = "0.1*sin(t)";
    } else {
        terms[0] = (CardanTerm){revolute, CARDAN_ANGLE, 2.0};
        terms[1] = (CardanTerm){before, CARDAN_ANGLE, -1.0};
        def->terms = 2;
        def->term = terms;
    }
}

static bool refers(CardanJointType type) {
    return type == CARDAN_DRIVER || type == CARDAN_COUPLER;
}

/* kind: a joint type, or MIXED. */
static CardanBuilder *build(int kind, int n) {
    CardanBuilder *b = cardan_builder_create(CARDAN_SPATIAL);
    CardanBody last = add_body(b, 0);
    CardanJoint revolute = {0}, before = {0};
    int type = CARDAN_JOINT_TYPES - 1;
    for (int i = 1; i <= n; i++) {
        char name[32];
        do type = kind == MIXED ? (type + 1) % CARDAN_JOINT_TYPES : kind;
        while (!crd_joint_kinds[type]->space[CARDAN_SPATIAL]);
        CardanJointDef def = {.type = (CardanJointType)type};
        CardanTerm terms[2];
        if (refers((CardanJointType)type)) {
            refer(&def, terms, revolute, before.index > 0 ? before : revolute);
        } else {
            CardanBody body = add_body(b, i);
            def = joint_of((CardanJointType)type, last, body, i);
            last = body;
        }
        snprintf(name, sizeof name, "j%d", i);
        def.name = name;
        CardanJoint joint = cardan_builder_add_joint(b, &def);
        if (type != CARDAN_REVOLUTE) continue;
        before = revolute;
        revolute = joint;
    }
    return b;
}

/* Seconds to evaluate all rows once; < 0: failed. */
static double seconds_of(int kind, int n, int *row_count) {
    Case c = {0};
    CardanBuilder *builder = build(kind, n);
    double seconds = -1.0;
    if (cardan_builder_compile(builder, &c.model) < 0) fprintf(stderr, "%s\n", cardan_builder_message(builder));
    cardan_builder_destroy(builder);
    if (c.model == NULL) return seconds;
    crd_system_layout(&c.system, c.model->shape, &c.arena);
    if (crd_arena_allocate(&c.arena)) {
        const CrdNumbers *numbers = &c.model->numbers;
        crd_system_layout(&c.system, c.model->shape, &c.arena);
        crd_kinematics(c.model, 0.0, numbers->q0, numbers->v0, &c.system, &c.error);
        seconds = bench_shortest(rows, &c, REPEATS);
    }
    if (c.error.status < 0) {
        fprintf(stderr, "%s\n", c.error.text);
        seconds = -1.0;
    }
    *row_count = c.model->shape->rows;
    crd_delete(c.arena.base);
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
    double revolutes = seconds_of(CARDAN_REVOLUTE, n, &row_count);
    if (revolutes < 0.0) return 1;
    for (int kind = 0; kind <= MIXED; kind++) {
        bool alone = kind == MIXED || (crd_joint_kinds[kind]->space[CARDAN_SPATIAL] && !refers((CardanJointType)kind));
        if (!alone) continue;
        double seconds = seconds_of(kind, n, &row_count);
        if (seconds < 0.0) return 1;
        print(kind == MIXED ? "mixed" : crd_joint_kinds[kind]->name, n, row_count, seconds, revolutes, options->json);
    }
    return 0;
}
