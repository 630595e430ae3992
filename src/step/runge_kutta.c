/* Explicit Runge-Kutta steps from a tableau (equations in tableau.h).
 *
 * Dense output, with th = theta, th1 = 1 - theta and d = y_new - y:
 *     u(theta) = r0 + th (r1 + th1 (r2 + th (r3 + th1 (r4 + th (r5 + ...)))))
 *     r0 = y    r1 = d    r2 = h k_0 - d    r3 = d - h f_new - r2    r_(4+m) = h sum_j dense_mj k_j
 * r0 .. r3 alone are the cubic of Hermite; the terms after them vanish with their first derivative at both ends, so
 * the ends and their slopes are met whatever the inner slopes are. (Hairer, Norsett, Wanner, II.6 and II.10)
 *
 * First step size: the algorithm of the same book, II.4, on the norm of the error control. */
#include "step/runge_kutta.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "core/numbers.h"

enum {
    BLOCK = 16,      /* components summed at a time: a constant trip count lets the compiler vectorise */
    HERMITE_ROWS = 4 /* r0 .. r3 */
};

/* The terms of a linear combination of slopes that are not zero. */
typedef struct Terms {
    int count;
    double factor[CRD_TABLEAU_SLOPES_MAX];
    const double *slope[CRD_TABLEAU_SLOPES_MAX]; /* (n) each */
} Terms;

/* What an error is measured against. */
typedef struct Scale {
    int n;
    const double *y, *y_new; /* (n) ends of the step */
    const double *weight;    /* (n) or NULL */
    double rtol, atol;
} Scale;

void crd_rk_layout(CrdRungeKutta *rk, const CrdTableau *method, int n, CrdArena *arena) {
    size_t count = (size_t)n, row = sizeof(double);
    rk->method = method;
    rk->n = n;
    rk->k = crd_take(arena, count, (size_t)crd_tableau_slopes(method) * row);
    rk->stage = crd_take(arena, count, row);
    rk->error = crd_take(arena, count, (size_t)method->error_rows * row);
    rk->dense = crd_take(arena, count, (size_t)(HERMITE_ROWS + method->dense_rows) * row);
}

/* ---- linear combinations ---- */

static Terms gather_terms(const CrdRungeKutta *rk, const double *coefficients, int count) {
    Terms terms;
    terms.count = 0;
    for (int j = 0; j < count; ++j) {
        if (coefficients[j] == 0.0) continue;
        terms.factor[terms.count] = coefficients[j];
        terms.slope[terms.count++] = crd_rk_slope(rk, j);
    }
    return terms;
}

/* sum (length) = the combination of the slopes at components from first on. */
static inline void sum_terms(const Terms *terms, int first, int length, double *restrict sum) {
    for (int i = 0; i < length; ++i) sum[i] = 0.0;
    for (int j = 0; j < terms->count; ++j) {
        const double *slope = terms->slope[j] + first;
        double factor = terms->factor[j];
        for (int i = 0; i < length; ++i) sum[i] += factor * slope[i];
    }
}

static inline void combine_block(const Terms *terms, int first, int length, const double *restrict base, double h,
                                 double *restrict out) {
    double sum[BLOCK];
    sum_terms(terms, first, length, sum);
    if (base == NULL)
        for (int i = 0; i < length; ++i) out[first + i] = h * sum[i];
    else
        for (int i = 0; i < length; ++i) out[first + i] = base[first + i] + h * sum[i];
}

/* out = base + h sum_j coefficients_j k_j in one pass over memory; base NULL: zero. The sum is formed before it meets
 * base, which leaves one rounding at the size of base. */
static void combine(const CrdRungeKutta *rk, const double *coefficients, int count, const double *base, double h,
                    double *out) {
    Terms terms = gather_terms(rk, coefficients, count);
    int first = 0;
    for (; first <= rk->n - BLOCK; first += BLOCK) combine_block(&terms, first, BLOCK, base, h, out);
    if (first < rk->n) combine_block(&terms, first, rk->n - first, base, h, out);
}

static bool all_finite(const double *y, int n) {
    int finite = 1;
    for (int i = 0; i < n; ++i) finite &= fabs(y[i]) <= DBL_MAX;
    return finite != 0;
}

/* ---- the attempt ---- */

/* k_i from the slopes before it. */
static CardanStatus evaluate_slope(CrdRungeKutta *rk, const CrdOde *ode, double t, double h, const double *y, int i) {
    combine(rk, crd_tableau_row(rk->method, i), i, y, h, rk->stage);
    return ode->rhs(ode->user, t + rk->method->c[i] * h, rk->stage, crd_rk_slope(rk, i));
}

static void estimate_error(CrdRungeKutta *rk) {
    const CrdTableau *method = rk->method;
    int columns = method->stages + 1;
    for (int row = 0; row < method->error_rows; ++row)
        combine(rk, method->error + row * columns, columns, NULL, 1.0, rk->error + (size_t)row * (size_t)rk->n);
}

CardanStatus crd_rk_attempt(CrdRungeKutta *rk, const CrdOde *ode, double t, double h, const double *y, bool want_error,
                            double *y_new) {
    const CrdTableau *method = rk->method;
    int end = method->stages;
    if (want_error && method->error_rows == 0) return CARDAN_ERR_ARGUMENT;
    for (int i = 1; i < end; ++i) CRD_TRY(evaluate_slope(rk, ode, t, h, y, i));
    combine(rk, crd_tableau_row(method, end), end, y, h, y_new);
    if (!all_finite(y_new, rk->n)) return CARDAN_ERR_NUMERIC;
    if (!want_error) return CARDAN_OK;
    if (method->fsal) CRD_TRY(ode->rhs(ode->user, t + h, y_new, crd_rk_slope(rk, end)));
    estimate_error(rk);
    return CARDAN_OK;
}

/* ---- the norm ---- */

/* Mean over the components with weight > 0 of (weight v / scale)^2. A component without weight adds weight * v = 0, or
 * NaN when v is not finite. */
static double mean_square(const Scale *scale, const double *v) {
    double sum = 0.0;
    int counted = 0;
    for (int i = 0; i < scale->n; ++i) {
        double weight = scale->weight == NULL ? 1.0 : scale->weight[i];
        double size = scale->atol + scale->rtol * fmax(fabs(scale->y[i]), fabs(scale->y_new[i]));
        double ratio = weight * v[i] / fmax(size, DBL_MIN); /* size 0: 0 stays 0, any error is too large */
        sum += ratio * ratio;
        counted += weight > 0.0;
    }
    return counted > 0 ? sum / counted : sum;
}

double crd_rk_error_norm(const CrdRungeKutta *rk, double h, const double *y, const double *y_new, const double *weight,
                         double rtol, double atol) {
    Scale scale = {.n = rk->n, .y = y, .y_new = y_new, .weight = weight, .rtol = rtol, .atol = atol};
    if (rk->method->error_rows == 0) return NAN;
    double square = mean_square(&scale, rk->error);
    if (rk->method->error_rows == 1) return fabs(h) * sqrt(square);
    double lower = mean_square(&scale, rk->error + rk->n);
    double both = square + CRD_ERROR_LOWER_SHARE * lower;
    return both == 0.0 ? 0.0 : fabs(h) * square / sqrt(both);
}

/* ---- dense output ---- */

static void hermite_rows(CrdRungeKutta *rk, double h, const double *y, const double *y_new) {
    size_t n = (size_t)rk->n;
    const double *f = rk->k, *f_new = crd_rk_slope(rk, rk->method->stages);
    double *restrict r = rk->dense;
    for (size_t i = 0; i < n; ++i) {
        double difference = y_new[i] - y[i];
        double bend = h * f[i] - difference;
        r[i] = y[i];
        r[n + i] = difference;
        r[2 * n + i] = bend;
        r[3 * n + i] = difference - h * f_new[i] - bend;
    }
}

CardanStatus crd_rk_prepare_dense(CrdRungeKutta *rk, const CrdOde *ode, double t, double h, const double *y,
                                  const double *y_new, const double *f_new) {
    const CrdTableau *method = rk->method;
    int slopes = crd_tableau_slopes(method);
    size_t n = (size_t)rk->n;
    double *end = crd_rk_slope(rk, method->stages);
    if (end != f_new) memcpy(end, f_new, n * sizeof *end);
    for (int i = method->stages + 1; i < slopes; ++i) CRD_TRY(evaluate_slope(rk, ode, t, h, y, i));
    hermite_rows(rk, h, y, y_new);
    for (int row = 0; row < method->dense_rows; ++row)
        combine(rk, method->dense + row * slopes, slopes, NULL, h, rk->dense + (size_t)(HERMITE_ROWS + row) * n);
    return CARDAN_OK;
}

/* Horner from the innermost term, for the components from first on. */
static inline void interpolate_block(const CrdRungeKutta *rk, double theta, int first, int length, double *restrict y) {
    size_t n = (size_t)rk->n;
    int row = HERMITE_ROWS + rk->method->dense_rows - 1;
    const double *r = rk->dense + (size_t)row * n + (size_t)first;
    double sum[BLOCK];
    for (int i = 0; i < length; ++i) sum[i] = r[i];
    while (row-- > 0) {
        double factor = row % 2 == 0 ? theta : 1.0 - theta;
        r -= n;
        for (int i = 0; i < length; ++i) sum[i] = r[i] + factor * sum[i];
    }
    for (int i = 0; i < length; ++i) y[first + i] = sum[i];
}

void crd_rk_interpolate(const CrdRungeKutta *rk, double theta, double *y) {
    int first = 0;
    for (; first <= rk->n - BLOCK; first += BLOCK) interpolate_block(rk, theta, first, BLOCK, y);
    if (first < rk->n) interpolate_block(rk, theta, first, rk->n - first, y);
}

/* ---- first step size ---- */

double crd_rk_first_step(CrdRungeKutta *rk, const CrdOde *ode, double t, const double *y, const double *f,
                         const double *weight, double rtol, double atol, double h_max, CardanStatus *status) {
    Scale scale = {.n = rk->n, .y = y, .y_new = y, .weight = weight, .rtol = rtol, .atol = atol};
    double largest = fabs(h_max);
    double size = sqrt(mean_square(&scale, y)), speed = sqrt(mean_square(&scale, f));
    bool small = !(size >= CRD_FIRST_SMALL && speed >= CRD_FIRST_SMALL);
    double trial = fmin(largest, small ? CRD_FIRST_STEP : CRD_FIRST_FRACTION * (size / speed));
    double h = copysign(trial, h_max);

    double *f_trial = crd_rk_slope(rk, 1);
    for (int i = 0; i < rk->n; ++i) rk->stage[i] = y[i] + h * f[i];
    *status = ode->rhs(ode->user, t + h, rk->stage, f_trial);
    if (*status < 0) return h;

    for (int i = 0; i < rk->n; ++i) f_trial[i] -= f[i];
    double steepest = fmax(speed, sqrt(mean_square(&scale, f_trial)) / trial);
    if (!(steepest <= DBL_MAX)) return h;
    int order = rk->method->error_order > 0 ? rk->method->error_order : rk->method->order + 1;
    double best = steepest <= CRD_FIRST_FLAT ? fmax(CRD_FIRST_STEP, CRD_FIRST_FLAT_FACTOR * trial)
                                             : pow(CRD_FIRST_FRACTION / steepest, 1.0 / order);
    return copysign(fmin(fmin(CRD_FIRST_GROW * trial, best), largest), h_max);
}
