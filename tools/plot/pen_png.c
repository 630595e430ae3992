/* A pen of cairo's, whose surface is written as PNG. */
#include "plot/pen.h"

#include <cairo.h>
#include <stdlib.h>

typedef struct CairoPen {
    Pen pen; /* first */
    cairo_t *cairo;
} CairoPen;

static cairo_t *cairo_of(Pen *pen) {
    return ((CairoPen *)pen)->cairo;
}

static void png_move(Pen *pen, double x, double y) {
    cairo_move_to(cairo_of(pen), x, y);
}

static void png_line(Pen *pen, double x, double y) {
    cairo_line_to(cairo_of(pen), x, y);
}

static void set_colour(cairo_t *cairo, const char *colour, double opacity) {
    unsigned long rgb = strtoul(colour + 1, NULL, 16);
    cairo_set_source_rgba(cairo, (double)(rgb >> 16 & 0xff) / 255.0, (double)(rgb >> 8 & 0xff) / 255.0,
                          (double)(rgb & 0xff) / 255.0, opacity);
}

static void png_stroke(Pen *pen, const PenStyle *style) {
    static const double dashes[][2] = {{0.0, 0.0}, {7.0, 3.0}, {2.0, 3.0}};
    cairo_t *cairo = cairo_of(pen);
    set_colour(cairo, style->colour, style->opacity);
    cairo_set_line_width(cairo, style->width);
    cairo_set_dash(cairo, dashes[style->dash], style->dash > 0 ? 2 : 0, 0.0);
    cairo_stroke(cairo);
}

static void png_fill(Pen *pen, const PenStyle *style) {
    cairo_t *cairo = cairo_of(pen);
    set_colour(cairo, style->colour, style->opacity);
    cairo_close_path(cairo);
    cairo_fill(cairo);
}

static void png_letters(Pen *pen, double x, double y, const PenText *how, const char *text) {
    cairo_t *cairo = cairo_of(pen);
    cairo_text_extents_t size;
    cairo_save(cairo);
    cairo_select_font_face(cairo, "sans-serif", CAIRO_FONT_SLANT_NORMAL,
                           how->bold ? CAIRO_FONT_WEIGHT_BOLD : CAIRO_FONT_WEIGHT_NORMAL);
    cairo_set_font_size(cairo, how->size);
    cairo_text_extents(cairo, text, &size);
    cairo_translate(cairo, x, y);
    if (how->upwards) cairo_rotate(cairo, -1.57079632679489662);
    cairo_move_to(cairo, -0.5 * (how->anchor + 1) * size.x_advance, 0.0);
    set_colour(cairo, "#222222", 1.0);
    cairo_show_text(cairo, text);
    cairo_new_path(cairo);
    cairo_restore(cairo);
}

static const PenOps ops = {
    .move = png_move, .line = png_line, .stroke = png_stroke, .fill = png_fill, .text = png_letters};

static cairo_status_t put_bytes(void *user, const unsigned char *bytes, unsigned count) {
    return fwrite(bytes, 1, count, user) == count ? CAIRO_STATUS_SUCCESS : CAIRO_STATUS_WRITE_ERROR;
}

int png_write(FILE *out, int width, int height, void (*draw)(void *user, Pen *pen), void *user, const char **reason) {
    cairo_surface_t *surface = cairo_image_surface_create(CAIRO_FORMAT_RGB24, width, height);
    CairoPen pen = {.pen.ops = &ops, .cairo = cairo_create(surface)};
    cairo_set_source_rgb(pen.cairo, 1.0, 1.0, 1.0);
    cairo_paint(pen.cairo);
    cairo_set_line_cap(pen.cairo, CAIRO_LINE_CAP_ROUND);
    cairo_set_line_join(pen.cairo, CAIRO_LINE_JOIN_ROUND);
    draw(user, &pen.pen);
    cairo_status_t status = cairo_status(pen.cairo);
    if (status == CAIRO_STATUS_SUCCESS) status = cairo_surface_write_to_png_stream(surface, put_bytes, out);
    *reason = cairo_status_to_string(status);
    cairo_destroy(pen.cairo);
    cairo_surface_destroy(surface);
    return status == CAIRO_STATUS_SUCCESS ? 0 : -1;
}

bool png_possible(void) {
    return true;
}
