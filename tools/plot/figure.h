/* What a plot shows: series of results, sorted into panels over one axis, time or another channel. Drawn with a pen
 * (SVG, PNG) or on a terminal. */
#ifndef TOOL_PLOT_FIGURE_H
#define TOOL_PLOT_FIGURE_H

#include <stdio.h>

#include "plot/axis.h"
#include "plot/pen.h"

typedef struct Series {
    const char *label;
    const char *heading; /* of its column: pin.reaction.m is of the same thing as pin.reaction.fx */
    const char *unit;    /* "" when not known */
    size_t rows;
    const double *t, *x, *y;  /* rows long; x is t, or what the figure is drawn against */
    const double *low, *high; /* a band around it; NULL: none */
    int run;                  /* of which result, from 0 */

    /* by figure_arrange */
    double lo, hi; /* of y over finite points, the band included; lo > hi: there are none */
    bool ordered;  /* x never falls: may be thinned column by column */
    bool rounding; /* zero but for rounding, beside others of its unit or of the same thing */
    int panel;
    int rank; /* place within its panel, from 0: decides the colour */
} Series;

typedef struct Panel {
    int count; /* of series */
    const char *unit;
    double lo, hi;
    Axis axis;
} Panel;

typedef enum MarkKind { MARK_EVENT, MARK_PASSAGE, MARK_KINDS } MarkKind;

typedef struct Mark { /* something that happened in a run */
    MarkKind kind;
    double t; /* s */
    int run;
    const char *label;
} Mark;

typedef struct Figure {
    const char *title;            /* "" for none */
    const char *x_label, *x_unit; /* of the axis below */
    bool against;                 /* another channel than the time: marks are points of the curves */
    bool log_x, log_y, equal;     /* equal: a unit is as long upwards as it is along */
    int series_count;
    Series *series;
    int panel_count;
    Panel *panels; /* series_count long */
    int mark_count;
    Mark *marks;
    double x_lo, x_hi; /* of the data */
    Axis x;
} Figure;

/* Ranges, panels and axes, from all else. ticks: wanted on the axis below. Numbers that a logarithmic axis cannot show
 * leave gaps. */
void figure_arrange(Figure *figure, int ticks);

/* Axes in which a unit is equally long both ways, for panels of this size; does nothing unless the figure asks for it.
 */
void figure_equalise(Figure *figure, double width, double height, int ticks_along, int ticks_up);

/* Where a panel is drawn, in pixels or dots, y downwards. */
typedef struct Frame {
    double left, right, top, bottom;
} Frame;

typedef struct Point {
    double x, y;
} Point;

/* Whether a row can be shown, and where it is. */
bool figure_place(const Figure *figure, const Series *series, size_t row, const Frame *frame, Point *point);

/* Where the curve is at the time of a mark; false: not there. */
bool figure_mark(const Figure *figure, const Series *series, const Mark *mark, const Frame *frame, Point *point);

/* Walks a series thinned to what can be seen: of each column of pixels the first, lowest, highest and last value in
 * their order; where x goes back and forth, points that stay where the last one was are left out. begin is true at the
 * start and after each gap. */
typedef void (*TakePoint)(void *user, Point p, bool begin);
void figure_walk(const Figure *figure, const Series *series, const Frame *frame, TakePoint take, void *user);

/* Height that a figure of this width takes, at least the height asked for; pixels. */
double figure_height(const Figure *figure, double width, double height);
void figure_draw(Figure *figure, Pen *pen, double width, double height);

/* Columns and lines in characters; utf8: Braille dots, else letters; colour: escape sequences. -1: out of memory. */
int figure_terminal(FILE *out, Figure *figure, int columns, int lines, bool utf8, bool colour);

#endif
