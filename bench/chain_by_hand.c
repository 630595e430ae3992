/* The force that a rod and all behind it ask of the pin at its near end is F = A a + f in the acceleration a of that
 * end, A a symmetric 2 x 2 matrix. With u along the rod, n across it, h = 1/2 its half length, l = 1, m = 1, I = 1/12,
 * and A, f of the rods behind, which sit at the far end e = a + l n w' - l u w^2: moments about the near end:  d w' + p
 * . a + b = 0,   p = h n + l A n,  d = I + h^2 + l^2 n . A n, b = h g n_y + l n . (f - l w^2 A u), forces: A := 1 + A -
 * p p^T / d, f := f - l w^2 A u - h w^2 u + (0, g) - p b / d. From the tip to the pin for A and f, back for
 * accelerations (Featherstone's articulated bodies, in the plane). */
#include "chain_by_hand.h"

#include <math.h>

void chain_by_hand(int n, double gravity, const double *angle, const double *rate, ChainByHandRod *rod,
                   double *acceleration) {
    const double h = 0.5, inertia = 1.0 / 12;
    double axx = 0, axy = 0, ayy = 0, fx = 0, fy = 0;
    for (int i = 0; i < n; i++) {
        rod[i].c = cos(angle[i]);
        rod[i].s = sin(angle[i]);
    }
    for (int i = n - 1; i >= 0; i--) {
        double c = rod[i].c, s = rod[i].s, w2 = rate[i] * rate[i];
        double nx = axy * c - axx * s, ny = ayy * c - axy * s; /* A n, n = (-s, c) */
        double gx = fx - w2 * (axx * c + axy * s), gy = fy - w2 * (axy * c + ayy * s);
        double px = nx - h * s, py = ny + h * c;
        double inverse = 1 / (inertia + h * h + ny * c - nx * s);
        double b = h * gravity * c + gy * c - gx * s;
        rod[i].px = px;
        rod[i].py = py;
        rod[i].inverse = inverse;
        rod[i].b = b;
        axx += 1 - px * px * inverse;
        axy -= px * py * inverse;
        ayy += 1 - py * py * inverse;
        fx = gx - h * w2 * c - px * b * inverse;
        fy = gy - h * w2 * s + gravity - py * b * inverse;
    }
    double ax = 0, ay = 0;
    for (int i = 0; i < n; i++) {
        double turn = -(rod[i].px * ax + rod[i].py * ay + rod[i].b) * rod[i].inverse, w2 = rate[i] * rate[i];
        acceleration[i] = turn;
        ax -= turn * rod[i].s + w2 * rod[i].c;
        ay += turn * rod[i].c - w2 * rod[i].s;
    }
}
