/* ODEs with invariants.
 *
 * cubic (ACR92, example 2):    z' = 3 t^2                          h = z - t^3
 * kepler (ACR92, example 3):   p' = v, v' = -p / r^3               h = |v|^2 / 2 - 1/r + 1/2, period 2 pi
 * swing: the pendulum of LEC10 by its angle, q = (cos a, sin a):   a'' = -g cos a */
#include <math.h>

#include "problems.h"

#define GRAVITY 9.81 /* m/s^2; the lecture's */

static CardanStatus cubic_terms(const void *data, double t, const double *z, const double *v, CrdLabTerms *terms) {
    (void)data, (void)v;
    terms->f[0] = 3.0 * t * t;
    terms->g[0] = z[0] - t * t * t;
    terms->jacobian[0] = 1.0;
    return CARDAN_OK;
}

static CardanStatus kepler_terms(const void *data, double t, const double *z, const double *unused,
                                 CrdLabTerms *terms) {
    const double *p = z, *v = z + 2;
    double r2 = p[0] * p[0] + p[1] * p[1], r = sqrt(r2), r3 = r2 * r;
    (void)data, (void)t, (void)unused;
    terms->g[0] = 0.5 * (v[0] * v[0] + v[1] * v[1]) - 1.0 / r + 0.5;
    for (int i = 0; i < 2; i++) {
        terms->f[i] = v[i];
        terms->f[2 + i] = -p[i] / r3;
        terms->jacobian[i] = p[i] / r3;
        terms->jacobian[2 + i] = v[i];
    }
    return CARDAN_OK;
}

static CardanStatus swing_terms(const void *data, double t, const double *z, const double *v, CrdLabTerms *terms) {
    (void)data, (void)t, (void)v;
    terms->f[0] = z[1];
    terms->f[1] = -GRAVITY * cos(z[0]);
    return CARDAN_OK;
}

const CrdLabProblem crd_lab_cubic = {.name = "cubic", .n = 1, .rows = 1, .affine = true, .terms = cubic_terms};
const CrdLabProblem crd_lab_kepler = {.name = "kepler", .n = 4, .rows = 1, .terms = kepler_terms};
const CrdLabProblem crd_lab_swing = {.name = "swing", .n = 2, .terms = swing_terms};

void crd_lab_kepler_start(double c, double *z) {
    z[0] = c;
    z[1] = z[2] = 0.0;
    z[3] = sqrt(2.0 / c - 1.0);
}
