/* A figure in characters: Braille patterns give 2 x 4 dots a character; without UTF-8, a letter a point. */
#include "plot/figure.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "text.h"

enum { LABEL = 11, LEAST_LINES = 4, MOST_LINES = 16 };

typedef struct Canvas {
    int columns, lines;          /* characters */
    int across, down;            /* dots a character */
    unsigned char *dots, *owner; /* columns x lines: Braille bits; rank of the last series there */
    const Axis *axis;
    int rank;
    int began, x, y; /* last dot */
} Canvas;

static const char *const colours[] = {"34", "31", "32", "35", "33", "36", "37"}; /* ANSI foregrounds */
static const char marks[] = "*+xo#%@";
enum { COLOURS = 7 };

static void set_dot(Canvas *canvas, int x, int y) {
    static const unsigned char bit[4][2] = {{0x01, 0x08}, {0x02, 0x10}, {0x04, 0x20}, {0x40, 0x80}};
    int column = x / canvas->across, line = y / canvas->down;
    if (x < 0 || y < 0 || column >= canvas->columns || line >= canvas->lines) return;
    canvas->dots[line * canvas->columns + column] |= bit[y % canvas->down][x % canvas->across];
    canvas->owner[line * canvas->columns + column] = (unsigned char)canvas->rank;
}

static void draw_to(void *user, Point p, int begin) {
    Canvas *canvas = user;
    int x = (int)lround(p.x),
        y = (int)lround((canvas->down * canvas->lines - 1) * (1.0 - axis_part(canvas->axis, p.y)));
    int from_x = begin ? x : canvas->x, from_y = begin ? y : canvas->y;
    int n = abs(x - from_x) > abs(y - from_y) ? abs(x - from_x) : abs(y - from_y);
    for (int i = 0; i <= n; i++) {
        double part = n > 0 ? (double)i / n : 0.0;
        set_dot(canvas, (int)lround(from_x + part * (x - from_x)), (int)lround(from_y + part * (y - from_y)));
    }
    canvas->x = x;
    canvas->y = y;
}

static void put_cell(FILE *out, const Canvas *canvas, int cell, int utf8, int colour) {
    unsigned bits = canvas->dots[cell];
    if (bits == 0) {
        fputc(' ', out);
        return;
    }
    if (colour) fprintf(out, "\033[%sm", colours[canvas->owner[cell] % COLOURS]);
    if (utf8)
        fprintf(out, "\xe2%c%c", (int)(0xa0 + (bits >> 6)), (int)(0x80 + (bits & 0x3f))); /* U+2800 + bits */
    else
        fputc(marks[canvas->owner[cell] % COLOURS], out);
    if (colour) fputs("\033[0m", out);
}

/* Labels may come from anywhere: nothing that could steer the terminal. */
static void put_label(FILE *out, const char *text) {
    for (const unsigned char *s = (const unsigned char *)text; *s != '\0';) {
        int n = utf8_length(s);
        if (n == 0 || *s < 0x20 || *s == 0x7f || (n == 2 && s[0] == 0xc2 && s[1] < 0xa0))
            fputc('?', out);
        else
            fwrite(s, 1, (size_t)n, out);
        s += n > 0 ? n : 1;
    }
}

static void put_legend(FILE *out, const Figure *figure, int panel, int utf8, int colour) {
    fprintf(out, "%*s ", LABEL, figure->panels[panel].unit);
    for (int i = 0; i < figure->series_count; i++) {
        const Series *series = &figure->series[i];
        if (series->panel != panel) continue;
        if (colour) fprintf(out, "\033[%sm", colours[series->rank % COLOURS]);
        if (utf8)
            fputs("\xe2\x94\x81\xe2\x94\x81 ", out);
        else
            fprintf(out, "%c ", marks[series->rank % COLOURS]);
        if (colour) fputs("\033[0m", out);
        put_label(out, series->label);
        fputs("   ", out);
    }
    fputc('\n', out);
}

static void put_panel(FILE *out, const Figure *figure, int panel, Canvas *canvas, int utf8, int colour) {
    const Axis *axis = &figure->panels[panel].axis;
    memset(canvas->dots, 0, (size_t)canvas->columns * (size_t)canvas->lines);
    canvas->axis = axis;
    for (int i = 0; i < figure->series_count; i++) {
        const Series *series = &figure->series[i];
        if (series->panel != panel || series->lo > series->hi) continue;
        canvas->rank = series->rank;
        figure_walk(figure, series, canvas->across * canvas->columns - 1, draw_to, canvas);
    }
    put_legend(out, figure, panel, utf8, colour);
    for (int line = 0; line < canvas->lines; line++) {
        int labelled = line == 0 || line == canvas->lines - 1 || (canvas->lines % 2 == 1 && line == canvas->lines / 2);
        double value = axis->hi - (axis->hi - axis->lo) * line / (canvas->lines - 1);
        if (labelled)
            fprintf(out, "%*.5g ", LABEL - 1, value);
        else
            fprintf(out, "%*s", LABEL, "");
        fputs(utf8 ? (labelled ? "\xe2\x94\xa4" : "\xe2\x94\x82") : "|", out);
        for (int column = 0; column < canvas->columns; column++)
            put_cell(out, canvas, line * canvas->columns + column, utf8, colour);
        fputc('\n', out);
    }
}

static void put_time_axis(FILE *out, const Figure *figure, int columns, int utf8) {
    char from[32], to[32];
    snprintf(from, sizeof from, "%.5g", figure->time.lo);
    snprintf(to, sizeof to, "%.5g s", figure->time.hi);
    fprintf(out, "%*s%s", LABEL, "", utf8 ? "\xe2\x94\x94" : "+");
    for (int i = 0; i < columns; i++) fputs(utf8 ? "\xe2\x94\x80" : "-", out);
    int gap = columns - (int)strlen(from) - (int)strlen(to);
    fprintf(out, "\n%*s %s%*s%s\n", LABEL, "", from, gap > 1 ? gap : 1, "", to);
}

int figure_terminal(FILE *out, const Figure *figure, int columns, int lines, int utf8, int colour) {
    Canvas c = {.columns = columns - LABEL - 2, .across = utf8 ? 2 : 1, .down = utf8 ? 4 : 1};
    if (c.columns < 16) c.columns = 16;
    c.lines = (lines - 4) / figure->panel_count - 1;
    c.lines = c.lines < LEAST_LINES ? LEAST_LINES : c.lines > MOST_LINES ? MOST_LINES : c.lines;
    c.dots = calloc(2 * (size_t)c.columns, (size_t)c.lines);
    if (c.dots == NULL) return -1;
    c.owner = c.dots + (size_t)c.columns * (size_t)c.lines;
    if (figure->title[0] != '\0') {
        fprintf(out, "%*s", LABEL + 1, "");
        put_label(out, figure->title);
        fputc('\n', out);
    }
    for (int i = 0; i < figure->panel_count; i++) put_panel(out, figure, i, &c, utf8, colour);
    put_time_axis(out, figure, c.columns, utf8);
    free(c.dots);
    return 0;
}
