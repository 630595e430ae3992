/* A model as generalised-alpha sees it: multipliers stand in the forces, and of the rows only what they hold is asked,
 * g of holonomic ones and A v + b of nonholonomic ones.
 *
 *     q' = N v        M v' = f - G^T lambda        z' = r        0 = g(t, q)
 *
 * Redundant rows are not held: their multipliers are 0. */
#include "core/rotation.h"
#include "integrate/formulation.h"
#include "integrate/integrator.h"

#include <assert.h>
#include <string.h>

/* Lambda of the start, which may have been overwritten by another attempt. */
static CardanStatus begin(void *user, double t, const double *y, double *lambda) {
    CrdForm *form = user;
    CrdIntegrator *integrator = form->integrator;
    const CrdDynamics *dynamics = &integrator->dynamics;
    int rows = dynamics->model->structure->rows;
    for (int r = 0; r < rows; r++) form->held[r] = !dynamics->redundancy.is_dropped[r];
    if (!crd_stamp_holds_of(&dynamics->system.stamp, CRD_HOLDS_ACCELERATIONS, t, y)) {
        CRD_TRY(crd_integrator_evaluate_constraints(integrator, t, y));
        CRD_TRY(crd_integrator_derivative(integrator, y, integrator->stepper.f_new, false));
    }
    if (rows > 0) memcpy(lambda, dynamics->lambda, (size_t)rows * sizeof *lambda);
    return CARDAN_OK;
}

static void take_residual(const CrdForm *form, double *residual) {
    const CrdSystem *system = &form->integrator->dynamics.system;
    const CrdStructure *structure = form->integrator->dynamics.model->structure;
    for (int r = 0; r < structure->rows; r++)
        residual[r] = crd_row_is_holonomic(structure, r) ? system->g[r] : system->rate[r];
}

static CardanStatus rates(void *user, double t, const double *y, const double *lambda, double *slope,
                          double *residual) {
    CrdForm *form = user;
    CrdIntegrator *integrator = form->integrator;
    CrdDynamics *dynamics = &integrator->dynamics;
    const CrdStructure *structure = dynamics->model->structure;
    CRD_TRY(crd_integrator_evaluate_constraints(integrator, t, y));
    take_residual(form, residual);
    dynamics->work.rhs++;
    CRD_TRY(crd_integrator_forces(integrator, y));
    memcpy(dynamics->a, dynamics->system.f, (size_t)structure->nv * sizeof *dynamics->a);
    crd_times_gt(structure, dynamics->system.G, -1.0, lambda, dynamics->a);
    crd_solve_mass(dynamics->model, &dynamics->system, dynamics->a);
    crd_pack_derivative(integrator, y, lambda, slope);
    return CARDAN_OK;
}

static CardanStatus measure(void *user, double t, const double *y, double *residual) {
    CrdForm *form = user;
    CRD_TRY(crd_integrator_evaluate_constraints(form->integrator, t, y));
    take_residual(form, residual);
    return CARDAN_OK;
}

static void turn(const double *p, const double *x, double *p_new) {
    CardanQuat turned =
        crd_quat_normalised(crd_quat_mul((CardanQuat){p[0], p[1], p[2], p[3]}, crd_quat_of(crd_vec(x[0], x[1], x[2]))));
    p_new[0] = turned.w, p_new[1] = turned.x, p_new[2] = turned.y, p_new[3] = turned.z;
}

static void displace(void *user, const double *q, const double *x, double *q_new) {
    const CrdForm *form = user;
    const CrdStructure *structure = form->integrator->dynamics.model->structure;
    for (int b = 0; b < structure->block_count; b++) {
        const CrdBlock *block = &structure->blocks[b];
        bool turns = block->kind == CRD_SPATIAL_BODY;
        int straight = turns ? 3 : block->nv;
        for (int k = 0; k < straight; k++) q_new[block->q + k] = q[block->q + k] + x[block->v + k];
        if (turns) turn(q + block->q + 3, x + block->v + 3, q_new + block->q + 3);
    }
}

static CardanStatus normal_part(void *user, double t, const double *y, bool holonomic, double *x) {
    CrdForm *form = user;
    CrdIntegrator *integrator = form->integrator;
    CrdDynamics *dynamics = &integrator->dynamics;
    const CrdStructure *structure = dynamics->model->structure;
    double *r = form->row_values;
    if (structure->rows == 0) return memset(x, 0, (size_t)structure->nv * sizeof *x), CARDAN_OK;
    if (!crd_stamp_holds_of(&dynamics->system.stamp, CRD_HOLDS_ROWS, t, y)) /* forces there are still asked for */
        CRD_TRY(crd_integrator_evaluate_constraints(integrator, t, y));
    if (!crd_stamp_holds(&dynamics->system.stamp, CRD_HOLDS_FACTOR)) CRD_TRY(crd_factor(dynamics, CARDAN_METRIC_MASS));
    memset(r, 0, (size_t)structure->rows * sizeof *r);
    crd_times_g(structure, dynamics->system.G, x, r);
    for (int i = 0; holonomic && i < structure->rows; i++)
        if (!crd_row_is_holonomic(structure, i)) r[i] = 0.0;
    CRD_TRY(crd_solve_rows(dynamics, r));
    memset(x, 0, (size_t)structure->nv * sizeof *x);
    crd_times_gt(structure, dynamics->system.G, 1.0, r, x);
    crd_solve_mass(dynamics->model, &dynamics->system, x);
    return CARDAN_OK;
}

void crd_index3_equations(CrdForm *form, CrdEquations *equations) {
    const CrdStructure *structure = form->integrator->dynamics.model->structure;
    assert(form->index3 && form->multipliers == structure->rows);
    equations->in_slopes = true;
    equations->begin = begin;
    equations->rates = rates;
    equations->measure = measure;
    equations->push = NULL;
    equations->ends = NULL;
    equations->nq = structure->nq;
    equations->nv = structure->nv;
    equations->displace = displace;
    equations->normal_part = normal_part;
}
