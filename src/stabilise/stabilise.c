#include "stabilise/stabilise.h"

#include "core/numbers.h"
#include "solve/singular.h"
#include "stabilise/full.h"

#include <string.h>

/* Rows of the dense full form: beyond this its (2 rows)^2 matrix costs more than seconds a step. */
enum { FULL_ROWS_MAX = 1000 };

void crd_stabiliser_layout(CrdStabiliser *st, const CrdShape *s, const CardanOptions *options, CrdArena *arena) {
    size_t nv = (size_t)s->nv, rows = (size_t)s->rows, real = sizeof(double);
    st->options = *options;
    st->dx = crd_take(arena, nv, real);
    st->dv = crd_take(arena, nv, real);
    st->rp = crd_take(arena, rows, real);
    st->rv = crd_take(arena, rows, real);
    bool full = options->stabilise.method == CARDAN_STABILISE_POST && options->stabilise.form == CARDAN_FORM_FULL &&
                s->rows <= FULL_ROWS_MAX;
    if (full) crd_full_layout(st, s, arena);
}

CardanStatus crd_stabiliser_check(const CardanModel *model, const CardanOptions *options, CrdError *error) {
    if (options->stabilise.method != CARDAN_STABILISE_POST || options->stabilise.form != CARDAN_FORM_FULL)
        return CARDAN_OK;
    const CrdShape *s = model->shape;
    if (s->rows > FULL_ROWS_MAX)
        return crd_fail(error, CARDAN_ERR_LIMIT,
                        "the full form of post-stabilisation is dense and takes at most %d rows; this model has %d; "
                        "use form: block", FULL_ROWS_MAX, s->rows);
    if (s->holonomic_rows != s->rows)
        return crd_fail(error, CARDAN_ERR_MODEL,
                        "the full form of post-stabilisation has no place for nonholonomic rows; use form: block");
    return CARDAN_OK;
}

static bool wants_position(const CrdStabiliser *st) {
    return st->options.stabilise.levels != CARDAN_LEVELS_VELOCITY;
}

static bool wants_velocity(const CrdStabiliser *st) {
    return st->options.stabilise.levels != CARDAN_LEVELS_POSITION;
}

/* x = -W G^T S^-1 rows; r is scratch of the same length as rows. */
static CardanStatus correction(CrdDynamics *d, CardanMetric metric, const double *rows,
                               double *r, double *x) {
    const CrdShape *s = d->model->shape;
    memcpy(r, rows, (size_t)s->rows * sizeof *r);
    CRD_TRY(crd_solve_rows(d, r));
    memset(x, 0, (size_t)s->nv * sizeof *x);
    crd_times_gt(s, d->system.G, -1.0, r, x);
    if (metric == CARDAN_METRIC_MASS) crd_solve_mass(d->model, &d->system, x);
    return CARDAN_OK;
}

/* One block pass with the factor at hand, at what was measured; then measures the result. */
static CardanStatus block_pass(CrdStabiliser *st, CrdDynamics *d, bool position, bool velocity, double t, double *q,
                               double *v) {
    const CrdShape *s = d->model->shape;
    CardanMetric metric = st->options.stabilise.metric;
    if (position) CRD_TRY(correction(d, metric, d->system.g, st->rp, st->dx));
    if (velocity) CRD_TRY(correction(d, metric, d->system.rate, st->rv, st->dv));
    if (position) crd_move(s, st->dx, q);
    for (int i = 0; velocity && i < s->nv; i++) v[i] += st->dv[i];
    return crd_measure(d, t, q, v);
}

/* ---- is it good enough? ---- */

/* What rounding alone leaves in velocities: sum |G_ij v_j|, in ulps. Near a singular pose positions are known to an ulp
 * over the closeness only, and G with them. */
static double velocity_floor(const CrdDynamics *d, const double *v) {
    const CrdShape *s = d->model->shape;
    double most = 0.0;
    for (int i = 0; i < s->incidence_count; i++) {
        const CrdIncidence *in = &s->incidences[i];
        for (int r = 0; r < in->rows; r++) {
            double sum = 0.0;
            for (int k = 0; k < in->width; k++)
                sum += fabs(d->system.G[in->g + r * in->width + k] * v[in->v + k]);
            most = fmax(most, sum);
        }
    }
    return CRD_RESIDUAL_FLOOR * most / fmax(crd_closeness(d), CRD_LAND);
}

typedef struct Verdict {
    double position, velocity; /* residual in units of what is allowed: <= 1 is good */
} Verdict;

/* Small against the tolerance of the step; the costlier rounding floors are looked at only when it is not. */
static Verdict judge(const CrdStabiliser *st, const CrdDynamics *d, const double *v) {
    const CrdShape *s = d->model->shape;
    const CardanOptions *o = &st->options;
    double g = crd_worst(d->system.g, s->rows), rate = crd_worst(d->system.rate, s->rows);
    double speed = crd_worst(v, s->nv);
    double allowed_g = CRD_STABILISE_FRACTION * (o->atol + o->rtol * d->model->numbers.size);
    double allowed_rate = CRD_STABILISE_FRACTION * (o->atol + o->rtol * speed);
    g = g <= allowed_g ? g / allowed_g : crd_position_excess(d->model, &d->system, allowed_g);
    if (!(rate <= allowed_rate)) allowed_rate = fmax(allowed_rate, velocity_floor(d, v));
    return (Verdict){wants_position(st) ? g : 0.0, wants_velocity(st) ? rate / allowed_rate : 0.0};
}

static bool good(Verdict verdict) {
    return verdict.position <= 1.0 && verdict.velocity <= 1.0; /* false for a NaN */
}

static CardanStatus fail(const CrdDynamics *d) {
    const CrdShape *s = d->model->shape;
    int worst = 0;
    for (int i = 0; i < s->rows; i++)
        if (fabs(d->system.g[i]) > fabs(d->system.g[worst])) worst = i;
    return crd_fail(d->error, CARDAN_ERR_NUMERIC,
                    "post-stabilisation did not converge at t = %.9g: residual %.2g of joint '%s', %.2g in velocities",
                    d->system.t, crd_worst(d->system.g, s->rows),
                    s->rows > 0 ? crd_element_name(d->model, s->row_element[worst]) : "",
                    crd_worst(d->system.rate, s->rows));
}

/* ---- the methods ---- */

static CardanStatus post_block(CrdStabiliser *st, CrdDynamics *d, double t, double *q, double *v) {
    const CardanOptions *o = &st->options;
    bool position = wants_position(st), velocity = wants_velocity(st);
    bool kept = o->stabilise.freeze > 0 && o->stabilise.metric == CARDAN_METRIC_MASS;
    for (int pass = 0; pass < o->stabilise.passes; pass++) {
        bool fresh = o->stabilise.freeze == 0 || (!kept && pass == 0);
        if (fresh) CRD_TRY(crd_factor(d, o->stabilise.metric));
        CRD_TRY(block_pass(st, d, position, velocity, t, q, v));
    }
    for (int again = 0; !good(judge(st, d, v)); again++) {
        if (again == CRD_STABILISE_REPEATS) return fail(d);
        if (again == 0) st->refreshed++;
        CRD_TRY(crd_factor(d, o->stabilise.metric));
        CRD_TRY(block_pass(st, d, position, velocity, t, q, v));
    }
    return CARDAN_OK;
}

static CardanStatus post_full(CrdStabiliser *st, CrdDynamics *d, double t, double *q, double *v) {
    for (int pass = 0; pass < st->options.stabilise.passes; pass++) CRD_TRY(crd_full_pass(st, d, t, q, v));
    for (int again = 0; !good(judge(st, d, v)); again++) {
        if (again == CRD_STABILISE_REPEATS) return fail(d);
        CRD_TRY(crd_full_pass(st, d, t, q, v));
    }
    return CARDAN_OK;
}

CardanStatus crd_project(CrdStabiliser *st, CrdDynamics *d, double t, double *q, double *v) {
    const CrdShape *s = d->model->shape;
    CRD_TRY(crd_measure(d, t, q, v));
    double before = (double)INFINITY, floor = CRD_PROJECT_TOLERANCE * d->model->numbers.size;
    for (int i = 0; i < CRD_PROJECT_ITERATIONS; i++) {
        double now = crd_worst(d->system.g, s->rows);
        /* At round-off the residual stops falling; before that a Newton step may well raise it once. */
        if (now <= floor || (now >= before && crd_position_excess(d->model, &d->system, floor) <= 1.0)) break;
        before = now;
        CRD_TRY(crd_factor(d, st->options.stabilise.metric));
        CRD_TRY(block_pass(st, d, true, false, t, q, v));
    }
    CRD_TRY(crd_factor(d, st->options.stabilise.metric));
    for (int i = 0; i < 2; i++) CRD_TRY(block_pass(st, d, false, true, t, q, v));
    return crd_position_excess(d->model, &d->system, floor) <= 1.0 ? CARDAN_OK : fail(d);
}

CardanStatus crd_project_strong(CrdStabiliser *st, CrdDynamics *d, double t, double *q, double *v) {
    CardanMetric metric = st->options.stabilise.metric;
    CardanStatus status = CARDAN_OK;
    st->options.stabilise.metric = CARDAN_METRIC_MASS; /* the watch is over S in this metric */
    for (int pass = 0; status >= 0 && pass < 3; pass++) {
        status = crd_factor_strong(d);
        if (status >= 0) status = block_pass(st, d, true, true, t, q, v);
    }
    st->options.stabilise.metric = metric;
    return status;
}

bool crd_stabiliser_moves(const CrdStabiliser *st) {
    return st->options.stabilise.method == CARDAN_STABILISE_POST ||
           st->options.stabilise.method == CARDAN_STABILISE_PROJECT;
}

CardanStatus crd_stabilise(CrdStabiliser *st, CrdDynamics *d, double t, double *q, double *v) {
    crd_normalise(d->model->shape, q);
    if (d->model->shape->rows > 0 && st->options.stabilise.method == CARDAN_STABILISE_PROJECT)
        return crd_project(st, d, t, q, v);
    CRD_TRY(crd_measure(d, t, q, v));
    if (d->model->shape->rows == 0 || st->options.stabilise.method != CARDAN_STABILISE_POST) return CARDAN_OK;
    return st->options.stabilise.form == CARDAN_FORM_FULL ? post_full(st, d, t, q, v) : post_block(st, d, t, q, v);
}
