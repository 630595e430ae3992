/* The published linearised equations of the Whipple bicycle (J. P. Meijaard, J. M. Papadopoulos, A. Ruina, A. L.
 * Schwab, Proc. R. Soc. A 463 (2007) 1955-1982, section 5 c), lean and steer q = (phi, delta):
 *     M q'' + v C1 q' + (g K0 + v^2 K2) q = 0 */
#ifndef TESTS_SUPPORT_BICYCLE_H
#define TESTS_SUPPORT_BICYCLE_H

#include "support/check.h"

#include <lapacke.h>

static const double BICYCLE_M[2][2] = {{80.81722, 2.31941332208709}, {2.31941332208709, 0.29784188199686}};
static const double BICYCLE_C1[2][2] = {{0.0, 33.86641391492494}, {-0.85035641456978, 1.68540397397560}};
static const double BICYCLE_K0[2][2] = {{-80.95, -2.59951685249872}, {-2.59951685249872, -0.80329488458618}};
static const double BICYCLE_K2[2][2] = {{0.0, 76.59734589573222}, {0.0, 2.65431523794604}};

/* Published state matrix of (phi, delta, phi', delta'). */
static inline void bicycle_published(double speed, double a[4][4]) {
    const double(*M)[2] = BICYCLE_M, g = 9.81;
    double det = M[0][0] * M[1][1] - M[0][1] * M[1][0];
    const double inverse[2][2] = {{M[1][1] / det, -M[0][1] / det}, {-M[1][0] / det, M[0][0] / det}};
    memset(a, 0, 16 * sizeof(double));
    a[0][2] = a[1][3] = 1.0;
    for (int i = 0; i < 2; i++)
        for (int k = 0; k < 2; k++)
            for (int j = 0; j < 2; j++) {
                a[2 + i][k] -= inverse[i][j] * (g * BICYCLE_K0[j][k] + speed * speed * BICYCLE_K2[j][k]);
                a[2 + i][2 + k] -= inverse[i][j] * speed * BICYCLE_C1[j][k];
            }
}

/* By growing real part, then imaginary part. */
static inline void bicycle_sort(double re[4], double im[4]) {
    for (int i = 0; i < 4; i++)
        for (int k = i + 1; k < 4; k++)
            if (re[k] < re[i] || (re[k] == re[i] && im[k] < im[i])) {
                double x = re[i], y = im[i];
                re[i] = re[k], im[i] = im[k];
                re[k] = x, im[k] = y;
            }
}

static inline void bicycle_eigenvalues(double a[4][4], double re[4], double im[4]) {
    double copy[16];
    memcpy(copy, a, sizeof copy);
    assert_int_equal(LAPACKE_dgeev(LAPACK_ROW_MAJOR, 'N', 'N', 4, copy, 4, re, im, NULL, 4, NULL, 4), 0);
    bicycle_sort(re, im);
}

#endif
