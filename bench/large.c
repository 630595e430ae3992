/* How time and memory grow with the mechanism: chains in the plane and in space and ladders of 1000, 10,000 ... to N
 * bodies (100,000), each in a process of its own. Of each: making it (builder, model, simulation), its first step, the
 * shortest step and right-hand side of some, and the most memory there was at a time. */
#include "bench.h"

#include "mechanisms.h"
#include "sim/sim.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static CardanBuilder *planar_chain(int n) {
    return mechanism_chain(CARDAN_SPACE_PLANAR, n);
}

static CardanBuilder *spatial_chain(int n) {
    return mechanism_chain(CARDAN_SPACE_SPATIAL, n);
}

static CardanBuilder *ladder(int n) {
    return mechanism_four_bars((n - 1) / 2);
}

static const struct {
    const char *name;
    CardanBuilder *(*make)(int n);
} SHAPES[] = {{"planar chain", planar_chain}, {"spatial chain", spatial_chain}, {"ladder", ladder}};
enum { COUNT = sizeof SHAPES / sizeof *SHAPES, SMALLEST = 1000, WORK = 2000000 };

typedef struct Result {
    double made, first, step, rhs; /* s */
    double memory;                 /* bytes */
    bool relative, failed;
} Result;

static double peak_memory(void) {
    struct rusage usage;
    return getrusage(RUSAGE_SELF, &usage) == 0 ? 1024.0 * (double)usage.ru_maxrss : 0.0;
}

static void call_rhs(void *user) {
    CardanSim *sim = user;
    CrdIntegrator *integrator = sim->relative.leads ? &sim->relative.integrator : &sim->integrator;
    CrdStepper *stepper = &integrator->stepper;
    stepper->ode.rhs(stepper->ode.user, stepper->t, stepper->y, stepper->y_new);
    crd_integrator_touch(integrator);
}

/* A hundredth of a second is far from the singular poses that ladders have. */
static CardanStatus step(CardanSim *sim, double *seconds) {
    double start = bench_now();
    CardanStatus status = cardan_sim_step(sim, cardan_sim_time(sim) + 0.01);
    *seconds = bench_now() - start;
    return status;
}

static CardanStatus measure_steps(CardanSim *sim, int repeats, Result *result) {
    CRD_TRY(step(sim, &result->first));
    result->step = result->first;
    for (int i = 1; i < repeats; i++) {
        double seconds;
        CRD_TRY(step(sim, &seconds));
        if (seconds < result->step) result->step = seconds;
    }
    result->relative = sim->relative.leads;
    result->rhs = bench_shortest(call_rhs, sim, repeats);
    return CARDAN_OK;
}

static Result measure(int shape, int n) {
    Result result = {.failed = true};
    CardanModel *model = NULL;
    CardanSim *sim = NULL;
    double start = bench_now();
    CardanBuilder *builder = SHAPES[shape].make(n);
    CardanStatus status = cardan_builder_compile(builder, &model);
    if (status < 0) fprintf(stderr, "%s\n", cardan_builder_message(builder));
    cardan_builder_destroy(builder);
    if (status >= 0) {
        status = cardan_sim_create(model, NULL, &sim);
        result.made = bench_now() - start;
        int repeats = WORK / n < 3 ? 3 : WORK / n > 30 ? 30 : WORK / n;
        if (status >= 0) status = measure_steps(sim, bench_is_quick() ? 1 : repeats, &result);
        if (status < 0) fprintf(stderr, "%s\n", cardan_sim_message(sim));
    }
    result.memory = peak_memory();
    result.failed = status < 0;
    cardan_sim_destroy(sim);
    cardan_model_release(model);
    return result;
}

/* In a process of its own, so that the most memory is its own. */
static Result measure_apart(int shape, int n) {
    Result result = {.failed = true};
    int ends[2];
    fflush(stdout);
    if (pipe(ends) != 0) return result;
    pid_t child = fork();
    if (child == 0) {
        Result own = measure(shape, n);
        _exit(write(ends[1], &own, sizeof own) == (ssize_t)sizeof own ? 0 : 1);
    }
    close(ends[1]);
    if (child < 0 || read(ends[0], &result, sizeof result) != (ssize_t)sizeof result) result.failed = true;
    close(ends[0]);
    if (child > 0) waitpid(child, NULL, 0);
    return result;
}

static void print(const char *name, int n, const Result *r, const Result *smallest, bool json) {
    const char *format =
        json ? "{\"bench\": \"large\", \"mechanism\": \"%s\", \"bodies\": %d, \"coordinates\": \"%s\", \"rhs_ns\": "
               "%.4g, "
               "\"rhs_growth\": %.3g, \"step_ns\": %.4g, \"step_growth\": %.3g, \"made_in_steps\": %.3g, "
               "\"bytes\": %.4g}\n"
             : "  %-14s %8d %-8s  rhs %6.1f ns a body (x %.2f)  step %7.0f ns a body (x %.2f)  made in %5.2f steps  "
               "%6.0f bytes a body\n";
    printf(format, name, n, r->relative ? "relative" : "absolute", 1e9 * r->rhs / n,
           r->rhs / n / (smallest->rhs / SMALLEST), 1e9 * r->step / n, r->step / n / (smallest->step / SMALLEST),
           r->made / r->first, r->memory / n);
}

int bench_large(const BenchOptions *options) {
    long most = options->size > 0 ? options->size : 100000;
    for (int shape = 0; shape < COUNT; shape++) {
        Result smallest = {0};
        for (long n = SMALLEST; n <= most; n *= 10) {
            Result result = measure_apart(shape, (int)n);
            if (result.failed) return 1;
            if (n == SMALLEST) smallest = result;
            print(SHAPES[shape].name, (int)n, &result, &smallest, options->json);
        }
    }
    return 0;
}
