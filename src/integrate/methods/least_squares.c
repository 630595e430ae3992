/* One implicit stage with more equations than unknowns (AP93, 3.4): K with the least |K - slope(t, y + h K)| under
 * 0 = residual(t, y + h K), by Gauss-Newton,
 *     least |(I - h J) dK - (slope - K)|        under        hold dK = -residual / h
 * The derivatives decide on the result here, so they are made in every iteration. */
#include "integrate/methods/implicit_matrix.h"

#include <assert.h>
#include <math.h>
#include <string.h>

/* Gauss-Newton converges linearly: iterations, the last correction in parts of the state, and one that rounding may
 * keep it at. */
#define CRD_LEAST_ITERATIONS 50
#define CRD_LEAST_CONVERGED 1e-12
#define CRD_LEAST_ROUNDING 1e-8

size_t crd_implicit_least_squares_size(const CrdEquations *equations) {
    int core = equations->core, m = equations->multipliers;
    return (size_t)core * (size_t)core + (size_t)m * (size_t)core + (size_t)(2 * core + m) +
           (size_t)crd_least_squares_room(core, core, m);
}

/* dK into im->newton.x. */
static CardanStatus correction(CrdImplicit *im, double t, double h, const double *at) {
    const CrdEquations *equations = &im->equations;
    int core = equations->core, m = equations->multipliers;
    double *a = im->least, *c = a + core * core, *r = c + m * core, *d = r + core, *work = d + m + core;
    CRD_TRY(crd_implicit_differentiate(im, t, at, NULL));
    CRD_TRY(equations->rates(equations->user, t, at, NULL, im->slope, im->residual));
    for (int j = 0; j < core; j++) {
        r[j] = im->slope[j] - im->k[j];
        for (int i = 0; i < core; i++) a[j * core + i] = (i == j ? 1.0 : 0.0) - h * im->jacobian[j * core + i];
    }
    memcpy(c, im->hold, (size_t)(m * core) * sizeof *c);
    for (int i = 0; i < m; i++) d[i] = -im->residual[i] / h;
    if (equations->count != NULL) {
        equations->count->factorisations++;
        equations->count->solves++;
        equations->count->operations += (double)core * core * (core / 3.0 + 1.0);
    }
    if (crd_least_squares(core, core, m, a, r, c, d, im->newton.x, work, crd_least_squares_room(core, core, m)) >= 0)
        return CARDAN_OK;
    return crd_fail(equations->error, CARDAN_ERR_NUMERIC, "the least squares of %s have no single solution at t = %.9g",
                    im->method->name, t);
}

CardanStatus crd_implicit_least_squares(CrdImplicit *im, double t, double h, const double *y, const double *f) {
    const CrdEquations *equations = &im->equations;
    double size = (double)INFINITY, before, end = t + im->method->c[0] * h;
    assert(equations->overdetermined && im->method->stages == 1 && im->least != NULL);
    memcpy(im->k, f, (size_t)equations->n * sizeof *f);
    for (int i = 0; i < CRD_LEAST_ITERATIONS; i++) {
        for (int c = 0; c < equations->n; c++) im->point[c] = y[c] + h * im->method->a[0][0] * im->k[c];
        CRD_TRY(correction(im, end, h, im->point));
        before = size;
        size = 0.0;
        for (int c = 0; c < equations->core; c++) {
            im->k[c] += im->newton.x[c];
            size = fmax(size, fabs(h * im->newton.x[c]) / im->measure[c]);
        }
        if (size <= CRD_LEAST_CONVERGED || (size <= CRD_LEAST_ROUNDING && size >= 0.5 * before)) return CARDAN_OK;
    }
    return crd_fail(equations->error, CARDAN_ERR_NUMERIC,
                    "the least squares of %s do not converge at t = %.9g: last correction %.2g of the state",
                    im->method->name, end, size);
}
