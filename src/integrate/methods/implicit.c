/* Stepping; derivatives and the step matrix are in implicit_matrix.c, the room of all in implicit_layout.c. */
#include "integrate/methods/implicit_matrix.h"
#include "integrate/methods/implicit_sparse.h"

#include <assert.h>
#include <math.h>
#include <string.h>

/* A correction below the first number is some ulps, and the next one smaller; or the rate seen leaves the next one
 * below a tenth of an ulp. */
#define CRD_STEP_CONVERGED 2e-15
#define CRD_STEP_NEXT 1e-17

/* Corrections below the first number that fall by less than the second in two iterations have met the rounding of the
 * slopes. */
#define CRD_STEP_ROUNDING 1e-10
#define CRD_STEP_STILL 0.25

/* Next to a singular pose the first number is this many times h times the noise of accelerations: stages, derivatives
 * and what is taken from neighbours across the pose add theirs; seen are up to 20 times. */
#define CRD_STEP_NOISE 100.0

/* Corrections that fall by less with kept derivatives: new ones are taken. */
#define CRD_STEP_STALE 0.2

/* Growth at which a matrix is given up, iterations with one matrix, and matrices of one step: corrections that fall by
 * a factor of 0.05, as usual, take 11; slower ones are better off with another matrix. */
#define CRD_STEP_DIVERGING 2.0
#define CRD_STEP_ITERATIONS 12
#define CRD_STEP_ROUNDS 5

/* Iterations that put an end where its own directions lead; each leaves what directions turn by in D u. */
#define CRD_STEP_PLACES 8

/* Where multipliers enter in any way: corrections, in parts of the state, after which a matrix is of no use any more,
 * and matrices of one step. */
#define CRD_STEP_FAR 1e-3
#define CRD_STEP_BENT_ROUNDS 50

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
    const CrdEquations *equations = &im->equations;
    const CrdImplicitTableau *method = im->method;
    double *k = slope_of(im, i), *u = multipliers_of(im, i), *out = im->x + i * equations->core;
    combine(im, h, method->start[i], method->a[i], f, im->stage);
    CRD_TRY(equations->rates(equations->user, t + method->c[i] * h, im->stage, u, im->slope,
                             u != NULL ? im->residual : NULL));
    for (int c = 0; c < equations->core; c++) out[c] = im->slope[c] - (im->mass == NULL ? k[c] : 0.0);
    if (im->mass != NULL) {
        CRD_TRY(equations->mass(equations->user, t + method->c[i] * h, im->mass));
        crd_add_product(1, equations->core, equations->core, -1.0, k, im->mass, out);
    }
    memcpy(k + equations->core, im->slope + equations->core, (size_t)(equations->n - equations->core) * sizeof *k);
    out = im->x + method->stages * equations->core + i * equations->multipliers;
    for (int r = 0; u != NULL && r < equations->multipliers; r++)
        out[r] = equations->held[r] ? -im->residual[r] / h : -u[r];
    return CARDAN_OK;
}

/* The start, projected; y + D(y) u. */
static CardanStatus place_start(CrdImplicit *im, double t, const double *y) {
    const CrdEquations *equations = &im->equations;
    int m = crd_end_multipliers(im);
    memcpy(im->base, y, (size_t)equations->n * sizeof *y);
    if (!im->is_sparse) crd_add_product(1, m, equations->core, 1.0, im->u, im->directions, im->base);
    if (!im->is_sparse || m == 0) return CARDAN_OK;
    CRD_TRY(equations->measure(equations->user, t, y, im->residual));
    return equations->push(equations->user, y, im->u, im->base);
}

/* The end, projected: end = ahead + D(end) u, by its own iteration from the end of the last iterate. A D that lagged
 * behind u would let corrections fall by the root of what they do. */
static CardanStatus place_end(CrdImplicit *im, double t, double h, const double *f) {
    const CrdEquations *equations = &im->equations;
    if (crd_end_multipliers(im) == 0) {
        combine(im, h, im->method->start_end, im->method->b, f, im->end);
        return CARDAN_OK;
    }
    combine(im, h, im->method->start_end, im->method->b, f, im->stage);
    double moved = (double)INFINITY;
    for (int i = 0; i < CRD_STEP_PLACES && moved > CRD_STEP_CONVERGED; i++) {
        CRD_TRY(equations->measure(equations->user, t + h, im->end, im->residual));
        memset(im->trial, 0, (size_t)equations->n * sizeof *im->trial);
        CRD_TRY(equations->push(equations->user, im->end, im->u, im->trial));
        moved = 0.0;
        for (int c = 0; c < equations->n; c++) {
            double end = im->stage[c] + (c < equations->core ? im->trial[c] : 0.0);
            if (c < equations->core) moved = fmax(moved, fabs(end - im->end[c]) / im->scale[c]);
            im->end[c] = end;
        }
    }
    return CARDAN_OK;
}

static CardanStatus evaluate_end(CrdImplicit *im, double t, double h, const double *f) {
    const CrdEquations *equations = &im->equations;
    double *out = im->x + im->method->stages * equations->core;
    if (im->rests) memset(out, 0, (size_t)equations->multipliers * sizeof *out);
    if (im->rests || crd_end_multipliers(im) == 0) return CARDAN_OK;
    CRD_TRY(place_end(im, t, h, f));
    CRD_TRY(equations->measure(equations->user, t + h, im->end, im->residual));
    for (int r = 0; r < equations->multipliers; r++) out[r] = equations->held[r] ? -im->residual[r] : -im->u[r];
    return CARDAN_OK;
}

/* Size of the correction in units of the state: what slopes, and projections, move. */
static double size_of(CrdImplicit *im, double h) {
    int core = im->equations.core, s = im->method->stages, rest = im->unknowns - s * core;
    double size = 0.0;
    for (int i = 0; i < s; i++)
        for (int c = 0; c < core; c++) size = fmax(size, fabs(h * im->x[i * core + c]) / im->measure[c]);
    if (crd_end_multipliers(im) == 0) return size;
    if (im->is_sparse)
        memcpy(im->trial, crd_sparse_step_moved(im->sparse), (size_t)core * sizeof *im->trial);
    else
        memset(im->trial, 0, (size_t)core * sizeof *im->trial);
    if (!im->is_sparse) crd_add_product(1, rest, core, 1.0, im->x + s * core, im->directions, im->trial);
    for (int c = 0; c < core; c++) size = fmax(size, fabs(im->trial[c]) / im->measure[c]);
    return size;
}

static void apply(CrdImplicit *im) {
    int core = im->equations.core, s = im->method->stages, rest = im->unknowns - s * core;
    for (int i = 0; i < s; i++)
        for (int c = 0; c < core; c++) slope_of(im, i)[c] += im->x[i * core + c];
    for (int r = 0; r < rest; r++) im->u[r] += im->x[s * core + r];
}

/* Of the step as it is told. */
static double start_of(const CrdImplicit *im, double t) {
    return im->origin != NULL ? im->origin_at : t;
}
static double length_of(const CrdImplicit *im, double h) {
    return im->origin != NULL ? im->length : h;
}

/* One correction. */
static CardanStatus iterate(CrdImplicit *im, double t, double h, const double *y, const double *f, double *size) {
    CRD_TRY(place_start(im, t, y));
    for (int i = 0; i < im->method->stages; i++) CRD_TRY(evaluate_stage(im, i, t, h, f));
    CRD_TRY(evaluate_end(im, t, h, f));
    if ((im->is_sparse ? crd_sparse_step_solve(im, h) : crd_lu_solve(&im->newton)) < 0)
        return crd_fail(im->equations.error, CARDAN_ERR_NUMERIC,
                        "a correction in the step of %s after t = %.9g is not finite (step %.3g)", im->method->name,
                        start_of(im, t), length_of(im, h));
    *size = size_of(im, h);
    if (im->accelerates) crd_acceleration_apply(&im->acceleration, im->x);
    apply(im);
    return CARDAN_OK;
}

/* Size of corrections that may be nothing but noise of the slopes. */
static double rounding(const CrdImplicit *im, double h) {
    const CrdEquations *equations = &im->equations;
    double noise = equations->noise != NULL ? equations->noise(equations->user) : 0.0;
    return fmax(CRD_STEP_ROUNDING, CRD_STEP_NOISE * fabs(h) * noise);
}

/* Multipliers may enter in any way: far from the solution one matrix serves one correction. */
static bool is_bent(const CrdImplicit *im) {
    return crd_stage_multipliers(im) > 0 && im->equations.push == NULL && !im->equations.affine;
}

/* Corrections with the matrix at hand, until they are at rounding or stop falling. */
static CardanStatus converge(CrdImplicit *im, double t, double h, const double *y, const double *f, bool *done,
                             double *size) {
    double before = (double)INFINITY, earlier = (double)INFINITY, slowest = 0.0;
    const bool bent = is_bent(im),
               exact = im->equations.affine && im->method->stages == 1; /* the matrix is that of the stage */
    double start = 0.0;
    *done = false;
    crd_acceleration_begin(&im->acceleration);
    for (int i = 0; i < CRD_STEP_ITERATIONS && !*done; i++) {
        CRD_TRY(iterate(im, t, h, y, f, size));
        if (i == 0) start = *size;
        im->rate = i > 0 && start > 0.0 ? pow(*size / start, 1.0 / i) : 0.0;
        double rate = *size / before; /* 0 in the first; the second may be far below those that follow */
        double min = rounding(im, h);
        double worst = fmax(before, isfinite(earlier) ? earlier : 0.0); /* they may fall by turns */
        if ((*size > CRD_STEP_DIVERGING * worst && *size > min) || (bent && *size > CRD_STEP_FAR)) break;
        slowest = fmax(slowest, rate);
        *done = im->foresees && i > 0 && rate < 1.0 && *size * rate / (1.0 - rate) <= im->enough;
        if (!*done && im->foresees && im->kept != NULL && rate > CRD_STEP_STALE && *size > im->enough)
            break; /* new ones cost less */
        bool next_is_nothing = i > 1 && *size * slowest <= CRD_STEP_NEXT;
        *done |= *size <= fmax(CRD_STEP_CONVERGED, im->enough) ||
                 (*size <= min && (next_is_nothing || *size >= CRD_STEP_STILL * earlier));
        *done |= exact && i > 0; /* one correction and its refinement: nothing is left */
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
    const CrdEquations *equations = &im->equations;
    int s = im->method->stages, m = equations->multipliers;
    for (int c = 0; c < equations->core; c++) {
        im->scale[c] = fmax(fabs(y[c]), equations->typical[c]);
        if (im->enough == 0.0) im->measure[c] = im->scale[c];
    }
    for (int i = 0; i < s; i++)
        memcpy(slope_of(im, i), im->guess != NULL ? im->guess + i * equations->n : f, (size_t)equations->n * sizeof *f);
    predict(im, 1.0, h, y, f, im->end);
    if (m == 0) return CARDAN_OK;
    CRD_TRY(equations->begin(equations->user, im->origin != NULL ? im->origin_at : t,
                             im->origin != NULL ? im->origin : y, im->u));
    if (im->rests) memset(equations->held, 0, (size_t)m * sizeof *equations->held);
    memcpy(im->u_start, im->u, (size_t)m * sizeof *im->u);
    for (int i = 1; i < s && equations->in_slopes; i++) memcpy(multipliers_of(im, i), im->u, (size_t)m * sizeof *im->u);
    return equations->in_slopes || im->is_sparse ? CARDAN_OK : crd_implicit_directions(im, t, y, im->directions);
}

/* Where derivatives are taken: inside the step where it is expected or, in later rounds, at the last stage of the
 * iterate. Stiff forces off the slow motion say nothing, so a method for them takes the start, or a stage inside where
 * the guess leads. Returns the time. */
static double place_point(CrdImplicit *im, double t, double h, const double *y, const double *f, bool first) {
    const CrdImplicitTableau *method = im->method;
    int stage = method->stages - 1;
    double share = im->careful ? 0.0 : centre(method);
    if (first && im->guess == NULL) {
        predict(im, share, h, y, f, im->point);
        return t + h * share;
    }
    if (first) {
        memcpy(im->base, y, (size_t)im->equations.n * sizeof *y);
        stage = method->stages / 2;
    }
    combine(im, h, method->start[stage], method->a[stage], f, im->point);
    return t + h * method->c[stage];
}

static CardanStatus linearise(CrdImplicit *im, double t, double h, const double *y, const double *f, bool first) {
    int last = im->method->stages - 1;
    double at = place_point(im, t, h, y, f, first);
    if (im->is_sparse) return crd_sparse_step_linearise(im, at, t + h, multipliers_of(im, last));
    im->factored = 0.0;
    if (im->mass != NULL) CRD_TRY(im->equations.mass(im->equations.user, at, im->mass));
    if (crd_stage_multipliers(im) > 0 && im->equations.push != NULL)
        CRD_TRY(crd_implicit_directions(im, at, im->point, im->directions));
    CRD_TRY(crd_implicit_differentiate(im, at, im->point, multipliers_of(im, last)));
    return crd_end_multipliers(im) > 0 ? crd_implicit_differentiate_end(im, t + h) : CARDAN_OK;
}

/* The first matrix may be singular, where it was made; at an iterate that went astray it says nothing but that. */
static CardanStatus refuse(const CrdImplicit *im, double t, double h, bool singular, double rcond, double size) {
    h = length_of(im, h);
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
                    im->method->name, start_of(im, t), size, h);
}

/* Multipliers at the end: of the last stage, or of one inside the step drawn out to the end, as the state is. */
static void hand_over_multipliers(CrdImplicit *im) {
    const CrdImplicitTableau *method = im->method;
    const CrdEquations *equations = &im->equations;
    if (equations->end == NULL || crd_stage_multipliers(im) == 0) return;
    double *u = multipliers_of(im, method->stages - 1), reach = method->b[0] / method->a[0][0];
    assert(method->ends_on_stage || method->stages == 1);
    for (int r = 0; r < equations->multipliers && !method->ends_on_stage; r++)
        u[r] = im->u_start[r] + reach * (u[r] - im->u_start[r]);
    equations->end(equations->user, u);
}

/* One attempt with the derivatives that im->is_sparse says. */
static CardanStatus attempt(CrdImplicit *im, double t, double h, const double *y, const double *f, double *y_new) {
    bool done = false;
    double size = 0.0, rcond;
    im->started_at = t;
    im->started = y;
    CRD_TRY(begin(im, t, h, y, f));
    if (im->equations.overdetermined) CRD_TRY(crd_implicit_least_squares(im, t, h, y, f));
    done = im->equations.overdetermined;
    bool controlled = im->careful &&
                      im->enough > 0.0; /* a shorter step is better than another matrix where this one has led astray */
    int rounds = is_bent(im) ? CRD_STEP_BENT_ROUNDS : controlled ? 1 : CRD_STEP_ROUNDS;
    for (int round = 0; round < rounds && !done; round++) {
        CRD_TRY(im->kept != NULL ? crd_sparse_step_take_up(im, t + h) : linearise(im, t, h, y, f, round == 0));
        if ((im->is_sparse ? crd_sparse_step_factor(im, h, &rcond) : crd_implicit_matrix(im, h, &rcond)) < 0)
            return refuse(im, round == 0 ? t + h * centre(im->method) : t, h, round == 0, rcond, size);
        CRD_TRY(converge(im, t, h, y, f, &done, &size));
    }
    if (!done) return refuse(im, t, h, false, rcond, size);
    CRD_TRY(place_start(im, t, y));
    CRD_TRY(place_end(im, t, h, f));
    if (im->rests) CRD_TRY(im->equations.begin(im->equations.user, t, y, im->u)); /* which are held */
    if (im->projects || (im->rests && im->is_sparse)) CRD_TRY(crd_implicit_project_end(im, t + h));
    hand_over_multipliers(im);
    memcpy(y_new, im->end, (size_t)im->equations.n * sizeof *y_new);
    return CARDAN_OK;
}

/* After a failure: another attempt with these derivatives, or with the symmetric projection at rest. */
static CardanStatus attempt_again(CrdImplicit *im, double t, double h, const double *y, const double *f,
                                  double *y_new) {
    crd_error_clear(im->equations.error);
    return attempt(im, t, h, y, f, y_new);
}

CardanStatus crd_implicit_attempt(CrdImplicit *im, double t, double h, const double *y, const double *f,
                                  double *y_new) {
    const CrdEquations *equations = &im->equations;
    assert(y_new + equations->n <= y || y + equations->n <= y_new);
    assert(h != 0.0 && im->unknowns == crd_implicit_unknowns(im->method, equations));
    bool rough = equations->rough != NULL && equations->rough(equations->user);
    bool bound = im->method->filter > 0.0 && im->equations.multipliers > 0; /* the estimate needs the sparse matrix */
    im->is_sparse = im->sparse != NULL && !(rough && im->dense && !bound);
    const bool symmetric = equations->ends_may_rest && !equations->in_slopes && equations->multipliers > 0;
    im->rests = false;
    if (!im->is_sparse) im->kept = NULL;
    CardanStatus status = attempt(im, t, h, y, f, y_new);
    if (status == CARDAN_ERR_NUMERIC && im->kept != NULL) { /* too old: new ones */
        im->kept = NULL;
        status = attempt_again(im, t, h, y, f, y_new);
    }
    if (status != CARDAN_ERR_NUMERIC || im->enough > 0.0) return status; /* by tolerance: a shorter step costs less */
    if (symmetric) {
        im->rests = true;
        status = attempt_again(im, t, h, y, f, y_new);
    }
    if (status != CARDAN_ERR_NUMERIC || !im->is_sparse || !im->dense || bound) return status;
    im->is_sparse = false; /* differences see what the solvers make of rows that depend on each other */
    return attempt_again(im, t, h, y, f, y_new);
}
