/* The car axis, a benchmark in coordinates of its own: prints both masses every tenth of a second to t = 3. */
#include "block_models.h"
#include "mechanisms.h"

#include <stdio.h>

static CardanStatus use(const CardanModel *model, CardanSim *sim) {
    (void)model;
    CardanStatus status = CARDAN_OK;
    printf("%8s %14s %14s %14s %14s\n", "t", "xl", "yl", "xr", "yr");
    for (int i = 0; i <= 30; i++) {
        status = cardan_sim_advance(sim, 0.1 * i);
        if (status < 0) return status;
        const double *q = cardan_sim_positions(sim);
        printf("%8.3f %14.9f %14.9f %14.9f %14.9f\n", cardan_sim_time(sim), q[0], q[1], q[2], q[3]);
    }
    return status;
}

int main(void) {
    return mechanism_run(mechanism_car_axis(), use);
}
