/* Axes of plots: a range with ticks at 1, 2 or 5 times a power of ten, and how their numbers are written. */
#ifndef TOOL_PLOT_AXIS_H
#define TOOL_PLOT_AXIS_H

#include <stdbool.h>
#include <stddef.h>

enum { TICK_SIZE = 32 }; /* bytes of a tick's label */

/* A linear tick at value x is labelled (x - offset) / 10^exponent with so many decimals. Ticks of a logarithmic axis
 * are numbered: number k of `per_decade` ticks a decade is 1, 2 or 5 times a power of ten. */
typedef struct Axis {
    double lo, hi; /* what is shown */
    double first;  /* the lowest tick; logarithmic: its number */
    double step;   /* between ticks; logarithmic: between their numbers */
    int ticks;
    int decimals;
    int exponent;  /* 0 for numbers of usual size */
    double offset; /* 0 unless the range is a small part of the values */
    bool logarithmic;
    int per_decade; /* of numbered ticks: 1 or 3 */
} Axis;

/* An axis over the data's range [lo, hi], finite; tight: exactly that range, else up to the next ticks. */
Axis axis_make(double lo, double hi, int ticks_wanted, bool tight);

/* The same in powers of ten; 0 < lo <= hi. */
Axis axis_make_logarithmic(double lo, double hi, int ticks_wanted);

double axis_tick(const Axis *axis, int i);
const char *axis_label(const Axis *axis, int i, char label[TICK_SIZE]);

/* 0 at lo and below, 1 at hi and above. */
double axis_part(const Axis *axis, double x);

#endif
