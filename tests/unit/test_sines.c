/* Sines of many angles at once, beside those of the C library in long double. */
#include "support/check.h"

#include "core/sines.h"

#include <float.h>

enum { COUNT = 500, ROUNDS = 40 };

/* Units in the last place of what is exact. */
static double off_by(double x, long double exact) {
    double size = fabs((double)exact);
    return (double)(fabsl((long double)x - exact) / (long double)(nextafter(size, (double)INFINITY) - size));
}

static double worst_among(const double *angle) {
    double sine[COUNT], cosine[COUNT], worst = 0.0;
    crd_sines(COUNT, angle, sine, cosine);
    for (int i = 0; i < COUNT; i++)
        worst = fmax(worst, fmax(off_by(sine[i], sinl(angle[i])), off_by(cosine[i], cosl(angle[i]))));
    return worst;
}

/* Whole numbers that look random, up to 2^32. */
static double next(uint64_t *seed) {
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return (double)(*seed >> 32);
}

static void they_are_good_to_one_unit_in_the_last_place(void **state) {
    (void)state;
    uint64_t seed = 1;
    double angle[COUNT];
    for (int k = 0; k < ROUNDS; k++) {
        double scale = ldexp(128.0, -k);
        for (int i = 0; i < COUNT; i++) angle[i] = scale * (next(&seed) / ldexp(1.0, 31) - 1.0);
        assert_true(worst_among(angle) <= 1.0);
    }
}

static void many_turns_away_to_one_and_a_half(void **state) {
    (void)state;
    uint64_t seed = 2;
    double angle[COUNT], quarter = acos(0.0);
    for (int k = 0; k < ROUNDS; k++) {
        for (int i = 0; i < COUNT; i++) {
            double turns = floor(next(&seed) / ldexp(1.0, 32) * CRD_SINES_FAR / quarter);
            angle[i] = i % 2 == 0 ? turns : turns * quarter * (1.0 + DBL_EPSILON * (i % 7)); /* or next to a zero */
        }
        assert_true(worst_among(angle) <= 1.5);
    }
}

/* Vectors have two or more lanes, and what is left over is done one by one. */
static void one_is_the_same_wherever_it_stands(void **state) {
    (void)state;
    double angle[COUNT], sine[COUNT], cosine[COUNT], s, c;
    for (int i = 0; i < COUNT; i++) angle[i] = 0.37 * i - 50.0;
    for (int first = 0; first < 5; first++) {
        crd_sines(COUNT - first, angle + first, sine + first, cosine + first);
        for (int i = first; i < COUNT; i++) {
            crd_sines(1, &angle[i], &s, &c);
            assert_memory_equal(&s, &sine[i], sizeof s);
            assert_memory_equal(&c, &cosine[i], sizeof c);
        }
    }
}

static void what_is_far_or_no_number_is_as_in_the_library(void **state) {
    (void)state;
    static const double angle[] = {1e6, -3e15, 1e300, -2.0 * CRD_SINES_FAR};
    double sine[4], cosine[4];
    crd_sines(4, angle, sine, cosine);
    for (int i = 0; i < 4; i++) assert_true(sine[i] == sin(angle[i]) && cosine[i] == cos(angle[i]));
    const double none[] = {(double)NAN, (double)INFINITY, -(double)INFINITY, 1.0};
    crd_sines(4, none, sine, cosine);
    for (int i = 0; i < 3; i++) assert_true(isnan(sine[i]) && isnan(cosine[i]));
    crd_sines(0, NULL, NULL, NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(they_are_good_to_one_unit_in_the_last_place),
        cmocka_unit_test(many_turns_away_to_one_and_a_half),
        cmocka_unit_test(one_is_the_same_wherever_it_stands),
        cmocka_unit_test(what_is_far_or_no_number_is_as_in_the_library),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
