/* Sorting series into panels; axes. */
#include "plot/figure.h"

#include <math.h>
#include <string.h>

static const double similar = 12.0; /* the largest values of series in one panel differ by less than this factor */

/* Beside others of its unit, or of the same thing in SI units, a series this much smaller is what rounding left of
 * zero: joints are closed to some hundred roundings of the mechanism's size. */
static const double rounding = 1e-12;
enum { TICKS_UP = 5 };

static bool can_show(double x, bool logarithmic) {
    return isfinite(x) && (!logarithmic || x > 0.0);
}

static void take_in(double x, double *lo, double *hi) {
    *lo = fmin(*lo, x);
    *hi = fmax(*hi, x);
}

static void find_range(Figure *figure, Series *series) {
    double before = -(double)INFINITY;
    series->lo = (double)INFINITY;
    series->hi = -(double)INFINITY;
    series->ordered = true;
    for (size_t i = 0; i < series->rows; i++) {
        if (!can_show(series->x[i], figure->log_x) || !can_show(series->y[i], figure->log_y)) continue;
        series->ordered = series->ordered && series->x[i] >= before;
        before = series->x[i];
        take_in(series->x[i], &figure->x_lo, &figure->x_hi);
        take_in(series->y[i], &series->lo, &series->hi);
        if (series->low == NULL) continue;
        if (can_show(series->low[i], figure->log_y)) take_in(series->low[i], &series->lo, &series->hi);
        if (can_show(series->high[i], figure->log_y)) take_in(series->high[i], &series->lo, &series->hi);
    }
}

/* The largest value of a series decides how large a panel must be. */
static double size_of(double lo, double hi) {
    return lo > hi ? 0.0 : fmax(fabs(lo), fabs(hi));
}

/* Of the same thing: equal up to the last dot. */
static bool related(const Series *a, const Series *b) {
    const char *dot = strrchr(a->heading, '.');
    size_t n = dot != NULL ? (size_t)(dot - a->heading) + 1 : 0;
    return n > 0 && strncmp(a->heading, b->heading, n) == 0 && strchr(b->heading + n, '.') == NULL;
}

static void mark_rounding(Figure *figure) {
    for (int i = 0; i < figure->series_count; i++) {
        Series *series = &figure->series[i];
        double largest = 0.0;
        for (int k = 0; k < figure->series_count; k++) {
            const Series *other = &figure->series[k];
            if (strcmp(other->unit, series->unit) == 0 || related(series, other))
                largest = fmax(largest, size_of(other->lo, other->hi));
        }
        series->rounding = !figure->log_y && size_of(series->lo, series->hi) <= rounding * largest;
    }
}

static bool fits(const Figure *figure, const Panel *panel, const Series *series) {
    if (strcmp(panel->unit, series->unit) != 0) return false;
    double a = size_of(panel->lo, panel->hi), b = size_of(series->lo, series->hi);
    if (figure->log_y || figure->equal || series->rounding || a == 0.0 || b == 0.0) return true;
    return a <= similar * b && b <= similar * a;
}

/* The panel that a series goes to; -1: none yet. What is rounding goes where its unit is, or else its relations are. */
static int find_panel(const Figure *figure, const Series *series) {
    for (int i = 0; i < figure->panel_count; i++)
        if (fits(figure, &figure->panels[i], series)) return i;
    for (int k = 0; series->rounding && k < figure->series_count; k++) {
        const Series *other = &figure->series[k];
        if (!other->rounding && related(series, other)) return other->panel;
    }
    return -1;
}

static void sort_in(Figure *figure, Series *series) {
    int i = find_panel(figure, series);
    if (i < 0) {
        i = figure->panel_count++;
        figure->panels[i] = (Panel){.unit = series->unit, .lo = series->lo, .hi = series->hi};
    }
    Panel *panel = &figure->panels[i];
    series->panel = i;
    series->rank = panel->count++;
    panel->lo = fmin(panel->lo, series->lo);
    panel->hi = fmax(panel->hi, series->hi);
}

static Axis make_axis(double lo, double hi, bool logarithmic, int ticks, bool tight) {
    if (lo > hi) return axis_make(0.0, 1.0, ticks, tight); /* nothing to show */
    return logarithmic ? axis_make_logarithmic(lo, hi, ticks) : axis_make(lo, hi, ticks, tight);
}

void figure_arrange(Figure *figure, int ticks) {
    figure->panel_count = 0;
    figure->x_lo = (double)INFINITY;
    figure->x_hi = -(double)INFINITY;
    for (int i = 0; i < figure->series_count; i++) find_range(figure, &figure->series[i]);
    mark_rounding(figure);
    for (int pass = 0; pass < 2; pass++) /* rounding last: it goes where its unit is */
        for (int i = 0; i < figure->series_count; i++)
            if (figure->series[i].rounding == (pass == 1)) sort_in(figure, &figure->series[i]);
    figure->x = make_axis(figure->x_lo, figure->x_hi, figure->log_x, ticks, !figure->against);
    for (int i = 0; i < figure->panel_count; i++) {
        Panel *panel = &figure->panels[i];
        panel->axis = make_axis(panel->lo, panel->hi, figure->log_y, TICKS_UP, false);
    }
}

/* The range around its middle that takes up `pixels` at this scale. */
static Axis stretched(double lo, double hi, double scale, double pixels, int ticks) {
    double middle = 0.5 * (lo + hi), half = 0.5 * scale * pixels;
    return axis_make(middle - half, middle + half, ticks, true);
}

void figure_equalise(Figure *figure, double width, double height, int ticks_along, int ticks_up) {
    static const double room = 1.06; /* around the data */
    if (!figure->equal || figure->x_lo > figure->x_hi) return;
    double scale = (figure->x_hi - figure->x_lo) / width;
    for (int i = 0; i < figure->panel_count; i++)
        scale = fmax(scale, (figure->panels[i].hi - figure->panels[i].lo) / height);
    if (!(scale > 0.0)) return;
    scale *= room;
    figure->x = stretched(figure->x_lo, figure->x_hi, scale, width, ticks_along);
    for (int i = 0; i < figure->panel_count; i++) {
        Panel *panel = &figure->panels[i];
        if (panel->lo <= panel->hi) panel->axis = stretched(panel->lo, panel->hi, scale, height, ticks_up);
    }
}
