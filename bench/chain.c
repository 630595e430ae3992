/* One right-hand side, in the coordinates that steps are made in, of an N-link planar chain against the same written by
 * hand (chain_by_hand.c), both on the state that the chain has reached after FALL seconds, in turn. What a general
 * engine costs above the least. */
#include "bench.h"

#include "chain_by_hand.h"
#include "mechanisms.h"
#include "sim/sim.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { REPEATS = 20, ROUNDS = 3 };
static const double FALL = 0.2; /* s */

typedef struct Pair {
    CardanSim *sim;
    int n;
    double *slope;                       /* of the engine */
    double *angle, *rate, *acceleration; /* by hand */
    ChainByHandRod *rod;
} Pair;

static void engine(void *user) {
    Pair *pair = user;
    const CrdStepper *stepper =
        pair->sim->relative.leads ? &pair->sim->relative.integrator.stepper : &pair->sim->integrator.stepper;
    stepper->ode.rhs(stepper->ode.user, stepper->t, stepper->y, pair->slope);
}

static void by_hand(void *user) {
    Pair *pair = user;
    chain_by_hand(pair->n, 9.81, pair->angle, pair->rate, pair->rod, pair->acceleration);
}

/* Angles and rates of the bodies, and how far the accelerations of both are apart, as a share of the largest. */
static CardanStatus compare(Pair *pair, const CardanModel *model, double *difference) {
    double largest = 0, apart = 0, *all = calloc((size_t)cardan_model_sizes(model).velocities, sizeof *all);
    CardanStatus status = all == NULL ? CARDAN_ERR_MEMORY : cardan_sim_evaluate(pair->sim, all, NULL);
    for (int i = 0; i < pair->n && status >= 0; i++) {
        CardanBodyState state;
        status = cardan_sim_body(pair->sim, cardan_model_body(model, i), &state);
        if (status < 0) break;
        pair->angle[i] = state.angle;
        pair->rate[i] = state.spin;
    }
    if (status >= 0) by_hand(pair);
    for (int i = 0; i < pair->n && status >= 0; i++) {
        largest = fmax(largest, fabs(pair->acceleration[i]));
        apart = fmax(apart, fabs(pair->acceleration[i] - all[3 * i + 2]));
    }
    free(all);
    *difference = apart / largest;
    return status;
}

static int measure(Pair *pair, const CardanModel *model, bool json) {
    size_t n = (size_t)pair->n;
    double *room = calloc(3 * n + (size_t)pair->sim->integrator.stepper.n, sizeof *room), difference;
    pair->rod = calloc(n, sizeof *pair->rod);
    if (room == NULL || pair->rod == NULL || cardan_sim_advance(pair->sim, FALL) < 0) return 1;
    pair->angle = room;
    pair->rate = room + n;
    pair->acceleration = room + 2 * n;
    pair->slope = room + 3 * n;
    if (compare(pair, model, &difference) < 0) return 1;
    double whole = HUGE_VAL, least = HUGE_VAL;
    for (int i = 0; i < ROUNDS; i++) {
        whole = fmin(whole, bench_shortest(engine, pair, REPEATS));
        least = fmin(least, bench_shortest(by_hand, pair, REPEATS));
    }
    printf(
        json ? "{\"bench\": \"chain\", \"links\": %d, \"seconds\": {\"right_hand_side\": %.9g, \"by_hand\": %.9g}, "
               "\"ratio\": %.4g, \"difference\": %.3g}\n"
             : "planar chain of %d links\n  right-hand side %.3g s, by hand %.3g s\nright-hand side / by hand = %.3g\n"
               "accelerations differ by %.3g of the largest\n",
        pair->n, whole, least, whole / least, difference);
    free(pair->rod);
    free(room);
    return 0;
}

int bench_chain(const BenchOptions *options) {
    long links = options->size > 0 ? options->size : 64;
    CardanBuilder *builder = mechanism_chain(CARDAN_SPACE_PLANAR, (int)links);
    CardanModel *model = NULL;
    Pair pair = {.n = (int)links};
    int failed = 1;
    if (cardan_builder_compile(builder, &model) < 0)
        fprintf(stderr, "%s\n", cardan_builder_message(builder));
    else if (cardan_sim_create(model, NULL, &pair.sim) < 0 || (failed = measure(&pair, model, options->json)) != 0)
        fprintf(stderr, "%s\n", cardan_sim_message(pair.sim));
    cardan_sim_destroy(pair.sim);
    cardan_model_release(model);
    cardan_builder_destroy(builder);
    return failed;
}
