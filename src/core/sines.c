#include "core/sines.h"

#include <assert.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

/* pi/2 in parts: of the first two 33 bits each, of the third what is left. */
#define QUARTER_FIRST 1.57079632673412561417
#define QUARTER_SECOND 6.07710050630396597660e-11
#define QUARTER_REST 2.02226624879595063154e-21

/* Coefficients of the powers of r. */
#define SINE_3 (-1.66666666666666324348e-01)
#define SINE_5 8.33333333332248946124e-03
#define SINE_7 (-1.98412698298579493134e-04)
#define SINE_9 2.75573137070700676789e-06
#define SINE_11 (-2.50507602534068634195e-08)
#define SINE_13 1.58969099521155010221e-10
#define COSINE_4 4.16666666666666019037e-02
#define COSINE_6 (-1.38888888888741095749e-03)
#define COSINE_8 2.48015872894767294178e-05
#define COSINE_10 (-2.75573143513906633035e-07)
#define COSINE_12 2.08757232129817482790e-09
#define COSINE_14 (-1.13596475577881948265e-11)

/* 2/pi */
#define IN_QUARTERS 0.636619772367581382433

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
    double p = SINE_13;
    p = SINE_11 + z * p;
    p = SINE_9 + z * p;
    p = SINE_7 + z * p;
    p = SINE_5 + z * p;
    p = SINE_3 + z * p;
    return r + (r * z * p + tail);
}

/* 1 - z/2 is rounded; what that leaves out is added to the rest. */
static inline double cosine_near_zero(double r, double tail, double z) {
    double half = 0.5 * z, w = 1.0 - half, p = COSINE_14;
    p = COSINE_12 + z * p;
    p = COSINE_10 + z * p;
    p = COSINE_8 + z * p;
    p = COSINE_6 + z * p;
    p = COSINE_4 + z * p;
    return w + (((1.0 - w) - half) + (z * z * p - r * tail));
}

static inline void sines_of(double angle, double *sine, double *cosine) {
    double sum = angle * IN_QUARTERS + ROUNDER, n = sum - ROUNDER;
    double a = angle - n * QUARTER_FIRST, w = n * QUARTER_SECOND, r = a - w, tail = ((a - r) - w) - n * QUARTER_REST,
           z = r * r;
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
