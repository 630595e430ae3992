/* Numbers as written in models, and the nearest name. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "core/text.h"

#include <float.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void assert_scans(const char *text, double expected, size_t expected_used) {
    double value = -77.0;
    size_t used = 99;
    if (!crd_scan_number(text, strlen(text), &value, &used)) fail_msg("'%s' is a number", text);
    if (value != expected || used != expected_used) fail_msg("'%s' gave %.17g, %zu bytes", text, value, used);
}

static void assert_no_number(const char *text, bool overflow) {
    double value;
    size_t used = 99;
    if (crd_scan_number(text, strlen(text), &value, &used)) fail_msg("'%s' is no number", text);
    if ((used > 0) != overflow) fail_msg("'%s': %zu bytes", text, used);
}

static void numbers_are_read_as_written(void **state) {
    (void)state;
    assert_scans("0", 0.0, 1);
    assert_scans("42", 42.0, 2);
    assert_scans("-1.5e3", -1500.0, 6);
    assert_scans("+.5", 0.5, 3);
    assert_scans("2.", 2.0, 2);
    assert_scans("2.e-1", 0.2, 5);
    assert_scans("007", 7.0, 3);
    assert_scans("1e", 1.0, 1);
    assert_scans("1e+", 1.0, 1);
    assert_scans("3em", 3.0, 1);
    assert_scans("0x10", 0.0, 1);
    assert_scans("1,5", 1.0, 1);
    assert_scans("1.2.3", 1.2, 3);
    assert_scans("1e-400", 0.0, 6);
    assert_scans("0e999999999999999999999", 0.0, 23);
    assert_scans("4.9406564584124654e-324", 4.9406564584124654e-324, 23);
    assert_scans("1.7976931348623157e308", DBL_MAX, 22);
}

static void what_is_no_number_is_refused_and_overflow_told_apart(void **state) {
    (void)state;
    const char *const none[] = {"", "-", "+", ".", "-.", "e5", ".e5", "inf", "-inf", "nan", "NaN", " 1", "--1", "x"};
    for (size_t i = 0; i < sizeof none / sizeof none[0]; i++) assert_no_number(none[i], false);
    assert_no_number("1e999", true);
    assert_no_number("-1.8e308", true);
    assert_no_number("1e99999999999999999999999999", true);
}

static void only_the_given_bytes_are_read(void **state) {
    (void)state;
    double value;
    size_t used;
    assert_true(crd_scan_number("12345", 2, &value, &used));
    assert_true(value == 12.0 && used == 2);
    assert_true(crd_scan_number("1e5", 2, &value, &used));
    assert_true(value == 1.0 && used == 1);
    assert_false(crd_scan_number("1", 0, &value, &used));
}

static void numbers_are_rounded_as_by_strtod(void **state) {
    (void)state;
    char text[1200];
    uint64_t seed = 88172645463325252u;
    for (int i = 0; i < 20000; i++) {
        seed ^= seed << 13, seed ^= seed >> 7, seed ^= seed << 17;
        double x;
        memcpy(&x, &seed, sizeof x);
        if (!isfinite(x)) continue;
        const char *const formats[] = {"%.17g", "%.3e", "%.25e", "%f"};
        snprintf(text, sizeof text, formats[i % 4], x);
        assert_scans(text, strtod(text, NULL), strlen(text));
    }
}

/* 1 + 2^-53 lies between two doubles and rounds to 1; a digit far behind, past the 800 kept, decides upwards. */
static void digits_far_behind_decide_ties(void **state) {
    (void)state;
    char text[2000];
    strcpy(text, "1.00000000000000011102230246251565404236316680908203125");
    assert_scans(text, 1.0, strlen(text));
    size_t n = strlen(text);
    memset(text + n, '0', 1500);
    strcpy(text + n + 1500, "1");
    assert_scans(text, 1.0 + DBL_EPSILON, strlen(text));
}

static void leading_zeros_and_exponents_compensate(void **state) {
    (void)state;
    char *text = calloc(1, 50100);
    strcpy(text, "0.");
    memset(text + 2, '0', 50000);
    strcpy(text + 50002, "1e50001");
    assert_scans(text, 1.0, strlen(text));
    memset(text, '0', 50000);
    text[0] = '3';
    strcpy(text + 50000, "e-49999");
    assert_scans(text, 3.0, strlen(text));
    free(text);
}

static void numbers_do_not_depend_on_the_locale(void **state) {
    (void)state;
    const char *const names[] = {"de_DE.UTF-8", "de_DE.utf8", "de_DE", "fr_FR.UTF-8", "ru_RU.UTF-8"};
    const char *set = NULL;
    for (size_t i = 0; set == NULL && i < sizeof names / sizeof names[0]; i++) set = setlocale(LC_ALL, names[i]);
    if (set == NULL) skip(); /* this machine has no locale with a decimal comma */
    assert_scans("1.5", 1.5, 3);
    assert_scans("1,5", 1.0, 1);
    setlocale(LC_ALL, "C");
}

static int distance(const char *a, const char *b) {
    return crd_edit_distance(a, strlen(a), b, strlen(b));
}

static void edit_distance_counts_letters(void **state) {
    (void)state;
    assert_int_equal(distance("", ""), 0);
    assert_int_equal(distance("", "abc"), 3);
    assert_int_equal(distance("abc", ""), 3);
    assert_int_equal(distance("sin", "sin"), 0);
    assert_int_equal(distance("sni", "sin"), 1);
    assert_int_equal(distance("kitten", "sitting"), 3);
    assert_int_equal(distance("stiffness", "stifness"), 1);
    char word[80];
    memset(word, 'a', sizeof word);
    assert_int_equal(crd_edit_distance(word, 64, word, 63), 1);
    assert_int_equal(crd_edit_distance(word, 80, "a", 1), 80);
}

static void the_nearest_name_is_near(void **state) {
    (void)state;
    const char *const names[] = {"mass", "inertia", "position", "velocity"};
    assert_string_equal(crd_nearest_name("mas", 3, names, 4), "mass");
    assert_string_equal(crd_nearest_name("postion", 7, names, 4), "position");
    assert_string_equal(crd_nearest_name("vleocity", 8, names, 4), "velocity");
    assert_null(crd_nearest_name("spin", 4, names, 4));
    assert_null(crd_nearest_name("mas", 3, names, 0));
    char word[100];
    memset(word, 'm', sizeof word);
    assert_null(crd_nearest_name(word, sizeof word, names, 4));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_are_read_as_written),
        cmocka_unit_test(what_is_no_number_is_refused_and_overflow_told_apart),
        cmocka_unit_test(only_the_given_bytes_are_read),
        cmocka_unit_test(numbers_are_rounded_as_by_strtod),
        cmocka_unit_test(digits_far_behind_decide_ties),
        cmocka_unit_test(leading_zeros_and_exponents_compensate),
        cmocka_unit_test(numbers_do_not_depend_on_the_locale),
        cmocka_unit_test(edit_distance_counts_letters),
        cmocka_unit_test(the_nearest_name_is_near),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
