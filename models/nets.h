/* Mechanisms with many loops, or with more rows than it takes: for the solvers' tests and benchmarks. */
#ifndef MODELS_NETS_H
#define MODELS_NETS_H

#include <cardan/cardan.h>

/* A crumpled net of n x n spatial bodies, each held to its right and lower neighbour by a spherical joint, hanging from
 * the ground at two corners: 6 n^2 velocities, 6 n (n - 1) + 6 rows, all independent. */
CardanBuilder *mechanism_net(int n);

/* n bodies on one hub by spherical joints: every joint meets every other, so S is full. */
CardanBuilder *mechanism_star(int n);

/* The N-four-bar A02 in space: n cells of parallel cranks of 1 m, at `angle` to x, turning with `rate`; rods of 1 kg.
 * redundant: every pin is a revolute, 15 n + 5 rows of rank 12 n + 5. Else the second pin of each coupler is a point
 * held on a line along z, 12 n + 5 rows. The motion is the same. */
CardanBuilder *mechanism_hinged_bars(int n, double angle, double rate, bool redundant);

/* Its angular acceleration of the cranks under gravity (along -y). */
double mechanism_hinged_bars_acceleration(int n, double angle);

#endif
