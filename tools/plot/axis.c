/* Ticks. */
#include "plot/axis.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static const double large = 1e5, small = 1e-3;  /* outside, labels get a power of ten in common */
static const double narrow = 1e-4;              /* a range that is a smaller part of its values gets an offset */
static const double noise = 32.0 * DBL_EPSILON; /* a range that is a smaller part is round-off: shown as constant */

/* The range as it is shown: never empty, never beyond what differences can hold. */
static void widen(double *lo, double *hi) {
    double most = DBL_MAX / 4.0;
    *lo = fmax(*lo, -most);
    *hi = fmin(*hi, most);
    double size = fmax(fabs(*lo), fabs(*hi));
    if (*hi - *lo > noise * size && *hi - *lo > 1e3 * DBL_MIN) return;
    double middle = 0.5 * (*lo + *hi), half = size > 1e3 * DBL_MIN ? 0.1 * size : 1.0;
    *lo = middle - half;
    *hi = middle + half;
}

static double nice_step(double range, int wanted) {
    double raw = range / wanted, power = pow(10.0, floor(log10(raw))), part = raw / power;
    double nice = part < 1.5 ? 1.0 : part < 3.5 ? 2.0 : part < 7.5 ? 5.0 : 10.0;
    return nice * power;
}

/* The number with the fewest digits between lo and hi. */
static double roundest(double lo, double hi) {
    double middle = 0.5 * (lo + hi);
    for (int power = (int)ceil(log10(fmax(fabs(lo), fabs(hi)))); power > -300; power--) {
        double unit = pow(10.0, power), round_one = round(middle / unit) * unit;
        if (round_one >= lo && round_one <= hi) return round_one;
    }
    return middle;
}

static void choose_labels(Axis *axis) {
    double size = fmax(fabs(axis->lo), fabs(axis->hi)), shown = size;
    if (axis->hi - axis->lo < narrow * size) {
        axis->offset = roundest(axis->lo, axis->hi);
        shown = fmax(fabs(axis->lo - axis->offset), fabs(axis->hi - axis->offset));
    }
    if (shown >= large || shown < small) axis->exponent = (int)floor(log10(shown) + 1e-9);
    int decimals = (int)ceil(-log10(axis->step) - 1e-9) + axis->exponent;
    axis->decimals = decimals < 0 ? 0 : decimals > 15 ? 15 : decimals;
}

Axis axis_make(double lo, double hi, int ticks_wanted, int tight) {
    Axis a = {0};
    widen(&lo, &hi);
    a.step = nice_step(hi - lo, ticks_wanted);
    double low = floor(lo / a.step + 1e-9), high = ceil(hi / a.step - 1e-9);
    if (tight) {
        low = ceil(lo / a.step - 1e-9);
        high = floor(hi / a.step + 1e-9);
    }
    a.lo = tight ? lo : low * a.step;
    a.hi = tight ? hi : high * a.step;
    a.first = low * a.step;
    a.ticks = (int)(high - low) + 1;
    choose_labels(&a);
    return a;
}

double axis_tick(const Axis *axis, int i) {
    return axis->first + i * axis->step;
}

const char *axis_label(const Axis *axis, int i, char label[TICK_SIZE]) {
    double x = (axis_tick(axis, i) - axis->offset) / pow(10.0, axis->exponent);
    if (fabs(x) < 1e-6 * axis->step / pow(10.0, axis->exponent)) x = 0.0; /* round-off of zero, and -0 */
    snprintf(label, TICK_SIZE, "%.*f", axis->decimals, x);
    return label;
}

double axis_part(const Axis *axis, double x) {
    return fmin(fmax((x - axis->lo) / (axis->hi - axis->lo), 0.0), 1.0);
}
