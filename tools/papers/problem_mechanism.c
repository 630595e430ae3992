/* Mechanisms, of order 2.
 *
 * pendulum (LEC10): q on the unit circle,   q'' = (0, -g) - q y                     g = (|q|^2 - 1) / 2
 *
 * slider_crank (ACR92, example 4): q = (theta, x2, y2, psi), M = diag(J1, m2, m2, J2), f = (sin t - theta', 0, -m2 g,
 * 0), x2 - r cos theta - l1 cos psi,    r sin theta - l sin psi,    y2 - (l - l1) sin psi with B = M^-1 G^T.
 *
 * fold (PRM97, example 5.2): two rods of length 1, q = (th1, th2), d = th2 - th1,
 *     M = [2 cos d; cos d 1]      f = (sin d th2'^2 - 19.6 sin th1, -sin d th1'^2 - 9.8 sin th2)
 *     g = -cos th1 - cos th2      its branches th1 + th2 = pi and th2 = th1 + pi cross at (0, pi), where G = 0
 * On the first branch the motion is that of one angle:
 *     (3 + 2 cos 2th) th'' - 2 sin 2th th'^2 + 9.8 sin th = 0 */
#include <math.h>

#include "problems.h"

#define GRAVITY 9.81     /* m/s^2; pendulum and slider-crank */
#define FOLD_GRAVITY 9.8 /* m/s^2; as printed */

/* ---- pendulum ---- */

static CardanStatus pendulum_terms(const void *data, double t, const double *q, const double *v, CrdLabTerms *terms) {
    (void)data, (void)t;
    terms->f[1] = -GRAVITY;
    terms->g[0] = 0.5 * (q[0] * q[0] + q[1] * q[1] - 1.0);
    terms->bias[0] = v[0] * v[0] + v[1] * v[1];
    for (int i = 0; i < 2; i++) {
        terms->b[i] = terms->jacobian[i] = q[i];
        terms->gradient[i] = v[i];
    }
    return CARDAN_OK;
}

const CrdLabProblem crd_lab_pendulum = {.name = "pendulum", .order = 2, .n = 2, .rows = 1, .terms = pendulum_terms};
const double crd_lab_pendulum_start[4] = {1.0, 0.0, 0.0, 0.0};

/* ---- slider-crank ---- */

enum { THETA, X2, Y2, PSI, COORDINATES, ROWS = 3 };
static const double crank = 1.0, rod = 3.0, rod_centre = 2.0;  /* r, l, l1 in m */
static const double mass[COORDINATES] = {10.0, 1.0, 1.0, 1.0}; /* J1, m2, m2, J2 */

static CardanStatus slider_crank_terms(const void *data, double t, const double *q, const double *v,
                                       CrdLabTerms *terms) {
    double s = crank * sin(q[THETA]), c = crank * cos(q[THETA]), w = v[THETA];
    double sp = sin(q[PSI]), cp = cos(q[PSI]), wp = v[PSI], rest = rod - rod_centre;
    const double g[ROWS] = {q[X2] - c - rod_centre * cp, s - rod * sp, q[Y2] - rest * sp};
    const double jacobian[ROWS][COORDINATES] = {
        {s, 1.0, 0.0, rod_centre * sp}, {c, 0.0, 0.0, -rod * cp}, {0.0, 0.0, 1.0, -rest * cp}};
    const double gradient[ROWS][COORDINATES] = {
        {c * w, 0.0, 0.0, rod_centre * cp * wp}, {-s * w, 0.0, 0.0, rod * sp * wp}, {0.0, 0.0, 0.0, rest * sp * wp}};
    (void)data;
    terms->f[THETA] = (sin(t) - w) / mass[THETA];
    terms->f[Y2] = -GRAVITY;
    for (int i = 0; i < ROWS; i++) {
        terms->g[i] = g[i];
        for (int j = 0; j < COORDINATES; j++) {
            terms->jacobian[i * COORDINATES + j] = jacobian[i][j];
            terms->gradient[i * COORDINATES + j] = gradient[i][j];
            terms->b[j * ROWS + i] = jacobian[i][j] / mass[j];
            terms->bias[i] += gradient[i][j] * v[j];
        }
    }
    return CARDAN_OK;
}

const CrdLabProblem crd_lab_slider_crank = {
    .name = "slider_crank", .order = 2, .n = COORDINATES, .rows = ROWS, .terms = slider_crank_terms};
const double crd_lab_slider_crank_start[8] = {0.0, 3.0, 0.0, 0.0, -1.0, 0.0, -1.0 / 3.0, -1.0 / 3.0};

double crd_lab_slider(const double *q) {
    return q[X2] + (rod - rod_centre) * cos(q[PSI]);
}
double crd_lab_slider_by_angle(const double *q) {
    return crank * cos(q[THETA]) + rod * cos(q[PSI]);
}

/* ---- fold ---- */

/* x <- M^-1 x */
static void fold_inverse(const double *th, double *x) {
    double c = cos(th[1] - th[0]), determinant = 2.0 - c * c, x0 = x[0];
    x[0] = (x0 - c * x[1]) / determinant;
    x[1] = (2.0 * x[1] - c * x0) / determinant;
}

static CardanStatus fold_terms(const void *data, double t, const double *th, const double *w, CrdLabTerms *terms) {
    double d = sin(th[1] - th[0]), s[2] = {sin(th[0]), sin(th[1])};
    (void)data, (void)t;
    terms->f[0] = d * w[1] * w[1] - 2.0 * FOLD_GRAVITY * s[0];
    terms->f[1] = -d * w[0] * w[0] - FOLD_GRAVITY * s[1];
    fold_inverse(th, terms->f);
    for (int i = 0; i < 2; i++) {
        terms->g[0] -= cos(th[i]);
        terms->jacobian[i] = terms->b[i] = s[i];
        terms->gradient[i] = cos(th[i]) * w[i];
        terms->bias[0] += cos(th[i]) * w[i] * w[i];
    }
    fold_inverse(th, terms->b);
    return CARDAN_OK;
}

double crd_lab_fold_energy(const double *z) {
    const double *th = z, *w = z + 2;
    double kinetic = w[0] * w[0] + cos(th[1] - th[0]) * w[0] * w[1] + 0.5 * w[1] * w[1];
    return kinetic - FOLD_GRAVITY * (2.0 * cos(th[0]) + cos(th[1]));
}

static CardanStatus fold_branch_terms(const void *data, double t, const double *z, const double *v,
                                      CrdLabTerms *terms) {
    (void)data, (void)t, (void)v;
    terms->f[0] = z[1];
    terms->f[1] = (2.0 * sin(2.0 * z[0]) * z[1] * z[1] - FOLD_GRAVITY * sin(z[0])) / (3.0 + 2.0 * cos(2.0 * z[0]));
    return CARDAN_OK;
}

const CrdLabProblem crd_lab_fold = {.name = "fold", .order = 2, .n = 2, .rows = 1, .terms = fold_terms};
const CrdLabProblem crd_lab_fold_branch = {.name = "fold_branch", .n = 2, .terms = fold_branch_terms};
