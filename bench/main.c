/* cardan-bench NAME [--json] [--quick] [--size N]; `cardan bench` calls it. */
#include "bench.h"
#include "blas_threads.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct Bench {
    const char *name, *what;
    long quick; /* size with --quick: the smallest that has everything in it */
    int (*run)(const BenchOptions *);
} Bench;

static const Bench benches[] = {
    {"rhs", "one right-hand side of an N-link spatial chain (1000) against CHOLMOD's factor and solve", 2, bench_rhs},
    {"chain", "one right-hand side of an N-link planar chain (64) against the same written by hand", 2, bench_chain},
    {"analyses",
     "equilibrium, assemble, kinematics, inverse, operators, modes, descriptor form of chains to N (10,000) links", 16,
     bench_analyses},
    {"long", "N RK4 steps (10 million) of the slider-crank: residuals, allocations, memory, energy", 100, bench_long},
    {"joints", "the rows of N joints (1000) of each kind and of all kinds mixed, against revolutes", 40, bench_joints},
    {"output", "N rows (10,000) of Bricard's linkage and a tenth of a chain's, against the runs without output", 20,
     bench_output},
    {"large", "steps, making and memory of chains and ladders of 1000 to N bodies (100,000), and how they grow", 1000,
     bench_large},
    {"linear", "linearised equations and 20 modes of hanging chains of N (10,000) links, and how their time grows", 32,
     bench_linear},
    {"passages", "10 s of the planar N-four-bar (1000) through its flat poses: branch, error, work", 2, bench_passages},
    {"sensitivity", "derivatives along a run over 5 parameters of each of N (20) links, in runs", 2, bench_sensitivity},
    {"solve", "factor and solve of every back end, predicted and measured, on chains, ladders, nets (to N x N bodies)",
     3, bench_solve},
    {"stabilise", "stabilising twice, in right-hand sides and as a part of a step, of chains of N (64) and four-bars",
     2, bench_stabilise},
    {"stiff", "an accepted step of bdf and radau5 on chains of 10 to N links (10,000) with hinges and bushings", 4,
     bench_stiff},
    {"threads", "steps of trees, a chain, a ladder and a net of N bodies (10,000), two threads against one", 1000,
     bench_threads},
};
static const int count = (int)(sizeof benches / sizeof *benches);

static int usage(void) {
    fprintf(stderr, "usage: cardan-bench NAME [--json] [--quick] [--size N]\n");
    for (int i = 0; i < count; i++) fprintf(stderr, "  %-11s %s\n", benches[i].name, benches[i].what);
    return 2;
}

int main(int argc, char **argv) {
    BenchOptions options = {0};
    const Bench *bench = NULL;
    bool quick = false;
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--json") == 0) {
            options.json = true;
        } else if (strcmp(argv[i], "--quick") == 0) {
            quick = true;
            bench_be_quick();
        } else if (strcmp(argv[i], "--size") == 0 && i + 1 < argc) {
            options.size = strtol(argv[++i], NULL, 10);
            if (options.size <= 0) return usage();
        } else {
            for (int k = 0; k < count && bench == NULL; k++)
                if (strcmp(argv[i], benches[k].name) == 0) bench = &benches[k];
            if (bench == NULL) return usage();
        }
    }
    if (quick && bench != NULL && options.size == 0) options.size = bench->quick;
    blas_use_one_thread(); /* times are those of one thread, and the fronts are too small to gain from more */
    return bench == NULL ? usage() : bench->run(&options);
}
