/* A figure with a pen: panels one above the other over one axis, a legend above each, what marks mean below. */
#include "plot/figure.h"

#include <math.h>
#include <string.h>

#include "svg.h"
#include "text.h"

/* Pixels. */
static const double font = 12.0, letter = 6.7; /* size of letters, and their width on average with some room */
static const double margin = 14.0, tick = 5.0, line_height = 17.0, least_panel = 40.0, gap = 10.0;
static const char grey[] = "#dddddd", dark[] = "#777777";
enum { TICKS_ALONG = 8, TICKS_UP = 5, NOTE_SIZE = 96, LABEL_SIZE = 300, BAND_POINTS = 1500 };

static const struct {
    const char *colour, *word;
} marks[MARK_KINDS] = {[MARK_EVENT] = {"#e69f00", "event"}, [MARK_PASSAGE] = {"#c00000", "singular pose"}};

typedef struct Sheet {
    Pen *pen;
    const Figure *figure;
    double left, right; /* of all panels */
} Sheet;

/* ---- sizes ---- */

/* "x10^-3 + 1.5": what labels leave out; its length in letters. */
static int note_of(const Axis *axis, char note[NOTE_SIZE]) {
    char offset[NUMBER_SIZE] = "";
    int n = 0;
    note[0] = '\0';
    if (axis->exponent != 0)
        n += snprintf(note, NOTE_SIZE,
                      "\xc3\x97"
                      "1e%d",
                      axis->exponent);
    if (axis->offset != 0.0)
        n += snprintf(note + n, NOTE_SIZE - (size_t)n, "%s%s %s", n > 0 ? " " : "",
                      axis->offset < 0.0 ? "\xe2\x88\x92" : "+", number_text(fabs(axis->offset), offset));
    return n;
}

static const char *label_of(const Series *series, char label[LABEL_SIZE]) {
    snprintf(label, LABEL_SIZE, "%.240s%s", series->label, series->rounding ? " (0 but for rounding)" : "");
    return label;
}

static double entry_width(const Series *series) {
    char label[LABEL_SIZE];
    return 26.0 + letter * (double)strlen(label_of(series, label)) + 14.0;
}

static double legend_start(const Sheet *sheet, const Panel *panel) {
    char note[NOTE_SIZE];
    int letters = note_of(&panel->axis, note);
    return sheet->left + (letters > 0 ? letter * letters + 10.0 : 0.0);
}

/* Height of the legend above a panel. */
static double legend_height(const Sheet *sheet, int panel) {
    const Panel *p = &sheet->figure->panels[panel];
    double x = legend_start(sheet, p), start = x, lines = 1.0;
    for (int i = 0; i < sheet->figure->series_count; i++) {
        const Series *series = &sheet->figure->series[i];
        if (series->panel != panel) continue;
        if (x > start && x + entry_width(series) > sheet->right) {
            x = start;
            lines += 1.0;
        }
        x += entry_width(series);
    }
    return lines * line_height + 4.0;
}

static double widest_label(const Figure *figure) {
    char label[TICK_SIZE];
    size_t most = 4; /* equal axes get their ticks later */
    for (int i = 0; i < figure->panel_count; i++) {
        const Axis *axis = &figure->panels[i].axis;
        for (int k = 0; k < axis->ticks; k++) {
            size_t n = strlen(axis_label(axis, k, label));
            most = n > most ? n : most;
        }
    }
    return letter * (double)most;
}

static Sheet lay_out(const Figure *figure, double width) {
    Sheet sheet = {.figure = figure, .left = margin + font + widest_label(figure) + tick + 4.0};
    sheet.right = fmax(width - 1.5 * margin, sheet.left + least_panel);
    return sheet;
}

static double head_height(const Figure *figure) {
    return figure->title[0] != '\0' ? margin + 18.0 : 0.5 * margin;
}

static double foot_height(const Figure *figure) {
    return tick + font + line_height + margin + (figure->mark_count > 0 ? line_height : 0.0);
}

/* Of what is no panel's frame. */
static double height_around(const Sheet *sheet) {
    double height = head_height(sheet->figure) + foot_height(sheet->figure);
    for (int i = 0; i < sheet->figure->panel_count; i++) height += legend_height(sheet, i) + gap;
    return height;
}

double figure_height(const Figure *figure, double width, double height) {
    Sheet sheet = lay_out(figure, width);
    return fmax(height, height_around(&sheet) + least_panel * figure->panel_count);
}

/* ---- drawing ---- */

static void put_segment(Pen *pen, double x0, double y0, double x1, double y1, const PenStyle *style) {
    pen->ops->move(pen, x0, y0);
    pen->ops->line(pen, x1, y1);
    pen->ops->stroke(pen, style);
}

static PenStyle style_of(const Series *series) {
    return (PenStyle){.colour = svg_colour(series->rank),
                      .width = 1.6,
                      .dash = svg_dash_number(series->rank),
                      .opacity = 1.0,
                      .role = "series",
                      .name = series->label};
}

static void put_legend(const Sheet *sheet, int panel, double top) {
    const Panel *p = &sheet->figure->panels[panel];
    PenText how = {.anchor = -1, .size = font, .role = "note"};
    char note[NOTE_SIZE], label[LABEL_SIZE];
    double start = legend_start(sheet, p), x = start, y = top + 0.7 * line_height;
    if (note_of(&p->axis, note) > 0) sheet->pen->ops->text(sheet->pen, sheet->left, y, &how, note);
    how.role = "legend";
    for (int i = 0; i < sheet->figure->series_count; i++) {
        const Series *series = &sheet->figure->series[i];
        if (series->panel != panel) continue;
        if (x > start && x + entry_width(series) > sheet->right) {
            x = start;
            y += line_height;
        }
        PenStyle style = style_of(series);
        style.role = "key";
        put_segment(sheet->pen, x, y - 4.0, x + 20.0, y - 4.0, &style);
        sheet->pen->ops->text(sheet->pen, x + 26.0, y, &how, label_of(series, label));
        x += entry_width(series);
    }
}

static void put_grid(const Sheet *sheet, const Panel *panel, const Frame *frame, bool last) {
    const PenStyle line = {.colour = grey, .width = 1.0, .opacity = 1.0, .role = "grid"};
    const PenText below = {.size = font, .role = "tick-x"}, beside = {.anchor = 1, .size = font, .role = "tick-y"};
    const Axis *axis = &sheet->figure->x;
    char label[TICK_SIZE];
    for (int k = 0; k < axis->ticks; k++) {
        double x = frame->left + (frame->right - frame->left) * axis_part(axis, axis_tick(axis, k));
        put_segment(sheet->pen, x, frame->top, x, frame->bottom + tick, &line);
        if (last) sheet->pen->ops->text(sheet->pen, x, frame->bottom + tick + font, &below, axis_label(axis, k, label));
    }
    for (int k = 0; k < panel->axis.ticks; k++) {
        double part = axis_part(&panel->axis, axis_tick(&panel->axis, k));
        double y = frame->bottom - (frame->bottom - frame->top) * part;
        put_segment(sheet->pen, frame->left - tick, y, frame->right, y, &line);
        sheet->pen->ops->text(sheet->pen, frame->left - tick - 3.0, y + 4.0, &beside,
                              axis_label(&panel->axis, k, label));
    }
}

static void put_frame(const Sheet *sheet, const Panel *panel, const Frame *frame) {
    const PenStyle line = {.colour = dark, .width = 1.0, .opacity = 1.0, .role = "frame"};
    const PenText how = {.upwards = true, .size = font, .role = "unit"};
    const PenOps *ops = sheet->pen->ops;
    ops->move(sheet->pen, frame->left, frame->top);
    ops->line(sheet->pen, frame->right, frame->top);
    ops->line(sheet->pen, frame->right, frame->bottom);
    ops->line(sheet->pen, frame->left, frame->bottom);
    ops->line(sheet->pen, frame->left, frame->top);
    ops->stroke(sheet->pen, &line);
    if (panel->unit[0] != '\0')
        ops->text(sheet->pen, margin + 0.5 * font - 2.0, 0.5 * (frame->top + frame->bottom), &how, panel->unit);
}

/* ---- curves ---- */

typedef struct Track { /* of a pen along a curve */
    Pen *pen;
    Point last;
    int in_segment; /* points of the segment so far */
} Track;

static void put_diamond(Pen *pen, Point p, double size) {
    pen->ops->move(pen, p.x - size, p.y);
    pen->ops->line(pen, p.x, p.y - size);
    pen->ops->line(pen, p.x + size, p.y);
    pen->ops->line(pen, p.x, p.y + size);
    pen->ops->line(pen, p.x - size, p.y);
}

static void end_segment(const Track *track) {
    if (track->in_segment == 1) put_diamond(track->pen, track->last, 2.5); /* a lone point */
}

static void draw_to(void *user, Point p, bool begin) {
    Track *track = user;
    if (begin) {
        end_segment(track);
        track->in_segment = 0;
        track->pen->ops->move(track->pen, p.x, p.y);
    } else {
        track->pen->ops->line(track->pen, p.x, p.y);
    }
    track->in_segment++;
    track->last = p;
}

/* One edge of a band, the lowest or highest of each of some groups of rows: forwards, or backwards. */
static void put_edge(const Sheet *sheet, const Series *series, const Frame *frame, bool upper) {
    size_t groups = series->rows < BAND_POINTS ? series->rows : BAND_POINTS;
    const double *edge = upper ? series->high : series->low;
    bool begin = !upper;
    for (size_t g = 0; g < groups; g++) {
        size_t group = upper ? groups - 1 - g : g, from = group * series->rows / groups;
        size_t to = (group + 1) * series->rows / groups, at = from;
        for (size_t i = from; i < to; i++)
            if (upper ? edge[i] > edge[at] : edge[i] < edge[at]) at = i;
        Series here = *series;
        Point p;
        here.y = edge;
        if (!figure_place(sheet->figure, &here, at, frame, &p)) continue;
        (begin ? sheet->pen->ops->move : sheet->pen->ops->line)(sheet->pen, p.x, p.y);
        begin = false;
    }
}

static void put_band(const Sheet *sheet, const Series *series, const Frame *frame) {
    PenStyle style = style_of(series);
    style.role = "band";
    style.opacity = 0.25;
    put_edge(sheet, series, frame, false);
    put_edge(sheet, series, frame, true);
    sheet->pen->ops->fill(sheet->pen, &style);
}

static void put_series(const Sheet *sheet, const Series *series, const Frame *frame) {
    PenStyle style = style_of(series);
    Track track = {.pen = sheet->pen};
    if (series->lo > series->hi) return;
    if (series->low != NULL) put_band(sheet, series, frame);
    figure_walk(sheet->figure, series, frame, draw_to, &track);
    end_segment(&track);
    sheet->pen->ops->stroke(sheet->pen, &style);
}

/* ---- marks ---- */

static PenStyle mark_style(MarkKind kind, const char *name) {
    return (PenStyle){
        .colour = marks[kind].colour, .width = 1.2, .dash = 1, .opacity = 1.0, .role = "mark", .name = name};
}

/* Over time a line through the panel, against another channel a point on the curve. */
static void put_marks(const Sheet *sheet, int panel, const Frame *frame) {
    const Figure *figure = sheet->figure;
    for (int i = 0; i < figure->mark_count; i++) {
        const Mark *mark = &figure->marks[i];
        PenStyle style = mark_style(mark->kind, mark->label);
        double part = axis_part(&figure->x, mark->t);
        if (!figure->against && mark->t >= figure->x.lo && mark->t <= figure->x.hi) {
            double x = frame->left + part * (frame->right - frame->left);
            put_segment(sheet->pen, x, frame->top, x, frame->bottom, &style);
        }
        for (int k = 0; figure->against && k < figure->series_count; k++) {
            Point p;
            if (figure->series[k].panel != panel || !figure_mark(figure, &figure->series[k], mark, frame, &p)) continue;
            put_diamond(sheet->pen, p, 4.0);
            sheet->pen->ops->fill(sheet->pen, &style);
        }
    }
}

static void put_meaning(const Sheet *sheet, double y) {
    const PenText how = {.anchor = -1, .size = font, .role = "legend"};
    double x = sheet->left;
    for (int kind = 0; kind < MARK_KINDS; kind++) {
        bool there = false;
        for (int i = 0; i < sheet->figure->mark_count; i++) there = there || (int)sheet->figure->marks[i].kind == kind;
        if (!there) continue;
        PenStyle style = mark_style((MarkKind)kind, NULL);
        style.role = "key";
        put_segment(sheet->pen, x + 10.0, y - 11.0, x + 10.0, y + 2.0, &style);
        sheet->pen->ops->text(sheet->pen, x + 20.0, y, &how, marks[kind].word);
        x += 40.0 + letter * (double)strlen(marks[kind].word);
    }
}

/* ---- the whole ---- */

static void put_foot(const Sheet *sheet, double y) {
    const PenText how = {.size = font, .role = "axis"};
    const Figure *figure = sheet->figure;
    char note[NOTE_SIZE], text[LABEL_SIZE];
    int n = note_of(&figure->x, note);
    snprintf(text, sizeof text, "%.160s%s%.40s%s%s%.60s", figure->x_label, figure->x_unit[0] != '\0' ? " (" : "",
             figure->x_unit, figure->x_unit[0] != '\0' ? ")" : "", n > 0 ? "  " : "", note);
    sheet->pen->ops->text(sheet->pen, 0.5 * (sheet->left + sheet->right), y, &how, text);
    if (figure->mark_count > 0) put_meaning(sheet, y + line_height);
}

void figure_draw(Figure *figure, Pen *pen, double width, double height) {
    Sheet sheet = lay_out(figure, width);
    sheet.pen = pen;
    double each = fmax((height - height_around(&sheet)) / figure->panel_count, least_panel), y = head_height(figure);
    const PenText heading = {.size = 15.0, .bold = true, .role = "title"};
    if (figure->title[0] != '\0')
        pen->ops->text(pen, 0.5 * (sheet.left + sheet.right), margin + 11.0, &heading, figure->title);
    figure_equalise(figure, sheet.right - sheet.left, each, TICKS_ALONG, TICKS_UP);
    for (int i = 0; i < figure->panel_count; i++) {
        double legend = legend_height(&sheet, i);
        Frame frame = {.left = sheet.left, .right = sheet.right, .top = y + legend, .bottom = y + legend + each};
        put_grid(&sheet, &figure->panels[i], &frame, i == figure->panel_count - 1);
        if (!figure->against) put_marks(&sheet, i, &frame);
        for (int k = 0; k < figure->series_count; k++)
            if (figure->series[k].panel == i) put_series(&sheet, &figure->series[k], &frame);
        if (figure->against) put_marks(&sheet, i, &frame);
        put_frame(&sheet, &figure->panels[i], &frame);
        put_legend(&sheet, i, y);
        y = frame.bottom + gap;
    }
    put_foot(&sheet, y - gap + tick + font + line_height);
}
