/* What rows of output cost: Bricard's linkage over 10 s with N rows (10,000) without reactions, and a planar chain of
 * 64 links over 1 s with a tenth as many, each beside the same run without output. Rows are sampled and written as
 * text, as `cardan run` does; the start is part of both runs. Minima of interleaved repeats. */
#include "bench.h"

#include "cardan/cardan.h"
#include "mechanisms.h"
#include "number.h"

#include <stdio.h>
#include <stdlib.h>

enum { REPEATS = 7, LINKS = 64, CHANNELS = 16, COLUMNS = 32, ROWS = 512, OFTEN = 10000 };

typedef struct Case {
    const char *name;
    CardanModel *model;
    CardanOptions options;
    int channels;
    CardanChannel channel[CHANNELS];
    long rows;
} Case;

typedef struct Cost {
    double seconds;
    CardanWork work;
    size_t bytes; /* of text */
} Cost;

static size_t write_row(const double *values, int columns, double t, FILE *out) {
    char line[(COLUMNS + 1) * NUMBER_SIZE], *at = line;
    at += number_put(t, at);
    for (int k = 0; k < columns; k++) {
        *at++ = ',';
        at += number_put(values[k], at);
    }
    *at++ = '\n';
    return fwrite(line, 1, (size_t)(at - line), out);
}

/* Rows of the last step, many at a time as `cardan run` reads them; false: one could not be computed. */
static bool write_rows(const Case *c, CardanSim *sim, long *next, FILE *out, size_t *bytes) {
    static double t[ROWS], values[ROWS * COLUMNS];
    int columns = 0, count = 1;
    for (int i = 0; i < c->channels; i++) columns += c->channel[i].width;
    while (count > 0) {
        for (count = 0; count < ROWS && *next <= c->rows; count++, (*next)++) {
            t[count] = c->options.end * ((double)*next / (double)c->rows);
            if (t[count] > cardan_sim_time(sim)) break;
        }
        if (cardan_sim_sample_rows(sim, count, t, c->channels, c->channel, values) < 0) return false;
        for (int i = 0; i < count; i++) *bytes += write_row(values + (size_t)i * (size_t)columns, columns, t[i], out);
    }
    return true;
}

static bool run(const Case *c, bool output, FILE *out, Cost *cost) {
    CardanSim *sim = NULL;
    long next = 0;
    double began = bench_now();
    cost->bytes = 0;
    bool good = cardan_sim_create(c->model, &c->options, &sim) >= 0;
    while (good && cardan_sim_time(sim) < c->options.end) {
        good = cardan_sim_step(sim, c->options.end) >= 0;
        if (good && output) good = write_rows(c, sim, &next, out, &cost->bytes);
    }
    good = good && cardan_sim_work(sim, &cost->work) >= 0;
    double seconds = bench_now() - began;
    if (!good) fprintf(stderr, "%s: %s\n", c->name, cardan_sim_message(sim));
    cardan_sim_destroy(sim);
    if (cost->seconds == 0.0 || seconds < cost->seconds) cost->seconds = seconds;
    return good;
}

static void print(const Case *c, const Cost *plain, const Cost *full, bool json) {
    const char *format =
        json ? "{\"bench\": \"output\", \"model\": \"%s\", \"rows\": %ld, \"ratio\": %.3f, \"seconds\": %.4g, "
               "\"seconds_without\": %.4g, \"rhs\": %ld, \"rhs_without\": %ld, \"bytes\": %zu}\n"
             : "%s, %ld rows: %.2f times the run without output\n    %.4g s against %.4g s; right-hand sides %ld "
               "against %ld; %zu bytes of text\n";
    printf(format, c->name, c->rows, full->seconds / plain->seconds, full->seconds, plain->seconds, full->work.rhs,
           plain->work.rhs, full->bytes);
}

static bool compare(const Case *c, const BenchOptions *options, FILE *out) {
    Cost plain = {0}, full = {0};
    int repeats = bench_is_quick() ? 1 : REPEATS;
    for (int i = 0; i < repeats; i++)
        if (!run(c, false, out, &plain) || !run(c, true, out, &full)) return false;
    print(c, &plain, &full, options->json);
    return true;
}

static bool add_channel(Case *c, const char *name) {
    char message[256];
    if (cardan_model_find_channel(c->model, name, &c->channel[c->channels++], message, sizeof message) >= 0)
        return true;
    fprintf(stderr, "%s: %s\n", c->name, message);
    return false;
}

/* models/bricard.yaml, which is not there where the program is installed. */
static const char BRICARD[] = "cardan: 1\nname: bricard\nspace: spatial\ngravity: [0, -9.81, 0]\nbodies:\n"
                              "  bar1: {mass: 1, inertia: ['1/600', '1.01/12', '1.01/12'], position: [0.5, 0, 0]}\n"
                              "  bar2: {mass: 1, inertia: ['1.01/12', '1/600', '1.01/12'], position: [1, -0.5, 0]}\n"
                              "  bar3: {mass: 1, inertia: ['1.01/12', '1.01/12', '1/600'], position: [1, -1, 0.5]}\n"
                              "  bar4: {mass: 1, inertia: ['1/600', '1.01/12', '1.01/12'], position: [0.5, -1, 1]}\n"
                              "  bar5: {mass: 1, inertia: ['1.01/12', '1/600', '1.01/12'], position: [0, -0.5, 1]}\n"
                              "joints:\n"
                              "  j1: {type: revolute, bodies: [ground, bar1], point: [0, 0, 0], axis: [0, 1, 0]}\n"
                              "  j2: {type: revolute, bodies: [bar1, bar2], point: [1, 0, 0], axis: [0, 0, 1]}\n"
                              "  j3: {type: revolute, bodies: [bar2, bar3], point: [1, -1, 0], axis: [1, 0, 0]}\n"
                              "  j4: {type: revolute, bodies: [bar3, bar4], point: [1, -1, 1], axis: [0, 1, 0]}\n"
                              "  j5: {type: revolute, bodies: [bar4, bar5], point: [0, -1, 1], axis: [0, 0, 1]}\n"
                              "  j6: {type: revolute, bodies: [bar5, ground], point: [0, 0, 1], axis: [1, 0, 0]}\n";

/* Compiles and destroys the builder. */
static bool compile(Case *c, CardanBuilder *builder) {
    bool good = cardan_builder_compile(builder, &c->model) >= 0;
    if (!good) fprintf(stderr, "%s: %s\n", c->name, cardan_builder_message(builder));
    cardan_builder_destroy(builder);
    return good;
}

/* With the channels that its file lists. */
static bool make_bricard(Case *c, long rows) {
    static const char *const NAMES[] = {"j1.angle", "j2.angle", "j3.angle", "j4.angle", "j5.angle",
                                        "bar3.x",   "bar3.y",   "bar3.z",   "energy",   "residual"};
    *c = (Case){.name = "Bricard", .options = cardan_default_options(), .rows = rows};
    CardanBuilder *builder = NULL;
    bool good = cardan_builder_read_text(BRICARD, sizeof BRICARD - 1, "bricard", &builder) >= 0;
    good = compile(c, builder) && good;
    c->options.end = 10.0;
    c->options.rtol = 1e-9;
    c->options.atol = 1e-11;
    for (size_t i = 0; good && i < sizeof NAMES / sizeof *NAMES; i++) good = add_channel(c, NAMES[i]);
    return good;
}

static bool make_chain(Case *c, long rows) {
    *c = (Case){.name = "planar chain of 64", .options = cardan_default_options(), .rows = rows};
    bool good = compile(c, mechanism_chain(CARDAN_SPACE_PLANAR, LINKS));
    c->options.end = 1.0;
    c->options.rtol = 1e-6;
    c->options.atol = 1e-8;
    return good && add_channel(c, "j0.angle") && add_channel(c, "energy");
}

int bench_output(const BenchOptions *options) {
    long rows = options->size > 0 ? options->size : OFTEN;
    Case cases[2] = {0};
    FILE *out = fopen("/dev/null", "w");
    bool good = out != NULL && make_bricard(&cases[0], rows) && make_chain(&cases[1], rows / 10 > 0 ? rows / 10 : 1);
    for (int i = 0; good && i < 2; i++) good = compare(&cases[i], options, out);
    for (int i = 0; i < 2; i++) cardan_model_release(cases[i].model);
    if (out != NULL) fclose(out);
    return good ? 0 : 1;
}
