#include "analysis/rates.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* A prescribed rate is free when what the constraints leave of its mobility exceeds this part of the mobility of the
 * bodies alone: the same reasons as for pivots. */
#define CRD_RATE_FREE 1e-13

/* A rate has a part in another when its share of that one's mobility exceeds this: far above rounding. */
#define CRD_RATE_PART 1e-6

/* Two values of one rate are the same when they differ by no more than people round numbers they write. */
#define CRD_RATE_SAME 1e-6

/* Characters of the names of other joints in a refusal. */
#define CRD_RATE_NAMES 160

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

static void layout(Rates *rates) {
    size_t count = (size_t)rates->count, nv = (size_t)rates->nv, real = sizeof(double);
    rates->rows = crd_take(&rates->arena, count * nv, real);
    rates->change = crd_take(&rates->arena, count * nv, real);
    rates->k = crd_take(&rates->arena, count * count, real);
    rates->mobility = crd_take(&rates->arena, count, real);
    rates->bias = crd_take(&rates->arena, count, real);
    rates->mu = crd_take(&rates->arena, count, real);
    rates->lambda = crd_take(&rates->arena, (size_t)rates->d->model->structure->rows, real);
}

static double dot(int n, const double *a, const double *b) {
    double sum = 0.0;
    for (int i = 0; i < n; i++) sum += a[i] * b[i];
    return sum;
}

/* Adds a twist row of a frame to a row over velocities. */
static void add_row(const CrdDynamics *dynamics, int frame, const double *twist, double *row) {
    const CrdStructure *structure = dynamics->model->structure;
    int block = structure->frames[frame].block;
    if (block >= 0) crd_add_twist_row(structure, &dynamics->system, frame, twist, row + structure->blocks[block].v);
}

/* The row, and the part of the rate that is not row v (block frames that move with time). */
static CardanStatus coordinate_row(const CrdDynamics *dynamics, const CrdStartRate *rate, const double *v, double *row,
                                   double *bias) {
    const CardanModel *model = dynamics->model;
    const CrdStructure *structure = model->structure;
    assert(rate->joint >= 1 && rate->joint <= structure->joint_count);
    int element = structure->element_of_joint[rate->joint - 1];
    const CrdElement *e = &structure->elements[element];
    if (e->kind == NULL || e->kind->coordinates[0] == CARDAN_COORDINATE_NONE)
        return crd_fail_at(dynamics->error, CARDAN_ERR_MODEL, rate->place,
                           "start rate of joint '%s': a joint of type %s has no coordinate",
                           crd_element_name(model, element), e->kind != NULL ? e->kind->name : "user rows");
    CrdPair pair = crd_pair_of(structure, &dynamics->system, element);
    CrdCoordinate coordinate;
    crd_joint_coordinate(e->kind->coordinates[0], &model->values.joints[element], &pair, &coordinate);
    add_row(dynamics, crd_element_frame(structure, element, 0), coordinate.a, row);
    add_row(dynamics, crd_element_frame(structure, element, 1), coordinate.b, row);
    *bias = coordinate.rate - dot(structure->nv, row, v);
    return CARDAN_OK;
}

/* x <- P x. */
static CardanStatus make_feasible(Rates *rates, double *x) {
    CrdDynamics *dynamics = rates->d;
    const CrdStructure *structure = dynamics->model->structure;
    memset(rates->lambda, 0, (size_t)structure->rows * sizeof *rates->lambda);
    crd_times_g(structure, dynamics->system.G, x, rates->lambda);
    CRD_TRY(crd_solve_rows(dynamics, rates->lambda));
    crd_times_gt(structure, dynamics->system.T, -1.0, rates->lambda, x);
    return CARDAN_OK;
}

/* Twice through P: what rounding left of a motion that is not free is gone after the second. */
static CardanStatus fill(Rates *rates, const double *v) {
    CrdDynamics *dynamics = rates->d;
    for (int i = 0; i < rates->count; i++) {
        double *row = rates->rows + (size_t)i * (size_t)rates->nv,
               *change = rates->change + (size_t)i * (size_t)rates->nv;
        CRD_TRY(coordinate_row(dynamics, &dynamics->model->description->rates[i], v, row, &rates->bias[i]));
        memcpy(change, row, (size_t)rates->nv * sizeof *row);
        crd_solve_mass(dynamics->model, &dynamics->system, change);
        rates->mobility[i] = dot(rates->nv, row, change);
        for (int pass = 0; pass < 2 && dynamics->model->structure->rows > 0; pass++)
            CRD_TRY(make_feasible(rates, change));
        for (int j = 0; j <= i; j++)
            rates->k[(size_t)i * (size_t)rates->count + (size_t)j] =
                dot(rates->nv, rates->rows + (size_t)j * (size_t)rates->nv, change);
    }
    return CARDAN_OK;
}

/* The driver that leads a joint's coordinate; NULL: none. */
static const char *driver_of(const CardanModel *model, int joint) {
    const CrdStructure *structure = model->structure;
    for (int e = 0; e < structure->element_count; e++) {
        const CrdElement *element = &structure->elements[e];
        if (!crd_element_is_driven(element) || element->type != CRD_ELEMENT_COUPLER) continue;
        for (int k = element->term; k < element->term + element->terms; k++)
            if (structure->terms[k].element == structure->element_of_joint[joint - 1])
                return crd_element_name(model, e);
    }
    return NULL;
}

/* The rate that v with its bias gives: what it is before any is prescribed. */
static double rate_by(const Rates *rates, int i, const double *v) {
    return rates->bias[i] + dot(rates->nv, rates->rows + (size_t)i * (size_t)rates->nv, v);
}

/* c: L^T c = row i of L, so that rate i is that of v, and c_j times what each rate j before it adds. */
static void parts_of(const Rates *rates, int i, double *c) {
    size_t n = (size_t)rates->count;
    for (int j = i - 1; j >= 0; j--) {
        c[j] = rates->k[(size_t)i * n + (size_t)j];
        for (int m = j + 1; m < i; m++) c[j] -= rates->k[(size_t)m * n + (size_t)j] * c[m];
        c[j] /= rates->k[(size_t)j * n + (size_t)j];
    }
}

static const char *name_of(const Rates *rates, int i) {
    const CrdDescription *description = rates->d->model->description;
    return description->joints[description->rates[i].joint - 1].name;
}

/* Rate i, whose pivot vanished, is decided by the constraints alone, or by the rates before it that have a part in it:
 * those are named, with what they make of it. */
static CardanStatus fail_dependent(Rates *rates, int i, const double *v) {
    const CrdStartRate *given = rates->d->model->description->rates, *rate = &given[i];
    const double *row = rates->k + (size_t)i * (size_t)rates->count;
    double *c = rates->mu, implied = rate_by(rates, i, v);
    char others[CRD_RATE_NAMES] = "";
    if (!(dot(i, row, row) > CRD_RATE_FREE * rates->mobility[i]))
        return crd_fail_at(rates->d->error, CARDAN_ERR_MODEL, rate->place,
                           "the start rate of joint '%s' is not free: the constraints keep it at %.9g, and %.9g is "
                           "given; leave it out",
                           name_of(rates, i), implied, rate->rate);
    parts_of(rates, i, c);
    for (int j = 0; j < i; j++) {
        size_t used = strlen(others);
        implied += c[j] * (given[j].rate - rate_by(rates, j, v));
        if (fabs(c[j]) * sqrt(rates->mobility[j]) < CRD_RATE_PART * sqrt(rates->mobility[i])) continue;
        snprintf(others + used, sizeof others - used, "%s'%s'", used > 0 ? ", " : "", name_of(rates, j));
    }
    bool same = fabs(implied - rate->rate) <= CRD_RATE_SAME * fmax(fabs(implied), fabs(rate->rate));
    return crd_fail_at(rates->d->error, CARDAN_ERR_MODEL, rate->place,
                       "the start rate of joint '%s' is not free: it %s that of %s, which %s it %.9g, and %.9g is "
                       "given; leave one of them out",
                       name_of(rates, i), same ? "says the same as" : "contradicts", others,
                       same ? "already makes" : "makes", implied, rate->rate);
}

/* k = L L^T; a pivot that vanishes is a rate that the constraints or the other rates decide. */
static CardanStatus factor(Rates *rates, const double *v) {
    size_t n = (size_t)rates->count;
    for (int i = 0; i < rates->count; i++) {
        double *row = rates->k + (size_t)i * n;
        for (int j = 0; j < i; j++) {
            const double *above = rates->k + (size_t)j * n;
            row[j] = (row[j] - dot(j, row, above)) / above[j];
        }
        double pivot = row[i] - dot(i, row, row);
        if (!(pivot > CRD_RATE_FREE * rates->mobility[i])) {
            const CrdStartRate *rate = &rates->d->model->description->rates[i];
            const char *driver = driver_of(rates->d->model, rate->joint);
            if (driver != NULL)
                return crd_fail_at(rates->d->error, CARDAN_ERR_MODEL, rate->place,
                                   "the start rate of joint '%s' is not free: driver '%s' leads it",
                                   rates->d->model->description->joints[rate->joint - 1].name, driver);
            return fail_dependent(rates, i, v);
        }
        row[i] = sqrt(pivot);
    }
    return CARDAN_OK;
}

static void solve(const Rates *rates, double *x) {
    assert(rates->count > 0 && rates->k[0] > 0.0);
    size_t n = (size_t)rates->count;
    for (int i = 0; i < rates->count; i++)
        x[i] = (x[i] - dot(i, rates->k + (size_t)i * n, x)) / rates->k[(size_t)i * n + (size_t)i];
    for (int i = rates->count - 1; i >= 0; i--) {
        for (int j = i + 1; j < rates->count; j++) x[i] -= rates->k[(size_t)j * n + (size_t)i] * x[j];
        x[i] /= rates->k[(size_t)i * n + (size_t)i];
    }
}

/* A second round takes away what rounding left of the first. */
static CardanStatus apply(Rates *rates, double *v) {
    CRD_TRY(fill(rates, v));
    CRD_TRY(factor(rates, v));
    for (int round = 0; round < 2; round++) {
        for (int i = 0; i < rates->count; i++)
            rates->mu[i] = rates->d->model->description->rates[i].rate - rate_by(rates, i, v);
        solve(rates, rates->mu);
        for (int i = 0; i < rates->count; i++)
            for (int k = 0; k < rates->nv; k++)
                v[k] += rates->mu[i] * rates->change[(size_t)i * (size_t)rates->nv + (size_t)k];
    }
    return CARDAN_OK;
}

CardanStatus crd_set_rates(CrdDynamics *dynamics, double *v) {
    Rates rates = {
        .d = dynamics, .count = dynamics->model->description->rate_count, .nv = dynamics->model->structure->nv};
    if (rates.count == 0) return CARDAN_OK;
    assert(crd_stamp_holds(&dynamics->system.stamp, CRD_HOLDS_ROWS));
    assert(dynamics->model->structure->rows == 0 || crd_stamp_holds(&dynamics->system.stamp, CRD_HOLDS_FACTOR));
    layout(&rates);
    if (!crd_arena_allocate(&rates.arena)) return crd_fail_memory(dynamics->error);
    layout(&rates);
    assert(crd_arena_is_full(&rates.arena));
    CardanStatus status = apply(&rates, v);
    crd_arena_free(&rates.arena);
    return status;
}
