/* The step size controller on its own: limits, memory, NaN; and first steps of odd problems. (In a run:
 * test_runge_kutta.c.) */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "core/numbers.h"
#include "integrate/controller.h"
#include "integrate/first_step.h"
#include "integrate/methods/runge_kutta.h"

static void growth_is_limited_in_both_directions_of_time(void **state) {
    const CrdTableau *method = crd_tableau_find("dopri5");
    CrdController controller = {0};
    (void)state;
    assert_true(crd_controller_accepted(&controller, method->error_order, method->beta, 0.0, 2.0) ==
                2.0 * CRD_STEP_GROW);
    assert_true(crd_controller_accepted(&controller, method->error_order, method->beta, 0.0, -2.0) ==
                -2.0 * CRD_STEP_GROW);
}

static void a_rejected_step_always_shrinks_within_limits(void **state) {
    const CrdTableau *method = crd_tableau_find("dop853");
    CrdController controller = {0};
    (void)state;
    assert_true(crd_controller_rejected(&controller, method->error_order, 1e30, 1.0) == CRD_STEP_SHRINK);
    assert_true(crd_controller_rejected(&controller, method->error_order, (double)INFINITY, -1.0) == -CRD_STEP_SHRINK);
    assert_true(crd_controller_rejected(&controller, method->error_order, (double)NAN, 1.0) == CRD_STEP_SHRINK);
    assert_true(crd_controller_rejected(&controller, method->error_order, 1e-3, 1.0) == CRD_STEP_SAFETY);
    assert_true(fabs(crd_controller_rejected(&controller, method->error_order, 256.0, 1.0) - 0.5 * CRD_STEP_SAFETY) <
                4.0 * CRD_EPS);
}

static void nothing_grows_directly_after_a_rejection_or_a_failure(void **state) {
    const CrdTableau *method = crd_tableau_find("dopri5");
    CrdController controller = {0};
    (void)state;
    crd_controller_rejected(&controller, method->error_order, 10.0, 1.0);
    assert_true(crd_controller_accepted(&controller, method->error_order, method->beta, 0.0, 1.0) == 1.0);
    assert_true(crd_controller_accepted(&controller, method->error_order, method->beta, 0.0, 1.0) == CRD_STEP_GROW);
    assert_true(crd_controller_failed(&controller, 1.0) == CRD_STEP_FAILED);
    assert_true(crd_controller_accepted(&controller, method->error_order, method->beta, 1e-3, 1.0) == 1.0);
    assert_true(controller.error_old == 1e-3);
}

static void a_nan_is_not_accepted(void **state) {
    (void)state;
    assert_false(crd_controller_accepts((double)NAN));
    assert_false(crd_controller_accepts((double)INFINITY));
    assert_true(crd_controller_accepts(1.0));
    assert_true(crd_controller_accepts(0.0));
}

/* A constant problem, norm = (h / h0)^q: the size settles below h0 and stays. */
static void the_size_settles_where_the_tolerance_is_just_met(void **state) {
    (void)state;
    for (int m = 0; m < CRD_TABLEAUX; ++m) {
        const CrdTableau *method = &crd_tableaux[m];
        if (method->error_rows == 0) continue;
        CrdController controller = {0};
        double h = 1e-3, h_before = 0.0;
        for (int i = 0; i < 60; ++i) {
            double norm = pow(h, method->error_order);
            h_before = h;
            if (crd_controller_accepts(norm))
                h = crd_controller_accepted(&controller, method->error_order, method->beta, norm, h);
            else
                h = crd_controller_rejected(&controller, method->error_order, norm, h);
        }
        assert_true(h > CRD_STEP_SAFETY - 0.05 && h < 1.0 && fabs(h - h_before) < 1e-6);
    }
}

static CardanStatus constant_rhs(void *user, double t, const double *y, double *dydt) {
    (void)t, (void)y;
    dydt[0] = *(double *)user;
    return CARDAN_OK;
}

/* From y with slope 0 at the start and the given one after it. */
static double first_step(double y, double slope, double h_max) {
    CrdOde ode = {.rhs = constant_rhs, .user = &slope, .n = 1};
    CardanStatus status = CARDAN_ERR_INTERNAL;
    double f = 0.0, trial, f_trial;
    CrdScale scale = {.n = 1, .y = &y, .y_new = &y, .rtol = 1e-6, .atol = 1e-6};
    double h = crd_first_step(&ode, 0.0, &scale, &f, crd_tableau_find("dop853")->error_order, h_max, &trial, &f_trial,
                              &status);
    assert_int_equal(status, CARDAN_OK);
    return h;
}

static void a_rest_starts_with_the_guess_made_when_nothing_is_known(void **state) {
    (void)state;
    assert_true(first_step(1.0, 0.0, (double)INFINITY) == CRD_FIRST_STEP);
    assert_true(first_step(0.0, 0.0, -1.0) == -CRD_FIRST_STEP);
    assert_true(first_step(0.0, 0.0, 1e-9) == CRD_FIRST_STEP * 1e-9); /* of the way there is */
    assert_true(first_step(1.0, (double)NAN, 1.0) > 0.0 && first_step(1.0, (double)NAN, 1.0) < 1e-3);
    assert_true(first_step(1.0, (double)INFINITY, 1.0) == CRD_FIRST_STEP);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(growth_is_limited_in_both_directions_of_time),
        cmocka_unit_test(a_rejected_step_always_shrinks_within_limits),
        cmocka_unit_test(nothing_grows_directly_after_a_rejection_or_a_failure),
        cmocka_unit_test(a_nan_is_not_accepted),
        cmocka_unit_test(the_size_settles_where_the_tolerance_is_just_met),
        cmocka_unit_test(a_rest_starts_with_the_guess_made_when_nothing_is_known),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
