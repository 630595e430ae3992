#include "linear/mass_root.h"

#include "model/tree.h"

#include <assert.h>
#include <math.h>

void crd_mass_root_layout(CrdMassRoot *root, const CrdStructure *structure, CrdArena *arena) {
    root->inertia = crd_take(arena, 9 * (size_t)structure->block_count, sizeof *root->inertia);
}

/* L of a symmetric positive definite 3 x 3 matrix, row-major lower triangle. */
static void cholesky3(const double *m, double *l) {
    for (int j = 0; j < 3; j++)
        for (int i = j; i < 3; i++) {
            double sum = m[3 * i + j];
            for (int k = 0; k < j; k++) sum -= l[3 * i + k] * l[3 * j + k];
            assert(i != j || sum > 0.0); /* inertias were checked to be positive */
            l[3 * i + j] = i == j ? sqrt(sum) : sum / l[3 * j + j];
        }
}

void crd_mass_root_use(CrdMassRoot *root, const CardanModel *model) {
    assert(root->inertia != NULL); /* the real layout came before */
    const CrdStructure *structure = model->structure;
    root->model = model;
    for (int i = 0; i < structure->block_count; i++)
        if (structure->tree == NULL && structure->blocks[i].kind == CRD_SPATIAL_BODY)
            cholesky3(model->values.blocks[i].inertia, root->inertia + 9 * i);
}

/* x <- L^-1 x, or L^-T x. */
static void triangle(const double *l, int n, bool transposed, double *x) {
    for (int k = 0; k < n; k++) {
        int i = transposed ? n - 1 - k : k;
        for (int j = transposed ? i + 1 : 0; j < (transposed ? n : i); j++)
            x[i] -= (transposed ? l[j * n + i] : l[i * n + j]) * x[j];
        assert(l[i * n + i] > 0.0);
        x[i] /= l[i * n + i];
    }
}

void crd_mass_root_solve(const CrdMassRoot *root, const CrdSystem *system, int index, bool transposed, double *x) {
    assert(index >= 0 && index < root->model->structure->block_count);
    const CrdBlock *block = &root->model->structure->blocks[index];
    const CrdBlockValues *values = crd_block_values(root->model, index);
    if (block->kind == CRD_CUSTOM_BLOCK) {
        triangle(system->custom_mass + block->mass, block->nv, transposed, x);
        return;
    }
    int moves = block->kind == CRD_PLANAR_BODY || block->kind == CRD_PLANAR_PARTICLE ? 2 : 3;
    for (int k = 0; k < moves; k++) x[k] *= sqrt(values->inverse_mass);
    if (block->kind == CRD_PLANAR_BODY) x[2] *= sqrt(values->inverse_inertia[8]);
    if (block->kind == CRD_SPATIAL_BODY) triangle(root->inertia + 9 * index, 3, transposed, x + 3);
}
