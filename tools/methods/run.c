/* One run of a combination, measured against the reference. */
#include "methods.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "interrupt.h"

enum { LOOK_EVERY = 32 }; /* steps between looks at the clock */

static double clock_seconds(clockid_t which) {
    struct timespec now = {0};
    clock_gettime(which, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

double wall_seconds(void) {
    return clock_seconds(CLOCK_MONOTONIC);
}

double thread_seconds(void) {
    return clock_seconds(CLOCK_THREAD_CPUTIME_ID);
}

/* ---- driving ---- */

bool drive_open(Drive *drive, const CardanModel *model, const CardanOptions *options, const Limits *limits) {
    CardanSizes sizes = cardan_model_sizes(model);
    *drive = (Drive){.model = model, .limits = limits, .end = options->end, .nq = sizes.coordinates};
    drive->n = sizes.coordinates + sizes.velocities + sizes.first_order;
    drive->state = calloc((size_t)drive->n + 1, sizeof *drive->state);
    CardanStatus status = drive->state != NULL ? cardan_sim_create(model, options, &drive->sim) : CARDAN_ERR_MEMORY;
    drive->began = thread_seconds();
    if (status < 0)
        snprintf(drive->why, sizeof drive->why, "%s",
                 drive->sim != NULL ? cardan_sim_message(drive->sim) : "out of memory");
    drive->refused = status < 0 && status != CARDAN_ERR_NUMERIC && status != CARDAN_ERR_MEMORY;
    if (status >= 0) drive_read(drive);
    return status >= 0;
}

void drive_close(Drive *drive) {
    cardan_sim_destroy(drive->sim);
    free(drive->state);
    drive->sim = NULL;
    drive->state = NULL;
}

void drive_read(Drive *drive) {
    CardanSizes sizes = cardan_model_sizes(drive->model);
    size_t nq = (size_t)sizes.coordinates, nv = (size_t)sizes.velocities, nz = (size_t)sizes.first_order;
    const CardanFirstOrder all_states = {0};
    memcpy(drive->state, cardan_sim_positions(drive->sim), nq * sizeof *drive->state);
    memcpy(drive->state + nq, cardan_sim_velocities(drive->sim), nv * sizeof *drive->state);
    if (nz > 0)
        memcpy(drive->state + nq + nv, cardan_sim_first_order(drive->sim, all_states), nz * sizeof *drive->state);
    for (int i = 0; i < drive->n; i++) {
        double *size = &drive->size[i >= drive->nq];
        if (!(fabs(drive->state[i]) <= *size)) *size = fabs(drive->state[i]);
    }
}

/* Whether the run must end; why then says the reason. */
static bool out_of_time(Drive *drive) {
    const Limits *limits = drive->limits;
    double t = cardan_sim_time(drive->sim);
    if (interrupt_signal() != 0)
        snprintf(drive->why, sizeof drive->why, "interrupted");
    else if (thread_seconds() - drive->began > limits->seconds)
        snprintf(drive->why, sizeof drive->why, "the limit of %.3g s for one run was reached at t = %.6g",
                 limits->seconds, t);
    else if (wall_seconds() > limits->deadline)
        snprintf(drive->why, sizeof drive->why, "the time budget was used up at t = %.6g", t);
    return drive->why[0] != '\0';
}

bool drive_to(Drive *drive, int k) {
    double t = k + 1 == drive->landings ? drive->end : drive->end * (k + 1) / drive->landings;
    while (cardan_sim_time(drive->sim) < t) {
        if (cardan_sim_step(drive->sim, t) < 0) {
            snprintf(drive->why, sizeof drive->why, "%s", cardan_sim_message(drive->sim));
            return false;
        }
        if (drive->watch_size) drive_read(drive);
        if (!drive->early_known && cardan_sim_time(drive->sim) >= 0.25 * drive->end) {
            drive->early_known = cardan_sim_residual(drive->sim, &drive->early) >= 0;
        }
        if (++drive->steps % LOOK_EVERY == 0 && out_of_time(drive)) return false;
    }
    drive_read(drive);
    return true;
}

/* ---- a run ---- */

double reference_distance(const Reference *reference, const double *a, const double *b) {
    double most = 0.0;
    for (int i = 0; i < reference->n; i++) {
        double apart = fabs(a[i] - b[i]) / reference->size[i >= reference->nq];
        if (!(apart <= most)) most = apart; /* keeps a NaN */
    }
    return most;
}

/* The larger of the largest residuals of positions and velocities, each against its size. */
static double drift_share(const Reference *reference, CardanResidual residual) {
    return fmax(residual.position_max / reference->size[0], residual.velocity_max / reference->size[1]);
}

/* Drives the simulation over the landings and notes errors and drifts. */
static bool run_landings(Drive *drive, const Reference *reference, MethodRun *run) {
    drive->landings = reference->landings;
    run->error = 0.0;
    for (int k = 0; k < drive->landings; k++) {
        if (!drive_to(drive, k)) return false;
        double apart = reference_distance(reference, drive->state, reference->state[k]);
        if (!(apart <= run->error)) run->error = apart;
    }
    CardanResidual residual;
    if (cardan_sim_residual(drive->sim, &residual) < 0) {
        snprintf(drive->why, sizeof drive->why, "%s", cardan_sim_message(drive->sim));
        return false;
    }
    run->drift[0] = residual.position_max;
    run->drift[1] = residual.velocity_max;
    run->drift_share = drift_share(reference, residual);
    run->growth = run->drift_share / fmax(drift_share(reference, drive->early), DBL_EPSILON);
    if (isfinite(run->error)) return true;
    snprintf(drive->why, sizeof drive->why, "the motion is not finite");
    return false;
}

void method_run(const CardanModel *model, const CardanOptions *options, const Reference *reference,
                const Limits *limits, MethodRun *run) {
    Drive d;
    *run = (MethodRun){.step = options->step, .rtol = options->rtol, .atol = options->atol};
    run->done = drive_open(&d, model, options, limits) && run_landings(&d, reference, run);
    run->seconds = thread_seconds() - d.began;
    CardanWork work;
    CardanEnergy energy;
    if (cardan_sim_work(d.sim, &work) >= 0) run->work = work;
    if (run->done && cardan_sim_energy(d.sim, &energy) >= 0) run->energy = energy.drift_max;
    if (!run->done) {
        run->error = (double)NAN;
        run->why = strdup(d.why);
        run->refused = d.refused;
    }
    drive_close(&d);
}
