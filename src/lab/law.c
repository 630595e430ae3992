#include "lab/law.h"

#include <assert.h>
#include <string.h>

static CardanStatus solve_regular(CrdLabPlace place, int n, double eps, double *s, const double *r, double *y) {
    (void)eps;
    memcpy(y, r, (size_t)n * sizeof *y);
    return crd_lab_solve(place, n, 1, s, y);
}

static CardanStatus solve_direct(CrdLabPlace place, int n, double eps, double *s, const double *r, double *y) {
    assert(eps >= 0.0);
    for (int i = 0; i < n; i++) s[i * n + i] += eps;
    return solve_regular(place, n, eps, s, r, y);
}

static CardanStatus solve_trust(CrdLabPlace place, int n, double eps, double *s, const double *r, double *y) {
    CrdLabMark mark = crd_lab_mark(place.workspace);
    double *st = crd_lab_numbers(place.workspace, n, n), *product = crd_lab_numbers(place.workspace, n, n),
           *right = crd_lab_numbers(place.workspace, n, 1);
    if (place.workspace->empty) return crd_fail_memory(place.workspace->error);
    crd_dense_transpose(n, n, s, st);
    crd_add_product(n, n, n, 1.0, st, s, product);
    crd_add_product(n, n, 1, 1.0, st, r, right);
    CRD_TRY(solve_direct(place, n, eps, product, right, y));
    crd_lab_back(place.workspace, mark);
    return CARDAN_OK;
}

const CrdLabRegulariser crd_lab_regular = {"none", solve_regular};
const CrdLabRegulariser crd_lab_direct = {"direct", solve_direct};
const CrdLabRegulariser crd_lab_trust = {"trust", solve_trust};

void crd_lab_damp(CrdLabLaw *law, int order, double gamma) {
    law->damping[0] = order == 2 ? gamma * gamma : gamma;
    law->damping[1] = 2.0 * gamma;
}

/* r as in the header's equation. h: the invariants at z. */
static void right_side(const CrdLabProblem *problem, const CrdLabLaw *law, const CrdLabTerms *terms, const double *h,
                       double *r) {
    const double *rest = problem->order == 2 ? terms->bias : terms->rate;
    for (int i = 0; i < problem->rows; i++) {
        r[i] = law->first_derivatives && problem->order == 2 ? 0.0 : rest[i];
        for (int j = 0; j < problem->order; j++) r[i] += law->damping[j] * h[j * problem->rows + i];
    }
    crd_add_product(problem->rows, problem->n, 1, 1.0, terms->jacobian, terms->f, r);
}

static CardanStatus multipliers(const CrdLabProblem *problem, const CrdLabLaw *law, double t, const double *z,
                                const CrdLabTerms *terms, double *y, CrdLabWorkspace *workspace) {
    const CrdLabRegulariser *regulariser = law->regulariser != NULL ? law->regulariser : &crd_lab_regular;
    double *h = crd_lab_numbers(workspace, crd_lab_invariants(problem), 1),
           *r = crd_lab_numbers(workspace, problem->rows, 1),
           *s = crd_lab_numbers(workspace, problem->rows, problem->rows);
    assert(problem->order > 0);
    if (workspace->empty) return crd_fail_memory(workspace->error);
    crd_lab_invariant(problem, z, terms, h, NULL);
    right_side(problem, law, terms, h, r);
    crd_add_product(problem->rows, problem->n, problem->rows, 1.0, terms->jacobian, terms->b, s);
    return regulariser->solve((CrdLabPlace){"G B of the constraints", t, workspace}, problem->rows, law->eps, s, r, y);
}

CardanStatus crd_lab_rates(const CrdLabProblem *problem, const CrdLabLaw *law, double t, const double *z,
                           const CrdLabTerms *terms, double *rates, double *y, CrdLabWorkspace *workspace) {
    const CrdLabProblem *p = problem;
    CrdLabMark mark = crd_lab_mark(workspace);
    double *own = crd_lab_numbers(workspace, p->rows, 1), *last = rates + crd_lab_state(p) - p->n;
    if (workspace->empty) return crd_fail_memory(workspace->error);
    if (p->order > 0) CRD_TRY(multipliers(p, law, t, z, terms, own, workspace));
    if (p->order == 2) memcpy(rates, z + p->n, (size_t)p->n * sizeof *rates);
    memcpy(last, terms->f, (size_t)p->n * sizeof *last);
    if (p->order > 0) crd_add_product(p->n, p->rows, 1, -1.0, terms->b, own, last);
    if (y != NULL) memcpy(y, own, (size_t)p->rows * sizeof *y);
    crd_lab_back(workspace, mark);
    return CARDAN_OK;
}
