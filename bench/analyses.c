/* Analyses of planar chains of 10 to 10,000 links without a step: how their time grows with the number of links, as the
 * exponent over the whole range and over its last tenfold, and how far the hanging chain is from its discrete catenary.
 */
#include "bench.h"

#include "cardan/cardan.h"
#include "mechanisms.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { SIZES = 4, REPEATS = 2, GROUND = 0, MODES = 20 };
static const double GRAVITY = 9.81; /* m/s^2 */
static const double LENGTH = 1.2;   /* m; of the hanging chain, whose ends are 1 m apart */
static const double ROUGH = 0.2;    /* of a link and rad: what assembling starts from */
static const double LATER = 0.1;    /* s; how far kinematics goes */

typedef struct Chain {
    int links;
    double link; /* m */
    CardanModel *model;
    CardanStudy *study;
    CardanSim *sim;
    CardanOperators *operators;
    double *q, *v, *force; /* as written; zeros; of motors */
    CardanJoint *motor;
    CardanStatus failed;
} Chain;

/* ---- chains ---- */

/* Hangs as a V between two pins. */
static CardanBuilder *hanging(int links) {
    CardanBuilder *builder = cardan_builder_create(CARDAN_SPACE_PLANAR);
    double length = LENGTH / links, angle = acos(1.0 / LENGTH), x = 0.0, y = 0.0;
    CardanBody before = {GROUND};
    cardan_builder_set_gravity(builder, (CardanVec3){0, -GRAVITY, 0});
    for (int i = 0; i <= links; i++) {
        char name[32];
        double turn = i < links / 2 ? -angle : angle;
        CardanBodyDef body = cardan_default_body();
        CardanJointDef joint = cardan_default_joint(CARDAN_JOINT_REVOLUTE);
        snprintf(name, sizeof name, "link%d", i);
        body.name = name;
        body.mass = length;
        body.inertia.zz = length * length * length / 12.0;
        body.pose.p = (CardanVec3){x + 0.5 * length * cos(turn), y + 0.5 * length * sin(turn), 0};
        body.pose.angle = turn;
        joint.a = before;
        if (i < links) joint.b = before = cardan_builder_add_body(builder, &body);
        snprintf(name, sizeof name, "pin%d", i);
        joint.name = name;
        joint.point = (CardanVec3){x, y, 0};
        cardan_builder_add_joint(builder, &joint);
        x += length * cos(turn);
        y += length * sin(turn);
    }
    return builder;
}

/* Every joint driven, so that the whole bends by some tenth of a radian. */
static CardanBuilder *driven(int links) {
    CardanBuilder *builder = mechanism_chain(CARDAN_SPACE_PLANAR, links);
    char name[32], law[64];
    snprintf(law, sizeof law, "sin(t)/%d", links);
    for (int i = 0; i < links; i++) {
        CardanJointDef drive = cardan_default_joint(CARDAN_JOINT_DRIVER);
        snprintf(name, sizeof name, "drive%d", i);
        drive.name = name;
        drive.joint = (CardanJoint){i + 1};
        drive.law = law;
        cardan_builder_add_joint(builder, &drive);
    }
    return builder;
}

static CardanBuilder *undriven(int links) {
    return mechanism_chain(CARDAN_SPACE_PLANAR, links);
}

/* The same at rest: gravity along it. */
static CardanBuilder *resting(int links) {
    CardanBuilder *builder = mechanism_chain(CARDAN_SPACE_PLANAR, links);
    cardan_builder_set_gravity(builder, (CardanVec3){GRAVITY, 0, 0});
    return builder;
}

static void close_chain(Chain *chain) {
    cardan_study_destroy(chain->study);
    cardan_sim_destroy(chain->sim);
    cardan_operators_destroy(chain->operators);
    cardan_model_release(chain->model);
    free(chain->q);
    free(chain->v);
    free(chain->force);
    free(chain->motor);
}

static bool open_chain(Chain *chain, int links, CardanBuilder *builder) {
    char message[512] = "out of memory";
    size_t n = (size_t)links;
    *chain = (Chain){.links = links};
    chain->v = calloc(3 * n, sizeof *chain->v);
    chain->q = calloc(3 * n, sizeof *chain->q);
    chain->force = calloc(3 * n, sizeof *chain->force);
    chain->motor = calloc(n, sizeof *chain->motor);
    bool there = chain->v != NULL && chain->q != NULL && chain->force != NULL && chain->motor != NULL &&
                 cardan_builder_compile(builder, &chain->model) >= 0 &&
                 cardan_study_create(chain->model, &chain->study, message, sizeof message) >= 0;
    cardan_builder_destroy(builder);
    if (!there) fprintf(stderr, "%s\n", message);
    for (int i = 0; there && i < 3 * links; i++) chain->q[i] = cardan_study_positions(chain->study)[i];
    for (int i = 0; there && i < links; i++) chain->motor[i] = (CardanJoint){i + 1};
    return there;
}

/* ---- analyses ---- */

static void note(Chain *chain, CardanStatus status) {
    if (status < 0 && chain->failed >= 0) chain->failed = status;
}

static void balance(void *user) {
    Chain *chain = user;
    CardanEquilibrium found;
    note(chain, cardan_study_set(chain->study, 0.0, chain->q, chain->v));
    note(chain, cardan_study_equilibrium(chain->study, &found));
}

static void assemble(void *user) {
    Chain *chain = user;
    CardanAssembly found;
    for (int i = 0; i < 3 * chain->links; i++) /* any pattern that no motion of the chain has */
        chain->force[i] = chain->q[i] + ROUGH * sin(1.7 * i * i) * (i % 3 < 2 ? chain->link : 1.0);
    note(chain, cardan_study_set(chain->study, 0.0, chain->force, chain->v));
    note(chain, cardan_study_assemble(chain->study, 1, 0, &found));
}

static void follow(void *user) {
    Chain *chain = user;
    note(chain, cardan_study_set(chain->study, 0.0, chain->q, chain->v));
    note(chain, cardan_study_kinematics(chain->study, LATER, NULL));
}

static void invert(void *user) {
    Chain *chain = user;
    CardanInverse out;
    note(chain, cardan_study_set(chain->study, 0.0, chain->q, chain->v));
    note(chain, cardan_study_inverse(chain->study, 0.0, chain->links, chain->motor, chain->force, &out));
}

static void multiply(void *user) {
    Chain *chain = user;
    CardanOperators **operators = &chain->operators;
    if (*operators == NULL)
        note(chain, cardan_operators_create(chain->model, CARDAN_COORDINATES_RELATIVE, operators, NULL, 0));
    if (*operators == NULL) return;
    int n = cardan_operators_sizes(*operators).velocities;
    for (int i = 0; i < n; i++) chain->v[i] = 1.0;
    note(chain, cardan_operators_mass_times(*operators, chain->v, chain->force));
    note(chain, cardan_operators_mass_solve(*operators, chain->force, chain->v));
    for (int i = 0; i < 3 * chain->links; i++) chain->v[i] = 0.0;
}

static CardanSim *sim_of(Chain *chain) {
    if (chain->sim == NULL) note(chain, cardan_sim_create(chain->model, NULL, &chain->sim));
    return chain->sim;
}

static void find_modes(void *user) {
    CardanModes *found = NULL;
    note(user, cardan_sim_modes(sim_of(user), MODES, &found));
    cardan_modes_destroy(found);
}

static void linearise(void *user) {
    CardanLinear *linear = NULL;
    note(user, cardan_sim_linearise(sim_of(user), CARDAN_LINEAR_DESCRIPTOR, 0, NULL, 0, NULL, &linear));
    cardan_linear_destroy(linear);
}

static const struct {
    const char *name;
    CardanBuilder *(*chain)(int links);
    void (*call)(void *user);
    double link; /* m; 0: of the hanging chain */
} ANALYSES[] = {{"equilibrium", hanging, balance, 0},
                {"assemble, a loop", hanging, assemble, 0},
                {"assemble, a tree", undriven, assemble, 1},
                {"kinematics", driven, follow, 1},
                {"inverse", driven, invert, 1},
                {"operators", undriven, multiply, 1},
                {"20 modes", resting, find_modes, 1},
                {"descriptor form", resting, linearise, 1}};
enum { COUNT = sizeof ANALYSES / sizeof *ANALYSES };

/* ---- the catenary ---- */

/* Link i has the slope of the forces in its middle, tan = (i + 1/2 - n/2) w / H, and H closes the span of 1 m. */
static double span_of(int links, double force) {
    double length = LENGTH / links, span = 0.0;
    for (int i = 0; i < links; i++) span += length * force / hypot(force, (i + 0.5 - 0.5 * links) * length * GRAVITY);
    return span;
}

static double off_catenary(const Chain *chain) {
    double low = 0.0, high = 1e3, length = LENGTH / chain->links, x = 0.0, y = 0.0, worst = 0.0;
    const double *q = cardan_study_positions(chain->study);
    for (int k = 0; k < 200; k++) {
        double force = 0.5 * (low + high);
        *(span_of(chain->links, force) < 1.0 ? &low : &high) = force;
    }
    for (int i = 0; i < chain->links; i++) {
        double rise = (i + 0.5 - 0.5 * chain->links) * length * GRAVITY, tension = hypot(high, rise);
        double dx = length * high / tension, dy = length * rise / tension;
        worst = fmax(worst, fmax(fabs(q[3 * i] - x - 0.5 * dx), fabs(q[3 * i + 1] - y - 0.5 * dy)));
        x += dx;
        y += dy;
    }
    return worst;
}

/* ---- the whole ---- */

static bool measure(int which, int links, double *seconds, double *off) {
    Chain chain;
    bool there = open_chain(&chain, links, ANALYSES[which].chain(links));
    chain.link = ANALYSES[which].link > 0.0 ? ANALYSES[which].link : LENGTH / links;
    if (there) *seconds = bench_shortest(ANALYSES[which].call, &chain, REPEATS);
    if (there && chain.failed < 0)
        fprintf(stderr, "%s of %d links: %s%s\n", ANALYSES[which].name, links, cardan_study_message(chain.study),
                chain.sim != NULL ? cardan_sim_message(chain.sim) : "");
    there = there && chain.failed >= 0;
    if (there && which == 0) *off = off_catenary(&chain);
    close_chain(&chain);
    return there;
}

static double exponent(const int *links, const double *seconds, int from) {
    return log(seconds[SIZES - 1] / seconds[from]) / log((double)links[SIZES - 1] / links[from]);
}

static void print(bool json, int which, const int *links, const double *seconds, double off) {
    printf(json ? "{\"bench\": \"analyses\", \"analysis\": \"%s\"" : "%-16s", ANALYSES[which].name);
    for (int i = 0; i < SIZES; i++) printf(json ? ", \"seconds_%d\": %.4g" : " %6d: %9.4g s", links[i], seconds[i]);
    printf(json ? ", \"exponent\": %.3f, \"exponent_last\": %.3f" : "  exponent %.3f, last tenfold %.3f",
           exponent(links, seconds, 0), exponent(links, seconds, SIZES - 2));
    if (which == 0) printf(json ? ", \"off_catenary\": %.3g" : "; %.2g m off its catenary", off);
    printf(json ? "}\n" : "\n");
    fflush(stdout); /* the next ones take a while */
}

int bench_analyses(const BenchOptions *options) {
    int largest = options->size > 0 ? (int)options->size : 10000, links[SIZES];
    for (int i = SIZES - 1, n = largest; i >= 0; i--, n /= 10) links[i] = n > 2 + i ? n : 2 + i;
    for (int k = 0; k < COUNT; k++) {
        double seconds[SIZES], off = 0.0;
        for (int i = 0; i < SIZES; i++)
            if (!measure(k, links[i], &seconds[i], &off)) return 1;
        print(options->json, k, links, seconds, off);
    }
    return 0;
}
