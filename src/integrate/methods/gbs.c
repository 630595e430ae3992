/* gbs: extrapolation of the modified midpoint rule (Gragg, Bulirsch, Stoer), variable order and step.
 *
 * A sweep of m = 2, 4, 6, ... substeps of h/m from (t, y), smoothed at the end:
 *     z_0 = y    z_1 = y + (h/m) f    z_(i+1) = z_(i-1) + 2 (h/m) f(z_i)    T_j1 = (z_m + z_(m-1) + (h/m) f(z_m)) / 2
 * has an error in even powers of h/m, so by Aitken and Neville
 *     T_j,l+1 = T_jl + (T_jl - T_(j-1),l) / ((m_j / m_(j-l))^2 - 1)
 * is of order 2 l + 2. T_jj is the result, T_jj - T_j,j-1 its error estimate. Column and step are chosen for the least
 * work a unit of time. (Hairer, Norsett, Wanner, II.9, and the program ODEX of Hairer and Wanner.)
 *
 * Inside the last step: its ends say too little for so long a step, so when asked its eighths are integrated too, and a
 * polynomial of degree 17 goes through values and slopes at nine points. */
#include "core/numbers.h"
#include "integrate/methods/method.h"
#include "integrate/norm.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

/* Extrapolation (Hairer, Norsett, Wanner, II.9; ODEX): columns to a digit of the tolerance for the first step; parts of
 * the step that would just meet the tolerance; work a unit of time below which another column is taken. */
#define CRD_GBS_COLUMNS_PER_DIGIT 0.6
#define CRD_GBS_SAFETY 0.94
#define CRD_GBS_AIM 0.65
#define CRD_GBS_SHRINK 0.02
#define CRD_GBS_LOWER 0.8
#define CRD_GBS_RAISE 0.9

/* Error of the pieces that a long step is divided into for what happens inside it, in tolerances: seven of them
 * together are still well below the step's own. */
#define CRD_GBS_INSIDE 0.01

enum { COLUMNS = 9, PARTS = 8, NODES = 2 * (PARTS + 1) };

typedef struct Gbs {
    int target;  /* column at which convergence is expected */
    int reached; /* column of the last attempt */
    bool rejected;
    double norm[COLUMNS + 1];      /* error norms by column, from 2 */
    double *table;                 /* (COLUMNS x n) T_jl of the last row j, the most extrapolated first */
    double *error;                 /* (n) of the last column */
    double *before, *here, *slope; /* (n) of a sweep */
    double *dense;                 /* (NODES x n) divided differences over the last step */
} Gbs;

/* History: the column to aim at; 0: not known. */

static int substeps(int column) {
    return 2 * column;
}

/* Right-hand sides up to a column. */
static double work(int column) {
    double sum = 1.0;
    for (int j = 1; j <= column; j++) sum += substeps(j);
    return sum;
}

static void layout(CrdStepper *stepper, CrdArena *arena) {
    Gbs measuring = {0}, *m = crd_take(arena, 1, sizeof *m), *gbs = m != NULL ? m : &measuring;
    size_t n = (size_t)stepper->n, real = sizeof(double);
    gbs->table = crd_take(arena, COLUMNS * n, real);
    gbs->dense = crd_take(arena, NODES * n, real);
    CRD_TAKE_VECTORS(arena, n, &gbs->error, &gbs->before, &gbs->here, &gbs->slope);
    stepper->memory = m;
    stepper->history_size = 1;
}

static bool remembers(const CrdStepper *stepper, const double *history) {
    (void)stepper;
    const double target = history[0];
    return target == 0.0 || (target >= 2.0 && target < COLUMNS && target == floor(target));
}

/* First guess of the column: one per 1.7 digits (ODEX). */
static void begin(CrdStepper *stepper) {
    Gbs *gbs = stepper->memory;
    double digits = -log10(fmax(stepper->rtol, CRD_EPS));
    int guess = (int)(CRD_GBS_COLUMNS_PER_DIGIT * digits + 1.5);
    gbs->target = stepper->history[0] > 0.0 ? (int)stepper->history[0]
                  : guess < 2               ? 2
                  : guess < COLUMNS         ? guess
                                            : COLUMNS - 1;
    gbs->rejected = false;
}

/* T_j1 of the sweep of column j from (t, y, f), into the table's row j - 1. */
static CardanStatus sweep(CrdStepper *stepper, int j, double t, double h, const double *y, const double *f) {
    const Gbs *gbs = stepper->memory;
    int m = substeps(j), n = stepper->n;
    double part = h / m, *before = gbs->before, *here = gbs->here, *out = gbs->table + (size_t)(j - 1) * (size_t)n;
    for (int i = 0; i < n; i++) {
        before[i] = y[i];
        here[i] = y[i] + part * f[i];
    }
    for (int k = 1; k < m; k++) {
        CRD_TRY(stepper->ode.rhs(stepper->ode.user, t + k * part, here, gbs->slope));
        for (int i = 0; i < n; i++) {
            double next = before[i] + 2.0 * part * gbs->slope[i];
            before[i] = here[i];
            here[i] = next;
        }
    }
    if (stepper->method->order > 0) { /* of fixed order: not smoothed */
        memcpy(out, here, (size_t)n * sizeof *out);
        return CARDAN_OK;
    }
    CRD_TRY(stepper->ode.rhs(stepper->ode.user, t + h, here, gbs->slope));
    for (int i = 0; i < n; i++) out[i] = 0.5 * (here[i] + before[i] + part * gbs->slope[i]);
    return CARDAN_OK;
}

/* One more row of the table; row 0 becomes T_jj, error = T_jj - T_j,j-1 (j > 1). */
static CardanStatus extrapolate(CrdStepper *stepper, int j, double t, double h, const double *y, const double *f) {
    const Gbs *gbs = stepper->memory;
    size_t n = (size_t)stepper->n;
    assert(j >= 1 && j <= COLUMNS);
    CRD_TRY(sweep(stepper, j, t, h, y, f));
    for (int l = j - 1; l > 0; l--) {
        double ratio = (double)substeps(j) / substeps(l), scale = 1.0 / (ratio * ratio - 1.0);
        double *fine = gbs->table + (size_t)l * n, *coarse = fine - n;
        for (size_t i = 0; i < n; i++) coarse[i] = fine[i] + (fine[i] - coarse[i]) * scale;
    }
    for (size_t i = 0; j > 1 && i < n; i++) gbs->error[i] = gbs->table[i] - gbs->table[n + i];
    return crd_all_finite(gbs->table, stepper->n) ? CARDAN_OK : CARDAN_ERR_NUMERIC;
}

static double norm_of(const CrdStepper *stepper, const double *weight) {
    const Gbs *gbs = stepper->memory;
    CrdScale scale = {stepper->n, stepper->y, gbs->table, weight, stepper->rtol, stepper->atol, stepper->absolute};
    return sqrt(crd_mean_square(&scale, gbs->error));
}

/* Whether the columns still to come can make up for this error: each divides it by about (m_(j+1) / 2)^2. */
static bool hopeless(const Gbs *gbs, int j) {
    double gain = 1.0;
    for (int l = j + 1; l <= gbs->target + 1; l++) gain *= 0.25 * substeps(l) * substeps(l);
    return gbs->norm[j] > gain;
}

/* As many columns as the order needs, no more and no fewer. */
static CardanStatus attempt_fixed(CrdStepper *stepper, double h, bool want_error) {
    const Gbs *gbs = stepper->memory;
    (void)want_error;
    assert(stepper->method->order % 2 == 0 && stepper->method->order <= 2 * COLUMNS);
    for (int j = 1; 2 * j <= stepper->method->order; j++)
        CRD_TRY(extrapolate(stepper, j, stepper->t, h, stepper->y, stepper->f));
    memcpy(stepper->y_new, gbs->table, (size_t)stepper->n * sizeof *stepper->y_new);
    return CARDAN_OK;
}

static CardanStatus attempt(CrdStepper *stepper, double h, bool want_error) {
    Gbs *gbs = stepper->memory;
    int last = want_error ? gbs->target + 1 : COLUMNS;
    assert(gbs->target >= 2 && last <= COLUMNS);
    for (int j = 1; j <= last; j++) {
        CRD_TRY(extrapolate(stepper, j, stepper->t, h, stepper->y, stepper->f));
        gbs->reached = j;
        if (j == 1) continue;
        gbs->norm[j] = norm_of(stepper, stepper->weight);
        bool look = !want_error || j >= gbs->target - 1;
        if (look && (gbs->norm[j] <= 1.0 || (want_error && hopeless(gbs, j)))) break;
    }
    memcpy(stepper->y_new, gbs->table, (size_t)stepper->n * sizeof *stepper->y_new);
    return CARDAN_OK;
}

static double error_norm(const CrdStepper *stepper, double h, const double *weight) {
    (void)h;
    return norm_of(stepper, weight);
}

/* The step that would just do with this column. */
static double size_for(const Gbs *gbs, int j, double h) {
    double exponent = 1.0 / (2 * j - 1), min = pow(CRD_GBS_SHRINK, exponent);
    double factor = CRD_GBS_SAFETY * pow(CRD_GBS_AIM / fmax(gbs->norm[j], DBL_MIN), exponent);
    return h * fmin(1.0 / min, fmax(0.25 * min, factor));
}

static double cost(const Gbs *gbs, int j, double h) {
    return work(j) / size_for(gbs, j, h);
}

/* The column with the least work a unit of time next to the one that was reached. */
static int best_column(const Gbs *gbs, double h) {
    int c = gbs->reached, best = c;
    if (c <= 2) return gbs->rejected ? 2 : 3;
    if (c > gbs->target) { /* one more than expected */
        best = c - 1;
        if (c > 3 && cost(gbs, c - 2, h) < CRD_GBS_LOWER * cost(gbs, c - 1, h)) best = c - 2;
        if (cost(gbs, c, h) < CRD_GBS_RAISE * cost(gbs, best, h)) best = c;
    } else {
        if (cost(gbs, c - 1, h) < CRD_GBS_LOWER * cost(gbs, c, h)) best = c - 1;
        if (cost(gbs, c, h) < CRD_GBS_RAISE * cost(gbs, c - 1, h)) best = c + 1;
    }
    return best < COLUMNS ? best : COLUMNS - 1;
}

static double resize(CrdStepper *stepper, double norm, double h, bool accepted) {
    (void)norm; /* those of all columns count */
    Gbs *gbs = stepper->memory;
    int c = gbs->reached;
    if (!accepted) {
        int k = gbs->target < c ? gbs->target : c;
        if (k > 2 && cost(gbs, k - 1, h) < CRD_GBS_LOWER * cost(gbs, k, h)) k--;
        gbs->target = k;
        gbs->rejected = true;
        return fmin(size_for(gbs, k, h), CRD_STEP_SAFETY * h);
    }
    int best = best_column(gbs, h);
    if (gbs->rejected) {
        gbs->target = best < c ? best : c;
        return fmin(h, size_for(gbs, gbs->target, h));
    }
    gbs->target = best;
    return best <= c ? size_for(gbs, best, h) : size_for(gbs, c, h) * work(best) / work(c);
}

static void accepted(CrdStepper *stepper) {
    const Gbs *gbs = stepper->memory;
    stepper->history[0] = gbs->target;
}

/* ---- inside the last step ---- */

/* Divided differences over the nodes 0, 0, 1/8, 1/8, ...; row 2 q holds the value at node q, row 2 q + 1 its slope. */
static void divide(double *d, size_t n, double h) {
    for (int q = PARTS; q >= 0; q--) /* first differences: slopes, and steps between the nodes */
        for (size_t i = 0; i < n; i++) {
            double *value = d + (size_t)(2 * q) * n + i, *slope = value + n;
            *slope *= h;
            if (q > 0) *value = (*value - *(value - 2 * n)) * PARTS;
        }
    for (int level = 2; level < NODES; level++)
        for (int k = NODES - 1; k >= level; k--) {
            double gap = (double)(k / 2 - (k - level) / 2) / PARTS;
            double *row = d + (size_t)k * n;
            for (size_t i = 0; i < n; i++) row[i] = (row[i] - row[i - n]) / gap;
        }
}

static CardanStatus prepare_dense(CrdStepper *stepper) {
    const Gbs *gbs = stepper->memory;
    size_t n = (size_t)stepper->n, bytes = n * sizeof(double);
    double h = stepper->t - stepper->t_old, part = h / PARTS;
    memcpy(gbs->dense, stepper->y_old, bytes);
    memcpy(gbs->dense + n, stepper->f_new, bytes);
    for (int q = 1; q < PARTS; q++) {
        double t = stepper->t_old + (q - 1) * part, *from = gbs->dense + (size_t)(2 * q - 2) * n, *to = from + 2 * n;
        CRD_TRY(extrapolate(stepper, 1, t, part, from, from + n));
        for (int j = 2; j <= COLUMNS; j++) {
            CRD_TRY(extrapolate(stepper, j, t, part, from, from + n));
            if (norm_of(stepper, stepper->weight) <= CRD_GBS_INSIDE) break;
        }
        memcpy(to, gbs->table, bytes);
        CRD_TRY(stepper->ode.rhs(stepper->ode.user, t + part, to, to + n));
    }
    memcpy(gbs->dense + (NODES - 2) * n, stepper->y, bytes);
    memcpy(gbs->dense + (NODES - 1) * n, stepper->f, bytes);
    divide(gbs->dense, n, h);
    return CARDAN_OK;
}

static void interpolate(const CrdStepper *stepper, double theta, double *y) {
    const Gbs *gbs = stepper->memory;
    size_t n = (size_t)stepper->n;
    memcpy(y, gbs->dense + (NODES - 1) * n, n * sizeof *y);
    for (int k = NODES - 2; k >= 0; k--) {
        const double *row = gbs->dense + (size_t)k * n;
        double factor = theta - (double)(k / 2) / PARTS;
        for (size_t i = 0; i < n; i++) y[i] = row[i] + factor * y[i];
    }
}

const CrdMethod crd_gbs = {.name = "gbs",
                           .summary = "extrapolation of the midpoint rule (Gragg, Bulirsch, Stoer), variable order",
                           .adaptive = true,
                           .formulations = CRD_TAKES_INDEX1,
                           .error_order = 3,
                           .layout = layout,
                           .begin = begin,
                           .remembers = remembers,
                           .attempt = attempt,
                           .error_norm = error_norm,
                           .resize = resize,
                           .accepted = accepted,
                           .looks_inside = true,
                           .prepare_dense = prepare_dense,
                           .interpolate = interpolate};
const CrdMethod crd_gbs4 = {.name = "gbs4",
                            .summary = "extrapolation of the midpoint rule, two columns",
                            .order = 4,
                            .layout = layout,
                            .attempt = attempt_fixed};
const CrdMethod crd_gbs6 = {.name = "gbs6",
                            .summary = "extrapolation of the midpoint rule, three columns",
                            .order = 6,
                            .layout = layout,
                            .attempt = attempt_fixed};
