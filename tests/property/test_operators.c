/* Operators for programs against differences and against each other, on every model file. Where a number is compared
 * the allowed error is 1e-9 of the largest of its kind: differences are extrapolated to order h^6 (support/check.h). */
#include "support/check.h"
#include "support/scene.h"

#include "core/random.h"

#include <dirent.h>

#define ALLOWED 1e-9

enum { NUMBERS = 400, FREEDOMS = 60 };

typedef struct Bench {
    const char *file;
    CardanModel *model;
    CardanOperators *op;
    CardanOperatorSizes sizes;
    double t, q[NUMBERS], v[NUMBERS], x[NUMBERS], moved[NUMBERS];
    uint64_t random;
    int looked; /* comparisons */
} Bench;

static void open_bench(Bench *bench, CardanModel *model, CardanCoordinates coordinates) {
    char message[512];
    bench->model = model;
    CardanStatus status = cardan_operators_create(model, coordinates, &bench->op, message, sizeof message);
    if (status < 0) fail_msg("%s: %s", bench->file, message);
    bench->sizes = cardan_operators_sizes(bench->op);
    assert_true(bench->sizes.coordinates <= NUMBERS && bench->sizes.velocities <= NUMBERS &&
                bench->sizes.rows <= NUMBERS);
    assert_int_equal(cardan_operators_get(bench->op, &bench->t, bench->q, bench->v), CARDAN_OK);
    for (int i = 0; i < bench->sizes.velocities; i++) {
        bench->v[i] = crd_random(&bench->random);
        bench->x[i] = crd_random(&bench->random);
    }
    assert_int_equal(cardan_operators_set(bench->op, bench->t, bench->q, bench->v), CARDAN_OK);
}

static double largest(const double *x, int n) {
    double most = 1e-300;
    for (int i = 0; i < n; i++) most = fmax(most, fabs(x[i]));
    return most;
}

static void compare(Bench *bench, const double *a, const double *b, int n, double scale, const char *what) {
    double size = fmax(fmax(largest(a, n), largest(b, n)), scale);
    for (int i = 0; i < n; i++) check_near(a[i], b[i], ALLOWED * size, "%s: %s, number %d", bench->file, what, i);
    bench->looked += n;
}

static double dot(const double *a, const double *b, int n) {
    double sum = 0.0;
    for (int i = 0; i < n; i++) sum += a[i] * b[i];
    return sum;
}

/* ---- curves along displacements x ---- */

static void go(Bench *bench, const double *along, double s) {
    double dx[NUMBERS];
    for (int i = 0; i < bench->sizes.velocities; i++) dx[i] = s * along[i];
    memcpy(bench->moved, bench->q, sizeof bench->q);
    assert_int_equal(cardan_operators_move(bench->op, dx, bench->moved), CARDAN_OK);
    assert_int_equal(cardan_operators_set(bench->op, bench->t, bench->moved, bench->v), CARDAN_OK);
}

static void rows_along(void *user, double s, double *values) {
    Bench *bench = user;
    go(bench, bench->x, s);
    assert_int_equal(cardan_operators_residuals(bench->op, values, NULL, NULL), CARDAN_OK);
}

static void points_along(void *user, double s, double *values) {
    Bench *bench = user;
    go(bench, bench->x, s);
    int bodies = cardan_model_sizes(bench->model).bodies;
    for (int i = 0; i < bodies; i++) {
        CardanVec3 place, point = {0.1, -0.2, cardan_model_space(bench->model) == CARDAN_SPACE_PLANAR ? 0.0 : 0.3};
        assert_int_equal(cardan_operators_point_place(bench->op, cardan_model_body(bench->model, i), point, &place),
                         CARDAN_OK);
        memcpy(values + 3 * i, &place, sizeof place);
    }
}

/* Kinetic energy and weight along x: of the latter minus its work. */
static void energies_along(void *user, double s, double *values) {
    Bench *bench = user;
    CardanTotals totals;
    go(bench, bench->v, s);
    assert_int_equal(cardan_operators_totals(bench->op, &totals), CARDAN_OK);
    values[0] = totals.kinetic;
}

static void heights_along(void *user, double s, double *values) {
    Bench *bench = user;
    CardanTotals totals;
    go(bench, bench->x, s);
    assert_int_equal(cardan_operators_totals(bench->op, &totals), CARDAN_OK);
    values[0] = totals.mass * totals.centre.x;
    values[1] = totals.mass * totals.centre.y;
    values[2] = totals.mass * totals.centre.z;
}

static void back(Bench *bench) {
    assert_int_equal(cardan_operators_set(bench->op, bench->t, bench->q, bench->v), CARDAN_OK);
}

/* ---- what must hold ---- */

static void check_mass(Bench *bench) {
    int n = bench->sizes.velocities;
    double *m = room((size_t)n * (size_t)n, sizeof *m), y[NUMBERS], z[NUMBERS];
    assert_int_equal(cardan_operators_mass(bench->op, m), CARDAN_OK);
    assert_int_equal(cardan_operators_mass_times(bench->op, bench->x, y), CARDAN_OK);
    for (int i = 0; i < n; i++) z[i] = dot(m + (size_t)i * (size_t)n, bench->x, n);
    compare(bench, y, z, n, 0.0, "dense M and its product");
    assert_int_equal(cardan_operators_mass_solve(bench->op, y, z), CARDAN_OK);
    compare(bench, z, bench->x, n, 0.0, "M^-1 M x");
    for (int i = 0; i < n; i++)
        for (int k = 0; k < i; k++)
            check_near(m[i * n + k], m[k * n + i], ALLOWED * largest(m, n * n), "%s: M is symmetric", bench->file);
    CardanTotals totals;
    assert_int_equal(cardan_operators_totals(bench->op, &totals), CARDAN_OK);
    assert_int_equal(cardan_operators_mass_times(bench->op, bench->v, y), CARDAN_OK);
    double twice = 0.5 * dot(y, bench->v, n);
    compare(bench, &totals.kinetic, &twice, 1, 0.0, "kinetic energy and v M v / 2");
    free(m);
}

static void check_rows(Bench *bench) {
    int n = bench->sizes.velocities, rows = bench->sizes.rows;
    double *g = room((size_t)rows * (size_t)n, sizeof *g), y[NUMBERS], z[NUMBERS], r[NUMBERS];
    assert_int_equal(cardan_operators_rows(bench->op, g), CARDAN_OK);
    assert_int_equal(cardan_operators_rows_times(bench->op, bench->x, y), CARDAN_OK);
    for (int i = 0; i < rows; i++) z[i] = dot(g + (size_t)i * (size_t)n, bench->x, n);
    compare(bench, y, z, rows, 1e-3, "dense G and its product");
    for (int i = 0; i < rows; i++) r[i] = crd_random(&bench->random);
    assert_int_equal(cardan_operators_rows_transposed(bench->op, r, z), CARDAN_OK);
    double left = dot(r, y, rows), right = dot(z, bench->x, n);
    compare(bench, &left, &right, 1, 1.0, "G and its transpose");
    if (cardan_model_sizes(bench->model).holonomic_rows == cardan_model_sizes(bench->model).rows) {
        differentiate(rows_along, bench, rows, z);
        compare(bench, y, z, rows, 1.0, "G x and the difference of g");
        back(bench);
    }
    free(g);
}

static void check_points(Bench *bench) {
    int bodies = cardan_model_sizes(bench->model).bodies, n = bench->sizes.velocities;
    bool planar = cardan_model_space(bench->model) == CARDAN_SPACE_PLANAR;
    double slopes[DIFFERENCE_MAX], jacobian[6 * NUMBERS];
    if (3 * bodies > DIFFERENCE_MAX) return;
    differentiate(points_along, bench, 3 * bodies, slopes);
    back(bench);
    for (int i = 0; i < bodies; i++) {
        CardanBody body = cardan_model_body(bench->model, i);
        CardanVec3 velocity, spin, point = {0.1, -0.2, planar ? 0.0 : 0.3};
        assert_int_equal(cardan_operators_point_times(bench->op, body, point, bench->x, &velocity, &spin), CARDAN_OK);
        compare(bench, &velocity.x, slopes + 3 * i, 3, 1.0, "velocity of a point and its difference");
        assert_int_equal(cardan_operators_point(bench->op, body, point, jacobian), CARDAN_OK);
        double product[6], twist[6] = {velocity.x, velocity.y, velocity.z, spin.x, spin.y, spin.z};
        for (int k = 0; k < 6; k++) product[k] = dot(jacobian + (size_t)k * (size_t)n, bench->x, n);
        compare(bench, product, twist, 6, 1.0, "Jacobian of a point and its product");
    }
}

static void check_forces(Bench *bench, CardanVec3 gravity) {
    double f[NUMBERS], slope[3], work, expected;
    int n = bench->sizes.velocities;
    assert_int_equal(cardan_operators_gravity(bench->op, f), CARDAN_OK);
    differentiate(heights_along, bench, 3, slope);
    back(bench);
    work = dot(f, bench->x, n);
    expected = gravity.x * slope[0] + gravity.y * slope[1] + gravity.z * slope[2];
    compare(bench, &work, &expected, 1, 1.0, "work of the weight");
    /* v . bias = d/dt (v M v / 2) at fixed v */
    assert_int_equal(cardan_operators_bias(bench->op, f), CARDAN_OK);
    work = dot(f, bench->v, n);
    differentiate(energies_along, bench, 1, &expected);
    back(bench);
    CardanTotals totals;
    assert_int_equal(cardan_operators_totals(bench->op, &totals), CARDAN_OK);
    compare(bench, &work, &expected, 1, totals.kinetic, "power of the bias");
}

/* ---- over all files ---- */

typedef void Look(Bench *bench);

static int over_every_model(Look *look) {
    DIR *folder = opendir("models");
    int models = 0;
    assert_non_null(folder);
    for (const struct dirent *entry; (entry = readdir(folder)) != NULL;) {
        size_t length = strlen(entry->d_name);
        char path[512];
        if (length < 5 || strcmp(entry->d_name + length - 5, ".yaml") != 0) continue;
        snprintf(path, sizeof path, "models/%s", entry->d_name);
        static Bench bench;
        bench = (Bench){.file = path, .random = length};
        bench.model = scene_load(path);
        look(&bench);
        assert_true(bench.looked > 0);
        models++;
        cardan_model_release(bench.model);
    }
    closedir(folder);
    return models;
}

/* Gravity of a model, by what it does to a body of its own: sum of forces over sum of masses. */
static CardanVec3 gravity_of(const Bench *bench) {
    double f[NUMBERS];
    CardanTotals totals;
    CardanVec3 sum = {0};
    CardanOperators *op = NULL;
    assert_int_equal(cardan_operators_create(bench->model, CARDAN_COORDINATES_ABSOLUTE, &op, NULL, 0), CARDAN_OK);
    assert_int_equal(cardan_operators_gravity(op, f), CARDAN_OK);
    assert_int_equal(cardan_operators_totals(op, &totals), CARDAN_OK);
    bool planar = cardan_model_space(bench->model) == CARDAN_SPACE_PLANAR;
    int at = 0;
    for (int i = 0; i < cardan_model_sizes(bench->model).bodies; i++) {
        sum.x += f[at];
        sum.y += f[at + 1];
        sum.z += planar ? 0.0 : f[at + 2];
        bool particle =
            cardan_model_body_kind(bench->model, cardan_model_body(bench->model, i)) == CARDAN_BODY_PARTICLE;
        at += (planar ? 2 : 3) + (particle ? 0 : planar ? 1 : 3);
    }
    cardan_operators_destroy(op);
    double over = totals.mass > 0.0 ? 1.0 / totals.mass : 0.0;
    return (CardanVec3){sum.x * over, sum.y * over, sum.z * over};
}

static void look_absolute(Bench *bench) {
    CardanVec3 gravity = gravity_of(bench);
    open_bench(bench, bench->model, CARDAN_COORDINATES_ABSOLUTE);
    check_mass(bench);
    check_rows(bench);
    check_points(bench);
    check_forces(bench, gravity);
    cardan_operators_destroy(bench->op);
}

static void operators_in_absolute_coordinates_agree_with_differences_on_every_model(void **state) {
    (void)state;
    assert_true(over_every_model(look_absolute) > 40);
}

static int relative_models;

static void look_relative(Bench *bench) {
    CardanOperators *op = NULL;
    CardanVec3 gravity = gravity_of(bench);
    bench->looked = 1;
    if (cardan_operators_create(bench->model, CARDAN_COORDINATES_RELATIVE, &op, NULL, 0) < 0) return;
    cardan_operators_destroy(op);
    relative_models++;
    open_bench(bench, bench->model, CARDAN_COORDINATES_RELATIVE);
    check_mass(bench);
    check_rows(bench);
    check_points(bench);
    check_forces(bench, gravity);
    cardan_operators_destroy(bench->op);
}

static void operators_in_relative_coordinates_agree_with_differences_on_every_model_that_has_them(void **state) {
    (void)state;
    over_every_model(look_relative);
    assert_true(relative_models > 25);
}

/* ---- loads, freedoms, refusals ---- */

static void joints_transmit_at_the_accelerations_of_a_simulation_what_its_reactions_are(void **state) {
    (void)state;
    static const char *const files[] = {"slider_crank", "six_axis_arm", "stewart_platform", "andrews"};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        char path[256];
        snprintf(path, sizeof path, "models/%s.yaml", files[i]);
        CardanModel *model = scene_load(path);
        CardanOptions options = cardan_model_options(model);
        CardanSim *sim = scene_start(model, &options);
        CardanSizes sizes = cardan_model_sizes(model);
        scene_advance(sim, 0.01);
        double a[NUMBERS], lambda[NUMBERS], left = 1.0, most = 1.0;
        CardanOperators *op = NULL;
        assert_int_equal(cardan_sim_evaluate(sim, a, NULL), CARDAN_OK);
        assert_int_equal(cardan_operators_create(model, CARDAN_COORDINATES_ABSOLUTE, &op, NULL, 0), CARDAN_OK);
        assert_int_equal(
            cardan_operators_set(op, cardan_sim_time(sim), cardan_sim_positions(sim), cardan_sim_velocities(sim)),
            CARDAN_OK);
        assert_int_equal(cardan_operators_multipliers(op, a, lambda, &left), CARDAN_OK);
        most = fmax(most, largest(lambda, sizes.rows));
        check_near(left, 0.0, 1e-9 * most, "%s: what no joint carries", files[i]);
        for (int j = 1; j <= sizes.joints; j++) {
            CardanWrench mine, theirs;
            assert_int_equal(cardan_sim_reaction(sim, (CardanJoint){j}, &theirs), CARDAN_OK);
            assert_int_equal(cardan_operators_transmitted(op, lambda, (CardanJoint){j}, &mine), CARDAN_OK);
            check_near(mine.force.x, theirs.force.x, 1e-8 * most, "%s: force of joint %d", files[i], j);
            check_near(mine.force.y, theirs.force.y, 1e-8 * most, "%s: force of joint %d", files[i], j);
            check_near(mine.moment.z, theirs.moment.z, 1e-8 * most, "%s: moment of joint %d", files[i], j);
        }
        cardan_operators_destroy(op);
        cardan_sim_destroy(sim);
        cardan_model_release(model);
    }
}

static void look_motions(Bench *bench) {
    double z[NUMBERS * FREEDOMS], g[NUMBERS];
    int freedoms = -1, chosen[NUMBERS];
    CardanCheck check;
    bench->looked = 1;
    assert_true(cardan_model_check(bench->model, &check, NULL, NULL, NULL, 0) >= 0);
    open_bench(bench, bench->model, CARDAN_COORDINATES_ABSOLUTE);
    int n = bench->sizes.velocities;
    assert_int_equal(cardan_operators_motions(bench->op, &freedoms, NULL, NULL), CARDAN_OK);
    if (!check.singular && check.assembled && check.residual_position < 1e-9)
        assert_int_equal(freedoms, check.degrees_of_freedom);
    if (freedoms > FREEDOMS) fail_msg("%s has %d freedoms", bench->file, freedoms);
    assert_int_equal(cardan_operators_motions(bench->op, &freedoms, z, chosen), CARDAN_OK);
    for (int k = 0; k < freedoms; k++) {
        for (int i = 0; i < n; i++) bench->x[i] = z[i * freedoms + k];
        assert_int_equal(cardan_operators_rows_times(bench->op, bench->x, g), CARDAN_OK);
        check_near(worst_of(g, bench->sizes.rows), 0.0, 1e-9 * fmax(1.0, largest(bench->x, n)), "%s: G Z", bench->file);
        check_near(z[chosen[k] * freedoms + k], 1.0, 0.0, "%s: an independent velocity", bench->file);
    }
    cardan_operators_destroy(bench->op);
}

static void minimal_velocities_are_as_many_as_there_are_freedoms_and_meet_all_rows(void **state) {
    (void)state;
    assert_true(over_every_model(look_motions) > 40);
}

static void a_dense_matrix_of_a_large_model_is_refused_with_the_limit(void **state) {
    (void)state;
    CardanBuilder *builder = cardan_builder_create(CARDAN_SPACE_PLANAR);
    for (int i = 0; i < 700; i++) {
        char name[32];
        snprintf(name, sizeof name, "b%d", i);
        CardanBodyDef def = cardan_default_body();
        def.name = name;
        def.mass = 1.0;
        def.inertia.zz = 1.0;
        cardan_builder_add_body(builder, &def);
    }
    CardanModel *model = scene_compile(builder);
    CardanOperators *op = NULL;
    double one[1];
    assert_int_equal(cardan_operators_create(model, CARDAN_COORDINATES_ABSOLUTE, &op, NULL, 0), CARDAN_OK);
    assert_int_equal(cardan_operators_mass(op, one), CARDAN_ERR_LIMIT);
    assert_non_null(strstr(cardan_operators_message(op), "2000"));
    cardan_operators_destroy(op);
    cardan_model_release(model);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(operators_in_absolute_coordinates_agree_with_differences_on_every_model),
        cmocka_unit_test(operators_in_relative_coordinates_agree_with_differences_on_every_model_that_has_them),
        cmocka_unit_test(joints_transmit_at_the_accelerations_of_a_simulation_what_its_reactions_are),
        cmocka_unit_test(minimal_velocities_are_as_many_as_there_are_freedoms_and_meet_all_rows),
        cmocka_unit_test(a_dense_matrix_of_a_large_model_is_refused_with_the_limit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
