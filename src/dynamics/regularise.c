#include "dynamics/regularise.h"

#include "core/numbers.h"
#include "dynamics/rank_look.h"

#include <assert.h>
#include <cblas.h>
#include <lapacke.h>
#include <math.h>
#include <string.h>

/* Default epsilons, against the largest diagonal entry of S (squared for the trust region): small enough to leave
 * healthy rows alone, large enough that the shifted matrix factors (PROTOTYPE_MEASUREMENTS 4). */
#define CRD_DIRECT_EPSILON 1e-10
#define CRD_TRUST_EPSILON 1e-12

/* Proximal iterations: each multiplies the error of a direction with eigenvalue s by eps / (s + eps); they stop when
 * they change the first share of the accelerations, rounding, or no longer less than before; when that is more than the
 * second share, nothing has converged. */
#define CRD_PROXIMAL_ITERATIONS 200
#define CRD_PROXIMAL_STILL 1e-15
#define CRD_PROXIMAL_REFUSED 1e-6

/* Secular equation: Newton needs 3 or 4 iterations to this relative tolerance of the radius. */
#define CRD_TRUST_ITERATIONS 20
#define CRD_TRUST_TOLERANCE 1e-3

void crd_regularisation_layout(CrdRegularisation *regularisation, const CrdStructure *structure,
                               const CardanOptions *options, CrdArena *arena) {
    size_t rows = (size_t)structure->rows, real = sizeof(double);
    /* Without rows there is nothing to regularise, and no matrix for the dense methods to look at. */
    regularisation->method = crd_regulariser(rows > 0 ? options->regularise.method : CARDAN_REGULARISE_NONE);
    regularisation->epsilon = options->regularise.epsilon;
    regularisation->radius = options->regularise.radius;
    bool dense = regularisation->method->dense && crd_spectrum_fits(structure);
    regularisation->diagonal = crd_take(arena, regularisation->method->shifts ? rows : 0, real);
    regularisation->matrix = crd_take(arena, dense ? rows * rows : 0, real);
    regularisation->image = crd_take(arena, dense ? rows * rows : 0, real);
    regularisation->secular = crd_take(arena, dense ? rows : 0, real);
    regularisation->rows_left = crd_take(arena, rows, real);
    regularisation->velocities_left = crd_take(arena, (size_t)structure->nv, real);
}

CardanStatus crd_regularisation_open(CrdDynamics *dynamics) {
    const CrdStructure *structure = dynamics->model->structure;
    CrdRegularisation *regularisation = &dynamics->regularisation;
    assert(regularisation->shifted == NULL);
    const CrdChoice *choice = &dynamics->factor.choice;
    const CrdSolverOps *ops = choice->kind == CARDAN_SOLVER_SADDLE ? &crd_solver_block : choice->ops; /* of S */
    CrdPattern pattern = crd_schur_pattern(structure);
    if (regularisation->method->shifts)
        CRD_TRY(ops->create(&pattern, structure->nv, &regularisation->shifted, dynamics->error));
    if (!regularisation->method->dense || crd_spectrum_fits(structure)) return CARDAN_OK;
    return crd_fail(dynamics->error, CARDAN_ERR_LIMIT, "regularise: %s is dense and this model has %d rows; use auto",
                    regularisation->method->name, structure->rows);
}

void crd_regularisation_close(CrdRegularisation *regularisation) {
    if (regularisation->shifted != NULL) regularisation->shifted->ops->destroy(regularisation->shifted);
    regularisation->shifted = NULL;
}

/* ---- plain ---- */

/* lambda <- b = G M^-1 f - target, with M^-1 f left in a. */
static void right_side(CrdDynamics *dynamics) {
    const CrdStructure *structure = dynamics->model->structure;
    memcpy(dynamics->a, dynamics->system.f, (size_t)structure->nv * sizeof *dynamics->a);
    crd_solve_mass(dynamics->model, &dynamics->system, dynamics->a);
    for (int i = 0; i < structure->rows; i++) dynamics->lambda[i] = -dynamics->target[i];
    crd_times_g(structure, dynamics->system.G, dynamics->a, dynamics->lambda);
}

/* a <- M^-1 f - (G M^-1)^T lambda. */
static void accelerate(CrdDynamics *dynamics) {
    crd_times_gt(dynamics->model->structure, dynamics->system.T, -1.0, dynamics->lambda, dynamics->a);
}

CardanStatus crd_plain_solve(CrdDynamics *dynamics) {
    if (!crd_stamp_holds(&dynamics->system.stamp, CRD_HOLDS_FACTOR)) CRD_TRY(crd_factor(dynamics, CARDAN_METRIC_MASS));
    right_side(dynamics);
    CRD_TRY(crd_solve_rows(dynamics, dynamics->lambda));
    accelerate(dynamics);
    return CARDAN_OK;
}

/* r <- S^-1 r by one of the factors: crd_solve_rows, or that of S + eps I. */
typedef CardanStatus (*RowSolve)(CrdDynamics *d, double *r);

/* One step of refinement; what it changes of a is left in velocities_left. */
static CardanStatus refine_with(CrdDynamics *dynamics, RowSolve solve) {
    const CrdStructure *structure = dynamics->model->structure;
    const CrdSystem *system = &dynamics->system;
    double *rows = dynamics->regularisation.rows_left, *left = dynamics->regularisation.velocities_left;
    /* r1 = f - M a - G^T lambda,  r2 = target - G a;   S dl = G M^-1 r1 - r2,   da = M^-1 (r1 - G^T dl) */
    crd_times_mass(dynamics->model, system, dynamics->a, left);
    for (int i = 0; i < structure->nv; i++) left[i] = system->f[i] - left[i];
    crd_times_gt(structure, system->G, -1.0, dynamics->lambda, left);
    crd_solve_mass(dynamics->model, system, left);
    for (int i = 0; i < structure->rows; i++) rows[i] = -dynamics->target[i];
    crd_times_g(structure, system->G, dynamics->a, rows);
    crd_times_g(structure, system->G, left, rows);
    CRD_TRY(solve(dynamics, rows));
    for (int i = 0; i < structure->rows; i++) dynamics->lambda[i] += rows[i];
    crd_times_gt(structure, system->T, -1.0, rows, left);
    for (int i = 0; i < structure->nv; i++) dynamics->a[i] += left[i];
    return CARDAN_OK;
}

CardanStatus crd_refine(CrdDynamics *dynamics) {
    return refine_with(dynamics, crd_solve_rows);
}

/* Exact while healthy, refined near a pose. */
static CardanStatus solve_auto(CrdDynamics *dynamics) {
    CRD_TRY(crd_plain_solve(dynamics));
    for (int k = 0; k < 2 && crd_near_singular(dynamics); k++) CRD_TRY(crd_refine(dynamics));
    return CARDAN_OK;
}

/* ---- S + eps I ---- */

static double largest_diagonal(const CrdDynamics *dynamics) {
    const CrdStructure *structure = dynamics->model->structure;
    double max = 0.0;
    for (int i = 0; i < structure->rows; i++) max = fmax(max, dynamics->system.S[structure->s_start[i + 1] - 1]);
    return max;
}

CardanStatus crd_factor_shifted(CrdDynamics *dynamics) {
    CrdRegularisation *regularisation = &dynamics->regularisation;
    const CrdStructure *structure = dynamics->model->structure;
    double *S = dynamics->system.S;
    regularisation->shift =
        regularisation->epsilon > 0.0 ? regularisation->epsilon : CRD_DIRECT_EPSILON * largest_diagonal(dynamics);
    for (int i = 0; i < structure->rows; i++) {
        regularisation->diagonal[i] = S[structure->s_start[i + 1] - 1];
        S[structure->s_start[i + 1] - 1] += regularisation->shift;
    }
    dynamics->work.factorisations++;
    CrdMatrix matrix = {S, structure->nv, NULL, NULL};
    CrdPivot pivot = {.ratio = 1.0};
    CardanStatus status = regularisation->shifted->ops->factor(regularisation->shifted, &matrix, &pivot);
    for (int i = 0; i < structure->rows; i++) S[structure->s_start[i + 1] - 1] = regularisation->diagonal[i];
    if (status != CARDAN_ERR_NUMERIC) return status;
    return crd_fail(dynamics->error, status,
                    "regularise: %s: epsilon %.3g is too small for the rows of joint '%s' at t = %.9g",
                    regularisation->method->name, regularisation->shift,
                    crd_element_name(dynamics->model, structure->row_element[pivot.row]), dynamics->system.t);
}

static CardanStatus solve_shifted(CrdDynamics *dynamics, double *r) {
    dynamics->work.solves++;
    crd_mask_rows(dynamics, r);
    return dynamics->regularisation.shifted->ops->solve(dynamics->regularisation.shifted, r);
}

static CardanStatus solve_direct(CrdDynamics *dynamics) {
    right_side(dynamics);
    CRD_TRY(solve_shifted(dynamics, dynamics->lambda));
    accelerate(dynamics);
    return CARDAN_OK;
}

/* Each iteration is one step of refinement with the factor of S + eps I in place of that of S. An eigenvalue s of S is
 * approached by the factor eps / (s + eps): slowly where s is below eps. */
static CardanStatus solve_proximal(CrdDynamics *dynamics) {
    CrdRegularisation *regularisation = &dynamics->regularisation;
    CRD_TRY(solve_direct(dynamics));
    double before = (double)INFINITY, change = 0.0, size = 0.0;
    for (int k = 0; k < CRD_PROXIMAL_ITERATIONS; k++) {
        CRD_TRY(refine_with(dynamics, solve_shifted));
        change = crd_max_abs(regularisation->velocities_left, dynamics->model->structure->nv);
        size = crd_max_abs(dynamics->a, dynamics->model->structure->nv);
        if (change <= CRD_PROXIMAL_STILL * size || !(change < before)) break;
        before = change;
    }
    if (crd_near_singular(dynamics) && change > CRD_PROXIMAL_STILL * size)
        return solve_auto(dynamics); /* s falls below any eps there */
    if (change <= CRD_PROXIMAL_REFUSED * size) return CARDAN_OK;
    return crd_fail(
        dynamics->error, CARDAN_ERR_NUMERIC,
        "regularise: proximal has not converged after %d iterations at t = %.9g: they still change %.2g of the "
        "accelerations; epsilon %.3g is too large, or the rows contradict each other",
        CRD_PROXIMAL_ITERATIONS, dynamics->system.t, change / size, regularisation->shift);
}

/* ---- trust region ---- */

/* matrix <- S (dense, both triangles), image <- S S + eps I. */
static void square(CrdDynamics *dynamics, double eps) {
    CrdRegularisation *regularisation = &dynamics->regularisation;
    const CrdStructure *structure = dynamics->model->structure;
    size_t n = (size_t)structure->rows;
    memset(regularisation->matrix, 0, n * n * sizeof *regularisation->matrix);
    for (int c = 0; c < structure->rows; c++)
        for (int k = structure->s_start[c]; k < structure->s_start[c + 1]; k++) {
            size_t r = (size_t)structure->s_row[k];
            regularisation->matrix[r + n * (size_t)c] = regularisation->matrix[(size_t)c + n * r] =
                dynamics->system.S[k];
        }
    cblas_dsyrk(CblasColMajor, CblasUpper, CblasNoTrans, structure->rows, structure->rows, 1.0, regularisation->matrix,
                structure->rows, 0.0, regularisation->image, structure->rows);
    for (size_t i = 0; i < n; i++) regularisation->image[i + n * i] += eps;
}

/* lambda <- (S S + eps I)^-1 S b; b is in r. */
static CardanStatus trust_solve(CrdDynamics *dynamics, double eps) {
    CrdRegularisation *regularisation = &dynamics->regularisation;
    int n = dynamics->model->structure->rows;
    square(dynamics, eps);
    dynamics->work.factorisations++;
    dynamics->work.solves++;
    if (LAPACKE_dpotrf_work(LAPACK_COL_MAJOR, 'U', n, regularisation->image, n) != 0)
        return crd_fail(dynamics->error, CARDAN_ERR_NUMERIC,
                        "trust region: S S + epsilon I is not positive definite at t = %.9g; epsilon %.3g is too small",
                        dynamics->system.t, eps);
    cblas_dsymv(CblasColMajor, CblasUpper, n, 1.0, regularisation->matrix, n, regularisation->rows_left, 1, 0.0,
                dynamics->lambda, 1);
    LAPACKE_dpotrs_work(LAPACK_COL_MAJOR, 'U', n, 1, regularisation->image, n, dynamics->lambda, n);
    return CARDAN_OK;
}

/* |lambda(eps)| = radius by Newton's method on 1/radius - 1/|lambda|, which is nearly linear in eps (More 1978):
 *     eps <- eps + (|l|^2 / |z|^2) (|l| - radius) / radius,    U^T z = l,   S S + eps I = U^T U */
static CardanStatus trust_radius(CrdDynamics *dynamics, double eps) {
    CrdRegularisation *regularisation = &dynamics->regularisation;
    int n = dynamics->model->structure->rows;
    for (int k = 0; k < CRD_TRUST_ITERATIONS; k++) {
        regularisation->shift = eps;
        CRD_TRY(trust_solve(dynamics, eps));
        double length = cblas_dnrm2(n, dynamics->lambda, 1);
        if (length <= regularisation->radius * (1.0 + CRD_TRUST_TOLERANCE)) return CARDAN_OK;
        memcpy(regularisation->secular, dynamics->lambda, (size_t)n * sizeof *regularisation->secular);
        cblas_dtrsv(CblasColMajor, CblasUpper, CblasTrans, CblasNonUnit, n, regularisation->image, n,
                    regularisation->secular, 1);
        double z = cblas_dnrm2(n, regularisation->secular, 1);
        eps += length * length / (z * z) * (length - regularisation->radius) / regularisation->radius;
    }
    return crd_fail(dynamics->error, CARDAN_ERR_NUMERIC,
                    "trust region: no epsilon was found that brings the multipliers to the radius %.3g at t = %.9g",
                    regularisation->radius, dynamics->system.t);
}

static CardanStatus solve_trust_region(CrdDynamics *dynamics) {
    CrdRegularisation *regularisation = &dynamics->regularisation;
    right_side(dynamics);
    crd_mask_rows(dynamics, dynamics->lambda);
    memcpy(regularisation->rows_left, dynamics->lambda,
           (size_t)dynamics->model->structure->rows * sizeof *regularisation->rows_left);
    double max = largest_diagonal(dynamics);
    regularisation->shift = regularisation->epsilon > 0.0 ? regularisation->epsilon : CRD_TRUST_EPSILON * max * max;
    CRD_TRY(regularisation->radius > 0.0 ? trust_radius(dynamics, regularisation->shift)
                                         : trust_solve(dynamics, regularisation->shift));
    accelerate(dynamics);
    return CARDAN_OK;
}

static const CrdRegulariser regularisers[CARDAN_REGULARISERS] = {
    [CARDAN_REGULARISE_AUTO] =
        {.name = "auto",
         .summary = "exact while healthy, near a singular pose the most exact remedy the situation allows",
         .drops = true,
         .solve = solve_auto},
    [CARDAN_REGULARISE_QR] = {.name = "qr",
                              .summary = "a rank-revealing solve every time",
                              .drops = true,
                              .dense = true,
                              .solve = crd_solve_by_rank},
    [CARDAN_REGULARISE_PROXIMAL] = {.name = "proximal",
                                    .summary = "S + epsilon I, iterated until it stands still",
                                    .drops = true,
                                    .shifts = true,
                                    .solve = solve_proximal},
    [CARDAN_REGULARISE_TRUST_REGION] = {.name = "trust_region",
                                        .summary = "least squares with the multipliers bounded: S S + epsilon I",
                                        .drops = true,
                                        .dense = true,
                                        .in_pose = CRD_IN_POSE_SOFTENED,
                                        .solve = solve_trust_region},
    [CARDAN_REGULARISE_DIRECT] = {.name = "direct",
                                  .summary = "S + epsilon I",
                                  .drops = true,
                                  .shifts = true,
                                  .in_pose = CRD_IN_POSE_SOFTENED,
                                  .solve = solve_direct},
    [CARDAN_REGULARISE_NONE] = {.name = "none",
                                .summary = "the plain solve; dependent rows are refused",
                                .in_pose = CRD_IN_POSE_REFUSED,
                                .solve = crd_plain_solve},
};

const CrdRegulariser *crd_regulariser(CardanRegularise method) {
    return &regularisers[method];
}

CrdWord crd_regulariser_word(int method) {
    if (method < 0 || method >= CARDAN_REGULARISERS) return (CrdWord){NULL, NULL};
    return (CrdWord){regularisers[method].name, regularisers[method].summary};
}
