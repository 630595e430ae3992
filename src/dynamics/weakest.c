#include "dynamics/weakest.h"

#include "core/random.h"
#include "dynamics/dynamics.h"

#include <assert.h>
#include <cblas.h>
#include <math.h>
#include <string.h>

/* Rows from which a dense decomposition, some 20 n^3 operations and more where it is small, costs more than the
 * iterations. */
#define CRD_WEAKEST_ROWS 12

/* Iterations of both vectors: each takes away all but a ninth of what is three times as strong. */
#define CRD_WEAKEST_ITERATIONS 16

/* Iterations for the largest value, of which the order of magnitude is wanted. */
#define CRD_LARGEST_ITERATIONS 8

/* Added to K K^T, whose diagonal is 1, where it has no factor: rows that are weaker than its root, 3e-6, are dependent
 * to it, and all others are found as well as before. */
#define CRD_WEAKEST_SHIFT 1e-11

void crd_weakest_layout(CrdWeakest *weakest, const CrdStructure *structure, CrdArena *arena) {
    CRD_TAKE_VECTORS(arena, (size_t)structure->rows, &weakest->u[0], &weakest->u[1]);
    CRD_TAKE_VECTORS(arena, (size_t)structure->nv, &weakest->image[0], &weakest->image[1]);
}

bool crd_weakest_pays(const CrdDynamics *dynamics) {
    const CrdStructure *structure = dynamics->model->structure;
    return structure->watched_count > 0 && structure->rows >= CRD_WEAKEST_ROWS && structure->rows <= structure->nv &&
           dynamics->redundancy.count == 0 && !crd_imperfect_is_spread(dynamics);
}

/* x <- K^T u; its length. */
static double image_of(const CrdDynamics *dynamics, const double *u, double *x) {
    const CrdStructure *structure = dynamics->model->structure;
    memset(x, 0, (size_t)structure->nv * sizeof *x);
    crd_mixed_times_gt(structure, dynamics->geometry.pieces, 1.0, u, x);
    return cblas_dnrm2(structure->nv, x, 1);
}

/* Both of length 1 and across each other. false: nothing is left of one. */
static bool orthonormalise(double *const *u, int n) {
    for (int i = 0; i < 2; i++) {
        if (i == 1) cblas_daxpy(n, -cblas_ddot(n, u[0], 1, u[1], 1), u[0], 1, u[1], 1);
        double length = cblas_dnrm2(n, u[i], 1);
        if (!(length > 0.0) || !isfinite(length)) return false;
        cblas_dscal(n, 1.0 / length, u[i], 1);
    }
    return true;
}

static void begin(CrdWeakest *weakest, int n) {
    uint64_t state = 1;
    for (int i = 0; i < 2; i++)
        for (int r = 0; r < n; r++) weakest->u[i][r] = crd_random(&state);
}

/* A bound for the largest value, by powers of K K^T. */
static void bound_largest(CrdDynamics *dynamics) {
    const CrdStructure *structure = dynamics->model->structure;
    CrdWeakest *weakest = &dynamics->geometry.weakest;
    double *u = weakest->u[0], *x = weakest->image[0];
    begin(weakest, structure->rows);
    for (int k = 0; k < CRD_LARGEST_ITERATIONS; k++) {
        cblas_dscal(structure->rows, 1.0 / cblas_dnrm2(structure->rows, u, 1), u, 1);
        weakest->sigma_max = image_of(dynamics, u, x);
        memset(u, 0, (size_t)structure->rows * sizeof *u);
        crd_mixed_times_g(structure, dynamics->geometry.pieces, x, u);
    }
}

/* u[0], u[1] turned so that their images are across each other, the shorter first. */
static void take_best(CrdDynamics *dynamics) {
    const CrdStructure *structure = dynamics->model->structure;
    CrdWeakest *weakest = &dynamics->geometry.weakest;
    int nv = structure->nv;
    double a = image_of(dynamics, weakest->u[0], weakest->image[0]),
           b = image_of(dynamics, weakest->u[1], weakest->image[1]),
           cross = cblas_ddot(nv, weakest->image[0], 1, weakest->image[1], 1);
    double angle = 0.5 * atan2(2.0 * cross, a * a - b * b), c = cos(angle), s = sin(angle);
    cblas_drot(structure->rows, weakest->u[0], 1, weakest->u[1], 1, c, s); /* the first becomes the longer */
    cblas_dswap(structure->rows, weakest->u[0], 1, weakest->u[1], 1);
    for (int i = 0; i < 2; i++) weakest->sigma[i] = image_of(dynamics, weakest->u[i], weakest->image[i]);
}

/* In the pose itself: the factor of K K^T + shift I. */
static bool factor_shifted(CrdDynamics *dynamics) {
    CrdGeometry *geometry = &dynamics->geometry;
    const CrdStructure *structure = dynamics->model->structure;
    for (int r = 0; r < structure->rows; r++) geometry->matrix[structure->s_start[r + 1] - 1] += CRD_WEAKEST_SHIFT;
    CrdMatrix matrix = {geometry->matrix, structure->nv, NULL, NULL};
    CrdPivot pivot = {.ratio = 1.0};
    dynamics->work.factorisations++;
    return geometry->solver->ops->factor(geometry->solver, &matrix, &pivot) >= 0;
}

bool crd_weakest_look(CrdDynamics *dynamics) {
    CrdGeometry *geometry = &dynamics->geometry;
    CrdWeakest *weakest = &geometry->weakest;
    int n = dynamics->model->structure->rows;
    assert(crd_weakest_pays(dynamics));
    crd_geometry_look(dynamics);
    if (!(geometry->pivot > 0.0) && !factor_shifted(dynamics)) return false;
    bound_largest(dynamics);
    begin(weakest, n);
    for (int k = 0; k < CRD_WEAKEST_ITERATIONS; k++) {
        for (int i = 0; i < 2; i++)
            if (geometry->solver->ops->solve(geometry->solver, weakest->u[i]) < 0) return false;
        dynamics->work.solves += 2;
        if (!orthonormalise(weakest->u, n)) return false;
    }
    take_best(dynamics);
    return isfinite(weakest->sigma[0]) && isfinite(weakest->sigma[1]);
}
