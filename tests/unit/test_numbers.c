/* Numbers as text (tools/number.h) beside the C library's printf and strtod, which round correctly. */
#include "support/check.h"

#include "tools/number.h"

#include <float.h>
#include <stdbool.h>
#include <stdint.h>

enum { MANY = 1000000, EXAMINED = 8 }; /* random doubles; of so many one is examined closely, which takes long */

static double double_of(uint64_t bits) {
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static uint64_t bits_of(double x) {
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

/* A decimal as digits without zeros at either end, and the place of the first. */
typedef struct Decimal {
    char digits[64];
    int count, first;
} Decimal;

static Decimal decimal_of(const char *text) {
    Decimal d = {.first = -1};
    bool fraction = false;
    for (; *text != '\0' && *text != 'e'; text++) {
        if (*text == '.') fraction = true;
        if (*text < '0' || *text > '9') continue;
        if (!fraction) d.first++;
        if (d.count == 0 && *text == '0')
            d.first--; /* leading */
        else
            d.digits[d.count++] = *text;
    }
    while (d.count > 0 && d.digits[d.count - 1] == '0') d.count--;
    d.digits[d.count] = '\0';
    if (*text == 'e') d.first += (int)strtol(text + 1, NULL, 10);
    return d;
}

static void check_reads_back(double x) {
    char text[NUMBER_SIZE + 8];
    memset(text, '#', sizeof text);
    size_t length = number_put(x, text);
    assert_true(length < NUMBER_SIZE && text[NUMBER_SIZE] == '#' && strlen(text) == length);
    if (bits_of(strtod(text, NULL)) != bits_of(x)) fail_msg("%a (%.17g) is written %s", x, x, text);
}

/* No shorter decimal reads back, and of those as long this is the nearest: where the neighbours are equally far, as
 * they are but at powers of two, the nearest reads back if any does. */
static void check_shortest(double x) {
    char text[NUMBER_SIZE], other[64];
    number_put(x, text);
    Decimal ours = decimal_of(text);
    if (x == 0.0 || (bits_of(x) & ((UINT64_C(1) << 52) - 1)) == 0) return;
    snprintf(other, sizeof other, "%.*e", ours.count - 1, x);
    Decimal nearest = decimal_of(other);
    if (strcmp(ours.digits, nearest.digits) != 0 || ours.first != nearest.first)
        fail_msg("%a is written %s, %s is nearer", x, text, other);
    if (ours.count == 1) return;
    snprintf(other, sizeof other, "%.*e", ours.count - 2, x);
    if (strtod(other, NULL) == x) fail_msg("%a is written %s, %s is shorter", x, text, other);
}

static void check_all(double x) {
    check_reads_back(x);
    check_shortest(x);
    check_reads_back(-x);
}

static uint64_t next_random(uint64_t *state) { /* xorshift64* (Vigna, 2016) */
    *state ^= *state >> 12;
    *state ^= *state << 25;
    *state ^= *state >> 27;
    return *state * UINT64_C(2685821657736338717);
}

static void a_million_random_doubles_read_back_and_are_shortest(void **state) {
    (void)state;
    uint64_t random = 20240229;
    int finite = 0;
    for (int i = 0; finite < MANY; i++) {
        double x = double_of(next_random(&random));
        if (!isfinite(x)) continue;
        finite++;
        check_reads_back(x);
        if (i % EXAMINED == 0) check_shortest(fabs(x));
    }
}

static void a_quarter_million_denormals_read_back_and_are_shortest(void **state) {
    (void)state;
    uint64_t random = 7;
    for (int i = 0; i < MANY / 4; i++) {
        double x = double_of(next_random(&random) >> (12 + i % 52));
        assert_true(x < DBL_MIN);
        check_reads_back(x);
        if (i % EXAMINED == 0) check_shortest(x);
    }
    for (uint64_t bits = 1; bits < 2000; bits++) check_all(double_of(bits));
}

static void numbers_of_every_day_are_written_as_they_were_meant(void **state) {
    (void)state;
    uint64_t random = 11;
    char text[NUMBER_SIZE], meant[64];
    for (int i = 0; i < MANY / 4; i++) { /* up to 15 digits always survive */
        long long digits = (long long)(next_random(&random) % UINT64_C(1000000000000000));
        int exponent = (int)(next_random(&random) % 40) - 30;
        snprintf(meant, sizeof meant, "%llde%d", digits, exponent);
        double x = strtod(meant, NULL);
        Decimal given = decimal_of(meant), ours = decimal_of(number_text(x, text));
        if (digits == 0) continue;
        if (strcmp(given.digits, ours.digits) != 0 || given.first != ours.first)
            fail_msg("%s is written %s", meant, text);
        snprintf(meant, sizeof meant, "%.15g", x);
        assert_string_equal(text, meant);
    }
}

static void edges_read_back_and_are_shortest(void **state) {
    (void)state;
    for (int e = -1074; e <= 1023; e++) { /* powers of two and their neighbours */
        double x = ldexp(1.0, e);
        check_reads_back(x);
        check_all(nextafter(x, 0.0));
        check_all(nextafter(x, DBL_MAX));
    }
    for (int e = -323; e <= 308; e++) { /* powers of ten, and the halves between decimals */
        char text[32];
        for (int digit = 1; digit <= 9; digit++) {
            snprintf(text, sizeof text, "%de%d", digit, e);
            double x = strtod(text, NULL);
            if (!isfinite(x)) continue;
            check_all(x);
            check_all(nextafter(x, 0.0));
            if (x < DBL_MAX) check_all(nextafter(x, DBL_MAX));
        }
    }
    const double whole = 9007199254740992.0; /* 2^53 */
    for (int i = -200; i <= 200; i++) check_all(whole + i);
    for (int i = 1; i < 10000; i++) check_all(i * 1e-3);
    for (int i = 1; i < 10000; i++) check_all(i);
}

static void it_is_written_as_printf_does(void **state) {
    (void)state;
    static const struct {
        double x;
        const char *text;
    } known[] = {{0.0, "0"},
                 {-0.0, "-0"},
                 {1.0, "1"},
                 {-1.5, "-1.5"},
                 {0.1, "0.1"},
                 {0.3, "0.3"},
                 {0.1 + 0.2, "0.30000000000000004"},
                 {1e-4, "0.0001"},
                 {1e-5, "1e-05"},
                 {-1.25e-7, "-1.25e-07"},
                 {123456789012345.0, "123456789012345"},
                 {1e14, "100000000000000"},
                 {1e15, "1e+15"},
                 {1e22, "1e+22"},
                 {1e23, "1e+23"},
                 {9007199254740993.0, "9007199254740992"},
                 {1e100, "1e+100"},
                 {5e-324, "5e-324"},
                 {2.2250738585072014e-308, "2.2250738585072014e-308"},
                 {1.7976931348623157e308, "1.7976931348623157e+308"},
                 {9.5367431640625e-07, "9.5367431640625e-07"}};
    char text[NUMBER_SIZE];
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        assert_string_equal(number_text(known[i].x, text), known[i].text);
    assert_string_equal(number_text((double)INFINITY, text), "inf");
    assert_string_equal(number_text(-(double)INFINITY, text), "-inf");
    assert_string_equal(number_text((double)NAN, text), "nan");
    assert_string_equal(number_text(-(double)NAN, text), "nan");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_million_random_doubles_read_back_and_are_shortest),
        cmocka_unit_test(a_quarter_million_denormals_read_back_and_are_shortest),
        cmocka_unit_test(numbers_of_every_day_are_written_as_they_were_meant),
        cmocka_unit_test(edges_read_back_and_are_shortest),
        cmocka_unit_test(it_is_written_as_printf_does),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
