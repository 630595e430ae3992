/* Ten million RK4 steps of the slider-crank: residuals throughout, allocations, memory, energy drift. */
#include "bench.h"

#include "count_malloc.h"
#include "mechanisms.h"

#include <math.h>
#include <stdio.h>
#include <unistd.h>

static CardanStatus go(CardanSim *sim, long steps) {
    const long tenth = steps / 10 > 0 ? steps / 10 : 1;
    CardanStatus status = CARDAN_OK;
    for (long i = 0; status >= 0 && i < steps; i++) {
        status = cardan_sim_step(sim, (double)INFINITY);
        if (isatty(STDERR_FILENO) && i % tenth == 0) fprintf(stderr, "\r%3ld %%", 100 * i / steps);
    }
    if (isatty(STDERR_FILENO)) fprintf(stderr, "\r     \r");
    return status;
}

static int report(CardanSim *sim, long steps, bool json) {
    if (cardan_sim_step(sim, (double)INFINITY) < 0) return 1; /* what is made once is made now */
    long resident = bench_resident();
    count_malloc_start();
    double start = bench_now();
    if (go(sim, steps) < 0) return 1;
    double seconds = bench_now() - start;
    count_malloc_stop();
    long grown = bench_resident() - resident;
    CardanResidual residual;
    CardanEnergy energy;
    CardanWork work;
    if (cardan_sim_residual(sim, &residual) < 0 || cardan_sim_energy(sim, &energy) < 0 ||
        cardan_sim_work(sim, &work) < 0)
        return 1;
    const char *format =
        json ? "{\"bench\": \"long\", \"steps\": %ld, \"t\": %.9g, \"position_max\": %.3g, \"velocity_max\": %.3g, "
               "\"energy_drift_max\": %.3g, \"energy\": %.9g, \"allocations\": %ld, \"resident_growth_kb\": %ld, "
               "\"refreshed\": %ld, \"seconds\": %.4g}\n"
             : "steps %ld, t = %.9g s\nposition residual at most %.3g, velocity residual at most %.3g\n"
               "energy drift at most %.3g J of %.9g J\nallocations in steps %ld, resident memory grew %ld kB\n"
               "fresh factors %ld, %.4g s\n";
    printf(format, work.steps, cardan_sim_time(sim), residual.position_max, residual.velocity_max, energy.drift_max,
           energy.total, count_malloc_total(), grown, work.refreshed, seconds);
    return 0;
}

int bench_long(const BenchOptions *options) {
    long steps = options->size > 0 ? options->size : 10 * 1000 * 1000;
    CardanBuilder *builder = mechanism_slider_crank(0.2, 0.4, 1.0471975511965976);
    CardanModel *model = NULL;
    CardanSim *sim = NULL;
    CardanOptions choice = cardan_default_options();
    choice.stepper = CARDAN_STEPPER_RK4;
    choice.step = 1e-3;
    int failed = 1;
    if (cardan_builder_compile(builder, &model) < 0)
        fprintf(stderr, "%s\n", cardan_builder_message(builder));
    else if (cardan_sim_create(model, &choice, &sim) < 0 || (failed = report(sim, steps, options->json)) != 0)
        fprintf(stderr, "%s\n", cardan_sim_message(sim));
    cardan_sim_destroy(sim);
    cardan_model_release(model);
    cardan_builder_destroy(builder);
    return failed;
}
