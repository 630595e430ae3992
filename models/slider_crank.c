/* A slider-crank through the C API: releases the crank at 60 degrees and prints where it is every tenth of a second. */
#include "mechanisms.h"

#include <stdio.h>

static CardanStatus use(const CardanModel *model, CardanSim *sim) {
    CardanJoint main_joint = cardan_model_find_joint(model, "main");
    CardanStatus status = CARDAN_OK;
    printf("%8s %14s %14s %14s\n", "t", "crank angle", "its rate", "energy");
    for (int i = 0; i <= 20; i++) {
        double angle, rate;
        CardanEnergy energy;
        status = cardan_sim_advance(sim, 0.1 * i);
        if (status >= 0) status = cardan_sim_joint(sim, main_joint, &angle, &rate);
        if (status >= 0) status = cardan_sim_energy(sim, &energy);
        if (status < 0) return status;
        printf("%8.3f %14.9f %14.9f %14.9f\n", cardan_sim_time(sim), angle, rate, energy.total);
    }
    return status;
}

int main(void) {
    return mechanism_run(mechanism_slider_crank(0.2, 0.4, 1.0471975511965976), use);
}
