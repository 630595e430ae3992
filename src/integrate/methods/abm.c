/* abm: Adams-Bashforth-Moulton of variable order and step, predict-evaluate-correct-evaluate.
 *
 * Slopes f_j are remembered at nodes x_0 = t, x_1 < x_0, ... With u = t_new and divided differences f[...]
 *     Phi*_j = prod_{i<j} (u - x_i) f[x_0 .. x_j]           g_j = int_t^u prod_{i<j} (s - x_i) / (u - x_i) ds
 * the step of order k is
 *     predictor  p = y + sum_{j<k} g_j Phi*_j               f_p = f(u, p)
 *     corrector  y_new = p + g_k Phi_k                      Phi_0 = f_p,  Phi_(j+1) = Phi_j - Phi*_j
 *     error      E_k = (g_k - g_(k-1)) Phi_k                of the corrector of order k; y_new is one order better
 * E_(k-2) .. E_(k+1) come the same way and choose the next order. (Hairer, Norsett, Wanner, III.5 and III.7; the rules
 * of order and step are those of L. F. Shampine and M. K. Gordon, Computer Solution of Ordinary Differential Equations,
 * Freeman, 1975.)
 *
 * Inside the last step the motion is the integral of the polynomial through the slopes there, from the new end; what it
 * misses at the old end is taken away by a cubic with level ends, so that steps join with their slopes. */
#include "core/numbers.h"
#include "integrate/methods/adams.h"
#include "integrate/methods/divided.h"
#include "integrate/methods/method.h"
#include "integrate/norm.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

/* Adams methods of variable order (Shampine and Gordon): orders 1 and 2 are told apart only when their errors differ
 * clearly, for these estimates are rough; after so many failures of one step its history is not believed any more and
 * order 1 starts again. */
#define CRD_ADAMS_ORDER_ONE 0.5
#define CRD_ADAMS_FAILURES 3

enum { MOST = CRD_ADAMS_MAX, DIFFERENCES = MOST + 2 };

typedef struct Abm {
    int known;         /* nodes */
    int order;         /* of the present attempt */
    int next_order;    /* what its errors ask for */
    double next_error; /* norm of the error at that order */
    int failures;      /* of the present step */
    double g[DIFFERENCES];
    double *star;  /* (DIFFERENCES x n) Phi* */
    double *phi;   /* (DIFFERENCES x n) Phi of the predicted slope */
    double *slope; /* (n) there */

    int dense_count; /* inside the last step: differences, */
    double dense_age[DIFFERENCES];
    double *dense; /* (DIFFERENCES x n) */
    double *miss;  /* (n) what they miss at its old end */
} Abm;

/* History: order, whether the start is over, number of nodes (0: none), how long ago they were (s), the slopes there,
 * the newest first. */
enum { ORDER, STARTED, KNOWN, AGES, SLOPES = AGES + DIFFERENCES };

static double *slope_at(const CrdStepper *stepper, int j) {
    return stepper->history + SLOPES + (size_t)j * (size_t)stepper->n;
}

static double *row(double *rows, const CrdStepper *stepper, int j) {
    return rows + (size_t)j * (size_t)stepper->n;
}

static void layout(CrdStepper *stepper, CrdArena *arena) {
    Abm measuring = {0}, *m = crd_take(arena, 1, sizeof *m), *abm = m != NULL ? m : &measuring;
    size_t n = (size_t)stepper->n;
    CRD_TAKE_VECTORS(arena, DIFFERENCES * n, &abm->star, &abm->phi, &abm->dense);
    CRD_TAKE_VECTORS(arena, n, &abm->slope, &abm->miss);
    stepper->memory = m;
    stepper->history_size = SLOPES + DIFFERENCES * stepper->n;
}

static bool remembers(const CrdStepper *stepper, const double *history) {
    (void)stepper;
    const double known = history[KNOWN], order = history[ORDER], *age = history + AGES;
    if (known == 0.0) return true;
    if (!(known >= 1.0 && known <= DIFFERENCES && known == floor(known))) return false;
    if (!(order >= 1.0 && order <= MOST && order <= known && order == floor(order))) return false;
    for (int j = 1; j < (int)known; j++)
        if (!(age[j] > age[j - 1])) return false;
    return age[0] == 0.0;
}

/* Without history: order 1 from the present slope. */
static void begin(CrdStepper *stepper) {
    Abm *abm = stepper->memory;
    bool none = stepper->history[KNOWN] == 0.0;
    abm->known = none ? 1 : (int)stepper->history[KNOWN];
    abm->order = none ? 1 : (int)stepper->history[ORDER];
    abm->failures = 0;
}

/* g and Phi* of a step of size h; as many as there are nodes. Times are counted from the present one. */
static void prepare(CrdStepper *stepper, double h) {
    Abm *abm = stepper->memory;
    const double *age = stepper->history + AGES;
    double x[DIFFERENCES], d[DIFFERENCES], scale = 1.0;
    for (int j = 0; j < DIFFERENCES; j++) {
        x[j] = -age[j];
        d[j] = h + age[j];
    }
    int count = abm->known + 1 < DIFFERENCES ? abm->known + 1 : DIFFERENCES;
    crd_adams_integrals(x, d, count, 0.0, h, abm->g);
    memcpy(abm->star, stepper->f, (size_t)stepper->n * sizeof *abm->star);
    for (int j = 1; j < abm->known; j++)
        memcpy(row(abm->star, stepper, j), slope_at(stepper, j), (size_t)stepper->n * sizeof *abm->star);
    crd_divide(stepper->n, abm->known, age, abm->star);
    for (int j = 1; j < abm->known; j++) {
        double *star = row(abm->star, stepper, j);
        scale *= d[j - 1];
        for (int i = 0; i < stepper->n; i++) star[i] *= scale;
    }
}

/* Norm of E_j = (g_j - g_(j-1)) Phi_j(n+1). */
static double error_of(const CrdStepper *stepper, int j, const double *weight) {
    Abm *abm = stepper->memory;
    CrdScale scale = {stepper->n, stepper->y, stepper->y_new, weight, stepper->rtol, stepper->atol, stepper->absolute};
    return fabs(abm->g[j] - abm->g[j - 1]) * sqrt(crd_mean_square(&scale, row(abm->phi, stepper, j)));
}

/* The order that the errors of this attempt ask for. */
static void choose_order(CrdStepper *stepper) {
    Abm *abm = stepper->memory;
    int k = abm->order, known = abm->known;
    double here = error_of(stepper, k, stepper->weight);
    double below = k > 1 ? error_of(stepper, k - 1, stepper->weight) : (double)INFINITY;
    double far_below = k > 2 ? error_of(stepper, k - 2, stepper->weight) : 0.0;
    int most = stepper->order > 0 ? stepper->order : MOST;
    bool room = k < most && k < known; /* Phi_(k+1) needs Phi*_k */
    double above = room ? error_of(stepper, k + 1, stepper->weight) : (double)INFINITY;
    abm->next_order = k;
    abm->next_error = here;
    bool lower = k > 2 ? fmax(below, far_below) <= here : k == 2 && below <= CRD_ADAMS_ORDER_ONE * here;
    if (!lower && k > 1 && stepper->history[STARTED] != 0.0 && room) lower = below <= fmin(here, above);
    bool raise = stepper->history[STARTED] != 0.0 ? above < (k == 1 ? CRD_ADAMS_ORDER_ONE : 1.0) * here : k < most;
    if (lower) {
        abm->next_order = k - 1;
        abm->next_error = below;
    } else if (raise) {
        abm->next_order = k + 1;
        abm->next_error = room ? above : here;
    }
}

static CardanStatus attempt(CrdStepper *stepper, double h, bool want_error) {
    (void)want_error; /* it comes with the step */
    Abm *abm = stepper->memory;
    int k = abm->order, n = stepper->n, known = abm->known;
    assert(h > 0.0 && k >= 1 && k <= MOST && known >= k);
    prepare(stepper, h);
    memcpy(stepper->y_new, stepper->y, (size_t)n * sizeof *stepper->y);
    for (int j = k - 1; j >= 0; j--) {
        const double *star = row(abm->star, stepper, j);
        for (int i = 0; i < n; i++) stepper->y_new[i] += abm->g[j] * star[i];
    }
    CRD_TRY(stepper->ode.rhs(stepper->ode.user, stepper->t + h, stepper->y_new, abm->slope));
    memcpy(abm->phi, abm->slope, (size_t)n * sizeof *abm->phi);
    for (int j = 0; j < known && j <= k; j++)
        for (int i = 0; i < n; i++)
            row(abm->phi, stepper, j + 1)[i] = row(abm->phi, stepper, j)[i] - row(abm->star, stepper, j)[i];
    const double *last = row(abm->phi, stepper, k);
    for (int i = 0; i < n; i++) stepper->y_new[i] += abm->g[k] * last[i];
    if (!crd_all_finite(stepper->y_new, n)) return CARDAN_ERR_NUMERIC;
    choose_order(stepper);
    return CARDAN_OK;
}

static double error_norm(const CrdStepper *stepper, double h, const double *weight) {
    (void)h;
    const Abm *abm = stepper->memory;
    return error_of(stepper, abm->order, weight);
}

/* Steps are kept or doubled or clearly shortened: formulas like even grids. A start doubles them as long as it can. */
static double resize(CrdStepper *stepper, double norm, double h, bool accepted) {
    Abm *abm = stepper->memory;
    if (!accepted) {
        abm->failures++;
        if (abm->next_order < abm->order) abm->order = abm->next_order;
        if (abm->failures >= CRD_ADAMS_FAILURES) abm->order = 1;
        return 0.5 * h;
    }
    if (stepper->history[STARTED] == 0.0 && abm->failures == 0 && abm->next_order > abm->order &&
        norm * ldexp(1.0, abm->order + 1) <= 0.5)
        return 2.0 * h;
    double factor = pow(0.5 / fmax(abm->next_error, DBL_MIN), 1.0 / (abm->next_order + 1));
    if (factor >= 2.0) return abm->failures == 0 ? 2.0 * h : h;
    return factor >= 1.0 ? h : h * fmax(0.5, fmin(CRD_STEP_SAFETY, factor));
}

/* The new state becomes a node. It takes the place of the last one where a step was short only because it had to land
 * somewhere: differences over such a crumb would be rounding. */
static void accepted(CrdStepper *stepper) {
    Abm *abm = stepper->memory;
    double h = stepper->t - stepper->t_old, *age = stepper->history + AGES;
    bool crumb = h < CRD_ADAMS_CRUMB * stepper->proposed && stepper->history[KNOWN] > 0.0;
    int next = crumb ? abm->known : abm->known + 1 < DIFFERENCES ? abm->known + 1 : DIFFERENCES;
    for (int j = next - 1; j > 0; j--) {
        int from = crumb ? j : j - 1;
        const double *slope = from > 0 ? slope_at(stepper, from) : stepper->f_new; /* f_new: before the step */
        age[j] = h + (from > 0 ? age[from] : 0.0);
        memmove(slope_at(stepper, j), slope, (size_t)stepper->n * sizeof *slope);
    }
    age[0] = 0.0;
    memcpy(slope_at(stepper, 0), stepper->f, (size_t)stepper->n * sizeof *stepper->f);
    bool started = stepper->history[STARTED] != 0.0 || abm->failures > 0 || abm->next_order <= abm->order;
    stepper->history[STARTED] = started ? 1.0 : 0.0;
    stepper->history[ORDER] = abm->next_order < next ? abm->next_order : next;
    stepper->history[KNOWN] = next;
}

/* ---- inside the last step ---- */

/* y at t, counted from the new end: y_new + int_0^t sum_j f[x_0 .. x_j] prod_{i<j} (s - x_i) ds. */
static void integrate_from_end(const CrdStepper *stepper, double t, double *y) {
    const Abm *abm = stepper->memory;
    double x[DIFFERENCES], d[DIFFERENCES], w[DIFFERENCES];
    for (int j = 0; j < DIFFERENCES; j++) {
        x[j] = -abm->dense_age[j];
        d[j] = 1.0;
    }
    crd_adams_integrals(x, d, abm->dense_count, 0.0, t, w);
    memcpy(y, stepper->y, (size_t)stepper->n * sizeof *y);
    for (int j = abm->dense_count - 1; j >= 0; j--) {
        const double *difference = row(abm->dense, stepper, j);
        for (int i = 0; i < stepper->n; i++) y[i] += w[j] * difference[i];
    }
}

static CardanStatus prepare_dense(CrdStepper *stepper) {
    Abm *abm = stepper->memory;
    int known = (int)stepper->history[KNOWN];
    abm->dense_count = abm->order + 1 < known ? abm->order + 1 : known; /* as many as the corrector had */
    memcpy(abm->dense_age, stepper->history + AGES, sizeof abm->dense_age);
    memcpy(abm->dense, slope_at(stepper, 0), (size_t)abm->dense_count * (size_t)stepper->n * sizeof *abm->dense);
    crd_divide(stepper->n, abm->dense_count, abm->dense_age, abm->dense);
    integrate_from_end(stepper, stepper->t_old - stepper->t, abm->miss);
    for (int i = 0; i < stepper->n; i++) abm->miss[i] = stepper->y_old[i] - abm->miss[i];
    return CARDAN_OK;
}

static void interpolate(const CrdStepper *stepper, double theta, double *y) {
    const Abm *abm = stepper->memory;
    double share = (1.0 - theta) * (1.0 - theta) * (1.0 + 2.0 * theta);
    integrate_from_end(stepper, (theta - 1.0) * (stepper->t - stepper->t_old), y);
    for (int i = 0; i < stepper->n; i++) y[i] += share * abm->miss[i];
}

const CrdMethod crd_abm = {.name = "abm",
                           .summary = "Adams-Bashforth-Moulton of variable order, 1 to 12",
                           .adaptive = true,
                           .formulations = CRD_TAKES_INDEX1,
                           .error_order = 2,
                           .order_max = MOST,
                           .layout = layout,
                           .begin = begin,
                           .remembers = remembers,
                           .attempt = attempt,
                           .error_norm = error_norm,
                           .resize = resize,
                           .accepted = accepted,
                           .prepare_dense = prepare_dense,
                           .interpolate = interpolate};
