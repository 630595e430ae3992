#include "core/sines.h"

#include <assert.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

/* Added and taken off again it rounds to a whole number, whose last bits are then those of the sum. */
#define ROUNDER 6755399441055744.0 /* 1.5 2^52 */

static inline uint64_t bits_of(double x) {
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static inline double number_of(uint64_t bits) {
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* Of r + tail, z = r^2. */
static inline double sine_near_zero(double r, double tail, double z) {
    double p = 1.58969099521155010221e-10;
    p = -2.50507602534068634195e-08 + z * p;
    p = 2.75573137070700676789e-06 + z * p;
    p = -1.98412698298579493134e-04 + z * p;
    p = 8.33333333332248946124e-03 + z * p;
    p = -1.66666666666666324348e-01 + z * p;
    return r + (r * z * p + tail);
}

/* 1 - z/2 is rounded; what that leaves out is added to the rest. */
static inline double cosine_near_zero(double r, double tail, double z) {
    double half = 0.5 * z, w = 1.0 - half, p = -1.13596475577881948265e-11;
    p = 2.08757232129817482790e-09 + z * p;
    p = -2.75573143513906633035e-07 + z * p;
    p = 2.48015872894767294178e-05 + z * p;
    p = -1.38888888888741095749e-03 + z * p;
    p = 4.16666666666666019037e-02 + z * p;
    return w + (((1.0 - w) - half) + (z * z * p - r * tail));
}

static inline void sines_of(double angle, double *sine, double *cosine) {
    double sum = angle * 6.36619772367581382433e-01 + ROUNDER, n = sum - ROUNDER;
    double a = angle - n * 1.57079632673412561417, w = n * 6.07710050630396597660e-11, r = a - w,
           tail = ((a - r) - w) - n * 2.02226624879595063154e-21, z = r * r;
    uint64_t quarter = bits_of(sum), odd = (uint64_t)0 - (quarter & 1), s = bits_of(sine_near_zero(r, tail, z)),
             c = bits_of(cosine_near_zero(r, tail, z)), differ = (s ^ c) & odd;
    *sine = number_of(s ^ differ ^ ((quarter & 2) << 62));
    *cosine = number_of(c ^ differ ^ (((quarter + 1) & 2) << 62));
}

void crd_sines(int count, const double *angle, double *restrict sine, double *restrict cosine) {
    assert(count >= 0);
    for (int i = 0; i < count; i++) sines_of(angle[i], &sine[i], &cosine[i]);
    for (int i = 0; i < count; i++)
        if (!(fabs(angle[i]) <= CRD_SINES_FAR)) { /* or not finite */
            sine[i] = sin(angle[i]);
            cosine[i] = cos(angle[i]);
        }
}
