/* cardan plot RESULT... CHANNEL...: a picture of channels of result files. */
#include "verbs.h"

#include <stdlib.h>
#include <string.h>

#include "plot/picture.h"
#include "plot/series.h"
#include "text.h"

enum { KEY_OUTPUT = 1, KEY_TITLE, KEY_WIDTH, KEY_HEIGHT, KEY_AGAINST, KEY_EQUAL, KEY_LOG, KEY_LOG_X, KEY_DEGREES };
enum { KEY_BAND = 100, KEY_DIFFERENCE };
enum { TICKS_ALONG = 8 };

/* clang-format off */
static const Option options[] = {
    {.name = "output", .letter = 'o', .key = KEY_OUTPUT, .value = "FILE",
     .help = "write the plot as FILE.svg or FILE.png; without it: SVG to stdout, or in characters when stdout is a "
             "terminal"},
    {.name = "against", .key = KEY_AGAINST, .value = "CHANNEL",
     .help = "draw over this channel in place of the time: coupler curves, phase plots"},
    {.name = "equal", .key = KEY_EQUAL, .help = "with --against: a unit is as long upwards as it is along"},
    {.name = "log", .key = KEY_LOG, .help = "logarithmic axis upwards, of |values| where some are negative"},
    {.name = "log-x", .key = KEY_LOG_X, .help = "logarithmic axis along"},
    {.name = "degrees", .key = KEY_DEGREES, .help = "angles and their rates in degrees"},
    {.name = "band", .key = KEY_BAND, .help = "of several results: the first as a line, and the band that all of them span"},
    {.name = "difference", .key = KEY_DIFFERENCE, .help = "of several results: what the others have more than the first"},
    {.name = "title", .key = KEY_TITLE, .value = "TEXT", .help = "a line above the plot"},
    {.name = "width", .key = KEY_WIDTH, .value = "PIXELS", .help = "width of the picture"},
    {.name = "height", .key = KEY_HEIGHT, .value = "PIXELS", .help = "height of the picture"},
    {.name = NULL},
};
/* clang-format on */

/* What is drawn: results that are open, and headings in the order asked for. */
typedef struct Choice {
    int run_count;
    Table *runs;
    int channel_count;
    const char **channels; /* headings of the first result */
    const char *against;   /* heading, or NULL */
} Choice;

/* ---- results ---- */

static bool ends_as_result(const char *path) {
    return strcmp(extension_of(path), ".csv") == 0 || strcmp(extension_of(path), ".cardan") == 0;
}

/* The first operand is a result, and those after it that end as results do. */
static int count_results(const Arguments *arguments) {
    int n = 1;
    while (n < arguments->operand_count && ends_as_result(arguments->operands[n])) n++;
    return n;
}

static int open_results(const Arguments *arguments, Choice *choice) {
    int count = count_results(arguments);
    choice->runs = calloc((size_t)count, sizeof *choice->runs);
    choice->channels = calloc((size_t)arguments->operand_count + 1, sizeof *choice->channels);
    if (choice->runs == NULL || choice->channels == NULL) {
        complain("out of memory");
        return STATUS_FAULT;
    }
    for (int i = 0; i < count; i++) {
        choice->run_count++;
        int status = table_open(&choice->runs[i], arguments->operands[i]);
        if (status != STATUS_DONE) return status;
    }
    return STATUS_DONE;
}

static void close_results(Choice *choice) {
    for (int i = 0; i < choice->run_count; i++) table_close(&choice->runs[i]);
    free(choice->runs);
    free(choice->channels);
}

/* ---- channels ---- */

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

/* A channel is a heading, or the start of one up to a dot: pin.reaction is pin.reaction.fx, .fy, .m. */
static bool matches(const char *heading, const char *channel, bool exactly) {
    size_t n = strlen(channel);
    if (exactly) return strcmp(heading, channel) == 0;
    return strncmp(heading, channel, n) == 0 && heading[n] == '.';
}

static int take_channel(Choice *choice, const char *heading) {
    for (int i = 0; i < choice->channel_count; i++)
        if (strcmp(choice->channels[i], heading) == 0) return STATUS_DONE; /* once is enough */
    choice->channels[choice->channel_count++] = heading;
    for (int run = 1; run < choice->run_count; run++)
        if (series_column(&choice->runs[run], heading) < 0) return unknown_channel(&choice->runs[run], heading);
    return STATUS_DONE;
}

static int take_operand(Choice *choice, const char *channel) {
    const Table *table = &choice->runs[0];
    bool found = false;
    for (int exactly = 1; exactly >= 0 && !found; exactly--) {
        for (int c = 1; c < table->columns; c++) {
            if (!matches(table->names[c], channel, exactly)) continue;
            found = true;
            int status = take_channel(choice, table->names[c]);
            if (status != STATUS_DONE) return status;
        }
    }
    return found ? STATUS_DONE : unknown_channel(table, channel);
}

static int choose_channels(const Arguments *arguments, Choice *choice) {
    size_t most = 1;
    for (int i = 0; i < choice->run_count; i++) most += (size_t)choice->runs[i].columns;
    free(choice->channels);
    choice->channels = calloc(most, sizeof *choice->channels);
    if (choice->channels == NULL) {
        complain("out of memory");
        return STATUS_FAULT;
    }
    for (int i = choice->run_count; i < arguments->operand_count; i++) {
        int status = take_operand(choice, arguments->operands[i]);
        if (status != STATUS_DONE) return status;
    }
    if (choice->channel_count == 0) {
        complain("plot: which channels of '%s'?", choice->runs[0].path);
        list_headings(&choice->runs[0]);
        return STATUS_USAGE;
    }
    choice->against = arguments_value(arguments, KEY_AGAINST);
    for (int run = 0; choice->against != NULL && run < choice->run_count; run++)
        if (series_column(&choice->runs[run], choice->against) < 0)
            return unknown_channel(&choice->runs[run], choice->against);
    return STATUS_DONE;
}

static int read_rows(const Choice *choice, Table *table) {
    bool *wanted = calloc((size_t)table->columns, sizeof *wanted);
    if (wanted == NULL) {
        complain("out of memory");
        return STATUS_FAULT;
    }
    wanted[0] = true;
    for (int i = 0; i < choice->channel_count; i++) wanted[series_column(table, choice->channels[i])] = true;
    if (choice->against != NULL) wanted[series_column(table, choice->against)] = true;
    int status = table_read(table, wanted);
    free(wanted);
    if (status != STATUS_DONE || table->rows > 0) return status;
    if (table->run.result != NULL)
        complain("plot: '%s' has no rows", table->path);
    else
        fprintf(stderr, "%s:%ld: no rows after the headings\n", table->path, table->number);
    return STATUS_IO;
}

/* ---- events ---- */

/* What run files know of events and singular passages; -1: out of memory. Free in any case. */
static int collect_marks(const Choice *choice, Figure *figure) {
    size_t most = 1;
    for (int run = 0; run < choice->run_count; run++) most += (size_t)choice->runs[run].run.info.events;
    figure->marks = calloc(most, sizeof *figure->marks);
    if (figure->marks == NULL) return -1;
    for (int run = 0; run < choice->run_count; run++) {
        const RunFile *file = &choice->runs[run].run;
        for (int i = 0; file->result != NULL && i < file->info.events; i++) {
            const CardanEvent *event = cardan_result_event(file->result, i);
            bool passage = event->kind == CARDAN_EVENT_SINGULARITY;
            figure->marks[figure->mark_count++] = (Mark){.kind = passage ? MARK_PASSAGE : MARK_EVENT,
                                                         .t = event->t,
                                                         .run = run,
                                                         .label = event->name != NULL ? event->name : "singular pose"};
        }
    }
    return 0;
}

/* ---- the figure ---- */

static int check_options(const Arguments *arguments) {
    int results = count_results(arguments);
    bool against = arguments_has(arguments, KEY_AGAINST), band = arguments_has(arguments, KEY_BAND);
    bool difference = arguments_has(arguments, KEY_DIFFERENCE);
    const char *wrong = NULL;
    if (arguments_has(arguments, KEY_EQUAL) && !against)
        wrong = "--equal is for plots of one channel against another: give --against CHANNEL too";
    else if (arguments_has(arguments, KEY_EQUAL) &&
             (arguments_has(arguments, KEY_LOG) || arguments_has(arguments, KEY_LOG_X)))
        wrong = "--equal and logarithmic axes exclude each other";
    else if (band && difference)
        wrong = "--band and --difference exclude each other";
    else if ((band || difference) && against)
        wrong = "--band and --difference compare at equal times, not --against a channel";
    else if ((band || difference) && results < 2)
        wrong = "--band and --difference want two results or more";
    if (wrong == NULL) return STATUS_DONE;
    complain("plot: %s", wrong);
    return STATUS_USAGE;
}

static int draw(const Arguments *arguments, const Choice *choice) {
    const SeriesOrder order = {.run_count = choice->run_count,
                               .runs = choice->runs,
                               .channel_count = choice->channel_count,
                               .channels = choice->channels,
                               .against = choice->against,
                               .degrees = arguments_has(arguments, KEY_DEGREES),
                               .sizes = arguments_has(arguments, KEY_LOG),
                               .band = arguments_has(arguments, KEY_BAND),
                               .difference = arguments_has(arguments, KEY_DIFFERENCE)};
    const char *title = arguments_value(arguments, KEY_TITLE);
    SeriesSet set;
    int status = STATUS_FAULT;
    Figure figure = {.title = title != NULL ? title : "",
                     .against = choice->against != NULL,
                     .log_x = arguments_has(arguments, KEY_LOG_X),
                     .log_y = arguments_has(arguments, KEY_LOG),
                     .equal = arguments_has(arguments, KEY_EQUAL)};
    if (series_make(&set, &order) == 0 && collect_marks(choice, &figure) == 0)
        figure.panels = calloc((size_t)set.count + 1, sizeof *figure.panels);
    if (figure.panels != NULL) {
        figure.series_count = set.count;
        figure.series = set.series;
        figure.x_label = set.x_label;
        figure.x_unit = set.x_unit;
        figure_arrange(&figure, TICKS_ALONG);
        const PictureOrder picture = {.path = arguments_value(arguments, KEY_OUTPUT),
                                      .width = arguments_value(arguments, KEY_WIDTH),
                                      .height = arguments_value(arguments, KEY_HEIGHT)};
        status = picture_make(&figure, &picture);
    } else {
        complain("out of memory");
    }
    free(figure.panels);
    free(figure.marks);
    series_free(&set);
    return status;
}

static int run(const Arguments *arguments) {
    Choice choice = {0};
    int status = picture_check(arguments_value(arguments, KEY_OUTPUT));
    if (status == STATUS_DONE) status = check_options(arguments);
    if (status == STATUS_DONE) status = open_results(arguments, &choice);
    if (status == STATUS_DONE) status = choose_channels(arguments, &choice);
    for (int i = 0; status == STATUS_DONE && i < choice.run_count; i++) status = read_rows(&choice, &choice.runs[i]);
    if (status == STATUS_DONE) status = draw(arguments, &choice);
    close_results(&choice);
    return status;
}

const Verb verb_plot = {
    .name = "plot",
    .operands = "RESULT... CHANNEL...",
    .operands_min = 1,
    .operands_max = 1 << 20,
    .summary = "draw channels of result files",
    .text =
        "Draws channels of result files (.csv, or run files, .cardan), over time or against another channel. A channel "
        "is the heading of a "
        "column, or what several headings start with: pin.reaction draws pin.reaction.fx, pin.reaction.fy and so "
        "on. Channels of one unit and of similar size share a panel; others stand below each other; what is zero "
        "but for rounding stands with the others of its unit. The first operand is a result, and so are those after "
        "it that end in .csv or .cardan: their channels are drawn beside each other. Events and singular passages of "
        "run "
        "files are marked.\n\n"
        "Without any channel it says which ones there are.",
    .examples = "cardan plot result.csv main.angle slider.x -o result.svg\n"
                "cardan plot result.csv pin.reaction energy\n"
                "cardan plot result.csv rod.y --against rod.x --equal -o curve.png\n"
                "cardan plot fine.csv coarse.csv main.angle --difference --log",
    .options = options,
    .run = run,
};
