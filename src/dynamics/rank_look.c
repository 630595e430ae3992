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

int crd_rank_here(const CrdDynamics *dynamics) {
    int most = generic_rank(dynamics), rank = crd_spectrum_rank(&dynamics->spectrum, CRD_RANK_TOLERANCE);
    return rank < most && !crd_imperfect_is_spread(dynamics) ? rank : most;
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

/* Elements with a row in the combination u. */
static void mark(const CrdStructure *structure, const double *u, bool *element) {
    double max = crd_max_abs(u, structure->rows);
    for (int r = 0; r < structure->rows; r++)
        if (fabs(u[r]) > CRD_SINGULAR_SHARE * max) element[structure->row_element[r]] = true;
}

bool crd_singular_elements(CrdDynamics *dynamics, bool *element) {
    const CrdStructure *structure = dynamics->model->structure;
    memset(element, 0, (size_t)structure->element_count * sizeof *element);
    if (structure->rows == 0) return false;
    if (crd_weakest_pays(dynamics) && crd_weakest_look(dynamics)) {
        const CrdWeakest *weakest = &dynamics->geometry.weakest;
        mark(structure, weakest->u[0], element);
        return weakest->sigma[0] <= CRD_PASSAGE_CONFIRMED * weakest->sigma_max;
    }
    if (!dynamics->reveals || crd_spectrum_take_kinematic(&dynamics->spectrum, &dynamics->system, false, NULL) < 0) {
        element[structure->row_element[dynamics->factor.pivot_row]] = true;
        return true;
    }
    /* The weakest direction of the generic rank: rows that take part in it. */
    int k = generic_rank(dynamics) - 1;
    const double *u = dynamics->spectrum.u + (size_t)(k > 0 ? k : 0) * (size_t)structure->rows;
    mark(structure, u, element);
    return k < 0 || dynamics->spectrum.sigma[k] <= CRD_PASSAGE_CONFIRMED * dynamics->spectrum.sigma[0];
}

/* Multipliers that fit an acceleration: G^T lambda = f - M a in the sense of least squares. */
static void fit_multipliers(CrdDynamics *dynamics, int rank) {
    double *left = dynamics->regularisation.velocities_left;
    crd_left_of_motion(dynamics, left);
    crd_spectrum_multipliers(&dynamics->spectrum, &dynamics->system, left, rank, dynamics->redundancy.least);
}

const double *crd_least_multipliers(CrdDynamics *dynamics, int element) {
    CrdStamp *stamp = &dynamics->system.stamp;
    assert(crd_stamp_holds(stamp, CRD_HOLDS_ACCELERATIONS));
    bool unique = crd_all_rows_act(dynamics) && !crd_redundancy_reaches(dynamics, element);
    if (unique || dynamics->factor.uneven.acts || !dynamics->reveals)
        return dynamics->lambda; /* those of least squares are the least ones already */
    if (crd_stamp_holds(stamp, CRD_HOLDS_LEAST)) return dynamics->redundancy.least;
    if (crd_spectrum_take(&dynamics->spectrum, &dynamics->system, false, NULL) < 0) return dynamics->lambda;
    fit_multipliers(dynamics, crd_rank_here(dynamics));
    crd_stamp_add(stamp, CRD_HOLDS_LEAST);
    return dynamics->redundancy.least;
}
