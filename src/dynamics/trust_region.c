#include "dynamics/trust_region.h"

#include "dynamics/dynamics.h"

#include <assert.h>
#include <cblas.h>
#include <math.h>
#include <string.h>

/* Singularity measures below which multipliers are bounded, and from which states are healthy; the default radius in
 * units of the healthy |mu| (RANK_AND_BRANCH 2: with 1000 it is exact but where noise blows up). */
#define CRD_TRUST_NEAR 0.1
#define CRD_TRUST_HEALTHY 0.3
#define CRD_TRUST_RADIUS 1000.0

/* Part of the largest scaled multiplier by which one that is softened differs from the exact one. */
#define CRD_SOFTENED_SHARE 1e-6

/* Secular equation: Newton needs 3 or 4 iterations near the root to this relative tolerance of the radius, and some
 * more from the smallest eps, which is the square of what rounding leaves of an eigenvalue of S~. */
#define CRD_TRUST_ITERATIONS 60
#define CRD_TRUST_TOLERANCE 1e-6
#define CRD_TRUST_EPSILON 1e-28

/* Conjugate gradients end when the residual is this part of the first, or after so many iterations: at a condition of 2
 * the error falls by 0.17 each, so 25 would do. They are begun twice, since S~ S~ squares what rounding leaves. */
#define CRD_TRUST_RESIDUAL 1e-16
#define CRD_TRUST_GRADIENTS 60
#define CRD_TRUST_PASSES 2

void crd_trust_region_layout(CrdTrustRegion *trust, int rows, CrdArena *arena) {
    double **arrays[] = {&trust->scale, &trust->b, &trust->mu, &trust->right, &trust->x,
                         &trust->r,     &trust->z, &trust->p,  &trust->image, &trust->spare};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        *arrays[i] = crd_take(arena, (size_t)rows, sizeof **arrays[i]);
}

/* ---- products ---- */

/* y = S~ x, by the upper triangle of S. */
static void times(const CrdDynamics *dynamics, const double *x, double *y) {
    const CrdStructure *structure = dynamics->model->structure;
    const double *S = dynamics->system.S, *scale = dynamics->regularisation.trust.scale;
    for (int c = 0; c < structure->rows; c++) {
        double sum = 0.0, at = x[c] / scale[c];
        int diagonal = structure->s_start[c + 1] - 1;
        for (int k = structure->s_start[c]; k < diagonal; k++) {
            int r = structure->s_row[k];
            sum += S[k] * x[r] / scale[r];
            y[r] += S[k] * at / scale[r];
        }
        y[c] = (sum + S[diagonal] * at) / scale[c];
    }
}

/* y = (S~ S~ + eps I) x */
static void times_squared(const CrdDynamics *dynamics, double eps, const double *x, double *y) {
    double *spare = dynamics->regularisation.trust.spare;
    times(dynamics, x, spare);
    times(dynamics, spare, y);
    cblas_daxpy(dynamics->model->structure->rows, eps, x, 1, y, 1);
}

/* z = (S~ + sqrt(eps) I)^-2 r */
static CardanStatus precondition(CrdDynamics *dynamics, const double *r, double *z) {
    CrdRegularisation *regularisation = &dynamics->regularisation;
    const double *scale = regularisation->trust.scale;
    int rows = dynamics->model->structure->rows;
    memcpy(z, r, (size_t)rows * sizeof *z);
    for (int pass = 0; pass < 2; pass++) {
        for (int i = 0; i < rows; i++) z[i] *= scale[i];
        dynamics->work.solves++;
        CRD_TRY(regularisation->shifted->ops->solve(regularisation->shifted, z));
        for (int i = 0; i < rows; i++) z[i] *= scale[i];
    }
    return CARDAN_OK;
}

/* x += (S~ S~ + eps I)^-1 r by conjugate gradients; r is lost. */
static CardanStatus add_solution(CrdDynamics *dynamics, double eps, double *x) {
    CrdTrustRegion *trust = &dynamics->regularisation.trust;
    int n = dynamics->model->structure->rows;
    CRD_TRY(precondition(dynamics, trust->r, trust->z));
    memcpy(trust->p, trust->z, (size_t)n * sizeof *trust->p);
    double rho = cblas_ddot(n, trust->r, 1, trust->z, 1), first = rho;
    for (int k = 0; k < CRD_TRUST_GRADIENTS && rho > CRD_TRUST_RESIDUAL * CRD_TRUST_RESIDUAL * first; k++) {
        times_squared(dynamics, eps, trust->p, trust->image);
        double along = cblas_ddot(n, trust->p, 1, trust->image, 1);
        if (!(along > 0.0)) break;
        cblas_daxpy(n, rho / along, trust->p, 1, x, 1);
        cblas_daxpy(n, -rho / along, trust->image, 1, trust->r, 1);
        CRD_TRY(precondition(dynamics, trust->r, trust->z));
        double before = rho;
        rho = cblas_ddot(n, trust->r, 1, trust->z, 1);
        cblas_dscal(n, rho / before, trust->p, 1);
        cblas_daxpy(n, 1.0, trust->z, 1, trust->p, 1);
    }
    return CARDAN_OK;
}

/* x = (S~ S~ + eps I)^-1 right, with the factor of S~ + sqrt(eps) I. */
static CardanStatus solve_squared(CrdDynamics *dynamics, double eps, const double *right, double *x) {
    CrdTrustRegion *trust = &dynamics->regularisation.trust;
    int n = dynamics->model->structure->rows;
    memset(x, 0, (size_t)n * sizeof *x);
    memcpy(trust->r, right, (size_t)n * sizeof *trust->r);
    for (int pass = 0; pass < CRD_TRUST_PASSES; pass++) {
        CRD_TRY(add_solution(dynamics, eps, x));
        times_squared(dynamics, eps, x, trust->r);
        for (int i = 0; i < n; i++) trust->r[i] = right[i] - trust->r[i];
    }
    return CARDAN_OK;
}

/* ---- softened ---- */

/* mu <- (S~ S~ + eps I)^-1 S~ b~ */
static CardanStatus soften(CrdDynamics *dynamics, double eps) {
    CrdTrustRegion *trust = &dynamics->regularisation.trust;
    CRD_TRY(crd_factor_with_shift(dynamics, sqrt(eps), trust->scale));
    dynamics->regularisation.shift = eps;
    times(dynamics, trust->b, trust->right);
    return solve_squared(dynamics, eps, trust->right, trust->mu);
}

/* eps from which |mu| = radius, beginning with one that is too small. */
static CardanStatus find_epsilon(CrdDynamics *dynamics, double eps, double radius) {
    CrdTrustRegion *trust = &dynamics->regularisation.trust;
    int n = dynamics->model->structure->rows;
    trust->radius = radius;
    for (int k = 0; k < CRD_TRUST_ITERATIONS; k++) {
        CRD_TRY(soften(dynamics, eps));
        double length = cblas_dnrm2(n, trust->mu, 1);
        if (length <= radius * (1.0 + CRD_TRUST_TOLERANCE)) return CARDAN_OK;
        CRD_TRY(solve_squared(dynamics, eps, trust->mu, trust->x));
        double slope = cblas_ddot(n, trust->mu, 1, trust->x, 1);
        eps += length * length / slope * (length - radius) / radius;
    }
    return crd_fail(dynamics->error, CARDAN_ERR_NUMERIC,
                    "trust region: no epsilon was found that brings the scaled multipliers to the radius %.3g at t = "
                    "%.9g",
                    radius, dynamics->system.t);
}

/* 1 / D: the roots of the diagonal, or 1. */
static void set_scale(CrdDynamics *dynamics, bool scaled) {
    const CrdStructure *structure = dynamics->model->structure;
    double *scale = dynamics->regularisation.trust.scale;
    for (int i = 0; i < structure->rows; i++) {
        double diagonal = dynamics->system.S[structure->s_start[i + 1] - 1];
        scale[i] = scaled && diagonal > 0.0 ? sqrt(diagonal) : 1.0;
    }
}

/* b~, and M^-1 f in a. */
static void set_right_side(CrdDynamics *dynamics) {
    CrdTrustRegion *trust = &dynamics->regularisation.trust;
    crd_right_side(dynamics);
    crd_mask_rows(dynamics, dynamics->lambda);
    for (int i = 0; i < dynamics->model->structure->rows; i++) trust->b[i] = dynamics->lambda[i] / trust->scale[i];
}

/* lambda and a of mu; what it softened is noted. */
static void finish(CrdDynamics *dynamics) {
    CrdTrustRegion *trust = &dynamics->regularisation.trust;
    int n = dynamics->model->structure->rows;
    for (int i = 0; i < n; i++) dynamics->lambda[i] = trust->mu[i] / trust->scale[i];
    crd_accelerate(dynamics);
    times(dynamics, trust->mu, trust->image);
    cblas_daxpy(n, -1.0, trust->b, 1, trust->image, 1);
    dynamics->regularisation.softened = true;
    crd_trust_region_note(dynamics, dynamics->regularisation.shift, cblas_dnrm2(n, trust->image, 1));
}

void crd_trust_region_note(CrdDynamics *dynamics, double eps, double gave_way) {
    CrdTrustRegion *trust = &dynamics->regularisation.trust;
    if (crd_singularity_measure(dynamics) >= CRD_TRUST_NEAR) return;
    trust->softened++;
    trust->gave_way = fmax(trust->gave_way, gave_way);
    trust->epsilon_max = fmax(trust->epsilon_max, eps);
}

/* |mu| of lambda. */
static double length_of(const CrdDynamics *dynamics) {
    const double *scale = dynamics->regularisation.trust.scale;
    double sum = 0.0;
    for (int i = 0; i < dynamics->model->structure->rows; i++) {
        double mu = dynamics->lambda[i] * scale[i];
        sum += mu * mu;
    }
    return sqrt(sum);
}

/* With an epsilon given, as the paper has it. */
static CardanStatus solve_with_epsilon(CrdDynamics *dynamics) {
    const CrdRegularisation *regularisation = &dynamics->regularisation;
    set_scale(dynamics, false);
    set_right_side(dynamics);
    CRD_TRY(regularisation->radius > 0.0 ? find_epsilon(dynamics, regularisation->epsilon, regularisation->radius)
                                         : soften(dynamics, regularisation->epsilon));
    finish(dynamics);
    return CARDAN_OK;
}

CardanStatus crd_solve_trust_region(CrdDynamics *dynamics) {
    CrdRegularisation *regularisation = &dynamics->regularisation;
    if (regularisation->epsilon > 0.0) return solve_with_epsilon(dynamics);
    regularisation->softened = false;
    CRD_TRY(crd_solve_refined(dynamics));
    double radius =
        regularisation->radius > 0.0 ? regularisation->radius : CRD_TRUST_RADIUS * regularisation->trust.healthy;
    if (crd_singularity_measure(dynamics) >= CRD_TRUST_NEAR || radius == 0.0) return CARDAN_OK;
    set_scale(dynamics, true);
    if (length_of(dynamics) <= radius) return CARDAN_OK;
    set_right_side(dynamics);
    CRD_TRY(find_epsilon(dynamics, CRD_TRUST_EPSILON, radius));
    finish(dynamics);
    return CARDAN_OK;
}

/* S d = b - S lambda = G a - target tells what softening changed of lambda: rows_left becomes d. */
static CardanStatus find_change(CrdDynamics *dynamics) {
    const CrdStructure *structure = dynamics->model->structure;
    const CrdSystem *system = &dynamics->system;
    double *left = dynamics->regularisation.rows_left;
    assert(crd_stamp_holds(&system->stamp, CRD_HOLDS_ACCELERATIONS));
    if (!crd_stamp_holds(&system->stamp, CRD_HOLDS_FACTOR)) CRD_TRY(crd_factor(dynamics, CARDAN_METRIC_MASS));
    for (int i = 0; i < structure->rows; i++) left[i] = -dynamics->target[i];
    crd_times_g(structure, system->G, dynamics->a, left);
    return crd_solve_rows(dynamics, left);
}

/* The part of it in an element, against the largest scaled multiplier; a row that the factor has not is not known. */
static bool is_changed(const CrdDynamics *dynamics, int element, double largest) {
    const CrdStructure *structure = dynamics->model->structure;
    const CrdElement *e = &structure->elements[element];
    for (int i = e->first; i < e->first + e->rows; i++) {
        double scale = sqrt(dynamics->system.S[structure->s_start[i + 1] - 1]);
        bool lost = crd_solver_dropped(dynamics->factor.solver, i) && !dynamics->redundancy.is_dropped[i];
        if (lost || scale * fabs(dynamics->regularisation.rows_left[i]) > CRD_SOFTENED_SHARE * largest) return true;
    }
    return false;
}

static double largest_multiplier(const CrdDynamics *dynamics) {
    const CrdStructure *structure = dynamics->model->structure;
    double largest = 0.0;
    for (int i = 0; i < structure->rows; i++)
        largest = fmax(largest, sqrt(dynamics->system.S[structure->s_start[i + 1] - 1]) * fabs(dynamics->lambda[i]));
    return largest;
}

bool crd_element_softened(CrdDynamics *dynamics, int element) {
    if (!dynamics->regularisation.softened) return false;
    return find_change(dynamics) < 0 || is_changed(dynamics, element, largest_multiplier(dynamics));
}

void crd_softened_elements(CrdDynamics *dynamics, bool *element) {
    bool any = dynamics->regularisation.softened, unknown = any && find_change(dynamics) < 0;
    double largest = any ? largest_multiplier(dynamics) : 0.0;
    for (int e = 0; e < dynamics->model->structure->element_count; e++)
        element[e] = unknown || (any && is_changed(dynamics, e, largest));
}

void crd_trust_region_accept(CrdDynamics *dynamics) {
    CrdRegularisation *regularisation = &dynamics->regularisation;
    bool counts = regularisation->method->solve == crd_solve_trust_region && !regularisation->softened;
    if (!counts || crd_singularity_measure(dynamics) < CRD_TRUST_HEALTHY) return;
    set_scale(dynamics, true);
    regularisation->trust.healthy = fmax(regularisation->trust.healthy, length_of(dynamics));
}

void crd_trust_region_clear(CrdTrustRegion *trust) {
    trust->softened = 0;
    trust->epsilon_max = trust->radius = trust->gave_way = 0.0;
}
