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

Axis axis_make(double lo, double hi, int ticks_wanted, bool tight) {
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

/* ---- logarithmic ---- */

static const double mantissas[] = {1.0, 2.0, 5.0};
static const double edge = 1e-9; /* of a decade: a range that ends at a tick to rounding ends there */

static double numbered_tick(int per_decade, int number) {
    int decade = (int)floor((double)number / per_decade), part = number - per_decade * decade;
    return mantissas[part] * pow(10.0, decade);
}

/* The number of the last tick at or below x. */
static int tick_below(int per_decade, double x) {
    int number = per_decade * ((int)floor(log10(x)) - 1);
    while (numbered_tick(per_decade, number + 1) <= x * (1.0 + edge)) number++;
    return number;
}

static int tick_above(int per_decade, double x) {
    int number = tick_below(per_decade, x);
    return numbered_tick(per_decade, number) >= x * (1.0 - edge) ? number : number + 1;
}

Axis axis_make_logarithmic(double lo, double hi, int ticks_wanted) {
    Axis a = {.logarithmic = true, .per_decade = log10(hi / lo) <= 0.5 * ticks_wanted ? 3 : 1};
    int first = tick_below(a.per_decade, lo), last = tick_above(a.per_decade, hi);
    if (last == first) last++;
    int step = a.per_decade == 1 ? (last - first + ticks_wanted - 1) / ticks_wanted : 1;
    last += (step - (last - first) % step) % step;
    a.first = first;
    a.step = step;
    a.ticks = (last - first) / step + 1;
    a.lo = numbered_tick(a.per_decade, first);
    a.hi = numbered_tick(a.per_decade, last);
    return a;
}

/* ---- both ---- */

double axis_tick(const Axis *axis, int i) {
    if (axis->logarithmic) return numbered_tick(axis->per_decade, (int)(axis->first + i * axis->step));
    return axis->first + i * axis->step;
}

const char *axis_label(const Axis *axis, int i, char label[TICK_SIZE]) {
    double x = (axis_tick(axis, i) - axis->offset) / pow(10.0, axis->exponent);
    if (axis->logarithmic) {
        snprintf(label, TICK_SIZE, "%g", x);
        return label;
    }
    if (fabs(x) < 1e-6 * axis->step / pow(10.0, axis->exponent)) x = 0.0; /* round-off of zero, and -0 */
    snprintf(label, TICK_SIZE, "%.*f", axis->decimals, x);
    return label;
}

double axis_part(const Axis *axis, double x) {
    double part = axis->logarithmic ? (x > 0.0 ? log(x / axis->lo) / log(axis->hi / axis->lo) : 0.0)
                                    : (x - axis->lo) / (axis->hi - axis->lo);
    return fmin(fmax(part, 0.0), 1.0);
}
