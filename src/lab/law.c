#include "lab/law.h"

#include <string.h>

static CardanStatus solve_regular(CrdLabPlace place, int n, double eps, double *s, const double *r, double *y) {
    (void)eps;
    memcpy(y, r, (size_t)n * sizeof *y);
    return crd_lab_solve(place, n, 1, s, y);
}

static CardanStatus solve_direct(CrdLabPlace place, int n, double eps, double *s, const double *r, double *y) {
    for (int i = 0; i < n; i++) s[i * n + i] += eps;
    return solve_regular(place, n, eps, s, r, y);
}

static CardanStatus solve_trust(CrdLabPlace place, int n, double eps, double *s, const double *r, double *y) {
    CrdLabMark mark = crd_lab_mark(place.desk);
    double *st = crd_lab_numbers(place.desk, n, n), *product = crd_lab_numbers(place.desk, n, n),
           *right = crd_lab_numbers(place.desk, n, 1);
    if (place.desk->empty) return crd_fail_memory(place.desk->error);
    crd_lab_transpose(n, n, s, st);
    crd_lab_add_product(n, n, n, 1.0, st, s, product);
    crd_lab_add_product(n, n, 1, 1.0, st, r, right);
    CRD_TRY(solve_direct(place, n, eps, product, right, y));
    crd_lab_back(place.desk, mark);
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
static void right_side(const CrdLabProblem *p, const CrdLabLaw *law, const CrdLabTerms *terms, const double *h,
                       double *r) {
    const double *rest = p->order == 2 ? terms->bias : terms->rate;
    for (int i = 0; i < p->rows; i++) {
        r[i] = law->first_derivatives && p->order == 2 ? 0.0 : rest[i];
        for (int j = 0; j < p->order; j++) r[i] += law->damping[j] * h[j * p->rows + i];
    }
    crd_lab_add_product(p->rows, p->n, 1, 1.0, terms->jacobian, terms->f, r);
}

static CardanStatus multipliers(const CrdLabProblem *p, const CrdLabLaw *law, double t, const double *z,
                                const CrdLabTerms *terms, double *y, CrdLabDesk *desk) {
    const CrdLabRegulariser *regulariser = law->regulariser != NULL ? law->regulariser : &crd_lab_regular;
    double *h = crd_lab_numbers(desk, crd_lab_invariants(p), 1), *r = crd_lab_numbers(desk, p->rows, 1),
           *s = crd_lab_numbers(desk, p->rows, p->rows);
    if (desk->empty) return crd_fail_memory(desk->error);
    crd_lab_invariant(p, z, terms, h, NULL);
    right_side(p, law, terms, h, r);
    crd_lab_add_product(p->rows, p->n, p->rows, 1.0, terms->jacobian, terms->b, s);
    return regulariser->solve((CrdLabPlace){"G B of the constraints", t, desk}, p->rows, law->eps, s, r, y);
}

CardanStatus crd_lab_rates(const CrdLabProblem *problem, const CrdLabLaw *law, double t, const double *z,
                           const CrdLabTerms *terms, double *rates, double *y, CrdLabDesk *desk) {
    const CrdLabProblem *p = problem;
    CrdLabMark mark = crd_lab_mark(desk);
    double *own = crd_lab_numbers(desk, p->rows, 1), *last = rates + crd_lab_state(p) - p->n;
    if (desk->empty) return crd_fail_memory(desk->error);
    if (p->order > 0) CRD_TRY(multipliers(p, law, t, z, terms, own, desk));
    if (p->order == 2) memcpy(rates, z + p->n, (size_t)p->n * sizeof *rates);
    memcpy(last, terms->f, (size_t)p->n * sizeof *last);
    if (p->order > 0) crd_lab_add_product(p->n, p->rows, 1, -1.0, terms->b, own, last);
    if (y != NULL) memcpy(y, own, (size_t)p->rows * sizeof *y);
    crd_lab_back(desk, mark);
    return CARDAN_OK;
}
