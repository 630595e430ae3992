#include "lab/stabiliser.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "core/numbers.h"
#include "lab/stepping.h"

/* ---- directions ---- */

/* D <- blockdiag(block, block); block is n x rows. */
static void repeat_block(const CrdLabProblem *problem, const double *block, double *d) {
    int width = crd_lab_invariants(problem);
    for (int level = 0; level < crd_lab_levels(problem); level++)
        for (int i = 0; i < problem->n; i++)
            memcpy(d + (level * problem->n + i) * width + level * problem->rows, block + i * problem->rows,
                   (size_t)problem->rows * sizeof *d);
}

static void fill_b(const CrdLabProblem *problem, const CrdLabTerms *terms, const double *given, double *d) {
    (void)given;
    repeat_block(problem, terms->b, d);
}

/* Puts block (rows x n) transposed into D at block row i, block column j. */
static void put_transposed(const CrdLabProblem *problem, const double *block, int i, int j, double *d) {
    int width = crd_lab_invariants(problem);
    for (int r = 0; r < problem->rows; r++)
        for (int c = 0; c < problem->n; c++)
            d[(i * problem->n + c) * width + j * problem->rows + r] = block[r * problem->n + c];
}

static void fill_g(const CrdLabProblem *problem, const CrdLabTerms *terms, const double *given, double *d) {
    (void)given;
    for (int level = 0; level < crd_lab_levels(problem); level++)
        put_transposed(problem, terms->jacobian, level, level, d);
}

static void fill_h(const CrdLabProblem *problem, const CrdLabTerms *terms, const double *given, double *d) {
    fill_g(problem, terms, given, d);
    if (problem->order == 2) put_transposed(problem, terms->gradient, 0, 1, d);
}

static void fill_given(const CrdLabProblem *problem, const CrdLabTerms *terms, const double *given, double *d) {
    (void)terms;
    repeat_block(problem, given, d);
}

const CrdLabDirections crd_lab_along_b = {"B", true, false, fill_b};
const CrdLabDirections crd_lab_along_g = {"G^T", false, false, fill_g};
const CrdLabDirections crd_lab_along_h = {"H^T", false, false, fill_h};
const CrdLabDirections crd_lab_along_given = {"given", false, true, fill_given};

/* ---- F h ---- */

/* Whether component i belongs to the chosen parts, of which the second begins at `second`. */
static bool chosen(unsigned parts, int i, int second) {
    if (parts == 0 || parts == CRD_LAB_ALL) return true;
    return (parts & (i < second ? CRD_LAB_POSITION : CRD_LAB_VELOCITY)) != 0;
}

static int first_velocity(const CrdLabProblem *problem) {
    return problem->velocities > 0 ? problem->velocities : (crd_lab_state(problem) + 1) / 2;
}

static bool holds(const CrdLabStabiliser *stabiliser, int row) {
    return stabiliser->problem->order < 2 || chosen(stabiliser->rows, row, stabiliser->problem->rows);
}

int crd_lab_held(const CrdLabStabiliser *stabiliser) {
    int held = 0;
    for (int i = 0; i < crd_lab_invariants(stabiliser->problem); i++) held += holds(stabiliser, i);
    return held;
}

/* H D, or what stands in its place. */
static void scale(const CrdLabStabiliser *stabiliser, const double *jacobian, CrdLabPull *pull) {
    int rows = pull->rows, half = stabiliser->problem->rows;
    if (stabiliser->scaling == CRD_LAB_PLAIN)
        for (int i = 0; i < rows; i++) pull->hd[i * rows + i] = 1.0;
    else
        crd_add_product(rows, pull->state, rows, 1.0, jacobian, pull->d, pull->hd);
    if (stabiliser->scaling == CRD_LAB_BLOCKS)
        for (int i = 0; i < rows; i++)
            for (int j = 0; j < rows; j++)
                if (i / half != j / half) pull->hd[i * rows + j] = 0.0;
}

CardanStatus crd_lab_pull(const CrdLabStabiliser *stabiliser, const double *z, const CrdLabTerms *terms,
                          CrdLabWorkspace *workspace, CrdLabPull *pull) {
    const CrdLabStabiliser *s = stabiliser;
    int all = crd_lab_invariants(s->problem), state = crd_lab_state(s->problem), held = crd_lab_held(s), row = 0;
    assert(s->directions != NULL && (!s->directions->wants_given || s->given != NULL));
    *pull = (CrdLabPull){.state = state,
                         .rows = held,
                         .h = crd_lab_numbers(workspace, held, 1),
                         .d = crd_lab_numbers(workspace, state, held),
                         .hd = crd_lab_numbers(workspace, held, held)};
    CrdLabMark mark = crd_lab_mark(workspace);
    double *h = crd_lab_numbers(workspace, all, 1), *jacobian = crd_lab_numbers(workspace, all, state),
           *d = crd_lab_numbers(workspace, state, all);
    if (workspace->empty) return crd_fail_memory(workspace->error);
    crd_lab_invariant(s->problem, z, terms, h, jacobian);
    s->directions->fill(s->problem, terms, s->given, d);
    for (int k = 0; k < all; k++) {
        if (!holds(s, k)) continue;
        pull->h[row] = h[k];
        for (int i = 0; i < state; i++)
            pull->d[i * pull->rows + row] = chosen(s->moved, i, first_velocity(s->problem)) ? d[i * all + k] : 0.0;
        memmove(jacobian + row * state, jacobian + k * state, (size_t)state * sizeof *jacobian);
        row++;
    }
    scale(s, jacobian, pull);
    crd_lab_back(workspace, mark);
    return CARDAN_OK;
}

CardanStatus crd_lab_apply(const CrdLabPull *pull, double factor, const double *h, double t, double *z,
                           CrdLabWorkspace *workspace) {
    CrdLabMark mark = crd_lab_mark(workspace);
    double *hd = crd_lab_numbers(workspace, pull->rows, pull->rows), *x = crd_lab_numbers(workspace, pull->rows, 1);
    if (workspace->empty) return crd_fail_memory(workspace->error);
    memcpy(hd, pull->hd, (size_t)(pull->rows * pull->rows) * sizeof *hd);
    memcpy(x, h, (size_t)pull->rows * sizeof *x);
    CRD_TRY(crd_lab_solve((CrdLabPlace){"H D of the stabilisation", t, workspace}, pull->rows, 1, hd, x));
    crd_add_product(pull->state, pull->rows, 1, -factor, pull->d, x, z);
    crd_lab_back(workspace, mark);
    return CARDAN_OK;
}

/* ---- corrections ---- */

static double alpha_of(const CrdLabStabiliser *stabiliser) {
    return stabiliser->alpha != 0.0 ? stabiliser->alpha : 1.0;
}

static CardanStatus pull_at(const CrdLabStabiliser *stabiliser, double t, const double *z, CrdLabWorkspace *workspace,
                            CrdLabPull *pull) {
    CrdLabTerms terms;
    CRD_TRY(crd_lab_terms(stabiliser->problem, t, z, workspace, &terms));
    return crd_lab_pull(stabiliser, z, &terms, workspace, pull);
}

static CardanStatus correct_forward(const CrdLabStabiliser *stabiliser, double t0, const double *z0, double t,
                                    double *z, CrdLabWorkspace *workspace) {
    CrdLabPull pull;
    (void)t;
    CRD_TRY(pull_at(stabiliser, t0, z0, workspace, &pull));
    return crd_lab_apply(&pull, alpha_of(stabiliser), pull.h, t0, z, workspace);
}

/* z' = -F h at one time, the flow of which backward Euler takes one step of size alpha. */
typedef struct Flow {
    const CrdLabStabiliser *stabiliser;
    double t;
} Flow;

static CardanStatus pull_rates(const void *user, double t, const double *z, double *rates, CrdLabWorkspace *workspace) {
    const Flow *flow = user;
    CrdLabMark mark = crd_lab_mark(workspace);
    CrdLabPull pull;
    (void)t;
    CRD_TRY(pull_at(flow->stabiliser, flow->t, z, workspace, &pull));
    memset(rates, 0, (size_t)pull.state * sizeof *rates);
    CRD_TRY(crd_lab_apply(&pull, 1.0, pull.h, flow->t, rates, workspace));
    crd_lab_back(workspace, mark);
    return CARDAN_OK;
}

static CardanStatus correct_backward(const CrdLabStabiliser *stabiliser, double t0, const double *z0, double t,
                                     double *z, CrdLabWorkspace *workspace) {
    Flow flow = {stabiliser, t};
    CrdLabSystem system = {.n = crd_lab_state(stabiliser->problem),
                           .affine = stabiliser->problem->affine,
                           .user = &flow,
                           .rates = pull_rates};
    CrdLabStepping stepping;
    (void)t0, (void)z0;
    CRD_TRY(crd_lab_stepping_open(&stepping, &crd_backward_euler, &system, workspace));
    return crd_lab_step(&stepping, t, alpha_of(stabiliser), z);
}

static CardanStatus correct_post(const CrdLabStabiliser *stabiliser, double t0, const double *z0, double t, double *z,
                                 CrdLabWorkspace *workspace) {
    CrdLabPull pull, later;
    (void)t0, (void)z0;
    CRD_TRY(pull_at(stabiliser, t, z, workspace, &pull));
    CRD_TRY(crd_lab_apply(&pull, alpha_of(stabiliser), pull.h, t, z, workspace));
    for (int pass = 1; pass < stabiliser->passes; pass++) {
        CRD_TRY(pull_at(stabiliser, t, z, workspace, &later));
        CRD_TRY(crd_lab_apply(stabiliser->frozen ? &pull : &later, alpha_of(stabiliser), later.h, t, z, workspace));
    }
    return CARDAN_OK;
}

static CardanStatus correct_project(const CrdLabStabiliser *stabiliser, double t0, const double *z0, double t,
                                    double *z, CrdLabWorkspace *workspace) {
    double tolerance = stabiliser->tolerance > 0.0 ? stabiliser->tolerance : CRD_LAB_PROJECT, left = (double)INFINITY;
    CrdLabPull first, pull;
    assert(stabiliser->scaling == CRD_LAB_INVERSE);
    (void)t0, (void)z0;
    CRD_TRY(pull_at(stabiliser, t, z, workspace, &first));
    pull = first;
    CrdLabMark mark = crd_lab_mark(workspace);
    for (int i = 0; i < CRD_LAB_ITERATIONS; i++) {
        left = crd_largest(pull.h, pull.rows);
        if (left <= tolerance) return CARDAN_OK;
        CRD_TRY(crd_lab_apply(&pull, 1.0, pull.h, t, z, workspace));
        crd_lab_back(workspace, mark);
        CRD_TRY(pull_at(stabiliser, t, z, workspace, &pull));
        pull.d = first.d; /* the directions are those of the tentative end */
    }
    return crd_fail(workspace->error, CARDAN_ERR_NUMERIC,
                    "projection to the invariants did not converge at t = %.9g: |h| = %.2g", t, left);
}

const CrdLabCorrection crd_lab_forward = {"forward", correct_forward};
const CrdLabCorrection crd_lab_backward = {"backward", correct_backward};
const CrdLabCorrection crd_lab_post = {"post", correct_post};
const CrdLabCorrection crd_lab_project = {"project", correct_project};

/* ---- what does not fit ---- */

CardanStatus crd_lab_check_stabiliser(const CrdLabStabiliser *stabiliser, CrdError *error) {
    const CrdLabStabiliser *s = stabiliser;
    if (s->directions == NULL)
        return crd_fail(error, CARDAN_ERR_ARGUMENT, "a stabiliser needs directions D to move the state along");
    const char *reason = NULL;
    if (s->directions->wants_b && s->problem->order == 0) reason = "an ODE with invariants has no B";
    if (s->directions->wants_given && s->given == NULL) reason = "no matrix is given";
    if (s->correction == &crd_lab_project && s->scaling != CRD_LAB_INVERSE)
        reason = "a projection solves h(z) = 0 and needs the inverse of H D";
    if (s->problem->rows == 0) reason = "the problem has no invariants";
    if (reason == NULL) return CARDAN_OK;
    return crd_fail(error, CARDAN_ERR_ARGUMENT, "stabilisation along %s does not fit '%s': %s", s->directions->name,
                    s->problem->name, reason);
}
