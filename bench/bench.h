/* Benchmarks of Cardan against itself and its parts: one function a benchmark, listed in main.c. Times are minima of
 * repeats within one run; trust their ratios, the machine may be shared. */
#ifndef BENCH_BENCH_H
#define BENCH_BENCH_H

#include <cardan/builder.h>

#include <stdbool.h>

typedef struct BenchOptions {
    bool json;
    long size; /* bodies, steps: what the benchmark says; 0: its default */
} BenchOptions;

int bench_analyses(const BenchOptions *options);
int bench_chain(const BenchOptions *options);
int bench_rhs(const BenchOptions *options);
int bench_joints(const BenchOptions *options);
int bench_large(const BenchOptions *options);
int bench_linear(const BenchOptions *options);
int bench_long(const BenchOptions *options);
int bench_output(const BenchOptions *options);
int bench_passages(const BenchOptions *options);
int bench_sensitivity(const BenchOptions *options);
int bench_solve(const BenchOptions *options);
int bench_stabilise(const BenchOptions *options);
int bench_stiff(const BenchOptions *options);
int bench_threads(const BenchOptions *options);

/* Mechanisms of n bodies. */
CardanBuilder *bench_spatial_chain(int n);
CardanBuilder *bench_ladder(int n);

/* Seconds of processor time of this thread: what others do on the machine counts as little as can be. */
double bench_now(void);

/* Shortest time of one call in seconds: calls are batched to at least 2 ms, over `repeats` batches. */
double bench_shortest(void (*call)(void *), void *user, int repeats);

/* From now on each call is timed once only: whether a bench still runs, not how fast. */
void bench_be_quick(void);
bool bench_is_quick(void);

/* Resident memory in kB. */
long bench_resident(void);

#endif
