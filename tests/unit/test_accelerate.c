/* Acceleration of slow corrections: of a linear iteration with k slow directions, k differences leave nothing. */
#include "integrate/methods/implicit_accelerate.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

enum { STAGES = 2, CORE = 4, SIZE = STAGES * CORE };

/* x <- x + d with d = (1 - factor) (1 - x) by component, in coordinates that mix neighbours: corrections fall by
 * `factor`. */
static double worst_after(CrdAcceleration *ac, const double *factor, int iterations) {
    double x[SIZE] = {0.0}, worst = 0.0;
    if (ac != NULL) crd_acceleration_begin(ac);
    for (int i = 0; i < iterations; i++) {
        double d[SIZE];
        for (int k = 0; k < SIZE; k += 2) {
            double sum = 2.0 - x[k] - x[k + 1], difference = x[k + 1] - x[k];
            d[k] = 0.5 * ((1.0 - factor[k]) * sum + (1.0 - factor[k + 1]) * difference);
            d[k + 1] = 0.5 * ((1.0 - factor[k]) * sum - (1.0 - factor[k + 1]) * difference);
        }
        if (ac != NULL) crd_acceleration_apply(ac, d);
        for (int k = 0; k < SIZE; k++) x[k] += d[k];
    }
    for (int k = 0; k < SIZE; k++) worst = fmax(worst, fabs(x[k] - 1.0));
    return worst;
}

static void slow_directions_are_taken_out_one_by_one(void **state) {
    (void)state;
    static const double FACTORS[SIZE] = {0.5, 0.0, -0.4, 0.0, 0.0, 0.0, 0.3, 0.0};
    static const double MEASURE[CORE] = {1.0, 1e3, 1e-3, 1.0};
    CrdArena arena = {0};
    CrdAcceleration ac = {0};
    crd_acceleration_layout(&ac, SIZE, &arena);
    assert_true(crd_arena_allocate(&arena));
    crd_acceleration_layout(&ac, SIZE, &arena);
    ac.stages = STAGES;
    ac.core = CORE;
    ac.measure = MEASURE;
    assert_true(worst_after(NULL, FACTORS, 6) > 0.01);  /* 0.5^6 */
    assert_true(worst_after(&ac, FACTORS, 6) < 1e-12);  /* three directions, and what is fast */
    assert_true(worst_after(&ac, FACTORS, 6) < 1e-12);  /* nothing is left of the last iteration */
    assert_true(worst_after(&ac, FACTORS, 20) < 1e-12); /* nor spoilt when there is nothing more to learn */
    crd_arena_free(&arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(slow_directions_are_taken_out_one_by_one)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
