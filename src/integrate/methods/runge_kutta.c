/* Explicit Runge-Kutta steps from a tableau (equations in tableau.h). The dense output is the polynomial of
 * integrate/hermite.h with r_(4+m) = h sum_j dense_mj k_j */
#include "integrate/methods/runge_kutta.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "integrate/hermite.h"
#include "integrate/norm.h"

/* Share of the square of dop853's third-order estimate in its error norm: high enough to notice when the fifth-order
 * one is small by chance (Hairer, Norsett, Wanner, II.10). */
#define CRD_ERROR_LOWER_SHARE 0.01

enum { PART = 4096 }; /* components that one thread sums: some 10 us */

/* The terms of a linear combination of slopes that are not zero. */
typedef struct Terms {
    int count;
    double factor[CRD_TABLEAU_SLOPES_MAX];
    const double *slope[CRD_TABLEAU_SLOPES_MAX]; /* (n) each */
} Terms;

void crd_rk_layout(CrdRungeKutta *rk, const CrdTableau *method, int n, CrdArena *arena) {
    size_t count = (size_t)n, row = sizeof(double);
    assert(method != NULL && n >= 0 && crd_tableau_slopes(method) <= CRD_TABLEAU_SLOPES_MAX);
    rk->method = method;
    rk->n = n;
    rk->k = crd_take(arena, count, (size_t)crd_tableau_slopes(method) * row);
    rk->stage = crd_take(arena, count, row);
    rk->error = crd_take(arena, count, (size_t)method->error_rows * row);
    rk->dense = crd_take(arena, count, (size_t)(CRD_HERMITE_ROWS + method->dense_rows) * row);
}

/* ---- linear combinations ---- */

static void gather_terms(const CrdRungeKutta *rk, const double *coefficients, int count, Terms *terms) {
    terms->count = 0;
    for (int j = 0; j < count; ++j) {
        if (coefficients[j] == 0.0) continue;
        terms->factor[terms->count] = coefficients[j];
        terms->slope[terms->count++] = crd_rk_slope(rk, j);
    }
}

/* out = base + h sum of the terms; base NULL: zero. out overlaps nothing else. */
typedef struct Combination {
    const double *base;
    double h;
    double *out;
    Terms terms;
} Combination;

static void set_combination(const CrdRungeKutta *rk, const double *coefficients, int count, const double *base,
                            double h, double *out, Combination *c) {
    c->base = base;
    c->h = h;
    c->out = out;
    gather_terms(rk, coefficients, count, &c->terms);
}

/* Components first to end - 1 in one pass over memory; `many`, how many terms, and `based` are constants where this is
 * called, so that factors and sums stay in registers. Terms are added one after the other. The sum is formed before it
 * meets base, which leaves one rounding at the size of base. */
static inline void combine_terms(const Combination *c, int many, bool based, int first, int end, double *restrict out) {
    const double *slope[CRD_TABLEAU_SLOPES_MAX], *base = c->base;
    double factor[CRD_TABLEAU_SLOPES_MAX], h = c->h;
    for (int k = 0; k < many; ++k) {
        slope[k] = c->terms.slope[k];
        factor[k] = c->terms.factor[k];
    }
    for (int i = first; i < end; ++i) {
        double sum = 0.0;
        for (int k = 0; k < many; ++k) sum += factor[k] * slope[k][i];
        out[i] = based ? base[i] + h * sum : h * sum;
    }
}

static inline void combine_many(const Combination *c, int many, int first, int end) {
    if (c->base != NULL)
        combine_terms(c, many, true, first, end, c->out);
    else
        combine_terms(c, many, false, first, end, c->out);
}

/* The numbers of terms that there are in the tableaux of tableau.c. */
static void combine_range(void *user, CrdRange items) {
    const Combination *c = user;
    int first = items.first, end = items.end;
#define CASE(many)                                                                                                     \
    case many:                                                                                                         \
        combine_many(c, many, first, end);                                                                             \
        break
    switch (c->terms.count) {
        CASE(1);
        CASE(2);
        CASE(3);
        CASE(4);
        CASE(5);
        CASE(6);
        CASE(7);
        CASE(8);
        CASE(9);
        CASE(12);
    default:
        combine_many(c, c->terms.count, first, end);
        break;
    }
#undef CASE
}

/* out = base + h sum_j coefficients_j k_j, by threads where there are any: each number is summed by one of them. */
static void combine(const CrdRungeKutta *rk, CrdPool *pool, const double *coefficients, int count, const double *base,
                    double h, double *out) {
    Combination c;
    set_combination(rk, coefficients, count, base, h, out, &c);
    crd_pool_each(pool, combine_range, &c, rk->n, PART);
}

/* Several of the same slopes, some components at a time, so that slopes of large models come from memory once. */
enum { TOGETHER = 3, NEAR = 512 };

typedef struct Combinations {
    int count;
    Combination of[TOGETHER];
} Combinations;

static void combine_together(void *user, CrdRange items) {
    Combinations *all = user;
    for (int first = items.first; first < items.end; first += NEAR) {
        CrdRange near = {first, items.end - first < NEAR ? items.end : first + NEAR};
        for (int k = 0; k < all->count; ++k) combine_range(&all->of[k], near);
    }
}

void crd_rk_stage(const CrdRungeKutta *rk, int i, double h, const double *y, double *out) {
    combine(rk, NULL, crd_tableau_row(rk->method, i), i, y, h, out);
}

/* ---- the attempt ---- */

/* k_i from the slopes before it. */
static CardanStatus evaluate_slope(CrdRungeKutta *rk, const CrdOde *ode, double t, double h, const double *y, int i) {
    combine(rk, ode->pool, crd_tableau_row(rk->method, i), i, y, h, rk->stage);
    return ode->rhs(ode->user, t + rk->method->c[i] * h, rk->stage, crd_rk_slope(rk, i));
}

static void set_errors(const CrdRungeKutta *rk, int rows, Combination *c) {
    int columns = rk->method->stages + 1;
    for (int row = 0; row < rows; ++row)
        set_combination(rk, rk->method->error + row * columns, columns, NULL, 1.0,
                        rk->error + (size_t)row * (size_t)rk->n, &c[row]);
}

/* y_new, and with it the errors where they do not ask for the slope there. */
static void finish(CrdRungeKutta *rk, const CrdOde *ode, double h, const double *y, bool want_error, double *y_new) {
    const CrdTableau *method = rk->method;
    int end = method->stages, errors = want_error && !method->fsal ? method->error_rows : 0;
    Combinations all; /* most of it stays as it is */
    assert(1 + errors <= TOGETHER);
    all.count = 1 + errors;
    set_combination(rk, crd_tableau_row(method, end), end, y, h, y_new, &all.of[0]);
    set_errors(rk, errors, &all.of[1]);
    crd_pool_each(ode->pool, combine_together, &all, rk->n, PART);
}

static void estimate_error(CrdRungeKutta *rk, const CrdOde *ode) {
    Combinations all;
    assert(rk->method->error_rows <= TOGETHER);
    all.count = rk->method->error_rows;
    set_errors(rk, all.count, all.of);
    crd_pool_each(ode->pool, combine_together, &all, rk->n, PART);
}

CardanStatus crd_rk_attempt(CrdRungeKutta *rk, const CrdOde *ode, double t, double h, const double *y, bool want_error,
                            double *y_new) {
    const CrdTableau *method = rk->method;
    int end = method->stages;
    assert(y_new + rk->n <= y || y + rk->n <= y_new);
    assert(h != 0.0 && ode->n == rk->n);
    if (want_error && method->error_rows == 0) return CARDAN_ERR_ARGUMENT;
    for (int i = 1; i < end; ++i) CRD_TRY(evaluate_slope(rk, ode, t, h, y, i));
    finish(rk, ode, h, y, want_error, y_new);
    if (!crd_all_finite(y_new, rk->n)) return CARDAN_ERR_NUMERIC;
    if (!want_error || !method->fsal) return CARDAN_OK;
    CRD_TRY(ode->rhs(ode->user, t + h, y_new, crd_rk_slope(rk, end)));
    estimate_error(rk, ode);
    return CARDAN_OK;
}

/* ---- the norm ---- */

double crd_rk_error_norm(const CrdRungeKutta *rk, double h, const double *y, const double *y_new, const double *weight,
                         double rtol, double atol, const double *absolute) {
    CrdScale scale = {rk->n, y, y_new, weight, rtol, atol, absolute};
    if (rk->method->error_rows == 0) return (double)NAN;
    if (rk->method->error_rows == 1) return fabs(h) * sqrt(crd_mean_square(&scale, rk->error));
    double squares[2];
    crd_mean_squares(&scale, rk->error, rk->error + rk->n, squares);
    double both = squares[0] + CRD_ERROR_LOWER_SHARE * squares[1];
    return both == 0.0 ? 0.0 : fabs(h) * squares[0] / sqrt(both);
}

/* ---- dense output ---- */

/* Hermite's cubic, and after it the terms with these weights of the first `slopes` slopes. */
static void fill_dense(CrdRungeKutta *rk, double h, const double *y, const double *y_new, const double *weights,
                       int terms, int slopes) {
    size_t n = (size_t)rk->n;
    assert(terms <= rk->method->dense_rows);
    crd_dense_hermite(rk->n, h, y, rk->k, y_new, crd_rk_slope(rk, rk->method->stages), rk->dense);
    for (int row = 0; row < terms; ++row)
        combine(rk, NULL, weights + row * slopes, slopes, NULL, h, rk->dense + (size_t)(CRD_HERMITE_ROWS + row) * n);
    rk->rows = CRD_HERMITE_ROWS + terms;
}

static void put_end(const CrdRungeKutta *rk, const double *f_new) {
    double *end = crd_rk_slope(rk, rk->method->stages);
    if (end != f_new) memcpy(end, f_new, (size_t)rk->n * sizeof *end);
}

CardanStatus crd_rk_prepare_dense(CrdRungeKutta *rk, const CrdOde *ode, double t, double h, const double *y,
                                  const double *y_new, const double *f_new) {
    const CrdTableau *method = rk->method;
    int slopes = crd_tableau_slopes(method);
    put_end(rk, f_new);
    for (int i = method->stages + 1; i < slopes; ++i) CRD_TRY(evaluate_slope(rk, ode, t, h, y, i));
    fill_dense(rk, h, y, y_new, method->dense, method->dense_rows, slopes);
    return CARDAN_OK;
}

void crd_rk_prepare_sparing(CrdRungeKutta *rk, double h, const double *y, const double *y_new, const double *f_new) {
    const CrdTableau *method = rk->method;
    assert(method->sparing_rows > 0);
    put_end(rk, f_new);
    fill_dense(rk, h, y, y_new, method->sparing, method->sparing_rows, method->stages + 1);
}

CrdSparingTerms crd_rk_sparing_terms(CrdRungeKutta *rk, double h, const double *f_new) {
    const CrdTableau *method = rk->method;
    int slopes = method->stages + 1;
    assert(method->sparing_rows > 0);
    put_end(rk, f_new);
    combine(rk, NULL, method->sparing + (method->sparing_rows - 1) * slopes, slopes, NULL, h, rk->dense);
    combine(rk, NULL, method->rest, slopes, NULL, h, rk->stage);
    return (CrdSparingTerms){CRD_HERMITE_ROWS + method->sparing_rows, rk->dense, rk->stage};
}

/* What the polynomial is at theta, or how fast it changes there. */
typedef struct Weights {
    double across;                         /* of y_new - y */
    double factor[CRD_TABLEAU_SLOPES_MAX]; /* of h times the slopes */
} Weights;

/* With w_i the factor of row i of the polynomial at theta, theta^ceil(i/2) (1 - theta)^floor(i/2), and d = y_new - y:
 *     y + (w_1 - w_2 + 2 w_3) d + h [(w_2 - w_3) k_0 - w_3 k_s + sum_m w_(4+m) sum_j sparing_mj k_j] */
static Weights weights_at(const CrdTableau *method, double theta, bool rate) {
    int rows = CRD_HERMITE_ROWS + method->sparing_rows, slopes = method->stages + 1;
    double value = 1.0, change = 0.0;
    Weights out = {0};
    for (int i = 1; i < rows; ++i) {
        bool rises = i % 2 == 1;
        double by = rises ? theta : 1.0 - theta, w;
        change = change * by + (rises ? value : -value);
        value *= by;
        w = rate ? change : value;
        if (i < CRD_HERMITE_ROWS) {
            static const double ACROSS[] = {0.0, 1.0, -1.0, 2.0}, FIRST[] = {0.0, 0.0, 1.0, -1.0};
            out.across += w * ACROSS[i];
            out.factor[0] += w * FIRST[i];
            if (i == CRD_HERMITE_ROWS - 1) out.factor[slopes - 1] -= w;
            continue;
        }
        const double *row = method->sparing + (i - CRD_HERMITE_ROWS) * slopes;
        for (int j = 0; j < slopes; ++j) out.factor[j] += w * row[j];
    }
    return out;
}

void crd_rk_interpolate_sparing(const CrdRungeKutta *rk, double h, double theta, const double *y, const double *y_new,
                                double *out) {
    Weights at = weights_at(rk->method, theta, false);
    assert(out != y && out != y_new && rk->n >= 0);
    combine(rk, NULL, at.factor, rk->method->stages + 1, y, h, out);
    for (int i = 0; i < rk->n; ++i) out[i] += at.across * (y_new[i] - y[i]);
}

void crd_rk_slope_sparing(const CrdRungeKutta *rk, double h, double theta, const double *y, const double *y_new,
                          double *out) {
    Weights at = weights_at(rk->method, theta, true);
    assert(out != y && out != y_new && rk->n >= 0);
    combine(rk, NULL, at.factor, rk->method->stages + 1, NULL, h, out);
    for (int i = 0; i < rk->n; ++i) out[i] += at.across * (y_new[i] - y[i]);
}

void crd_rk_interpolate(const CrdRungeKutta *rk, double theta, double *y) {
    crd_dense_at(rk->n, rk->dense, rk->rows, theta, y);
}
