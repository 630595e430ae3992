/* What draws lines, areas and letters: SVG as text, or PNG by cairo. Pixels, y downwards. */
#ifndef TOOL_PLOT_PEN_H
#define TOOL_PLOT_PEN_H

#include <stdbool.h>
#include <stdio.h>

typedef struct PenStyle {
    const char *colour; /* "#rrggbb" */
    double width;       /* of a line */
    int dash;           /* 0: none; 1, 2: longer, shorter */
    double opacity;     /* 0 to 1 */
    const char *role;   /* what it is in the plot: a class of SVG */
    const char *name;   /* whose it is, or NULL */
} PenStyle;

typedef struct PenText {
    int anchor; /* -1: begins there, 0: centred, 1: ends there */
    bool upwards, bold;
    double size;
    const char *role;
} PenText;

typedef struct Pen Pen;
typedef struct PenOps {
    void (*move)(Pen *pen, double x, double y); /* begins a part of the path */
    void (*line)(Pen *pen, double x, double y);
    void (*stroke)(Pen *pen, const PenStyle *style); /* draws the path and forgets it */
    void (*fill)(Pen *pen, const PenStyle *style);
    void (*text)(Pen *pen, double x, double y, const PenText *how, const char *text);
} PenOps;

struct Pen {
    const PenOps *ops;
};

typedef struct SvgPen {
    Pen pen; /* first */
    FILE *out;
    int points; /* of the path that is open; 0: none is */
} SvgPen;

/* Begins the picture; title is for readers that cannot see it. Write errors show in the stream. */
void svg_pen_open(SvgPen *svg, FILE *out, double width, double height, const char *title);
void svg_pen_close(SvgPen *svg);

/* A picture as PNG, drawn by draw(user, pen). 0: done; else a sentence in reason. */
int png_write(FILE *out, int width, int height, void (*draw)(void *user, Pen *pen), void *user, const char **reason);

/* Whether the program was built with what PNG needs. */
bool png_possible(void);

#endif
