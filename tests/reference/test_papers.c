/* The published tables against independent references: every number of documents 000, 001 and 002, and of 003 the
 * orders in eps, the peaks of example 5.1 and the passages of example 5.2. */
#include "support/check.h"
#include "support/sample.h"

#include "papers_004_reference.h"
#include "papers_reference.h"
#include "tools/papers/table.h"

enum { TABLES = sizeof references / sizeof *references };

/* How near a number must be. Rows that blow up amplify rounding as they amplify everything else. */
static double allowed(const char *table, const char *row, double reference) {
    static const double blow_up = 1e10;
    if (fabs(reference) > blow_up) return 1e-2 * fabs(reference);
    if (strcmp(table, "003_example5.1") == 0) return (strstr(row, "/order") != NULL ? 2e-4 : 1e-4) * fabs(reference);
    /* Two integrators with tolerances of 1e-11 and 1e-10; the first lost more in the layers. */
    if (strcmp(table, "003_example5.2") == 0 && strstr(row, "regularized") != NULL)
        return (row[strlen(row) - 1] == '0' ? 1e-2 : 5e-3) * fabs(reference) + 5e-11;
    if (strcmp(table, "004_section6") == 0) {
        /* the reference's own convergence at omega = 100; at 10000 rounding rings with 1e-16 w a step, 2e-9 in all */
        if (strstr(row, "truth") != NULL) return 3e-9;
        if (strstr(row, "rk4_its") != NULL) return 0.03 * reference;
        if (strstr(row, "rk4") != NULL || strstr(row, "rattle") != NULL || strstr(row, "rods") != NULL)
            return 0.02 * reference;
        return 2.0 * reference + 3e-9; /* levels of saturation: a factor of 3 */
    }
    /* An ulp of a place rings with omega ulps in its rate; rows of document 004 begin with their omega. */
    double ringing = strncmp(table, "004", 3) == 0 ? strtod(row, NULL) * 2.2e-16 : 0.0;
    return 1e-6 * fabs(reference) + 1e-14 + ringing;
}

static void check_row(PapersTable *table, const char *name, const Row *row) {
    int at = papers_table_find(table, row->row);
    if (at < 0) fail_msg("%s has no row '%s'", name, row->row);
    for (int i = 0; i < row->count; i++) {
        const PapersEntry *entry = papers_table_leaf(table, at, i);
        if (entry == NULL) fail_msg("%s, '%s': number %d is missing", name, row->row, i);
        if ((row->skip >> i & 1) != 0) continue;
        if (isnan(row->value[i]))
            assert_true(isnan(entry->value));
        else
            check_near(entry->value, row->value[i], allowed(name, row->row, row->value[i]), "%s, %s, number %d", name,
                       row->row, i);
    }
}

enum { TABLES_MOST = 32 };
static PapersTable *tables[TABLES_MOST]; /* by number; each is computed once */

static PapersTable *computed(const char *name) {
    int i = 0;
    while (papers_name(i) != NULL && strcmp(papers_name(i), name) != 0) i++;
    assert_true(i < TABLES_MOST);
    char message[1024] = "";
    if (tables[i] == NULL && papers_compute(name, &tables[i], message, sizeof message) < 0)
        fail_msg("%s: %s", name, message);
    return tables[i];
}

static int destroy_tables(void **state) {
    (void)state;
    for (int i = 0; i < TABLES_MOST; i++) papers_table_destroy(tables[i]);
    return 0;
}

static void every_table_meets_its_reference(void **state) {
    (void)state;
    for (int i = 0; i < TABLES; i++) {
        if (!sample_has(i, 4)) continue;
        PapersTable *table = computed(references[i].table);
        for (const Row *row = references[i].rows; row->row != NULL; row++) check_row(table, references[i].table, row);
    }
}

/* Errors of section 6: known to four digits; where a run stops at the level of projections, which iterations decide
 * that stop at a tolerance, to a factor of 3. */
static void slow_manifolds_meet_their_reference(void **state) {
    (void)state;
    const struct {
        const char *table;
        const Row *rows;
    } all[] = {{"004_table1", rows_004_table1},
               {"004_points33_36", rows_004_points33_36},
               {"004_multipliers", rows_004_multipliers},
               {"004_section6", rows_004_section6}};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        if (!sample_has((int)i, 4)) continue;
        PapersTable *table = computed(all[i].table);
        for (const Row *row = all[i].rows; row->row != NULL; row++) check_row(table, all[i].table, row);
    }
}

/* "direct 10.0 0.001 3.7311e-05 order 1.000" */
static void regularised_errors_of_deficient_rows_are_of_order_one_in_eps(void **state) {
    static const struct {
        const char *kind;
        double gamma, per_eps; /* error / eps as eps goes to 0 */
    } known[] = {{"direct", 10.0, 3.7313e-2},  {"direct", 1000.0, 4.4537e-4}, {"trust", 10.0, 7.4625e-3},
                 {"trust", 1000.0, 8.9075e-5}, {"trustB", 10.0, 2.9850e-2},   {"trustB", 1000.0, 3.5630e-4}};
    (void)state;
    PapersTable *table = computed("003_constant_rank_orders");
    const PapersEntry *entries;
    int count = papers_table_entries(table, &entries), lines = 0;
    for (int i = 0; i < count; i++) {
        char kind[16];
        double gamma, eps, error, order = 1.0;
        if (entries[i].kind != PAPERS_ENTRY_TEXT) continue;
        int read = sscanf(entries[i].text, "%15s %lf %lf %lf order %lf", kind, &gamma, &eps, &error, &order);
        assert_true(read >= 4);
        int k = lines++ / 6;
        assert_string_equal(kind, known[k].kind);
        assert_true(gamma == known[k].gamma);
        check_near(order, 1.0, 0.003, "order of %s", entries[i].text);
        if (eps < 0.02) check_near(error / eps, known[k].per_eps, 1e-3 * known[k].per_eps, "%s", entries[i].text);
    }
    assert_int_equal(lines, 36);
}

/* The remarks name what does not agree, so nothing differs silently. */
static void printed_numbers_agree_or_carry_a_remark(void **state) {
    (void)state;
    if (SAMPLE_IS_PART) skip(); /* it wants all tables */
    int printed = 0;
    for (int i = 0; papers_name(i) != NULL; i++) {
        if (strncmp(papers_name(i), "003", 3) == 0) continue; /* nothing is printed there */
        PapersTable *table = computed(papers_name(i));
        const PapersEntry *entries;
        int count = papers_table_entries(table, &entries);
        for (int k = 0; k < count; k++) {
            if (entries[k].kind != PAPERS_ENTRY_NUMBER || isnan(entries[k].printed)) continue;
            printed++;
            if (!papers_entry_agrees(&entries[k]) && entries[k].remark == NULL)
                fail_msg("%s: %.6g is computed, %.6g printed, and no remark says why", papers_name(i), entries[k].value,
                         entries[k].printed);
        }
    }
    assert_int_equal(printed, 412);
}

static void a_singular_step_matrix_gives_no_number_but_its_reason(void **state) {
    (void)state;
    PapersTable *table = computed("002_example10.1");
    int row = papers_table_find(table, "-1.0");
    for (int i = 0; i < 4; i++) {
        const PapersEntry *entry = papers_table_leaf(table, row, i);
        assert_true(isnan(entry->value));
        assert_non_null(strstr(entry->remark, "step matrix of backward_euler is singular"));
    }
    table = computed("001_table4.7");
    const PapersEntry *entry = papers_table_leaf(table, papers_table_find(table, "d2_100"), 1);
    assert_true(isnan(entry->value));
    assert_non_null(strstr(entry->remark, "singular at t = 0.99"));
}

/* "idx2 trust gam=1000 Radau tol=1e-10 nfev=.. max|e|=.. first>.05 t=.. max|th1+th2-pi|=.. max|g3|=.. dE=.." from rest
 * at pi/4: direct regularisation loses energy, trust passes, Baumgarte changes to the other branch. */
static void passages_of_the_dead_centre_end_as_the_references_say(void **state) {
    static const struct {
        const char *run;
        double error, branch, energy; /* NAN: any */
    } known[] = {{"idx2 direct gam=1000 Radau tol=1e-10", 9.43e-2, 2.15e-4, 6.10e-1},
                 {"idx2 trust gam=1000 Radau tol=1e-10", 6.19e-5, 1.47e-4, 1.06e-4},
                 {"idx2 direct gam=1e+06 Radau tol=1e-10", 2.91e-6, 1.04e-8, 1.69e-5},
                 {"idx2 trust gam=1e+06 Radau tol=1e-10", 3.35e-7, 8.07e-7, 3.00e-7},
                 {"idx3 trust gam=2000 Radau tol=1e-10", 5.92e-6, 1.57e-5, 1.10e-5},
                 {"idx2 baum gam=1000 Radau tol=1e-10", (double)NAN, 1.57, (double)NAN}};
    (void)state;
    if (SAMPLE_IS_PART) skip(); /* twenty seconds there */
    PapersTable *table = computed("003_example5.2");
    const PapersEntry *entries;
    int first = papers_table_find(table, "runs_T5"), found = 0;
    papers_table_entries(table, &entries);
    for (size_t k = 0; k < sizeof known / sizeof *known; k++)
        for (int i = first + 1; i <= first + 28; i++) { /* the first start: its name and 27 runs */
            double error, branch, energy;
            if (strncmp(entries[i].text, known[k].run, strlen(known[k].run)) != 0) continue;
            found++;
            assert_int_equal(sscanf(strstr(entries[i].text, "max|e|="), "max|e|=%lf", &error), 1);
            assert_int_equal(sscanf(strstr(entries[i].text, "-pi|="), "-pi|=%lf", &branch), 1);
            assert_int_equal(sscanf(strstr(entries[i].text, "dE="), "dE=%lf", &energy), 1);
            check_near(branch, known[k].branch, 0.006 * known[k].branch, "%s: branch", known[k].run);
            if (isnan(known[k].error)) continue;
            check_near(error, known[k].error, 0.006 * known[k].error, "%s: error", known[k].run);
            check_near(energy, known[k].energy, 0.02 * known[k].energy, "%s: energy", known[k].run);
        }
    assert_int_equal(found, sizeof known / sizeof *known);
}

static void an_unknown_table_is_refused(void **state) {
    char message[64] = "";
    PapersTable *table = NULL;
    (void)state;
    assert_int_equal(papers_compute("999_table", &table, message, sizeof message), CARDAN_ERR_ARGUMENT);
    assert_null(table);
    assert_true(message[0] != '\0');
    assert_int_equal(papers_compute(NULL, &table, NULL, 0), CARDAN_ERR_ARGUMENT);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_table_meets_its_reference),
        cmocka_unit_test(slow_manifolds_meet_their_reference),
        cmocka_unit_test(regularised_errors_of_deficient_rows_are_of_order_one_in_eps),
        cmocka_unit_test(printed_numbers_agree_or_carry_a_remark),
        cmocka_unit_test(a_singular_step_matrix_gives_no_number_but_its_reason),
        cmocka_unit_test(passages_of_the_dead_centre_end_as_the_references_say),
        cmocka_unit_test(an_unknown_table_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, destroy_tables);
}
