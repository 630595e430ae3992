/* What stabilisation evaluates in place of all rows: g and the rates of the rows alone, against the rows and G v; two
 * right sides in one sweep against two solves, with every back end. */
#include "fuzz/bytes.h"
#include "sim/sim.h"
#include "support/check.h"
#include "support/made_model.h"
#include "support/random.h"
#include "support/scene.h"

#include <dirent.h>

/* Rounding of numbers of this size through some tens of operations. */
static const double ROUNDING = 1e-13;

typedef struct Rows {
    double *g, *rate;
} Rows;

static Rows rows_of(const CrdSystem *system, int rows) {
    size_t n = (size_t)(rows > 0 ? rows : 1);
    Rows out = {room(n, sizeof(double)), room(n, sizeof(double))};
    memcpy(out.g, system->g, (size_t)rows * sizeof(double));
    memcpy(out.rate, system->rate, (size_t)rows * sizeof(double));
    return out;
}

/* The workspace holds the rows of (q, v). */
static void check_residuals(const CardanModel *model, const double *q, const double *v, const CrdActions *actions,
                            CrdSystem *system, const char *name) {
    CrdError error = {0};
    int rows = model->structure->rows;
    Rows full = rows_of(system, rows);
    double size = 1.0 + worst_of(q, model->structure->nq), speed = 1.0 + worst_of(v, model->structure->nv);
    memset(system->g, 0x7f, (size_t)rows * sizeof(double)); /* what is not written shows */
    memset(system->rate, 0x7f, (size_t)rows * sizeof(double));
    assert_int_equal(crd_residuals(model, q, v, actions, system, &error), CARDAN_OK);
    for (int i = 0; i < rows; i++) {
        check_near(system->g[i], full.g[i], ROUNDING * size * size, "%s: row %d", name, i);
        check_near(system->rate[i], full.rate[i], ROUNDING * size * size * speed, "%s: rate of row %d", name, i);
    }
    free(full.g);
    free(full.rate);
}

static void model_files_have_the_residuals_of_their_rows(void **state) {
    (void)state;
    DIR *folder = opendir("models");
    assert_non_null(folder);
    int models = 0;
    for (const struct dirent *entry; (entry = readdir(folder)) != NULL;) {
        char path[300];
        const char *end = strrchr(entry->d_name, '.');
        if (end == NULL || strcmp(end, ".yaml") != 0) continue;
        snprintf(path, sizeof path, "models/%s", entry->d_name);
        CardanModel *model = scene_load(path);
        CardanOptions options = cardan_model_options(model);
        CardanSim *sim = scene_start(model, &options);
        scene_advance(sim, 0.1);
        CrdIntegrator *integrator = &sim->integrator;
        const double *y = integrator->stepper.y;
        crd_integrator_use_tracked(integrator, y);
        assert_true(crd_integrator_evaluate_constraints(integrator, integrator->stepper.t, y) >= 0);
        check_residuals(model, y, y + model->structure->nq, &integrator->dynamics.actions, &integrator->dynamics.system,
                        entry->d_name);
        models++;
        cardan_sim_destroy(sim);
        cardan_model_release(model);
    }
    closedir(folder);
    assert_true(models > 40);
}

/* Off their constraints, and in motion. */
static void made_models_have_the_residuals_of_their_rows(void **state) {
    (void)state;
    int models = 0;
    for (unsigned seed = 1; seed <= 1000; seed++) {
        unsigned char noise[256];
        Random random = {seed};
        for (size_t i = 0; i < sizeof noise; i++) noise[i] = (unsigned char)random_index(&random, 256);
        Bytes bytes = bytes_of(noise, sizeof noise);
        Made made;
        CardanModel *model = NULL;
        made_model(&made, &bytes, false);
        CardanStatus status = cardan_builder_compile(made.builder, &model);
        cardan_builder_destroy(made.builder);
        if (status < 0) continue;
        const CrdStructure *structure = model->structure;
        CrdSystem system = {0};
        CrdArena arena = {0};
        CrdError error = {0};
        CrdActions none = {0};
        double *v = room((size_t)structure->nv, sizeof *v);
        for (int i = 0; i < structure->nv; i++) v[i] = random_signed(&random);
        crd_system_layout(&system, structure, &arena);
        assert_true(crd_arena_allocate(&arena));
        crd_system_layout(&system, structure, &arena);
        const double *q = model->values.q0;
        char name[32];
        snprintf(name, sizeof name, "made model %u", seed);
        if (crd_kinematics(model, 0.3, q, v, &system, &error) >= 0 &&
            crd_constraints(model, q, v, &none, &system, &error) >= 0) {
            check_residuals(model, q, v, &none, &system, name);
            models++;
        }
        free(v);
        crd_arena_free(&arena);
        cardan_model_release(model);
    }
    assert_true(models > 300);
}

/* ---- two right sides ---- */

static void check_solver(CrdSolver *solver, int n, const char *name) {
    double *both = room(2 * (size_t)n, sizeof *both), *one = room((size_t)n, sizeof *one),
           *two = room((size_t)n, sizeof *two), *scratch = room((size_t)n, sizeof *scratch);
    Random random = {3};
    for (int i = 0; i < n; i++) {
        both[2 * i] = one[i] = random_signed(&random);
        both[2 * i + 1] = two[i] = random_signed(&random);
    }
    assert_int_equal(solver->ops->solve(solver, one), CARDAN_OK);
    assert_int_equal(solver->ops->solve(solver, two), CARDAN_OK);
    assert_int_equal(crd_solver_solve_twice(solver, both, scratch), CARDAN_OK);
    double size = fmax(worst_of(one, n), worst_of(two, n));
    for (int i = 0; i < n; i++) {
        check_near(both[2 * i], one[i], 1e-11 * size, "%s: first right side", name);
        check_near(both[2 * i + 1], two[i], 1e-11 * size, "%s: second right side", name);
    }
    free(both);
    free(one);
    free(two);
    free(scratch);
}

static void two_right_sides_in_one_sweep_are_two_solves(void **state) {
    (void)state;
    static const char *const MODELS[] = {"models/bricard.yaml", "models/stewart_platform.yaml", "models/vehicle.yaml",
                                         "models/jansen_leg.yaml"};
    for (size_t i = 0; i < sizeof MODELS / sizeof *MODELS; i++)
        for (int kind = 1; kind < CARDAN_SOLVERS; kind++) {
            if (i == 0 && kind == CARDAN_SOLVER_SADDLE) continue; /* it takes no redundant rows */
            CardanModel *model = scene_load(MODELS[i]);
            CardanOptions options = cardan_model_options(model);
            options.solver = (CardanSolver)kind;
            CardanSim *sim = scene_start(model, &options);
            CrdDynamics *dynamics = &sim->integrator.dynamics;
            scene_advance(sim, 0.05);
            assert_true(dynamics->factor.made);
            check_solver(dynamics->factor.solver, model->structure->rows, dynamics->factor.solver->ops->name);
            cardan_sim_destroy(sim);
            cardan_model_release(model);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(model_files_have_the_residuals_of_their_rows),
        cmocka_unit_test(made_models_have_the_residuals_of_their_rows),
        cmocka_unit_test(two_right_sides_in_one_sweep_are_two_solves),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
