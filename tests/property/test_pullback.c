/* Products with transposed derivatives of forces against the derivatives themselves, on every file of models/, moving
 * and off the constraints. */
#include "support/check.h"
#include "support/random.h"
#include "support/scene.h"

#include "equations/force_derivatives.h"
#include "equations/force_scene.h"
#include "sim/sim.h"

#include <dirent.h>

static const double SAME = 1e-11;

static int component(const CrdBlock *block, int k) {
    return block->kind == CRD_PLANAR_BODY && k == 2 ? 5 : k;
}

/* out (nv) += psi times a matrix of loads over frames. */
static void add_product(const CrdStructure *structure, const CrdLoadDerivatives *d, const double *matrix,
                        const double *psi, double *out) {
    int width = 6 * d->frames;
    for (int i = 0; i < d->frames; i++)
        for (int j = 0; j < d->frames; j++) {
            const CrdBlock *row = &structure->blocks[structure->frames[d->frame[i]].block];
            const CrdBlock *column = &structure->blocks[structure->frames[d->frame[j]].block];
            for (int r = 0; r < row->nv; r++)
                for (int k = 0; k < column->nv; k++)
                    out[column->v + k] +=
                        psi[row->v + r] * matrix[(6 * i + component(row, r)) * width + 6 * j + component(column, k)];
        }
}

static void compare(CardanSim *sim, int index, const char *path, double *worst) {
    CrdDynamics *dynamics = &sim->integrator.dynamics;
    const CrdStructure *structure = dynamics->model->structure;
    CrdLoadDerivatives d = {0};
    CrdArena arena = {0};
    crd_load_derivatives_layout(&d, structure, &arena);
    assert_true(crd_arena_allocate(&arena));
    crd_load_derivatives_layout(&d, structure, &arena);
    size_t nv = (size_t)structure->nv, nz = (size_t)structure->first_order;
    double *psi = room(nv + nz, sizeof *psi), *got = room(2 * nv + nz, sizeof *got),
           *expected = room(2 * nv, sizeof *expected), size = 1.0;
    Random random = {7u + (unsigned)index};
    for (size_t i = 0; i < nv; i++) psi[i] = random_between(&random, -1.0, 1.0); /* none on states */
    double *const over[3] = {got, got + nv, got + 2 * nv};
    assert_true(
        crd_force_derivatives(dynamics->model, index, &dynamics->actions, &dynamics->system, &d, dynamics->error) >= 0);
    assert_true(crd_force_pull(dynamics->model, index, &dynamics->actions, &dynamics->system, psi, psi + nv, over,
                               dynamics->error) >= 0);
    add_product(structure, &d, d.displacement, psi, expected);
    add_product(structure, &d, d.twist, psi, expected + nv);
    for (size_t i = 0; i < 2 * nv; i++) size = fmax(size, fabs(expected[i]));
    for (size_t i = 0; i < 2 * nv; i++) {
        *worst = fmax(*worst, fabs(got[i] - expected[i]) / size);
        check_near(got[i], expected[i], SAME * size, "%s: force '%s', number %zu", path,
                   dynamics->model->description->forces[index].name, i);
    }
    free(psi);
    free(got);
    free(expected);
    crd_arena_free(&arena);
}

static int look_at(const char *path, double *worst) {
    CardanModel *model = scene_load(path);
    CardanOptions options = cardan_model_options(model);
    options.coordinates = CARDAN_COORDINATES_ABSOLUTE;
    CardanSim *sim = scene_start(model, &options);
    CrdIntegrator *integrator = &sim->integrator;
    const CrdStructure *structure = model->structure;
    double *y = room((size_t)integrator->stepper.n, sizeof *y), *dx = room((size_t)structure->nv, sizeof *dx);
    Random random = {3u};
    memcpy(y, integrator->stepper.y, (size_t)integrator->stepper.n * sizeof *y);
    for (int i = 0; i < structure->nv; i++) {
        dx[i] = random_between(&random, -0.02, 0.02);
        y[structure->nq + i] += random_between(&random, -1.0, 1.0);
    }
    crd_move(structure, dx, y);
    int count = 0;
    if (structure->size_custom == 0 && crd_integrator_evaluate_constraints(integrator, 0.1, y) >= 0 &&
        crd_integrator_forces(integrator, y) >= 0)
        for (; count < structure->force_count; count++) compare(sim, count, path, worst);
    free(dx);
    free(y);
    cardan_sim_destroy(sim);
    cardan_model_release(model);
    return count;
}

static void products_are_those_of_the_derivatives(void **state) {
    (void)state;
    DIR *folder = opendir("models");
    assert_non_null(folder);
    double worst = 0.0;
    int count = 0;
    for (struct dirent *entry; (entry = readdir(folder)) != NULL;) {
        char path[300];
        size_t length = strlen(entry->d_name);
        if (length < 5 || strcmp(entry->d_name + length - 5, ".yaml") != 0) continue;
        snprintf(path, sizeof path, "models/%s", entry->d_name);
        count += look_at(path, &worst);
    }
    closedir(folder);
    assert_true(count > 50);
    print_message("%d forces, worst %.3g\n", count, worst);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(products_are_those_of_the_derivatives)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
