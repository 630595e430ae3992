#include "bench.h"

#include "mechanisms.h"

#include <stdio.h>
#include <time.h>
#include <unistd.h>

CardanBuilder *bench_spatial_chain(int n) {
    return mechanism_chain(CARDAN_SPACE_SPATIAL, n);
}

CardanBuilder *bench_ladder(int n) {
    return mechanism_four_bars((n - 1) / 2);
}

double bench_now(void) {
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static bool quick;

void bench_be_quick(void) {
    quick = true;
}

bool bench_is_quick(void) {
    return quick;
}

static double once(void (*call)(void *), void *user) {
    double start = bench_now();
    call(user);
    return bench_now() - start;
}

double bench_shortest(void (*call)(void *), void *user, int repeats) {
    const double batch_seconds = 2e-3;
    int batch = 1;
    double best = 1e300;
    call(user);
    if (quick) return once(call, user);
    for (int i = 0; i < repeats; i++) {
        double start = bench_now();
        for (int k = 0; k < batch; k++) call(user);
        double seconds = bench_now() - start;
        if (seconds < batch_seconds && batch < 1 << 20) {
            batch *= 2;
            i--;
            continue;
        }
        if (seconds / batch < best) best = seconds / batch;
    }
    return best;
}

long bench_resident(void) {
    long pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (file == NULL) return -1;
    if (fscanf(file, "%*s %ld", &pages) != 1) pages = -1;
    fclose(file);
    return pages < 0 ? -1 : pages * (sysconf(_SC_PAGESIZE) / 1024);
}
