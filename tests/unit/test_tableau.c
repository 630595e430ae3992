/* Coefficients of the explicit Runge-Kutta methods: order conditions over all rooted trees for the step, the error
 * estimates and the dense output (Hairer, Norsett, Wanner, II.2). */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/numbers.h"
#include "integrate/methods/runge_kutta.h"

enum { S = CRD_TABLEAU_SLOPES_MAX, TREE = 9 };

/* ---- rooted trees: level sequences in the order of Beyer and Hedetniemi ---- */

typedef struct Tree {
    int nodes, level[TREE];
} Tree;

static Tree first_tree(int nodes) {
    Tree tree = {.nodes = nodes};
    for (int i = 0; i < nodes; ++i) tree.level[i] = i + 1;
    return tree;
}

static bool next_tree(Tree *tree) {
    int p = tree->nodes - 1, q;
    while (p > 0 && tree->level[p] == 2) --p;
    if (p <= 0) return false;
    for (q = p - 1; tree->level[q] != tree->level[p] - 1; --q) continue;
    for (int i = p; i < tree->nodes; ++i) tree->level[i] = tree->level[i - (p - q)];
    return true;
}

/* phi (slopes) of a tree and the same with |a|, for rounding; returns 1/gamma. */
static double tree_weights(const Tree *tree, const CrdTableau *method, double *phi, double *phi_abs) {
    double node[TREE][S], node_abs[TREE][S], gamma = 1.0;
    int size[TREE], slopes = crd_tableau_slopes(method);
    for (int i = 0; i < tree->nodes; ++i) {
        size[i] = 1;
        for (int s = 0; s < slopes; ++s) node[i][s] = node_abs[i][s] = 1.0;
    }
    for (int i = tree->nodes - 1; i >= 0; --i) {
        int parent = i - 1;
        gamma *= size[i];
        while (parent >= 0 && tree->level[parent] != tree->level[i] - 1) --parent;
        if (parent < 0) continue;
        size[parent] += size[i];
        for (int s = 0; s < slopes; ++s) {
            double sum = 0.0, sum_abs = 0.0;
            for (int j = 0; j < s; ++j) {
                sum += crd_tableau_row(method, s)[j] * node[i][j];
                sum_abs += fabs(crd_tableau_row(method, s)[j]) * node_abs[i][j];
            }
            node[parent][s] *= sum;
            node_abs[parent][s] *= sum_abs;
        }
    }
    memcpy(phi, node[0], sizeof node[0]);
    memcpy(phi_abs, node_abs[0], sizeof node_abs[0]);
    return 1.0 / gamma;
}

/* Whether sum weight_j phi_j = factor theta^order / gamma for all trees of one order, to rounding. */
static bool conditions_hold(const CrdTableau *method, const double *weights, int count, int order, double factor) {
    Tree tree = first_tree(order);
    bool hold = true;
    do {
        double phi[S], phi_abs[S], right = factor * tree_weights(&tree, method, phi, phi_abs);
        double sum = -right, bound = fabs(right);
        for (int j = 0; j < count; ++j) {
            sum += weights[j] * phi[j];
            bound += fabs(weights[j]) * phi_abs[j];
        }
        hold = hold && fabs(sum) <= order * S * CRD_EPS * bound;
    } while (next_tree(&tree));
    return hold;
}

static void rooted_trees_are_all_enumerated(void **state) {
    static const int known[TREE] = {1, 1, 2, 4, 9, 20, 48, 115, 286};
    (void)state;
    for (int nodes = 1; nodes <= TREE; ++nodes) {
        Tree tree = first_tree(nodes);
        int count = 1;
        while (next_tree(&tree)) ++count;
        assert_int_equal(count, known[nodes - 1]);
    }
}

static void rows_of_every_tableau_sum_to_its_nodes(void **state) {
    (void)state;
    for (int m = 0; m < CRD_TABLEAUX; ++m) {
        const CrdTableau *method = &crd_tableaux[m];
        assert_true(crd_tableau_slopes(method) <= S && method->c[method->stages] == 1.0 && method->c[0] == 0.0);
        for (int i = 1; i < crd_tableau_slopes(method); ++i) {
            double sum = -method->c[i], bound = 1.0;
            for (int j = 0; j < i; ++j) {
                sum += crd_tableau_row(method, i)[j];
                bound += fabs(crd_tableau_row(method, i)[j]);
            }
            assert_true(fabs(sum) <= S * CRD_EPS * bound);
        }
    }
}

static void every_tableau_meets_the_conditions_of_its_order_and_not_of_the_next(void **state) {
    (void)state;
    for (int m = 0; m < CRD_TABLEAUX; ++m) {
        const CrdTableau *method = &crd_tableaux[m];
        const double *b = crd_tableau_row(method, method->stages);
        for (int order = 1; order <= method->order + 1; ++order)
            assert_int_equal(conditions_hold(method, b, method->stages, order, 1.0), order <= method->order);
    }
}

static void error_weights_vanish_on_trees_below_their_order(void **state) {
    static const struct {
        const char *name;
        int row, order;
    } known[] = {{"dopri5", 0, 4}, {"dop853", 0, 5}, {"dop853", 1, 3}};
    (void)state;
    for (size_t k = 0; k < sizeof known / sizeof *known; ++k) {
        const CrdTableau *method = crd_tableau_find(known[k].name);
        int columns = method->stages + 1;
        for (int order = 1; order <= known[k].order + 1; ++order)
            assert_int_equal(conditions_hold(method, method->error + known[k].row * columns, columns, order, 0.0),
                             order <= known[k].order);
    }
}

/* Slope i is the unit vector i, so that y shows the weights of the slopes. */
static CardanStatus unit_rhs(void *user, double t, const double *y, double *dydt) {
    int *next = user;
    (void)t, (void)y;
    dydt[(*next)++] = 1.0;
    return CARDAN_OK;
}

/* The same without a polynomial. */
static void check_same(CrdRungeKutta *rk, double theta, const double *y, const double *y_new, const double *f_new,
                       const double *expected) {
    double weights[S];
    CrdSparingTerms terms = crd_rk_sparing_terms(rk, 1.0, f_new);
    assert_int_equal(terms.rows, rk->rows);
    crd_rk_interpolate_sparing(rk, 1.0, theta, y, y_new, weights);
    for (int i = 0; i < rk->n; ++i) assert_true(fabs(weights[i] - expected[i]) <= 1e-13 * (1.0 + fabs(expected[i])));
    const double e = 1e-5; /* its slope by differences */
    double slope[S], before[S], after[S];
    crd_rk_slope_sparing(rk, 1.0, theta, y, y_new, slope);
    crd_rk_interpolate_sparing(rk, 1.0, theta - e, y, y_new, before);
    crd_rk_interpolate_sparing(rk, 1.0, theta + e, y, y_new, after);
    for (int i = 0; i < rk->n; ++i) assert_true(fabs(slope[i] - (after[i] - before[i]) / (2.0 * e)) <= 1e-6);
    crd_rk_prepare_sparing(rk, 1.0, y, y_new, f_new); /* the terms stand where it was */
}

/* Its interpolation meets the conditions of all orders up to this one, and not of the next. */
static void check_dense(const CrdTableau *method, bool sparing, int order_known) {
    int slopes = crd_tableau_slopes(method), next = 1;
    double y[S] = {0}, y_new[S], f_new[S] = {0};
    CrdOde ode = {.rhs = unit_rhs, .user = &next, .n = slopes};
    CrdArena arena = {0};
    CrdRungeKutta rk;
    crd_rk_layout(&rk, method, slopes, &arena);
    assert_true(crd_arena_allocate(&arena));
    crd_rk_layout(&rk, method, slopes, &arena);
    rk.k[0] = 1.0;
    assert_int_equal(crd_rk_attempt(&rk, &ode, 0.0, 1.0, y, false, y_new), CARDAN_OK);
    next = method->stages;
    unit_rhs(&next, 1.0, y_new, f_new);
    if (sparing)
        crd_rk_prepare_sparing(&rk, 1.0, y, y_new, f_new);
    else
        assert_int_equal(crd_rk_prepare_dense(&rk, &ode, 0.0, 1.0, y, y_new, f_new), CARDAN_OK);
    assert_int_equal(next, sparing ? method->stages + 1 : slopes); /* slopes that were asked for */
    for (int order = 1; order <= order_known + 1; ++order) {
        double weights[S], theta = 0.3;
        crd_rk_interpolate(&rk, theta, weights);
        if (sparing) check_same(&rk, theta, y, y_new, f_new, weights);
        assert_int_equal(conditions_hold(method, weights, slopes, order, pow(theta, order)), order <= order_known);
    }
    crd_arena_free(&arena);
}

static void dense_output_meets_the_conditions_of_its_order_and_not_of_the_next(void **state) {
    (void)state;
    for (int m = 0; m < CRD_TABLEAUX; ++m) check_dense(&crd_tableaux[m], false, crd_tableaux[m].dense_order);
}

static void so_it_does_without_extra_slopes(void **state) {
    (void)state;
    int count = 0;
    for (int m = 0; m < CRD_TABLEAUX; ++m) {
        const CrdTableau *method = &crd_tableaux[m];
        if (method->sparing_rows == 0) continue;
        check_dense(method, true, method->sparing_order);
        for (int order = 1; order <= method->sparing_order + 1; ++order)
            assert_int_equal(conditions_hold(method, method->rest, method->stages + 1, order, 0.0),
                             order <= method->sparing_order);
        count++;
    }
    assert_int_equal(count, 1);
}

static void methods_are_found_by_name(void **state) {
    (void)state;
    for (int m = 0; m < CRD_TABLEAUX; ++m) assert_ptr_equal(crd_tableau_find(crd_tableaux[m].name), &crd_tableaux[m]);
    assert_null(crd_tableau_find("radau5"));
    assert_null(crd_tableau_find(""));
    assert_null(crd_tableau_find(NULL));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(methods_are_found_by_name),
        cmocka_unit_test(rooted_trees_are_all_enumerated),
        cmocka_unit_test(rows_of_every_tableau_sum_to_its_nodes),
        cmocka_unit_test(every_tableau_meets_the_conditions_of_its_order_and_not_of_the_next),
        cmocka_unit_test(error_weights_vanish_on_trees_below_their_order),
        cmocka_unit_test(dense_output_meets_the_conditions_of_its_order_and_not_of_the_next),
        cmocka_unit_test(so_it_does_without_extra_slopes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
