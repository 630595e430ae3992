/* Runs a planar chain of 64 links for some seconds (10), for callgrind to count: rows-count [SECONDS]. First alone,
 * then with positions and velocities of all bodies in the rows of a run file kept in memory, a hundred a second, each
 * with the whole state. Each call of bench_counted is one such run, its start included; bench/instructions --rows
 * counts inside it alone. */
#include "blas_threads.h"
#include "cardan/cardan.h"
#include "cardan/run.h"
#include "mechanisms.h"

#include <stdio.h>
#include <stdlib.h>

enum { LINKS = 64, MEASURES = 6, CHANNELS = LINKS * MEASURES, SECONDS = 10, EACH_SECOND = 100 };

typedef struct Chain {
    CardanModel *model;
    CardanOptions options;
    CardanChannel channel[CHANNELS]; /* of one column each */
    long rows;                       /* 0: no run file */
} Chain;

static CardanStatus write_rows(const Chain *chain, CardanSim *sim, CardanRun *run, long *next) {
    double values[CHANNELS];
    for (; *next <= chain->rows; (*next)++) {
        double t = chain->options.end * ((double)*next / (double)chain->rows);
        if (t > cardan_sim_time(sim)) return CARDAN_OK;
        CardanStatus status = cardan_run_row(run, t, values);
        if (status < 0) return status;
    }
    return CARDAN_OK;
}

static CardanStatus step_on(const Chain *chain, CardanSim *sim, CardanRun *run) {
    CardanStatus status = CARDAN_OK;
    long next = 0;
    while (status >= 0 && cardan_sim_time(sim) < chain->options.end) {
        status = cardan_sim_step(sim, chain->options.end);
        if (status >= 0 && run != NULL) status = write_rows(chain, sim, run, &next);
    }
    if (status >= 0 && run != NULL) status = cardan_run_finish(run, 0, 0.0, 0, NULL);
    return status;
}

/* Not static, and called where the compiler cannot see whom: it stays one function of this name. */
CardanStatus bench_counted(const Chain *chain);
static CardanStatus (*volatile counted)(const Chain *) = bench_counted;

CardanStatus bench_counted(const Chain *chain) {
    CardanSim *sim = NULL;
    CardanRun *run = NULL;
    CardanRunDef def = cardan_default_run();
    def.channels = CHANNELS;
    def.channel = chain->channel;
    CardanStatus status = cardan_sim_create(chain->model, &chain->options, &sim);
    if (status >= 0 && chain->rows > 0) status = cardan_run_create(sim, &def, &run);
    if (status >= 0) status = step_on(chain, sim, run);
    if (status < 0) fprintf(stderr, "%s %s\n", cardan_sim_message(sim), run != NULL ? cardan_run_message(run) : "");
    cardan_run_close(run);
    cardan_sim_destroy(sim);
    return status;
}

static bool find_channels(Chain *chain) {
    static const char *const NAMES[MEASURES] = {"x", "y", "angle", "vx", "vy", "spin"};
    char name[128], message[256];
    for (int i = 0; i < CHANNELS; i++) {
        CardanBody body = {i / MEASURES + 1};
        snprintf(name, sizeof name, "%s.%s", cardan_model_body_name(chain->model, body), NAMES[i % MEASURES]);
        if (cardan_model_find_channel(chain->model, name, &chain->channel[i], message, sizeof message) >= 0) continue;
        fprintf(stderr, "%s\n", message);
        return false;
    }
    return true;
}

static bool run_both(Chain *chain, CardanBuilder *builder, long rows) {
    if (cardan_builder_compile(builder, &chain->model) < 0) {
        fprintf(stderr, "%s\n", cardan_builder_message(builder));
        return false;
    }
    if (!find_channels(chain)) return false;
    chain->rows = 0;
    if (counted(chain) < 0) return false;
    chain->rows = rows;
    return counted(chain) >= 0;
}

int main(int argc, char **argv) {
    static Chain chain;
    long seconds = argc == 2 ? strtol(argv[1], NULL, 10) : SECONDS;
    if (argc > 2 || seconds <= 0 || seconds > 1000) {
        fprintf(stderr, "usage: rows-count [SECONDS]\n");
        return 2;
    }
    blas_use_one_thread();
    chain.options = cardan_default_options();
    chain.options.end = (double)seconds;
    CardanBuilder *builder = mechanism_chain(CARDAN_SPACE_PLANAR, LINKS);
    bool good = run_both(&chain, builder, EACH_SECOND * seconds);
    cardan_model_release(chain.model);
    cardan_builder_destroy(builder);
    return good ? 0 : 1;
}
