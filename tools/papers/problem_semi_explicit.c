/* Systems that stand in no problem of the form x^(m) = f - B y, from the lecture's sections 10.1.1 and 10.1.5.
 *
 * cubic_index1:  x' = a,  0 = a + a^3 - c - c^3,  c = cos t - (x - sin t)                 x = sin t
 * power_index2:  x1' = x1 x2^2 a^2,  x2' = x1^2 x2^2 - 3 x2^2 a,  0 = x1^2 x2 - 1        x = (e^t, e^-2t), a = e^2t
 * coupled (example 10.1), index 2 and not semi-explicit:
 *     [0 0; 1 eta t] y' + [1 eta t; 0 1 + eta] y = (sin t, 0)                            y = (sin t + eta t cos t, -cos
 * t) Backward Euler on it has a step matrix of determinant 1 + eta times h. */
#include <math.h>

#include "problems.h"

static CardanStatus cubic_rates(const void *user, double t, const double *w, double *out, CrdLabWorkspace *workspace) {
    double a = w[1], c = cos(t) - (w[0] - sin(t));
    (void)user, (void)workspace;
    out[0] = a;
    out[1] = a + a * a * a - c - c * c * c;
    return CARDAN_OK;
}

static CardanStatus power_rates(const void *user, double t, const double *w, double *out, CrdLabWorkspace *workspace) {
    double x1 = w[0], x2 = w[1], a = w[2];
    (void)user, (void)t, (void)workspace;
    out[0] = x1 * x2 * x2 * a * a;
    out[1] = x1 * x1 * x2 * x2 - 3.0 * x2 * x2 * a;
    out[2] = x1 * x1 * x2 - 1.0;
    return CARDAN_OK;
}

static CardanStatus coupled_rates(const void *user, double t, const double *y, double *out,
                                  CrdLabWorkspace *workspace) {
    double eta = *(const double *)user;
    (void)workspace;
    out[0] = sin(t) - y[0] - eta * t * y[1];
    out[1] = -(1.0 + eta) * y[1];
    return CARDAN_OK;
}

static CardanStatus coupled_mass(const void *user, double t, double *e) {
    e[0] = e[1] = 0.0;
    e[2] = 1.0;
    e[3] = *(const double *)user * t;
    return CARDAN_OK;
}

const CrdLabSystem crd_lab_cubic_index1 = {.n = 1, .algebraic = 1, .index = 1, .rates = cubic_rates};
const CrdLabSystem crd_lab_power_index2 = {.n = 2, .algebraic = 1, .index = 2, .rates = power_rates};

CrdLabSystem crd_lab_coupled(const double *eta) {
    return (CrdLabSystem){
        .n = 2, .index = 2, .affine = true, .user = eta, .rates = coupled_rates, .mass = coupled_mass};
}
