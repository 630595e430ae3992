/* What the back ends of S lambda = r must refuse, and that they work again afterwards. */
#include "solver_fixture.h"

#include "core/numbers.h"

#include <limits.h>
#include <suitesparse/cholmod.h>

/* Refused by back ends 0 .. count-1 with the row named, and after that good values are factored and solved again. */
static void check_refused(const System *bad, const System *good, int count, int row) {
    double *r = room((size_t)bad->n, sizeof(double)), *expected = room((size_t)bad->n, sizeof(double));
    for (int b = 0; b < count; b++) {
        CrdPivot pivot = {.ratio = 1.0, .row = -7};
        CrdSolver *solver = solver_of(BACK_ENDS[b], bad);
        assert_int_equal(factor(solver, bad, &pivot), CARDAN_ERR_NUMERIC);
        assert_false(pivot.ratio > CRD_PIVOT_DEPENDENT);
        if (row >= 0) assert_int_equal(pivot.row, row);
        assert_in_range(pivot.row, 0, bad->n - 1);
        assert_int_equal(solver->ops->solve(solver, r), CARDAN_ERR_INTERNAL);
        assert_int_equal(factor(solver, good, &pivot), CARDAN_OK);
        for (int i = 0; i < bad->n; i++) r[i] = good->s[i];
        assert_int_equal(solver->ops->solve(solver, r), CARDAN_OK); /* S x = its first column: x = e_0 */
        memset(expected, 0, (size_t)bad->n * sizeof(double));
        expected[0] = 1.0;
        assert_true(distance(r, expected, bad->n) <= 1e-12 * condition(good));
        solver->ops->destroy(solver);
    }
    free(r);
    free(expected);
}

static void dependent_rows_are_refused_by_name(void **state) {
    (void)state;
    static const int last[] = {3, 17, 59};
    for (int k = 0; k < 3; k++) {
        System y = chain(12, 5);
        for (int v = 0; v < y.nv; v++) { /* a row that couples earlier ones far and near; the pattern keeps its shape */
            y.g[last[k] + v * y.n] = 0.0;
            for (int i = last[k] < 5 ? 0 : last[k] / 5 * 5 - 5; i < last[k]; i++)
                y.g[last[k] + v * y.n] += (i % 3 - 0.7) * y.g[i + v * y.n];
        }
        form_s(&y);
        System good = copy_of(&y);
        for (int v = 6 * (last[k] / 5); v < 6 * (last[k] / 5) + 6; v++) good.g[last[k] + v * y.n] += noise();
        form_s(&good);
        assert_int_equal(good.start[good.n], y.start[y.n]);
        check_refused(&y, &good, BACK_END_COUNT, last[k]);
        system_free(&y);
        system_free(&good);
    }
}

static void a_row_of_zeros_is_refused_by_name(void **state) {
    (void)state;
    System y = chain(4, 3), good = chain(4, 3);
    for (int v = 0; v < y.nv; v++) y.g[7 + v * y.n] = 0.0;
    for (int j = 0; j < y.n; j++) /* the pattern of the chain, with zeros in it */
        for (int k = y.start[j]; k < y.start[j + 1]; k++)
            if (j == 7 || y.row[k] == 7) y.value[k] = 0.0;
    check_refused(&y, &good, BACK_END_COUNT, 7);
    system_free(&y);
    system_free(&good);
}

static void two_equal_rows_are_refused_by_name(void **state) {
    (void)state;
    System y = system_new(2, 2), good = system_new(2, 2);
    y.g[0] = y.g[1] = 1.0; /* rows (1, 0) and (1, 0): S = [1 1; 1 1] has an exact zero pivot */
    good.g[0] = good.g[1] = good.g[3] = 1.0;
    form_s(&y);
    form_s(&good);
    check_refused(&y, &good, BACK_END_COUNT, 1);
    system_free(&y);
    system_free(&good);
}

/* S alone made indefinite: no M and G have such an S, so the saddle reference is not asked. */
static void indefinite_matrices_are_refused_by_name(void **state) {
    (void)state;
    System y = chain(6, 4), good = chain(6, 4);
    y.value[y.start[14] - 1] *= -1.0; /* diagonal of row 13 */
    check_refused(&y, &good, 2, 13);
    y.value[y.start[14] - 1] *= -1.0;
    y.value[0] *= -1.0; /* the ratio of pivot and diagonal is 1 here, and still it must not pass */
    check_refused(&y, &good, 2, 0);
    y.value[0] *= -1.0;
    y.value[y.start[10] - 1] *= 1e-3; /* off-diagonal entries too large for their diagonal */
    check_refused(&y, &good, 2, -1);
    system_free(&y);
    system_free(&good);
}

static void masses_that_are_not_positive_are_refused(void **state) {
    (void)state;
    System y = chain(3, 2), good = copy_of(&y);
    y.m[7 + 7 * y.nv] = -1.0;
    CrdPivot pivot;
    CrdSolver *saddle = solver_of(&crd_solver_saddle, &y);
    assert_int_equal(factor(saddle, &y, &pivot), CARDAN_ERR_NUMERIC);
    assert_in_range(pivot.row, 2, 5); /* body 1 is held by joints 1 and 2 */
    y.m[7 + 7 * y.nv] = 1.0;
    y.m[6 + 6 * y.nv] = 1.0;
    y.m[6 + 7 * y.nv] = y.m[7 + 6 * y.nv] = 2.0; /* positive diagonal, indefinite */
    assert_int_equal(factor(saddle, &y, &pivot), CARDAN_ERR_NUMERIC);
    assert_in_range(pivot.row, 2, 5);
    assert_int_equal(factor(saddle, &good, &pivot), CARDAN_OK);
    saddle->ops->destroy(saddle);
    system_free(&y);
    system_free(&good);
}

/* Why status and pivots decide and the return value of CHOLMOD does not. */
static void cholmod_says_true_to_a_matrix_that_is_refused(void **state) {
    (void)state;
    static const double bad[][3] = {{1.0, 1.0, 1.0}, {1.0, 2.0, 1.0}, {-1.0, 0.5, 1.0}, {0.0, 1.0, 1.0}};
    static const int row[] = {1, 1, 0, 0};
    for (int k = 0; k < 4; k++) {
        System y = system_new(2, 2), good = system_new(2, 2);
        good.g[0] = good.g[1] = good.g[3] = 1.0;
        form_s(&good);
        form_s(&y);
        y.start[2] = 3;
        y.row[1] = 0;
        y.row[2] = 1;
        memcpy(y.value, bad[k], sizeof bad[k]);

        cholmod_common common;
        cholmod_start(&common);
        common.print = 0;
        common.supernodal = CHOLMOD_SIMPLICIAL;
        cholmod_sparse s = {.nrow = 2,
                            .ncol = 2,
                            .nzmax = 3,
                            .p = y.start,
                            .i = y.row,
                            .x = y.value,
                            .stype = 1,
                            .itype = CHOLMOD_INT,
                            .xtype = CHOLMOD_REAL,
                            .dtype = CHOLMOD_DOUBLE,
                            .sorted = 1,
                            .packed = 1};
        cholmod_factor *l = cholmod_analyze(&s, &common);
        assert_true(cholmod_factorize(&s, l, &common));
        cholmod_free_factor(&l, &common);
        cholmod_finish(&common);

        check_refused(&y, &good, 2, row[k]);
        system_free(&y);
        system_free(&good);
    }
}

static void values_that_are_no_numbers_are_refused(void **state) {
    (void)state;
    static const double rubbish[] = {(double)NAN, (double)INFINITY, -(double)INFINITY};
    for (int k = 0; k < 3; k++) {
        System y = chain(5, 4), good = copy_of(&y);
        int at = y.start[10] - 2; /* off the diagonal in column 9 */
        double keep = y.value[at];
        y.value[at] = rubbish[k];
        check_refused(&y, &good, 2, 9);
        y.value[at] = keep;
        y.value[at + 1] = rubbish[k]; /* on it */
        check_refused(&y, &good, 2, 9);
        y.value[at + 1] = 1.0;
        y.value[0] = rubbish[k];
        check_refused(&y, &good, 2, 0);

        CrdPivot pivot;
        CrdSolver *saddle = solver_of(&crd_solver_saddle, &y);
        y.g[9 + 6 * y.n] = rubbish[k];
        assert_int_equal(factor(saddle, &y, &pivot), CARDAN_ERR_NUMERIC);
        assert_int_equal(pivot.row, 9);
        y.g[9 + 6 * y.n] = 0.5;
        y.m[0] = rubbish[k];
        assert_int_equal(factor(saddle, &y, &pivot), CARDAN_ERR_NUMERIC);
        assert_int_equal(pivot.row, 0);
        assert_int_equal(factor(saddle, &good, &pivot), CARDAN_OK);
        saddle->ops->destroy(saddle);
        system_free(&y);
        system_free(&good);
    }
}

static void no_back_end_solves_before_it_has_factored(void **state) {
    (void)state;
    System y = chain(2, 3);
    double r[6] = {0};
    for (int b = 0; b < BACK_END_COUNT; b++) {
        CrdSolver *solver = solver_of(BACK_ENDS[b], &y);
        assert_int_equal(solver->ops->solve(solver, r), CARDAN_ERR_INTERNAL);
        solver->ops->destroy(solver);
        BACK_ENDS[b]->destroy(NULL);
    }
    system_free(&y);
}

static void the_saddle_solver_asks_for_what_it_needs(void **state) {
    (void)state;
    System y = chain(2, 3);
    CrdPivot pivot;
    CrdSolver *saddle = solver_of(&crd_solver_saddle, &y), *none = NULL;
    CrdMatrix matrix = matrix_of(&y);
    matrix.fill_saddle = NULL;
    assert_int_equal(saddle->ops->factor(saddle, &matrix, &pivot), CARDAN_ERR_ARGUMENT);
    matrix = matrix_of(&y);
    matrix.velocities--;
    assert_int_equal(saddle->ops->factor(saddle, &matrix, &pivot), CARDAN_ERR_ARGUMENT);
    saddle->ops->destroy(saddle);
    CrdError error = {0};
    assert_int_equal(crd_solver_saddle.create(&y.pattern, INT_MAX, &none, &error), CARDAN_ERR_LIMIT);
    assert_null(none);
    assert_int_equal(error.status, CARDAN_ERR_LIMIT);
    system_free(&y);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(dependent_rows_are_refused_by_name),
        cmocka_unit_test(a_row_of_zeros_is_refused_by_name),
        cmocka_unit_test(two_equal_rows_are_refused_by_name),
        cmocka_unit_test(indefinite_matrices_are_refused_by_name),
        cmocka_unit_test(masses_that_are_not_positive_are_refused),
        cmocka_unit_test(cholmod_says_true_to_a_matrix_that_is_refused),
        cmocka_unit_test(values_that_are_no_numbers_are_refused),
        cmocka_unit_test(no_back_end_solves_before_it_has_factored),
        cmocka_unit_test(the_saddle_solver_asks_for_what_it_needs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
