/* Calls the right-hand side of six mechanisms, of three in both coordinates, for callgrind to count: rhs-count [--build
 * | --list]. Each call of bench_counted is RHS_CALLS right-hand sides, at the start and after a few steps in turn, so
 * that nothing remembered from the last one helps; bench/instructions counts inside bench_counted alone and writes a
 * profile after each. Run without arguments in the top of the checkout. --build prints what the counts depend on,
 * --list the names in order and the right-hand sides a call. */
#include "blas_threads.h"
#include "mechanisms.h"
#include "nets.h"
#include "sim/sim.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RHS_CALLS = 4, STEPS = 3 };

typedef struct Mechanism {
    const char *name;
    CardanBuilder *(*make)(void);
    CardanCoordinates coordinates;
} Mechanism;

typedef struct State {
    double t, *y;
} State;

static CardanBuilder *from_file(const char *path) {
    CardanBuilder *builder = NULL;
    if (cardan_builder_read_file(path, &builder) < 0) fprintf(stderr, "%s\n", cardan_builder_message(builder));
    return builder;
}

static CardanBuilder *slider_crank(void) {
    return from_file("models/slider_crank.yaml");
}

static CardanBuilder *bricard(void) {
    return from_file("models/bricard.yaml");
}

static CardanBuilder *vehicle(void) {
    return from_file("models/vehicle.yaml");
}

static CardanBuilder *chain(void) {
    return mechanism_chain(CARDAN_SPACE_SPATIAL, 64);
}

static CardanBuilder *four_bars(void) {
    return mechanism_four_bars(40);
}

static CardanBuilder *net(void) {
    return mechanism_net(5);
}

/* A loop in the plane, one in space with a redundant row, forces of every kind, a tree, a ladder, a net. */
static const Mechanism mechanisms[] = {{"slider_crank", slider_crank, CARDAN_COORDINATES_ABSOLUTE},
                                       {"bricard", bricard, CARDAN_COORDINATES_ABSOLUTE},
                                       {"vehicle", vehicle, CARDAN_COORDINATES_ABSOLUTE},
                                       {"chain_64", chain, CARDAN_COORDINATES_ABSOLUTE},
                                       {"four_bars_40", four_bars, CARDAN_COORDINATES_ABSOLUTE},
                                       {"net_5x5", net, CARDAN_COORDINATES_ABSOLUTE},
                                       {"bricard_relative", bricard, CARDAN_COORDINATES_RELATIVE},
                                       {"chain_64_relative", chain, CARDAN_COORDINATES_RELATIVE},
                                       {"four_bars_40_relative", four_bars, CARDAN_COORDINATES_RELATIVE}};
static const int count = (int)(sizeof mechanisms / sizeof *mechanisms);

/* Not static, and called where the compiler cannot see whom: it stays one function of this name. */
CardanStatus bench_counted(CrdStepper *stepper, const State state[2], double *slope);
static CardanStatus (*volatile counted)(CrdStepper *, const State[2], double *) = bench_counted;

CardanStatus bench_counted(CrdStepper *stepper, const State state[2], double *slope) {
    CardanStatus status = CARDAN_OK;
    for (int i = 0; i < RHS_CALLS && status >= 0; i++)
        status = stepper->ode.rhs(stepper->ode.user, state[i % 2].t, state[i % 2].y, slope);
    return status;
}

static void keep(const CrdStepper *stepper, State *state) {
    state->t = stepper->t;
    memcpy(state->y, stepper->y, (size_t)stepper->n * sizeof(double));
}

static CardanStatus count_calls(CardanSim *sim) {
    bool relative = sim->relative.model != NULL;
    CrdStepper *stepper = relative ? &sim->relative.integrator.stepper : &sim->integrator.stepper;
    size_t n = (size_t)stepper->n;
    double *room = malloc(3 * n * sizeof *room);
    if (room == NULL) return CARDAN_ERR_MEMORY;
    State state[2] = {{0, room}, {0, room + n}};
    CardanStatus status = CARDAN_OK;
    keep(stepper, &state[0]);
    for (int i = 0; i < STEPS && status >= 0; i++) status = cardan_sim_step(sim, (double)INFINITY);
    keep(stepper, &state[1]);
    for (int i = 0; i < 2 && status >= 0; i++) /* what is made once is made now */
        status = stepper->ode.rhs(stepper->ode.user, state[i].t, state[i].y, room + 2 * n);
    if (status >= 0) status = counted(stepper, state, room + 2 * n);
    free(room);
    return status;
}

static bool counts(const Mechanism *mechanism, const CardanModel *model, CardanSim **sim) {
    CardanOptions options = cardan_model_options(model);
    options.coordinates = mechanism->coordinates;
    return cardan_sim_create(model, &options, sim) >= 0 && count_calls(*sim) >= 0;
}

static int one(const Mechanism *mechanism) {
    CardanBuilder *builder = mechanism->make();
    CardanModel *model = NULL;
    CardanSim *sim = NULL;
    int failed = 1;
    if (cardan_builder_compile(builder, &model) < 0)
        fprintf(stderr, "%s: %s\n", mechanism->name, cardan_builder_message(builder));
    else
        failed = !counts(mechanism, model, &sim);
    if (failed && sim != NULL) fprintf(stderr, "%s: %s\n", mechanism->name, cardan_sim_message(sim));
    cardan_sim_destroy(sim);
    cardan_model_release(model);
    cardan_builder_destroy(builder);
    return failed;
}

int main(int argc, char **argv) {
    int failed = 0;
    if (argc == 2 && strcmp(argv[1], "--build") == 0) return printf("%s\n", RHS_COUNT_BUILD) < 0;
    if (argc == 2 && strcmp(argv[1], "--list") == 0) {
        for (int i = 0; i < count; i++) printf("%s %d\n", mechanisms[i].name, RHS_CALLS);
        return 0;
    }
    if (argc > 1) {
        fprintf(stderr, "usage: rhs-count [--build | --list]\n");
        return 2;
    }
    blas_use_one_thread();
    for (int i = 0; i < count && !failed; i++) failed = one(&mechanisms[i]);
    return failed;
}
