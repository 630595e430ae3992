/* cmocka with sentences: numbers that are compared are printed when they differ too much. */
#ifndef TESTS_SUPPORT_CHECK_H
#define TESTS_SUPPORT_CHECK_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* |value - expected| <= tolerance; a NaN fails. The rest is a printf format that says what was compared. */
#if defined(__GNUC__)
__attribute__((format(printf, 4, 5)))
#endif
static inline void
check_near(double value, double expected, double tolerance, const char *format, ...) {
    if (fabs(value - expected) <= tolerance) return;
    char what[256];
    va_list list;
    va_start(list, format);
    vsnprintf(what, sizeof what, format, list);
    va_end(list);
    fail_msg("%s: %.17g, expected %.17g; they differ by %.3g, allowed is %.3g", what, value, expected,
             fabs(value - expected), tolerance);
}

/* low <= value <= high; a NaN fails. */
static inline void check_between(double value, double low, double high, const char *what) {
    if (!(value >= low && value <= high)) fail_msg("%s: %.6g is not in %.6g .. %.6g", what, value, low, high);
}

static inline double worst_of(const double *x, int n) {
    double worst = 0.0;
    for (int i = 0; i < n; i++)
        if (!(fabs(x[i]) <= worst)) worst = fabs(x[i]);
    return worst;
}

static inline double norm_of(const double *x, int n) {
    double sum = 0.0;
    for (int i = 0; i < n; i++) sum += x[i] * x[i];
    return sqrt(sum);
}

static inline void *room(size_t count, size_t size) {
    void *memory = calloc(count > 0 ? count : 1, size);
    assert_non_null(memory);
    return memory;
}

/* Derivatives at 0 of n functions of s: central differences of step DIFFERENCE_STEP, halved twice and extrapolated, so
 * the error is that of order h^6 plus rounding / h. */
#define DIFFERENCE_STEP 0.005
enum { DIFFERENCE_MAX = 400 };
typedef void (*Curve)(void *user, double s, double *values);

static inline void differentiate(Curve curve, void *user, int n, double *slopes) {
    double plus[DIFFERENCE_MAX], minus[DIFFERENCE_MAX], d[3][DIFFERENCE_MAX];
    assert_true(n <= DIFFERENCE_MAX);
    double h = DIFFERENCE_STEP;
    for (int level = 0; level < 3; level++, h *= 0.5) {
        curve(user, h, plus);
        curve(user, -h, minus);
        for (int i = 0; i < n; i++) d[level][i] = (plus[i] - minus[i]) / (2.0 * h);
    }
    for (int i = 0; i < n; i++) {
        double first = (4.0 * d[1][i] - d[0][i]) / 3.0, second = (4.0 * d[2][i] - d[1][i]) / 3.0;
        slopes[i] = (16.0 * second - first) / 15.0;
    }
}

#endif
