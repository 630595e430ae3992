/* Constraints of deficient rank, order 1.
 *
 * deficient (PRM97, theorem 3.1): x' = -x - B y + q, 0 = C x + r, x = e^t (1, 1), on [0, 1],
 *     C = u c(t), u = (1, 2)^T, c = (sin t, cos t): rank 1        B = C^T, or c^T (1, -1/2)
 *     q = 2 e^t (1, 1) + c^T e^t / (2 - t)                        r = -u (sin t + cos t) e^t
 *
 * crossing (PRM97, example 5.1): x' = 2 - t y, 0 = t (x - t - 1), where G B = t^2 vanishes at t = 0. In e = x - t - 1,
 * which keeps the digits of a small error:
 *     e' = 1 - t y        0 = t e
 * The sign of y is chosen so that G B >= 0: with the other one direct regularisation would be singular beside t = 0. */
#include <math.h>

#include "problems.h"

static CardanStatus deficient_terms(const void *data, double t, const double *x, const double *v, CrdLabTerms *terms) {
    static const double u[2] = {1.0, 2.0}, other[2] = {1.0, -0.5};
    const double *factor = *(const CrdLabSpan *)data == CRD_LAB_SPAN_C ? u : other;
    double s = sin(t), c = cos(t), e = exp(t), row[2] = {s, c}, row_rate[2] = {c, -s};
    (void)v;
    for (int i = 0; i < 2; i++) {
        terms->f[i] = -x[i] + 2.0 * e + row[i] * e / (2.0 - t);
        terms->g[i] = u[i] * (s * x[0] + c * x[1] - (s + c) * e);
        terms->rate[i] = u[i] * (c * x[0] - s * x[1] - (c - s) * e - (s + c) * e);
        for (int j = 0; j < 2; j++) {
            terms->jacobian[2 * i + j] = u[i] * row[j];
            terms->gradient[2 * i + j] = u[i] * row_rate[j];
            terms->b[2 * i + j] = row[i] * factor[j];
        }
    }
    return CARDAN_OK;
}

CrdLabProblem crd_lab_deficient(const CrdLabSpan *span) {
    return (CrdLabProblem){
        .name = "deficient", .order = 1, .n = 2, .rows = 2, .affine = true, .data = span, .terms = deficient_terms};
}

static CardanStatus crossing_terms(const void *data, double t, const double *e, const double *v, CrdLabTerms *terms) {
    (void)data, (void)v;
    terms->f[0] = 1.0;
    terms->b[0] = terms->jacobian[0] = t;
    terms->g[0] = t * e[0];
    terms->rate[0] = e[0];
    return CARDAN_OK;
}

const CrdLabProblem crd_lab_crossing = {
    .name = "crossing", .order = 1, .n = 1, .rows = 1, .affine = true, .terms = crossing_terms};
