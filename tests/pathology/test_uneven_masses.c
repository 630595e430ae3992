/* Light and heavy bodies: answers do not depend on how far masses lie apart, or are refused by name.
 *
 * Accelerations are held against the saddle-point matrix of the same rows, masses and forces, solved in
 * long double by elimination with full pivoting: no S, no M^-1 and no metric has a part in it. */
#include "support/check.h"
#include "support/sample.h"
#include "support/scene.h"

#include "core/numbers.h"
#include "sim/sim.h"

#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- the scotch yoke ---- */

/* Crank of radius r driven at omega; inertia of the slider. The slot carries the slider's m r omega^2 cos(omega t). */
static double slot_error(double r, double inertia, const char *crank) {
    const double omega = 20.0, end = 1.0;
    char text[1024];
    snprintf(text, sizeof text,
             "cardan: 1\nspace: planar\nbodies:\n"
             "  crank: {%s, position: [%.17g, 0]}\n"
             "  slider: {mass: 2, inertia: %.17g, position: [%.17g, 0]}\n"
             "joints:\n"
             "  main: {type: revolute, bodies: [ground, crank], point: [0, 0]}\n"
             "  guide: {type: prismatic, bodies: [ground, slider], point: [0, 0], axis: [1, 0]}\n"
             "  slot: {type: point_on_line, bodies: [slider, crank], point: [%.17g, 0], axis: [0, 1]}\n"
             "  motor: {type: driver, joint: main, value: \"20*t\"}\n"
             "start: {velocities: project}\n",
             crank, r / 2, inertia, r + 0.2, r);
    CardanOptions options = cardan_default_options();
    CardanModel *model = scene_read(text);
    CardanSim *sim = scene_start(model, &options);
    double size = 2.0 * r * omega * omega, most = 0.0;
    long events = 0;
    for (int i = 1; i <= 20; i++) {
        double t = end * i / 20.0;
        if (cardan_sim_advance(sim, t) < 0)
            fail_msg("r = %g, inertia %g, %s: %s", r, inertia, crank, cardan_sim_message(sim));
        /* on the crank: as the slider is pulled to the left at t = 0 */
        most = fmax(most, fabs(scene_reaction(sim, model, "slot").force.x - size * cos(omega * t)) / size);
    }
    cardan_sim_events(sim, NULL, &events);
    assert_int_equal(events, 0);
    cardan_sim_destroy(sim);
    cardan_model_release(model);
    return most;
}

static void the_slot_force_of_a_scotch_yoke_does_not_depend_on_inertias(void **state) {
    (void)state;
    double most = 0.0;
    for (double r = 0.1; r < 2e3; r *= 10.0)
        for (double inertia = 1e-2; inertia > 5e-15; inertia *= 0.1) {
            double error = slot_error(r, inertia, "mass: 0.5, inertia: 0.05");
            if (!(error <= 1e-6)) fail_msg("r = %g, inertia %g: %.3g of the force", r, inertia, error);
            most = fmax(most, error);
        }
    print_message("    slot force: %.1e of its size at most\n", most);
}

static void a_crank_of_nearly_no_mass_carries_its_driver(void **state) {
    (void)state;
    for (double mass = 1e-2; mass > 5e-13; mass *= 0.01) {
        char crank[64];
        snprintf(crank, sizeof crank, "mass: %g, inertia: %g", mass, 0.1 * mass);
        double error = slot_error(1.0, 1e-2, crank);
        if (!(error <= 1e-6)) fail_msg("crank of %g kg: %.3g of the force", mass, error);
    }
}

/* ---- every model, one body at a time ---- */

typedef long double Real;

/* x <- A^-1 x by elimination with full pivoting, A by rows; false: it is singular. */
static bool solve(Real *a, Real *x, int n) {
    int *order = room((size_t)n, sizeof *order);
    bool regular = true;
    for (int i = 0; i < n; i++) order[i] = i;
    for (int k = 0; k < n && regular; k++) {
        int p = k, q = k;
        for (int i = k; i < n; i++)
            for (int j = k; j < n; j++)
                if (fabsl(a[i * n + j]) > fabsl(a[p * n + q])) p = i, q = j;
        regular = a[p * n + q] != 0.0L;
        for (int j = 0; j < n; j++) {
            Real t = a[k * n + j];
            a[k * n + j] = a[p * n + j];
            a[p * n + j] = t;
        }
        Real r = x[k];
        x[k] = x[p];
        x[p] = r;
        for (int i = 0; i < n; i++) {
            Real t = a[i * n + k];
            a[i * n + k] = a[i * n + q];
            a[i * n + q] = t;
        }
        int o = order[k];
        order[k] = order[q];
        order[q] = o;
        for (int i = k + 1; i < n && regular; i++) {
            Real f = a[i * n + k] / a[k * n + k];
            for (int j = k; f != 0.0L && j < n; j++) a[i * n + j] -= f * a[k * n + j];
            x[i] -= f * x[k];
        }
    }
    Real *y = room((size_t)n, sizeof *y);
    for (int i = n - 1; i >= 0 && regular; i--) {
        for (int j = i + 1; j < n; j++) x[i] -= a[i * n + j] * x[j];
        x[i] /= a[i * n + i];
        y[order[i]] = x[i];
    }
    for (int i = 0; i < n && regular; i++) x[i] = y[i];
    free(order);
    free(y);
    return regular;
}

/* Largest error of the accelerations in the workspace, of the largest (lengths of the model, rad). */
static double acceleration_error(const CardanSim *sim) {
    const CrdDynamics *dynamics = &sim->integrator.dynamics;
    const CrdStructure *structure = dynamics->model->structure;
    int nv = structure->nv, n = nv + structure->rows;
    double *k = room((size_t)n * (size_t)n, sizeof *k), *left = room((size_t)nv, sizeof *left);
    Real *a = room((size_t)n * (size_t)n, sizeof *a), *x = room((size_t)n, sizeof *x);
    crd_fill_saddle(dynamics->model, &dynamics->system, CARDAN_METRIC_MASS, k, n);
    for (int r = 0; r < n; r++)
        for (int c = 0; c < n; c++) {
            int low = r > c ? r : c, high = r > c ? c : r; /* the lower left corner is filled */
            a[r * n + c] = k[(size_t)(r < nv && c < nv ? r : low) + (size_t)n * (size_t)(r < nv && c < nv ? c : high)];
        }
    for (int i = 0; i < nv; i++) x[i] = dynamics->system.f[i];
    for (int i = 0; i < structure->rows; i++) {
        x[nv + i] = dynamics->target[i];
        if (!dynamics->redundancy.is_dropped[i]) continue;
        for (int c = 0; c < n; c++) a[(nv + i) * n + c] = a[c * n + nv + i] = 0.0L;
        a[(nv + i) * n + nv + i] = 1.0L;
        x[nv + i] = 0.0L;
    }
    bool regular = solve(a, x, n);
    for (int i = 0; i < nv; i++) left[i] = (double)x[i];
    double size = crd_reach(dynamics->model, left);
    for (int i = 0; i < nv; i++) left[i] = dynamics->a[i] - (double)x[i];
    assert_true(regular); /* else there is nothing to compare with */
    double error = size > 0.0 ? crd_reach(dynamics->model, left) / size : 0.0;
    free(k);
    free(left);
    free(a);
    free(x);
    return error;
}

static void scale_body(CrdBlockValues *values, double by) {
    values->mass *= by;
    values->inverse_mass /= by;
    for (int i = 0; i < 9; i++) {
        values->inertia[i] *= by;
        values->inverse_inertia[i] /= by;
    }
}

typedef struct Scan {
    int runs, refused;
    double most;
} Scan;

enum { STEPS = 12, ORDER_MAX = 150 };

static void scan_body(const char *path, int block, double by, Scan *scan) {
    CardanModel *model = scene_load(path);
    CardanOptions options = cardan_model_options(model);
    CardanSim *sim = NULL;
    options.coordinates = CARDAN_COORDINATES_ABSOLUTE; /* whose numbers are scaled */
    scale_body(&model->values.blocks[block], by);
    scan->runs++;
    CardanStatus status = cardan_sim_create(model, &options, &sim);
    for (int i = 0; status >= 0 && i < STEPS; i++) {
        status = cardan_sim_step(sim, options.end > 0.0 ? options.end : 1.0);
        bool exact = status >= 0 && crd_integrator_is_solved(&sim->integrator) &&
                     crd_singularity_measure(&sim->integrator.dynamics) >= CRD_LAND;
        if (!exact) continue;
        double error = acceleration_error(sim);
        if (!(error <= 1e-6)) fail_msg("%s, block %d times %g, step %d: %.3g", path, block, by, i, error);
        scan->most = fmax(scan->most, error);
        if (cardan_sim_time(sim) >= options.end) break;
    }
    if (status < 0) {
        scan->refused++;
        print_message("    %s, block %d times %g: %s\n", path, block, by, cardan_sim_message(sim));
    }
    cardan_sim_destroy(sim);
    cardan_model_release(model);
}

static void every_body_of_every_model_may_be_a_million_times_lighter_or_heavier(void **state) {
    (void)state;
    Scan scan = {0};
    int turn = 0;
    DIR *models = opendir("models");
    assert_non_null(models);
    for (const struct dirent *entry; (entry = readdir(models)) != NULL;) {
        char path[300];
        size_t length = strlen(entry->d_name);
        if (length < 6 || strcmp(entry->d_name + length - 5, ".yaml") != 0) continue;
        snprintf(path, sizeof path, "models/%s", entry->d_name);
        CardanModel *model = scene_load(path);
        const CrdStructure *structure = model->structure;
        int blocks = structure->nv + structure->rows <= ORDER_MAX ? structure->block_count : 0;
        for (int b = 0; b < blocks; b++)
            for (int side = 0; side < 2; side++)
                if (sample_has(turn++, 7)) scan_body(path, b, side == 0 ? 1e-6 : 1e6, &scan);
        cardan_model_release(model);
    }
    closedir(models);
    print_message("    %d runs, %d refused, accelerations to %.1e\n", scan.runs, scan.refused, scan.most);
    assert_true(scan.runs > sample_of(300, 7));
    assert_int_equal(scan.refused, 0);
}

/* In these S has lost which rows are redundant: the geometry tells. */
static void redundant_rows_are_found_whatever_the_masses(void **state) {
    (void)state;
    static const struct {
        const char *path;
        int block;
    } light[] = {{"models/bennett.yaml", 2},
                 {"models/sarrus.yaml", 2},
                 {"models/bricard.yaml", 2},
                 {"models/bricard.yaml", 3},
                 {"models/bricard.yaml", 4}};
    static const double by[] = {1e-6, 1e-9, 1e-12};
    Scan scan = {0};
    for (int i = 0; i < 5; i++)
        for (int k = 0; k < 3; k++) scan_body(light[i].path, light[i].block, by[k], &scan);
    assert_int_equal(scan.refused, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_slot_force_of_a_scotch_yoke_does_not_depend_on_inertias),
        cmocka_unit_test(a_crank_of_nearly_no_mass_carries_its_driver),
        cmocka_unit_test(every_body_of_every_model_may_be_a_million_times_lighter_or_heavier),
        cmocka_unit_test(redundant_rows_are_found_whatever_the_masses),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
