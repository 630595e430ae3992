/* How time and memory grow with the mechanism: chains in the plane and in space and ladders of 1000, 10,000 ... to N
 * bodies (100,000). Of each, in a process of its own: making it (builder, model, simulation), its first step and the
 * most memory there was at a time. And of those to 100,000, in one process and in turn, so that what else the machine
 * does meets all alike: the shortest step and right-hand side of some, with one thread, whose processor time is told.
 */
#include "bench.h"

#include "integrate/refining.h"
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

static const struct {
    const char *name;
    CardanBuilder *(*make)(int n);
} SHAPES[] = {{"planar chain", planar_chain}, {"spatial chain", bench_spatial_chain}, {"ladder", bench_ladder}};
enum { COUNT = sizeof SHAPES / sizeof *SHAPES, SMALLEST = 1000, SIZES = 3, ROUNDS = 25 };

typedef struct Result {
    double made, first; /* s */
    double memory;      /* bytes */
    bool relative, failed;
} Result;

typedef struct Growth {
    int count;                      /* sizes there are; 0: it failed */
    double step[SIZES], rhs[SIZES]; /* s */
} Growth;

static double peak_memory(void) {
    struct rusage usage;
    return getrusage(RUSAGE_SELF, &usage) == 0 ? 1024.0 * (double)usage.ru_maxrss : 0.0;
}

static CrdIntegrator *integrator_of(CardanSim *sim) {
    return sim->relative.leads ? &sim->relative.integrator : &sim->integrator;
}

static void call_rhs(void *user) {
    CrdIntegrator *integrator = integrator_of(user);
    CrdStepper *stepper = &integrator->stepper;
    stepper->ode.rhs(stepper->ode.user, stepper->t, stepper->y, stepper->y_new);
    crd_integrator_touch(integrator);
}

/* All steps of a ladder together end before its flat pose, at 0.85 s, where absolute coordinates have to make them. */
static CardanStatus step(CardanSim *sim, double *seconds) {
    double start = bench_now();
    CardanStatus status = cardan_sim_step(sim, cardan_sim_time(sim) + 0.001);
    *seconds = bench_now() - start;
    return status;
}

static CardanSim *make(int shape, int n) {
    CardanModel *model = NULL;
    CardanSim *sim = NULL;
    CardanOptions options = cardan_default_options();
    CardanBuilder *builder = SHAPES[shape].make(n);
    CardanStatus status = cardan_builder_compile(builder, &model);
    if (status < 0) fprintf(stderr, "%s\n", cardan_builder_message(builder));
    cardan_builder_destroy(builder);
    options.threads = 1;
    if (status >= 0 && cardan_sim_create(model, &options, &sim) < 0) fprintf(stderr, "%s\n", cardan_sim_message(sim));
    cardan_model_release(model);
    return sim;
}

static void measure(int shape, int n, void *out) {
    Result *result = out;
    double start = bench_now(), seconds;
    CardanSim *sim = make(shape, n);
    result->made = bench_now() - start;
    result->failed = step(sim, &result->first) < 0 || (!bench_is_quick() && step(sim, &seconds) < 0);
    result->relative = sim != NULL && sim->relative.leads;
    result->memory = peak_memory();
    cardan_sim_destroy(sim);
}

static void shorten(double *shortest, double seconds) {
    if (*shortest == 0.0 || seconds < *shortest) *shortest = seconds;
}

/* Of small ones more steps, so that their shortest is as sure. */
static CardanStatus measure_round(CardanSim *const *sims, Growth *growth) {
    for (int i = growth->count - 1, times = 1; i >= 0; i--, times = 4 * times) {
        for (int k = 0; k < times; k++) {
            double seconds;
            CRD_TRY(step(sims[i], &seconds));
            shorten(&growth->step[i], seconds);
        }
        crd_refining_begin(integrator_of(sims[i]), cardan_sim_last_step(sims[i])); /* as stages of a step like that */
        shorten(&growth->rhs[i], bench_shortest(call_rhs, sims[i], 1));
        crd_refining_end(integrator_of(sims[i]));
    }
    return CARDAN_OK;
}

/* Of sizes up to n. */
static void measure_growth(int shape, int n, void *out) {
    Growth *growth = out;
    CardanSim *sims[SIZES] = {NULL};
    CardanStatus status = CARDAN_OK;
    for (long size = SMALLEST; size <= n && growth->count < SIZES; size *= 10)
        if ((sims[growth->count++] = make(shape, (int)size)) == NULL) status = CARDAN_ERR_MEMORY;
    for (int i = 0; status >= 0 && i < (bench_is_quick() ? 1 : ROUNDS); i++) status = measure_round(sims, growth);
    for (int i = 0; i < SIZES; i++) cardan_sim_destroy(sims[i]);
    if (status < 0) growth->count = 0;
}

/* In a process of its own, so that the most memory is its own; out: what it measured. */
static bool measure_apart(void (*of)(int shape, int n, void *out), int shape, int n, void *out, size_t size) {
    int ends[2];
    fflush(stdout);
    if (pipe(ends) != 0) return false;
    pid_t child = fork();
    if (child == 0) {
        of(shape, n, out);
        _exit(write(ends[1], out, size) == (ssize_t)size ? 0 : 1);
    }
    close(ends[1]);
    bool done = child > 0 && read(ends[0], out, size) == (ssize_t)size;
    close(ends[0]);
    if (child > 0) waitpid(child, NULL, 0);
    return done;
}

static void print(const char *name, int n, const Result *r, bool json) {
    const char *format = json ? "{\"bench\": \"large\", \"mechanism\": \"%s\", \"bodies\": %d, \"coordinates\": "
                                "\"%s\", \"made_in_steps\": "
                                "%.3g, \"bytes\": %.4g}\n"
                              : "  %-14s %8d %-8s  made in %5.2f steps  %6.0f bytes a body\n";
    printf(format, name, n, r->relative ? "relative" : "absolute", r->made / r->first, r->memory / n);
}

static void print_growth(const char *name, const Growth *growth, bool json) {
    const char *format =
        json ? "{\"bench\": \"large\", \"mechanism\": \"%s\", \"bodies\": %ld, \"rhs_ns\": %.4g, \"rhs_growth\": %.3g, "
               "\"step_ns\": %.4g, \"step_growth\": %.3g}\n"
             : "  %-14s %8ld  rhs %6.1f ns a body (x %.2f)  step %7.0f ns a body (x %.2f)\n";
    long n = SMALLEST;
    for (int i = 0; i < growth->count; i++, n *= 10) {
        double part = (double)n / SMALLEST;
        printf(format, name, n, 1e9 * growth->rhs[i] / (double)n, growth->rhs[i] / part / growth->rhs[0],
               1e9 * growth->step[i] / (double)n, growth->step[i] / part / growth->step[0]);
    }
}

int bench_large(const BenchOptions *options) {
    long most = options->size > 0 ? options->size : 100000;
    for (int shape = 0; shape < COUNT; shape++) {
        Growth growth = {0};
        for (long n = SMALLEST; n <= most; n *= 10) {
            Result result = {.failed = true};
            if (!measure_apart(measure, shape, (int)n, &result, sizeof result) || result.failed) return 1;
            print(SHAPES[shape].name, (int)n, &result, options->json);
        }
        if (!measure_apart(measure_growth, shape, (int)most, &growth, sizeof growth) || growth.count == 0) return 1;
        print_growth(SHAPES[shape].name, &growth, options->json);
    }
    return 0;
}
