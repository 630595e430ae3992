/* Points of a series where they are drawn, thinned to what can be seen. */
#include "plot/figure.h"

#include <math.h>

static const double seen = 0.25; /* pixels: a curve that has moved less is where it was */

static bool place(const Figure *figure, const Series *series, double x, double y, const Frame *frame, Point *point) {
    if (!isfinite(x) || !isfinite(y) || (figure->log_x && x <= 0.0) || (figure->log_y && y <= 0.0)) return false;
    point->x = frame->left + (frame->right - frame->left) * axis_part(&figure->x, x);
    point->y = frame->bottom - (frame->bottom - frame->top) * axis_part(&figure->panels[series->panel].axis, y);
    return true;
}

bool figure_place(const Figure *figure, const Series *series, size_t row, const Frame *frame, Point *point) {
    return place(figure, series, series->x[row], series->y[row], frame, point);
}

/* The last row at or before t, by halving; times of a run never fall. */
static size_t row_before(const Series *series, double t) {
    size_t lo = 0, hi = series->rows;
    while (hi - lo > 1) {
        size_t middle = lo + (hi - lo) / 2;
        if (series->t[middle] <= t)
            lo = middle;
        else
            hi = middle;
    }
    return lo;
}

bool figure_mark(const Figure *figure, const Series *series, const Mark *mark, const Frame *frame, Point *point) {
    if (mark->run != series->run || series->rows == 0) return false;
    if (mark->t < series->t[0] || mark->t > series->t[series->rows - 1]) return false;
    size_t i = row_before(series, mark->t), k = i + 1 < series->rows ? i + 1 : i;
    double length = series->t[k] - series->t[i], part = length > 0.0 ? (mark->t - series->t[i]) / length : 0.0;
    return place(figure, series, series->x[i] + part * (series->x[k] - series->x[i]),
                 series->y[i] + part * (series->y[k] - series->y[i]), frame, point);
}

typedef struct Column { /* the points that fall into one column of pixels */
    int number;
    int count;
    Point first, low, high, last;
    size_t first_at, low_at, high_at, last_at;
} Column;

static void put_column(const Column *column, TakePoint take, void *user, bool begin) {
    bool low_first = column->low_at <= column->high_at;
    Point one = low_first ? column->low : column->high, other = low_first ? column->high : column->low;
    size_t a = low_first ? column->low_at : column->high_at, b = low_first ? column->high_at : column->low_at;
    if (column->count == 0) return;
    take(user, column->first, begin);
    if (a != column->first_at && a != column->last_at) take(user, one, false);
    if (b != a && b != column->first_at && b != column->last_at) take(user, other, false);
    if (column->last_at != column->first_at) take(user, column->last, false);
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

static void walk_columns(const Figure *figure, const Series *series, const Frame *frame, TakePoint take, void *user) {
    Column c = {0};
    bool begin = true;
    for (size_t i = 0; i < series->rows; i++) {
        Point p = {0.0, 0.0};
        bool there = figure_place(figure, series, i, frame, &p);
        int number = (int)(p.x - frame->left);
        if (c.count > 0 && (!there || number != c.number)) {
            put_column(&c, take, user, begin);
            begin = !there;
            c.count = 0;
        }
        if (!there) {
            begin = true;
            continue;
        }
        c.number = number;
        add_to_column(&c, p, i);
    }
    put_column(&c, take, user, begin);
}

static void walk_points(const Figure *figure, const Series *series, const Frame *frame, TakePoint take, void *user) {
    Point before = {0.0, 0.0};
    bool begin = true;
    for (size_t i = 0; i < series->rows; i++) {
        Point p;
        if (!figure_place(figure, series, i, frame, &p)) {
            begin = true;
            continue;
        }
        bool stays = !begin && fabs(p.x - before.x) < seen && fabs(p.y - before.y) < seen;
        if (stays && i + 1 < series->rows) continue;
        take(user, p, begin);
        begin = false;
        before = p;
    }
}

void figure_walk(const Figure *figure, const Series *series, const Frame *frame, TakePoint take, void *user) {
    if (series->ordered)
        walk_columns(figure, series, frame, take, user);
    else
        walk_points(figure, series, frame, take, user);
}
