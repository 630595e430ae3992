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

bool drive_open(Drive *d, const CardanModel *model, const CardanOptions *options, const Limits *limits) {
    CardanSizes sizes = cardan_model_sizes(model);
    *d = (Drive){.model = model, .limits = limits, .end = options->end, .nq = sizes.coordinates};
    d->n = sizes.coordinates + sizes.velocities + sizes.first_order;
    d->state = calloc((size_t)d->n + 1, sizeof *d->state);
    CardanStatus status = d->state != NULL ? cardan_sim_create(model, options, &d->sim) : CARDAN_ERR_MEMORY;
    d->began = thread_seconds();
    if (status < 0)
        snprintf(d->why, sizeof d->why, "%s", d->sim != NULL ? cardan_sim_message(d->sim) : "out of memory");
    d->refused = status < 0 && status != CARDAN_ERR_NUMERIC && status != CARDAN_ERR_MEMORY;
    if (status >= 0) drive_read(d);
    return status >= 0;
}

void drive_close(Drive *d) {
    cardan_sim_destroy(d->sim);
    free(d->state);
    d->sim = NULL;
    d->state = NULL;
}

void drive_read(Drive *d) {
    CardanSizes sizes = cardan_model_sizes(d->model);
    size_t nq = (size_t)sizes.coordinates, nv = (size_t)sizes.velocities, nz = (size_t)sizes.first_order;
    const CardanStates all_states = {0};
    memcpy(d->state, cardan_sim_positions(d->sim), nq * sizeof *d->state);
    memcpy(d->state + nq, cardan_sim_velocities(d->sim), nv * sizeof *d->state);
    if (nz > 0) memcpy(d->state + nq + nv, cardan_sim_states(d->sim, all_states), nz * sizeof *d->state);
    for (int i = 0; i < d->n; i++) {
        double *size = &d->size[i >= d->nq];
        if (!(fabs(d->state[i]) <= *size)) *size = fabs(d->state[i]);
    }
}

/* Whether the run must end; why then says the reason. */
static bool out_of_time(Drive *d) {
    const Limits *l = d->limits;
    double t = cardan_sim_time(d->sim);
    if (interrupt_signal() != 0)
        snprintf(d->why, sizeof d->why, "interrupted");
    else if (thread_seconds() - d->began > l->seconds)
        snprintf(d->why, sizeof d->why, "the limit of %.3g s for one run was reached at t = %.6g", l->seconds, t);
    else if (wall_seconds() > l->deadline)
        snprintf(d->why, sizeof d->why, "the time budget was used up at t = %.6g", t);
    return d->why[0] != '\0';
}

bool drive_to(Drive *d, int k) {
    double t = k + 1 == d->landings ? d->end : d->end * (k + 1) / d->landings;
    while (cardan_sim_time(d->sim) < t) {
        if (cardan_sim_step(d->sim, t) < 0) {
            snprintf(d->why, sizeof d->why, "%s", cardan_sim_message(d->sim));
            return false;
        }
        if (d->watch_size) drive_read(d);
        if (!d->early_known && cardan_sim_time(d->sim) >= 0.25 * d->end) {
            d->early = cardan_sim_residual(d->sim);
            d->early_known = true;
        }
        if (++d->steps % LOOK_EVERY == 0 && out_of_time(d)) return false;
    }
    drive_read(d);
    return true;
}

/* ---- a run ---- */

double reference_distance(const Reference *r, const double *a, const double *b) {
    double most = 0.0;
    for (int i = 0; i < r->n; i++) {
        double apart = fabs(a[i] - b[i]) / r->size[i >= r->nq];
        if (!(apart <= most)) most = apart; /* keeps a NaN */
    }
    return most;
}

/* The larger of the largest residuals of positions and velocities, each against its size. */
static double drift_share(const Reference *reference, CardanResidual residual) {
    return fmax(residual.position_max / reference->size[0], residual.velocity_max / reference->size[1]);
}

/* Drives the simulation over the landings and notes errors and drifts. */
static bool run_landings(Drive *d, const Reference *reference, MethodRun *run) {
    d->landings = reference->landings;
    run->error = 0.0;
    for (int k = 0; k < d->landings; k++) {
        if (!drive_to(d, k)) return false;
        double apart = reference_distance(reference, d->state, reference->state[k]);
        if (!(apart <= run->error)) run->error = apart;
    }
    CardanResidual residual = cardan_sim_residual(d->sim);
    run->drift[0] = residual.position_max;
    run->drift[1] = residual.velocity_max;
    run->drift_share = drift_share(reference, residual);
    run->growth = run->drift_share / fmax(drift_share(reference, d->early), DBL_EPSILON);
    if (isfinite(run->error)) return true;
    snprintf(d->why, sizeof d->why, "the motion is not finite");
    return false;
}

void method_run(const CardanModel *model, const CardanOptions *options, const Reference *reference,
                const Limits *limits, MethodRun *run) {
    Drive d;
    *run = (MethodRun){.step = options->step, .rtol = options->rtol, .atol = options->atol};
    run->done = drive_open(&d, model, options, limits) && run_landings(&d, reference, run);
    run->seconds = thread_seconds() - d.began;
    if (d.sim != NULL) run->work = cardan_sim_work(d.sim);
    CardanEnergy energy = {0};
    if (run->done && cardan_sim_energy(d.sim, &energy) >= 0) run->energy = energy.drift_max;
    if (!run->done) {
        run->error = (double)NAN;
        run->why = strdup(d.why);
        run->refused = d.refused;
    }
    drive_close(&d);
}
