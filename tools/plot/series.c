/* Series of a figure. Runs have their own times; where two are compared, the second is taken at the times of the first,
 * on straight lines between its rows. */
#include "plot/series.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "text.h"

static const double degrees = 57.295779513082320877; /* in a radian */
enum { LABEL_ROOM = 300 };

/* ---- columns and units ---- */

int series_column(const Table *run, const char *heading) {
    for (int c = 0; c < run->columns; c++)
        if (strcmp(run->names[c], heading) == 0) return c;
    return -1;
}

/* The unit of a channel by the last word of its heading, for files that do not say. */
static const char *usual_unit(const char *heading) {
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
        {"power", "W"},     {"t", "s"},
    };
    const char *dot = strrchr(heading, '.'), *ending = dot != NULL ? dot + 1 : heading;
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        if (strcmp(ending, known[i].ending) == 0) return known[i].unit;
    return "";
}

static const char *unit_of(const Table *run, const char *heading) {
    int column = series_column(run, heading);
    return run->units[column][0] != '\0' ? run->units[column] : usual_unit(heading);
}

/* A unit with radians in degrees; NULL when it has none. */
static const char *in_degrees(const char *unit) {
    static const char *const pairs[][2] = {{"rad", "deg"}, {"rad/s", "deg/s"}, {"rad/s^2", "deg/s^2"}};
    for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++)
        if (strcmp(unit, pairs[i][0]) == 0) return pairs[i][1];
    return NULL;
}

/* ---- numbers ---- */

static double *own_column(SeriesSet *set, size_t rows) {
    double *column = calloc(rows + 1, sizeof *column);
    if (column != NULL) set->columns[set->column_count++] = column;
    return column;
}

/* The cubic through four rows, or through fewer at the ends: order h^4 between rows of a smooth channel. */
static double between_rows(const double *t, const double *y, size_t rows, size_t k, double at) {
    size_t from = k > 0 ? k - 1 : 0, to = k + 3 < rows ? k + 3 : rows;
    double sum = 0.0;
    for (size_t i = from; i < to; i++) {
        double weight = 1.0;
        for (size_t j = from; j < to; j++)
            if (j != i && t[i] != t[j]) weight *= (at - t[j]) / (t[i] - t[j]); /* two rows of one time: an event */
        sum += weight * y[i];
    }
    return sum;
}

/* Values of a run at other times; NaN where it has none. Both times never fall. */
static void resample(const Table *run, int column, size_t rows, const double *t, double *out) {
    const double *own = run->data[0], *y = run->data[column];
    size_t k = 0;
    for (size_t i = 0; i < rows; i++) {
        while (k + 1 < run->rows && own[k + 1] <= t[i]) k++;
        out[i] = (double)NAN;
        if (run->rows == 0 || !(t[i] >= own[0]) || !(t[i] <= own[run->rows - 1])) continue;
        out[i] = t[i] == own[k] ? y[k] : between_rows(own, y, run->rows, k, t[i]);
    }
}

static int scale_by(SeriesSet *set, const double **values, size_t rows, double factor) {
    double *own = own_column(set, rows);
    if (own == NULL) return -1;
    for (size_t i = 0; i < rows; i++) own[i] = factor * (*values)[i];
    *values = own;
    return 0;
}

/* |y| where a logarithmic axis would leave gaps. */
static int take_sizes(SeriesSet *set, Series *series, char *label) {
    bool negative = false;
    char plain[LABEL_ROOM];
    for (size_t i = 0; i < series->rows; i++) negative = negative || series->y[i] < 0.0;
    if (!negative) return 0;
    double *own = own_column(set, series->rows);
    if (own == NULL) return -1;
    for (size_t i = 0; i < series->rows; i++) own[i] = fabs(series->y[i]);
    series->y = own;
    snprintf(plain, sizeof plain, "%s", label);
    snprintf(label, LABEL_ROOM, "|%.290s|", plain);
    return 0;
}

/* ---- series ---- */

/* The file's name without folder and ending. */
static void run_name(const char *path, char name[LABEL_ROOM]) {
    const char *slash = strrchr(path, '/'), *start = slash != NULL ? slash + 1 : path;
    snprintf(name, LABEL_ROOM, "%.*s", (int)(strlen(start) - strlen(extension_of(start))), start);
}

static void write_label(const SeriesOrder *order, const char *channel, int run, char label[LABEL_ROOM]) {
    char first[LABEL_ROOM], name[LABEL_ROOM];
    run_name(order->runs[0].path, first);
    run_name(order->runs[run].path, name);
    if (order->difference)
        snprintf(label, LABEL_ROOM, "%.120s: %.80s \xe2\x88\x92 %.80s", channel, name, first);
    else if (order->run_count > 1 && !order->band)
        snprintf(label, LABEL_ROOM, "%.140s, %.140s", channel, name);
    else
        snprintf(label, LABEL_ROOM, "%.290s", channel);
}

/* The lowest and highest of all runs at the times of the first. */
static int span_band(SeriesSet *set, const SeriesOrder *order, const char *channel, Series *series) {
    double *low = own_column(set, series->rows), *high = own_column(set, series->rows);
    double *other = own_column(set, series->rows);
    if (low == NULL || high == NULL || other == NULL) return -1;
    for (size_t i = 0; i < series->rows; i++) low[i] = high[i] = series->y[i];
    for (int run = 1; run < order->run_count; run++) {
        const Table *table = &order->runs[run];
        resample(table, series_column(table, channel), series->rows, series->t, other);
        for (size_t i = 0; i < series->rows; i++) {
            low[i] = fmin(low[i], other[i]); /* of a number and NaN the number */
            high[i] = fmax(high[i], other[i]);
        }
    }
    series->low = low;
    series->high = high;
    return 0;
}

static int subtract_first(SeriesSet *set, const SeriesOrder *order, const char *channel, int run, Series *series) {
    const Table *first = &order->runs[0], *table = &order->runs[run];
    double *own = own_column(set, first->rows);
    if (own == NULL) return -1;
    resample(table, series_column(table, channel), first->rows, first->data[0], own);
    const double *y = first->data[series_column(first, channel)];
    for (size_t i = 0; i < first->rows; i++) own[i] -= y[i];
    *series = (Series){.rows = first->rows, .t = first->data[0], .x = first->data[0], .y = own, .run = run};
    return 0;
}

static int turn_to_degrees(SeriesSet *set, Series *series) {
    const char *unit = in_degrees(series->unit);
    if (unit == NULL) return 0;
    series->unit = unit;
    if (scale_by(set, &series->y, series->rows, degrees) < 0) return -1;
    if (series->low == NULL) return 0;
    if (scale_by(set, &series->low, series->rows, degrees) < 0) return -1;
    return scale_by(set, &series->high, series->rows, degrees);
}

static int add_series(SeriesSet *set, const SeriesOrder *order, const char *channel, int run) {
    const Table *table = &order->runs[run];
    char label[LABEL_ROOM];
    Series *series = &set->series[set->count];
    *series = (Series){.rows = table->rows, .t = table->data[0], .x = table->data[0], .run = run};
    series->y = table->data[series_column(table, channel)];
    write_label(order, channel, run, label);
    if (order->difference && subtract_first(set, order, channel, run, series) < 0) return -1;
    if (order->band && span_band(set, order, channel, series) < 0) return -1;
    series->heading = channel;
    series->unit = unit_of(table, channel);
    if (order->degrees && turn_to_degrees(set, series) < 0) return -1;
    if (order->sizes && take_sizes(set, series, label) < 0) return -1;
    if (order->against != NULL) {
        const char *unit = unit_of(table, order->against);
        series->x = table->data[series_column(table, order->against)];
        if (order->degrees && in_degrees(unit) != NULL && scale_by(set, &series->x, series->rows, degrees) < 0)
            return -1;
    }
    set->labels[set->count] = strdup(label);
    series->label = set->labels[set->count];
    set->count++;
    return series->label != NULL ? 0 : -1;
}

static void name_axis(SeriesSet *set, const SeriesOrder *order) {
    const char *x = order->against != NULL ? order->against : "t", *unit = unit_of(&order->runs[0], x);
    snprintf(set->x_label, sizeof set->x_label, "%.190s", x);
    set->x_unit = order->degrees && in_degrees(unit) != NULL ? in_degrees(unit) : unit;
}

int series_make(SeriesSet *set, const SeriesOrder *order) {
    enum { COLUMNS_A_SERIES = 8 }; /* band and its scratch, degrees three times, x, sizes, difference */
    size_t most = (size_t)order->channel_count * (size_t)order->run_count + 1;
    *set = (SeriesSet){0};
    set->series = calloc(most, sizeof *set->series);
    set->labels = calloc(most, sizeof *set->labels);
    set->columns = calloc(COLUMNS_A_SERIES * most, sizeof *set->columns);
    if (set->series == NULL || set->labels == NULL || set->columns == NULL) return -1;
    name_axis(set, order);
    for (int c = 0; c < order->channel_count; c++)
        for (int run = order->difference ? 1 : 0; run < (order->band ? 1 : order->run_count); run++)
            if (add_series(set, order, order->channels[c], run) < 0) return -1;
    return 0;
}

void series_free(SeriesSet *set) {
    for (int i = 0; i < set->count; i++) free(set->labels[i]);
    for (int i = 0; i < set->column_count; i++) free(set->columns[i]);
    free(set->series);
    free(set->labels);
    free(set->columns);
    *set = (SeriesSet){0};
}
