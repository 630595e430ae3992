#include "integrate/methods/implicit_modes.h"

#include "core/complex.h"

#include <assert.h>
#include <math.h>
#include <string.h>

enum { MOST = CRD_IMPLICIT_STAGES_MAX };

/* Newton's iterations for a root that is simple and well apart: five would do. */
#define CRD_MODES_ITERATIONS 50

/* Gauss and Jordan, with pivots. */
static void invert(int s, double a[MOST][MOST], double out[MOST][MOST]) {
    double m[MOST][2 * MOST] = {{0}};
    for (int i = 0; i < s; i++) {
        for (int j = 0; j < s; j++) m[i][j] = a[i][j];
        m[i][s + i] = 1.0;
    }
    for (int c = 0; c < s; c++) {
        int p = c;
        for (int r = c + 1; r < s; r++)
            if (fabs(m[r][c]) > fabs(m[p][c])) p = r;
        assert(m[p][c] != 0.0);
        for (int j = 0; j < 2 * s; j++) {
            double keep = m[c][j];
            m[c][j] = m[p][j];
            m[p][j] = keep;
        }
        for (int r = 0; r < s; r++) {
            double factor = r == c ? 1.0 - 1.0 / m[c][c] : m[r][c] / m[c][c];
            for (int j = 2 * s - 1; j >= c; j--) m[r][j] -= factor * m[c][j];
        }
    }
    for (int i = 0; i < s; i++)
        for (int j = 0; j < s; j++) out[i][j] = m[i][s + j];
}

/* x with (b - value) x = 0, or with the transpose of b. */
static void null_vector(int s, double b[MOST][MOST], bool transposed, double complex value, double complex *x) {
    double complex m[MOST][MOST];
    for (int i = 0; i < s; i++)
        for (int j = 0; j < s; j++) m[i][j] = (transposed ? b[j][i] : b[i][j]) - (i == j ? value : 0.0);
    if (s == 1) x[0] = 1.0;
    if (s == 2) {
        x[0] = -m[0][1];
        x[1] = m[0][0];
    }
    if (s < 3) return;
    double best = 0.0;
    for (int k = 0; k < 3; k++) { /* across two rows, of the three pairs the longest */
        const double complex *u = m[k], *v = m[(k + 1) % 3];
        double complex y[3] = {u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]};
        double size = cabs(y[0]) + cabs(y[1]) + cabs(y[2]);
        if (size <= best) continue;
        best = size;
        memcpy(x, y, sizeof y);
    }
}

static void vectors(int s, double b[MOST][MOST], double complex value, double complex *right, double complex *left) {
    double complex product = 0.0;
    null_vector(s, b, false, value, right);
    null_vector(s, b, true, value, left);
    for (int i = 0; i < s; i++) product += left[i] * right[i];
    for (int i = 0; i < s; i++) left[i] /= product;
}

/* The real root of x^3 - trace x^2 + minors x - determinant: the only one. */
static double real_root(double trace, double minors, double determinant) {
    double x = trace / 3.0;
    for (int i = 0; i < CRD_MODES_ITERATIONS; i++) {
        double value = ((x - trace) * x + minors) * x - determinant, slope = (3.0 * x - 2.0 * trace) * x + minors;
        x -= value / slope;
    }
    return x;
}

CrdModes crd_modes_of(const CrdImplicitTableau *method) {
    CrdModes modes = {.has_real = method->stages % 2 == 1, .has_pair = method->stages > 1};
    int s = method->stages;
    double a[MOST][MOST], (*b)[MOST] = modes.inverse;
    double complex right[MOST], left[MOST];
    memcpy(a, method->a, sizeof a);
    invert(s, a, b);
    double trace = 0.0, minors = 0.0;
    for (int i = 0; i < s; i++) trace += b[i][i];
    for (int i = 0; i < s; i++)
        for (int j = i + 1; j < s; j++) minors += b[i][i] * b[j][j] - b[i][j] * b[j][i];
    if (modes.has_real) {
        double determinant = 0.0;
        for (int k = 0; s == 3 && k < 3; k++)
            determinant += b[0][k] * (b[1][(k + 1) % 3] * b[2][(k + 2) % 3] - b[1][(k + 2) % 3] * b[2][(k + 1) % 3]);
        modes.real = s == 1 ? b[0][0] : real_root(trace, minors, determinant);
        vectors(s, b, modes.real, right, left);
        for (int i = 0; i < s; i++) modes.right[i] = creal(right[i]), modes.left[i] = creal(left[i]);
    }
    if (!modes.has_pair) return modes;
    double half = 0.5 * (trace - modes.real), product = s == 2 ? minors : minors - 2.0 * half * modes.real;
    assert(product > half * half);
    modes.pair = crd_complex(half, sqrt(product - half * half));
    vectors(s, b, modes.pair, modes.pair_right, modes.pair_left);
    return modes;
}
