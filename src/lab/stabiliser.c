#include "lab/stabiliser.h"

#include <math.h>
#include <string.h>

#include "core/numbers.h"
#include "lab/implicit.h"

enum { N = CRD_LAB_STATE };

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

static void fill_g(const CrdLabProblem *p, const double *z, const CrdLabTerms *terms, const double *given, double *d) {
    double transposed[CRD_LAB_SIZE * CRD_LAB_SIZE];
    (void)z, (void)given;
    crd_lab_transpose(p->rows, p->n, terms->jacobian, transposed);
    repeat_block(p, transposed, d);
}

static void fill_h(const CrdLabProblem *p, const double *z, const CrdLabTerms *terms, const double *given, double *d) {
    double h[N], jacobian[N * N];
    (void)given;
    crd_lab_invariant(p, z, terms, h, jacobian);
    crd_lab_transpose(crd_lab_invariants(p), crd_lab_state(p), jacobian, d);
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

/* Whether component i of count, in as many parts as there are levels, belongs to the chosen parts. An ODE with
 * invariants has no levels: its state is split in halves, its invariants belong to all parts. */
static bool chosen(unsigned parts, int i, int count) {
    if (parts == 0 || parts == CRD_LAB_ALL) return true;
    return (parts & (2 * i < count ? CRD_LAB_POSITION : CRD_LAB_VELOCITY)) != 0;
}

static bool holds(const CrdLabStabiliser *s, int row) {
    return s->problem->order < 2 || chosen(s->rows, row, crd_lab_invariants(s->problem));
}

int crd_lab_held(const CrdLabStabiliser *stabiliser) {
    int held = 0;
    for (int i = 0; i < crd_lab_invariants(stabiliser->problem); i++) held += holds(stabiliser, i);
    return held;
}

/* H D, or what stands in its place. */
static void scale(const CrdLabStabiliser *s, const double *jacobian, CrdLabPull *pull) {
    int rows = pull->rows, half = s->problem->rows;
    memset(pull->hd, 0, sizeof pull->hd);
    if (s->scaling == CRD_LAB_PLAIN)
        for (int i = 0; i < rows; i++) pull->hd[i * rows + i] = 1.0;
    else
        crd_lab_add_product(rows, pull->state, rows, 1.0, jacobian, pull->d, pull->hd);
    if (s->scaling == CRD_LAB_BLOCKS)
        for (int i = 0; i < rows; i++)
            for (int j = 0; j < rows; j++)
                if (i / half != j / half) pull->hd[i * rows + j] = 0.0;
}

void crd_lab_pull(const CrdLabStabiliser *stabiliser, const double *z, const CrdLabTerms *terms, CrdLabPull *pull) {
    const CrdLabStabiliser *s = stabiliser;
    int all = crd_lab_invariants(s->problem), state = crd_lab_state(s->problem), row = 0;
    double h[N], jacobian[N * N], d[N * N] = {0};
    crd_lab_invariant(s->problem, z, terms, h, jacobian);
    s->directions->fill(s->problem, z, terms, s->given, d);
    pull->state = state;
    pull->rows = crd_lab_held(s);
    for (int k = 0; k < all; k++) {
        if (!holds(s, k)) continue;
        pull->h[row] = h[k];
        for (int i = 0; i < state; i++)
            pull->d[i * pull->rows + row] = chosen(s->moved, i, state) ? d[i * all + k] : 0.0;
        memmove(jacobian + row * state, jacobian + k * state, (size_t)state * sizeof *jacobian);
        row++;
    }
    scale(s, jacobian, pull);
}

CardanStatus crd_lab_apply(const CrdLabPull *pull, double factor, const double *h, double t, double *z,
                           CrdError *error) {
    double hd[N * N], x[N];
    memcpy(hd, pull->hd, (size_t)(pull->rows * pull->rows) * sizeof *hd);
    memcpy(x, h, (size_t)pull->rows * sizeof *x);
    CRD_TRY(crd_lab_solve((CrdLabPlace){"H D of the stabilisation", t, error}, pull->rows, 1, hd, x));
    crd_lab_add_product(pull->state, pull->rows, 1, -factor, pull->d, x, z);
    return CARDAN_OK;
}

/* ---- corrections ---- */

static double alpha_of(const CrdLabStabiliser *s) {
    return s->alpha != 0.0 ? s->alpha : 1.0;
}

static CardanStatus pull_at(const CrdLabStabiliser *s, double t, const double *z, CrdLabPull *pull) {
    CrdLabTerms terms;
    CRD_TRY(crd_lab_terms(s->problem, t, z, &terms));
    crd_lab_pull(s, z, &terms, pull);
    return CARDAN_OK;
}

static CardanStatus correct_forward(const CrdLabStabiliser *s, double t0, const double *z0, double t, double *z,
                                    CrdError *error) {
    CrdLabPull pull;
    (void)t;
    CRD_TRY(pull_at(s, t0, z0, &pull));
    return crd_lab_apply(&pull, alpha_of(s), pull.h, t0, z, error);
}

/* z' = -F h, the flow of which backward Euler takes one step of size alpha. */
static CardanStatus pull_rates(const void *user, double t, const double *z, double *rates, CrdError *error) {
    const CrdLabStabiliser *s = user;
    CrdLabPull pull;
    CRD_TRY(pull_at(s, t, z, &pull));
    memset(rates, 0, (size_t)pull.state * sizeof *rates);
    return crd_lab_apply(&pull, 1.0, pull.h, t, rates, error);
}

static CardanStatus correct_backward(const CrdLabStabiliser *s, double t0, const double *z0, double t, double *z,
                                     CrdError *error) {
    CrdLabSystem flow = {.n = crd_lab_state(s->problem), .affine = s->problem->affine, .user = s, .rates = pull_rates};
    double base[N];
    (void)t0, (void)z0;
    memcpy(base, z, (size_t)flow.n * sizeof *base);
    CrdLabStage stage = {&flow, t, alpha_of(s), base, {"matrix of the backward correction", t, error}};
    return crd_lab_newton(&stage, z);
}

static CardanStatus correct_post(const CrdLabStabiliser *s, double t0, const double *z0, double t, double *z,
                                 CrdError *error) {
    CrdLabPull pull, later;
    (void)t0, (void)z0;
    CRD_TRY(pull_at(s, t, z, &pull));
    CRD_TRY(crd_lab_apply(&pull, alpha_of(s), pull.h, t, z, error));
    for (int pass = 1; pass < s->passes; pass++) {
        CRD_TRY(pull_at(s, t, z, &later));
        CRD_TRY(crd_lab_apply(s->frozen ? &pull : &later, alpha_of(s), later.h, t, z, error));
    }
    return CARDAN_OK;
}

static CardanStatus correct_project(const CrdLabStabiliser *s, double t0, const double *z0, double t, double *z,
                                    CrdError *error) {
    double tolerance = s->tolerance > 0.0 ? s->tolerance : CRD_LAB_PROJECT, left = INFINITY;
    CrdLabPull first, pull;
    (void)t0, (void)z0;
    CRD_TRY(pull_at(s, t, z, &first));
    pull = first;
    for (int i = 0; i < CRD_LAB_ITERATIONS; i++) {
        left = crd_lab_largest(pull.h, pull.rows);
        if (left <= tolerance) return CARDAN_OK;
        CRD_TRY(crd_lab_apply(&pull, 1.0, pull.h, t, z, error));
        CRD_TRY(pull_at(s, t, z, &pull));
        memcpy(pull.d, first.d, sizeof pull.d); /* the directions are those of the tentative end */
    }
    return crd_fail(error, CARDAN_ERR_NUMERIC, "projection to the invariants did not converge at t = %.9g: |h| = %.2g",
                    t, left);
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
