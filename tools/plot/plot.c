/* cardan plot RESULT CHANNEL...: a picture of channels of a result file. */
#include "verbs.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "plot/figure.h"
#include "table.h"
#include "text.h"

enum { KEY_OUTPUT = 1, KEY_TITLE, KEY_WIDTH, KEY_HEIGHT };
enum { WIDTH_USUAL = 860, HEIGHT_FIRST = 400, HEIGHT_MORE = 200, SIZE_LEAST = 100, SIZE_MOST = 20000 }; /* pixels */

/* clang-format off */
static const Option options[] = {
    {.name = "output", .letter = 'o', .key = KEY_OUTPUT, .value = "FILE.svg",
     .help = "write the plot as SVG; without it: to stdout, or in characters when stdout is a terminal"},
    {.name = "title", .key = KEY_TITLE, .value = "TEXT", .help = "a line above the plot"},
    {.name = "width", .key = KEY_WIDTH, .value = "PIXELS", .help = "width of the SVG"},
    {.name = "height", .key = KEY_HEIGHT, .value = "PIXELS", .help = "height of the SVG"},
    {.name = NULL},
};
/* clang-format on */

static int check_output(const char *path) {
    const char *extension = extension_of(path);
    if (strcmp(extension, ".svg") == 0 || (extension[0] == '\0' && path[0] != '\0')) return STATUS_DONE;
    if (strcmp(extension, ".png") == 0)
        complain("plot: '%s': PNG is not in this version; .svg is", path);
    else
        complain("plot: '%s': the name of a plot ends in .svg", path);
    return STATUS_USAGE;
}

static int read_size(const Arguments *arguments, int key, const char *name, int usual, int *out) {
    const char *text = arguments_value(arguments, key);
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

/* ---- channels ---- */

/* A channel is a heading, or the start of one up to a dot: pin.reaction is pin.reaction.fx, .fy, .m. */
static bool matches(const char *heading, const char *channel, bool exactly) {
    size_t n = strlen(channel);
    if (exactly) return strcmp(heading, channel) == 0;
    return strncmp(heading, channel, n) == 0 && heading[n] == '.';
}

static void list_headings(const Table *table) {
    fputs("there are:", stderr);
    for (int c = 1; c < table->columns; c++) fprintf(stderr, " %s", table->names[c]);
    fputc('\n', stderr);
}

static int unknown_channel(const Table *table, const char *channel) {
    const char *best = NULL;
    int distance = 0;
    for (int c = 1; c < table->columns; c++) suggest_consider(channel, table->names[c], &best, &distance);
    if (best != NULL)
        complain("plot: no channel '%s' in '%s'; did you mean '%s'?", channel, table->path, best);
    else
        complain("plot: no channel '%s' in '%s'", channel, table->path);
    list_headings(table);
    return STATUS_USAGE;
}

/* Columns in the order asked for, each once; count gets how many. */
static int choose_columns(const Table *table, const Arguments *arguments, bool *wanted, int *order, int *count) {
    wanted[0] = true;
    for (int i = 1; i < arguments->operand_count; i++) {
        const char *channel = arguments->operands[i];
        bool found = false;
        for (int exactly = 1; exactly >= 0 && !found; exactly--) {
            for (int c = 1; c < table->columns; c++) {
                if (!matches(table->names[c], channel, exactly)) continue;
                found = true;
                if (!wanted[c]) order[(*count)++] = c;
                wanted[c] = true;
            }
        }
        if (!found) return unknown_channel(table, channel);
    }
    return STATUS_DONE;
}

/* ---- drawing ---- */

static int write_svg(const Arguments *arguments, const Figure *figure, const char *path) {
    int width = 0, height = 0;
    int status = read_size(arguments, KEY_WIDTH, "width", WIDTH_USUAL, &width);
    if (status == STATUS_DONE)
        status =
            read_size(arguments, KEY_HEIGHT, "height", HEIGHT_FIRST + HEIGHT_MORE * (figure->panel_count - 1), &height);
    if (status != STATUS_DONE) return status;
    if (path == NULL) {
        figure_svg(stdout, figure, width, height);
        return finish_stdout();
    }
    errno = 0;
    FILE *out = fopen(path, "w");
    if (out == NULL) {
        complain("'%s' could not be opened for writing: %s", path, strerror(errno));
        return STATUS_IO;
    }
    figure_svg(out, figure, width, height);
    bool failed = ferror(out) != 0;
    failed = fclose(out) != 0 || failed;
    if (!failed) return STATUS_DONE;
    complain("'%s' could not be written: %s", path, errno != 0 ? strerror(errno) : "write error");
    return STATUS_IO;
}

static bool speaks_utf8(void) {
    static const char *const names[] = {"LC_ALL", "LC_CTYPE", "LANG"};
    for (int i = 0; i < 3; i++) {
        const char *locale = getenv(names[i]);
        if (locale == NULL || locale[0] == '\0') continue;
        return strstr(locale, "UTF-8") != NULL || strstr(locale, "utf8") != NULL || strstr(locale, "utf-8") != NULL;
    }
    return false;
}

static int draw_on_terminal(const Figure *figure) {
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

static int draw(const Arguments *arguments, const Table *table, const int *order, int count) {
    const char *title = arguments_value(arguments, KEY_TITLE), *path = arguments_value(arguments, KEY_OUTPUT);
    bool terminal = path == NULL && isatty(STDOUT_FILENO);
    Figure figure = {.title = title != NULL ? title : "", .rows = table->rows, .t = table->data[0]};
    figure.series = calloc((size_t)count + 1, sizeof *figure.series);
    figure.panels = calloc((size_t)count + 1, sizeof *figure.panels);
    int status = STATUS_FAULT;
    if (figure.series != NULL && figure.panels != NULL) {
        figure.series_count = count;
        for (int i = 0; i < count; i++)
            figure.series[i] = (Series){.label = table->names[order[i]], .y = table->data[order[i]]};
        figure_arrange(&figure, 8);
        status = terminal ? draw_on_terminal(&figure) : write_svg(arguments, &figure, path);
    } else {
        complain("out of memory");
    }
    free(figure.series);
    free(figure.panels);
    return status;
}

static int plot_table(const Arguments *arguments, Table *table) {
    bool *wanted = calloc((size_t)table->columns, sizeof *wanted);
    int *order = calloc((size_t)table->columns, sizeof *order), count = 0, status = STATUS_FAULT;
    if (wanted != NULL && order != NULL)
        status = choose_columns(table, arguments, wanted, order, &count);
    else
        complain("out of memory");
    if (status == STATUS_DONE && count == 0) {
        complain("plot: which channels of '%s'?", table->path);
        list_headings(table);
        status = STATUS_USAGE;
    }
    if (status == STATUS_DONE) status = table_read(table, wanted);
    if (status == STATUS_DONE && table->rows == 0) {
        fprintf(stderr, "%s:%ld: no rows after the headings\n", table->path, table->number);
        status = STATUS_IO;
    }
    if (status == STATUS_DONE) status = draw(arguments, table, order, count);
    free(wanted);
    free(order);
    return status;
}

static int run(const Arguments *arguments) {
    const char *path = arguments_value(arguments, KEY_OUTPUT);
    int status = path != NULL ? check_output(path) : STATUS_DONE;
    if (status != STATUS_DONE) return status;
    Table table;
    status = table_open(&table, arguments->operands[0]);
    if (status == STATUS_DONE) status = plot_table(arguments, &table);
    table_close(&table);
    return status;
}

const Verb verb_plot = {
    .name = "plot",
    .operands = "RESULT CHANNEL...",
    .operands_min = 1,
    .operands_max = 1 << 20,
    .summary = "draw channels of a result file",
    .text = "Draws channels of the result file RESULT (.csv) over time. A channel is the heading of a column, or what "
            "several headings start with: pin.reaction draws pin.reaction.fx, pin.reaction.fy and so on. Channels of "
            "one unit and of similar size share a panel; others stand below each other.\n\n"
            "Without any channel it says which ones there are.",
    .examples = "cardan plot result.csv main.angle slider.x -o result.svg\ncardan plot result.csv pin.reaction energy",
    .options = options,
    .run = run,
};
