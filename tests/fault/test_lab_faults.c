/* The laboratory when memory runs out, callbacks fail or arguments make no sense. */
#include "fault/own_malloc.h"
#include "support/defaulted.h"

#include "support/check.h"

#include "cardan/lab.h"

enum { MOST = 64 };

static CardanModel *slider_crank(void) {
    CardanModel *model = NULL;
    char message[512];
    if (cardan_model_load("models/slider_crank.yaml", &model, message, sizeof message) < 0) fail_msg("%s", message);
    return model;
}

static const CardanLabMethod methods[] = {
    {DEFAULTED, .stepper = "rk4", .correction = "post", .passes = 2},
    {DEFAULTED, .stepper = "adams_bashforth2", .correction = "project", .directions = "B"},
    {DEFAULTED, .stepper = "euler", .correction = "backward"},
    {DEFAULTED, .formulation = "state_space", .stepper = "dop853"},
    {DEFAULTED, .formulation = "projected", .stepper = "backward_euler"},
    {DEFAULTED, .formulation = "least_squares", .stepper = "backward_euler"},
    {DEFAULTED, .formulation = "index2", .stepper = "half_explicit_midpoint"},
    {DEFAULTED, .formulation = "stabilised", .stepper = "heun", .gamma = 5.0},
    {DEFAULTED, .stepper = "dop853", .rtol = 1e-6, .atol = 1e-6},
    {DEFAULTED, .formulation = "stabilised_index2", .stepper = "rattle"},
    {DEFAULTED, .stepper = "gbs6", .gamma = 10.0},
    {DEFAULTED, .stepper = "bdf", .rtol = 1e-5, .atol = 1e-5},
    {DEFAULTED, .stepper = "radau5", .rtol = 1e-4, .atol = 1e-4, .regulariser = "trust", .epsilon = 1e-6},
};
enum { METHODS = sizeof methods / sizeof *methods };

/* Creates, runs and destroys. */
static CardanStatus work(const CardanModel *model, int m, char *message, size_t size) {
    CardanLabProblem *problem = NULL;
    CardanLabSpan span = {DEFAULTED, .t1 = 0.01, .steps = methods[m].rtol > 0.0 ? 0 : 3};
    double z[MOST];
    CardanStatus status = cardan_lab_problem_of_model(model, CARDAN_LAB_MECHANISM, &problem, message, size);
    if (status >= 0) {
        assert_int_equal(cardan_lab_problem_start(problem, z, NULL, 0), CARDAN_OK);
        status = cardan_lab_run(problem, &methods[m], &span, z, NULL, message, size);
    }
    cardan_lab_problem_destroy(problem);
    return status;
}

static void runs_survive_a_failing_allocation(void **state) {
    (void)state;
    if (!OWN_MALLOC) skip();
    CardanModel *model = slider_crank();
    for (int m = 0; m < METHODS; m++) {
        char message[512] = "";
        for (int i = 0; i < 2; i++) /* what libraries keep for themselves is taken now */
            if (work(model, m, message, sizeof message) < 0) fail_msg("%s: %s", methods[m].stepper, message);
        for (long k = 1, failed = 1; failed > 0; k++) {
            long before = own_malloc_live();
            own_malloc_arm(k, k % 2 == 0);
            CardanStatus status = work(model, m, message, sizeof message);
            failed = own_malloc_disarm();
            assert_true(status == CARDAN_OK || (failed > 0 && status == CARDAN_ERR_MEMORY));
            if (status < 0) assert_non_null(strstr(message, "memory"));
            assert_int_equal(own_malloc_live() - before, 0);
        }
    }
    cardan_model_release(model);
}

static void a_problem_that_has_run_once_allocates_nothing(void **state) {
    (void)state;
    if (!OWN_MALLOC) skip();
    CardanModel *model = slider_crank();
    for (int m = 0; m < METHODS; m++) {
        CardanLabProblem *problem = NULL;
        double z[MOST];
        long calls = 0;
        assert_int_equal(cardan_lab_problem_of_model(model, CARDAN_LAB_MECHANISM, &problem, NULL, 0), CARDAN_OK);
        for (int run = 1; run <= 3; run++) {
            CardanLabSpan span = {DEFAULTED, .t1 = 0.01 * run, .steps = methods[m].rtol > 0.0 ? 0 : 4 * run};
            assert_int_equal(cardan_lab_problem_start(problem, z, NULL, 0), CARDAN_OK);
            calls = own_malloc_calls();
            assert_int_equal(cardan_lab_run(problem, &methods[m], &span, z, NULL, NULL, 0), CARDAN_OK);
            calls = own_malloc_calls() - calls;
        }
        if (calls != 0) fail_msg("%s: %ld allocations", methods[m].stepper, calls);
        cardan_lab_problem_destroy(problem);
    }
    cardan_model_release(model);
}

/* ---- callbacks ---- */

/* A pendulum that fails from t = 0.5 on. */
static CardanStatus terms(void *user, double t, const double *x, const double *v, CardanLabTerms *out) {
    int *calls = user;
    ++*calls;
    if (t > 0.5) return CARDAN_ERR_NUMERIC;
    out->f[1] = -9.81;
    out->g[0] = 0.5 * (x[0] * x[0] + x[1] * x[1] - 1.0);
    out->bias[0] = v[0] * v[0] + v[1] * v[1];
    for (int i = 0; i < 2; i++) {
        out->b[i] = out->jacobian[i] = x[i];
        out->gradient[i] = v[i];
    }
    return CARDAN_OK;
}

static double energy(void *user, double t, const double *z) {
    (void)user, (void)t;
    return 0.5 * (z[2] * z[2] + z[3] * z[3]) + 9.81 * z[1];
}

static int calls;
static const CardanLabDef pendulum = {DEFAULTED, .name = "pendulum", .order = 2,     .n = 2,
                                      .rows = 1, .user = &calls,     .terms = terms, .energy = energy};

static void remember(void *user, double t, const double *z) {
    double *last = user;
    (void)t;
    memcpy(last, z, 4 * sizeof *z);
}

static void a_callback_that_fails_leaves_the_last_good_state(void **state) {
    CardanLabProblem *problem = NULL;
    CardanLabResult result;
    char message[256] = "";
    (void)state;
    assert_int_equal(cardan_lab_problem_create(&pendulum, &problem, message, sizeof message), CARDAN_OK);
    for (int m = 0; m < METHODS; m++) {
        double z[4] = {1.0, 0.0, 0.0, 0.0}, last[4] = {1.0, 0.0, 0.0, 0.0};
        CardanLabSpan span = {DEFAULTED, .t1 = 1.0, .steps = methods[m].rtol > 0.0 ? 0 : 20, .see = remember,
                              .user = last};
        calls = 0;
        assert_int_equal(cardan_lab_run(problem, &methods[m], &span, z, &result, message, sizeof message),
                         CARDAN_ERR_NUMERIC);
        assert_non_null(strstr(message, "'pendulum': its terms could not be evaluated at t = "));
        assert_memory_equal(z, last, sizeof z);
        assert_true(result.steps > 0 && calls > result.steps);
        check_near(energy(NULL, 0.0, z), 0.0, result.energy_max * (1.0 + 1e-12), "energy of the last state");
    }
    cardan_lab_problem_destroy(problem);
}

/* ---- arguments ---- */

static void problems_that_make_no_sense_are_refused(void **state) {
    CardanLabProblem *problem = NULL;
    char message[256];
    CardanLabDef wrong[6];
    (void)state;
    for (int i = 0; i < 6; i++) wrong[i] = pendulum;
    wrong[0].order = 3;
    wrong[1].n = 0;
    wrong[2].rows = 3;
    wrong[3].terms = NULL;
    wrong[4].rows = -1;
    wrong[5].n = 1000000;
    for (int i = 0; i < 6; i++) {
        message[0] = '\0';
        CardanStatus status = cardan_lab_problem_create(&wrong[i], &problem, message, sizeof message);
        assert_int_equal(status, i == 5 ? CARDAN_ERR_LIMIT : CARDAN_ERR_ARGUMENT);
        assert_null(problem);
        assert_true(message[0] != '\0');
    }
    assert_int_equal(cardan_lab_problem_create(NULL, &problem, NULL, 0), CARDAN_ERR_ARGUMENT);
    assert_int_equal(cardan_lab_problem_of_model(NULL, CARDAN_LAB_MECHANISM, &problem, NULL, 0), CARDAN_ERR_ARGUMENT);
    cardan_lab_problem_destroy(NULL);
    assert_int_equal(cardan_lab_problem_sizes(NULL).n, 0);
}

static void words_and_numbers_without_meaning_are_named(void **state) {
    static const struct {
        CardanLabMethod method;
        const char *reason;
    } table[] = {
        {{DEFAULTED, .stepper = NULL}, "no stepper is named"},
        {{DEFAULTED, .stepper = "rk5"}, "no stepper 'rk5'"},
        {{DEFAULTED, .stepper = "rk4", .formulation = "index9"}, "no formulation 'index9'"},
        {{DEFAULTED, .stepper = "rk4", .directions = "G"}, "no directions 'G'"},
        {{DEFAULTED, .stepper = "rk4", .scaling = "unit"}, "no scaling 'unit'"},
        {{DEFAULTED, .stepper = "rk4", .held = "both"}, "no part 'both'"},
        {{DEFAULTED, .stepper = "rk4", .correction = "after"}, "no correction 'after'"},
        {{DEFAULTED, .stepper = "rk4", .regulariser = "qr"}, "no regulariser 'qr'"},
        {{DEFAULTED, .stepper = "rk4", .rtol = 1e-6, .atol = 1e-6}, "no integrator 'rk4'"},
        {{DEFAULTED, .stepper = "dop853", .rtol = 1e-6}, "must both be positive"},
        {{DEFAULTED, .stepper = "rk4", .gamma = -1.0}, "must be 0 or positive"},
        {{DEFAULTED, .stepper = "rk4", .passes = -1}, "must not be negative"},
        {{DEFAULTED, .stepper = "rk4", .gamma = 1.0, .beta = 1.0}, "not by both"},
        {{DEFAULTED, .stepper = "rk4", .regulariser = "trust"}, "needs epsilon > 0"},
        {{DEFAULTED, .stepper = "backward_euler", .formulation = "index2", .gamma = 1.0}, "keeps its multipliers"},
        {{DEFAULTED, .stepper = "backward_euler", .formulation = "direct", .regulariser = "trust", .epsilon = 1.0},
         "G B"},
        {{DEFAULTED, .stepper = "dop853", .rtol = 1e-6, .atol = 1e-6, .correction = "post"}, "steps of fixed size"},
        {{DEFAULTED, .stepper = "dop853", .rtol = 1e-6, .atol = 1e-6, .gamma_per_step = true}, "gamma = 1/h"},
        {{DEFAULTED, .stepper = "dop853", .rtol = 1e-6, .atol = 1e-6, .formulation = "index2"}, "algebraic equations"},
        {{DEFAULTED, .stepper = "dop853", .rtol = 1e-6, .atol = 1e-6, .formulation = "state_space"}, "a given R"},
        {{DEFAULTED, .stepper = "implicit_midpoint", .formulation = "index2", .correction = "forward"}, "doubles it"},
        {{DEFAULTED, .stepper = "rk4", .directions = "given", .correction = "post"}, "no matrix is given"},
    };
    CardanLabProblem *problem = NULL;
    (void)state;
    assert_int_equal(cardan_lab_problem_create(&pendulum, &problem, NULL, 0), CARDAN_OK);
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        CardanLabSpan span = {DEFAULTED, .t1 = 0.1, .steps = 1};
        double z[4] = {1.0, 0.0, 0.0, 0.0};
        char message[512] = "";
        assert_int_equal(cardan_lab_check(problem, &table[i].method, message, sizeof message), CARDAN_ERR_ARGUMENT);
        if (strstr(message, table[i].reason) == NULL) fail_msg("'%s' does not say '%s'", message, table[i].reason);
        assert_int_equal(cardan_lab_run(problem, &table[i].method, &span, z, NULL, message, sizeof message),
                         CARDAN_ERR_ARGUMENT);
    }
    const CardanLabMethod good = {DEFAULTED, .stepper = "rk4"};
    const CardanLabSpan spans[] = {{DEFAULTED, .t1 = 0.1},
                                   {DEFAULTED, .t0 = 1.0, .t1 = 0.1, .steps = 1},
                                   {DEFAULTED, .t1 = (double)NAN, .steps = 1}};
    for (int i = 0; i < 3; i++) {
        double z[4] = {1.0, 0.0, 0.0, 0.0};
        assert_int_equal(cardan_lab_run(problem, &good, &spans[i], z, NULL, NULL, 0), CARDAN_ERR_ARGUMENT);
        assert_int_equal(cardan_lab_run(problem, &good, NULL, z, NULL, NULL, 0), CARDAN_ERR_ARGUMENT);
        assert_int_equal(cardan_lab_run(NULL, &good, &spans[i], z, NULL, NULL, 0), CARDAN_ERR_ARGUMENT);
        assert_int_equal(cardan_lab_problem_start(problem, z, NULL, 0), CARDAN_ERR_ARGUMENT); /* callbacks have none */
        assert_int_equal(cardan_lab_problem_motion(problem, z, z, z, NULL, 0), CARDAN_ERR_ARGUMENT);
    }
    assert_null(cardan_lab_name(CARDAN_LAB_STEPPER, -1));
    assert_null(cardan_lab_name((CardanLabChoice)99, 0));
    assert_int_equal(cardan_lab_stepper_order("rk4"), 4);
    assert_int_equal(cardan_lab_stepper_order("rk5"), 0);
    assert_int_equal(cardan_lab_stepper_order(NULL), 0);
    cardan_lab_problem_destroy(problem);
}

/* One number of a method or span at a time, out of its range or at its edge: refused with a sentence, or a finite
 * state. */
static void numbers_out_of_range_break_nothing(void **state) {
    (void)state;
    static const double VALUES[] = {(double)NAN, (double)INFINITY, -1.0, 0.0, 1e308, -1e308, 1e-308};
    static const size_t MEMBERS[] = {offsetof(CardanLabMethod, rtol),
                                     offsetof(CardanLabMethod, atol),
                                     offsetof(CardanLabMethod, gamma),
                                     offsetof(CardanLabMethod, alpha),
                                     offsetof(CardanLabMethod, beta),
                                     offsetof(CardanLabMethod, epsilon),
                                     offsetof(CardanLabMethod, correction_alpha),
                                     offsetof(CardanLabMethod, tolerance)};
    enum { NUMBERS = sizeof MEMBERS / sizeof *MEMBERS, VALUE_COUNT = sizeof VALUES / sizeof *VALUES };
    CardanModel *model = slider_crank();
    CardanLabProblem *problem = NULL;
    assert_int_equal(cardan_lab_problem_of_model(model, CARDAN_LAB_MECHANISM, &problem, NULL, 0), CARDAN_OK);
    int n = cardan_lab_problem_sizes(problem).state;
    for (int m = 0; m < METHODS; m++)
        for (int i = 0; i < NUMBERS + 2; i++)
            for (int k = 0; k < VALUE_COUNT; k++) {
                char message[512] = "";
                double z[MOST];
                CardanLabMethod method = methods[m];
                CardanLabSpan span = {DEFAULTED, .t1 = 0.01, .steps = methods[m].rtol > 0.0 ? 0 : 3};
                if (i < NUMBERS) memcpy((unsigned char *)&method + MEMBERS[i], &VALUES[k], sizeof(double));
                if (i >= NUMBERS && span.steps == 0 && fabs(VALUES[k]) == 1e308) continue; /* it would take for ever */
                if (i == NUMBERS) span.t0 = VALUES[k];
                if (i == NUMBERS + 1) span.t1 = VALUES[k];
                assert_int_equal(cardan_lab_problem_start(problem, z, NULL, 0), CARDAN_OK);
                CardanStatus status = cardan_lab_run(problem, &method, &span, z, NULL, message, sizeof message);
                if (status < 0 && strlen(message) < 10)
                    fail_msg("%s, %d, %g: no sentence", method.stepper, i, VALUES[k]);
                for (int j = 0; j < n; j++)
                    if (!isfinite(z[j])) fail_msg("%s, %d, %g: not finite", method.stepper, i, VALUES[k]);
            }
    cardan_lab_problem_destroy(problem);
    cardan_model_release(model);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(runs_survive_a_failing_allocation),
        cmocka_unit_test(a_problem_that_has_run_once_allocates_nothing),
        cmocka_unit_test(a_callback_that_fails_leaves_the_last_good_state),
        cmocka_unit_test(problems_that_make_no_sense_are_refused),
        cmocka_unit_test(words_and_numbers_without_meaning_are_named),
        cmocka_unit_test(numbers_out_of_range_break_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
