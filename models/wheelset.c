/* A wheelset at 30 m/s, a benchmark in coordinates of its own: prints its hunting on the track, and the loads of its
 * wheels, every half second to t = 10. */
#include "block_models.h"
#include "mechanisms.h"

#include <stdio.h>

static CardanStatus use(const CardanModel *model, CardanSim *sim) {
    (void)model;
    CardanStatus status = CARDAN_OK;
    printf("%6s %14s %14s %14s %12s %12s\n", "t", "x", "theta", "phi", "left", "right");
    for (int i = 0; i <= 20; i++) {
        double a[6], load[2];
        status = cardan_sim_advance(sim, 0.5 * i);
        if (status >= 0) status = cardan_sim_evaluate(sim, a, load);
        if (status < 0) return status;
        const double *q = cardan_sim_positions(sim);
        printf("%6.2f %14.9f %14.9f %14.9f %12.6f %12.6f\n", cardan_sim_time(sim), q[0], q[3], q[4], load[0], load[1]);
    }
    return status;
}

int main(void) {
    return mechanism_run(mechanism_wheelset(), use);
}
