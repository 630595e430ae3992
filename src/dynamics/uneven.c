#include "dynamics/uneven.h"

#include "core/numbers.h"
#include "dynamics/dynamics.h"
#include "equations/kinematic.h"
#include "model/tree.h"

#include <assert.h>
#include <cblas.h>
#include <lapacke.h>
#include <math.h>
#include <string.h>

/* Ratio of the heaviest to the lightest mass (moments of inertia in lengths of the mechanism) below which S cannot lose
 * more than half of its digits to them. */
#define CRD_UNEVEN_MASSES 1e5

/* The smallest pivot of S from which its solves are still exact to 1e-9, and by how much a pivot must lie below what
 * the geometry explains, the smallest pivot of K K^T, for masses to be the cause. */
#define CRD_UNEVEN_PIVOT 1e-7
#define CRD_UNEVEN_SHARE 1e-3

/* Refinements: each takes away all but eps times the growth of the elimination; it stands still at rounding. */
#define CRD_UNEVEN_REFINEMENTS 6
#define CRD_UNEVEN_STILL 1e-15
#define CRD_UNEVEN_LOST 0.1 /* a first refinement that changes this much: there was no solution to refine */

/* ---- is it possible? ---- */

static void widen(double mass, double *light, double *heavy) {
    *light = fmin(*light, mass);
    *heavy = fmax(*heavy, mass);
}

static void widen_by_block(const CardanModel *model, int index, double *light, double *heavy) {
    const CrdBlock *block = &model->structure->blocks[index];
    const CrdBlockValues *values = crd_block_values(model, index);
    double square = model->values.span * model->values.span;
    if (block->kind == CRD_CUSTOM_BLOCK || values->mass == 0.0) return; /* no link of a tree without a body */
    widen(values->mass, light, heavy);
    if (block->kind == CRD_PLANAR_BODY) widen(values->inertia[8] / square, light, heavy);
    for (int k = 0; block->kind == CRD_SPATIAL_BODY && k < 3; k++) {
        widen(values->inertia[4 * k] / square, light, heavy);
        widen(1.0 / (values->inverse_inertia[4 * k] * square), light, heavy);
    }
}

void crd_uneven_layout(CrdUneven *uneven, const CardanModel *model, CrdArena *arena) {
    const CrdStructure *structure = model->structure;
    double light = (double)INFINITY, heavy = 0.0;
    for (int i = 0; i < structure->block_count; i++) widen_by_block(model, i, &light, &heavy);
    /* Parameters may change masses later: with any, the room is kept. */
    uneven->possible =
        structure->rows > 0 && (long long)structure->rows * structure->nv <= CRD_LOOK_IN_STEP &&
        (heavy > CRD_UNEVEN_MASSES * light || structure->parameter_count > 0 || structure->size_custom > 0);
    size_t nv = uneven->possible ? (size_t)structure->nv : 0, rows = uneven->possible ? (size_t)structure->rows : 0,
           n = nv + rows, real = sizeof(double);
    uneven->matrix = crd_take(arena, n * n, real);
    uneven->scale = crd_take(arena, rows, real);
    uneven->solution = crd_take(arena, n, real);
    uneven->image = crd_take(arena, nv, real);
    uneven->left = crd_take(arena, rows, real);
    uneven->pivots = crd_take(arena, n, sizeof *uneven->pivots);
}

void crd_uneven_judge(CrdDynamics *dynamics) {
    const CrdFactor *factor = &dynamics->factor;
    double pivot = factor->dropped > 0 ? 0.0 : factor->pivot_last;
    assert(factor->metric == CARDAN_METRIC_MASS);
    dynamics->factor.uneven.acts = dynamics->factor.uneven.possible && pivot < CRD_UNEVEN_PIVOT &&
                                   pivot < CRD_UNEVEN_SHARE * dynamics->geometry.pivot;
}

/* ---- the matrix ---- */

/* x <- T x, or T^T x, of all blocks. */
static void apply_roots(const CrdDynamics *dynamics, bool transposed, double *x) {
    const CrdStructure *structure = dynamics->model->structure;
    for (int i = 0; i < structure->block_count; i++)
        crd_kinematic_root(dynamics->model, &dynamics->system, i, transposed, x + structure->blocks[i].v);
}

static double *entry(const CrdDynamics *dynamics, int r, int c) {
    size_t n = (size_t)(dynamics->model->structure->nv + dynamics->model->structure->rows);
    return dynamics->factor.uneven.matrix + (size_t)r + n * (size_t)c;
}

/* T^T M T, one column at a time, and the unit of masses. */
static void fill_masses(CrdDynamics *dynamics) {
    CrdUneven *uneven = &dynamics->factor.uneven;
    int nv = dynamics->model->structure->nv;
    uneven->mass = 0.0;
    for (int c = 0; c < nv; c++) {
        memset(uneven->solution, 0, (size_t)nv * sizeof *uneven->solution);
        uneven->solution[c] = 1.0;
        apply_roots(dynamics, false, uneven->solution);
        crd_times_mass(dynamics->model, &dynamics->system, uneven->solution, uneven->image);
        apply_roots(dynamics, true, uneven->image);
        memcpy(entry(dynamics, 0, c), uneven->image, (size_t)nv * sizeof *uneven->image);
        uneven->mass = fmax(uneven->mass, uneven->image[c]);
    }
    for (int c = 0; c < nv; c++) cblas_dscal(nv, 1.0 / uneven->mass, entry(dynamics, 0, c), 1);
}

/* G T below, its rows scaled to length 1, and its transpose beside. Rows that are dropped become those of the identity.
 */
static void fill_rows(CrdDynamics *dynamics) {
    CrdUneven *uneven = &dynamics->factor.uneven;
    const CrdStructure *structure = dynamics->model->structure;
    int nv = structure->nv, n = nv + structure->rows;
    for (int i = 0; i < structure->incidence_count; i++) {
        const CrdIncidence *in = &structure->incidences[i];
        for (int r = 0; r < in->rows; r++) {
            double *row = uneven->image;
            memcpy(row, dynamics->system.G + in->g + r * in->width, (size_t)in->width * sizeof *row);
            crd_kinematic_root(dynamics->model, &dynamics->system, in->block, true, row);
            for (int k = 0; k < in->width; k++)
                *entry(dynamics, nv + structure->elements[in->element].first + r, in->v + k) = row[k];
        }
    }
    for (int i = 0; i < structure->rows; i++) {
        double *row = entry(dynamics, nv + i, 0), length = cblas_dnrm2(nv, row, n);
        bool dropped = dynamics->redundancy.is_dropped[i];
        uneven->scale[i] = dropped ? 0.0 : length > 0.0 ? 1.0 / length : 1.0;
        cblas_dscal(nv, uneven->scale[i], row, n);
        cblas_dcopy(nv, row, n, entry(dynamics, 0, nv + i), 1);
        if (dropped) *entry(dynamics, nv + i, nv + i) = 1.0;
    }
}

/* ---- the solve ---- */

/* What (a, lambda) leave of the equations: image = f - M a - G^T lambda, left = target - G a. */
static void residual(CrdDynamics *dynamics) {
    CrdUneven *uneven = &dynamics->factor.uneven;
    const CrdStructure *structure = dynamics->model->structure;
    const CrdSystem *system = &dynamics->system;
    crd_complete_forces(dynamics->model, system);
    crd_times_mass(dynamics->model, system, dynamics->a, uneven->image);
    for (int i = 0; i < structure->nv; i++) uneven->image[i] = system->f[i] - uneven->image[i];
    crd_times_gt(structure, system->G, -1.0, dynamics->lambda, uneven->image);
    memset(uneven->left, 0, (size_t)structure->rows * sizeof *uneven->left);
    crd_times_g(structure, system->G, dynamics->a, uneven->left);
    for (int i = 0; i < structure->rows; i++) uneven->left[i] = dynamics->target[i] - uneven->left[i];
}

/* Adds the solution of what is left over; its largest part of y. */
static double improve(CrdDynamics *dynamics) {
    CrdUneven *uneven = &dynamics->factor.uneven;
    const CrdStructure *structure = dynamics->model->structure;
    int nv = structure->nv, n = nv + structure->rows;
    double *x = uneven->solution, *rows = x + nv;
    residual(dynamics);
    memcpy(x, uneven->image, (size_t)nv * sizeof *x);
    apply_roots(dynamics, true, x);
    cblas_dscal(nv, 1.0 / uneven->mass, x, 1);
    for (int i = 0; i < structure->rows; i++) rows[i] = uneven->scale[i] * uneven->left[i];
    dynamics->work.solves++;
    LAPACKE_dgetrs_work(LAPACK_COL_MAJOR, 'N', n, 1, uneven->matrix, n, uneven->pivots, x, n);
    double change = crd_max_abs(x, nv);
    for (int i = 0; i < structure->rows; i++) dynamics->lambda[i] += uneven->mass * uneven->scale[i] * rows[i];
    apply_roots(dynamics, false, x);
    for (int i = 0; i < nv; i++) dynamics->a[i] += x[i];
    return change;
}

CardanStatus crd_refuse_uneven(CrdDynamics *dynamics, int row) {
    return crd_fail(
        dynamics->error, CARDAN_ERR_NUMERIC,
        "masses are too uneven at t = %.9g: the rows of joint '%s' cannot be solved for; look at the lightest "
        "and the heaviest body next to it, or for a point far away that makes moments of inertia count for nothing",
        dynamics->system.t, crd_element_name(dynamics->model, dynamics->model->structure->row_element[row]));
}

static CardanStatus refuse(CrdDynamics *dynamics) {
    return crd_refuse_uneven(dynamics, dynamics->factor.pivot_row);
}

CardanStatus crd_solve_uneven(CrdDynamics *dynamics) {
    CrdUneven *uneven = &dynamics->factor.uneven;
    const CrdStructure *structure = dynamics->model->structure;
    int n = structure->nv + structure->rows;
    assert(uneven->possible && crd_stamp_holds(&dynamics->system.stamp, CRD_HOLDS_FORCES));
    memset(uneven->matrix, 0, (size_t)n * (size_t)n * sizeof *uneven->matrix);
    fill_masses(dynamics);
    fill_rows(dynamics);
    dynamics->work.factorisations++;
    if (LAPACKE_dgetrf_work(LAPACK_COL_MAJOR, n, n, uneven->matrix, n, uneven->pivots) != 0) return refuse(dynamics);
    memset(dynamics->a, 0, (size_t)structure->nv * sizeof *dynamics->a);
    memset(dynamics->lambda, 0, (size_t)structure->rows * sizeof *dynamics->lambda);
    double size = improve(dynamics), before = (double)INFINITY;
    for (int k = 0; k < CRD_UNEVEN_REFINEMENTS; k++) {
        double change = improve(dynamics);
        if (!isfinite(change) || change > CRD_UNEVEN_LOST * size) return refuse(dynamics);
        if (change <= CRD_UNEVEN_STILL * size || change >= before) break;
        before = change;
    }
    return CARDAN_OK;
}

CardanStatus crd_correct(CrdDynamics *dynamics, const double *rows, double *r, double *x) {
    const CrdStructure *structure = dynamics->model->structure;
    memcpy(r, rows, (size_t)structure->rows * sizeof *r);
    if (dynamics->factor.uneven.acts) return crd_geometry_correct(dynamics, r, x);
    CRD_TRY(crd_solve_rows(dynamics, r));
    memset(x, 0, (size_t)structure->nv * sizeof *x);
    if (structure->tree != NULL) {
        crd_add_forced(dynamics->model, &dynamics->system, -1.0, r, x);
        return CARDAN_OK;
    }
    crd_times_gt(structure, dynamics->system.G, -1.0, r, x);
    if (dynamics->factor.metric == CARDAN_METRIC_MASS) crd_solve_mass(dynamics->model, &dynamics->system, x);
    return CARDAN_OK;
}
