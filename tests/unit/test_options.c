/* Options by name, their defaults and their combinations. */
#include "cardan/options.h"
#include "options/options.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static char said[512];

static CardanStatus set(CardanOptions *o, const char *name, const char *text) {
    return cardan_options_set(o, name, text, said, sizeof said);
}

static CardanStatus check(const CardanOptions *o) {
    return cardan_options_check(o, said, sizeof said);
}

static void defaults_are_those_of_the_format(void **state) {
    (void)state;
    CardanOptions o = cardan_default_options();
    assert_true(o.rtol == 1e-6 && o.atol == 0.0 && o.step == 0.0 && o.end == 0.0);
    assert_int_equal(o.stepper, CARDAN_STEPPER_DOP853);
    assert_int_equal(o.solver, CARDAN_SOLVER_AUTO);
    assert_int_equal(o.stabilise.method, CARDAN_STABILISE_POST);
    assert_int_equal(o.stabilise.passes, 2);
    assert_int_equal(o.stabilise.freeze, 1);
    assert_int_equal(o.stabilise.form, CARDAN_STABILISE_FORM_BLOCK);
    assert_int_equal(o.stabilise.metric, CARDAN_METRIC_MASS);
    assert_int_equal(o.stabilise.levels, CARDAN_LEVELS_BOTH);
    assert_int_equal(check(&o), CARDAN_OK);
    assert_string_equal(said, "");
}

static void every_option_is_set_by_name(void **state) {
    (void)state;
    static const char *const GOOD[][2] = {
        {"end", "10"},
        {"step", "1e-3"},
        {"tolerance.relative", "1e-9"},
        {"tolerance.absolute", "1e-11"},
        {"output_step", "0.1"},
        {"max_step", ".5"},
        {"max_steps", "1000000"},
        {"stepper", "rk4"},
        {"solver", "saddle"},
        {"stabilise.method", "baumgarte"},
        {"stabilise.passes", "1"},
        {"stabilise.form", "full"},
        {"stabilise.metric", "euclid"},
        {"stabilise.levels", "velocity"},
        {"stabilise.alpha", "3"},
        {"stabilise.beta", "4"},
        {"stabilise.freeze", "0"},
        {"formulation", "index1"},
        {"regularise.method", "auto"},
        {"regularise.method", "trust_region"},
        {"regularise.epsilon", "1e-8"},
        {"regularise.radius", "100"},
    };
    CardanOptions o = cardan_default_options();
    for (size_t i = 0; i < sizeof GOOD / sizeof GOOD[0]; i++)
        assert_int_equal(set(&o, GOOD[i][0], GOOD[i][1]), CARDAN_OK);
    assert_true(o.end == 10.0 && o.step == 1e-3 && o.rtol == 1e-9 && o.atol == 1e-11 && o.output_step == 0.1);
    assert_true(o.max_step == 0.5 && o.max_steps == 1000000 && o.stepper == CARDAN_STEPPER_RK4);
    assert_true(o.solver == CARDAN_SOLVER_SADDLE && o.stabilise.method == CARDAN_STABILISE_BAUMGARTE);
    assert_true(o.stabilise.passes == 1 && o.stabilise.form == CARDAN_STABILISE_FORM_FULL && o.stabilise.freeze == 0);
    assert_true(o.stabilise.metric == CARDAN_METRIC_EUCLID && o.stabilise.levels == CARDAN_LEVELS_VELOCITY);
    assert_true(o.stabilise.alpha == 3.0 && o.stabilise.beta == 4.0);
    assert_int_equal(check(&o), CARDAN_OK);
}

static void wrong_texts_are_refused_with_a_reason_and_change_nothing(void **state) {
    (void)state;
    static const char *const BAD[][3] = {
        {"stepper", "dopri", "did you mean 'dopri5'?"},
        {"stepper", "xyz", "there are: euler, midpoint, heun, kutta3, rk4, dopri5, dop853"},
        {"solver", "blok", "unknown solver 'blok'; did you mean 'block'?"},
        {"stabilise.method", "posts", "did you mean 'post'?"},
        {"formulation", "index2", "unknown formulation 'index2'; did you mean 'index1'?"},
        {"formulation", "hamiltonian", "unknown formulation 'hamiltonian'; there are: index1, ggl, projected"},
        {"regularise.method", "trust_regoin", "did you mean 'trust_region'?"},
        {"regularise.epsilon", "-1", "must be >= 0"},
        {"stepp", "1", "unknown option 'stepp'; did you mean 'step'?"},
        {"quality", "1", "unknown option 'quality'"},
        {"step", "-1", "step must be >= 0"},
        {"step", "nan", "expected a number, found 'nan'"},
        {"step", "1e999", "expected a number, found '1e999'"},
        {"step", "0.1s", "expected a number, found '0.1s'"},
        {"step", "", "expected a number, found ''"},
        {"tolerance.absolute", "0", "tolerance.absolute must be > 0"},
        {"stabilise.passes", "0", "stabilise.passes must be 1 or 2"},
        {"stabilise.passes", "1.5", "stabilise.passes must be 1 or 2"},
        {"stabilise.freeze", "1001", "stabilise.freeze must be from 0 to 1000"},
        {"max_steps", "-1", "max_steps must be a whole number"},
        {"max_steps", "1e300", "max_steps must be a whole number"},
        {"order", "13", "order must be a whole number from 0 to 12"},
    };
    CardanOptions before = cardan_default_options();
    for (size_t i = 0; i < sizeof BAD / sizeof BAD[0]; i++) {
        CardanOptions o = before;
        assert_int_equal(set(&o, BAD[i][0], BAD[i][1]), CARDAN_ERR_MODEL);
        if (strstr(said, BAD[i][2]) == NULL) print_message("%s\n", said);
        assert_non_null(strstr(said, BAD[i][2]));
        assert_memory_equal(&o, &before, sizeof o);
    }
}

static void null_is_an_argument_error(void **state) {
    (void)state;
    CardanOptions o = cardan_default_options();
    assert_int_equal(set(NULL, "end", "1"), CARDAN_ERR_ARGUMENT);
    assert_int_equal(set(&o, NULL, "1"), CARDAN_ERR_ARGUMENT);
    assert_int_equal(set(&o, "end", NULL), CARDAN_ERR_ARGUMENT);
    assert_int_equal(check(NULL), CARDAN_ERR_ARGUMENT);
    assert_int_equal(cardan_options_set(&o, "end", "x", NULL, 0), CARDAN_ERR_MODEL);
    char tiny[4];
    assert_int_equal(cardan_options_set(&o, "end", "x", tiny, sizeof tiny), CARDAN_ERR_MODEL);
    assert_string_equal(tiny, "end");
}

static void only_steppers_of_variable_order_take_one(void **state) {
    (void)state;
    for (int stepper = 0; stepper < CARDAN_STEPPERS; stepper++) {
        CardanOptions o = cardan_default_options();
        int most = stepper == CARDAN_STEPPER_BDF ? 5 : stepper == CARDAN_STEPPER_ABM ? 12 : 0;
        o.stepper = (CardanStepper)stepper;
        o.step = 0.01;
        o.order = most;
        assert_int_equal(check(&o), CARDAN_OK);
        o.order = most + 1;
        assert_int_equal(check(&o), CARDAN_ERR_MODEL);
        assert_non_null(strstr(said, most == 12 ? "from 0 to 12"
                                     : most > 0 ? "has orders 1 to 5"
                                                : "no choice of its order"));
    }
}

static void a_stepper_without_error_estimate_needs_a_step(void **state) {
    (void)state;
    for (int stepper = 0; stepper < CARDAN_STEPPERS; stepper++) {
        CardanOptions o = cardan_default_options();
        o.stepper = (CardanStepper)stepper;
        bool adaptive = (stepper >= CARDAN_STEPPER_DOPRI5 && stepper <= CARDAN_STEPPER_GBS) ||
                        (stepper >= CARDAN_STEPPER_BACKWARD_EULER && stepper <= CARDAN_STEPPER_GAUSS) ||
                        (stepper >= CARDAN_STEPPER_RADAU5 && stepper <= CARDAN_STEPPER_GALPHA) ||
                        stepper == CARDAN_STEPPER_AUTO;
        assert_int_equal(check(&o), adaptive ? CARDAN_OK : CARDAN_ERR_MODEL);
        if (!adaptive) assert_non_null(strstr(said, "needs a fixed 'step'"));
        o.step = 0.01;
        assert_int_equal(check(&o), CARDAN_OK);
    }
}

/* "name=text" settings, then what is said about them; NULL: nothing. */
static void formulations_are_refused_where_they_do_not_fit(void **state) {
    (void)state;
    static const struct {
        const char *settings[4][2];
        const char *says;
    } cases[] = {
        {{{"formulation", "ggl"}, {"stepper", "rk4"}}, "stages of 'rk4' have none; take backward_euler"},
        {{{"formulation", "projected"}, {"stepper", "dop853"}}, "stages of 'dop853' have none"},
        {{{"formulation", "ggl"}, {"stepper", "gauss"}}, NULL},
        {{{"formulation", "projected"}, {"stepper", "trapezoidal"}}, NULL},
        {{{"formulation", "ggl"}, {"stepper", "trapezoidal"}, {"stabilise.method", "none"}}, NULL},
        {{{"formulation", "ggl"}, {"stepper", "backward_euler"}, {"stabilise.method", "baumgarte"}},
         "Baumgarte's terms have no place in it"},
        {{{"formulation", "ggl"}, {"stepper", "gauss"}, {"stabilise.method", "none"}}, NULL},
        {{{"formulation", "projected"}, {"stepper", "backward_euler"}, {"stabilise.levels", "velocity"}},
         "lets positions drift"},
        {{{"formulation", "projected"}, {"stepper", "backward_euler"}, {"stabilise.levels", "position"}}, NULL},
        {{{"formulation", "projected"}, {"stepper", "backward_euler"}, {"stabilise.form", "full"}}, NULL},
        {{{"formulation", "projected"}, {"stepper", "gauss"}, {"stabilise.form", "full"}}, NULL},
        {{{"formulation", "ggl"}, {"stepper", "backward_euler"}, {"stabilise.levels", "position"}},
         "other levels and forms belong to 'projected'"},
        {{{"formulation", "ggl"}, {"stepper", "gauss"}, {"stabilise.metric", "euclid"}}, NULL},
        {{{"formulation", "ggl"}, {"stepper", "gauss"}, {"regularise.method", "direct"}},
         "'regularise' can do nothing there"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        CardanOptions o = cardan_default_options();
        o.step = 0.01;
        for (int k = 0; k < 4 && cases[i].settings[k][0] != NULL; k++)
            assert_int_equal(set(&o, cases[i].settings[k][0], cases[i].settings[k][1]), CARDAN_OK);
        assert_int_equal(check(&o), cases[i].says == NULL ? CARDAN_OK : CARDAN_ERR_MODEL);
        if (cases[i].says != NULL && strstr(said, cases[i].says) == NULL) fail_msg("case %zu: %s", i, said);
    }
    CardanOptions o = cardan_default_options();
    o.formulation = CARDAN_FORMULATIONS;
    assert_int_equal(check(&o), CARDAN_ERR_ARGUMENT);
}

static void senseless_combinations_are_refused(void **state) {
    (void)state;
    CardanOptions o = cardan_default_options();
    o.step = (double)NAN;
    assert_int_equal(check(&o), CARDAN_ERR_MODEL);
    o = cardan_default_options();
    o.rtol = -1e-6;
    assert_int_equal(check(&o), CARDAN_ERR_MODEL);
    o.rtol = 0.0;
    assert_int_equal(check(&o), CARDAN_OK); /* purely absolute */
    o.atol = -1e-9;
    assert_int_equal(check(&o), CARDAN_ERR_MODEL);
    assert_int_equal(cardan_options_set(&o, "tolerance.absolute", "0", said, sizeof said), CARDAN_ERR_MODEL);
    o = cardan_default_options();
    o.stabilise.passes = 3;
    assert_int_equal(check(&o), CARDAN_ERR_MODEL);
    o.stabilise.passes = 2;
    o.stabilise.form = CARDAN_STABILISE_FORM_FULL; /* makes its own factor whatever freeze says */
    assert_int_equal(check(&o), CARDAN_OK);
    o.step = 0.1;
    o.max_step = 0.01;
    assert_int_equal(check(&o), CARDAN_ERR_MODEL);
    o = cardan_default_options();
    o.stepper = (CardanStepper)77;
    assert_int_equal(check(&o), CARDAN_ERR_ARGUMENT);
    o = cardan_default_options();
    o.solver = (CardanSolver)-1;
    assert_int_equal(check(&o), CARDAN_ERR_ARGUMENT);
    o = cardan_default_options();
    o.stabilise.levels = (CardanLevels)9;
    assert_int_equal(check(&o), CARDAN_ERR_ARGUMENT);
}

static void baumgarte_has_a_critically_damped_default(void **state) {
    (void)state;
    CardanOptions o = cardan_default_options();
    o.stabilise.method = CARDAN_STABILISE_BAUMGARTE;
    CardanOptions used = crd_options_resolved(&o);
    assert_true(used.stabilise.alpha * used.stabilise.alpha == 4.0 * used.stabilise.beta);
    o.stabilise.alpha = 1.0;
    used = crd_options_resolved(&o);
    assert_true(used.stabilise.alpha == 1.0 && used.stabilise.beta == 0.0);
}

static void names_read_back(void **state) {
    (void)state;
    CardanOptions o = cardan_default_options();
    for (int i = 0; i < CARDAN_STEPPERS; i++) {
        assert_int_equal(set(&o, "stepper", cardan_stepper_name((CardanStepper)i)), CARDAN_OK);
        assert_int_equal(o.stepper, i);
    }
    for (int i = 0; i < CARDAN_SOLVERS; i++) {
        assert_int_equal(set(&o, "solver", cardan_solver_name((CardanSolver)i)), CARDAN_OK);
        assert_int_equal(o.solver, i);
    }
    assert_string_equal(cardan_stepper_name((CardanStepper)99), "unknown");
    assert_string_equal(cardan_solver_name((CardanSolver)99), "unknown");
}

static void words_of_choices_read_back_and_end(void **state) {
    (void)state;
    static const char *const choices[] = {"stepper",          "solver",           "formulation",
                                          "stabilise.method", "stabilise.form",   "stabilise.metric",
                                          "stabilise.levels", "regularise.method"};
    for (size_t c = 0; c < sizeof choices / sizeof *choices; c++) {
        CardanOptions o = cardan_default_options();
        int i = 0;
        for (; cardan_options_word(choices[c], i) != NULL; i++)
            assert_int_equal(set(&o, choices[c], cardan_options_word(choices[c], i)), CARDAN_OK);
        assert_true(i > 0);
        assert_null(cardan_options_word(choices[c], -1));
    }
    assert_string_equal(cardan_options_word("stepper", CARDAN_STEPPER_RK4), "rk4");
    assert_null(cardan_options_word("stepper", CARDAN_STEPPERS));
    assert_null(cardan_options_word("end", 0)); /* a number */
    assert_null(cardan_options_word("no such option", 0));
    assert_null(cardan_options_word(NULL, 0));
}

static void numbers_beyond_whole_ones_are_taken_as_they_are(void **state) {
    (void)state;
    CardanOptions options = cardan_default_options();
    assert_int_equal(cardan_options_set(&options, "tolerance.absolute", "1e99", NULL, 0), CARDAN_OK);
    assert_true(options.atol == 1e99);
    assert_int_equal(cardan_options_set(&options, "max_steps", "1e9", NULL, 0), CARDAN_OK);
    assert_true(options.max_steps == 1000000000L);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_beyond_whole_ones_are_taken_as_they_are),
        cmocka_unit_test(defaults_are_those_of_the_format),
        cmocka_unit_test(every_option_is_set_by_name),
        cmocka_unit_test(wrong_texts_are_refused_with_a_reason_and_change_nothing),
        cmocka_unit_test(null_is_an_argument_error),
        cmocka_unit_test(only_steppers_of_variable_order_take_one),
        cmocka_unit_test(a_stepper_without_error_estimate_needs_a_step),
        cmocka_unit_test(formulations_are_refused_where_they_do_not_fit),
        cmocka_unit_test(senseless_combinations_are_refused),
        cmocka_unit_test(baumgarte_has_a_critically_damped_default),
        cmocka_unit_test(names_read_back),
        cmocka_unit_test(words_of_choices_read_back_and_end),
    };
    return cmocka_run_group_tests_name("options", tests, NULL, NULL);
}
