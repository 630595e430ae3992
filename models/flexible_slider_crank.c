/* A slider-crank whose rod bends and stretches, a benchmark in coordinates of its own: prints the slider and the rod's
 * modes every 5 ms of two and a half turns. */
#include "block_models.h"
#include "mechanisms.h"

#include <stdio.h>

static CardanStatus use(const CardanModel *model, CardanSim *sim) {
    (void)model;
    CardanStatus status = CARDAN_OK;
    printf("%8s %12s %14s %14s %14s\n", "t", "slider", "bending 1", "bending 2", "stretch");
    for (int i = 0; i <= 20; i++) {
        status = cardan_sim_advance(sim, 0.005 * i);
        if (status < 0) return status;
        const double *q = cardan_sim_positions(sim);
        printf("%8.3f %12.9f %14.6e %14.6e %14.6e\n", cardan_sim_time(sim), q[2], q[3], q[4], q[6]);
    }
    return status;
}

int main(void) {
    return mechanism_run(mechanism_flexible_slider_crank(), use);
}
