/* The planar chain written by hand (bench/chain_by_hand.c). Modes: rhs; rk4, the classical method: parameter is the
 * step. */
#include "engine.h"

#include "../chain_by_hand.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct Chain {
    const Problem *problem;
    double *y; /* angles and rates, then room for slopes */
    ChainByHandRod *rod;
    double step;
    long steps;
} Chain;

static void slope(const Chain *chain, const double *y, double *dydt) {
    int n = chain->problem->bodies;
    memcpy(dydt, y + n, (size_t)n * sizeof *y);
    chain_by_hand(n, chain->problem->gravity, y, y + n, chain->rod, dydt + n);
}

static void *create(const Problem *problem, const char *mode, double parameter) {
    if (strcmp(problem->name, "chain") != 0 || (strcmp(mode, "rhs") != 0 && strcmp(mode, "rk4") != 0)) {
        fprintf(stderr, "only the planar chain is written by hand, with rhs and rk4\n");
        return NULL;
    }
    Chain *chain = calloc(1, sizeof *chain);
    if (chain == NULL) exit(1);
    chain->problem = problem;
    chain->step = parameter;
    chain->y = calloc(8 * (size_t)problem->bodies, sizeof *chain->y);
    chain->rod = calloc((size_t)problem->bodies, sizeof *chain->rod);
    if (chain->y == NULL || chain->rod == NULL) exit(1);
    for (int i = 0; i < problem->bodies; i++) chain->y[i] = (i > 0 ? chain->y[i - 1] : 0) + problem->tree[i].at;
    return chain; /* at rest */
}

static void destroy(void *self) {
    Chain *chain = self;
    free(chain->y);
    free(chain->rod);
    free(chain);
}

static void right_side(void *self) {
    Chain *chain = self;
    slope(chain, chain->y, chain->y + 2 * chain->problem->bodies);
}

static void accelerations(void *self, double *acceleration) {
    Chain *chain = self;
    const double *a = chain->y + 3 * chain->problem->bodies;
    for (int i = 0; i < chain->problem->bodies; i++) acceleration[i] = a[i] - (i > 0 ? a[i - 1] : 0);
}

static bool advance(void *self, double t) {
    Chain *chain = self;
    int n = 2 * chain->problem->bodies;
    double *y = chain->y, *k = y + n, *stage = y + 2 * n, *sum = y + 3 * n;
    long steps = engine_step_count(t, chain->step);
    double h = t / (double)steps;
    static const double at[4] = {0, 0.5, 0.5, 1}, weight[4] = {1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6};
    for (chain->steps = 0; chain->steps < steps; chain->steps++) {
        memcpy(sum, y, (size_t)n * sizeof *y);
        for (int s = 0; s < 4; s++) {
            for (int i = 0; i < n; i++) stage[i] = s == 0 ? y[i] : y[i] + at[s] * h * k[i];
            slope(chain, stage, k);
            for (int i = 0; i < n; i++) sum[i] += weight[s] * h * k[i];
        }
        memcpy(y, sum, (size_t)n * sizeof *y);
    }
    return true;
}

static void poses(void *self, Pose *pose) {
    Chain *chain = self;
    double x = 0, y = 0;
    for (int i = 0; i < chain->problem->bodies; i++) {
        double c = cos(chain->y[i]), s = sin(chain->y[i]);
        pose[i] = (Pose){{x + 0.5 * c, y + 0.5 * s, 0}, {c, -s, 0, s, c, 0, 0, 0, 1}};
        x += c;
        y += s;
    }
}

static long steps(void *self) {
    return ((Chain *)self)->steps;
}

static const char *version(void) {
    return "";
}

const Engine peer_engine = {"by_hand", version, create, destroy, right_side, accelerations, advance, poses, steps};
