/*     H = [G 0; (G v)_q G],   h = (g, G v + g_t),   (dx, dv) = -W H^T (H W H^T)^-1 h
 * H F = I here, so one pass squares the residual of positions and velocities alike (Ascher, Chin, Reich 1994). Columns
 * of the arrays are rows of H, so that each is a vector (x part, v part) that M^-1 can be applied to. */
#include "stabilise/full.h"

#include <cblas.h>
#include <lapacke.h>
#include <string.h>

void crd_full_layout(CrdStabiliser *st, const CrdShape *s, CrdArena *arena) {
    size_t nv = 2 * (size_t)s->nv, rows = 2 * (size_t)s->rows, real = sizeof(double);
    st->gradient = crd_take(arena, (size_t)s->size_g, real);
    st->h = crd_take(arena, nv * rows, real);
    st->hw = crd_take(arena, nv * rows, real);
    st->full = crd_take(arena, rows * rows, real);
    st->residual = crd_take(arena, rows, real);
}

/* Writes pieces as columns first .. of h, starting `offset` down each. */
static void spread(const CrdShape *s, const double *pieces, int first, int offset, double *h) {
    size_t height = 2 * (size_t)s->nv;
    for (int i = 0; i < s->incidence_count; i++) {
        const CrdIncidence *in = &s->incidences[i];
        for (int r = 0; r < in->rows; r++) {
            double *column = h + height * (size_t)(first + s->elements[in->element].first + r) + offset + in->v;
            memcpy(column, pieces + in->g + r * in->width, (size_t)in->width * sizeof *column);
        }
    }
}

static void weigh(const CrdDynamics *d, CardanMetric metric, const double *h, double *hw) {
    const CrdShape *s = d->model->shape;
    memcpy(hw, h, 4 * (size_t)s->nv * (size_t)s->rows * sizeof *hw);
    for (int c = 0; metric == CARDAN_METRIC_MASS && c < 4 * s->rows; c++)
        crd_solve_mass(d->model, &d->system, hw + (size_t)c * (size_t)s->nv);
}

CardanStatus crd_full_pass(CrdStabiliser *st, CrdDynamics *d, double t, double *q, double *v) {
    const CrdShape *s = d->model->shape;
    int rows = 2 * s->rows, height = 2 * s->nv;
    CRD_TRY(crd_gradient(d->model, q, v, &d->system, st->gradient, d->error));
    memset(st->h, 0, (size_t)rows * (size_t)height * sizeof *st->h);
    spread(s, d->system.G, 0, 0, st->h);
    spread(s, st->gradient, s->rows, 0, st->h);
    spread(s, d->system.G, s->rows, s->nv, st->h);
    weigh(d, st->options.stabilise.metric, st->h, st->hw);
    cblas_dgemm(CblasColMajor, CblasTrans, CblasNoTrans, rows, rows, height, 1.0, st->h, height, st->hw, height, 0.0,
                st->full, rows);
    memcpy(st->residual, d->system.g, (size_t)s->rows * sizeof(double));
    memcpy(st->residual + s->rows, d->system.rate, (size_t)s->rows * sizeof(double));
    d->factorisations++;
    d->solves++;
    if (LAPACKE_dpotrf_work(LAPACK_COL_MAJOR, 'U', rows, st->full, rows) != 0)
        return crd_fail(d->error, CARDAN_ERR_NUMERIC, "the full form of post-stabilisation is singular at t = %.9g", t);
    LAPACKE_dpotrs_work(LAPACK_COL_MAJOR, 'U', rows, 1, st->full, rows, st->residual, rows);
    cblas_dgemv(CblasColMajor, CblasNoTrans, s->nv, rows, -1.0, st->hw, height, st->residual, 1, 0.0, st->dx, 1);
    cblas_dgemv(CblasColMajor, CblasNoTrans, s->nv, rows, -1.0, st->hw + s->nv, height, st->residual, 1, 0.0, st->dv, 1);
    crd_move(s, st->dx, q);
    for (int i = 0; i < s->nv; i++) v[i] += st->dv[i];
    return crd_measure(d, t, q, v);
}
