/* bdf: numerical differentiation formulas of orders 1 to 5, BDF with a small correction, in backward differences D_j of
 * the step size in use (Shampine and Reichelt, The MATLAB ODE suite, 1997, section 2):
 *
 *     y_new = sum_{j<=k} D_j + d       d = c slope(t + h, y_new) - psi       c = h / alpha_k
 *     psi = sum_{1<=j<=k} gamma_j D_j / alpha_k       gamma_k = sum_{j<=k} 1/j       alpha_k = (1 - kappa_k) gamma_k
 *     error = (kappa_k gamma_k + 1/(k + 1)) d
 *
 * Newton's method with a Jacobian that is kept until it fails. The order follows the smallest estimate of k - 1, k and
 * k + 1 after k + 1 steps of one size; another size goes through D <- (R U)^T D, R_ij = prod_{m<=i} (m - 1 - factor
 * j)/m, U = R for factor 1. For ODEs so far. */
#include "core/numbers.h"
#include "integrate/methods/method.h"
#include "integrate/norm.h"

#include <assert.h>
#include <math.h>
#include <string.h>

/* Newton's method may leave this part of the tolerance, or the root of rtol when that is less. */
#define CRD_BDF_NEWTON 0.03

/* Step of forward differences: the root of an ulp. */
#define CRD_BDF_DIFFERENCE 1.5e-8

enum { ORDERS = 5, DIFFERENCES = ORDERS + 3, PATIENCE = 4 };

static const double kappa[ORDERS + 1] = {0.0, -0.1850, -1.0 / 9.0, -0.0823, -0.0415, 0.0};

/* History: order (0: none), steps made with this size and order, the size, then D and the Jacobian. */
enum { ORDER, EQUAL, SIZE, NUMBERS };

typedef struct Bdf {
    int order, equal;
    double h;                             /* of the differences; 0: not known yet */
    bool known;                           /* there is a Jacobian */
    bool fresh;                           /* it is that of this step */
    double *d;                            /* (DIFFERENCES x n), with the Jacobian behind: as in the history */
    double *jacobian;                     /* (n x n) by columns */
    double *moved;                        /* ((ORDERS + 1) x n) */
    double *guess, *psi, *change, *slope; /* (n) */
    CrdLu lu;
} Bdf;

static double gamma_of(int order) {
    double sum = 0.0;
    for (int j = 1; j <= order; j++) sum += 1.0 / j;
    return sum;
}
static double alpha_of(int order) {
    return (1.0 - kappa[order]) * gamma_of(order);
}
static double error_constant(int order) {
    return (order <= ORDERS ? kappa[order] * gamma_of(order) : 0.0) + 1.0 / (order + 1);
}

static double *row(const CrdStepper *stepper, double *rows, int j) {
    return rows + (size_t)j * (size_t)stepper->n;
}

static double norm_of(const CrdStepper *stepper, const double *x, const double *at, const double *weight) {
    CrdScale scale = {stepper->n, at, at, weight, stepper->rtol, stepper->atol, stepper->absolute};
    return sqrt(crd_mean_square(&scale, x));
}

static void layout(CrdStepper *stepper, CrdArena *arena) {
    Bdf measuring = {0}, *m = crd_take(arena, 1, sizeof *m), *bdf = m != NULL ? m : &measuring;
    size_t n = (size_t)stepper->n, real = sizeof(double);
    assert(stepper->equations.rates != NULL && stepper->equations.multipliers == 0);
    assert(stepper->equations.core == stepper->n);
    bdf->d = crd_take(arena, (DIFFERENCES + n) * n, real);
    bdf->jacobian = m != NULL ? bdf->d + DIFFERENCES * n : NULL;
    bdf->moved = crd_take(arena, (ORDERS + 1) * n, real);
    CRD_TAKE_VECTORS(arena, n, &bdf->guess, &bdf->psi, &bdf->change, &bdf->slope);
    crd_lu_layout(&bdf->lu, stepper->n, stepper->equations.count, arena);
    stepper->memory = m;
    stepper->history_size = NUMBERS + (int)((DIFFERENCES + n) * n);
}

static void begin(CrdStepper *stepper) {
    Bdf *bdf = stepper->memory;
    size_t n = (size_t)stepper->n;
    const double *history = stepper->history;
    bdf->known = history[ORDER] > 0.0;
    bdf->fresh = false;
    bdf->order = bdf->known ? (int)history[ORDER] : 1;
    bdf->equal = (int)history[EQUAL];
    bdf->h = history[SIZE];
    memcpy(bdf->d, history + NUMBERS, (DIFFERENCES + n) * n * sizeof *bdf->d);
    memcpy(bdf->d, stepper->y, n * sizeof *bdf->d); /* the end of the last step as it was accepted */
}

/* ---- another step size ---- */

static void fill_r(int order, double factor, double r[ORDERS + 1][ORDERS + 1]) {
    for (int j = 0; j <= order; j++) {
        r[0][j] = 1.0;
        for (int i = 1; i <= order; i++) r[i][j] = r[i - 1][j] * (i - 1 - factor * j) / i;
    }
    for (int i = 1; i <= order; i++) r[i][0] = 0.0;
}

/* The differences for steps of size h. */
static void rescale(CrdStepper *stepper, double h) {
    Bdf *bdf = stepper->memory;
    double r[ORDERS + 1][ORDERS + 1], u[ORDERS + 1][ORDERS + 1];
    int n = stepper->n, order = bdf->order;
    fill_r(order, h / bdf->h, r);
    fill_r(order, 1.0, u);
    memset(bdf->moved, 0, (size_t)(order + 1) * (size_t)n * sizeof *bdf->moved);
    for (int j = 0; j <= order; j++)
        for (int i = 0; i <= order; i++) {
            double sum = 0.0;
            for (int m = 0; m <= order; m++) sum += r[i][m] * u[m][j];
            for (int c = 0; c < n; c++) row(stepper, bdf->moved, j)[c] += sum * row(stepper, bdf->d, i)[c];
        }
    memcpy(bdf->d, bdf->moved, (size_t)(order + 1) * (size_t)n * sizeof *bdf->d);
    bdf->h = h;
    bdf->equal = 0;
}

/* ---- one step ---- */

static CardanStatus differentiate(CrdStepper *stepper, double t, const double *y) {
    Bdf *bdf = stepper->memory;
    const CrdEquations *equations = &stepper->equations;
    size_t n = (size_t)stepper->n;
    double *point = bdf->moved, *trial = bdf->moved + n;
    CRD_TRY(equations->rates(equations->user, t, y, NULL, bdf->slope, NULL));
    memcpy(point, y, n * sizeof *point);
    for (size_t c = 0; c < n; c++) {
        point[c] = y[c] + CRD_BDF_DIFFERENCE * fmax(fabs(y[c]), equations->typical[c]);
        double step = point[c] - y[c];
        CRD_TRY(equations->rates(equations->user, t, point, NULL, trial, NULL));
        for (size_t i = 0; i < n; i++) bdf->jacobian[c * n + i] = (trial[i] - bdf->slope[i]) / step;
        point[c] = y[c];
    }
    bdf->known = true;
    return CARDAN_OK;
}

static void predict(CrdStepper *stepper) {
    const Bdf *bdf = stepper->memory;
    int n = stepper->n;
    memset(bdf->guess, 0, (size_t)n * sizeof *bdf->guess);
    memset(bdf->psi, 0, (size_t)n * sizeof *bdf->psi);
    for (int j = 0; j <= bdf->order; j++)
        for (int i = 0; i < n; i++) {
            bdf->guess[i] += row(stepper, bdf->d, j)[i];
            bdf->psi[i] += gamma_of(j) * row(stepper, bdf->d, j)[i] / alpha_of(bdf->order);
        }
}

/* The factor of I - c J. */
static CardanStatus factor(CrdStepper *stepper, double t, double c) {
    Bdf *bdf = stepper->memory;
    size_t n = (size_t)stepper->n;
    double rcond;
    for (size_t i = 0; i < n * n; i++) bdf->lu.matrix[i] = (i % (n + 1) == 0 ? 1.0 : 0.0) - c * bdf->jacobian[i];
    if (crd_lu_factor(&bdf->lu, &rcond) >= 0) return CARDAN_OK;
    return crd_fail(stepper->error, CARDAN_ERR_NUMERIC,
                    "the step matrix of bdf is singular at t = %.9g: reciprocal condition number %.2g", t, rcond);
}

/* y_new and the change from the guess; *converged: to a small part of the tolerance. */
static CardanStatus solve(CrdStepper *stepper, double t, bool *converged) {
    Bdf *bdf = stepper->memory;
    const CrdEquations *equations = &stepper->equations;
    int n = stepper->n;
    double c = bdf->h / alpha_of(bdf->order), before = 0.0, *delta = bdf->lu.x;
    double enough = fmax(10.0 * CRD_EPS / stepper->rtol, fmin(CRD_BDF_NEWTON, sqrt(stepper->rtol)));
    memset(bdf->change, 0, (size_t)n * sizeof *bdf->change);
    memcpy(stepper->y_new, bdf->guess, (size_t)n * sizeof *bdf->guess);
    *converged = false;
    CRD_TRY(factor(stepper, t, c));
    for (int k = 0; k < PATIENCE; k++) {
        CRD_TRY(equations->rates(equations->user, t, stepper->y_new, NULL, bdf->slope, NULL));
        for (int i = 0; i < n; i++) delta[i] = c * bdf->slope[i] - bdf->psi[i] - bdf->change[i];
        CRD_TRY(crd_lu_solve(&bdf->lu));
        double size = norm_of(stepper, delta, bdf->guess, stepper->weight), rate = k > 0 ? size / before : 0.0;
        if (k > 0 && (rate >= 1.0 || pow(rate, PATIENCE - k) / (1.0 - rate) * size > enough)) return CARDAN_OK;
        for (int i = 0; i < n; i++) {
            stepper->y_new[i] += delta[i];
            bdf->change[i] += delta[i];
        }
        *converged = size == 0.0 || (k > 0 && rate / (1.0 - rate) * size < enough);
        if (*converged) return CARDAN_OK;
        before = size;
    }
    return CARDAN_OK;
}

/* The size of the differences becomes h; a start knows the slope alone. */
static void take_size(CrdStepper *stepper, double h) {
    Bdf *bdf = stepper->memory;
    if (bdf->h == 0.0 || (stepper->history[ORDER] == 0.0 && h != bdf->h)) {
        for (int i = 0; i < stepper->n; i++) row(stepper, bdf->d, 1)[i] = h * stepper->f[i];
        bdf->h = h;
    } else if (h != bdf->h)
        rescale(stepper, h);
}

static CardanStatus attempt(CrdStepper *stepper, double h, bool want_error) {
    Bdf *bdf = stepper->memory;
    bool converged = false;
    (void)want_error; /* it comes with the step */
    assert(stepper->rtol > 0.0);
    take_size(stepper, h);
    if (!bdf->known) CRD_TRY(differentiate(stepper, stepper->t, stepper->y));
    predict(stepper);
    CRD_TRY(solve(stepper, stepper->t + h, &converged));
    if (!converged && !bdf->fresh) {
        CRD_TRY(differentiate(stepper, stepper->t + h, bdf->guess));
        bdf->fresh = true;
        CRD_TRY(solve(stepper, stepper->t + h, &converged));
    }
    if (!converged)
        return crd_fail(stepper->error, CARDAN_ERR_NUMERIC,
                        "Newton's iteration of bdf does not converge after t = %.9g; take a step shorter than %.3g",
                        stepper->t, h);
    return crd_all_finite(stepper->y_new, stepper->n) ? CARDAN_OK : CARDAN_ERR_NUMERIC;
}

static double error_norm(const CrdStepper *stepper, double h, const double *weight) {
    (void)h;
    const Bdf *bdf = stepper->memory;
    return error_constant(bdf->order) * norm_of(stepper, bdf->change, stepper->y_new, weight);
}

/* Puts the differences behind an accepted step. */
static void move_on(CrdStepper *stepper) {
    const Bdf *bdf = stepper->memory;
    int k = bdf->order;
    for (int i = 0; i < stepper->n; i++) {
        row(stepper, bdf->d, k + 2)[i] = bdf->change[i] - row(stepper, bdf->d, k + 1)[i];
        row(stepper, bdf->d, k + 1)[i] = bdf->change[i];
    }
    for (int j = k; j >= 0; j--)
        for (int i = 0; i < stepper->n; i++) row(stepper, bdf->d, j)[i] += row(stepper, bdf->d, j + 1)[i];
}

/* Order and size of the next step after k + 1 of one size; error: norm at the present order. */
static double choose(CrdStepper *stepper, double error, double h) {
    Bdf *bdf = stepper->memory;
    int k = bdf->order, best = k;
    double largest = 0.0;
    if (++bdf->equal < k + 1) return h;
    for (int order = k > 1 ? k - 1 : k; order <= k + 1 && order <= ORDERS; order++) {
        double size = order == k ? error
                                 : error_constant(order) * norm_of(stepper, row(stepper, bdf->d, order + 1),
                                                                   stepper->y_new, stepper->weight);
        double factor = size > 0.0 ? pow(size, -1.0 / (order + 1)) : CRD_STEP_GROW / CRD_STEP_SAFETY;
        if (factor > largest) largest = factor, best = order;
    }
    bdf->order = best;
    bdf->equal = 0;
    return h * fmin(CRD_STEP_GROW, CRD_STEP_SAFETY * largest);
}

static double resize(CrdStepper *stepper, double norm, double h, bool accepted) {
    const Bdf *bdf = stepper->memory;
    if (!accepted) return h * fmax(CRD_STEP_SHRINK, CRD_STEP_SAFETY * pow(norm, -1.0 / (bdf->order + 1)));
    move_on(stepper);
    return choose(stepper, norm, h);
}

static void accepted(CrdStepper *stepper) {
    const Bdf *bdf = stepper->memory;
    size_t n = (size_t)stepper->n;
    stepper->history[ORDER] = bdf->order;
    stepper->history[EQUAL] = bdf->equal;
    stepper->history[SIZE] = bdf->h;
    memcpy(stepper->history + NUMBERS, bdf->d, (DIFFERENCES + n) * n * sizeof *bdf->d);
}

const CrdMethod crd_bdf = {.name = "bdf",
                           .summary = "differentiation formulas of orders 1 to 5, for stiff equations",
                           .adaptive = true,
                           .implicit = true,
                           .sees = CRD_SEES_EQUATIONS,
                           .error_order = 2,
                           .iterates = true,
                           .layout = layout,
                           .begin = begin,
                           .attempt = attempt,
                           .error_norm = error_norm,
                           .resize = resize,
                           .accepted = accepted};
