/* Errors of neighbouring orders, the order and the size of the next step (bdf.h). At order j an even grid of steps h
 * would err by
 *
 *     error_j = j! h^(j+1) |y[t_new, x_0 .. x_j]| / gamma_(j+1)
 *
 * and the order that allows the longest step is taken: lower ones at once, a higher one after as many steps as it has
 * nodes, for right after a change its difference is still that of the old one. */
#include "core/numbers.h"
#include "integrate/methods/bdf.h"
#include "integrate/methods/divided.h"
#include "integrate/norm.h"

#include <assert.h>
#include <float.h>
#include <math.h>

/* What an error counts for when orders are compared: the present one goes on unless another is clearly better, and a
 * rise, whose estimate is the least sure, is the last choice. */
#define CRD_BDF_BIAS 1.5
#define CRD_BDF_BIAS_RISE 2.0

/* Tolerance below which steps are asked for more, and what an error counts for above. */
#define CRD_BDF_LOOSE 1e-5
#define CRD_BDF_TIGHT 1e-11
#define CRD_BDF_STRICT 1.2

/* A step grows at least by the first, or not at all: then the factors serve again; and at most by the second, as the
 * polynomial is drawn out. Shortened it is by no more than the third at once. */
#define CRD_BDF_SAME 1.1
#define CRD_BDF_LESS 0.95
#define CRD_BDF_GROW 2.0
#define CRD_BDF_SHRINK 0.25

/* After so many failures of one step its nodes are not believed any more and it starts from its slope. */
#define CRD_BDF_FAILURES 3

/* Differences of seven numbers carry so many ulps of them, or of what is typical of them: what the stabiliser adds is
 * rounding of that. */
#define CRD_BDF_ROUNDING 32.0

/* A step does not grow where corrections of the iteration fell by less. */
#define CRD_BDF_SLOW 0.5

void crd_bdf_renew(CrdStepper *stepper, double h) {
    CrdBdf *bdf = stepper->memory;
    int n = stepper->n, all = bdf->known == 1 ? 2 : bdf->known;
    for (int i = 0; i < n; i++) bdf->fresh[i] = stepper->y_new[i];
    for (int j = 0; j < all; j++) {
        const double *before = crd_row(bdf->fresh, n, j), *old = crd_row(bdf->difference, n, j);
        double way = h + bdf->age[j], *next = crd_row(bdf->fresh, n, j + 1);
        for (int i = 0; i < n; i++) next[i] = (before[i] - old[i]) / way;
    }
}

/* The errors of all steps add up, and there are tol^(-1/6) of them at order 5: for an error of the whole that goes with
 * the tolerance each step is asked for tol^(6/5) (tolerance proportionality: Stetter 1980; Hairer, Norsett, Wanner,
 * II.4). Looser ones than the first number are taken as they are. */
double crd_bdf_strictness(const CrdStepper *stepper) {
    double tight = fmax(stepper->rtol, CRD_BDF_TIGHT) / CRD_BDF_LOOSE;
    return CRD_BDF_STRICT * fmax(1.0, pow(tight, -1.0 / CRD_BDF_ORDERS));
}

static double norm_of(const CrdStepper *stepper, const double *x, const double *weight) {
    CrdScale scale = {stepper->n, stepper->y, stepper->y_new, weight, stepper->rtol, stepper->atol, stepper->absolute};
    return sqrt(crd_mean_square(&scale, x));
}

/* out <- scale times a difference, as an error of the state. */
static void filtered(const CrdStepper *stepper, int row, double scale, double h, double *out) {
    CrdBdf *bdf = stepper->memory;
    const double *difference = crd_row(bdf->fresh, stepper->n, row);
    for (int i = 0; i < stepper->n; i++) {
        double typical = i < stepper->equations.core ? stepper->equations.typical[i] : 0.0;
        double noise = CRD_BDF_ROUNDING * CRD_EPS * fmax(fabs(stepper->y[i]), typical);
        out[i] = fabs(scale * difference[i]) > noise ? scale * difference[i] : 0.0;
    }
    if (crd_implicit_filter(&bdf->implicit, h / crd_bdf_gamma(bdf->order), out) < 0)
        for (int i = 0; i < stepper->n; i++) out[i] = scale * difference[i];
}

void crd_bdf_estimate(CrdStepper *stepper, double h) {
    CrdBdf *bdf = stepper->memory;
    double ways = 0.0, product = 1.0;
    for (int i = 0; i < bdf->count; i++) {
        ways += h / (h + bdf->age[i]);
        product *= h + bdf->age[i];
    }
    assert(bdf->count == bdf->order + 1);
    double share = crd_bdf_strictness(stepper) * (1.0 - crd_bdf_gamma(bdf->order) / ways);
    filtered(stepper, bdf->count, share * product, h, bdf->error);
}

double crd_bdf_error(const CrdStepper *stepper, double h, const double *weight) {
    (void)h;
    const CrdBdf *bdf = stepper->memory;
    return norm_of(stepper, bdf->error, weight);
}

/* As on an even grid of steps h. */
static double error_at(const CrdStepper *stepper, int order, double h) {
    const CrdBdf *bdf = stepper->memory;
    double scale = crd_bdf_strictness(stepper) * tgamma(order + 1) * pow(h, order + 1) / crd_bdf_gamma(order + 1);
    filtered(stepper, order + 1, scale, h, bdf->guess);
    return norm_of(stepper, bdf->guess, stepper->weight);
}

/* By what a step may be longer for this error to be just right. */
static double factor_of(double error, double bias, int order) {
    return pow(fmax(bias * error, DBL_MIN), -1.0 / (order + 1));
}

/* The best order of those there are differences for; its factor. */
static double choose(CrdStepper *stepper, double norm, double h, bool may_rise) {
    CrdBdf *bdf = stepper->memory;
    int k = bdf->order, all = bdf->known == 1 ? 2 : bdf->known;
    double best = factor_of(norm, CRD_BDF_BIAS, k);
    bdf->next_order = k;
    for (int order = k - 1; order <= k + 1; order += 2) {
        bool rise = order > k;
        if (order < 1 || (rise && (!may_rise || order > crd_bdf_order_max(stepper) || order + 1 > all))) continue;
        double factor = factor_of(error_at(stepper, order, h), rise ? CRD_BDF_BIAS_RISE : CRD_BDF_BIAS, order);
        if (!(factor > best)) continue;
        best = factor;
        bdf->next_order = order;
    }
    return best;
}

static double shorten(CrdStepper *stepper, double norm, double h) {
    CrdBdf *bdf = stepper->memory;
    if (!isfinite(norm)) return h * CRD_BDF_SHRINK;
    double factor = choose(stepper, norm, h, false);
    bdf->order = bdf->next_order;
    if (++bdf->failures >= CRD_BDF_FAILURES) {
        bdf->known = bdf->order = 1;
        return h * CRD_BDF_SHRINK;
    }
    return h * fmax(CRD_BDF_SHRINK, fmin(CRD_STEP_SAFETY, CRD_STEP_SAFETY * factor));
}

static double resized(CrdStepper *stepper, double norm, double h, bool accepted) {
    const CrdBdf *bdf = stepper->memory;
    if (!accepted) return shorten(stepper, norm, h);
    bool ripe = stepper->history[CRD_BDF_EQUAL] >= bdf->order;
    double factor = choose(stepper, norm, h, ripe);
    if (bdf->failures > 0 || bdf->implicit.rate > CRD_BDF_SLOW || !ripe) factor = fmin(factor, 1.0);
    if (factor < CRD_BDF_LESS) return h * fmax(CRD_BDF_SHRINK, factor);
    return factor < CRD_BDF_SAME ? h : h * fmin(CRD_BDF_GROW, factor);
}

double crd_bdf_resize(CrdStepper *stepper, double norm, double h, bool accepted) {
    CrdBdf *bdf = stepper->memory;
    double next = resized(stepper, norm, h, accepted);
    bdf->same = accepted && bdf->failures == 0 && next == h && bdf->next_order == bdf->order;
    return next;
}
