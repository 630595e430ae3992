/* Sorting series into panels, and thinning them. */
#include "plot/figure.h"

#include <math.h>
#include <string.h>

static const double similar = 12.0; /* the largest values of series in one panel differ by less than this factor */

/* The unit of a channel, by the last word of its label. */
static const char *unit_of(const char *label) {
    static const struct {
        const char *ending, *unit;
    } known[] = {
        {"angle", "rad"},   {"rate", "rad/s"}, {"displacement", "m"},
        {"speed", "m/s"},   {"length", "m"},   {"x", "m"},
        {"y", "m"},         {"z", "m"},        {"vx", "m/s"},
        {"vy", "m/s"},      {"vz", "m/s"},     {"spin", "rad/s"},
        {"wx", "rad/s"},    {"wy", "rad/s"},   {"wz", "rad/s"},
        {"fx", "N"},        {"fy", "N"},       {"fz", "N"},
        {"mx", "N m"},      {"my", "N m"},     {"mz", "N m"},
        {"m", "N m"},       {"moment", "N m"}, {"kinetic", "J"},
        {"potential", "J"}, {"total", "J"},    {"step", "s"},
        {"power", "W"},
    };
    const char *dot = strrchr(label, '.'), *ending = dot != NULL ? dot + 1 : label;
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        if (strcmp(ending, known[i].ending) == 0) return known[i].unit;
    return "";
}

static void find_range(const Figure *figure, Series *series) {
    series->lo = (double)INFINITY;
    series->hi = -(double)INFINITY;
    for (size_t i = 0; i < figure->rows; i++) {
        if (!isfinite(series->y[i]) || !isfinite(figure->t[i])) continue;
        series->lo = fmin(series->lo, series->y[i]);
        series->hi = fmax(series->hi, series->y[i]);
    }
}

/* The largest value of a series decides how large a panel must be. */
static double size_of(double lo, double hi) {
    return lo > hi ? 0.0 : fmax(fabs(lo), fabs(hi));
}

static int fits(const Panel *panel, const Series *series) {
    if (strcmp(panel->unit, series->unit) != 0) return 0;
    double a = size_of(panel->lo, panel->hi), b = size_of(series->lo, series->hi);
    if (a == 0.0 || b == 0.0) return 1;
    return a <= similar * b && b <= similar * a;
}

static void place(Figure *figure, Series *series) {
    for (int i = 0; i < figure->panel_count; i++) {
        Panel *panel = &figure->panels[i];
        if (!fits(panel, series)) continue;
        series->panel = i;
        series->rank = panel->count++;
        panel->lo = fmin(panel->lo, series->lo);
        panel->hi = fmax(panel->hi, series->hi);
        return;
    }
    series->panel = figure->panel_count;
    series->rank = 0;
    figure->panels[figure->panel_count++] =
        (Panel){.count = 1, .unit = series->unit, .lo = series->lo, .hi = series->hi};
}

void figure_arrange(Figure *figure, int ticks) {
    double from = (double)INFINITY, to = -(double)INFINITY;
    figure->panel_count = 0;
    figure->ordered = 1;
    for (size_t i = 0; i < figure->rows; i++) {
        if (!isfinite(figure->t[i])) continue;
        if (figure->t[i] < to) figure->ordered = 0;
        from = fmin(from, figure->t[i]);
        to = fmax(to, figure->t[i]);
    }
    figure->time = from <= to ? axis_make(from, to, ticks, 1) : axis_make(0.0, 1.0, ticks, 1);
    for (int i = 0; i < figure->series_count; i++) {
        figure->series[i].unit = unit_of(figure->series[i].label);
        find_range(figure, &figure->series[i]);
        place(figure, &figure->series[i]);
    }
    for (int i = 0; i < figure->panel_count; i++) {
        Panel *panel = &figure->panels[i];
        panel->axis = panel->lo <= panel->hi ? axis_make(panel->lo, panel->hi, 5, 0) : axis_make(0.0, 1.0, 5, 0);
    }
}

typedef struct Column { /* the points that fall into one column of pixels */
    int number;
    int count;
    Point first, low, high, last;
    size_t low_at, high_at, last_at, first_at;
} Column;

static void put_column(const Column *column, TakePoint take, void *user, int begin) {
    Point first_of_two = column->low_at <= column->high_at ? column->low : column->high,
          other = column->low_at <= column->high_at ? column->high : column->low;
    size_t a = column->low_at <= column->high_at ? column->low_at : column->high_at,
           b = column->low_at <= column->high_at ? column->high_at : column->low_at;
    if (column->count == 0) return;
    take(user, column->first, begin);
    if (a != column->first_at && a != column->last_at) take(user, first_of_two, 0);
    if (b != a && b != column->first_at && b != column->last_at) take(user, other, 0);
    if (column->last_at != column->first_at) take(user, column->last, 0);
}

static void add_to_column(Column *column, Point p, size_t i) {
    if (column->count++ == 0) {
        column->first = column->low = column->high = p;
        column->first_at = column->low_at = column->high_at = i;
    }
    if (p.y < column->low.y) {
        column->low = p;
        column->low_at = i;
    }
    if (p.y > column->high.y) {
        column->high = p;
        column->high_at = i;
    }
    column->last = p;
    column->last_at = i;
}

void figure_walk(const Figure *figure, const Series *series, double columns, TakePoint take, void *user) {
    Column c = {0};
    int begin = 1;
    for (size_t i = 0; i < figure->rows; i++) {
        int there = isfinite(series->y[i]) && isfinite(figure->t[i]);
        Point p = {.x = there ? columns * axis_part(&figure->time, figure->t[i]) : 0.0, .y = series->y[i]};
        int number = (int)p.x;
        if (c.count > 0 && (!there || number != c.number || !figure->ordered)) {
            put_column(&c, take, user, begin);
            begin = !there;
            c.count = 0;
        }
        if (!there) {
            begin = 1;
            continue;
        }
        c.number = number;
        add_to_column(&c, p, i);
    }
    put_column(&c, take, user, begin);
}
