/* Products with pieces of G: code that leaves out what joints that hold a point have as zeros against code that knows
 * nothing of them, of random models and of a net, a chain, a vehicle and a Stewart platform; with G, G M^-1 and the
 * derivative of G v. */
#include "fuzz/bytes.h"
#include "mechanisms.h"
#include "nets.h"
#include "sim/sim.h"
#include "support/check.h"
#include "support/made_model.h"
#include "support/random.h"
#include "support/scene.h"

/* Rounding of sums of at most twelve products in another order, of terms that may cancel to a hundredth. */
static const double ROUNDING = 1e-13;

static void compare(const double *a, const double *b, int n, const char *name, const char *what) {
    double size = worst_of(b, n);
    for (int i = 0; i < n; i++) check_near(a[i], b[i], ROUNDING * (size > 0.0 ? size : 1.0), "%s: %s", name, what);
}

static void random_numbers(Random *random, double *x, int n) {
    for (int i = 0; i < n; i++) x[i] = random_signed(random);
}

static void check_products(const CrdStructure *structure, const double *pieces, Random *random, const char *name) {
    int nv = structure->nv, rows = structure->rows;
    double *x = room((size_t)nv, sizeof *x), *y = room((size_t)rows, sizeof *y);
    double *own = room((size_t)(nv + rows), sizeof *own), *general = room((size_t)(nv + rows), sizeof *general);
    random_numbers(random, x, nv);
    random_numbers(random, y, rows);
    crd_times_g(structure, pieces, x, own);
    crd_mixed_times_g(structure, pieces, x, general);
    compare(own, general, rows, name, "times x");
    memset(own, 0, (size_t)rows * sizeof *own);
    memset(general, 0, (size_t)rows * sizeof *general);
    crd_times_gt(structure, pieces, -0.7, y, own);
    crd_mixed_times_gt(structure, pieces, -0.7, y, general);
    compare(own, general, nv, name, "transposed, times y");
    free(x);
    free(y);
    free(own);
    free(general);
}

/* T row by row, and S without regard of zeros. */
static void check_schur(const CardanModel *model, CrdSystem *system, const char *name) {
    const CrdStructure *structure = model->structure;
    double *row = room((size_t)structure->size_g, sizeof *row), *s = room((size_t)structure->size_s, sizeof *s);
    crd_form_schur(model, CARDAN_METRIC_MASS, system);
    memcpy(row, system->G, (size_t)structure->size_g * sizeof *row);
    for (int i = 0; i < structure->incidence_count; i++) {
        const CrdIncidence *in = &structure->incidences[i];
        for (int r = 0; r < in->rows; r++) crd_solve_block(model, system, in->block, row + in->g + r * in->width);
    }
    compare(system->T, row, structure->size_g, name, "G M^-1");
    crd_form_mixed_product(NULL, structure, system->G, row, s);
    compare(system->S, s, structure->size_s, name, "S");
    free(row);
    free(s);
}

/* At the pose as written with random velocities; the rows that hold points. */
static int check_model(CardanModel *model, Random *random, const char *name) {
    const CrdStructure *structure = model->structure;
    const double *q = model->values.q0;
    CrdSystem system = {0};
    CrdArena arena = {0};
    CrdError error = {0};
    CrdActions none = {0};
    int points = 0;
    double *v = room((size_t)structure->nv, sizeof *v), *gradient = room((size_t)structure->size_g, sizeof *gradient);
    random_numbers(random, v, structure->nv);
    crd_system_layout(&system, structure, &arena);
    assert_true(crd_arena_allocate(&arena));
    crd_system_layout(&system, structure, &arena);
    if (crd_kinematics(model, 0.3, q, v, &system, &error) >= 0 &&
        crd_constraints(model, q, v, &none, &system, &error) >= 0 &&
        crd_gradient(model, q, v, &system, gradient, &error) >= 0) {
        check_products(structure, system.G, random, name);
        check_products(structure, gradient, random, name);
        check_schur(model, &system, name);
        check_products(structure, system.T, random, name);
        for (int i = 0; i < structure->incidence_count; i++) points += structure->incidences[i].point;
    }
    free(v);
    free(gradient);
    crd_arena_free(&arena);
    cardan_model_release(model);
    return points;
}

static void made_models_lose_nothing_by_leaving_out_zeros(void **state) {
    (void)state;
    int points = 0;
    for (unsigned seed = 1; seed <= 500; seed++) {
        unsigned char noise[256];
        Random random = {seed};
        for (size_t i = 0; i < sizeof noise; i++) noise[i] = (unsigned char)random_index(&random, 256);
        Bytes bytes = bytes_of(noise, sizeof noise);
        Made made;
        CardanModel *model = NULL;
        made_model(&made, &bytes, false);
        CardanStatus status = cardan_builder_compile(made.builder, &model);
        cardan_builder_destroy(made.builder);
        char name[32];
        snprintf(name, sizeof name, "made model %u", seed);
        if (status >= 0) points += check_model(model, &random, name);
    }
    assert_true(points > 100);
}

static CardanModel *compiled(CardanBuilder *builder) {
    CardanModel *model = NULL;
    if (cardan_builder_compile(builder, &model) < 0) fail_msg("%s", cardan_builder_message(builder));
    cardan_builder_destroy(builder);
    return model;
}

static void nets_chains_and_machines_lose_nothing_either(void **state) {
    (void)state;
    Random random = {7};
    assert_int_equal(check_model(compiled(mechanism_net(4)), &random, "net"), 2 * 2 * 4 * 3 + 2);
    assert_int_equal(check_model(compiled(mechanism_chain(CARDAN_SPACE_SPATIAL, 12)), &random, "chain"), 23);
    assert_true(check_model(scene_load("models/vehicle.yaml"), &random, "vehicle") > 0);
    assert_true(check_model(scene_load("models/stewart_platform.yaml"), &random, "Stewart platform") > 10);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(made_models_lose_nothing_by_leaving_out_zeros),
        cmocka_unit_test(nets_chains_and_machines_lose_nothing_either),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
