/*     H = [G 0; (G v)_q G],   h = (g, G v + g_t),   (dx, dv) = -W H^T (H W H^T)^-1 h
 * H F = I here, so one pass squares the residual of positions and velocities alike (Ascher, Chin, Reich 1994). Columns
 * of the arrays are rows of H, so that each is a vector (x part, v part) that M^-1 can be applied to. */
#include "project/full.h"

#include <cblas.h>
#include <lapacke.h>
#include <string.h>

void crd_full_layout(CrdStabiliser *st, const CrdStructure *structure, CrdArena *arena) {
    size_t nv = 2 * (size_t)structure->nv, rows = 2 * (size_t)structure->rows, real = sizeof(double);
    st->gradient = crd_take(arena, (size_t)structure->size_g, real);
    CRD_TAKE_VECTORS(arena, nv * rows, &st->h, &st->hw);
    st->full = crd_take(arena, rows * rows, real);
    st->residual = crd_take(arena, rows, real);
}

/* Writes pieces as columns first .. of h, starting `offset` down each. */
static void spread(const CrdStructure *structure, const double *pieces, int first, int offset, double *h) {
    size_t height = 2 * (size_t)structure->nv;
    for (int i = 0; i < structure->incidence_count; i++) {
        const CrdIncidence *in = &structure->incidences[i];
        for (int r = 0; r < in->rows; r++) {
            double *column = h + height * (size_t)(first + structure->elements[in->element].first + r) + offset + in->v;
            memcpy(column, pieces + in->g + r * in->width, (size_t)in->width * sizeof *column);
        }
    }
}

static void apply_metric(const CrdDynamics *dynamics, CardanMetric metric, const double *h, double *hw) {
    const CrdStructure *structure = dynamics->model->structure;
    memcpy(hw, h, 4 * (size_t)structure->nv * (size_t)structure->rows * sizeof *hw);
    for (int c = 0; metric == CARDAN_METRIC_MASS && c < 4 * structure->rows; c++)
        crd_solve_mass(dynamics->model, &dynamics->system, hw + (size_t)c * (size_t)structure->nv);
}

CardanStatus crd_full_pass(CrdStabiliser *st, CrdDynamics *dynamics, double t, double *q, double *v) {
    const CrdStructure *structure = dynamics->model->structure;
    int rows = 2 * structure->rows, nv = structure->nv, height = 2 * nv;
    CRD_TRY(crd_gradient(dynamics->model, q, v, &dynamics->system, st->gradient, dynamics->error));
    memset(st->h, 0, (size_t)rows * (size_t)height * sizeof *st->h);
    spread(structure, dynamics->system.G, 0, 0, st->h);
    spread(structure, st->gradient, structure->rows, 0, st->h);
    spread(structure, dynamics->system.G, structure->rows, structure->nv, st->h);
    apply_metric(dynamics, st->options.stabilise.metric, st->h, st->hw);
    cblas_dgemm(CblasColMajor, CblasTrans, CblasNoTrans, rows, rows, height, 1.0, st->h, height, st->hw, height, 0.0,
                st->full, rows);
    memcpy(st->residual, dynamics->system.g, (size_t)structure->rows * sizeof(double));
    memcpy(st->residual + structure->rows, dynamics->system.rate, (size_t)structure->rows * sizeof(double));
    dynamics->work.factorisations++;
    dynamics->work.solves++;
    if (LAPACKE_dpotrf_work(LAPACK_COL_MAJOR, 'U', rows, st->full, rows) != 0)
        return crd_fail(dynamics->error, CARDAN_ERR_NUMERIC,
                        "the full form of post-stabilisation is singular at t = %.9g", t);
    LAPACKE_dpotrs_work(LAPACK_COL_MAJOR, 'U', rows, 1, st->full, rows, st->residual, rows);
    cblas_dgemv(CblasColMajor, CblasNoTrans, nv, rows, -1.0, st->hw, height, st->residual, 1, 0.0, st->dx, 1);
    cblas_dgemv(CblasColMajor, CblasNoTrans, nv, rows, -1.0, st->hw + nv, height, st->residual, 1, 0.0, st->dv, 1);
    crd_move(structure, st->dx, q);
    for (int i = 0; i < nv; i++) v[i] += st->dv[i];
    return crd_evaluate_constraints(dynamics, t, q, v);
}
