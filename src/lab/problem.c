#include "lab/problem.h"

#include <string.h>

#include "lab/dense.h"

CardanStatus crd_lab_check_problem(const CrdLabProblem *problem, CrdError *error) {
    const CrdLabProblem *p = problem;
    if (p->terms == NULL || p->order < 0 || p->order > 2 || p->n < 1 || p->rows < 0 || p->rows > p->n)
        return crd_fail(error, CARDAN_ERR_ARGUMENT, "problem '%s' makes no sense: order %d, %d coordinates, %d rows",
                        p->name, p->order, p->n, p->rows);
    if (p->n > CRD_LAB_SIZE)
        return crd_fail(error, CARDAN_ERR_LIMIT, "problem '%s' has %d coordinates; the laboratory takes at most %d",
                        p->name, p->n, (int)CRD_LAB_SIZE);
    return CARDAN_OK;
}

CardanStatus crd_lab_terms(const CrdLabProblem *problem, double t, const double *z, CrdLabTerms *terms) {
    memset(terms, 0, sizeof *terms);
    return problem->terms(problem->data, t, z, problem->order == 2 ? z + problem->n : NULL, terms);
}

/* Puts block (rows x n) into H at block row i, block column j. */
static void put_block(const CrdLabProblem *p, const double *block, int i, int j, double *jacobian) {
    int width = crd_lab_state(p);
    for (int r = 0; r < p->rows; r++)
        memcpy(jacobian + (i * p->rows + r) * width + j * p->n, block + r * p->n, (size_t)p->n * sizeof *block);
}

void crd_lab_invariant(const CrdLabProblem *problem, const double *z, const CrdLabTerms *terms, double *h,
                       double *jacobian) {
    const CrdLabProblem *p = problem;
    size_t height = (size_t)crd_lab_invariants(p), width = (size_t)crd_lab_state(p);
    memcpy(h, terms->g, (size_t)p->rows * sizeof *h);
    if (p->order == 2) {
        memcpy(h + p->rows, terms->rate, (size_t)p->rows * sizeof *h);
        crd_lab_add_product(p->rows, p->n, 1, 1.0, terms->jacobian, z + p->n, h + p->rows);
    }
    if (jacobian == NULL) return;
    memset(jacobian, 0, height * width * sizeof *jacobian);
    for (int level = 0; level < crd_lab_levels(p); level++) put_block(p, terms->jacobian, level, level, jacobian);
    if (p->order == 2) put_block(p, terms->gradient, 1, 0, jacobian);
}
