/* Nodes, the step and what lies inside it; see bdf.h. */
#include "integrate/methods/bdf.h"

#include "core/numbers.h"
#include "integrate/hermite.h"
#include "integrate/methods/divided.h"
#include "integrate/norm.h"

#include <assert.h>
#include <math.h>
#include <string.h>

/* Derivatives are kept while corrections fall at least by the first. For how many steps that is so is learnt: where
 * they were too old, they serve a step less from then on, and a step more is tried only after the second number of
 * steps. */
#define CRD_BDF_KEEP 0.1
#define CRD_BDF_TRY 20.0

/* What the iteration may leave of each component's tolerance: differences of order 6 make up to 30 times as much of it,
 * and the error test would see noise. */
#define CRD_BDF_SHARE 0.1

int crd_bdf_order_max(const CrdStepper *stepper) {
    return stepper->order > 0 ? stepper->order : CRD_BDF_ORDERS;
}

static double *node(const CrdStepper *stepper, int j) {
    return stepper->history + CRD_BDF_VALUES + (size_t)j * (size_t)stepper->n;
}

static double *point_of(const CrdStepper *stepper) {
    return node(stepper, CRD_BDF_NODES);
}

static void layout(CrdStepper *stepper, CrdArena *arena) {
    CrdBdf measuring = {0}, *m = crd_take(arena, 1, sizeof *m), *bdf = m != NULL ? m : &measuring;
    size_t n = (size_t)stepper->n;
    assert(stepper->equations.rates != NULL);
    crd_implicit_layout(&bdf->implicit, stepper->method->stages, &stepper->equations, arena);
    CRD_TAKE_VECTORS(arena, CRD_BDF_ROWS * n, &bdf->difference, &bdf->fresh, &bdf->dense);
    CRD_TAKE_VECTORS(arena, n, &bdf->guess, &bdf->slope, &bdf->base, &bdf->error);
    stepper->memory = m;
    stepper->history_size =
        CRD_BDF_VALUES + CRD_BDF_NODES * stepper->n + (int)crd_implicit_point_size(&stepper->equations);
}

static bool is_count(double x, double least, double most) {
    return x >= least && x <= most && x == floor(x);
}

static bool remembers(const CrdStepper *stepper, const double *history) {
    (void)stepper;
    const double *age = history + CRD_BDF_AGES;
    if (history[CRD_BDF_KNOWN] == 0.0) return true;
    if (!is_count(history[CRD_BDF_KNOWN], 1.0, CRD_BDF_NODES) || !is_count(history[CRD_BDF_EQUAL], 0.0, CRD_BDF_MANY) ||
        !is_count(history[CRD_BDF_ORDER], 1.0, CRD_BDF_ORDERS) || !is_count(history[CRD_BDF_KEEPS], 0.0, 1.0) ||
        !is_count(history[CRD_BDF_SERVED], 0.0, CRD_BDF_MANY) ||
        !is_count(history[CRD_BDF_SERVE], 0.0, CRD_BDF_MANY + 1) ||
        !is_count(history[CRD_BDF_LEARNT], 0.0, CRD_BDF_MANY))
        return false;
    for (int j = 1; j < (int)history[CRD_BDF_KNOWN]; j++)
        if (!(age[j] > age[j - 1])) return false;
    return age[0] == 0.0;
}

/* Divided differences of the nodes; a start has its slope for a second one, at the same time. */
static void take_nodes(CrdStepper *stepper) {
    CrdBdf *bdf = stepper->memory;
    size_t bytes = (size_t)stepper->n * sizeof *bdf->difference;
    memset(bdf->age, 0, sizeof bdf->age);
    memcpy(bdf->difference, stepper->y, bytes);
    if (bdf->known == 1) memcpy(crd_row(bdf->difference, stepper->n, 1), stepper->f, bytes);
    if (bdf->known == 1) return;
    memcpy(bdf->age, stepper->history + CRD_BDF_AGES, (size_t)bdf->known * sizeof *bdf->age);
    memcpy(crd_row(bdf->difference, stepper->n, 1), node(stepper, 1), (size_t)(bdf->known - 1) * bytes);
    crd_divide(stepper->n, bdf->known, bdf->age, bdf->difference);
}

static void begin(CrdStepper *stepper) {
    CrdBdf *bdf = stepper->memory;
    bool none = stepper->history[CRD_BDF_KNOWN] == 0.0;
    bdf->known = none ? 1 : (int)stepper->history[CRD_BDF_KNOWN];
    bdf->order = none ? 1 : (int)fmin(stepper->history[CRD_BDF_ORDER], crd_bdf_order_max(stepper));
    bdf->failures = 0;
    take_nodes(stepper);
}

/* ---- one step ---- */

/* Backward Euler from P - c P', with P for a guess. */
static CardanStatus solve(CrdStepper *stepper, double h) {
    CrdBdf *bdf = stepper->memory;
    CrdImplicit *implicit = &bdf->implicit;
    double c = h / crd_bdf_gamma(bdf->order);
    int have = bdf->known == 1 ? 2 : bdf->known;
    bdf->count = bdf->order + 1 < have ? bdf->order + 1 : have;
    crd_divided_at(stepper->n, bdf->count, bdf->age, bdf->difference, h, bdf->guess, bdf->slope);
    for (int i = 0; i < stepper->n; i++) bdf->base[i] = bdf->guess[i] - c * bdf->slope[i];
    implicit->guess = bdf->slope;
    implicit->kept = stepper->history[CRD_BDF_KEEPS] > 0.0 ? point_of(stepper) : NULL;
    implicit->origin = stepper->y;
    implicit->origin_at = stepper->t;
    implicit->length = h;
    return crd_implicit_attempt(implicit, stepper->t + h - c, c, bdf->base, bdf->slope, stepper->y_new);
}

static CardanStatus attempt(CrdStepper *stepper, double h, bool want_error) {
    CrdBdf *bdf = stepper->memory;
    CrdImplicit *implicit = &bdf->implicit;
    assert(h > 0.0);
    bdf->pending = true;
    implicit->equations.error = stepper->error;
    implicit->enough = 0.0;
    implicit->careful = implicit->foresees = want_error;
    if (want_error)
        crd_implicit_tolerate_each(implicit, CRD_BDF_SHARE / crd_bdf_strictness(stepper), stepper->rtol, stepper->atol,
                                   stepper->absolute, stepper->y);
    if (!want_error) bdf->order = bdf->next_order = crd_bdf_order_max(stepper);
    bdf->starting = bdf->known < bdf->order;
    if (bdf->starting) return crd_bdf_start(stepper, h);
    if (bdf->known == 1) take_nodes(stepper); /* a step that failed too often starts here */
    CRD_TRY(solve(stepper, h));
    if (!crd_all_finite(stepper->y_new, stepper->n)) return CARDAN_ERR_NUMERIC;
    crd_bdf_renew(stepper, h);
    if (want_error) crd_bdf_estimate(stepper, h);
    return CARDAN_OK;
}

/* Whether the derivatives of this step serve the next. */
static void keep_derivatives(CrdStepper *stepper) {
    const CrdImplicit *implicit = &((const CrdBdf *)stepper->memory)->implicit;
    double *history = stepper->history, *served = history + CRD_BDF_SERVED, *serve = history + CRD_BDF_SERVE;
    bool tried = history[CRD_BDF_KEEPS] > 0.0, old = implicit->kept != NULL, slow = implicit->rate > CRD_BDF_KEEP;
    history[CRD_BDF_LEARNT] = fmin(history[CRD_BDF_LEARNT] + 1.0, CRD_BDF_MANY);
    if ((tried && !old) || (old && slow)) { /* too old */
        *serve = *served;
        history[CRD_BDF_LEARNT] = 0.0;
    }
    *served = old ? fmin(*served + 1.0, CRD_BDF_MANY) : 0.0;
    if (*served >= *serve && history[CRD_BDF_LEARNT] >= (*serve == 0.0 ? CRD_BDF_TRY : 0.0)) *serve = *served + 1.0;
    bool keeps = implicit->is_sparse && !slow && *served < *serve;
    history[CRD_BDF_KEEPS] = keeps ? 1.0 : 0.0;
    if (keeps)
        memcpy(point_of(stepper), implicit->taken, crd_implicit_point_size(&stepper->equations) * sizeof(double));
}

/* The new state becomes a node. It takes the place of the last one where a step was short only because it had to land
 * somewhere. */
static void accepted(CrdStepper *stepper) {
    CrdBdf *bdf = stepper->memory;
    double h = stepper->t - stepper->t_old, *history = stepper->history, *age = history + CRD_BDF_AGES;
    size_t bytes = (size_t)stepper->n * sizeof *stepper->y;
    bdf->crumb = h < CRD_ADAMS_CRUMB * stepper->proposed && bdf->known > 1;
    int next = bdf->crumb ? bdf->known : bdf->known + 1 < CRD_BDF_NODES ? bdf->known + 1 : CRD_BDF_NODES;
    for (int j = next - 1; j > 0; j--) {
        int from = bdf->crumb ? j : j - 1;
        age[j] = h + (from > 0 ? age[from] : 0.0);
        if (from != j) memcpy(node(stepper, j), from > 0 ? node(stepper, from) : stepper->y_old, bytes);
    }
    age[0] = 0.0;
    memcpy(node(stepper, 0), stepper->y, bytes);
    history[CRD_BDF_EQUAL] = bdf->same ? fmin(history[CRD_BDF_EQUAL] + 1.0, CRD_BDF_MANY) : 0.0;
    history[CRD_BDF_ORDER] = bdf->next_order;
    history[CRD_BDF_KNOWN] = next;
    keep_derivatives(stepper);
    bdf->pending = false;
}

/* ---- inside the last step: the polynomial through its ends and the nodes before them ---- */

static CardanStatus prepare_dense(CrdStepper *stepper) {
    CrdBdf *bdf = stepper->memory;
    double h = stepper->t - stepper->t_old;
    const double *age = stepper->history + CRD_BDF_AGES;
    int n = stepper->n, past = bdf->pending || bdf->crumb ? 1 : 2, nodes = (int)stepper->history[CRD_BDF_KNOWN];
    size_t bytes = (size_t)n * sizeof *stepper->y;
    if (bdf->starting) {
        crd_dense_hermite(n, h, stepper->y_old, stepper->f_new, stepper->y, stepper->f, bdf->dense);
        return CARDAN_OK;
    }
    memcpy(bdf->dense, stepper->y, bytes);
    memcpy(crd_row(bdf->dense, n, 1), stepper->y_old, bytes);
    bdf->dense_age[0] = 0.0;
    bdf->dense_age[1] = h;
    bdf->dense_count = 2;
    for (int j = past; j < nodes && bdf->dense_count <= bdf->order; j++) {
        bdf->dense_age[bdf->dense_count] = age[j] + (bdf->pending ? h : 0.0);
        memcpy(crd_row(bdf->dense, n, bdf->dense_count++), node(stepper, j), bytes);
    }
    crd_divide(n, bdf->dense_count, bdf->dense_age, bdf->dense);
    return CARDAN_OK;
}

static void interpolate(const CrdStepper *stepper, double theta, double *y) {
    const CrdBdf *bdf = stepper->memory;
    double h = bdf->dense_age[1]; /* that of the stepper may be of the step before, while one is tried */
    if (bdf->starting)
        crd_dense_at(stepper->n, bdf->dense, CRD_HERMITE_ROWS, theta, y);
    else
        crd_divided_at(stepper->n, bdf->dense_count, bdf->dense_age, bdf->dense, (theta - 1.0) * h, y, NULL);
}

/* One stage at the end of the step: implicit.h's backward Euler under its own name. */
static const CrdImplicitTableau stage = {
    .name = "bdf", .order = 1, .stages = 1, .a = {{1.0}}, .b = {1.0}, .c = {1.0}, .ends_on_stage = true};

const CrdMethod crd_bdf = {.name = "bdf",
                           .summary = "backward differentiation of variable order, 1 to 5, for stiff equations",
                           .adaptive = true,
                           .implicit = true,
                           .formulations = CRD_TAKES_ALL,
                           .error_order = 2,
                           .order_max = CRD_BDF_ORDERS,
                           .stages = &stage,
                           .sees = CRD_SEES_EQUATIONS,
                           .iterates = true,
                           .looks_inside = true,
                           .layout = layout,
                           .begin = begin,
                           .remembers = remembers,
                           .attempt = attempt,
                           .error_norm = crd_bdf_error,
                           .resize = crd_bdf_resize,
                           .accepted = accepted,
                           .prepare_dense = prepare_dense,
                           .interpolate = interpolate};
