/* cardan-bench NAME [--json] [--size N]; `cardan bench` calls it. */
#include "bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct Bench {
    const char *name, *what;
    int (*run)(const BenchOptions *);
} Bench;

static const Bench benches[] = {
    {"rhs", "one right-hand side of an N-link spatial chain (1000) against CHOLMOD's factor and solve", bench_rhs},
    {"long", "N RK4 steps (10 million) of the slider-crank: residuals, allocations, memory, energy", bench_long},
    {"passages", "10 s of the planar N-four-bar (1000) through its flat poses: branch, error, work", bench_passages},
    {"solvers", "factor and solve of every back end on chains, ladders and nets (of at most N x N bodies)", bench_solvers},
};
static const int count = (int)(sizeof benches / sizeof *benches);

static int usage(void) {
    fprintf(stderr, "usage: cardan-bench NAME [--json] [--size N]\n");
    for (int i = 0; i < count; i++) fprintf(stderr, "  %-8s %s\n", benches[i].name, benches[i].what);
    return 2;
}

int main(int argc, char **argv) {
    BenchOptions options = {0};
    const Bench *bench = NULL;
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--json") == 0) {
            options.json = true;
        } else if (strcmp(argv[i], "--size") == 0 && i + 1 < argc) {
            options.size = strtol(argv[++i], NULL, 10);
            if (options.size <= 0) return usage();
        } else {
            for (int k = 0; k < count && bench == NULL; k++)
                if (strcmp(argv[i], benches[k].name) == 0) bench = &benches[k];
            if (bench == NULL) return usage();
        }
    }
    return bench == NULL ? usage() : bench->run(&options);
}
