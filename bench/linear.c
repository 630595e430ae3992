/* Linearised equations of hanging chains in descriptor form, and their lowest modes: how the time grows with the number
 * of links, as the exponent between the smallest and the largest chain. */
#include "bench.h"

#include "mechanisms.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { MODES = 20, SIZES = 3 };

typedef struct Chain {
    CardanSim *sim;
    bool failed;
} Chain;

static void linearise(void *user) {
    Chain *chain = user;
    CardanLinear *linear = NULL;
    chain->failed |= cardan_sim_linearise(chain->sim, CARDAN_LINEAR_DESCRIPTOR, 0, NULL, 0, NULL, &linear) < 0;
    cardan_linear_destroy(linear);
}

static void modes(void *user) {
    Chain *chain = user;
    CardanModes *found = NULL;
    chain->failed |= cardan_sim_modes(chain->sim, MODES, &found) < 0;
    cardan_modes_destroy(found);
}

static int measure(CardanSpace space, int links, double seconds[2]) {
    CardanBuilder *builder = mechanism_chain(space, links);
    CardanModel *model = NULL;
    Chain chain = {0};
    cardan_builder_set_gravity(builder, (CardanVec3){9.81, 0, 0});
    if (cardan_builder_compile(builder, &model) < 0 || cardan_sim_create(model, NULL, &chain.sim) < 0)
        chain.failed = true;
    if (!chain.failed) {
        seconds[0] = bench_shortest(linearise, &chain, 2);
        seconds[1] = bench_shortest(modes, &chain, 2);
    }
    if (chain.failed) fprintf(stderr, "%s\n", cardan_sim_message(chain.sim));
    cardan_sim_destroy(chain.sim);
    cardan_model_release(model);
    cardan_builder_destroy(builder);
    return chain.failed ? 1 : 0;
}

static void print(bool json, const char *space, const int *links, double seconds[SIZES][2]) {
    double exponent[2];
    for (int k = 0; k < 2; k++)
        exponent[k] = log(seconds[SIZES - 1][k] / seconds[0][k]) / log((double)links[SIZES - 1] / links[0]);
    for (int i = 0; i < SIZES; i++)
        printf(json ? "{\"bench\": \"linear\", \"space\": \"%s\", \"links\": %d, \"seconds\": {\"descriptor\": %.4g, "
                      "\"modes\": %.4g}}\n"
                    : "%s chain of %5d links: descriptor form %8.4g s, lowest 20 modes %8.4g s\n",
               space, links[i], seconds[i][0], seconds[i][1]);
    printf(json ? "{\"bench\": \"linear\", \"space\": \"%s\", \"exponent\": {\"descriptor\": %.3f, \"modes\": %.3f}}\n"
                : "%s: exponents %.3f and %.3f\n",
           space, exponent[0], exponent[1]);
}

int bench_linear(const BenchOptions *options) {
    int largest = options->size > 0 ? (int)options->size : 10000;
    for (int space = 0; space < 2; space++) {
        int links[SIZES] = {largest / 16 > 0 ? largest / 16 : 1, largest / 4 > 0 ? largest / 4 : 2, largest};
        double seconds[SIZES][2];
        for (int i = 0; i < SIZES; i++)
            if (measure((CardanSpace)space, links[i], seconds[i]) != 0) return 1;
        print(options->json, space == CARDAN_SPACE_PLANAR ? "planar" : "spatial", links, seconds);
    }
    return 0;
}
