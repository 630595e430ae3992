#include "dynamics/regularise.h"

#include "core/numbers.h"
#include "dynamics/rank_look.h"
#include "equations/tree.h"

#include <assert.h>
#include <math.h>
#include <string.h>

/* Smallest pivot of S below which its rounding is more than 1e-13 of accelerations: tight tolerances take that for
 * motion (Bennett's linkage with a bar a millionth as heavy, at 1e-9: 3972 steps without a refinement, 6 with one). */
#define CRD_REFINE_PIVOT 1e-3

/* Default epsilon, against each diagonal entry of S: small enough to leave healthy rows alone (1e-10 puts some models
 * 260 tolerances of 1e-9 off, this one 3), large enough that the shifted matrix factors: rounding leaves 1e-16 to
 * 1e-14. */
#define CRD_DIRECT_EPSILON 1e-12

/* Proximal iterations: each multiplies the error of a direction with eigenvalue s by eps / (s + eps); they stop when
 * they change the first share of the accelerations, rounding, or no longer less than before; when that is more than the
 * second share, nothing has converged. */
#define CRD_PROXIMAL_ITERATIONS 200
#define CRD_PROXIMAL_STILL 1e-15
#define CRD_PROXIMAL_REFUSED 1e-6

void crd_regularisation_layout(CrdRegularisation *regularisation, const CrdStructure *structure,
                               const CardanOptions *options, CrdArena *arena) {
    size_t rows = (size_t)structure->rows, real = sizeof(double);
    /* Without rows there is nothing to regularise, and no matrix for the dense methods to look at. */
    regularisation->method = crd_regulariser(rows > 0 ? options->regularise.method : CARDAN_REGULARISE_NONE);
    regularisation->epsilon = options->regularise.epsilon;
    regularisation->radius = options->regularise.radius;
    regularisation->diagonal = crd_take(arena, regularisation->method->shifts ? rows : 0, real);
    regularisation->ones = crd_take(arena, regularisation->method->shifts ? rows : 0, real);
    bool bounds = regularisation->method->solve == crd_solve_trust_region;
    crd_trust_region_layout(&regularisation->trust, bounds ? structure->rows : 0, arena);
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
    for (int i = 0; regularisation->method->shifts && i < structure->rows; i++) regularisation->ones[i] = 1.0;
    if (!regularisation->method->dense || crd_spectrum_fits(structure)) return CARDAN_OK;
    return crd_fail(dynamics->error, CARDAN_ERR_LIMIT, "regularise: %s is dense and this model has %d rows; use auto",
                    regularisation->method->name, structure->rows);
}

void crd_regularisation_close(CrdRegularisation *regularisation) {
    if (regularisation->shifted != NULL) regularisation->shifted->ops->destroy(regularisation->shifted);
    regularisation->shifted = NULL;
}

/* ---- plain ---- */

void crd_right_side(CrdDynamics *dynamics) {
    const CrdStructure *structure = dynamics->model->structure;
    bool relative = structure->tree != NULL;
    if (relative) {
        crd_tree_pushed(dynamics->model, &dynamics->system, dynamics->a);
    } else {
        memcpy(dynamics->a, dynamics->system.f, (size_t)structure->nv * sizeof *dynamics->a);
        crd_solve_mass(dynamics->model, &dynamics->system, dynamics->a);
    }
    if (structure->rows == 0) return;
    for (int i = 0; i < structure->rows; i++) dynamics->lambda[i] = -dynamics->target[i];
    crd_times_g_with(dynamics->system.pool, structure, relative ? dynamics->system.T : dynamics->system.G, dynamics->a,
                     dynamics->lambda);
}

void crd_accelerate(CrdDynamics *dynamics) {
    const CrdStructure *structure = dynamics->model->structure;
    const CrdSystem *system = &dynamics->system;
    if (structure->rows > 0) crd_times_gt_with(system->pool, structure, system->T, -1.0, dynamics->lambda, dynamics->a);
    if (structure->tree != NULL) crd_tree_outward(dynamics->model, &dynamics->system, dynamics->a);
}

CardanStatus crd_plain_solve(CrdDynamics *dynamics) {
    if (!crd_stamp_holds(&dynamics->system.stamp, CRD_HOLDS_FACTOR)) CRD_TRY(crd_factor(dynamics, CARDAN_METRIC_MASS));
    crd_right_side(dynamics);
    CRD_TRY(crd_solve_rows(dynamics, dynamics->lambda));
    crd_accelerate(dynamics);
    return CARDAN_OK;
}

void crd_left_of_motion(const CrdDynamics *dynamics, double *left) {
    const CrdSystem *system = &dynamics->system;
    crd_complete_forces(dynamics->model, system);
    crd_times_mass(dynamics->model, system, dynamics->a, left);
    for (int i = 0; i < dynamics->model->structure->nv; i++) left[i] = system->f[i] - left[i];
}

void crd_left_of_balance(const CrdDynamics *dynamics, double *left) {
    const CrdSystem *system = &dynamics->system;
    crd_left_of_motion(dynamics, left);
    crd_times_gt_with(system->pool, dynamics->model->structure, system->G, -1.0, dynamics->lambda, left);
    crd_solve_mass(dynamics->model, system, left);
}

/* r <- S^-1 r by one of the factors: crd_solve_rows, or that of S + eps I. */
typedef CardanStatus (*RowSolve)(CrdDynamics *d, double *r);

/* One step of refinement; what it changes of a is left in velocities_left. */
static CardanStatus refine_with(CrdDynamics *dynamics, RowSolve solve) {
    const CrdStructure *structure = dynamics->model->structure;
    const CrdSystem *system = &dynamics->system;
    double *rows = dynamics->regularisation.rows_left, *left = dynamics->regularisation.velocities_left;
    /* r1 = f - M a - G^T lambda,  r2 = target - G a;   S dl = G M^-1 r1 - r2,   da = M^-1 (r1 - G^T dl) */
    crd_left_of_balance(dynamics, left);
    for (int i = 0; i < structure->rows; i++) rows[i] = -dynamics->target[i];
    crd_times_g_with(system->pool, structure, system->G, dynamics->a, rows);
    crd_times_g_with(system->pool, structure, system->G, left, rows);
    CRD_TRY(solve(dynamics, rows));
    for (int i = 0; i < structure->rows; i++) dynamics->lambda[i] += rows[i];
    crd_add_forced(dynamics->model, system, -1.0, rows, left);
    for (int i = 0; i < structure->nv; i++) dynamics->a[i] += left[i];
    return CARDAN_OK;
}

CardanStatus crd_refine(CrdDynamics *dynamics) {
    return refine_with(dynamics, crd_solve_rows);
}

static bool loses_digits(const CrdDynamics *dynamics) {
    double pivot = dynamics->factor.pivot_last, sound = dynamics->regularisation.sound;
    return pivot < CRD_REFINE_PIVOT && !(sound > 0.0 && pivot >= sound);
}

/* Exact while healthy, refined near a pose, and once where masses make S lose digits. */
CardanStatus crd_solve_refined(CrdDynamics *dynamics) {
    bool near = crd_near_singular(dynamics);
    int times = near ? 2 : loses_digits(dynamics) ? 1 : 0;
    dynamics->regularisation.refined = !near && times > 0;
    CRD_TRY(crd_plain_solve(dynamics));
    for (int k = 0; k < times; k++) CRD_TRY(crd_refine(dynamics));
    return CARDAN_OK;
}

/* ---- S + eps I ---- */

CardanStatus crd_factor_with_shift(CrdDynamics *dynamics, double shift, const double *scale) {
    CrdRegularisation *regularisation = &dynamics->regularisation;
    const CrdStructure *structure = dynamics->model->structure;
    double *S = dynamics->system.S;
    for (int i = 0; i < structure->rows; i++) {
        double diagonal = S[structure->s_start[i + 1] - 1], square = scale != NULL ? scale[i] * scale[i] : diagonal;
        regularisation->diagonal[i] = diagonal;
        S[structure->s_start[i + 1] - 1] += shift * square;
    }
    dynamics->work.factorisations++;
    CrdMatrix matrix = {S, structure->nv, NULL, NULL};
    CrdPivot pivot = {.ratio = 1.0};
    CardanStatus status = regularisation->shifted->ops->factor(regularisation->shifted, &matrix, &pivot);
    for (int i = 0; i < structure->rows; i++) S[structure->s_start[i + 1] - 1] = regularisation->diagonal[i];
    if (status != CARDAN_ERR_NUMERIC) return status;
    return crd_fail(dynamics->error, status,
                    "regularise: %s: epsilon %.3g is too small for the rows of joint '%s' at t = %.9g",
                    regularisation->method->name, shift,
                    crd_element_name(dynamics->model, structure->row_element[pivot.row]), dynamics->system.t);
}

static CardanStatus solve_shifted(CrdDynamics *dynamics, double *r) {
    dynamics->work.solves++;
    crd_mask_rows(dynamics, r);
    return dynamics->regularisation.shifted->ops->solve(dynamics->regularisation.shifted, r);
}

/* The factor of S + eps I with the epsilon given, or of S + eps diag(S): of rows scaled to a diagonal of ones. */
static CardanStatus factor_shifted(CrdDynamics *dynamics) {
    CrdRegularisation *regularisation = &dynamics->regularisation;
    bool given = regularisation->epsilon > 0.0;
    regularisation->shift = given ? regularisation->epsilon : CRD_DIRECT_EPSILON;
    return crd_factor_with_shift(dynamics, regularisation->shift, given ? regularisation->ones : NULL);
}

/* |D (S lambda - b)| with D = diag(S)^-1/2: what the shift leaves of the rows. */
static double left_by_shift(const CrdDynamics *dynamics) {
    const CrdStructure *structure = dynamics->model->structure;
    const CrdRegularisation *regularisation = &dynamics->regularisation;
    double sum = 0.0;
    for (int i = 0; i < structure->rows; i++) {
        double diagonal = dynamics->system.S[structure->s_start[i + 1] - 1],
               shift = regularisation->epsilon > 0.0 ? regularisation->shift : regularisation->shift * diagonal,
               left = shift * dynamics->lambda[i];
        sum += left * left / diagonal;
    }
    return sqrt(sum);
}

static CardanStatus solve_shifted_once(CrdDynamics *dynamics) {
    CRD_TRY(factor_shifted(dynamics));
    crd_right_side(dynamics);
    dynamics->regularisation.unbound = crd_max_abs(dynamics->a, dynamics->model->structure->nv);
    CRD_TRY(solve_shifted(dynamics, dynamics->lambda));
    crd_accelerate(dynamics);
    return CARDAN_OK;
}

static CardanStatus solve_direct(CrdDynamics *dynamics) {
    CrdRegularisation *regularisation = &dynamics->regularisation;
    CRD_TRY(solve_shifted_once(dynamics));
    regularisation->softened = true;
    crd_trust_region_note(dynamics, regularisation->shift, left_by_shift(dynamics));
    return CARDAN_OK;
}

/* Each iteration is one step of refinement with the factor of S + eps I in place of that of S. An eigenvalue s of S is
 * approached by the factor eps / (s + eps): slowly where s is below eps. */
static CardanStatus solve_proximal(CrdDynamics *dynamics) {
    CrdRegularisation *regularisation = &dynamics->regularisation;
    CRD_TRY(solve_shifted_once(dynamics));
    double before = (double)INFINITY, change = 0.0, size = 0.0;
    for (int k = 0; k < CRD_PROXIMAL_ITERATIONS; k++) {
        CRD_TRY(refine_with(dynamics, solve_shifted));
        change = crd_max_abs(regularisation->velocities_left, dynamics->model->structure->nv);
        size = fmax(crd_max_abs(dynamics->a, dynamics->model->structure->nv), regularisation->unbound);
        if (change <= CRD_PROXIMAL_STILL * size || !(change < before)) break;
        before = change;
    }
    if (crd_near_singular(dynamics) && change > CRD_PROXIMAL_STILL * size)
        return crd_solve_refined(dynamics); /* s falls below any eps there */
    if (change <= CRD_PROXIMAL_REFUSED * size) return CARDAN_OK;
    return crd_fail(
        dynamics->error, CARDAN_ERR_NUMERIC,
        "regularise: proximal has not converged after %d iterations at t = %.9g: they still change %.2g of the "
        "accelerations; epsilon %.3g is too large, or the rows contradict each other",
        CRD_PROXIMAL_ITERATIONS, dynamics->system.t, change / size, regularisation->shift);
}

static const CrdRegulariser regularisers[CARDAN_REGULARISERS] = {
    [CARDAN_REGULARISE_AUTO] =
        {.name = "auto",
         .summary = "exact while healthy, near a singular pose the most exact remedy the situation allows",
         .drops = true,
         .solve = crd_solve_refined},
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
                                        .summary = "as auto, with the multipliers bounded near a singular pose",
                                        .drops = true,
                                        .shifts = true,
                                        .solve = crd_solve_trust_region},
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

bool crd_softens(const CrdDynamics *dynamics) {
    return dynamics->regularisation.softened || dynamics->regularisation.trust.softened > 0;
}

const CrdRegulariser *crd_regulariser(CardanRegularise method) {
    return &regularisers[method];
}

CrdWord crd_regulariser_word(int method) {
    if (method < 0 || method >= CARDAN_REGULARISERS) return (CrdWord){NULL, NULL};
    return (CrdWord){regularisers[method].name, regularisers[method].summary};
}
