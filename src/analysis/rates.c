#include "analysis/rates.h"

#include "core/numbers.h"

#include <math.h>
#include <string.h>

typedef struct Rates {
    CrdDynamics *d;
    int count, nv;
    double *rows;     /* (count x nv) R, by rows */
    double *change;   /* (count x nv) P M^-1 R^T, by columns of it */
    double *k;        /* (count x count) R P M^-1 R^T, lower triangle by rows; then its Cholesky factor */
    double *mobility; /* (count) r M^-1 r^T: what the bodies alone would give */
    double *bias;     /* (count) part of each rate that does not come from v */
    double *mu;       /* (count) */
    double *lambda;   /* (rows) */
    CrdArena arena;
} Rates;

static void layout(Rates *r) {
    size_t count = (size_t)r->count, nv = (size_t)r->nv, real = sizeof(double);
    r->rows = crd_take(&r->arena, count * nv, real);
    r->change = crd_take(&r->arena, count * nv, real);
    r->k = crd_take(&r->arena, count * count, real);
    r->mobility = crd_take(&r->arena, count, real);
    r->bias = crd_take(&r->arena, count, real);
    r->mu = crd_take(&r->arena, count, real);
    r->lambda = crd_take(&r->arena, (size_t)r->d->model->shape->rows, real);
}

static double dot(int n, const double *a, const double *b) {
    double sum = 0.0;
    for (int i = 0; i < n; i++) sum += a[i] * b[i];
    return sum;
}

/* Adds a twist row of a carrier to a row over velocities. */
static void add_row(const CrdDynamics *d, int carrier, const double *twist, double *row) {
    const CrdShape *s = d->model->shape;
    const CrdCarrier *c = &s->carriers[carrier];
    if (c->block < 0) return;
    const CrdBlock *block = &s->blocks[c->block];
    double *out = row + block->v;
    switch (block->kind) {
    case CRD_PLANAR_BODY:
        out[2] += twist[5]; /* fall through */
    case CRD_PLANAR_PARTICLE:
        out[0] += twist[0];
        out[1] += twist[1];
        break;
    case CRD_SPATIAL_BODY:
    case CRD_SPATIAL_PARTICLE:
        for (int k = 0; k < block->nv; k++) out[k] += twist[k];
        break;
    case CRD_CUSTOM_BLOCK: {
        const double *jacobian = d->system.frame_jacobian + c->jacobian;
        for (int i = 0; i < 6; i++)
            for (int k = 0; k < block->nv; k++) out[k] += twist[i] * jacobian[i * block->nv + k];
    }
    }
}

/* The row, and the part of the rate that is not row v (block frames that move with time). */
static CardanStatus coordinate_row(const CrdDynamics *d, const CrdStartRate *rate, const double *v, double *row,
                                   double *bias) {
    const CardanModel *model = d->model;
    const CrdShape *s = model->shape;
    int element = s->element_of_joint[rate->joint - 1];
    const CrdElement *e = &s->elements[element];
    if (e->kind == NULL || e->kind->coordinates[0] == CARDAN_NO_COORDINATE)
        return crd_fail_at(d->error, CARDAN_ERR_MODEL, rate->place,
                           "start rate of joint '%s': a joint of type %s has no coordinate",
                           crd_element_name(model, element), e->kind != NULL ? e->kind->name : "user rows");
    CrdPair pair = crd_pair_of(s, &d->system, element);
    CrdCoordinate coordinate;
    crd_joint_coordinate(e->kind->coordinates[0], &model->numbers.joints[element], &pair, &coordinate);
    add_row(d, crd_element_carrier(s, element, 0), coordinate.a, row);
    add_row(d, crd_element_carrier(s, element, 1), coordinate.b, row);
    *bias = coordinate.rate - dot(s->nv, row, v);
    return CARDAN_OK;
}

/* x <- P x. */
static CardanStatus make_feasible(Rates *r, double *x) {
    CrdDynamics *d = r->d;
    const CrdShape *s = d->model->shape;
    memset(r->lambda, 0, (size_t)s->rows * sizeof *r->lambda);
    crd_times_g(s, d->system.G, x, r->lambda);
    CRD_TRY(crd_solve_rows(d, r->lambda));
    crd_times_gt(s, d->system.T, -1.0, r->lambda, x);
    return CARDAN_OK;
}

/* Twice through P: what rounding left of a motion that is not free is gone after the second. */
static CardanStatus fill(Rates *r, const double *v) {
    CrdDynamics *d = r->d;
    for (int i = 0; i < r->count; i++) {
        double *row = r->rows + (size_t)i * (size_t)r->nv, *change = r->change + (size_t)i * (size_t)r->nv;
        CRD_TRY(coordinate_row(d, &d->model->description->rates[i], v, row, &r->bias[i]));
        memcpy(change, row, (size_t)r->nv * sizeof *row);
        crd_solve_mass(d->model, &d->system, change);
        r->mobility[i] = dot(r->nv, row, change);
        for (int pass = 0; pass < 2 && d->model->shape->rows > 0; pass++) CRD_TRY(make_feasible(r, change));
        for (int j = 0; j <= i; j++)
            r->k[(size_t)i * (size_t)r->count + (size_t)j] = dot(r->nv, r->rows + (size_t)j * (size_t)r->nv, change);
    }
    return CARDAN_OK;
}

/* k = L L^T; a pivot that vanishes is a rate that the constraints or the other rates decide. */
static CardanStatus factor(Rates *r) {
    size_t n = (size_t)r->count;
    for (int i = 0; i < r->count; i++) {
        double *row = r->k + (size_t)i * n;
        for (int j = 0; j < i; j++) {
            const double *above = r->k + (size_t)j * n;
            row[j] = (row[j] - dot(j, row, above)) / above[j];
        }
        double pivot = row[i] - dot(i, row, row);
        if (!(pivot > CRD_RATE_FREE * r->mobility[i])) {
            const CrdStartRate *rate = &r->d->model->description->rates[i];
            return crd_fail_at(
                r->d->error, CARDAN_ERR_MODEL, rate->place,
                "the start rate of joint '%s' is not free: the constraints or the rates before it decide "
                "it (or it is given twice)",
                r->d->model->description->joints[rate->joint - 1].name);
        }
        row[i] = sqrt(pivot);
    }
    return CARDAN_OK;
}

static void solve(const Rates *r, double *x) {
    size_t n = (size_t)r->count;
    for (int i = 0; i < r->count; i++)
        x[i] = (x[i] - dot(i, r->k + (size_t)i * n, x)) / r->k[(size_t)i * n + (size_t)i];
    for (int i = r->count - 1; i >= 0; i--) {
        for (int j = i + 1; j < r->count; j++) x[i] -= r->k[(size_t)j * n + (size_t)i] * x[j];
        x[i] /= r->k[(size_t)i * n + (size_t)i];
    }
}

/* A second round takes away what rounding left of the first. */
static CardanStatus apply(Rates *r, double *v) {
    CRD_TRY(fill(r, v));
    CRD_TRY(factor(r));
    for (int round = 0; round < 2; round++) {
        for (int i = 0; i < r->count; i++)
            r->mu[i] = r->d->model->description->rates[i].rate - r->bias[i] -
                       dot(r->nv, r->rows + (size_t)i * (size_t)r->nv, v);
        solve(r, r->mu);
        for (int i = 0; i < r->count; i++)
            for (int k = 0; k < r->nv; k++) v[k] += r->mu[i] * r->change[(size_t)i * (size_t)r->nv + (size_t)k];
    }
    return CARDAN_OK;
}

CardanStatus crd_set_rates(CrdDynamics *d, double *v) {
    Rates rates = {.d = d, .count = d->model->description->rate_count, .nv = d->model->shape->nv};
    if (rates.count == 0) return CARDAN_OK;
    layout(&rates);
    if (!crd_arena_allocate(&rates.arena)) return crd_fail_memory(d->error);
    layout(&rates);
    CardanStatus status = apply(&rates, v);
    crd_delete(rates.arena.base);
    return status;
}
