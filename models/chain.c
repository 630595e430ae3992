/* An N-link chain through the C API: chain [N [planar|spatial]]. Releases it horizontal and prints where its last link
 * goes. */
#include "mechanisms.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static CardanStatus use(const CardanModel *model, CardanSim *sim) {
    CardanBody last = cardan_model_body(model, cardan_model_sizes(model).bodies - 1);
    CardanStatus status = CARDAN_OK;
    printf("%8s %14s %14s %14s\n", "t", "x", "y", "z");
    for (int i = 0; i <= 10; i++) {
        CardanBodyState state;
        status = cardan_sim_advance(sim, 0.1 * i);
        if (status >= 0) status = cardan_sim_body(sim, last, &state);
        if (status < 0) return status;
        printf("%8.3f %14.9f %14.9f %14.9f\n", cardan_sim_time(sim), state.position.x, state.position.y,
               state.position.z);
    }
    return status;
}

int main(int argc, char **argv) {
    int n = argc > 1 ? atoi(argv[1]) : 10;
    CardanSpace space = argc > 2 && strcmp(argv[2], "spatial") == 0 ? CARDAN_SPACE_SPATIAL : CARDAN_SPACE_PLANAR;
    if (n < 1) {
        fprintf(stderr, "usage: chain [N [planar|spatial]]\n");
        return 2;
    }
    return mechanism_run(mechanism_chain(space, n), use);
}
