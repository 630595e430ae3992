/* Kernels of the filter on [-1, 1], even, of mass 1.
 *     cubic   2 - 2 t - 8 t^2 + 8 t^3  (t <= 1/2),   2 - 22/3 t + 8 t^2 - 8/3 t^3  (t <= 1),   t = |t|
 *             (Ariel, Sanz-Serna and Tsai, section 3): moment 2 vanishes, also for the sums of 18 points
 *     smooth  (1 - t^2)^3 (a + b t^2 + c t^4), moments 2 and 4 vanish, twice continuously differentiable at the ends.
 *             With m(k), the integral of t^2k (1 - t^2)^3 over [-1, 1], m(0) = 32/35, m(k+1) = m(k) (2k + 1)/(2k + 9):
 *             a m(0) + b m(1) + c m(2) = 1,  a m(1) + b m(2) + c m(3) = 0,  a m(2) + b m(3) + c m(4) = 0. */
#include "slow/slow.h"

#include <math.h>

static double cubic(double t) {
    if (t <= 0.5) return 2.0 - 2.0 * t - 8.0 * t * t + 8.0 * t * t * t;
    return t <= 1.0 ? 2.0 - 22.0 / 3.0 * t + 8.0 * t * t - 8.0 / 3.0 * t * t * t : 0.0;
}

static double smooth(double t) {
    static const double M0 = 32.0 / 35.0;
    double m1 = M0 / 9.0, m2 = m1 * 3.0 / 11.0, m3 = m2 * 5.0 / 13.0, m4 = m3 * 7.0 / 15.0;
    /* b and c from the last two, with a = 1; then all over the mass */
    double det = m2 * m4 - m3 * m3, b = (-m1 * m4 + m2 * m3) / det, c = (-m2 * m2 + m1 * m3) / det;
    double mass = M0 + b * m1 + c * m2, u = t * t, w = 1.0 - u;
    return w > 0.0 ? w * w * w * (1.0 + b * u + c * u * u) / mass : 0.0;
}

double crd_slow_kernel(CardanSlowKernel kernel, double t) {
    return kernel == CARDAN_SLOW_CUBIC ? cubic(fabs(t)) : smooth(fabs(t));
}
