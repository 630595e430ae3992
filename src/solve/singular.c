#include "solve/singular.h"

#include "core/numbers.h"
#include "solve/regularise.h"

#include <math.h>
#include <string.h>

double crd_closeness(const CrdDynamics *d) {
    if (d->dropped > d->redundant) return 0.0;
    return d->pivot_top > 0.0 ? fmin(1.0, sqrt(fmax(d->pivot_last, 0.0) / d->pivot_top)) : 1.0;
}

bool crd_approaching(const CrdDynamics *d) {
    return d->regulariser->motion == crd_motion_auto && d->model->shape->rows > 0 && crd_closeness(d) < CRD_APPROACH;
}

static void note(CrdDynamics *d, CrdRemedy remedy, double noise) {
    if (remedy > d->remedy) d->remedy = remedy;
    d->noise = noise;
}

/* ---- rank-revealing ---- */

static CardanStatus too_large(CrdDynamics *d) {
    return crd_fail(d->error, CARDAN_ERR_NUMERIC,
                    "the constraint rows are dependent to rounding at t = %.9g (joint '%s'), and the model is too large "
                    "for a rank-revealing look",
                    d->system.t, crd_element_name(d->model, d->model->shape->row_element[d->pivot_row]));
}

/* Generic rank of all rows. */
static int generic_rank(const CrdDynamics *d) {
    int rank = d->model->shape->rows - d->redundant;
    return rank < d->spectrum.count ? rank : d->spectrum.count;
}

CardanStatus crd_motion_by_rank(CrdDynamics *d, const double *q, const double *v) {
    (void)q;
    (void)v;
    if (!d->looks) return too_large(d);
    CRD_TRY(crd_spectrum_take(&d->spectrum, &d->system, false, d->error));
    int rank = generic_rank(d), known = crd_spectrum_rank(&d->spectrum, CRD_POSE);
    if (known < rank) rank = known;
    crd_spectrum_motion(&d->spectrum, &d->system, d->system.f, d->target, rank, d->a, d->lambda);
    double low = rank > 0 ? d->spectrum.sigma[rank - 1] / d->spectrum.sigma[0] : 1.0;
    note(d, CRD_REMEDY_RANK, CRD_EPS / low);
    return CARDAN_OK;
}

/* ---- in the pose ---- */

/* Ordinary acceleration at (q + e v + e^2 a0 / 2, v + e a0), added to sum. */
static CardanStatus add_neighbour(CrdDynamics *d, double e, const double *q, const double *v, double *sum) {
    const CrdShape *s = d->model->shape;
    for (int i = 0; i < s->nv; i++) {
        d->near_dx[i] = e * v[i] + 0.5 * e * e * d->a0[i];
        d->near_v[i] = v[i] + e * d->a0[i];
    }
    memcpy(d->near_q, q, (size_t)s->nq * sizeof *q);
    crd_move(s, d->near_dx, d->near_q);
    CRD_TRY(crd_measure(d, d->pose_t + e, d->near_q, d->near_v));
    CRD_TRY(crd_forces(d->model, d->near_q, d->near_v, &d->actions, &d->system, d->error));
    CRD_TRY(crd_plain_solve(d));
    for (int k = 0; k < 2; k++) CRD_TRY(crd_refine(d));
    for (int i = 0; i < s->nv; i++) sum[i] += 0.5 * d->a[i];
    return CARDAN_OK;
}

/* Largest displacement in a vector of velocities, in lengths of the model or rad. */
static double reach(const CardanModel *model, const double *x) {
    const CrdShape *s = model->shape;
    double most = 0.0;
    for (int b = 0; b < s->block_count; b++) {
        const CrdBlock *block = &s->blocks[b];
        bool planar = block->kind == CRD_PLANAR_BODY || block->kind == CRD_PLANAR_PARTICLE;
        int lengths = block->kind == CRD_CUSTOM_BLOCK ? 0 : planar ? 2 : 3;
        for (int k = 0; k < block->nv; k++)
            most = fmax(most, fabs(x[block->v + k]) / (k < lengths ? model->numbers.size : 1.0));
    }
    return most;
}

/* Three distances, each half the last: a1(d) has even powers of d only, so two extrapolations leave d^6. */
static CardanStatus next_derivative(CrdDynamics *d, const double *q, const double *v) {
    const CrdShape *s = d->model->shape;
    size_t bytes = (size_t)s->nv * sizeof(double);
    double far = CRD_POSE_NEIGHBOUR / reach(d->model, v);
    d->pose_t = d->system.t;
    memcpy(d->a0, d->a, bytes);
    memset(d->near_a, 0, 3 * bytes);
    for (int k = 0; k < 3; k++)
        for (int side = -1; side <= 1; side += 2)
            CRD_TRY(add_neighbour(d, side * ldexp(far, -k), q, v, d->near_a + (size_t)k * (size_t)s->nv));
    const double *one = d->near_a, *half = one + s->nv, *quarter = half + s->nv;
    CRD_TRY(crd_measure(d, d->pose_t, q, v));
    CRD_TRY(crd_forces(d->model, q, v, &d->actions, &d->system, d->error));
    for (int i = 0; i < s->nv; i++) {
        double a1 = (64.0 * quarter[i] - 20.0 * half[i] + one[i]) / 45.0;
        d->a[i] = (a1 + 2.0 * d->a0[i]) / 3.0;
    }
    return CARDAN_OK;
}

/* Multipliers that fit an acceleration found otherwise: G^T lambda = f - M a in the sense of least squares. */
static void fit_multipliers(CrdDynamics *d, int rank) {
    const CrdShape *s = d->model->shape;
    crd_times_mass(d->model, &d->system, d->a, d->near_dx);
    for (int i = 0; i < s->nv; i++) d->near_dx[i] = d->system.f[i] - d->near_dx[i];
    crd_spectrum_multipliers(&d->spectrum, &d->system, d->near_dx, rank, d->lambda);
}

static CardanStatus in_pose(CrdDynamics *d, const double *q, const double *v) {
    if (!d->looks) return too_large(d);
    CRD_TRY(crd_motion_by_rank(d, q, v));
    int generic = generic_rank(d), here = crd_spectrum_rank(&d->spectrum, CRD_POSE);
    if (here >= generic || reach(d->model, v) == 0.0) return CARDAN_OK;
    CRD_TRY(next_derivative(d, q, v));
    fit_multipliers(d, here);
    note(d, CRD_REMEDY_NEXT, CRD_NEXT_NOISE);
    return CARDAN_OK;
}

CardanStatus crd_motion_auto(CrdDynamics *d, const double *q, const double *v) {
    CRD_TRY(crd_plain_solve(d));
    d->noise = 0.0;
    double w = crd_closeness(d);
    if (w >= CRD_APPROACH) return CARDAN_OK;
    if (w < CRD_POSE_SUSPECT) return in_pose(d, q, v);
    for (int k = 0; k < 2; k++) CRD_TRY(crd_refine(d));
    note(d, CRD_REMEDY_REFINED, CRD_EPS / w);
    return CARDAN_OK;
}

bool crd_singular_elements(CrdDynamics *d, bool *element) {
    const CrdShape *s = d->model->shape;
    memset(element, 0, (size_t)s->element_count * sizeof *element);
    if (s->rows == 0) return true;
    if (!d->looks || crd_spectrum_take(&d->spectrum, &d->system, false, NULL) < 0) {
        element[s->row_element[d->pivot_row]] = true;
        return false;
    }
    /* The weakest direction of the generic rank: rows that take part in it. */
    int k = generic_rank(d) - 1;
    const double *u = d->spectrum.u + (size_t)(k > 0 ? k : 0) * (size_t)s->rows;
    double most = crd_worst(u, s->rows);
    for (int r = 0; r < s->rows; r++)
        if (fabs(u[r]) > CRD_SINGULAR_SHARE * most) element[s->row_element[r]] = true;
    return true;
}
