/* Derivatives along a run over 100 parameters, in runs with the same steps: chains of links, each with five parameters
 * of its own. What the adjoint costs hardly depends on how many there are, the tangent's grows with them. */
#include "bench.h"

#include <cardan/cardan.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PER_LINK = 5, MOST = 100, TEXT = 60000 };

/* Shortest of so many rounds, in each of which everything is timed: a busy machine only makes things longer. */
enum { ROUNDS = 6 };

typedef struct Case {
    CardanModel *model;
    CardanOptions options;
    int count;
    const char *names[MOST];
    char name[MOST][24];
    bool failed;
} Case;

/* What a kind of chain has: names of its parameters with the link's number, and lines of its objects. */
typedef struct Kind {
    const char *word;
    const char *names[PER_LINK];
    const char *parameters;   /* of link i */
    const char *mass, *point; /* of link i; of joint i */
    void (*forces)(char **at, int i);
} Kind;

static void write_springs(char **at, int i) {
    *at +=
        sprintf(*at, "  s%d: {type: torsion, joint: p%d, stiffness: k%d, damping: d%d, angle: a%d}\n", i, i, i, i, i);
}

static void write_laws(char **at, int i) {
    *at +=
        sprintf(*at, "  f%d: {type: torque, joint: p%d, value: \"-c%d*p%d.rate - 0.1*p%d.rate^3\"}\n", i, i, i, i, i);
    *at +=
        sprintf(*at, "  w%d: {type: motor, joint: p%d, target: \"b%d*sin(2*t)\", gains: [\"k%d\", 1]}\n", i, i, i, i);
}

static const Kind KINDS[] = {
    {"inertias, springs",
     {"m%d", "j%d", "k%d", "d%d", "a%d"},
     "m%d: 1, j%d: 0.1, k%d: 50, d%d: 0.5, a%d: 0.01",
     "mass: m%d, inertia: j%d",
     "[%d, 0]",
     write_springs},
    {"places, laws, motors, starts",
     {"x%d", "c%d", "b%d", "k%d", "start.l%d.spin"},
     "x%d: 0, c%d: 0.5, b%d: 0.1, k%d: 50",
     "mass: 1, inertia: 0.1",
     "[\"%d + x%d\", 0]",
     write_laws},
};

static void write_chain(const Kind *kind, int links, char *text) {
    char *at = text;
    at += sprintf(at, "cardan: 1\nname: springy\nspace: planar\ngravity: [0, -9.81]\nparameters: {");
    for (int i = 0; i < links; i++) {
        at += sprintf(at, "%s", i > 0 ? ", " : "");
        at += sprintf(at, kind->parameters, i, i, i, i, i);
    }
    at += sprintf(at, "}\nbodies:\n");
    for (int i = 0; i < links; i++) {
        at += sprintf(at, "  l%d: {", i);
        at += sprintf(at, kind->mass, i, i);
        at += sprintf(at, ", position: [%g, 0]}\n", i + 0.5);
    }
    at += sprintf(at, "joints:\n");
    for (int i = 0; i < links; i++) {
        char before[16] = "ground";
        if (i > 0) sprintf(before, "l%d", i - 1);
        at += sprintf(at, "  p%d: {type: revolute, bodies: [%s, l%d], point: ", i, before, i);
        at += sprintf(at, kind->point, i, i);
        at += sprintf(at, "}\n");
    }
    at += sprintf(at, "forces:\n");
    for (int i = 0; i < links; i++) kind->forces(&at, i);
    sprintf(at, "simulation: {end: 5, stepper: dopri5, coordinates: absolute, tolerance: {relative: 1e-6}}\n");
}

static void run(void *user) {
    Case *c = user;
    CardanSim *sim = NULL;
    c->failed |= cardan_sim_create(c->model, &c->options, &sim) < 0 || cardan_sim_advance(sim, c->options.end) < 0;
    cardan_sim_destroy(sim);
}

static void differentiate(Case *c, CardanSensitivityMethod method) {
    double derivative[MOST];
    char message[512];
    CardanSensitivityDef def = cardan_default_sensitivity();
    def.method = method;
    def.channel = "l0.angle";
    def.count = c->count;
    def.names = c->names;
    if (cardan_model_sensitivity(c->model, &c->options, &def, NULL, NULL, derivative, message, sizeof message) >= 0)
        return;
    fprintf(stderr, "%s\n", message);
    c->failed = true;
}

static void adjoint(void *user) {
    differentiate(user, CARDAN_SENSITIVITY_ADJOINT);
}

static void tangent(void *user) {
    differentiate(user, CARDAN_SENSITIVITY_TANGENT);
}

/* Keeps the shorter of *best and the time of a call over `count` names. */
static void time_call(void (*call)(void *), Case *c, int count, double *best) {
    double start = bench_now();
    c->count = count;
    call(c);
    double seconds = bench_now() - start;
    if (seconds < *best) *best = seconds;
}

static int measure(Case *c, const Kind *kind, int links, bool json) {
    double best[4] = {1e300, 1e300, 1e300, 1e300};
    int all = links * PER_LINK;
    for (int i = 0; i < all; i++) {
        sprintf(c->name[i], kind->names[i % PER_LINK], i / PER_LINK);
        c->names[i] = c->name[i];
    }
    for (int i = 0; i < (bench_is_quick() ? 1 : ROUNDS); i++) {
        for (int k = 0; k < 3; k++) time_call(run, c, 0, &best[0]);
        time_call(adjoint, c, 1, &best[1]);
        time_call(adjoint, c, all, &best[2]);
        if (i == 0) time_call(tangent, c, 1, &best[3]);
    }
    if (c->failed) return 1;
    printf(json ? "{\"bench\": \"sensitivity\", \"parameters\": %d, \"kind\": \"%s\", \"runs\": {\"adjoint_of_one\": "
                  "%.4g, \"adjoint\": %.4g, \"tangent_of_one\": %.4g}}\n"
                : "%d parameters (%s), in runs: adjoint of one %.3g, adjoint of all %.3g, tangent of one %.3g\n",
           all, kind->word, best[1] / best[0], best[2] / best[0], best[3] / best[0]);
    return 0;
}

static int bench_kind(const Kind *kind, int links, const BenchOptions *options, char *text) {
    CardanBuilder *builder = NULL;
    Case c = {0};
    int failed = 1;
    write_chain(kind, links, text);
    CardanStatus status = cardan_builder_read_text(text, strlen(text), "springy", &builder);
    if (status < 0 || cardan_builder_compile(builder, &c.model) < 0) {
        fprintf(stderr, "%s\n", cardan_builder_message(builder));
    } else {
        c.options = cardan_model_options(c.model);
        if (bench_is_quick()) c.options.end = 0.1;
        failed = measure(&c, kind, links, options->json);
    }
    cardan_model_release(c.model);
    cardan_builder_destroy(builder);
    return failed;
}

int bench_sensitivity(const BenchOptions *options) {
    int links = options->size > 0 && options->size < MOST / PER_LINK ? (int)options->size : MOST / PER_LINK;
    char *text = malloc(TEXT);
    int failed = text == NULL;
    for (size_t i = 0; text != NULL && i < sizeof KINDS / sizeof *KINDS; i++)
        failed |= bench_kind(&KINDS[i], links, options, text);
    free(text);
    return failed;
}
