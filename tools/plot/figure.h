/* What a plot shows: series of a result file, sorted into panels over one time axis. Drawn as SVG or on a terminal. */
#ifndef TOOL_PLOT_FIGURE_H
#define TOOL_PLOT_FIGURE_H

#include <stdio.h>

#include "plot/axis.h"

typedef struct Series {
    const char *label;
    const char *unit; /* "" when not known */
    const double *y;  /* rows long */
    double lo, hi;    /* over finite values; lo > hi: there are none */
    int panel;
    int rank; /* place within its panel, from 0: decides the colour */
} Series;

typedef struct Panel {
    int count; /* of series */
    const char *unit;
    double lo, hi;
    Axis axis;
} Panel;

typedef struct Figure {
    const char *title; /* "" for none */
    size_t rows;
    const double *t;
    int series_count;
    Series *series;
    int panel_count;
    Panel *panels; /* series_count long */
    Axis time;
    int ordered; /* times never fall: series may be thinned column by column */
} Figure;

/* Ranges, panels and the time axis, from title, rows, t and series (label, y). ticks: wanted on the time axis. */
void figure_arrange(Figure *figure, int ticks);

/* One point, in columns of pixels (x) and as a value (y). */
typedef struct Point {
    double x, y;
} Point;

/* Walks a series thinned to what `columns` pixels can show: of each column the first, lowest, highest and last value in
 * their order. Calls take for each point, with begin nonzero at the start and after each gap. */
typedef void (*TakePoint)(void *user, Point p, int begin);
void figure_walk(const Figure *figure, const Series *series, double columns, TakePoint take, void *user);

/* Width and height in pixels. Write errors show in the stream. */
void figure_svg(FILE *out, const Figure *figure, int width, int height);

/* Columns and lines in characters; utf8: Braille dots, else letters; colour: escape sequences. */
int figure_terminal(FILE *out, const Figure *figure, int columns, int lines, int utf8, int colour);

#endif
