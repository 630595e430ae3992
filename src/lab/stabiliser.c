#include "lab/stabiliser.h"

#include <math.h>
#include <string.h>

#include "core/numbers.h"
#include "lab/implicit.h"

/* ---- directions ---- */

/* D <- blockdiag(block, block); block is n x rows. */
static void repeat_block(const CrdLabProblem *p, const double *block, double *d) {
    int width = crd_lab_invariants(p);
    for (int level = 0; level < crd_lab_levels(p); level++)
        for (int i = 0; i < p->n; i++)
            memcpy(d + (level * p->n + i) * width + level * p->rows, block + i * p->rows, (size_t)p->rows * sizeof *d);
}

static void fill_b(const CrdLabProblem *p, const double *z, const CrdLabTerms *terms, const double *given, double *d) {
    (void)z, (void)given;
    repeat_block(p, terms->b, d);
}

/* Puts block (rows x n) transposed into D at block row i, block column j. */
static void put_transposed(const CrdLabProblem *p, const double *block, int i, int j, double *d) {
    int width = crd_lab_invariants(p);
    for (int r = 0; r < p->rows; r++)
        for (int c = 0; c < p->n; c++) d[(i * p->n + c) * width + j * p->rows + r] = block[r * p->n + c];
}

static void fill_g(const CrdLabProblem *p, const double *z, const CrdLabTerms *terms, const double *given, double *d) {
    (void)z, (void)given;
    for (int level = 0; level < crd_lab_levels(p); level++) put_transposed(p, terms->jacobian, level, level, d);
}

static void fill_h(const CrdLabProblem *p, const double *z, const CrdLabTerms *terms, const double *given, double *d) {
    fill_g(p, z, terms, given, d);
    if (p->order == 2) put_transposed(p, terms->gradient, 0, 1, d);
}

static void fill_given(const CrdLabProblem *p, const double *z, const CrdLabTerms *terms, const double *given,
                       double *d) {
    (void)z, (void)terms;
    repeat_block(p, given, d);
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

static int first_velocity(const CrdLabProblem *p) {
    return p->velocities > 0 ? p->velocities : (crd_lab_state(p) + 1) / 2;
}

static bool holds(const CrdLabStabiliser *s, int row) {
    return s->problem->order < 2 || chosen(s->rows, row, s->problem->rows);
}

int crd_lab_held(const CrdLabStabiliser *stabiliser) {
    int held = 0;
    for (int i = 0; i < crd_lab_invariants(stabiliser->problem); i++) held += holds(stabiliser, i);
    return held;
}

/* H D, or what stands in its place. */
static void scale(const CrdLabStabiliser *s, const double *jacobian, CrdLabPull *pull) {
    int rows = pull->rows, half = s->problem->rows;
    if (s->scaling == CRD_LAB_PLAIN)
        for (int i = 0; i < rows; i++) pull->hd[i * rows + i] = 1.0;
    else
        crd_lab_add_product(rows, pull->state, rows, 1.0, jacobian, pull->d, pull->hd);
    if (s->scaling == CRD_LAB_BLOCKS)
        for (int i = 0; i < rows; i++)
            for (int j = 0; j < rows; j++)
                if (i / half != j / half) pull->hd[i * rows + j] = 0.0;
}

CardanStatus crd_lab_pull(const CrdLabStabiliser *stabiliser, const double *z, const CrdLabTerms *terms,
                          CrdLabDesk *desk, CrdLabPull *pull) {
    const CrdLabStabiliser *s = stabiliser;
    int all = crd_lab_invariants(s->problem), state = crd_lab_state(s->problem), held = crd_lab_held(s), row = 0;
    *pull = (CrdLabPull){.state = state,
                         .rows = held,
                         .h = crd_lab_numbers(desk, held, 1),
                         .d = crd_lab_numbers(desk, state, held),
                         .hd = crd_lab_numbers(desk, held, held)};
    CrdLabMark mark = crd_lab_mark(desk);
    double *h = crd_lab_numbers(desk, all, 1), *jacobian = crd_lab_numbers(desk, all, state),
           *d = crd_lab_numbers(desk, state, all);
    if (desk->empty) return crd_fail_memory(desk->error);
    crd_lab_invariant(s->problem, z, terms, h, jacobian);
    s->directions->fill(s->problem, z, terms, s->given, d);
    for (int k = 0; k < all; k++) {
        if (!holds(s, k)) continue;
        pull->h[row] = h[k];
        for (int i = 0; i < state; i++)
            pull->d[i * pull->rows + row] = chosen(s->moved, i, first_velocity(s->problem)) ? d[i * all + k] : 0.0;
        memmove(jacobian + row * state, jacobian + k * state, (size_t)state * sizeof *jacobian);
        row++;
    }
    scale(s, jacobian, pull);
    crd_lab_back(desk, mark);
    return CARDAN_OK;
}

CardanStatus crd_lab_apply(const CrdLabPull *pull, double factor, const double *h, double t, double *z,
                           CrdLabDesk *desk) {
    CrdLabMark mark = crd_lab_mark(desk);
    double *hd = crd_lab_numbers(desk, pull->rows, pull->rows), *x = crd_lab_numbers(desk, pull->rows, 1);
    if (desk->empty) return crd_fail_memory(desk->error);
    memcpy(hd, pull->hd, (size_t)(pull->rows * pull->rows) * sizeof *hd);
    memcpy(x, h, (size_t)pull->rows * sizeof *x);
    CRD_TRY(crd_lab_solve((CrdLabPlace){"H D of the stabilisation", t, desk}, pull->rows, 1, hd, x));
    crd_lab_add_product(pull->state, pull->rows, 1, -factor, pull->d, x, z);
    crd_lab_back(desk, mark);
    return CARDAN_OK;
}

/* ---- corrections ---- */

static double alpha_of(const CrdLabStabiliser *s) {
    return s->alpha != 0.0 ? s->alpha : 1.0;
}

static CardanStatus pull_at(const CrdLabStabiliser *s, double t, const double *z, CrdLabDesk *desk, CrdLabPull *pull) {
    CrdLabTerms terms;
    CRD_TRY(crd_lab_terms(s->problem, t, z, desk, &terms));
    return crd_lab_pull(s, z, &terms, desk, pull);
}

static CardanStatus correct_forward(const CrdLabStabiliser *s, double t0, const double *z0, double t, double *z,
                                    CrdLabDesk *desk) {
    CrdLabPull pull;
    (void)t;
    CRD_TRY(pull_at(s, t0, z0, desk, &pull));
    return crd_lab_apply(&pull, alpha_of(s), pull.h, t0, z, desk);
}

/* z' = -F h, the flow of which backward Euler takes one step of size alpha. */
static CardanStatus pull_rates(const void *user, double t, const double *z, double *rates, CrdLabDesk *desk) {
    const CrdLabStabiliser *s = user;
    CrdLabMark mark = crd_lab_mark(desk);
    CrdLabPull pull;
    CRD_TRY(pull_at(s, t, z, desk, &pull));
    memset(rates, 0, (size_t)pull.state * sizeof *rates);
    CRD_TRY(crd_lab_apply(&pull, 1.0, pull.h, t, rates, desk));
    crd_lab_back(desk, mark);
    return CARDAN_OK;
}

static CardanStatus correct_backward(const CrdLabStabiliser *s, double t0, const double *z0, double t, double *z,
                                     CrdLabDesk *desk) {
    CrdLabSystem flow = {.n = crd_lab_state(s->problem), .affine = s->problem->affine, .user = s, .rates = pull_rates};
    double *base = crd_lab_numbers(desk, flow.n, 1);
    (void)t0, (void)z0;
    if (desk->empty) return crd_fail_memory(desk->error);
    memcpy(base, z, (size_t)flow.n * sizeof *base);
    CrdLabStage stage = {&flow, t, alpha_of(s), base, {"matrix of the backward correction", t, desk}};
    return crd_lab_newton(&stage, z);
}

static CardanStatus correct_post(const CrdLabStabiliser *s, double t0, const double *z0, double t, double *z,
                                 CrdLabDesk *desk) {
    CrdLabPull pull, later;
    (void)t0, (void)z0;
    CRD_TRY(pull_at(s, t, z, desk, &pull));
    CRD_TRY(crd_lab_apply(&pull, alpha_of(s), pull.h, t, z, desk));
    for (int pass = 1; pass < s->passes; pass++) {
        CRD_TRY(pull_at(s, t, z, desk, &later));
        CRD_TRY(crd_lab_apply(s->frozen ? &pull : &later, alpha_of(s), later.h, t, z, desk));
    }
    return CARDAN_OK;
}

static CardanStatus correct_project(const CrdLabStabiliser *s, double t0, const double *z0, double t, double *z,
                                    CrdLabDesk *desk) {
    double tolerance = s->tolerance > 0.0 ? s->tolerance : CRD_LAB_PROJECT, left = (double)INFINITY;
    CrdLabPull first, pull;
    (void)t0, (void)z0;
    CRD_TRY(pull_at(s, t, z, desk, &first));
    pull = first;
    CrdLabMark mark = crd_lab_mark(desk);
    for (int i = 0; i < CRD_LAB_ITERATIONS; i++) {
        left = crd_lab_largest(pull.h, pull.rows);
        if (left <= tolerance) return CARDAN_OK;
        CRD_TRY(crd_lab_apply(&pull, 1.0, pull.h, t, z, desk));
        crd_lab_back(desk, mark);
        CRD_TRY(pull_at(s, t, z, desk, &pull));
        pull.d = first.d; /* the directions are those of the tentative end */
    }
    return crd_fail(desk->error, CARDAN_ERR_NUMERIC,
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
