/* The N-four-bar A02 through the C API: four_bars [N]. Goes on until shortly before its first flat pose, where the
 * constraints are singular, and prints where the pin of the first crank is. */
#include "mechanisms.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static CardanStatus use(const CardanModel *model, CardanSim *sim) {
    CardanBody crank = cardan_model_body(model, 0);
    CardanStatus status = CARDAN_OK;
    printf("%8s %18s %18s\n", "t", "pin x", "pin y");
    for (int i = 0; i <= 5; i++) {
        CardanBodyState state;
        status = cardan_sim_advance(sim, 0.1 * i);
        if (status >= 0) status = cardan_sim_body(sim, crank, &state);
        if (status < 0) return status;
        printf("%8.3f %18.14f %18.14f\n", cardan_sim_time(sim), cos(state.angle), sin(state.angle));
    }
    return status;
}

int main(int argc, char **argv) {
    int n = argc > 1 ? atoi(argv[1]) : 2;
    if (n < 1) {
        fprintf(stderr, "usage: four_bars [N]\n");
        return 2;
    }
    return mechanism_run(mechanism_four_bars(n), use);
}
