/* Runs a planar chain of 64 links and Bricard's linkage for some seconds (10), for callgrind to count: rows-count
 * [SECONDS]. First alone, then with positions and velocities of all bodies in the rows of a run file, handed to
 * nobody, each with the whole state: a hundred a second of the chain, a thousand of the linkage. Each call of
 * bench_counted is one such run, its start included; bench/instructions --rows counts inside it alone. Run in the top
 * of the checkout. */
#include "blas_threads.h"
#include "cardan/cardan.h"
#include "cardan/run.h"
#include "mechanisms.h"

#include <stdio.h>
#include <stdlib.h>

enum { LINKS = 64, SECONDS = 10, CHANNELS = 6 * LINKS, COLUMNS = CHANNELS, ROWS = 128 };

/* A mechanism, and what is written of each of its bodies. */
typedef struct Mechanism {
    CardanBuilder *(*make)(void);
    const char *measures[14];
    long each_second; /* rows */
} Mechanism;

typedef struct Case {
    CardanModel *model;
    CardanOptions options;
    int channels;
    CardanChannel channel[CHANNELS];
    long rows; /* 0: no run file */
} Case;

static CardanBuilder *chain(void) {
    return mechanism_chain(CARDAN_SPACE_PLANAR, LINKS);
}

static CardanBuilder *bricard(void) {
    CardanBuilder *builder = NULL;
    if (cardan_builder_read_file("models/bricard.yaml", &builder) < 0)
        fprintf(stderr, "%s\n", cardan_builder_message(builder));
    return builder;
}

static const Mechanism MECHANISMS[] = {
    {chain, {"x", "y", "angle", "vx", "vy", "spin"}, 100},
    {bricard, {"x", "y", "z", "qw", "qx", "qy", "qz", "vx", "vy", "vz", "wx", "wy", "wz"}, 1000},
};

/* Those of the last step, as many at a time as `cardan run` takes of so many columns. */
static CardanStatus write_rows(const Case *run_of, CardanSim *sim, CardanRun *run, long *next) {
    static double t[ROWS];
    CardanStatus status = CARDAN_OK;
    for (int count = 1; count > 0 && status >= 0;) {
        for (count = 0; count < ROWS && *next <= run_of->rows; count++, (*next)++) {
            t[count] = run_of->options.end * ((double)*next / (double)run_of->rows);
            if (t[count] > cardan_sim_time(sim)) break;
        }
        if (count > 0) status = cardan_run_rows(run, count, t, NULL);
    }
    return status;
}

static CardanStatus step_on(const Case *run_of, CardanSim *sim, CardanRun *run) {
    CardanStatus status = CARDAN_OK;
    long next = 0;
    while (status >= 0 && cardan_sim_time(sim) < run_of->options.end) {
        status = cardan_sim_step(sim, run_of->options.end);
        if (status >= 0 && run != NULL) status = write_rows(run_of, sim, run, &next);
    }
    if (status >= 0 && run != NULL) status = cardan_run_finish(run, 0, 0.0, 0, NULL);
    return status;
}

/* What a disk does is no matter here. */
static int forget(void *user, const void *bytes, size_t count) {
    (void)user, (void)bytes, (void)count;
    return 0;
}

/* Not static, and called where the compiler cannot see whom: it stays one function of this name. */
CardanStatus bench_counted(const Case *run_of);
static CardanStatus (*volatile counted)(const Case *) = bench_counted;

CardanStatus bench_counted(const Case *run_of) {
    CardanSim *sim = NULL;
    CardanRun *run = NULL;
    CardanRunDef def = cardan_default_run();
    def.channels = run_of->channels;
    def.channel = run_of->channel;
    def.sink.write = forget;
    CardanStatus status = cardan_sim_create(run_of->model, &run_of->options, &sim);
    if (status >= 0 && run_of->rows > 0) status = cardan_run_create(sim, &def, &run);
    if (status >= 0) status = step_on(run_of, sim, run);
    if (status < 0) fprintf(stderr, "%s %s\n", cardan_sim_message(sim), run != NULL ? cardan_run_message(run) : "");
    cardan_run_close(run);
    cardan_sim_destroy(sim);
    return status;
}

static bool find_channels(Case *c, const Mechanism *mechanism) {
    char name[128], message[256];
    int columns = 0;
    c->channels = 0;
    for (int body = 1; body <= cardan_model_sizes(c->model).bodies; body++)
        for (int i = 0; i < 14 && mechanism->measures[i] != NULL; i++) {
            CardanChannel *channel = &c->channel[c->channels++];
            snprintf(name, sizeof name, "%s.%s", cardan_model_body_name(c->model, (CardanBody){body}),
                     mechanism->measures[i]);
            bool found = cardan_model_find_channel(c->model, name, channel, message, sizeof message) >= 0;
            if (!found) fprintf(stderr, "%s\n", message);
            if (!found || (columns += channel->width) > COLUMNS) return false;
        }
    return true;
}

/* Without rows and with them. */
static bool run_both(const Mechanism *mechanism, long seconds, Case *c) {
    CardanBuilder *builder = mechanism->make();
    bool good = cardan_builder_compile(builder, &c->model) >= 0;
    if (!good) fprintf(stderr, "%s\n", cardan_builder_message(builder));
    good = good && find_channels(c, mechanism);
    if (good) c->options = cardan_model_options(c->model);
    c->options.end = (double)seconds;
    for (int with = 0; good && with < 2; with++) {
        c->rows = with * mechanism->each_second * seconds;
        good = counted(c) >= 0;
    }
    cardan_model_release(c->model);
    cardan_builder_destroy(builder);
    return good;
}

int main(int argc, char **argv) {
    static Case c;
    long seconds = argc == 2 ? strtol(argv[1], NULL, 10) : SECONDS;
    if (argc > 2 || seconds <= 0 || seconds > 1000) {
        fprintf(stderr, "usage: rows-count [SECONDS]\n");
        return 2;
    }
    blas_use_one_thread();
    bool good = true;
    for (size_t i = 0; good && i < sizeof MECHANISMS / sizeof *MECHANISMS; i++)
        good = run_both(&MECHANISMS[i], seconds, &c);
    return good ? 0 : 1;
}
