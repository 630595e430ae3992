/* What stabilising twice costs: of chains of N links (64) in the plane and in space and of N four-bars (40 of them at
 * most) in absolute coordinates, of the latter in relative ones too; in right-hand sides and as a part of a step of
 * DOP853, which has twelve. One evaluation of the rows is taken off: the end of a step has it with or without
 * stabilisation. */
#include "bench.h"

#include "mechanisms.h"
#include "sim/sim.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { REPEATS = 20, STEP = 12 };

/* m, rad and their rates: how far off the constraints a step of usual tolerances ends. */
static const double OFF = 1e-9;

/* s; loops are stepped in relative coordinates from their first step on. */
static const double A_MOMENT = 1e-12;

typedef struct Case {
    CrdIntegrator *integrator; /* of the coordinates that steps are made in */
    double *off, *y, *slope;   /* a state off the constraints, where it is put back, its derivative */
    CardanStatus status;
} Case;

static void note(Case *c, CardanStatus status) {
    if (status < 0) c->status = status;
}

static void rows(void *user) {
    Case *c = user;
    CrdIntegrator *integrator = c->integrator;
    note(c, crd_integrator_evaluate_constraints(integrator, integrator->stepper.t, integrator->stepper.y));
}

static void rhs(void *user) {
    Case *c = user;
    CrdIntegrator *integrator = c->integrator;
    rows(user);
    note(c, crd_integrator_derivative(integrator, integrator->stepper.y, c->slope, false));
}

static void copy(void *user) {
    Case *c = user;
    memcpy(c->y, c->off, (size_t)c->integrator->stepper.n * sizeof *c->y);
}

static void stabilise(void *user) {
    Case *c = user;
    CrdIntegrator *integrator = c->integrator;
    copy(user);
    note(c, crd_stabilise(&integrator->stabiliser, &integrator->dynamics, integrator->stepper.t, c->off, c->y,
                          crd_integrator_v(integrator, c->y)));
}

static void print(const char *name, int n, double one, double extra, bool json) {
    const char *format = json ? "{\"bench\": \"stabilise\", \"mechanism\": \"%s\", \"size\": %d, \"seconds\": %.9g, "
                                "\"rhs\": %.4g, \"percent_of_step\": %.4g}\n"
                              : "  %-16s %5d   right-hand side %9.2f us   stabilising twice %5.2f of it, %5.2f percent "
                                "of a step\n";
    printf(format, name, n, json ? one : 1e6 * one, extra / one, 100.0 * extra / (STEP * one + extra));
}

static CardanStatus measure(Case *c, const char *name, int n, bool json) {
    CrdIntegrator *integrator = c->integrator;
    const CrdStructure *structure = integrator->dynamics.model->structure;
    size_t size = (size_t)integrator->stepper.n;
    c->off = calloc(3 * size, sizeof *c->off);
    if (c->off == NULL) return CARDAN_ERR_MEMORY;
    c->y = c->off + size;
    c->slope = c->y + size;
    memcpy(c->off, integrator->stepper.y, size * sizeof *c->off);
    for (int i = 0; i < structure->nq + structure->nv; i++) c->off[i] += i % 3 == 0 ? OFF : -OFF;
    double one = bench_shortest(rhs, c, REPEATS), whole = bench_shortest(stabilise, c, REPEATS),
           known = bench_shortest(rows, c, REPEATS), copied = bench_shortest(copy, c, REPEATS);
    free(c->off);
    if (c->status >= 0) print(name, n, one, whole - known - copied, json);
    return c->status;
}

static int run(CardanBuilder *builder, const char *name, CardanCoordinates coordinates, int n, bool json) {
    CardanModel *model = NULL;
    CardanSim *sim = NULL;
    CardanOptions options = cardan_default_options();
    Case c = {0};
    options.coordinates = coordinates;
    CardanStatus status = cardan_builder_compile(builder, &model);
    if (status < 0) fprintf(stderr, "%s\n", cardan_builder_message(builder));
    if (status >= 0) {
        status = cardan_sim_create(model, &options, &sim);
        if (status >= 0) status = cardan_sim_step(sim, A_MOMENT);
        if (status >= 0) {
            c.integrator = sim->relative.leads ? &sim->relative.integrator : &sim->integrator;
            status = measure(&c, name, n, json);
        }
        if (status < 0) fprintf(stderr, "%s\n", cardan_sim_message(sim));
    }
    cardan_sim_destroy(sim);
    cardan_model_release(model);
    cardan_builder_destroy(builder);
    return status < 0;
}

int bench_stabilise(const BenchOptions *options) {
    int n = options->size > 0 ? (int)options->size : 64, bars = n < 40 ? n : 40;
    const CardanCoordinates absolute = CARDAN_COORDINATES_ABSOLUTE, relative = CARDAN_COORDINATES_RELATIVE;
    return run(mechanism_chain(CARDAN_SPACE_PLANAR, n), "planar chain", absolute, n, options->json) ||
           run(mechanism_chain(CARDAN_SPACE_SPATIAL, n), "spatial chain", absolute, n, options->json) ||
           run(mechanism_four_bars(bars), "four-bars", absolute, bars, options->json) ||
           run(mechanism_four_bars(bars), "four-bars, tree", relative, bars, options->json);
}
