/* Whole random mechanisms: G, gamma and f against differences, S against the dense product, the solvers against each
 * other and against a checker that computes the residuals of the original equations from numbers of its own.
 *
 * The state is off the constraints on purpose: the equations hold there too. */
#include "property/recipe.h"

#include "dynamics/dynamics.h"
#include "support/sample.h"

#include <lapacke.h>

enum { MODELS = 150, SIZE = 100 }; /* SIZE: most velocities and rows of a random model */

static const double DIFFERENCES = 1e-9;

/* Condition number of S above which a random model is left out: its rows are dependent by chance, or nearly. */
static const double CLEAR = 1e8;

/* Equations of one model at one state. */
typedef struct Bench {
    CardanModel *model;
    const CrdStructure *structure;
    CrdDynamics d;
    CrdArena arena;
    CrdError error;
    double *q, *v, *tracked;
    double t;
} Bench;

static void bench_open(Bench *b, CardanModel *model, CardanSolver solver) {
    memset(b, 0, sizeof *b);
    b->model = model;
    b->structure = model->structure;
    CardanOptions options = cardan_default_options();
    options.solver = solver;
    options.regularise.method = CARDAN_REGULARISE_NONE; /* the equations as they are */
    crd_dynamics_layout(&b->d, model, &options, &b->arena);
    assert_true(crd_arena_allocate(&b->arena));
    crd_dynamics_layout(&b->d, model, &options, &b->arena);
    b->d.error = &b->error;
    b->tracked = room((size_t)b->structure->tracked_count, sizeof(double));
    memcpy(b->tracked, model->values.tracked, (size_t)b->structure->tracked_count * sizeof(double));
    b->d.actions = (CrdActions){.tracked = b->tracked};
    if (crd_dynamics_open(&b->d, &options) < 0) fail_msg("%s", b->error.text);
    b->q = room((size_t)b->structure->nq, sizeof(double));
    b->v = room((size_t)b->structure->nv, sizeof(double));
    memcpy(b->q, model->values.q0, (size_t)b->structure->nq * sizeof(double));
    memcpy(b->v, model->values.v0, (size_t)b->structure->nv * sizeof(double));
    b->t = 0.35;
    assert_true(b->structure->nv <= SIZE && b->structure->rows <= SIZE);
}

static void bench_close(Bench *b) {
    crd_dynamics_close(&b->d);
    crd_arena_free(&b->arena);
    free(b->tracked);
    free(b->q);
    free(b->v);
}

/* A small way off the pose as written. */
static void disturb(Bench *b, Random *random) {
    double dx[SIZE];
    for (int i = 0; i < b->structure->nv; i++) dx[i] = 0.2 * random_signed(random);
    crd_move(b->structure, dx, b->q);
    for (int i = 0; i < b->structure->nv; i++) b->v[i] += random_signed(random);
}

static void measure(Bench *b, double t, const double *q, const double *v) {
    if (crd_evaluate_constraints(&b->d, t, q, v) < 0) fail_msg("%s", b->error.text);
}

/* Accelerations and multipliers; false: the rows are dependent here. */
static bool solve(Bench *b) {
    measure(b, b->t, b->q, b->v);
    crd_error_clear(&b->error);
    return crd_solve_accelerations(&b->d, b->q, b->v) >= 0;
}

/* G as rows x nv, column-major, by its products with unit vectors. */
static void dense_g(const Bench *b, double *g) {
    int rows = b->structure->rows;
    memset(g, 0, (size_t)rows * (size_t)b->structure->nv * sizeof *g);
    for (int k = 0; k < b->structure->nv; k++) {
        double unit[SIZE] = {0};
        unit[k] = 1.0;
        crd_times_g(b->structure, b->d.system.G, unit, g + k * rows);
    }
}

/* M from the recipe's numbers, nv x nv. */
static void dense_m(const Bench *b, const Recipe *p, double *m) {
    int n = b->structure->nv;
    memset(m, 0, (size_t)n * (size_t)n * sizeof *m);
    for (int i = 0; i < b->structure->block_count; i++) {
        const CrdBlock *block = &b->structure->blocks[i];
        double *at = m + block->v * (n + 1);
        if (block->kind == CRD_CUSTOM_BLOCK) {
            double own[4] = {0};
            spoke_mass((void *)(uintptr_t)&p->spoke, b->t, b->q + block->q, own);
            for (int r = 0; r < 2; r++)
                for (int c = 0; c < 2; c++) at[r + c * n] = own[2 * r + c];
            continue;
        }
        const CardanBodyDef *def = NULL;
        for (int k = 0; k < p->bodies; k++)
            if (strcmp(p->body_name[k], b->model->description->bodies[block->object].name) == 0) def = &p->body[k];
        assert_non_null(def);
        int moves = p->space == CARDAN_SPACE_PLANAR ? 2 : 3;
        for (int k = 0; k < moves; k++) at[k * (n + 1)] = def->mass;
        if (def->particle) continue;
        if (p->space == CARDAN_SPACE_PLANAR) {
            at[2 * (n + 1)] = def->inertia.zz;
            continue;
        }
        const CardanInertia *j = &def->inertia;
        const double full[3][3] = {{j->xx, j->xy, j->xz}, {j->xy, j->yy, j->yz}, {j->xz, j->yz, j->zz}};
        for (int r = 0; r < 3; r++)
            for (int c = 0; c < 3; c++) at[(3 + r) + (3 + c) * n] = full[r][c];
    }
}

/* G M^-1 G^T, rows x rows. */
static void dense_s(int rows, int n, const double *g, const double *m, double *s) {
    double *u = room((size_t)n * (size_t)n, sizeof(double)), *t = room((size_t)n * (size_t)rows, sizeof(double));
    memcpy(u, m, (size_t)n * (size_t)n * sizeof(double));
    for (int r = 0; r < rows; r++)
        for (int k = 0; k < n; k++) t[k + r * n] = g[r + k * rows];
    assert_int_equal(LAPACKE_dpotrf(LAPACK_COL_MAJOR, 'U', n, u, n), 0);
    LAPACKE_dpotrs(LAPACK_COL_MAJOR, 'U', n, rows, u, n, t, n);
    for (int r = 0; r < rows; r++)
        for (int c = 0; c < rows; c++) {
            s[r + c * rows] = 0.0;
            for (int k = 0; k < n; k++) s[r + c * rows] += g[r + k * rows] * t[k + c * n];
        }
    free(u);
    free(t);
}

static double condition(int rows, const double *s) {
    if (rows == 0) return 1.0;
    double *copy = room((size_t)rows * (size_t)rows, sizeof(double)), w[SIZE];
    memcpy(copy, s, (size_t)rows * (size_t)rows * sizeof(double));
    assert_int_equal(LAPACKE_dsyev(LAPACK_COL_MAJOR, 'N', 'U', rows, copy, rows, w), 0);
    free(copy);
    return w[0] > 0.0 ? w[rows - 1] / w[0] : HUGE_VAL;
}

/* Condition number of S at what was measured last. */
static double condition_of(const Bench *b, const Recipe *p) {
    double *g = room(SIZE * SIZE, 8), *m = room(SIZE * SIZE, 8), *s = room(SIZE * SIZE, 8);
    dense_g(b, g);
    dense_m(b, p, m);
    dense_s(b->structure->rows, b->structure->nv, g, m, s);
    double ratio = condition(b->structure->rows, s);
    free(g), free(m), free(s);
    return ratio;
}

/* ---- walking models ---- */

typedef void (*Look)(Random *random, Recipe *recipe);

static void over_models(Look look, uint64_t seed) {
    for (int space = 0; space < 2; space++)
        for (int i = 0; i < sample_of(MODELS, 5); i++) {
            Random random = {seed + (uint64_t)(1000 * space + 7 * i)};
            Recipe recipe = random_recipe(&random, (CardanSpace)space);
            look(&random, &recipe);
        }
}

/* A path through states, for differences. */
typedef struct Path {
    Bench *b;
    double dx[SIZE], dv[SIZE], dt;
    double q[3 * SIZE], v[SIZE];
} Path;

static void go(Path *p, double s) {
    double dx[SIZE];
    memcpy(p->q, p->b->q, (size_t)p->b->structure->nq * sizeof(double));
    for (int i = 0; i < p->b->structure->nv; i++) {
        dx[i] = s * p->dx[i];
        p->v[i] = p->b->v[i] + s * p->dv[i];
    }
    crd_move(p->b->structure, dx, p->q);
    measure(p->b, p->b->t + s * p->dt, p->q, p->v);
}

static void g_along(void *user, double s, double *values) {
    Path *p = user;
    go(p, s);
    memcpy(values, p->b->d.system.g, (size_t)p->b->structure->rows * sizeof *values);
}

static void rate_along(void *user, double s, double *values) {
    Path *p = user;
    go(p, s);
    memcpy(values, p->b->d.system.rate, (size_t)p->b->structure->rows * sizeof *values);
}

static void energy_along(void *user, double s, double *values) {
    Path *p = user;
    go(p, s);
    assert_true(crd_forces(p->b->model, p->q, p->v, &p->b->d.actions, &p->b->d.system, &p->b->error) >= 0);
    values[0] = crd_kinetic(p->b->model, &p->b->d.system, p->v) + crd_potential(p->b->model, &p->b->d.system);
}

static bool is_holonomic(const Bench *b, int row) {
    const CrdElement *e = &b->structure->elements[b->structure->row_element[row]];
    return row - e->first < e->holonomic;
}

/* ---- G and gamma ---- */

static void look_at_g(Random *random, Recipe *recipe) {
    Bench b;
    CardanModel *model = describe(recipe, 0, 0, false);
    bench_open(&b, model, CARDAN_SOLVER_SADDLE);
    disturb(&b, random);
    measure(&b, b.t, b.q, b.v);
    double *g = room(SIZE * SIZE, sizeof(double)), slopes[SIZE];
    dense_g(&b, g);
    for (int k = 0; k < b.structure->nv; k++) {
        Path path = {.b = &b};
        path.dx[k] = 1.0;
        differentiate(g_along, &path, b.structure->rows, slopes);
        for (int r = 0; r < b.structure->rows; r++)
            if (is_holonomic(&b, r))
                check_near(g[r + k * b.structure->rows], slopes[r], 100.0 * DIFFERENCES, "G, row %d of %d, velocity %d",
                           r, b.structure->rows, k);
    }
    free(g);
    bench_close(&b);
    cardan_model_release(model);
}

static void jacobians_of_whole_models_equal_differences(void **state) {
    (void)state;
    over_models(look_at_g, 101);
}

static void look_at_gamma(Random *random, Recipe *recipe) {
    Bench b;
    CardanModel *model = describe(recipe, 0, 0, false);
    bench_open(&b, model, CARDAN_SOLVER_SADDLE);
    disturb(&b, random);
    measure(&b, b.t, b.q, b.v);
    double gamma[SIZE], slopes[SIZE];
    memcpy(gamma, b.d.system.gamma, (size_t)b.structure->rows * sizeof *gamma);
    Path path = {.b = &b, .dt = 1.0};
    memcpy(path.dx, b.v, (size_t)b.structure->nv * sizeof *path.dx); /* v stays, q moves with it, time goes on */
    differentiate(rate_along, &path, b.structure->rows, slopes);
    for (int r = 0; r < b.structure->rows; r++)
        check_near(gamma[r], -slopes[r], 1000.0 * DIFFERENCES, "gamma, row %d of '%s'", r,
                   crd_element_name(model, b.structure->row_element[r]));
    differentiate(g_along, &path, b.structure->rows, slopes);
    measure(&b, b.t, b.q, b.v);
    for (int r = 0; r < b.structure->rows; r++)
        if (is_holonomic(&b, r)) check_near(b.d.system.rate[r], slopes[r], 100.0 * DIFFERENCES, "rate, row %d", r);
    bench_close(&b);
    cardan_model_release(model);
}

static void gamma_of_whole_models_equals_differences_of_the_rate(void **state) {
    (void)state;
    over_models(look_at_gamma, 102);
}

/* ---- S and the solvers ---- */

static void look_at_s(Random *random, Recipe *recipe) {
    Bench b;
    CardanModel *model = describe(recipe, 0, 0, false);
    bench_open(&b, model, CARDAN_SOLVER_SADDLE);
    disturb(&b, random);
    measure(&b, b.t, b.q, b.v);
    int rows = b.structure->rows, n = b.structure->nv;
    double *g = room(SIZE * SIZE, 8), *m = room(SIZE * SIZE, 8), *s = room(SIZE * SIZE, 8),
           *seen = room(SIZE * SIZE, 8);
    dense_g(&b, g);
    for (int metric = 0; metric < 2; metric++) {
        dense_m(&b, recipe, m);
        for (int i = 0; metric == CARDAN_METRIC_EUCLID && i < n; i++)
            for (int k = 0; k < n; k++) m[i + k * n] = i == k;
        dense_s(rows, n, g, m, s);
        crd_form_schur(model, (CardanMetric)metric, &b.d.system);
        memset(seen, 0, SIZE * SIZE * sizeof *seen);
        for (int c = 0; c < rows; c++)
            for (int k = b.structure->s_start[c]; k < b.structure->s_start[c + 1]; k++)
                seen[b.structure->s_row[k] + c * rows] = b.d.system.S[k];
        for (int c = 0; c < rows; c++)
            for (int r = 0; r <= c; r++) {
                double size = sqrt(s[r + r * rows] * s[c + c * rows]);
                check_near(seen[r + c * rows], s[r + c * rows], 1e-13 * size, "S(%d, %d), metric %d", r, c, metric);
            }
    }
    free(g), free(m), free(s), free(seen);
    bench_close(&b);
    cardan_model_release(model);
}

static void slot_maps_fill_the_dense_product(void **state) {
    (void)state;
    over_models(look_at_s, 103);
}

static int regular, refused;

/* Residuals of M a + G^T lambda = f and G a = gamma, from M of the recipe and G of unit vectors. */
static void check_equations(const Bench *b, const double *m, const double *g, const char *solver) {
    int rows = b->structure->rows, n = b->structure->nv;
    const CrdSystem *w = &b->d.system;
    for (int i = 0; i < n; i++) {
        double sum = -w->f[i], size = fabs(w->f[i]);
        for (int k = 0; k < n; k++) sum += m[i + k * n] * b->d.a[k], size += fabs(m[i + k * n] * b->d.a[k]);
        for (int r = 0; r < rows; r++)
            sum += g[r + i * rows] * b->d.lambda[r], size += fabs(g[r + i * rows] * b->d.lambda[r]);
        check_near(sum, 0.0, 1e-12 * size + 1e-13, "M a + G^T lambda - f, %s, line %d", solver, i);
    }
    for (int r = 0; r < rows; r++) {
        double sum = -w->gamma[r], size = fabs(w->gamma[r]);
        for (int k = 0; k < n; k++)
            sum += g[r + k * rows] * b->d.a[k], size += fabs(g[r + k * rows]) * worst_of(b->d.a, n);
        check_near(sum, 0.0, 1e-9 * size, "G a - gamma, %s, row %d", solver, r);
    }
}

static void look_at_solvers(Random *random, Recipe *recipe) {
    CardanModel *model = describe(recipe, 0, 0, false);
    double a[SIZE] = {0}, lambda[SIZE] = {0}, worst = 1.0;
    double *g = room(SIZE * SIZE, 8), *m = room(SIZE * SIZE, 8), *s = room(SIZE * SIZE, 8);
    Random same = *random;
    for (int i = 0; i < CARDAN_SOLVERS; i++) { /* the saddle reference first, then every other by number */
        int solver = i == 0 ? CARDAN_SOLVER_SADDLE : i;
        if (i == CARDAN_SOLVER_SADDLE) continue;
        Bench b;
        bench_open(&b, model, (CardanSolver)solver);
        *random = same;
        disturb(&b, random);
        int rows = b.structure->rows, n = b.structure->nv;
        bool solved = solve(&b);
        if (solver == CARDAN_SOLVER_SADDLE) {
            dense_g(&b, g);
            dense_m(&b, recipe, m);
            dense_s(rows, n, g, m, s);
            worst = condition(rows, s);
            memcpy(a, b.d.a, sizeof(double) * (size_t)n);
            memcpy(lambda, b.d.lambda, sizeof(double) * (size_t)rows);
        }
        bool clear = worst < CLEAR;
        if (clear) assert_true(solved);
        if (solved && clear) {
            check_equations(&b, m, g, cardan_solver_name((CardanSolver)solver));
            double bound = 1e-12 * worst;
            for (int k = 0; k < n; k++)
                check_near(b.d.a[k], a[k], bound * worst_of(a, n), "%s, acceleration %d",
                           cardan_solver_name((CardanSolver)solver), k);
            for (int k = 0; k < rows; k++)
                check_near(b.d.lambda[k], lambda[k], bound * worst_of(lambda, rows), "%s, multiplier %d",
                           cardan_solver_name((CardanSolver)solver), k);
        }
        *(clear ? &regular : &refused) += 1;
        bench_close(&b);
    }
    free(g), free(m), free(s);
    cardan_model_release(model);
}

static void sparse_equals_dense_equals_saddle(void **state) {
    (void)state;
    regular = refused = 0;
    over_models(look_at_solvers, 104);
    assert_true(regular >= sample_of(3 * MODELS, 5) && regular > 2 * refused); /* chance makes few of them singular */
}

/* ---- forces ---- */

static void look_at_energy(Random *random, Recipe *recipe) {
    Bench b;
    CardanModel *model = describe(recipe, 0, 0, false);
    bench_open(&b, model, CARDAN_SOLVER_SADDLE);
    disturb(&b, random);
    if (solve(&b) && condition_of(&b, recipe) < CLEAR) {
        double climb, power = b.d.system.power, own[SIZE] = {0};
        crd_times_g(b.structure, b.d.system.G, b.v, own); /* G v: what constraints take in or give off */
        for (int r = 0; r < b.structure->rows; r++) power -= b.d.lambda[r] * own[r];
        Path path = {.b = &b, .dt = 1.0};
        memcpy(path.dx, b.v, (size_t)b.structure->nv * sizeof *path.dx);
        memcpy(path.dv, b.d.a, (size_t)b.structure->nv * sizeof *path.dv);
        double size = 1.0;
        for (int r = 0; r < b.structure->rows; r++) size += fabs(b.d.lambda[r] * own[r]);
        size += worst_of(b.d.a, b.structure->nv) * worst_of(b.d.a, b.structure->nv);
        differentiate(energy_along, &path, 1, &climb);
        check_near(climb, power, 10.0 * DIFFERENCES * size, "energy's rate against power");
        regular++;
    }
    bench_close(&b);
    cardan_model_release(model);
}

static void energy_changes_by_the_power_of_forces_and_constraints(void **state) {
    (void)state;
    regular = 0;
    over_models(look_at_energy, 105);
    assert_true(regular >= sample_of(MODELS, 5));
}

/* ---- order of description ---- */

static void accelerations_of(const Bench *b, const char *name, double *out) {
    for (int i = 0; i < b->structure->block_count; i++) {
        const CrdBlock *block = &b->structure->blocks[i];
        const char *own = block->kind == CRD_CUSTOM_BLOCK ? b->model->description->blocks[block->object].name
                                                          : b->model->description->bodies[block->object].name;
        if (strcmp(own, name) == 0) memcpy(out, b->d.a + block->v, (size_t)block->nv * sizeof *out);
    }
}

static void look_at_order(Random *random, Recipe *recipe) {
    Bench one, other;
    CardanModel *first = describe(recipe, 0, 0, false);
    CardanModel *second =
        describe(recipe, random_index(random, recipe->bodies), random_index(random, recipe->joints), true);
    bench_open(&one, first, CARDAN_SOLVER_CHOLMOD);
    bench_open(&other, second, CARDAN_SOLVER_CHOLMOD);
    assert_int_equal(one.structure->rows, other.structure->rows);
    bool solved = solve(&one), again = solve(&other);
    double ratio = condition_of(&one, recipe);
    if (solved && again && ratio < CLEAR) {
        double size = worst_of(one.d.a, one.structure->nv);
        for (int i = 0; i <= recipe->bodies; i++) {
            double x[6] = {0}, y[6] = {0};
            if (i == recipe->bodies && !recipe->spoke_there) break;
            const char *name = i < recipe->bodies ? recipe->body_name[i] : "spoke";
            accelerations_of(&one, name, x);
            accelerations_of(&other, name, y);
            for (int k = 0; k < 6; k++)
                check_near(y[k], x[k], 1e-12 * ratio * size, "acceleration %d of '%s' described in another order", k,
                           name);
        }
        regular++;
    }
    bench_close(&one);
    bench_close(&other);
    cardan_model_release(first);
    cardan_model_release(second);
}

static void the_order_of_description_does_not_matter(void **state) {
    (void)state;
    regular = 0;
    over_models(look_at_order, 106);
    assert_true(regular >= sample_of(MODELS, 5));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(jacobians_of_whole_models_equal_differences),
        cmocka_unit_test(gamma_of_whole_models_equals_differences_of_the_rate),
        cmocka_unit_test(slot_maps_fill_the_dense_product),
        cmocka_unit_test(sparse_equals_dense_equals_saddle),
        cmocka_unit_test(energy_changes_by_the_power_of_forces_and_constraints),
        cmocka_unit_test(the_order_of_description_does_not_matter),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
