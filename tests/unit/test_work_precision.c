/* From runs to a recommendation: made-up methods whose work at any error is known in closed form. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tools/work_precision.h"

static const double REST = 1e-12; /* relative: some roundings of log and pow */

static void assert_close(double x, double expected) {
    if (!(fabs(x - expected) <= REST * fabs(expected))) fail_msg("%.17g is not %.17g", x, expected);
}

/* A method of order p: error = (work / c)^-p, at works that double. */
static int method(WorkPoint *points, int count, double c, double p) {
    for (int i = 0; i < count; i++) {
        points[i].work = c * exp2(i);
        points[i].error = pow(points[i].work / c, -p);
    }
    return count;
}

static void powers_are_interpolated_exactly(void **state) {
    (void)state;
    WorkPoint points[12];
    for (double p = 1.0; p <= 8.0; p += 1.0) {
        int n = method(points, 12, 10.0, p);
        for (double error = 0.5; error > points[n - 1].error; error *= 0.3)
            assert_close(work_at_error(points, n, error), 10.0 * pow(error, -1.0 / p));
    }
}

static void nothing_is_extrapolated(void **state) {
    (void)state;
    WorkPoint points[4];
    int n = method(points, 4, 1.0, 2.0);
    assert_true(isnan(work_at_error(points, n, 0.9 * points[3].error)));
    assert_close(work_at_error(points, n, points[3].error), points[3].work);
    points[0].error = 1e-3; /* the loosest run is exact enough already */
    points[1].error = points[2].error = points[3].error = 1e-4;
    assert_close(work_at_error(points, n, 1e-2), points[0].work);
    assert_true(isnan(work_at_error(points, 0, 1e-2)));
}

static void a_lucky_run_amid_worse_ones_counts_for_nothing(void **state) {
    (void)state;
    WorkPoint points[] = {{1.0, 1e-1}, {2.0, 1e-9}, {4.0, 1e-2}, {8.0, 1e-4}};
    assert_close(work_at_error(points, 4, 1e-3), 4.0 * sqrt(2.0));
}

static void an_error_of_zero_reaches_everything(void **state) {
    (void)state;
    WorkPoint points[] = {{1.0, 1e-1}, {2.0, 0.0}};
    assert_close(work_at_error(points, 2, 1e-30), 2.0);
}

static void runs_are_sorted_by_work(void **state) {
    (void)state;
    WorkPoint points[] = {{8.0, 1e-4}, {1.0, 1e-1}, {4.0, 1e-2}};
    work_sort(points, 3);
    assert_true(points[0].work == 1.0 && points[1].work == 4.0 && points[2].work == 8.0);
}

static void tolerances_lie_on_the_same_line(void **state) {
    (void)state;
    WorkPoint looser = {10.0, 1e-2}, tighter = {40.0, 1e-4};
    assert_close(work_interpolate(looser, tighter, 1e-3, 1e-3, 1e-5), 1e-4);
}

/* ---- choosing ---- */

static const bool YES[3] = {true, true, true}, NO[3] = {false, false, false};

static void the_cheapest_that_keeps_the_constraints_is_recommended(void **state) {
    (void)state;
    const double cheap[] = {50.0, 50.0, 50.0}, good[] = {100.0, 100.0, 400.0}, other[] = {150.0, 150.0, (double)NAN};
    Contender all[] = {{cheap, NO, 1}, {good, YES, 1}, {other, YES, 0}};
    assert_int_equal(work_recommend(all, 3, 0), 1);
    assert_int_equal(work_recommend(all, 3, 2), 1);
    assert_close(work_least(all, 3, 0, false), 50.0);
    assert_close(work_least(all, 3, 0, true), 100.0);
}

static void near_ties_go_to_the_default_but_never_beyond_the_tie(void **state) {
    (void)state;
    const double first[] = {100.0}, second[] = {109.0}, third[] = {111.0};
    Contender all[] = {{first, YES, 2}, {second, YES, 1}, {third, YES, 0}};
    assert_int_equal(work_recommend(all, 3, 0), 1);
    all[2].work = second;
    assert_int_equal(work_recommend(all, 3, 0), 2);
}

static void without_a_method_there_is_no_recommendation(void **state) {
    (void)state;
    const double reached[] = {100.0}, missed[] = {(double)NAN};
    Contender all[] = {{reached, NO, 0}, {missed, YES, 0}};
    double worst;
    assert_int_equal(work_recommend(all, 2, 0), -1);
    assert_int_equal(work_recommend_overall(all, 2, 1, &worst), -1);
    assert_int_equal(work_recommend(all, 0, 0), -1);
}

static void one_for_all_has_the_least_worst_ratio(void **state) {
    (void)state;
    const double low[] = {100.0, 1000.0, 90000.0}, high[] = {200.0, 500.0, 2000.0}, middle[] = {130.0, 600.0, 3000.0};
    Contender all[] = {{low, YES, 0}, {high, YES, 0}, {middle, YES, 0}};
    double worst;
    assert_int_equal(work_recommend_overall(all, 3, 3, &worst), 2);
    assert_close(worst, 1.5);
    all[2].keeps = NO;
    assert_int_equal(work_recommend_overall(all, 3, 3, &worst), 1);
    assert_close(worst, 2.0);
}

static void levels_that_nobody_reaches_do_not_count(void **state) {
    (void)state;
    const double a[] = {100.0, (double)NAN}, b[] = {150.0, (double)NAN};
    Contender all[] = {{a, YES, 0}, {b, YES, 0}};
    double worst;
    assert_int_equal(work_recommend_overall(all, 2, 2, &worst), 0);
    assert_close(worst, 1.0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(powers_are_interpolated_exactly),
        cmocka_unit_test(nothing_is_extrapolated),
        cmocka_unit_test(a_lucky_run_amid_worse_ones_counts_for_nothing),
        cmocka_unit_test(an_error_of_zero_reaches_everything),
        cmocka_unit_test(runs_are_sorted_by_work),
        cmocka_unit_test(tolerances_lie_on_the_same_line),
        cmocka_unit_test(the_cheapest_that_keeps_the_constraints_is_recommended),
        cmocka_unit_test(near_ties_go_to_the_default_but_never_beyond_the_tie),
        cmocka_unit_test(without_a_method_there_is_no_recommendation),
        cmocka_unit_test(one_for_all_has_the_least_worst_ratio),
        cmocka_unit_test(levels_that_nobody_reaches_do_not_count),
    };
    return cmocka_run_group_tests_name("work_precision", tests, NULL, NULL);
}
