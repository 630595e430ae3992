/* A planar chain of equal uniform rods written by hand, as someone would who needs only that: what a general engine is
 * measured against. */
#ifndef BENCH_CHAIN_BY_HAND_H
#define BENCH_CHAIN_BY_HAND_H

/* Of one rod, between the two sweeps. */
typedef struct ChainByHandRod {
    double c, s;       /* direction of the rod */
    double px, py;     /* force at the near end per angular acceleration */
    double inverse, b; /* angular acceleration = -(p . a + b) inverse, a the acceleration of the near end */
} ChainByHandRod;

/* Angular accelerations of n rods of 1 m and 1 kg, the first on a fixed pin, gravity along -y. angle and rate are
 * against the x axis; rod is room for n. */
void chain_by_hand(int n, double gravity, const double *angle, const double *rate, ChainByHandRod *rod,
                   double *acceleration);

#endif
