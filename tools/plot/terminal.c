/* A figure in characters: Braille patterns give 2 x 4 dots a character; without UTF-8, a letter a point. */
#include "plot/figure.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "text.h"

enum { LABEL = 11, LEAST_LINES = 4, MOST_LINES = 16, LEAST_COLUMNS = 16, COLUMNS_A_TICK = 10, LINES_A_TICK = 4 };

typedef struct Canvas {
    FILE *out;
    bool utf8, colour;
    int columns, lines;          /* characters */
    int across, down;            /* dots a character */
    unsigned char *dots, *owner; /* columns x lines: Braille bits; rank of the last series there */
    char *below;                 /* columns and more: a line of labels */
    int rank;
    int x, y; /* last dot */
} Canvas;

static const char *const colours[] = {"34", "31", "32", "35", "33", "36", "37"}; /* ANSI foregrounds */
static const char *const mark_colours[MARK_KINDS] = {[MARK_EVENT] = "33", [MARK_PASSAGE] = "31"};
static const char marks[] = "*+xo#%@";
enum { COLOURS = 7 };

static void set_dot(Canvas *canvas, int x, int y) {
    static const unsigned char bit[4][2] = {{0x01, 0x08}, {0x02, 0x10}, {0x04, 0x20}, {0x40, 0x80}};
    int column = x / canvas->across, line = y / canvas->down;
    if (x < 0 || y < 0 || column >= canvas->columns || line >= canvas->lines) return;
    canvas->dots[line * canvas->columns + column] |= bit[y % canvas->down][x % canvas->across];
    canvas->owner[line * canvas->columns + column] = (unsigned char)canvas->rank;
}

static void draw_to(void *user, Point p, bool begin) {
    Canvas *canvas = user;
    int x = (int)lround(p.x), y = (int)lround(p.y);
    int from_x = begin ? x : canvas->x, from_y = begin ? y : canvas->y;
    int n = abs(x - from_x) > abs(y - from_y) ? abs(x - from_x) : abs(y - from_y);
    for (int i = 0; i <= n; i++) {
        double part = n > 0 ? (double)i / n : 0.0;
        set_dot(canvas, (int)lround(from_x + part * (x - from_x)), (int)lround(from_y + part * (y - from_y)));
    }
    canvas->x = x;
    canvas->y = y;
}

static void begin_colour(const Canvas *canvas, const char *code) {
    if (canvas->colour) fprintf(canvas->out, "\033[%sm", code);
}

static void end_colour(const Canvas *canvas) {
    if (canvas->colour) fputs("\033[0m", canvas->out);
}

static void put_cell(const Canvas *canvas, int cell) {
    unsigned bits = canvas->dots[cell];
    if (bits == 0) {
        fputc(' ', canvas->out);
        return;
    }
    begin_colour(canvas, colours[canvas->owner[cell] % COLOURS]);
    if (canvas->utf8)
        fprintf(canvas->out, "\xe2%c%c", (int)(0xa0 + (bits >> 6)), (int)(0x80 + (bits & 0x3f))); /* U+2800 + bits */
    else
        fputc(marks[canvas->owner[cell] % COLOURS], canvas->out);
    end_colour(canvas);
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

static void put_legend(const Canvas *canvas, const Figure *figure, int panel) {
    const Panel *p = &figure->panels[panel];
    char unit[64], scale[32] = "", offset[NUMBER_SIZE];
    if (p->axis.exponent != 0) snprintf(scale, sizeof scale, "1e%d ", p->axis.exponent);
    snprintf(unit, sizeof unit, "%s%.30s", scale, p->unit);
    fprintf(canvas->out, "%*s ", LABEL, unit);
    if (p->axis.offset != 0.0) fprintf(canvas->out, "(+ %s)  ", number_text(p->axis.offset, offset));
    for (int i = 0; i < figure->series_count; i++) {
        const Series *series = &figure->series[i];
        if (series->panel != panel) continue;
        begin_colour(canvas, colours[series->rank % COLOURS]);
        if (canvas->utf8)
            fputs("\xe2\x94\x81\xe2\x94\x81 ", canvas->out);
        else
            fprintf(canvas->out, "%c ", marks[series->rank % COLOURS]);
        end_colour(canvas);
        put_label(canvas->out, series->label);
        fputs(series->rounding ? " (0 but for rounding)   " : "   ", canvas->out);
    }
    fputc('\n', canvas->out);
}

/* The tick whose place is on this line; -1: none. */
static int tick_on_line(const Canvas *canvas, const Axis *axis, int line) {
    for (int k = 0; k < axis->ticks; k++)
        if (lround((canvas->lines - 1) * (1.0 - axis_part(axis, axis_tick(axis, k)))) == line) return k;
    return -1;
}

static void put_lines(const Canvas *canvas, const Axis *axis) {
    char label[TICK_SIZE];
    for (int line = 0; line < canvas->lines; line++) {
        int k = tick_on_line(canvas, axis, line);
        fprintf(canvas->out, "%*s ", LABEL - 1, k >= 0 ? axis_label(axis, k, label) : "");
        fputs(canvas->utf8 ? (k >= 0 ? "\xe2\x94\xa4" : "\xe2\x94\x82") : (k >= 0 ? "+" : "|"), canvas->out);
        for (int column = 0; column < canvas->columns; column++) put_cell(canvas, line * canvas->columns + column);
        fputc('\n', canvas->out);
    }
}

static void put_panel(Canvas *canvas, const Figure *figure, int panel) {
    const Frame frame = {.right = canvas->across * canvas->columns - 1, .bottom = canvas->down * canvas->lines - 1};
    memset(canvas->dots, 0, (size_t)canvas->columns * (size_t)canvas->lines);
    for (int i = 0; i < figure->series_count; i++) {
        const Series *series = &figure->series[i];
        if (series->panel != panel || series->lo > series->hi) continue;
        canvas->rank = series->rank;
        figure_walk(figure, series, &frame, draw_to, canvas);
    }
    put_legend(canvas, figure, panel);
    put_lines(canvas, &figure->panels[panel].axis);
}

static int column_of(const Canvas *canvas, const Axis *axis, double x) {
    return (int)lround((canvas->columns - 1) * axis_part(axis, x));
}

/* The kind of a mark in this column; -1: none. Of two the graver one. */
static int mark_in(const Canvas *canvas, const Figure *figure, int column) {
    int kind = -1;
    for (int i = 0; i < figure->mark_count && !figure->against; i++) {
        const Mark *mark = &figure->marks[i];
        if (mark->t < figure->x.lo || mark->t > figure->x.hi || column_of(canvas, &figure->x, mark->t) != column)
            continue;
        if ((int)mark->kind > kind) kind = (int)mark->kind;
    }
    return kind;
}

static void put_axis_line(const Canvas *canvas, const Figure *figure) {
    fprintf(canvas->out, "%*s%s", LABEL, "", canvas->utf8 ? "\xe2\x94\x94" : "+");
    for (int column = 0; column < canvas->columns; column++) {
        int kind = mark_in(canvas, figure, column);
        bool ticked = false;
        for (int k = 0; k < figure->x.ticks; k++)
            ticked = ticked || column_of(canvas, &figure->x, axis_tick(&figure->x, k)) == column;
        if (kind >= 0) begin_colour(canvas, mark_colours[kind]);
        if (kind >= 0)
            fputs(canvas->utf8 ? (kind == MARK_PASSAGE ? "\xe2\x96\xb2" : "\xe2\x96\xb3") : "^", canvas->out);
        else
            fputs(canvas->utf8 ? (ticked ? "\xe2\x94\xac" : "\xe2\x94\x80") : (ticked ? "+" : "-"), canvas->out);
        if (kind >= 0) end_colour(canvas);
    }
    fputc('\n', canvas->out);
}

/* Numbers under their ticks, as many as do not touch. */
static void put_numbers(Canvas *canvas, const Figure *figure) {
    char label[TICK_SIZE];
    int room = canvas->columns + LABEL, used = -2;
    memset(canvas->below, ' ', (size_t)room);
    canvas->below[room] = '\0';
    for (int k = 0; k < figure->x.ticks; k++) {
        int n = (int)strlen(axis_label(&figure->x, k, label));
        int from = column_of(canvas, &figure->x, axis_tick(&figure->x, k)) - n / 2;
        from = from < 0 ? 0 : from;
        if (from <= used + 1 || from + n > room) continue;
        memcpy(canvas->below + from, label, (size_t)n);
        used = from + n;
    }
    for (int end = room; end > 0 && canvas->below[end - 1] == ' ';) canvas->below[--end] = '\0';
    fprintf(canvas->out, "%*s %s\n", LABEL, "", canvas->below);
}

static void put_foot(Canvas *canvas, const Figure *figure) {
    char scale[32] = "", offset[NUMBER_SIZE];
    put_axis_line(canvas, figure);
    put_numbers(canvas, figure);
    if (figure->x.exponent != 0) snprintf(scale, sizeof scale, "1e%d ", figure->x.exponent);
    fprintf(canvas->out, "%*s ", LABEL, "");
    put_label(canvas->out, figure->x_label);
    fprintf(canvas->out, " (%s%.30s)", scale, figure->x_unit);
    if (figure->x.offset != 0.0) fprintf(canvas->out, " + %s", number_text(figure->x.offset, offset));
    fputc('\n', canvas->out);
}

static bool make_room(Canvas *canvas) {
    size_t cells = (size_t)canvas->columns * (size_t)canvas->lines;
    canvas->dots = calloc(2, cells);
    canvas->below = malloc((size_t)canvas->columns + LABEL + 1);
    if (canvas->dots == NULL || canvas->below == NULL) return false;
    canvas->owner = canvas->dots + cells;
    return true;
}

static void give_back(Canvas *canvas) {
    free(canvas->dots);
    free(canvas->below);
}

int figure_terminal(FILE *out, Figure *figure, int columns, int lines, bool utf8, bool colour) {
    Canvas c = {.out = out, .utf8 = utf8, .colour = colour, .columns = columns - LABEL - 2};
    c.across = utf8 ? 2 : 1;
    c.down = utf8 ? 4 : 1;
    if (c.columns < LEAST_COLUMNS) c.columns = LEAST_COLUMNS;
    c.lines = (lines - 5) / figure->panel_count - 1;
    c.lines = c.lines < LEAST_LINES ? LEAST_LINES : c.lines > MOST_LINES ? MOST_LINES : c.lines;
    if (!make_room(&c)) {
        give_back(&c);
        return -1;
    }
    /* a character is twice as high as it is wide */
    figure_equalise(figure, c.columns, 2.0 * c.lines, c.columns / COLUMNS_A_TICK, c.lines / LINES_A_TICK + 1);
    if (figure->title[0] != '\0') {
        fprintf(out, "%*s", LABEL + 1, "");
        put_label(out, figure->title);
        fputc('\n', out);
    }
    for (int i = 0; i < figure->panel_count; i++) put_panel(&c, figure, i);
    put_foot(&c, figure);
    give_back(&c);
    return 0;
}
