#include "analysis/choose.h"

#include "linear/qr.h"

#include <assert.h>
#include <string.h>

/* What is left of a kinematic row of length 1 that the rows before it explain: rounding at first; more where the
 * workspace is a little beside the manifold. Tried one after another. A row of its own keeps some hundredths
 * (RANK_AND_BRANCH 1.1). */
static const double LEFT[] = {1e-10, 1e-8, 1e-6, 1e-4};

/* By the pivots of S, where there is no elimination to go by. */
static CardanStatus choose_by_pivots(CrdDynamics *dynamics, bool *rows) {
    CRD_TRY(crd_factor(dynamics, CARDAN_METRIC_MASS));
    for (int i = 0; i < dynamics->model->structure->rows; i++)
        rows[i] = crd_solver_dropped(dynamics->factor.solver, i) || crd_is_released(dynamics, i);
    return CARDAN_OK;
}

static CardanStatus choose(CrdQr *qr, const CrdDynamics *dynamics, int expected, bool *rows) {
    int all = dynamics->model->structure->rows;
    size_t tries = sizeof LEFT / sizeof *LEFT;
    for (size_t i = 0; i < tries && (i == 0 || all - qr->rank < expected); i++)
        CRD_TRY(crd_qr_take(qr, &dynamics->system, LEFT[i], dynamics->error));
    memcpy(rows, qr->is_dead, (size_t)all * sizeof *rows);
    return CARDAN_OK;
}

CardanStatus crd_choose_redundant(CrdDynamics *dynamics, int expected, bool *rows, int *count) {
    const CrdStructure *structure = dynamics->model->structure;
    CardanStatus status;
    assert(expected > 0 && expected <= structure->rows);
    if (!crd_qr_fits(structure)) {
        status = choose_by_pivots(dynamics, rows);
    } else {
        CrdQr qr;
        status = crd_qr_open(&qr, dynamics->model, dynamics->error);
        qr.kinematic = true;
        for (int i = 0; status >= 0 && i < structure->rows; i++) qr.left_alone[i] = crd_is_released(dynamics, i);
        if (status >= 0) status = choose(&qr, dynamics, expected, rows);
        crd_qr_close(&qr);
    }
    *count = 0;
    for (int i = 0; status >= 0 && i < structure->rows; i++) *count += rows[i];
    return status;
}
