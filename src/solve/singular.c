#include "solve/singular.h"

#include "core/numbers.h"
#include "solve/regularise.h"

#include <math.h>
#include <string.h>

double crd_closeness(const CrdDynamics *d) {
    return d->closeness;
}

bool crd_approaching(const CrdDynamics *d) {
    return d->model->shape->rows > 0 && crd_closeness(d) < CRD_APPROACH;
}

static void note(CrdDynamics *d, CrdRemedy remedy, double noise) {
    if (remedy > d->remedy) d->remedy = remedy;
    d->noise = noise;
}

/* What rounding of positions and velocities becomes in accelerations: m/s^2 and rad/s^2 in lengths of the model. */
static double noise_of(const CrdDynamics *d, const double *v, double w) {
    double speed = crd_reach(d->model, v);
    return CRD_EPS * speed * speed / (w * w * w);
}

/* The closeness at which that noise is the share `part` of the accelerations of a motion this fast. */
static double closeness_of_noise(double speed, double acceleration, double part) {
    double size = fmax(acceleration, speed * speed);
    return size > 0.0 ? cbrt(CRD_EPS * speed * speed / (part * size)) : 0.0;
}

/* ---- rank-revealing ---- */

/* Generic rank of all rows. */
static int generic_rank(const CrdDynamics *d) {
    int rank = d->model->shape->rows - d->redundant;
    return rank < d->spectrum.count ? rank : d->spectrum.count;
}

CardanStatus crd_solve_by_rank(CrdDynamics *d) {
    int rank;
    if (d->model->shape->rows == 0) return crd_plain_solve(d);
    CRD_TRY(crd_spectrum_take_qr(&d->spectrum, &d->system, d->is_redundant, CRD_POSE, &rank, d->error));
    crd_spectrum_motion_qr(&d->spectrum, &d->system, d->system.f, d->target, rank, d->a, d->lambda);
    return CARDAN_OK;
}

/* ---- across the pose ---- */

/* Ordinary acceleration at (q + e v + e^2 a0 / 2, v + e a0): half of it is added to sum; returns the closeness there. */
static CardanStatus add_neighbour(CrdDynamics *d, double e, const double *q, const double *v, double *sum, double *w) {
    const CrdShape *s = d->model->shape;
    for (int i = 0; i < s->nv; i++) {
        d->near_dx[i] = e * v[i] + 0.5 * e * e * d->a0[i];
        d->near_v[i] = v[i] + e * d->a0[i];
    }
    memcpy(d->near_q, q, (size_t)s->nq * sizeof *q);
    crd_move(s, d->near_dx, d->near_q);
    CRD_TRY(crd_measure(d, d->pose_t + e, d->near_q, d->near_v));
    CRD_TRY(crd_forces(d->model, d->near_q, d->near_v, &d->actions, &d->system, d->error));
    memcpy(d->target, d->system.gamma, (size_t)s->rows * sizeof *d->target);
    CRD_TRY(crd_plain_solve(d));
    for (int k = 0; k < 2; k++) CRD_TRY(crd_refine(d));
    for (int i = 0; i < s->nv; i++) sum[i] += 0.5 * d->a[i];
    for (int i = 0; i < s->rows; i++) d->near_lambda[i] = d->lambda[i];
    *w = crd_closeness(d);
    return CARDAN_OK;
}

/* First row of the inverse of the 3 x 3 matrix with rows (1 + k_i, x_i, x_i^2): weights of the three equations for a. */
static void weights_of(const double *k, const double *x, double *weight) {
    double total = 0.0;
    for (int i = 0; i < 3; i++) {
        int m = (i + 1) % 3, n = (i + 2) % 3;
        weight[i] = x[m] * x[n] * (x[n] - x[m]);
        total += (1.0 + k[i]) * weight[i];
    }
    for (int i = 0; i < 3; i++) weight[i] /= total;
}

/* Mean acceleration at distance e on both sides, and what a wrong part of a0 is multiplied by there. */
static CardanStatus both_sides(CrdDynamics *d, double e, const double *q, const double *v, double *mean, double *k) {
    double before, after;
    memset(mean, 0, (size_t)d->model->shape->nv * sizeof *mean);
    CRD_TRY(add_neighbour(d, -e, q, v, mean, &before));
    CRD_TRY(add_neighbour(d, e, q, v, mean, &after));
    double r = before + after > 0.0 ? (after - before) / (after + before) : 0.0;
    *k = 2.0 / (1.0 - fmin(r * r, CRD_ACROSS_RATIO));
    return CARDAN_OK;
}

/* One improvement of the acceleration a0 from its neighbours at three distances; *change is its largest part. */
static CardanStatus improve(CrdDynamics *d, const double *q, const double *v, double *change) {
    static const double distance[3] = {1.0, 0.75, 0.5};
    const CrdShape *s = d->model->shape;
    double far = d->neighbour / crd_reach(d->model, v), k[3], x[3], weight[3];
    for (int i = 0; i < 3; i++) {
        x[i] = distance[i] * distance[i];
        CRD_TRY(both_sides(d, distance[i] * far, q, v, d->near_a + (size_t)i * (size_t)s->nv, &k[i]));
    }
    weights_of(k, x, weight);
    *change = 0.0;
    for (int i = 0; i < s->nv; i++) {
        double a = 0.0;
        for (int m = 0; m < 3; m++) a += weight[m] * (d->near_a[m * s->nv + i] + k[m] * d->a0[i]);
        *change = fmax(*change, fabs(a - d->a0[i]));
        d->a0[i] = a;
    }
    return CARDAN_OK;
}

/* Each improvement leaves of the wrong part of a0 what k misses of it: a few thousandths at the edge of the neighbourhood.
 * a0 is the ordinary acceleration while that still says something, else the one without the rows that vanish. */
static CardanStatus across(CrdDynamics *d, const double *q, const double *v, bool in_pose) {
    const CrdShape *s = d->model->shape;
    double pivot = d->pivot_last, closeness = d->closeness, change = (double)INFINITY;
    int row = d->pivot_row, dropped = d->dropped;
    if (in_pose) {
        CRD_TRY(crd_factor_strong(d));
        d->factored = true;
        CRD_TRY(crd_plain_solve(d));
        CRD_TRY(crd_refine(d));
    }
    memcpy(d->a0, d->a, (size_t)s->nv * sizeof *d->a0);
    memcpy(d->near_lambda, d->lambda, (size_t)s->rows * sizeof *d->lambda);
    d->pose_t = d->system.t;
    for (int i = 0; i < CRD_ACROSS_ITERATIONS; i++) {
        CRD_TRY(improve(d, q, v, &change));
        if (change <= CRD_ACROSS_STILL * crd_worst(d->a0, s->nv)) break;
    }
    CRD_TRY(crd_measure(d, d->pose_t, q, v));
    CRD_TRY(crd_forces(d->model, q, v, &d->actions, &d->system, d->error));
    memcpy(d->a, d->a0, (size_t)s->nv * sizeof *d->a);
    memcpy(d->lambda, d->near_lambda, (size_t)s->rows * sizeof *d->lambda);
    d->pivot_last = pivot; /* the watch is that of this state, not of its neighbours */
    d->closeness = closeness;
    d->pivot_row = row;
    d->dropped = dropped;
    return CARDAN_OK;
}

/* Size of M^-1 f: what accelerations would be without the constraints. */
static double free_acceleration(CrdDynamics *d) {
    memcpy(d->rv, d->system.f, (size_t)d->model->shape->nv * sizeof *d->rv);
    crd_solve_mass(d->model, &d->system, d->rv);
    return crd_reach(d->model, d->rv);
}

static CardanStatus refuse(CrdDynamics *d) {
    return crd_fail(d->error, CARDAN_ERR_NUMERIC,
                    "constraint rows of joint '%s' come too close to dependence at t = %.9g (closeness %.2g): regularise: %s "
                    "does not go through singular poses, use auto",
                    crd_element_name(d->model, d->model->shape->row_element[d->pivot_row]), d->system.t, crd_closeness(d),
                    d->regulariser->name);
}

CardanStatus crd_near_pose(CrdDynamics *d, const double *q, const double *v) {
    double w = crd_closeness(d), speed = crd_reach(d->model, v), size = free_acceleration(d);
    double noisy = fmin(closeness_of_noise(speed, size, CRD_ACROSS_NOISE), CRD_LAND);
    if (size > 0.0) noisy = fmin(noisy, CRD_ACROSS_TURN * speed * speed / size);
    double lost = closeness_of_noise(speed, size, CRD_ACROSS_LOST);
    if (d->regulariser->in_pose == CRD_IN_POSE_SOFTENED) {
        note(d, CRD_REMEDY_SOFTENED, noise_of(d, v, fmax(w, noisy)));
        return CARDAN_OK;
    }
    if (w >= noisy || speed == 0.0) {
        note(d, CRD_REMEDY_REFINED, noise_of(d, v, fmax(w, CRD_POSE)));
        return CARDAN_OK;
    }
    if (d->regulariser->in_pose == CRD_IN_POSE_REFUSED) return refuse(d);
    d->neighbour = CRD_ACROSS_FAR * noisy;
    CRD_TRY(across(d, q, v, w < lost));
    note(d, CRD_REMEDY_ACROSS, noise_of(d, v, noisy));
    return CARDAN_OK;
}

bool crd_singular_elements(CrdDynamics *d, bool *element) {
    const CrdShape *s = d->model->shape;
    memset(element, 0, (size_t)s->element_count * sizeof *element);
    if (s->rows == 0) return false;
    if (!d->looks || crd_spectrum_take(&d->spectrum, &d->system, false, NULL) < 0) {
        element[s->row_element[d->pivot_row]] = true;
        return true;
    }
    /* The weakest direction of the generic rank: rows that take part in it. */
    int k = generic_rank(d) - 1;
    const double *u = d->spectrum.u + (size_t)(k > 0 ? k : 0) * (size_t)s->rows;
    double most = crd_worst(u, s->rows);
    for (int r = 0; r < s->rows; r++)
        if (fabs(u[r]) > CRD_SINGULAR_SHARE * most) element[s->row_element[r]] = true;
    return k < 0 || d->spectrum.sigma[k] <= CRD_PASSAGE_CONFIRMED * d->spectrum.sigma[0];
}

/* Multipliers that fit an acceleration: G^T lambda = f - M a in the sense of least squares. */
static void fit_multipliers(CrdDynamics *d, int rank) {
    const CrdShape *s = d->model->shape;
    crd_times_mass(d->model, &d->system, d->a, d->near_dx);
    for (int i = 0; i < s->nv; i++) d->near_dx[i] = d->system.f[i] - d->near_dx[i];
    crd_spectrum_multipliers(&d->spectrum, &d->system, d->near_dx, rank, d->lambda);
}

void crd_least_multipliers(CrdDynamics *d) {
    if ((d->redundant == 0 && d->dropped == 0) || !d->looks || crd_spectrum_take(&d->spectrum, &d->system, false, NULL) < 0) return;
    fit_multipliers(d, crd_spectrum_rank(&d->spectrum, CRD_RANK_TOLERANCE));
}
