/* Derivatives along a run over 100 parameters, in runs with the same steps: a chain of links on springs, each with five
 * parameters of its own. What the adjoint costs hardly depends on how many there are, the tangent's grows with them. */
#include "bench.h"

#include <cardan/cardan.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PER_LINK = 5, MOST = 100, TEXT = 60000 };

typedef struct Case {
    CardanModel *model;
    CardanOptions options;
    int count;
    const char *names[MOST];
    char name[MOST][8];
    bool failed;
} Case;

static void write_chain(int links, char *text) {
    char *at = text;
    at += sprintf(at, "cardan: 1\nname: springy\nspace: planar\ngravity: [0, -9.81]\nparameters: {");
    for (int i = 0; i < links; i++)
        at += sprintf(at, "%sm%d: 1, j%d: 0.1, k%d: 50, d%d: 0.5, a%d: 0.01", i > 0 ? ", " : "", i, i, i, i, i);
    at += sprintf(at, "}\nbodies:\n");
    for (int i = 0; i < links; i++)
        at += sprintf(at, "  l%d: {mass: m%d, inertia: j%d, position: [%g, 0]}\n", i, i, i, i + 0.5);
    at += sprintf(at, "joints:\n");
    for (int i = 0; i < links; i++) {
        char before[16] = "ground";
        if (i > 0) sprintf(before, "l%d", i - 1);
        at += sprintf(at, "  p%d: {type: revolute, bodies: [%s, l%d], point: [%d, 0]}\n", i, before, i, i);
    }
    at += sprintf(at, "forces:\n");
    for (int i = 0; i < links; i++)
        at += sprintf(at, "  s%d: {type: torsion, joint: p%d, stiffness: k%d, damping: d%d, angle: a%d}\n", i, i, i, i,
                      i);
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

static int measure(Case *c, int links, bool json) {
    static const char LETTERS[PER_LINK] = {'m', 'j', 'k', 'd', 'a'};
    double seconds[4];
    for (int i = 0; i < links * PER_LINK; i++) {
        sprintf(c->name[i], "%c%d", LETTERS[i % PER_LINK], i / PER_LINK);
        c->names[i] = c->name[i];
    }
    seconds[0] = bench_shortest(run, c, 2);
    c->count = 1;
    seconds[1] = bench_shortest(adjoint, c, 1);
    c->count = links * PER_LINK;
    seconds[2] = bench_shortest(adjoint, c, 1);
    seconds[3] = bench_shortest(tangent, c, 1);
    if (c->failed) return 1;
    printf(json ? "{\"bench\": \"sensitivity\", \"parameters\": %d, \"runs\": {\"adjoint_of_one\": %.4g, \"adjoint\": "
                  "%.4g, "
                  "\"tangent\": %.4g}}\n"
                : "%d parameters, in runs: adjoint of one %.3g, adjoint of all %.3g, tangent of all %.3g\n",
           c->count, seconds[1] / seconds[0], seconds[2] / seconds[0], seconds[3] / seconds[0]);
    return 0;
}

int bench_sensitivity(const BenchOptions *options) {
    int links = options->size > 0 && options->size < MOST / PER_LINK ? (int)options->size : MOST / PER_LINK;
    char *text = malloc(TEXT);
    CardanBuilder *builder = NULL;
    Case c = {0};
    int failed = 1;
    if (text != NULL) {
        write_chain(links, text);
        CardanStatus status = cardan_builder_read_text(text, strlen(text), "springy", &builder);
        if (status < 0 || cardan_builder_compile(builder, &c.model) < 0) {
            fprintf(stderr, "%s\n", cardan_builder_message(builder));
        } else {
            c.options = cardan_model_options(c.model);
            failed = measure(&c, links, options->json);
        }
    }
    cardan_model_release(c.model);
    cardan_builder_destroy(builder);
    free(text);
    return failed;
}
