/* Laying out and stepping; derivatives and the step matrix are in implicit_matrix.c. */
#include "step/implicit_matrix.h"

#include <math.h>
#include <string.h>

#include "core/numbers.h"

long crd_implicit_unknowns(const CrdImplicitTableau *method, const CrdEquations *e) {
    return (long)method->stages * e->core + (e->in_slopes ? method->stages : 1L) * e->multipliers;
}

void crd_implicit_layout(CrdImplicit *im, const CrdImplicitTableau *method, const CrdEquations *e, CrdArena *arena) {
    size_t n = (size_t)e->n, core = (size_t)e->core, m = (size_t)e->multipliers, s = (size_t)method->stages;
    size_t real = sizeof(double), ends = e->in_slopes ? 0 : m;
    im->method = method;
    im->equations = *e;
    crd_newton_layout(&im->newton, (int)crd_implicit_unknowns(method, e), arena);
    im->k = crd_take(arena, s, n * real);
    im->u = crd_take(arena, s, m * real);
    double **vectors[] = {&im->slope, &im->stage, &im->base, &im->end, &im->trial, &im->point};
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++) *vectors[i] = crd_take(arena, n, real);
    im->residual = crd_take(arena, m, real);
    im->trial_residual = crd_take(arena, m, real);
    im->scale = crd_take(arena, core, real);
    im->jacobian = crd_take(arena, core, core * real);
    im->hold = crd_take(arena, core, m * real);
    im->directions = crd_take(arena, core, m * real);
    im->directions_end = crd_take(arena, core, m * real);
    crd_newton_layout(&im->projection, e->in_slopes && !method->ends_on_stage ? e->multipliers : 0, arena);
    im->pushed = crd_take(arena, core, ends * real);
    im->held_d = crd_take(arena, ends, ends * real);
}

/* ---- the iteration ---- */

static double *slope_of(const CrdImplicit *im, int stage) {
    return im->k + (size_t)stage * (size_t)im->equations.n;
}

static double *multipliers_of(const CrdImplicit *im, int stage) {
    return crd_stage_multipliers(im) > 0 ? im->u + (size_t)stage * (size_t)im->equations.multipliers : NULL;
}

/* out = base + h (start f + sum_j weights_j K_j). */
static void combine(const CrdImplicit *im, double h, double start, const double *weights, const double *f,
                    double *out) {
    for (int i = 0; i < im->equations.n; i++) {
        double sum = start * f[i];
        for (int j = 0; j < im->method->stages; j++) sum += weights[j] * slope_of(im, j)[i];
        out[i] = im->base[i] + h * sum;
    }
}

/* Right side of one stage; slopes of sums that ride along are taken as they are. */
static CardanStatus evaluate_stage(CrdImplicit *im, int i, double t, double h, const double *f) {
    const CrdEquations *e = &im->equations;
    const CrdImplicitTableau *method = im->method;
    double *k = slope_of(im, i), *u = multipliers_of(im, i), *out = im->newton.change + i * e->core;
    combine(im, h, method->start[i], method->a[i], f, im->stage);
    CRD_TRY(e->rates(e->user, t + method->c[i] * h, im->stage, u, im->slope, u != NULL ? im->residual : NULL));
    for (int c = 0; c < e->core; c++) out[c] = im->slope[c] - k[c];
    memcpy(k + e->core, im->slope + e->core, (size_t)(e->n - e->core) * sizeof *k);
    out = im->newton.change + method->stages * e->core + i * e->multipliers;
    for (int r = 0; u != NULL && r < e->multipliers; r++) out[r] = e->held[r] ? -im->residual[r] / h : -u[r];
    return CARDAN_OK;
}

/* The start, projected; y + D(y) u. */
static void place_start(CrdImplicit *im, const double *y) {
    int core = im->equations.core, m = crd_end_multipliers(im);
    memcpy(im->base, y, (size_t)im->equations.n * sizeof *y);
    crd_implicit_add_product(core, m, 1, im->directions, im->u, im->base);
}

/* The end, projected with D at the end that the last iterate gave. */
static CardanStatus place_end(CrdImplicit *im, double t, double h, const double *f) {
    const CrdEquations *e = &im->equations;
    if (crd_end_multipliers(im) == 0) {
        combine(im, h, im->method->start_end, im->method->b, f, im->end);
        return CARDAN_OK;
    }
    CRD_TRY(e->measure(e->user, t + h, im->end, im->residual));
    memset(im->trial, 0, (size_t)e->n * sizeof *im->trial);
    CRD_TRY(e->push(e->user, im->end, im->u, im->trial));
    combine(im, h, im->method->start_end, im->method->b, f, im->end);
    for (int i = 0; i < e->core; i++) im->end[i] += im->trial[i];
    return CARDAN_OK;
}

static CardanStatus evaluate_end(CrdImplicit *im, double t, double h, const double *f) {
    const CrdEquations *e = &im->equations;
    if (crd_end_multipliers(im) == 0) return CARDAN_OK;
    CRD_TRY(place_end(im, t, h, f));
    CRD_TRY(e->measure(e->user, t + h, im->end, im->residual));
    double *out = im->newton.change + im->method->stages * e->core;
    for (int r = 0; r < e->multipliers; r++) out[r] = e->held[r] ? -im->residual[r] : -im->u[r];
    return CARDAN_OK;
}

/* Applies the correction; returns its size in units of the state: what slopes, and projections, move. */
static double apply(CrdImplicit *im, double h) {
    int core = im->equations.core, s = im->method->stages, rest = im->newton.n - s * core;
    const double *change = im->newton.change;
    double size = 0.0;
    for (int i = 0; i < s; i++)
        for (int c = 0; c < core; c++) {
            slope_of(im, i)[c] += change[i * core + c];
            size = fmax(size, fabs(h * change[i * core + c]) / im->scale[c]);
        }
    for (int r = 0; r < rest; r++) im->u[r] += change[s * core + r];
    if (crd_end_multipliers(im) == 0) return size;
    memset(im->trial, 0, (size_t)core * sizeof *im->trial);
    crd_implicit_add_product(core, rest, 1, im->directions, change + s * core, im->trial);
    for (int c = 0; c < core; c++) size = fmax(size, fabs(im->trial[c]) / im->scale[c]);
    return size;
}

/* One correction. */
static CardanStatus iterate(CrdImplicit *im, double t, double h, const double *y, const double *f, double *size) {
    place_start(im, y);
    for (int i = 0; i < im->method->stages; i++) CRD_TRY(evaluate_stage(im, i, t, h, f));
    CRD_TRY(evaluate_end(im, t, h, f));
    if (crd_newton_solve(&im->newton) < 0)
        return crd_fail(im->equations.error, CARDAN_ERR_NUMERIC,
                        "a correction in the step of %s after t = %.9g is not finite (step %.3g)", im->method->name, t,
                        h);
    *size = apply(im, h);
    return CARDAN_OK;
}

/* Size of corrections that may be nothing but noise of the slopes. */
static double rounding(const CrdImplicit *im, double h) {
    const CrdEquations *e = &im->equations;
    double noise = e->noise != NULL ? e->noise(e->user) : 0.0;
    return fmax(CRD_STEP_ROUNDING, CRD_STEP_NOISE * fabs(h) * noise);
}

/* Corrections with the matrix at hand, until they are at rounding or stop falling. */
static CardanStatus converge(CrdImplicit *im, double t, double h, const double *y, const double *f, bool *done,
                             double *size) {
    double before = (double)INFINITY, earlier = (double)INFINITY, slowest = 0.0;
    *done = false;
    for (int i = 0; i < CRD_STEP_ITERATIONS && !*done; i++) {
        CRD_TRY(iterate(im, t, h, y, f, size));
        double rate = *size / before; /* 0 in the first; the second may be far below those that follow */
        double least = rounding(im, h);
        if (rate > CRD_STEP_DIVERGING && *size > least) break;
        slowest = fmax(slowest, rate);
        bool next_is_nothing = i > 1 && *size * slowest <= CRD_STEP_NEXT;
        *done =
            *size <= CRD_STEP_CONVERGED || (*size <= least && (next_is_nothing || *size >= CRD_STEP_STILL * earlier));
        earlier = before;
        before = *size;
    }
    return CARDAN_OK;
}

/* out (n): where the slope at the start leads in the share c of the step. A component that it would carry beyond its
 * own size stays: so steep a slope (stiff forces) says nothing of where it goes. */
static void predict(const CrdImplicit *im, double c, double h, const double *y, const double *f, double *out) {
    for (int i = 0; i < im->equations.n; i++) {
        bool steep = i < im->equations.core && !(fabs(h * f[i]) <= im->scale[i]);
        out[i] = steep ? y[i] : y[i] + c * h * f[i];
    }
}

/* Where the stages are in the mean, as a share of the step. */
static double centre(const CrdImplicitTableau *method) {
    double sum = 0.0, weight = 0.0;
    for (int i = 0; i < method->stages; i++) {
        sum += method->b[i] * method->c[i];
        weight += method->b[i];
    }
    return sum / weight;
}

static CardanStatus begin(CrdImplicit *im, double t, double h, const double *y, const double *f) {
    const CrdEquations *e = &im->equations;
    int s = im->method->stages, m = e->multipliers;
    for (int c = 0; c < e->core; c++) im->scale[c] = fmax(fabs(y[c]), e->typical[c]);
    for (int i = 0; i < s; i++) memcpy(slope_of(im, i), f, (size_t)e->n * sizeof *f);
    predict(im, 1.0, h, y, f, im->end);
    if (m == 0) return CARDAN_OK;
    CRD_TRY(e->begin(e->user, t, y, im->u));
    for (int i = 1; i < s && e->in_slopes; i++) memcpy(multipliers_of(im, i), im->u, (size_t)m * sizeof *im->u);
    return e->in_slopes ? CARDAN_OK : crd_implicit_directions(im, t, y, im->directions);
}

/* Derivatives where the step is expected or, in later rounds, where the iteration has come to. */
static CardanStatus linearise(CrdImplicit *im, double t, double h, const double *y, const double *f, bool first) {
    const CrdImplicitTableau *method = im->method;
    int last = method->stages - 1;
    double at = t + h * (first ? centre(method) : method->c[last]);
    if (first)
        predict(im, centre(method), h, y, f, im->point);
    else
        combine(im, h, method->start[last], method->a[last], f, im->point);
    if (crd_stage_multipliers(im) > 0) CRD_TRY(crd_implicit_directions(im, at, im->point, im->directions));
    CRD_TRY(crd_implicit_differentiate(im, at, im->point, multipliers_of(im, last)));
    return crd_end_multipliers(im) > 0 ? crd_implicit_differentiate_end(im, t + h) : CARDAN_OK;
}

/* hold D_end, with the equation u = 0 for what is not held. */
static CardanStatus projection_matrix(CrdImplicit *im, double *rcond) {
    const CrdEquations *e = &im->equations;
    int m = e->multipliers;
    memset(im->projection.matrix, 0, (size_t)m * (size_t)m * sizeof *im->projection.matrix);
    crd_implicit_add_product(m, e->core, m, im->hold, im->directions_end, im->projection.matrix);
    for (int r = 0; r < m; r++)
        for (int c = 0; c < m && !e->held[r]; c++) *crd_newton_at(&im->projection, r, c) = r == c ? 1.0 : 0.0;
    return crd_newton_factor(&im->projection, rcond);
}

/* Moves the end along D_end until the residual is at rounding. */
static CardanStatus project_end(CrdImplicit *im, double t) {
    const CrdEquations *e = &im->equations;
    double rcond, size = (double)INFINITY, before;
    CRD_TRY(crd_implicit_differentiate_end(im, t));
    if (projection_matrix(im, &rcond) < 0)
        return crd_fail(e->error, CARDAN_ERR_NUMERIC,
                        "the matrix of the projection of %s is singular at t = %.9g: reciprocal condition number %.2g",
                        im->method->name, t, rcond);
    for (int i = 0; i < CRD_STEP_ITERATIONS; i++) {
        CRD_TRY(e->measure(e->user, t, im->end, im->residual));
        for (int r = 0; r < e->multipliers; r++) im->projection.change[r] = e->held[r] ? -im->residual[r] : 0.0;
        CRD_TRY(crd_newton_solve(&im->projection));
        memset(im->trial, 0, (size_t)e->core * sizeof *im->trial);
        crd_implicit_add_product(e->core, e->multipliers, 1, im->directions_end, im->projection.change, im->trial);
        before = size;
        size = 0.0;
        for (int c = 0; c < e->core; c++) {
            im->end[c] += im->trial[c];
            size = fmax(size, fabs(im->trial[c]) / im->scale[c]);
        }
        if (size <= CRD_STEP_CONVERGED || (size <= CRD_STEP_ROUNDING && size >= CRD_STEP_STILL * before))
            return CARDAN_OK;
    }
    return crd_fail(e->error, CARDAN_ERR_NUMERIC,
                    "the projection of %s does not converge at t = %.9g: last correction %.2g of the state",
                    im->method->name, t, size);
}

/* The matrix at the start may be singular; at an iterate that went astray it says nothing but that. */
static CardanStatus refuse(const CrdImplicit *im, double t, double h, bool singular, double rcond, double size) {
    if (singular && isnan(rcond))
        return crd_fail(im->equations.error, CARDAN_ERR_NUMERIC,
                        "the step matrix of %s is not finite at t = %.9g: slopes or their derivatives are not (step "
                        "%.3g)",
                        im->method->name, t, h);
    if (singular)
        return crd_fail(im->equations.error, CARDAN_ERR_NUMERIC,
                        "the step matrix of %s is singular at t = %.9g: reciprocal condition number %.2g (step %.3g)",
                        im->method->name, t, rcond, h);
    return crd_fail(im->equations.error, CARDAN_ERR_NUMERIC,
                    "Newton's iteration of %s does not converge after t = %.9g: last correction %.2g of the state; "
                    "take a step shorter than %.3g",
                    im->method->name, t, size, h);
}

CardanStatus crd_implicit_attempt(CrdImplicit *im, double t, double h, const double *y, const double *f,
                                  double *y_new) {
    bool done = false;
    double size = 0.0, rcond;
    CRD_TRY(begin(im, t, h, y, f));
    for (int round = 0; round < CRD_STEP_ROUNDS && !done; round++) {
        CRD_TRY(linearise(im, t, h, y, f, round == 0));
        if (crd_implicit_matrix(im, h, &rcond) < 0) return refuse(im, t, h, round == 0, rcond, size);
        CRD_TRY(converge(im, t, h, y, f, &done, &size));
    }
    if (!done) return refuse(im, t, h, false, rcond, size);
    place_start(im, y);
    CRD_TRY(place_end(im, t, h, f));
    if (im->projection.n > 0) CRD_TRY(project_end(im, t + h));
    memcpy(y_new, im->end, (size_t)im->equations.n * sizeof *y_new);
    return CARDAN_OK;
}
