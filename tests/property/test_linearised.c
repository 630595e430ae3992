/* The step matrices of every formulation, on every file of models/: with x the solution of the sparse system for a
 * random right side, slopes and residuals are moved along x and their differences put into the equations that x must
 * meet,
 *
 *     s dy - d slope = R        d residual = r
 *
 * so that everything unknowns were eliminated by, or added for, is in it. */
#include "mechanisms.h"
#include "support/check.h"
#include "support/random.h"
#include "support/sample.h"
#include "support/scene.h"

#include "sim/sim.h"

#include <dirent.h>
#include <float.h>

enum { SIZE = 2000 };

/* Of the size of the terms; differences of step ALONG of the state are good to its fourth power, and to what rounding
 * of positions moves slopes over it: much where a spring has 1e8 N/m. */
static const double EXACT = 1e-6, ALONG = 1e-4, RATE = 100.0; /* 1/s: as with a step of 10 ms */
static const double START = 0.002;                            /* s: models at rest start on kinks of their friction */

typedef struct Case {
    const char *name, *formulation;
    CardanSim *sim;
    const CrdEquations *e;
    double t, u[SIZE], right[SIZE], x[SIZE];
} Case;

static double largest(const double *x, int n) {
    double max = 0.0;
    for (int i = 0; i < n; i++) max = fmax(max, fabs(x[i]));
    return max;
}

/* Slope and residual moved along x by s. */
static void look(const Case *c, double s, double *slope, double *residual) {
    double y[SIZE], u[SIZE];
    const CrdEquations *e = c->e;
    memcpy(y, c->sim->integrator.stepper.y, (size_t)e->n * sizeof *y);
    for (int i = 0; i < e->core; i++) y[i] += s * c->x[i];
    for (int r = 0; e->in_slopes && r < e->multipliers; r++) u[r] = c->u[r] + s * c->x[e->core + r];
    if (e->rates(e->user, c->t, y, e->in_slopes ? u : NULL, slope, e->in_slopes ? residual : NULL) < 0)
        fail_msg("%s, %s: %s", c->name, c->formulation, cardan_sim_message(c->sim));
}

/* (8 (f(h) - f(-h)) - (f(2h) - f(-2h))) / 12 h */
static void derive_along(const Case *c, int count, double h, double *d) {
    static const double at[] = {1.0, -1.0, 2.0, -2.0}, weight[] = {8.0, -8.0, -1.0, 1.0};
    static double f[2 * SIZE];
    memset(d, 0, (size_t)count * sizeof *d);
    for (int k = 0; k < 4; k++) {
        look(c, at[k] * h, f, f + c->e->n);
        for (int i = 0; i < count; i++) d[i] += weight[k] / (12.0 * h) * f[i];
    }
}

/* How much slopes move when the state moves by a rounding. */
static double noise_of(const Case *c, double h) {
    static double here[2 * SIZE], there[2 * SIZE];
    double *y = c->sim->integrator.stepper.y, kept[SIZE], most = 0.0;
    memcpy(kept, y, (size_t)c->e->n * sizeof *kept);
    look(c, 0.0, here, here + c->e->n);
    for (int i = 0; i < c->e->core; i++) y[i] *= i % 2 == 0 ? 1.0 + DBL_EPSILON : 1.0 - DBL_EPSILON;
    look(c, 0.0, there, there + c->e->n);
    memcpy(y, kept, (size_t)c->e->n * sizeof *kept);
    for (int i = 0; i < c->e->core; i++) most = fmax(most, fabs(there[i] - here[i]));
    return most / h;
}

static void compare(Case *c) {
    static double d[2 * SIZE];
    const CrdEquations *e = c->e;
    int m = e->in_slopes ? e->multipliers : 0;
    double h = ALONG / largest(c->x, e->core), size = largest(c->right, e->core), most = 0.0;
    double noise = noise_of(c, h);
    derive_along(c, e->n + m, h, d);
    for (int i = 0; i < e->core; i++) most = fmax(most, fmax(fabs(d[i]), RATE * fabs(c->x[i])));
    for (int i = 0; i < e->core; i++)
        check_near(RATE * c->x[i] - d[i], c->right[i], EXACT * fmax(size, most) + noise, "%s, %s: equation %d of %d",
                   c->name, c->formulation, i, e->core);
    double rows = fmax(1.0, largest(d + e->n, m));
    for (int r = 0; r < m; r++)
        if (e->held[r])
            check_near(d[e->n + r], c->right[e->core + r], EXACT * rows, "%s, %s: row %d of %d", c->name,
                       c->formulation, r, m);
}

static void look_at(const CardanModel *model, const char *name, CardanFormulation formulation, const char *word) {
    static Case c;
    Random random = {31};
    CardanOptions options = cardan_model_options(model);
    options.stepper = CARDAN_STEPPER_BACKWARD_EULER;
    options.step = 1e-4;
    options.formulation = formulation;
    options.stabilise.method = CARDAN_STABILISE_POST;
    c = (Case){.name = name, .formulation = word};
    c.sim = scene_start(model, &options);
    if (cardan_sim_advance(c.sim, START) < 0) fail_msg("%s, %s: %s", name, word, cardan_sim_message(c.sim));
    CrdIntegrator *integrator = &c.sim->integrator;
    const CrdEquations *e = c.e = &integrator->stepper.equations;
    const CrdStageMatrix *stage = e->stage;
    double weakest, *y = integrator->stepper.y, full[SIZE] = {0};
    assert_true(e->n <= SIZE && stage->tiles.n <= SIZE);
    c.t = integrator->stepper.t;
    if (e->multipliers > 0) assert_true(e->begin(e->user, c.t, y, c.u) >= 0);
    if (stage->linearise(stage->user, c.t, y, c.u) < 0) fail_msg("%s: %s", name, cardan_sim_message(c.sim));
    for (int i = 0; i < e->core; i++) full[i] = c.right[i] = random_signed(&random);
    crd_tiles_times(&stage->tiles, stage->rates, 1.0, full, c.x);
    for (int r = 0; e->in_slopes && r < e->multipliers; r++)
        c.x[e->core + r] = c.right[e->core + r] = e->held[r] ? 0.01 * random_signed(&random) : 0.0;
    if (crd_sparse_lu_factor(stage->real, RATE, stage->rates, stage->state, &weakest) < 0)
        fail_msg("%s, %s: singular, %g", name, word, weakest);
    assert_true(crd_sparse_lu_solve(stage->real, c.x) >= 0);
    compare(&c);
    cardan_sim_destroy(c.sim);
}

static void step_matrices_of_every_formulation_are_exact(void **state) {
    (void)state;
    static const char *const WORDS[CARDAN_FORMULATIONS] = {"index1", "ggl", "projected"};
    DIR *dir = opendir("models");
    assert_non_null(dir);
    int seen = 0;
    for (const struct dirent *entry; (entry = readdir(dir)) != NULL;) {
        char path[512], message[512];
        CardanModel *model = NULL;
        if (strstr(entry->d_name, ".yaml") == NULL || !sample_has_name(entry->d_name, 3)) continue;
        snprintf(path, sizeof path, "models/%s", entry->d_name);
        if (cardan_model_load(path, &model, message, sizeof message) < 0) fail_msg("%s: %s", path, message);
        for (int f = 0; f < CARDAN_FORMULATIONS; f++, seen++)
            look_at(model, entry->d_name, (CardanFormulation)f, WORDS[f]);
        cardan_model_release(model);
    }
    closedir(dir);
    assert_true(seen >= sample_of(120, 6));
}

/* Entries of the factors of a chain's step matrix. */
static long entries_of(CardanSpace space, int links, CardanFormulation formulation) {
    CardanModel *model = scene_compile(mechanism_chain(space, links));
    CardanOptions options = scene_fixed(CARDAN_STEPPER_BACKWARD_EULER, 1e-3);
    options.formulation = formulation;
    CardanSim *sim = scene_start(model, &options);
    if (cardan_sim_step(sim, (double)INFINITY) < 0) fail_msg("%s", cardan_sim_message(sim));
    long entries = crd_sparse_lu_entries(sim->integrator.stepper.equations.stage->real);
    cardan_sim_destroy(sim);
    cardan_model_release(model);
    return entries;
}

/* The work of a step follows its factors; ends of a chain have less to do with each other than its middle. */
static void factors_of_chains_grow_with_their_length(void **state) {
    (void)state;
    for (int space = 0; space < 2; space++)
        for (int f = 0; f < CARDAN_FORMULATIONS; f++) {
            long few = entries_of((CardanSpace)space, 64, (CardanFormulation)f);
            long many = entries_of((CardanSpace)space, 256, (CardanFormulation)f);
            check_near((double)many / (double)few, 4.0, 0.2, "space %d, formulation %d: %ld and %ld", space, f, few,
                       many);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(step_matrices_of_every_formulation_are_exact),
        cmocka_unit_test(factors_of_chains_grow_with_their_length),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
