#include "dynamics/factor.h"

#include "core/numbers.h"
#include "dynamics/dynamics.h"
#include "equations/tree.h"

#include <assert.h>
#include <string.h>

CrdPattern crd_schur_pattern(const CrdStructure *structure) {
    return (CrdPattern){.n = structure->rows,
                        .start = structure->s_start,
                        .row = structure->s_row,
                        .elimination = structure->elimination};
}

CardanStatus crd_factor_open(CrdDynamics *dynamics, CardanSolver solver) {
    const CrdStructure *structure = dynamics->model->structure;
    CrdFactor *factor = &dynamics->factor;
    assert(factor->all == NULL);
    CrdPattern pattern = crd_schur_pattern(structure);
    factor->choice = crd_solver_choose(solver, &pattern);
    CRD_TRY(factor->choice.ops->create(&pattern, structure->nv, &factor->all, dynamics->error));
    factor->solver = factor->all;

    factor->solver->drop = dynamics->regularisation.method->drops ? CRD_PIVOT_DROP : 0.0;
    return CARDAN_OK;
}

void crd_factor_close(CrdFactor *factor) {
    CrdSolver *solvers[] = {factor->all, factor->reduced};
    for (int i = 0; i < 2; i++)
        if (solvers[i] != NULL) solvers[i]->ops->destroy(solvers[i]);
    factor->solver = factor->all = factor->reduced = NULL;
}

static CardanStatus refuse(CrdDynamics *dynamics, CrdPivot pivot) {
    int element = dynamics->model->structure->row_element[pivot.row];
    return crd_fail(dynamics->error, CARDAN_ERR_NUMERIC,
                    "constraint rows of joint '%s' are dependent at t = %.9g: pivot %.2g of its diagonal entry",
                    crd_element_name(dynamics->model, element), dynamics->system.t, pivot.ratio);
}

static void fill_saddle(const void *user, double *k, int order) {
    const CrdDynamics *dynamics = user;
    crd_fill_saddle(dynamics->model, &dynamics->system, dynamics->factor.metric, k, order);
}

/* S as it stands, factored. */
static CardanStatus factor_schur(CrdDynamics *dynamics, CrdPivot *pivot) {
    CrdMatrix matrix = {dynamics->system.S, dynamics->model->structure->nv, fill_saddle, dynamics};
    CrdSolver *solver = dynamics->factor.solver;
    dynamics->work.factorisations++;
    *pivot = (CrdPivot){.ratio = 1.0};
    return solver->ops->factor(solver, &matrix, pivot);
}

/* Where many rows are weak at once, rounding grows with each that is eliminated, until a pivot turns negative. Then the
 * weak ones are left out: the pose is a singular one to rounding. */
static CardanStatus factor_without_weak(CrdDynamics *dynamics, CrdPivot *pivot) {
    dynamics->factor.solver->drop_row = dynamics->monitor.weak;
    CardanStatus status = factor_schur(dynamics, pivot);
    dynamics->factor.solver->drop_row = NULL;
    return status;
}

/* Z S Z^T in place of S (dynamics/imperfect.h). */
static CardanStatus factor_spread(CrdDynamics *dynamics) {
    CrdFactor *factor = &dynamics->factor;
    CRD_TRY(crd_imperfect_factor(dynamics));
    factor->made = true;
    factor->dropped = 0;
    if (factor->metric == CARDAN_METRIC_MASS) crd_stamp_add(&dynamics->system.stamp, CRD_HOLDS_FACTOR);
    return CARDAN_OK;
}

/* What pivots are measured by: of a tree by the sizes of rows on their own bodies. Rows that are masked stand as 1 in
 * S.
 */
static void set_pivot_size(CrdDynamics *dynamics, CardanMetric metric) {
    const CrdTreeWork *tree = &dynamics->system.tree;
    dynamics->factor.solver->scale = NULL;
    if (dynamics->model->structure->tree == NULL || metric != CARDAN_METRIC_MASS) return;
    for (int i = 0; i < dynamics->model->structure->rows; i++)
        tree->pivot_size[i] = dynamics->redundancy.is_dropped[i] ? 1.0 : tree->scale[i];
    dynamics->factor.solver->scale = tree->pivot_size;
}

/* watches: the monitor looks at it. */
static CardanStatus factor_rows(CrdDynamics *dynamics, CardanMetric metric, bool watches) {
    CrdFactor *factor = &dynamics->factor;
    CrdStamp *stamp = &dynamics->system.stamp;
    assert(crd_stamp_holds(stamp, CRD_HOLDS_ROWS));
    factor->metric = metric;
    dynamics->factor.uneven.acts = false;
    crd_form_schur(dynamics->model, metric, &dynamics->system);
    if (dynamics->model->structure->rows == 0) { /* there is nothing to factor */
        factor->made = true;
        if (metric == CARDAN_METRIC_MASS) crd_stamp_add(stamp, CRD_HOLDS_FACTOR);
        return CARDAN_OK;
    }
    if (crd_imperfect_is_spread(dynamics)) return factor_spread(dynamics);
    crd_redundancy_mask(dynamics);
    set_pivot_size(dynamics, metric);
    CrdPivot pivot;
    CardanStatus status = factor_schur(dynamics, &pivot);
    bool lost = status == CARDAN_ERR_NUMERIC && pivot.ratio < 0.0 && metric == CARDAN_METRIC_MASS;
    if (lost && dynamics->geometry.wanted && factor->solver->drop > 0.0 && factor->solver->drop_row == NULL)
        status = factor_without_weak(dynamics, &pivot);
    if (status < 0) return status == CARDAN_ERR_NUMERIC ? refuse(dynamics, pivot) : status;
    factor->made = true;
    factor->dropped = pivot.dropped;
    factor->pivot_last = pivot.ratio;
    factor->pivot_row = pivot.row > 0 ? pivot.row : 0;
    if (pivot.ratio < factor->pivot_min) factor->pivot_min = pivot.ratio;
    if (metric != CARDAN_METRIC_MASS) return CARDAN_OK;
    crd_stamp_add(stamp, CRD_HOLDS_FACTOR);
    dynamics->monitor.looked = false;
    if (watches) crd_monitor_look(dynamics);
    return CARDAN_OK;
}

CardanStatus crd_factor(CrdDynamics *dynamics, CardanMetric metric) {
    return factor_rows(dynamics, metric, true);
}

CardanStatus crd_factor_unwatched(CrdDynamics *dynamics, CardanMetric metric) {
    return factor_rows(dynamics, metric, dynamics->factor.uneven.possible);
}

CardanStatus crd_factor_without_weak_rows(CrdDynamics *dynamics) {
    CrdSolver *solver = dynamics->factor.solver;
    double singularity = dynamics->monitor.singularity, drop = solver->drop;
    solver->drop_row = dynamics->monitor.weak;
    solver->drop = CRD_PIVOT_DROP; /* with every method */
    CardanStatus status = crd_factor(dynamics, CARDAN_METRIC_MASS);
    solver->drop = drop;
    solver->drop_row = NULL;
    crd_stamp_drop(&dynamics->system.stamp, CRD_HOLDS_FACTOR);
    dynamics->monitor.singularity = singularity;
    dynamics->factor.uneven.acts = false; /* these rows were left out on purpose */
    return status;
}

CardanStatus crd_factor_apart(CrdDynamics *dynamics, CardanMetric metric, CrdSolver *solver, CrdPivot *pivot) {
    CrdFactor *factor = &dynamics->factor;
    const CardanMetric own = factor->metric;
    assert(solver != factor->all && solver != factor->reduced);
    crd_form_schur(dynamics->model, metric, &dynamics->system);
    crd_redundancy_mask_matrix(&dynamics->redundancy, dynamics->system.S);
    CrdMatrix matrix = {dynamics->system.S, dynamics->model->structure->nv, fill_saddle, dynamics};
    *pivot = (CrdPivot){.ratio = 1.0};
    dynamics->work.factorisations++;
    factor->metric = metric; /* fill_saddle reads it */
    CardanStatus status = solver->ops->factor(solver, &matrix, pivot);
    factor->metric = own;
    return status >= 0 && pivot->dropped > 0 ? CARDAN_ERR_NUMERIC : status;
}

bool crd_all_rows_act(const CrdDynamics *dynamics) {
    return dynamics->factor.dropped == 0 || dynamics->factor.uneven.acts;
}

CardanStatus crd_solve_rows(CrdDynamics *dynamics, double *r) {
    assert(dynamics->factor.made);
    if (dynamics->model->structure->rows == 0) return CARDAN_OK;
    dynamics->work.solves++;
    if (crd_imperfect_is_spread(dynamics)) return crd_imperfect_solve(dynamics, r), CARDAN_OK;
    crd_mask_rows(dynamics, r);
    return dynamics->factor.solver->ops->solve(dynamics->factor.solver, r);
}

/* x <- N^T x of both (equations/tree.h). */
static void outward_twice(CrdDynamics *dynamics, double *x) {
    const CrdStructure *structure = dynamics->model->structure;
    double *one = dynamics->system.tree.forced;
    for (int k = 0; k < 2; k++) {
        for (int i = 0; i < structure->nv; i++) one[i] = x[2 * i + k];
        crd_tree_outward(dynamics->model, &dynamics->system, one);
        for (int i = 0; i < structure->nv; i++) x[2 * i + k] = one[i];
    }
}

CardanStatus crd_correct_twice(CrdDynamics *dynamics, double *r, double *scratch, double *x) {
    const CrdStructure *structure = dynamics->model->structure;
    const CrdRedundancy *redundancy = &dynamics->redundancy;
    assert(dynamics->factor.made && !crd_imperfect_is_spread(dynamics));
    dynamics->work.solves += 2;
    for (int i = 0; redundancy->count > 0 && i < structure->rows; i++)
        if (redundancy->is_dropped[i]) r[2 * i] = r[2 * i + 1] = 0.0;
    CRD_TRY(crd_solver_solve_twice(dynamics->factor.solver, r, scratch));
    memset(x, 0, 2 * (size_t)structure->nv * sizeof *x);
    crd_times_gt_twice(dynamics->system.pool, structure, dynamics->system.T, -1.0, r, x);
    if (structure->tree != NULL) outward_twice(dynamics, x);
    return CARDAN_OK;
}
