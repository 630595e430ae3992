/* Implicit steps on small systems with closed forms: ODEs, an index-2 system, projected ends; refusals. */
#include "integrate/methods/implicit.h"
#include "support/check.h"

enum { N_MAX = 4, M_MAX = 2 };

typedef struct Toy Toy;
struct Toy {
    int n, core, multipliers;
    bool in_slopes;
    void (*slope)(double t, const double *y, double *slope);
    void (*residual)(double t, const double *y, double *residual);
    void (*push)(const double *y, const double *u, double *out);
    void (*tangent)(const double *y, double *slope); /* takes off what the multipliers would; NULL: nothing */
    CardanStatus status;                             /* what rates answer */
    bool held[M_MAX];
    long calls;
};

static CardanStatus begin(void *user, double t, const double *y, double *u) {
    Toy *toy = user;
    (void)t;
    (void)y;
    for (int r = 0; r < toy->multipliers; r++) u[r] = 0.0;
    return CARDAN_OK;
}

static CardanStatus rates(void *user, double t, const double *y, const double *u, double *slope, double *residual) {
    Toy *toy = user;
    toy->calls++;
    toy->slope(t, y, slope);
    if (u != NULL) toy->push(y, u, slope);
    if (residual != NULL && toy->residual != NULL) toy->residual(t, y, residual);
    return toy->status;
}

static CardanStatus measure(void *user, double t, const double *y, double *residual) {
    ((Toy *)user)->residual(t, y, residual);
    return CARDAN_OK;
}

static CardanStatus push(void *user, const double *y, const double *u, double *out) {
    ((Toy *)user)->push(y, u, out);
    return CARDAN_OK;
}

static const double ONES[N_MAX] = {1.0, 1.0, 1.0, 1.0};

typedef struct Bench {
    CrdImplicit implicit;
    CrdError error;
    CrdArena arena;
    Toy toy;
} Bench;

static void open_bench(Bench *bench, const char *method, Toy toy) {
    memset(bench, 0, sizeof *bench);
    bench->toy = toy;
    for (int r = 0; r < M_MAX; r++) bench->toy.held[r] = true;
    CrdEquations e = {.user = &bench->toy,
                      .n = toy.n,
                      .core = toy.core,
                      .multipliers = toy.multipliers,
                      .in_slopes = toy.in_slopes,
                      .held = bench->toy.held,
                      .typical = ONES,
                      .begin = begin,
                      .rates = rates,
                      .measure = measure,
                      .push = push,
                      .error = &bench->error};
    const CrdImplicitTableau *tableau = crd_implicit_find(method);
    assert_non_null(tableau);
    crd_implicit_layout(&bench->implicit, tableau, &e, &bench->arena);
    assert_true(crd_arena_allocate(&bench->arena));
    crd_implicit_layout(&bench->implicit, tableau, &e, &bench->arena);
}

static void close_bench(Bench *bench) {
    crd_arena_free(&bench->arena);
}

/* One step; y is left alone when it fails. */
static CardanStatus step(Bench *bench, double t, double h, double *y) {
    double f[N_MAX], y_new[N_MAX];
    bench->toy.slope(t, y, f);
    if (bench->toy.tangent != NULL) bench->toy.tangent(y, f);
    CardanStatus status = crd_implicit_attempt(&bench->implicit, t, h, y, f, y_new);
    if (status >= 0) memcpy(y, y_new, (size_t)bench->toy.n * sizeof *y);
    return status;
}

static void run(Bench *bench, double h, int steps, double *y) {
    for (int i = 0; i < steps; i++)
        if (step(bench, i * h, h, y) < 0) fail_msg("%s", bench->error.text);
}

/* ---- linear: one step in closed form ---- */

static void slope_decay(double t, const double *y, double *slope) {
    (void)t;
    slope[0] = -1000.0 * y[0];
    slope[1] = y[0]; /* rides along */
}

static void one_step_is_the_stability_function(void **state) {
    (void)state;
    const double h = 0.01, z = -10.0;
    const struct {
        const char *method;
        double grown;
    } cases[] = {{"backward_euler", 1.0 / (1.0 - z)},
                 {"trapezoidal", (1.0 + z / 2.0) / (1.0 - z / 2.0)},
                 {"implicit_midpoint", (1.0 + z / 2.0) / (1.0 - z / 2.0)},
                 {"gauss", (1.0 + z / 2.0 + z * z / 10.0 + z * z * z / 120.0) /
                               (1.0 - z / 2.0 + z * z / 10.0 - z * z * z / 120.0)}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        Bench bench;
        double y[2] = {3.0, 0.0};
        open_bench(&bench, cases[i].method, (Toy){.n = 2, .core = 1, .slope = slope_decay});
        run(&bench, h, 1, y);
        check_near(y[0], 3.0 * cases[i].grown, 1e-13, "%s: y' = -1000 y", cases[i].method);
        /* y0 + 1000 sum is kept by every method: both are made of the same slopes, but for the last correction */
        check_near(y[0] + 1000.0 * y[1], 3.0, 1e-9, "%s: the part that rides along", cases[i].method);
        close_bench(&bench);
    }
}

/* ---- nonlinear: order, invariants ---- */

/* Euler's equations of a free body, inertias 1, 2, 3 (times 1). */
static void slope_body(double t, const double *y, double *slope) {
    (void)t;
    slope[0] = -y[1] * y[2];
    slope[1] = y[2] * y[0];
    slope[2] = -y[0] * y[1] / 3.0;
}

static void quadratic_invariants_of_a_free_body_are_kept_by_gauss_and_midpoint(void **state) {
    (void)state;
    static const char *const methods[] = {"gauss", "implicit_midpoint"};
    for (int i = 0; i < 2; i++) {
        Bench bench;
        double y[3] = {0.7, 1.1, 0.4};
        double energy = y[0] * y[0] + 2.0 * y[1] * y[1] + 3.0 * y[2] * y[2];
        double momentum = y[0] * y[0] + 4.0 * y[1] * y[1] + 9.0 * y[2] * y[2];
        open_bench(&bench, methods[i], (Toy){.n = 3, .core = 3, .slope = slope_body});
        run(&bench, 0.2, 1000, y);
        check_near(y[0] * y[0] + 2.0 * y[1] * y[1] + 3.0 * y[2] * y[2], energy, 1e-12, "%s: energy", methods[i]);
        check_near(y[0] * y[0] + 4.0 * y[1] * y[1] + 9.0 * y[2] * y[2], momentum, 1e-12, "%s: momentum", methods[i]);
        close_bench(&bench);
    }
}

/* y' = -2 t y^2, y = 1 / (1 + t^2). */
static void slope_witch(double t, const double *y, double *slope) {
    slope[0] = -2.0 * t * y[0] * y[0];
}

static double error_of(const char *method, int steps) {
    Bench bench;
    double y[1] = {1.0};
    open_bench(&bench, method, (Toy){.n = 1, .core = 1, .slope = slope_witch});
    run(&bench, 1.0 / steps, steps, y);
    close_bench(&bench);
    return fabs(y[0] - 0.5);
}

static void each_method_has_its_order(void **state) {
    (void)state;
    for (int i = 0; i < CRD_IMPLICIT_METHODS; i++) {
        const CrdImplicitTableau *m = &crd_implicit_methods[i];
        int coarse = m->order > 2 ? 8 : 64;
        double observed = log2(error_of(m->name, coarse) / error_of(m->name, 2 * coarse));
        check_between(observed, m->order - 0.15, m->order + 0.15, m->name);
    }
}

/* ---- with multipliers: a point on the unit circle turned by its tangent and blown off by a wind ---- */

static void slope_circle(double t, const double *y, double *slope) {
    slope[0] = -y[1] + 0.3 * cos(t);
    slope[1] = y[0];
}

static void residual_circle(double t, const double *y, double *residual) {
    (void)t;
    residual[0] = 0.5 * (y[0] * y[0] + y[1] * y[1] - 1.0);
}

static void push_circle(const double *y, const double *u, double *out) {
    out[0] += y[0] * u[0];
    out[1] += y[1] * u[0];
}

static void tangent_circle(const double *y, double *slope) {
    double u = -(y[0] * slope[0] + y[1] * slope[1]) / (y[0] * y[0] + y[1] * y[1]);
    push_circle(y, &u, slope);
}

/* On the circle y = (cos a, sin a) the tangential part is a' = 1 - 0.3 cos t sin a. */
static void slope_angle(double t, const double *y, double *slope) {
    slope[0] = 1.0 - 0.3 * cos(t) * sin(y[0]);
}

static const Toy CIRCLE = {.n = 2,
                           .core = 2,
                           .multipliers = 1,
                           .in_slopes = true,
                           .slope = slope_circle,
                           .residual = residual_circle,
                           .push = push_circle,
                           .tangent = tangent_circle};

static double exact_angle(void) {
    Bench bench;
    double a[1] = {0.4};
    open_bench(&bench, "gauss", (Toy){.n = 1, .core = 1, .slope = slope_angle});
    run(&bench, 1.0 / 200, 200, a);
    close_bench(&bench);
    return a[0];
}

/* Stages on the circle; the end is put there along D as well, which Gauss needs for its full order. */
static double circle_error(const char *method, int steps, double exact) {
    Bench bench;
    double y[2] = {cos(0.4), sin(0.4)};
    open_bench(&bench, method, CIRCLE);
    for (int i = 0; i < steps; i++) {
        if (step(&bench, (double)i / steps, 1.0 / steps, y) < 0) fail_msg("%s", bench.error.text);
        check_near(hypot(y[0], y[1]), 1.0, 1e-14, "%s: the circle", method);
    }
    close_bench(&bench);
    return hypot(y[0] - cos(exact), y[1] - sin(exact));
}

static void multipliers_in_stages_keep_the_order(void **state) {
    (void)state;
    double exact = exact_angle();
    for (int i = 0; i < CRD_IMPLICIT_METHODS; i++) {
        const CrdImplicitTableau *m = &crd_implicit_methods[i];
        int coarse = m->order > 2 ? 8 : 64;
        double observed = log2(circle_error(m->name, coarse, exact) / circle_error(m->name, 2 * coarse, exact));
        check_between(observed, m->order - 0.15, m->order + 0.15, m->name);
    }
}

static void projected_ends_are_on_the_circle_and_the_step_goes_back(void **state) {
    (void)state;
    static const char *const methods[] = {"implicit_midpoint", "gauss"};
    for (int i = 0; i < 2; i++) {
        Bench bench;
        Toy toy = CIRCLE;
        double y[2] = {cos(0.4), sin(0.4)};
        toy.in_slopes = false;
        open_bench(&bench, methods[i], toy);
        assert_true(step(&bench, 0.0, 0.3, y) >= 0);
        check_near(hypot(y[0], y[1]), 1.0, 2e-15, "%s: the circle", methods[i]);
        assert_true(step(&bench, 0.3, -0.3, y) >= 0);
        /* the iteration ends with a correction of some ulps, of which its rate leaves a part */
        check_near(y[0], cos(0.4), 1e-14, "%s: back again", methods[i]);
        check_near(y[1], sin(0.4), 1e-14, "%s: back again", methods[i]);
        close_bench(&bench);
    }
}

static void a_multiplier_that_is_not_held_stays_zero(void **state) {
    (void)state;
    for (int at_ends = 0; at_ends < 2; at_ends++) {
        Bench with, without;
        Toy toy = CIRCLE;
        double y[2] = {cos(0.4), sin(0.4)}, plain[2] = {cos(0.4), sin(0.4)};
        toy.in_slopes = at_ends == 0;
        open_bench(&with, "gauss", toy);
        with.toy.held[0] = false;
        open_bench(&without, "gauss", (Toy){.n = 2, .core = 2, .slope = slope_circle, .tangent = tangent_circle});
        run(&with, 0.2, 3, y);
        run(&without, 0.2, 3, plain);
        for (int c = 0; c < 2; c++) check_near(y[c], plain[c], 1e-14, "component %d", c);
        close_bench(&with);
        close_bench(&without);
    }
}

/* ---- refusals: no number from a failed solve ---- */

static void slope_growth(double t, const double *y, double *slope) {
    (void)t;
    slope[0] = y[0];
}

static void slope_explosion(double t, const double *y, double *slope) {
    (void)t;
    slope[0] = y[0] * y[0];
}

static void slope_sideways(double t, const double *y, double *slope) {
    (void)t;
    (void)y;
    slope[0] = slope[1] = 1.0;
}

static void push_along(const double *y, const double *u, double *out) {
    (void)y;
    out[0] += u[0];
}

static void residual_across(double t, const double *y, double *residual) {
    residual[0] = y[1] - t; /* which no push along the first component can change */
}

static void refuses(const char *method, Toy toy, double h, double *y, const char *sentence) {
    Bench bench;
    double before = y[0];
    open_bench(&bench, method, toy);
    assert_int_equal(step(&bench, 0.0, h, y), CARDAN_ERR_NUMERIC);
    if (strstr(bench.error.text, sentence) == NULL) fail_msg("'%s' does not say '%s'", bench.error.text, sentence);
    assert_true(y[0] == before);
    close_bench(&bench);
}

static void a_singular_step_matrix_is_refused_by_name(void **state) {
    (void)state;
    double y[2] = {1.0, 0.0};
    refuses("backward_euler", (Toy){.n = 1, .core = 1, .slope = slope_growth}, 1.0, y,
            "the step matrix of backward_euler is singular at t = 1");
    refuses("trapezoidal", (Toy){.n = 1, .core = 1, .slope = slope_growth}, 2.0, y,
            "the step matrix of trapezoidal is singular");
    Toy across = {.n = 2,
                  .core = 2,
                  .multipliers = 1,
                  .in_slopes = true,
                  .slope = slope_sideways,
                  .residual = residual_across,
                  .push = push_along};
    refuses("gauss", across, 0.1, y, "the step matrix of gauss is singular");
}

/* 1 = Y - h Y^2 has no real solution for h > 1/4. */
static void an_iteration_without_a_solution_is_refused_by_name(void **state) {
    (void)state;
    double y[1] = {1.0};
    refuses("backward_euler", (Toy){.n = 1, .core = 1, .slope = slope_explosion}, 0.3, y,
            "Newton's iteration of backward_euler does not converge after t = 0");
}

static void slope_pole(double t, const double *y, double *slope) {
    (void)t;
    slope[0] = log(y[0]); /* not a number below 0, where the stage goes */
}

static void slopes_that_are_not_finite_are_refused(void **state) {
    (void)state;
    double y[1] = {0.01};
    refuses("implicit_midpoint", (Toy){.n = 1, .core = 1, .slope = slope_pole}, 0.1, y,
            "the step matrix of implicit_midpoint is not finite at t = 0");
    y[0] = 0.2; /* the prediction stays above 0, the iteration does not */
    refuses("backward_euler", (Toy){.n = 1, .core = 1, .slope = slope_pole}, 0.12, y,
            "a correction in the step of backward_euler after t = 0 is not finite");
}

static void a_failing_right_hand_side_hands_its_status_through(void **state) {
    (void)state;
    Bench bench;
    double y[1] = {1.0};
    open_bench(&bench, "gauss", (Toy){.n = 1, .core = 1, .slope = slope_growth, .status = CARDAN_ERR_INTERNAL});
    assert_int_equal(step(&bench, 0.0, 0.1, y), CARDAN_ERR_INTERNAL);
    close_bench(&bench);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_step_is_the_stability_function),
        cmocka_unit_test(quadratic_invariants_of_a_free_body_are_kept_by_gauss_and_midpoint),
        cmocka_unit_test(each_method_has_its_order),
        cmocka_unit_test(multipliers_in_stages_keep_the_order),
        cmocka_unit_test(projected_ends_are_on_the_circle_and_the_step_goes_back),
        cmocka_unit_test(a_multiplier_that_is_not_held_stays_zero),
        cmocka_unit_test(a_singular_step_matrix_is_refused_by_name),
        cmocka_unit_test(an_iteration_without_a_solution_is_refused_by_name),
        cmocka_unit_test(slopes_that_are_not_finite_are_refused),
        cmocka_unit_test(a_failing_right_hand_side_hands_its_status_through),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
