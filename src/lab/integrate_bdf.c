/* Numerical differentiation formulas of orders 1 to 5, BDF with a small correction, on w' = phi(t, w), in backward
 * differences D_j of the step size in use (Shampine and Reichelt, The MATLAB ODE suite, 1997, section 2):
 *
 *     w_new = sum_{j<=k} D_j + d       d = c phi(t + h, w_new) - psi       c = h / alpha_k
 *     psi = sum_{1<=j<=k} gamma_j D_j / alpha_k       gamma_k = sum_{j<=k} 1/j       alpha_k = (1 - kappa_k) gamma_k
 *     error = (kappa_k gamma_k + 1/(k + 1)) d
 *
 * Newton's method with a Jacobian that is kept until it fails. The order follows the smallest estimate of k - 1, k and
 * k + 1 after k + 1 steps of one size; another size goes through D <- (R U)^T D, R_ij = prod_{m<=i} (m - 1 - factor
 * j)/m, U = R for factor 1. */
#include <math.h>
#include <string.h>

#include "core/numbers.h"
#include "lab/integrate.h"

enum { ORDERS = 5, DIFFERENCES = ORDERS + 3, PATIENCE = 4 };

static const double kappa[ORDERS + 1] = {0.0, -0.1850, -1.0 / 9.0, -0.0823, -0.0415, 0.0};

typedef struct Formula {
    const CrdLabSystem *system;
    CrdLabTolerance tolerance;
    CrdLabDesk *desk;
    double t, h;
    int order, equal;       /* steps made with this size and order */
    double *d[DIFFERENCES]; /* (n) backward differences */
    double *moved[ORDERS + 1];
    double *jacobian, *matrix;                          /* (n x n) */
    bool fresh;                                         /* the Jacobian is that of this step */
    double *guess, *psi, *change, *delta, *end, *rates; /* (n) */
} Formula;

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

static double norm(const Formula *f, const double *x, const double *at) {
    double sum = 0.0;
    int n = f->system->n;
    for (int i = 0; i < n; i++) {
        double ratio = x[i] / (f->tolerance.atol + f->tolerance.rtol * fabs(at[i]));
        sum += ratio * ratio;
    }
    return sqrt(sum / n);
}

/* ---- another step size ---- */

static void fill_r(int order, double factor, double r[ORDERS + 1][ORDERS + 1]) {
    for (int j = 0; j <= order; j++) {
        r[0][j] = 1.0;
        for (int i = 1; i <= order; i++) r[i][j] = r[i - 1][j] * (i - 1 - factor * j) / i;
    }
    for (int i = 1; i <= order; i++) r[i][0] = 0.0;
}

static void resize(Formula *f, double factor) {
    double r[ORDERS + 1][ORDERS + 1], u[ORDERS + 1][ORDERS + 1];
    int n = f->system->n, order = f->order;
    fill_r(order, factor, r);
    fill_r(order, 1.0, u);
    for (int j = 0; j <= order; j++) {
        memset(f->moved[j], 0, (size_t)n * sizeof(double));
        for (int i = 0; i <= order; i++) {
            double sum = 0.0;
            for (int m = 0; m <= order; m++) sum += r[i][m] * u[m][j];
            for (int c = 0; c < n; c++) f->moved[j][c] += sum * f->d[i][c];
        }
    }
    for (int j = 0; j <= order; j++) memcpy(f->d[j], f->moved[j], (size_t)n * sizeof(double));
    f->h *= factor;
    f->equal = 0;
}

/* ---- one step ---- */

static void predict(Formula *f) {
    int n = f->system->n;
    memset(f->guess, 0, (size_t)n * sizeof(double));
    memset(f->psi, 0, (size_t)n * sizeof(double));
    for (int j = 0; j <= f->order; j++)
        for (int i = 0; i < n; i++) {
            f->guess[i] += f->d[j][i];
            f->psi[i] += gamma_of(j) * f->d[j][i] / alpha_of(f->order);
        }
}

/* delta <- (I - c J)^-1 (c phi - psi - change) */
static CardanStatus newton_step(Formula *f, double t, double c) {
    const CrdLabSystem *system = f->system;
    int n = system->n;
    CRD_TRY(system->rates(system->user, t, f->end, f->delta, f->desk));
    for (int i = 0; i < n; i++) {
        f->delta[i] = c * f->delta[i] - f->psi[i] - f->change[i];
        for (int j = 0; j < n; j++) f->matrix[i * n + j] = (i == j ? 1.0 : 0.0) - c * f->jacobian[i * n + j];
    }
    return crd_lab_solve((CrdLabPlace){"step matrix of bdf", t, f->desk}, n, 1, f->matrix, f->delta);
}

/* f->end and f->change; *converged: to a small part of the tolerance. */
static CardanStatus solve(Formula *f, double t, bool *converged) {
    int n = f->system->n;
    double c = f->h / alpha_of(f->order), before = 0.0;
    double enough = fmax(10.0 * CRD_EPS / f->tolerance.rtol, fmin(CRD_LAB_BDF_NEWTON, sqrt(f->tolerance.rtol)));
    memset(f->change, 0, (size_t)n * sizeof(double));
    memcpy(f->end, f->guess, (size_t)n * sizeof(double));
    *converged = false;
    for (int k = 0; k < PATIENCE; k++) {
        CRD_TRY(newton_step(f, t, c));
        double size = norm(f, f->delta, f->guess), rate = k > 0 ? size / before : 0.0;
        if (k > 0 && (rate >= 1.0 || pow(rate, PATIENCE - k) / (1.0 - rate) * size > enough)) return CARDAN_OK;
        for (int i = 0; i < n; i++) {
            f->end[i] += f->delta[i];
            f->change[i] += f->delta[i];
        }
        if (size == 0.0 || (k > 0 && rate / (1.0 - rate) * size < enough)) {
            *converged = true;
            return CARDAN_OK;
        }
        before = size;
    }
    return CARDAN_OK;
}

/* A step whose Newton iteration converges, shorter if need be. */
static CardanStatus solvable_step(Formula *f, double t1, bool *last) {
    for (;;) {
        bool converged;
        if (f->h < CRD_STEP_MIN_ULP * CRD_EPS * fmax(fabs(f->t), CRD_STEP_TIME_SCALE))
            return crd_fail(f->desk->error, CARDAN_ERR_NUMERIC, "bdf: the step became too small at t = %.12g", f->t);
        *last = f->t + f->h * (1.0 + CRD_STEP_STRETCH) >= t1;
        if (*last) resize(f, (t1 - f->t) / f->h);
        double t = *last ? t1 : f->t + f->h;
        predict(f);
        CRD_TRY(solve(f, t, &converged));
        if (converged) return CARDAN_OK;
        if (f->fresh)
            resize(f, 0.5);
        else
            CRD_TRY(crd_lab_differentiate(f->system, t, f->guess, f->jacobian, f->desk));
        f->fresh = true;
    }
}

/* Puts the differences behind an accepted step. */
static void move_on(Formula *f) {
    int n = f->system->n, k = f->order;
    for (int i = 0; i < n; i++) {
        f->d[k + 2][i] = f->change[i] - f->d[k + 1][i];
        f->d[k + 1][i] = f->change[i];
    }
    for (int j = k; j >= 0; j--)
        for (int i = 0; i < n; i++) f->d[j][i] += f->d[j + 1][i];
}

/* Order and size of the next step after k + 1 of one size; error: norm at the present order. */
static void choose(Formula *f, double error) {
    int k = f->order, best = k;
    double largest = 0.0;
    if (++f->equal < k + 1) return;
    for (int order = k > 1 ? k - 1 : k; order <= k + 1 && order <= ORDERS; order++) {
        double size = order == k ? error : error_constant(order) * norm(f, f->d[order + 1], f->end);
        double factor = size > 0.0 ? pow(size, -1.0 / (order + 1)) : CRD_STEP_GROW / CRD_STEP_SAFETY;
        if (factor > largest) largest = factor, best = order;
    }
    f->order = best;
    resize(f, fmin(CRD_STEP_GROW, CRD_STEP_SAFETY * largest));
}

/* ---- the whole ---- */

static CardanStatus take_room(Formula *f) {
    int n = f->system->n;
    double **vectors[] = {&f->guess, &f->psi, &f->change, &f->delta, &f->end, &f->rates};
    for (int j = 0; j < DIFFERENCES; j++) f->d[j] = crd_lab_numbers(f->desk, n, 1);
    for (int j = 0; j <= ORDERS; j++) f->moved[j] = crd_lab_numbers(f->desk, n, 1);
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++) *vectors[i] = crd_lab_numbers(f->desk, n, 1);
    f->jacobian = crd_lab_numbers(f->desk, n, n);
    f->matrix = crd_lab_numbers(f->desk, n, n);
    return f->desk->empty ? crd_fail_memory(f->desk->error) : CARDAN_OK;
}

static CardanStatus begin(Formula *f, const double *w) {
    int n = f->system->n;
    CRD_TRY(take_room(f));
    CRD_TRY(f->system->rates(f->system->user, f->t, w, f->rates, f->desk));
    CRD_TRY(crd_lab_differentiate(f->system, f->t, w, f->jacobian, f->desk));
    memcpy(f->d[0], w, (size_t)n * sizeof *w);
    for (int i = 0; i < n; i++) f->d[1][i] = f->h * f->rates[i];
    return CARDAN_OK;
}

static CardanStatus steps(Formula *f, double t1, double *w, CrdLabWatcher watcher) {
    double most = f->tolerance.h_max > 0.0 ? f->tolerance.h_max : t1 - f->t;
    CRD_TRY(begin(f, w));
    while (f->t < t1) {
        bool last = false;
        if (f->h > most) resize(f, most / f->h);
        CRD_TRY(solvable_step(f, t1, &last));
        double error = error_constant(f->order) * norm(f, f->change, f->end);
        if (!(error <= 1.0)) {
            resize(f, fmax(CRD_STEP_SHRINK, CRD_STEP_SAFETY * pow(error, -1.0 / (f->order + 1))));
            continue;
        }
        f->t = last ? t1 : f->t + f->h;
        f->fresh = false;
        move_on(f);
        memcpy(w, f->end, (size_t)f->system->n * sizeof *w);
        choose(f, error);
        CRD_TRY(f->system->rates(f->system->user, f->t, w, f->rates, f->desk));
        if (watcher.see != NULL && watcher.see(watcher.user, f->t, w, f->rates) != 0) break;
    }
    return CARDAN_OK;
}

static CardanStatus run(const CrdLabSystem *system, CrdLabTolerance tolerance, double t0, double t1, double *w,
                        CrdLabWatcher watcher, CrdLabDesk *desk) {
    double first = tolerance.h_first > 0.0 ? tolerance.h_first : CRD_FIRST_STEP;
    Formula f = {
        .system = system, .tolerance = tolerance, .desk = desk, .t = t0, .h = fmin(first, t1 - t0), .order = 1};
    CrdLabMark mark = crd_lab_mark(desk);
    CardanStatus status = steps(&f, t1, w, watcher);
    crd_lab_back(desk, mark);
    return status;
}

const CrdLabIntegrator crd_lab_bdf = {"bdf", run};
