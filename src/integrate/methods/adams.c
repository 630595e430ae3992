#include "integrate/methods/adams.h"

#include <assert.h>

/* Gauss-Legendre quadrature with 7 points on [-1, 1], exact for polynomials of degree 13 = CRD_ADAMS_MAX + 1. */
enum { POINTS = 7 };
static const double NODE[POINTS] = {
    -0.9491079123427585, -0.7415311855993945, -0.4058451513773972, 0.0,
    0.4058451513773972,  0.7415311855993945,  0.9491079123427585,
};
static const double WEIGHT[POINTS] = {
    0.1294849661688697, 0.2797053914892767, 0.3818300505051189, 0.4179591836734694,
    0.3818300505051189, 0.2797053914892767, 0.1294849661688697,
};

void crd_adams_integrals(const double *x, const double *d, int count, double a, double b, double *w) {
    assert(count >= 1 && count <= CRD_ADAMS_MAX + 2);
    double half = 0.5 * (b - a), middle = 0.5 * (a + b);
    for (int j = 0; j < count; j++) w[j] = 0.0;
    for (int p = 0; p < POINTS; p++) {
        double t = middle + half * NODE[p], product = half * WEIGHT[p];
        for (int j = 0; j < count; j++) {
            w[j] += product;
            if (j + 1 < count) product *= (t - x[j]) / d[j];
        }
    }
}
