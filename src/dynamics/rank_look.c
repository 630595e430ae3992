#include "dynamics/rank_look.h"

#include "core/numbers.h"

#include <assert.h>
#include <math.h>
#include <string.h>

/* Share of the largest entry of a null vector from which a row is named in a dependency. */
#define CRD_SINGULAR_SHARE 1e-3

/* Singular value of the generic rank against the largest, below which a look confirms what the pivots suspect. */
#define CRD_PASSAGE_CONFIRMED 0.03

/* Generic rank of all rows. */
static int generic_rank(const CrdDynamics *dynamics) {
    if (crd_imperfect_is_spread(dynamics)) return dynamics->redundancy.imperfect.rank;
    int rank = dynamics->model->structure->rows - dynamics->redundancy.count;
    return rank < dynamics->spectrum.count ? rank : dynamics->spectrum.count;
}

CardanStatus crd_solve_by_rank(CrdDynamics *dynamics) {
    int rank;
    if (dynamics->model->structure->rows == 0) return crd_plain_solve(dynamics);
    CRD_TRY(crd_spectrum_take_qr(&dynamics->spectrum, &dynamics->system, dynamics->redundancy.is_dropped, CRD_POSE,
                                 &rank, dynamics->error));
    crd_complete_forces(dynamics->model, &dynamics->system);
    crd_spectrum_motion_qr(&dynamics->spectrum, &dynamics->system, dynamics->system.f, dynamics->target, rank,
                           dynamics->a, dynamics->lambda);
    return CARDAN_OK;
}

bool crd_singular_elements(CrdDynamics *dynamics, bool *element) {
    const CrdStructure *structure = dynamics->model->structure;
    memset(element, 0, (size_t)structure->element_count * sizeof *element);
    if (structure->rows == 0) return false;
    if (!dynamics->reveals || crd_spectrum_take_kinematic(&dynamics->spectrum, &dynamics->system, false, NULL) < 0) {
        element[structure->row_element[dynamics->factor.pivot_row]] = true;
        return true;
    }
    /* The weakest direction of the generic rank: rows that take part in it. */
    int k = generic_rank(dynamics) - 1;
    const double *u = dynamics->spectrum.u + (size_t)(k > 0 ? k : 0) * (size_t)structure->rows;
    double max = crd_max_abs(u, structure->rows);
    for (int r = 0; r < structure->rows; r++)
        if (fabs(u[r]) > CRD_SINGULAR_SHARE * max) element[structure->row_element[r]] = true;
    return k < 0 || dynamics->spectrum.sigma[k] <= CRD_PASSAGE_CONFIRMED * dynamics->spectrum.sigma[0];
}

/* Multipliers that fit an acceleration: G^T lambda = f - M a in the sense of least squares. */
static void fit_multipliers(CrdDynamics *dynamics, int rank) {
    const CrdStructure *structure = dynamics->model->structure;
    double *left = dynamics->regularisation.velocities_left;
    crd_complete_forces(dynamics->model, &dynamics->system);
    crd_times_mass(dynamics->model, &dynamics->system, dynamics->a, left);
    for (int i = 0; i < structure->nv; i++) left[i] = dynamics->system.f[i] - left[i];
    crd_spectrum_multipliers(&dynamics->spectrum, &dynamics->system, left, rank, dynamics->lambda);
}

void crd_minimum_norm_multipliers(CrdDynamics *dynamics) {
    assert(crd_stamp_holds(&dynamics->system.stamp, CRD_HOLDS_ACCELERATIONS));
    bool unique = dynamics->redundancy.count == 0 && crd_all_rows_act(dynamics);
    if (unique || dynamics->factor.uneven.acts || !dynamics->reveals)
        return; /* those of least squares are the least ones already */
    if (crd_spectrum_take(&dynamics->spectrum, &dynamics->system, false, NULL) < 0) return;
    fit_multipliers(dynamics, crd_spectrum_rank(&dynamics->spectrum, CRD_RANK_TOLERANCE));
}
