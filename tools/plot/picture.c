/* Writing a figure. */
#include "plot/picture.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "command.h"
#include "text.h"
#include "whole_file.h"

enum { WIDTH_USUAL = 860, HEIGHT_FIRST = 400, HEIGHT_MORE = 200, SIZE_LEAST = 100, SIZE_MOST = 20000 }; /* pixels */
enum { TITLE_SIZE = 1000 };

static bool is_png(const char *path) {
    return path != NULL && strcmp(extension_of(path), ".png") == 0;
}

int picture_check(const char *path) {
    const char *extension = path != NULL ? extension_of(path) : "";
    if (path == NULL || strcmp(extension, ".svg") == 0 || (extension[0] == '\0' && path[0] != '\0')) return STATUS_DONE;
    if (is_png(path) && png_possible()) return STATUS_DONE;
    if (is_png(path))
        complain(
            "plot: '%s': this program was built without cairo, which draws PNG (Debian: libcairo2-dev); .svg works",
            path);
    else
        complain("plot: '%s': the name of a plot ends in .svg or .png", path);
    return STATUS_USAGE;
}

static int read_size(const char *text, const char *name, int usual, int *out) {
    double x = 0.0;
    *out = usual;
    if (text == NULL) return STATUS_DONE;
    if (!parse_number(text, &x) || x < SIZE_LEAST || x > SIZE_MOST) {
        complain("plot: --%s: expected pixels from %d to %d, not '%s'", name, SIZE_LEAST, SIZE_MOST, text);
        return STATUS_USAGE;
    }
    *out = (int)x;
    return STATUS_DONE;
}

/* ---- files ---- */

typedef struct Picture {
    Figure *figure;
    double width, height;
} Picture;

static void draw_picture(void *user, Pen *pen) {
    const Picture *picture = user;
    figure_draw(picture->figure, pen, picture->width, picture->height);
}

/* For readers that cannot see it: the title, or what is drawn. */
static void describe(const Figure *figure, char text[TITLE_SIZE]) {
    size_t n = (size_t)snprintf(text, TITLE_SIZE, "%.900s", figure->title);
    for (int i = 0; figure->title[0] == '\0' && i < figure->series_count && n < TITLE_SIZE; i++)
        n += (size_t)snprintf(text + n, TITLE_SIZE - n, "%s%.200s", i > 0 ? ", " : "", figure->series[i].label);
}

typedef struct Sheet {
    Picture *picture;
    bool png; /* else SVG */
} Sheet;

static const char *put_picture(FILE *out, const void *user) {
    const Sheet *sheet = user;
    Picture *picture = sheet->picture;
    char title[TITLE_SIZE];
    const char *reason = NULL;
    SvgPen svg;
    if (sheet->png) {
        int status = png_write(out, (int)picture->width, (int)picture->height, draw_picture, picture, &reason);
        return status == 0 ? NULL : reason;
    }
    describe(picture->figure, title);
    svg_pen_open(&svg, out, picture->width, picture->height, title);
    draw_picture(picture, &svg.pen);
    svg_pen_close(&svg);
    return NULL;
}

/* ---- terminals ---- */

static bool speaks_utf8(void) {
    static const char *const names[] = {"LC_ALL", "LC_CTYPE", "LANG"};
    for (int i = 0; i < 3; i++) {
        const char *locale = getenv(names[i]);
        if (locale == NULL || locale[0] == '\0') continue;
        return strstr(locale, "UTF-8") != NULL || strstr(locale, "utf8") != NULL || strstr(locale, "utf-8") != NULL;
    }
    return false;
}

static int draw_on_terminal(Figure *figure) {
    const char *no_color = getenv("NO_COLOR"), *terminal = getenv("TERM");
    struct winsize size = {0};
    bool colour = (no_color == NULL || no_color[0] == '\0') && terminal != NULL && strcmp(terminal, "dumb") != 0;
    bool known = ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 && size.ws_row > 0;
    if (figure_terminal(stdout, figure, known ? size.ws_col : 80, known ? size.ws_row : 24, speaks_utf8(), colour) <
        0) {
        complain("out of memory");
        return STATUS_FAULT;
    }
    return finish_stdout();
}

int picture_make(Figure *figure, const PictureOrder *order) {
    int width = 0, height = 0;
    int usual = HEIGHT_FIRST + HEIGHT_MORE * (figure->panel_count - 1);
    int status = read_size(order->width, "width", WIDTH_USUAL, &width);
    if (status == STATUS_DONE) status = read_size(order->height, "height", usual, &height);
    if (status != STATUS_DONE) return status;
    if (order->path == NULL && isatty(STDOUT_FILENO)) return draw_on_terminal(figure);
    Picture picture = {.figure = figure, .width = width, .height = figure_height(figure, width, height)};
    Sheet sheet = {&picture, order->path != NULL && is_png(order->path)};
    return write_file(order->path != NULL ? order->path : "-", put_picture, &sheet);
}
