/* Steps of mechanisms of N bodies (10,000) with one thread and with two, in turn: the shortest of each by the clock and
 * by the processor time of the thread that calls. The clock says what is gained where a second processor is idle; the
 * caller's time what the second thread took over, however busy the machine is. States must be the same to the bit. */
#include "bench.h"

#include "nets.h"
#include "sim/sim.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { THREADS = 2, ARM = 10, ARMS_OF_KNOT = 50 };

static double clock_now(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static CardanBody add_link(CardanBuilder *builder, CardanBody on, CardanVec3 at, int number) {
    char name[32];
    CardanBodyDef body = cardan_default_body();
    CardanJointDef joint = cardan_default_joint(CARDAN_JOINT_REVOLUTE);
    snprintf(name, sizeof name, "l%d", number);
    body.name = name;
    body.mass = 1.0;
    body.inertia = (CardanInertia){.xx = 0.02, .yy = 0.09, .zz = 0.09};
    body.pose.p = (CardanVec3){at.x + 0.5, at.y, at.z};
    CardanBody link = cardan_builder_add_body(builder, &body);
    snprintf(name, sizeof name, "j%d", number);
    joint.name = name;
    joint.a = on;
    joint.b = link;
    joint.point = at;
    joint.axis = number % 2 == 0 ? (CardanVec3){0, 0, 1} : (CardanVec3){0, 1, 0};
    cardan_builder_add_joint(builder, &joint);
    return link;
}

/* Arms of ten links, on the ground or fifty on each knot of a chain. */
static CardanBuilder *arms(int n, bool trunk) {
    CardanBuilder *builder = cardan_builder_create(CARDAN_SPACE_SPATIAL);
    CardanBody knot = {0};
    int number = 0, knots = n / (ARM * ARMS_OF_KNOT) > 0 ? n / (ARM * ARMS_OF_KNOT) : 1;
    cardan_builder_set_gravity(builder, (CardanVec3){0.0, -9.81, 0.0});
    for (int k = 0; k < knots; k++) {
        if (trunk) knot = add_link(builder, knot, (CardanVec3){k, 0, 0}, number++);
        for (int arm = 0; arm < ARMS_OF_KNOT; arm++) {
            CardanBody last = knot;
            for (int i = 0; i < ARM; i++) last = add_link(builder, last, (CardanVec3){k + 1.0 + i, 0, arm}, number++);
        }
    }
    return builder;
}

static CardanBuilder *arms_on_ground(int n) {
    return arms(n, false);
}

static CardanBuilder *arms_on_trunk(int n) {
    return arms(n, true);
}

static CardanBuilder *net(int n) {
    return mechanism_net((int)sqrt((double)n));
}

static const struct {
    const char *name;
    CardanBuilder *(*make)(int n);
    CardanCoordinates coordinates;
    int steps;
} SHAPES[] = {{"arms", arms_on_ground, CARDAN_COORDINATES_AUTO, 40},
              {"arms on a trunk", arms_on_trunk, CARDAN_COORDINATES_AUTO, 40},
              {"chain", bench_spatial_chain, CARDAN_COORDINATES_AUTO, 40},
              {"ladder", bench_ladder, CARDAN_COORDINATES_AUTO, 40},
              {"ladder, absolute", bench_ladder, CARDAN_COORDINATES_ABSOLUTE, 40},
              {"net", net, CARDAN_COORDINATES_AUTO, 4}};
enum { COUNT = sizeof SHAPES / sizeof *SHAPES };

typedef struct Run {
    CardanSim *sim;
    double clock, caller; /* s; of the shortest step */
} Run;

/* A hundredth of a second is far from the singular poses that ladders have. */
static CardanStatus step(Run *run) {
    double clock = clock_now(), caller = bench_now();
    CardanStatus status = cardan_sim_step(run->sim, cardan_sim_time(run->sim) + 0.01);
    caller = bench_now() - caller;
    clock = clock_now() - clock;
    if (run->clock == 0.0 || clock < run->clock) run->clock = clock;
    if (run->caller == 0.0 || caller < run->caller) run->caller = caller;
    if (status < 0) fprintf(stderr, "%s\n", cardan_sim_message(run->sim));
    return status;
}

/* To the bit: 1 yes, 0 no, -1 not known. */
static int same_state(CardanSim *a, CardanSim *b) {
    int size = cardan_sim_state_size(a), same = -1;
    double *numbers = calloc(2 * (size_t)size, sizeof *numbers);
    if (numbers != NULL && cardan_sim_get_state(a, numbers) >= 0 && cardan_sim_get_state(b, numbers + size) >= 0)
        same = cardan_sim_state_size(b) == size && memcmp(numbers, numbers + size, (size_t)size * sizeof *numbers) == 0;
    free(numbers);
    return same;
}

static void print(const char *name, int n, const Run runs[2], bool same, bool json) {
    const char *format =
        json ? "{\"bench\": \"threads\", \"mechanism\": \"%s\", \"bodies\": %d, \"by_clock\": %.3g, "
               "\"by_caller\": %.3g, \"step_us\": %.4g, \"same_bits\": %s}\n"
             : "  %-17s %8d bodies: two threads %5.2f times faster by the clock, %5.2f by the caller's processor time "
               "(one: %.0f us a step), same bits: %s\n";
    printf(format, name, n, runs[0].clock / runs[1].clock, runs[0].caller / runs[1].caller, 1e6 * runs[0].clock,
           json ? (same ? "true" : "false") : (same ? "yes" : "NO"));
}

static int measure(int shape, int n, bool json) {
    CardanModel *model = NULL;
    Run runs[2] = {{0}};
    CardanBuilder *builder = SHAPES[shape].make(n);
    CardanStatus status = cardan_builder_compile(builder, &model);
    if (status < 0) fprintf(stderr, "%s\n", cardan_builder_message(builder));
    cardan_builder_destroy(builder);
    for (int i = 0; status >= 0 && i < 2; i++) {
        CardanOptions options = cardan_model_options(model);
        options.threads = i == 0 ? 1 : THREADS;
        options.coordinates = SHAPES[shape].coordinates;
        status = cardan_sim_create(model, &options, &runs[i].sim);
    }
    for (int k = 0; k < (bench_is_quick() ? 1 : SHAPES[shape].steps); k++)
        for (int i = 0; status >= 0 && i < 2; i++) status = step(&runs[i]);
    int same = status >= 0 ? same_state(runs[0].sim, runs[1].sim) : -1;
    if (same >= 0) print(SHAPES[shape].name, n, runs, same == 1, json);
    for (int i = 0; i < 2; i++) cardan_sim_destroy(runs[i].sim);
    cardan_model_release(model);
    return same == 1 ? 0 : 1;
}

int bench_threads(const BenchOptions *options) {
    int n = options->size > 0 ? (int)options->size : 10000, failed = 0;
    for (int shape = 0; shape < COUNT; shape++) failed |= measure(shape, n, options->json);
    return failed;
}
