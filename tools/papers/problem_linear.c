/* Linear problems with the solution x = v = e^t (1, 1), y = e^t / (2 - t), on 0 <= t <= 1.
 *
 * rotating (AP93, example 1), order 1:
 *     x' = -x - B y + q      C = (sin nu t, cos nu t)      B = C^T
 * skew (ACR92, example 1; AP93, example 2), order 1, B nearly orthogonal to C^T when nu is large:
 *     x' = -B y + q          C = (t + 2, t^2 - 4)          B = (nu (2 - t), nu - 1)^T          C B = 4 - t^2
 * skew_mass (AP93, example 3), order 2; M^-1 for the symmetric M with M^-1 C^T = B:
 *     v' = M^-1 (E v + q) - B y      C = (1, t - 2)        B = (2 + t) (nu (2 - t), nu - 1)^T
 *     M^-1 E = c [0 2 nu - 1; 0 (2 nu^2 - 2 nu + 1) / (nu (2 - t))]
 * rotating_mass (AP93, example 4), order 2:
 *     v' = -nu^2 v + q - B y         C = (sin nu t, cos nu t)         B = C^T
 * Everywhere 0 = C x + r, and q and r follow from the solution. The sign of y is opposite to the papers' first two
 * examples, where B y stands with a plus. */
#include <math.h>

#include "problems.h"

void crd_lab_row_terms(const CrdLabRow *row, const double *x, const double *v, CrdLabTerms *terms) {
    terms->g[0] = row->r;
    terms->rate[0] = row->r1;
    terms->bias[0] = row->r2;
    for (int j = 0; j < 2; j++) {
        terms->g[0] += row->c[j] * x[j];
        terms->jacobian[j] = row->c[j];
        terms->rate[0] += row->c1[j] * x[j];
        if (v == NULL) continue;
        terms->bias[0] += 2.0 * row->c1[j] * v[j] + row->c2[j] * x[j];
        terms->gradient[j] = row->c1[j];
    }
}

/* C = (sin nu t, cos nu t) */
static CrdLabRow rotating_row(double nu, double t) {
    double s = sin(nu * t), c = cos(nu * t), e = exp(t), sum = s + c, slope = nu * (c - s);
    return (CrdLabRow){
        .c = {s, c},
        .c1 = {nu * c, -nu * s},
        .c2 = {-nu * nu * s, -nu * nu * c},
        .r = -sum * e,
        .r1 = -(slope + sum) * e,
        .r2 = -(-nu * nu * sum + 2.0 * slope + sum) * e,
    };
}

static CardanStatus rotating_terms(const void *data, double t, const double *x, const double *v, CrdLabTerms *terms) {
    const double *nu = data;
    CrdLabRow row = rotating_row(*nu, t);
    double e = exp(t), y = e / (2.0 - t);
    crd_lab_row_terms(&row, x, v, terms);
    for (int i = 0; i < 2; i++) {
        terms->b[i] = row.c[i];
        terms->f[i] = -x[i] + 2.0 * e + row.c[i] * y;
    }
    return CARDAN_OK;
}

static CardanStatus rotating_mass_terms(const void *data, double t, const double *x, const double *v,
                                        CrdLabTerms *terms) {
    const double *nu = data;
    CrdLabRow row = rotating_row(*nu, t);
    double e = exp(t), y = e / (2.0 - t), square = *nu * *nu;
    crd_lab_row_terms(&row, x, v, terms);
    for (int i = 0; i < 2; i++) {
        terms->b[i] = row.c[i];
        terms->f[i] = -square * v[i] + (1.0 + square) * e + row.c[i] * y;
    }
    return CARDAN_OK;
}

static CardanStatus skew_terms(const void *data, double t, const double *x, const double *v, CrdLabTerms *terms) {
    double nu = *(const double *)data, e = exp(t);
    CrdLabRow row = {
        .c = {t + 2.0, t * t - 4.0},
        .c1 = {1.0, 2.0 * t},
        .r = -(t * t + t - 2.0) * e,
        .r1 = -(t * t + 3.0 * t - 1.0) * e,
    };
    crd_lab_row_terms(&row, x, v, terms);
    terms->b[0] = (2.0 - t) * nu;
    terms->b[1] = nu - 1.0;
    terms->f[0] = (1.0 + nu) * e;
    terms->f[1] = (1.0 + (nu - 1.0) / (2.0 - t)) * e;
    return CARDAN_OK;
}

static CardanStatus skew_mass_terms(const void *data, double t, const double *x, const double *v, CrdLabTerms *terms) {
    const double *nu_c = data;
    double nu = nu_c[0], c = nu_c[1], e = exp(t), y = e / (2.0 - t);
    double column[2] = {c * (2.0 * nu - 1.0), c * (2.0 * nu * nu - 2.0 * nu + 1.0) / (nu * (2.0 - t))}; /* of M^-1 E */
    CrdLabRow row = {
        .c = {1.0, t - 2.0},
        .c1 = {0.0, 1.0},
        .r = -(t - 1.0) * e,
        .r1 = -t * e,
        .r2 = -(t + 1.0) * e,
    };
    crd_lab_row_terms(&row, x, v, terms);
    terms->b[0] = (2.0 + t) * nu * (2.0 - t);
    terms->b[1] = (2.0 + t) * (nu - 1.0);
    for (int i = 0; i < 2; i++) terms->f[i] = e + column[i] * (v[1] - e) + terms->b[i] * y;
    return CARDAN_OK;
}

CrdLabProblem crd_lab_rotating(const double *nu) {
    return (CrdLabProblem){
        .name = "rotating", .order = 1, .n = 2, .rows = 1, .affine = true, .data = nu, .terms = rotating_terms};
}
CrdLabProblem crd_lab_skew(const double *nu) {
    return (CrdLabProblem){
        .name = "skew", .order = 1, .n = 2, .rows = 1, .affine = true, .data = nu, .terms = skew_terms};
}
CrdLabProblem crd_lab_skew_mass(const double *nu_c) {
    return (CrdLabProblem){
        .name = "skew_mass", .order = 2, .n = 2, .rows = 1, .affine = true, .data = nu_c, .terms = skew_mass_terms};
}
CrdLabProblem crd_lab_rotating_mass(const double *nu) {
    return (CrdLabProblem){.name = "rotating_mass",
                           .order = 2,
                           .n = 2,
                           .rows = 1,
                           .affine = true,
                           .data = nu,
                           .terms = rotating_mass_terms};
}
