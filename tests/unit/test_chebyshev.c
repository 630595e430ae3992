/* Polynomials through Chebyshev nodes, beside closed forms. */
#include "support/check.h"

#include "core/chebyshev.h"

#include <float.h>

static const int COUNTS[] = {3, 5, 9, CRD_NODES_MOST};
enum { SIZES = sizeof COUNTS / sizeof *COUNTS, PLACES = 50 };

/* T_k(x) = cos(k acos x) */
static double chebyshev(int k, double x) {
    return cos(k * acos(x));
}

static double value_at(const CrdNodes *nodes, const double *f, double x) {
    double share[CRD_NODES_MOST], sum = 0.0;
    crd_node_shares(nodes, x, share);
    for (int j = 0; j < nodes->count; j++) sum += share[j] * f[j];
    return sum;
}

static void polynomials_below_their_number_are_met(void **state) {
    (void)state;
    for (int s = 0; s < SIZES; s++) {
        CrdNodes nodes = crd_nodes_of(COUNTS[s]);
        for (int k = 0; k < nodes.count; k++) {
            double f[CRD_NODES_MOST];
            for (int j = 0; j < nodes.count; j++) f[j] = chebyshev(k, nodes.x[j]);
            for (int i = 0; i <= PLACES; i++) {
                double x = -1.0 + 2.0 * i / PLACES;
                assert_true(fabs(value_at(&nodes, f, x) - chebyshev(k, x)) < 200.0 * DBL_EPSILON);
            }
        }
    }
}

static void nodes_are_where_it_is_largest_and_the_probe_is_a_zero(void **state) {
    (void)state;
    for (int s = 0; s < SIZES; s++) {
        CrdNodes nodes = crd_nodes_of(COUNTS[s]);
        int n = nodes.count - 1;
        assert_true(nodes.x[0] == -1.0 && nodes.x[n] == 1.0);
        for (int j = 0; j < nodes.count; j++) {
            assert_true(j == 0 || nodes.x[j] > nodes.x[j - 1]);
            assert_true(fabs(fabs(chebyshev(n, nodes.x[j])) - 1.0) < 100.0 * DBL_EPSILON);
        }
        assert_true(fabs(chebyshev(n, nodes.probe)) < 100.0 * DBL_EPSILON);
        assert_true(fabs(nodes.probe) < 0.75); /* in the middle */
        double f[CRD_NODES_MOST], sum = 0.0;
        for (int j = 0; j < nodes.count; j++) f[j] = exp(nodes.x[j]);
        for (int j = 0; j < nodes.count; j++) sum += nodes.share[j] * f[j];
        assert_true(fabs(sum - value_at(&nodes, f, nodes.probe)) < 10.0 * DBL_EPSILON);
    }
}

static void half_of_the_nodes_and_their_probe_are_nodes_to_the_bit(void **state) {
    (void)state;
    for (int s = 1; s < SIZES; s++) {
        CrdNodes half = crd_nodes_of(COUNTS[s - 1]), nodes = crd_nodes_of(COUNTS[s]);
        assert_int_equal(nodes.count, 2 * half.count - 1);
        for (int j = 0; j < half.count; j++) assert_true(nodes.x[2 * j] == half.x[j]);
        assert_true(nodes.x[half.count] == half.probe);
    }
}

static void the_last_coefficients_are_those_of_the_last_polynomials(void **state) {
    (void)state;
    for (int s = 1; s < SIZES; s++) {
        CrdNodes nodes = crd_nodes_of(COUNTS[s]);
        for (int k = 0; k < nodes.count; k++) {
            double c[2] = {0};
            for (int j = 0; j < nodes.count; j++)
                for (int i = 0; i < 2; i++) c[i] += nodes.last[i][j] * chebyshev(k, nodes.x[j]);
            for (int i = 0; i < 2; i++)
                assert_true(fabs(fabs(c[i]) - (k == nodes.count - 1 - i ? 1.0 : 0.0)) < 100.0 * DBL_EPSILON);
        }
    }
}

/* What is left out of exp(a x) is what the last coefficient says, up to the rate at which they fall. */
static void they_say_what_is_left_out(void **state) {
    (void)state;
    for (int s = 1; s < SIZES; s++) {
        CrdNodes nodes = crd_nodes_of(COUNTS[s]);
        double f[CRD_NODES_MOST], last = 0.0, off = 0.0;
        for (int j = 0; j < nodes.count; j++) f[j] = exp(2.0 * nodes.x[j]);
        for (int j = 0; j < nodes.count; j++) last += nodes.last[0][j] * f[j];
        for (int i = 0; i <= PLACES; i++) {
            double x = -1.0 + 2.0 * i / PLACES;
            off = fmax(off, fabs(value_at(&nodes, f, x) - exp(2.0 * x)));
        }
        assert_true(off < fabs(last) + 100.0 * DBL_EPSILON);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(polynomials_below_their_number_are_met),
        cmocka_unit_test(nodes_are_where_it_is_largest_and_the_probe_is_a_zero),
        cmocka_unit_test(half_of_the_nodes_and_their_probe_are_nodes_to_the_bit),
        cmocka_unit_test(the_last_coefficients_are_those_of_the_last_polynomials),
        cmocka_unit_test(they_say_what_is_left_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
