/* A pen that writes SVG 1.1. */
#include "plot/pen.h"

#include "svg.h"

enum { POINTS_A_LINE = 12 };

static void put_point(Pen *pen, char command, double x, double y) {
    SvgPen *svg = (SvgPen *)pen;
    if (svg->points == 0) fputs("<path d=\"", svg->out);
    fprintf(svg->out, "%s%c%.2f %.2f", svg->points % POINTS_A_LINE == POINTS_A_LINE - 1 ? "\n" : "", command, x, y);
    svg->points++;
}

static void svg_move(Pen *pen, double x, double y) {
    put_point(pen, 'M', x, y);
}

static void svg_line(Pen *pen, double x, double y) {
    put_point(pen, 'L', x, y);
}

static void end_path(SvgPen *svg, const PenStyle *style) {
    fprintf(svg->out, "\" class=\"%s\"", style->role);
    if (style->name != NULL) {
        fputs(" data-name=\"", svg->out);
        svg_text(svg->out, style->name);
        fputc('"', svg->out);
    }
    svg->points = 0;
}

static void svg_stroke(Pen *pen, const PenStyle *style) {
    SvgPen *svg = (SvgPen *)pen;
    if (svg->points == 0) return;
    end_path(svg, style);
    fprintf(svg->out, " fill=\"none\" stroke=\"%s\" stroke-width=\"%g\"%s", style->colour, style->width,
            svg_dash_attribute(style->dash));
    if (style->opacity < 1.0) fprintf(svg->out, " stroke-opacity=\"%g\"", style->opacity);
    fputs("/>\n", svg->out);
}

static void svg_fill(Pen *pen, const PenStyle *style) {
    SvgPen *svg = (SvgPen *)pen;
    if (svg->points == 0) return;
    fputc('z', svg->out);
    end_path(svg, style);
    fprintf(svg->out, " stroke=\"none\" fill=\"%s\"", style->colour);
    if (style->opacity < 1.0) fprintf(svg->out, " fill-opacity=\"%g\"", style->opacity);
    fputs("/>\n", svg->out);
}

static void svg_letters(Pen *pen, double x, double y, const PenText *how, const char *text) {
    static const char *const anchors[] = {"start", "middle", "end"};
    SvgPen *svg = (SvgPen *)pen;
    if (how->upwards)
        fprintf(svg->out, "<text transform=\"translate(%.2f %.2f) rotate(-90)\"", x, y);
    else
        fprintf(svg->out, "<text x=\"%.2f\" y=\"%.2f\"", x, y);
    fprintf(svg->out, " class=\"%s\" text-anchor=\"%s\" font-size=\"%g\"%s>", how->role, anchors[how->anchor + 1],
            how->size, how->bold ? " font-weight=\"bold\"" : "");
    svg_text(svg->out, text);
    fputs("</text>\n", svg->out);
}

static const PenOps ops = {
    .move = svg_move, .line = svg_line, .stroke = svg_stroke, .fill = svg_fill, .text = svg_letters};

void svg_pen_open(SvgPen *svg, FILE *out, double width, double height, const char *title) {
    *svg = (SvgPen){.pen.ops = &ops, .out = out};
    fprintf(out,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.0f\" height=\"%.0f\" viewBox=\"0 0 %.0f %.0f\" "
            "role=\"img\" font-family=\"sans-serif\" fill=\"#222222\" stroke-linejoin=\"round\" "
            "stroke-linecap=\"round\">\n<title>",
            width, height, width, height);
    svg_text(out, title);
    fprintf(out,
            "</title>\n<style>.grid,.frame{shape-rendering:crispEdges}</style>\n<rect width=\"%.0f\" "
            "height=\"%.0f\" fill=\"#ffffff\"/>\n",
            width, height);
}

void svg_pen_close(SvgPen *svg) {
    fputs("</svg>\n", svg->out);
}
