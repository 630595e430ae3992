/* A figure as SVG 1.1, complete in itself: panels one above the other over one time axis, a legend above each. */
#include "plot/figure.h"

#include <math.h>
#include <string.h>

#include "svg.h"
#include "text.h"

/* Pixels. */
static const double font = 12.0, letter = 6.7; /* size of letters, and their width on average with some room */
static const double margin = 14.0, tick = 5.0, line_height = 17.0, least_panel = 40.0;

typedef struct Sheet {
    FILE *out;
    const Figure *figure;
    double left, right; /* of all panels */
} Sheet;

typedef struct Box {
    double top, bottom; /* of a panel's frame */
} Box;

/* ---- sizes ---- */

/* "x 10^-3 + 1.5": what labels leave out; its width in letters. */
static int note_of(const Axis *axis, char *note, size_t size) {
    char offset[NUMBER_SIZE] = "";
    int n = 0;
    note[0] = '\0';
    if (axis->exponent != 0)
        n += snprintf(note, size, "\xc3\x97 10<tspan dy=\"-4\" font-size=\"9\">%d</tspan>", axis->exponent);
    if (axis->offset != 0.0)
        snprintf(note + n, size - (size_t)n, "%s %s %s", axis->exponent != 0 ? "<tspan dy=\"4\"> </tspan>" : "",
                 axis->offset < 0.0 ? "\xe2\x88\x92" : "+", number_text(fabs(axis->offset), offset));
    return (axis->exponent != 0 ? 7 : 0) + (axis->offset != 0.0 ? 3 + (int)strlen(offset) : 0);
}

static double entry_width(const Series *series) {
    return 26.0 + letter * (double)strlen(series->label) + 14.0;
}

static double legend_start(const Sheet *sheet, const Panel *panel) {
    char note[256];
    int letters = note_of(&panel->axis, note, sizeof note);
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
    size_t most = 0;
    for (int i = 0; i < figure->panel_count; i++) {
        const Axis *axis = &figure->panels[i].axis;
        for (int k = 0; k < axis->ticks; k++) {
            size_t n = strlen(axis_label(axis, k, label));
            most = n > most ? n : most;
        }
    }
    return letter * (double)most;
}

/* ---- drawing ---- */

static void put_legend(const Sheet *sheet, int panel, double top) {
    const Panel *p = &sheet->figure->panels[panel];
    char note[256];
    double start = legend_start(sheet, p), x = start, y = top + 0.7 * line_height;
    if (note_of(&p->axis, note, sizeof note) > 0)
        fprintf(sheet->out, "<text x=\"%.1f\" y=\"%.1f\">%s</text>\n", sheet->left, y, note);
    for (int i = 0; i < sheet->figure->series_count; i++) {
        const Series *series = &sheet->figure->series[i];
        if (series->panel != panel) continue;
        if (x > start && x + entry_width(series) > sheet->right) {
            x = start;
            y += line_height;
        }
        fprintf(sheet->out, "<path d=\"M%.1f %.1fh20\" class=\"s\" stroke=\"%s\"%s/><text x=\"%.1f\" y=\"%.1f\">", x,
                y - 4.0, svg_colour(series->rank), svg_dash(series->rank), x + 26.0, y);
        svg_text(sheet->out, series->label);
        fputs("</text>\n", sheet->out);
        x += entry_width(series);
    }
}

static void put_grid(const Sheet *sheet, const Panel *panel, Box box, int last) {
    const Axis *time = &sheet->figure->time;
    char label[TICK_SIZE];
    for (int k = 0; k < time->ticks; k++) {
        double x = sheet->left + (sheet->right - sheet->left) * axis_part(time, axis_tick(time, k));
        fprintf(sheet->out, "<path class=\"g\" d=\"M%.2f %.2fV%.2f\"/>\n", x, box.top, box.bottom + tick);
        if (last)
            fprintf(sheet->out, "<text class=\"m\" x=\"%.1f\" y=\"%.1f\">%s</text>\n", x, box.bottom + tick + font,
                    axis_label(time, k, label));
    }
    for (int k = 0; k < panel->axis.ticks; k++) {
        double y = box.bottom - (box.bottom - box.top) * axis_part(&panel->axis, axis_tick(&panel->axis, k));
        fprintf(sheet->out, "<path class=\"g\" d=\"M%.2f %.2fH%.2f\"/>\n", sheet->left - tick, y, sheet->right);
        fprintf(sheet->out, "<text class=\"e\" x=\"%.1f\" y=\"%.1f\">%s</text>\n", sheet->left - tick - 3.0, y + 4.0,
                axis_label(&panel->axis, k, label));
    }
}

static void put_frame(const Sheet *sheet, const Panel *panel, Box box) {
    double middle = 0.5 * (box.top + box.bottom);
    fprintf(sheet->out, "<rect class=\"f\" x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%.2f\"/>\n", sheet->left,
            box.top, sheet->right - sheet->left, box.bottom - box.top);
    if (panel->unit[0] != '\0')
        fprintf(sheet->out, "<text class=\"m\" transform=\"translate(%.1f %.1f) rotate(-90)\">%s</text>\n",
                margin + 0.5 * font - 2.0, middle, panel->unit);
}

typedef struct Pen {
    const Sheet *sheet;
    const Axis *axis;
    Box box;
    int in_segment; /* points of the segment so far */
} Pen;

static void end_segment(Pen *pen) {
    if (pen->in_segment == 1) fputs("m-2.5 0l2.5-2.5l2.5 2.5l-2.5 2.5z", pen->sheet->out); /* a lone point: a diamond */
}

static void draw_to(void *user, Point p, int begin) {
    Pen *pen = user;
    double y = pen->box.bottom - (pen->box.bottom - pen->box.top) * axis_part(pen->axis, p.y);
    if (begin) {
        end_segment(pen);
        pen->in_segment = 0;
    }
    fprintf(pen->sheet->out, "%s%.2f %.2f",
            begin                       ? "\nM"
            : pen->in_segment % 12 == 0 ? "\nL"
                                        : "L",
            pen->sheet->left + p.x, y);
    pen->in_segment++;
}

static void put_series(const Sheet *sheet, const Series *series, Box box) {
    Pen pen = {.sheet = sheet, .axis = &sheet->figure->panels[series->panel].axis, .box = box};
    if (series->lo > series->hi) return;
    fprintf(sheet->out, "<path class=\"s\" stroke=\"%s\"%s d=\"", svg_colour(series->rank), svg_dash(series->rank));
    figure_walk(sheet->figure, series, sheet->right - sheet->left, draw_to, &pen);
    end_segment(&pen);
    fputs("\"/>\n", sheet->out);
}

static void put_head(const Sheet *sheet, int width, double height) {
    const Figure *figure = sheet->figure;
    fprintf(
        sheet->out,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%.0f\" viewBox=\"0 0 %d %.0f\" role=\"img\" "
        "font-family=\"sans-serif\" font-size=\"%.0f\" fill=\"#222222\">\n<title>",
        width, height, width, height, font);
    if (figure->title[0] != '\0') svg_text(sheet->out, figure->title);
    for (int i = 0; i < figure->series_count && figure->title[0] == '\0'; i++) {
        fputs(i > 0 ? ", " : "", sheet->out);
        svg_text(sheet->out, figure->series[i].label);
    }
    fputs("</title>\n<style>.g{stroke:#dddddd;fill:none;shape-rendering:crispEdges}"
          ".f{stroke:#777777;fill:none;shape-rendering:crispEdges}"
          ".s{stroke-width:1.6;fill:none;stroke-linejoin:round;stroke-linecap:round}"
          ".m{text-anchor:middle}.e{text-anchor:end}</style>\n",
          sheet->out);
    fprintf(sheet->out, "<rect width=\"%d\" height=\"%.0f\" fill=\"#ffffff\"/>\n", width, height);
    if (figure->title[0] == '\0') return;
    fprintf(sheet->out, "<text class=\"m\" x=\"%.1f\" y=\"%.1f\" font-size=\"15\" font-weight=\"bold\">",
            0.5 * (sheet->left + sheet->right), margin + 11.0);
    svg_text(sheet->out, figure->title);
    fputs("</text>\n", sheet->out);
}

static void put_time_label(const Sheet *sheet, double y) {
    char note[256];
    fprintf(sheet->out, "<text class=\"m\" x=\"%.1f\" y=\"%.1f\">t (s)", 0.5 * (sheet->left + sheet->right), y);
    if (note_of(&sheet->figure->time, note, sizeof note) > 0) fprintf(sheet->out, "  %s", note);
    fputs("</text>\n", sheet->out);
}

void figure_svg(FILE *out, const Figure *figure, int width, int height) {
    Sheet sheet = {.out = out, .figure = figure};
    double foot = tick + font + line_height + margin, head = figure->title[0] != '\0' ? margin + 18.0 : 0.5 * margin;
    sheet.left = margin + font + widest_label(figure) + tick + 4.0;
    sheet.right = fmax(width - 1.5 * margin, sheet.left + least_panel);
    double legends = 0.0;
    for (int i = 0; i < figure->panel_count; i++) legends += legend_height(&sheet, i) + 10.0;
    double each = fmax((height - head - foot - legends) / figure->panel_count, least_panel);
    put_head(&sheet, width, head + foot + legends + each * figure->panel_count);
    double y = head;
    for (int i = 0; i < figure->panel_count; i++) {
        double legend = legend_height(&sheet, i);
        Box box = {.top = y + legend, .bottom = y + legend + each};
        put_grid(&sheet, &figure->panels[i], box, i == figure->panel_count - 1);
        for (int k = 0; k < figure->series_count; k++)
            if (figure->series[k].panel == i) put_series(&sheet, &figure->series[k], box);
        put_frame(&sheet, &figure->panels[i], box);
        put_legend(&sheet, i, y);
        y = box.bottom + 10.0;
    }
    put_time_label(&sheet, y - 10.0 + tick + font + line_height);
    fputs("</svg>\n", out);
}
