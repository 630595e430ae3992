#include "dynamics/geometry.h"

#include "dynamics/dynamics.h"
#include "equations/kinematic.h"

#include <assert.h>
#include <string.h>

void crd_geometry_layout(CrdGeometry *geometry, const CrdStructure *structure, bool wanted, CrdArena *arena) {
    geometry->wanted = wanted;
    if (!wanted) return;
    size_t real = sizeof(double), rows = (size_t)structure->rows;
    geometry->pieces = crd_take(arena, (size_t)structure->size_g, real);
    geometry->matrix = crd_take(arena, (size_t)structure->size_s, real);
    geometry->factors = crd_take(arena, rows * (size_t)structure->max_rows, real);
    if (structure->watched_count > 0) crd_weakest_layout(&geometry->weakest, structure, arena);
}

CardanStatus crd_geometry_open(CrdDynamics *dynamics) {
    const CrdStructure *structure = dynamics->model->structure;
    const CrdChoice *choice = &dynamics->factor.choice;
    const CrdSolverOps *ops = choice->kind == CARDAN_SOLVER_SADDLE ? &crd_solver_block : choice->ops; /* of a matrix */
    CrdPattern pattern = crd_schur_pattern(structure);
    assert(dynamics->geometry.wanted && dynamics->geometry.solver == NULL);
    CRD_TRY(ops->create(&pattern, structure->nv, &dynamics->geometry.solver, dynamics->error));
    if (structure->tree != NULL) dynamics->geometry.solver->scale = dynamics->system.tree.ones;
    return CARDAN_OK;
}

void crd_geometry_close(CrdGeometry *geometry) {
    if (geometry->solver != NULL) geometry->solver->ops->destroy(geometry->solver);
    geometry->solver = NULL;
}

void crd_geometry_look(CrdDynamics *dynamics) {
    CrdGeometry *geometry = &dynamics->geometry;
    const CrdStructure *structure = dynamics->model->structure;
    assert(geometry->solver != NULL && structure->rows > 0);
    crd_kinematic_pieces(dynamics->model, &dynamics->system, dynamics->redundancy.is_dropped, geometry->factors,
                         geometry->pieces);
    crd_form_mixed_product(dynamics->system.pool, structure, geometry->pieces, geometry->pieces, geometry->matrix);
    crd_redundancy_mask_matrix(&dynamics->redundancy, geometry->matrix);
    CrdMatrix matrix = {geometry->matrix, structure->nv, NULL, NULL};
    CrdPivot pivot = {.ratio = 1.0};
    dynamics->work.factorisations++;
    geometry->looks++;
    bool factored = geometry->solver->ops->factor(geometry->solver, &matrix, &pivot) >= 0;
    geometry->pivot = factored ? pivot.ratio : 0.0;
}

CardanStatus crd_geometry_correct(CrdDynamics *dynamics, double *r, double *x) {
    CrdGeometry *geometry = &dynamics->geometry;
    const CrdStructure *structure = dynamics->model->structure;
    assert(geometry->looks > 0);
    if (!(geometry->pivot > 0.0))
        return crd_fail(dynamics->error, CARDAN_ERR_NUMERIC, "constraint rows are dependent at t = %.9g",
                        dynamics->system.t);
    dynamics->work.solves++;
    crd_mask_rows(dynamics, r);
    crd_kinematic_rows(structure, geometry->factors, r);
    CRD_TRY(geometry->solver->ops->solve(geometry->solver, r));
    memset(x, 0, (size_t)structure->nv * sizeof *x);
    crd_mixed_times_gt(structure, geometry->pieces, -1.0, r, x);
    for (int i = 0; i < structure->block_count; i++)
        crd_kinematic_root(dynamics->model, &dynamics->system, i, false, x + structure->blocks[i].v);
    return CARDAN_OK;
}
