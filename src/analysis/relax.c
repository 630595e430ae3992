#include "analysis/relax.h"

#include "core/numbers.h"

#include <assert.h>
#include <math.h>
#include <string.h>

/* Iterations at most, and the step (lengths of the model, rad) below which it stands still; where rounding of a badly
 * determined direction keeps it moving, a step below the third number that is no shorter than the one before. */
#define CRD_RELAX_ITERATIONS 30
#define CRD_RELAX_STILL 1e-14
#define CRD_RELAX_ROUNDING 1e-10

/* Longest step from a far guess: beyond it a linearised rotation says nothing. */
#define CRD_RELAX_REACH 0.5

/* Singular values below which directions are left alone in the first steps from a far guess (the oracle's numbers). */
static const double COARSE[] = {1e-2, 1e-3, 1e-4};
enum { COARSE_STEPS = sizeof COARSE / sizeof *COARSE };

double crd_opening(const CrdDynamics *dynamics, const bool *left_alone) {
    const CardanModel *model = dynamics->model;
    double max = 0.0;
    for (int i = 0; i < model->structure->rows; i++) {
        if (left_alone != NULL && left_alone[i]) continue;
        double open = fabs(dynamics->system.g[i]);
        if (crd_row_is_length(model->structure, &dynamics->system, i)) open /= model->values.span;
        if (!(open <= max)) max = open;
    }
    return max;
}

/* One step; *reach is its size. */
static CardanStatus step(CrdRelaxation *re, int iteration, double *q, double *reach) {
    CrdDynamics *dynamics = re->dynamics;
    const CrdStructure *structure = dynamics->model->structure;
    bool coarse = re->far && iteration < COARSE_STEPS;
    CRD_TRY(crd_spectrum_take_kinematic(re->spectrum, &dynamics->system, true, dynamics->error));
    int rank = crd_spectrum_rank(re->spectrum, coarse ? fmax(COARSE[iteration], re->tolerance) : re->tolerance);
    if (re->max_rank > 0 && rank > re->max_rank) rank = re->max_rank;
    crd_spectrum_correct(re->spectrum, &dynamics->system, dynamics->system.g, rank, re->dx);
    *reach = crd_reach(dynamics->model, re->dx);
    if (re->far && *reach > CRD_RELAX_REACH)
        for (int i = 0; i < structure->nv; i++) re->dx[i] *= CRD_RELAX_REACH / *reach;
    crd_move(structure, re->dx, q);
    return CARDAN_OK;
}

CardanStatus crd_relax(CrdRelaxation *re, double t, double *q, const double *v) {
    double reach = (double)INFINITY, before;
    assert(re->spectrum != NULL && re->dx != NULL && re->tolerance > 0.0);
    re->converged = false;
    CRD_TRY(crd_evaluate_constraints(re->dynamics, t, q, v));
    for (int i = 0; i < CRD_RELAX_ITERATIONS && !re->converged; i++) {
        before = reach;
        CRD_TRY(step(re, i, q, &reach));
        if (!isfinite(reach)) break;
        CRD_TRY(crd_evaluate_constraints(re->dynamics, t, q, v));
        bool fine = !re->far || i >= COARSE_STEPS;
        re->converged = fine && (reach <= CRD_RELAX_STILL || (reach <= CRD_RELAX_ROUNDING && reach >= 0.5 * before));
    }
    re->opening = crd_opening(re->dynamics, re->spectrum->left_alone);
    return CARDAN_OK;
}
