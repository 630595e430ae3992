#include "analysis/rank.h"

#include "analysis/rank_dense.h"
#include "analysis/rank_sparse.h"
#include "linear/qr.h"

#include <assert.h>
#include <string.h>

/* Below this a pivot is a suspicion that a rank-revealing factorisation looks into at compile (SINGULARITIES). */
#define CRD_PIVOT_SUSPECT 1e-6

/* Largest rows x velocities for which a rank is found by singular values; beyond it sparse QR takes over. Both take
 * some milliseconds there; a decomposition costs the cube of the rows, QR of chains and ladders their number. */
#define CRD_RANK_DENSE 6000

/* The same where rows are dependent but not exactly: dense least squares then take a hundredth of a second an
 * evaluation. */
#define CRD_RANK_INEXACT 20000

/* ---- the screen ---- */

static void fill_saddle(const void *user, double *k, int order) {
    const CrdDynamics *dynamics = user;
    crd_fill_saddle(dynamics->model, &dynamics->system, CARDAN_METRIC_MASS, k, order);
}

/* Factors S of the rows in the workspace without complaint. CARDAN_ERR_NUMERIC: rows are dependent to rounding. */
static CardanStatus screen(CrdDynamics *dynamics, CrdPivot *pivot) {
    assert(crd_stamp_holds(&dynamics->system.stamp, CRD_HOLDS_ROWS) && dynamics->factor.all != NULL);
    crd_form_schur(dynamics->model, CARDAN_METRIC_MASS, &dynamics->system);
    dynamics->work.factorisations++;
    CrdMatrix matrix = {dynamics->system.S, dynamics->model->structure->nv, fill_saddle, dynamics};
    double drop = dynamics->factor.all->drop;
    dynamics->factor.all->drop = 0.0; /* here dependent rows are to be noticed, not left out */
    CardanStatus status = dynamics->factor.all->ops->factor(dynamics->factor.all, &matrix, pivot);
    dynamics->factor.all->drop = drop;
    assert(!crd_stamp_holds(&dynamics->system.stamp, CRD_HOLDS_FACTOR)); /* nobody takes it for the factor of a step */
    return status;
}

/* All that pivots tell. */
static void from_pivots(const CrdStructure *structure, CardanStatus factored, CrdPivot pivot, CrdRank *out,
                        bool *redundant, bool *singular) {
    *out = (CrdRank){.rank = structure->rows,
                     .rank_here = structure->rows,
                     .nearly = structure->rows,
                     .exact = factored >= 0 && pivot.ratio > CRD_PIVOT_SUSPECT};
    if (redundant != NULL) memset(redundant, 0, (size_t)structure->element_count * sizeof *redundant);
    if (singular != NULL) memset(singular, 0, (size_t)structure->element_count * sizeof *singular);
    if (factored >= 0) return;
    assert(pivot.row >= 0 && pivot.row < structure->rows);
    out->rank = out->rank_here = out->nearly = structure->rows - 1;
    if (redundant != NULL) redundant[structure->row_element[pivot.row]] = true;
    if (singular != NULL) singular[structure->row_element[pivot.row]] = true;
}

/* Of a model too large for singular values. */
static CardanStatus rank_large(CrdDynamics *dynamics, double t, const double *q, const double *v, CrdRank *out,
                               bool *redundant, bool *singular) {
    const CrdStructure *structure = dynamics->model->structure;
    CrdPivot pivot = {.ratio = 1.0};
    CardanStatus factored = screen(dynamics, &pivot);
    if (factored < 0 && factored != CARDAN_ERR_NUMERIC)
        return crd_fail(dynamics->error, factored, "the solver failed at t = %.9g", t);
    from_pivots(structure, factored, pivot, out, redundant, singular);
    if (out->exact || !crd_qr_fits(structure)) return CARDAN_OK;
    out->exact = true;
    CRD_TRY(crd_rank_sparse(dynamics, t, q, v, out, redundant, singular));
    out->nearly = out->rank;
    return CARDAN_OK;
}

CardanStatus crd_rank(CrdDynamics *dynamics, double t, const double *q, const double *v, CrdRank *out, bool *redundant,
                      bool *singular) {
    const CrdStructure *structure = dynamics->model->structure;
    CRD_TRY(crd_evaluate_constraints(dynamics, t, q, v));
    bool small = (long long)structure->rows * structure->nv <= CRD_RANK_DENSE;
    CRD_TRY(small ? crd_rank_dense(dynamics, t, q, v, out, redundant, singular)
                  : rank_large(dynamics, t, q, v, out, redundant, singular));
    if (out->inexact > 0 && (long long)structure->rows * structure->nv <= CRD_RANK_INEXACT)
        CRD_TRY(crd_rank_dense(dynamics, t, q, v, out, redundant, singular));
    return crd_evaluate_constraints(dynamics, t, q, v);
}
