#include "lab/problem.h"

#include <assert.h>
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

CardanStatus crd_lab_terms(const CrdLabProblem *problem, double t, const double *z, CrdLabWorkspace *workspace,
                           CrdLabTerms *terms) {
    int n = problem->n, rows = problem->rows;
    assert(problem->terms != NULL && n > 0 && rows >= 0 && rows <= n);
    *terms = (CrdLabTerms){
        .f = crd_lab_numbers(workspace, n, 1),
        .b = crd_lab_numbers(workspace, n, rows),
        .g = crd_lab_numbers(workspace, rows, 1),
        .jacobian = crd_lab_numbers(workspace, rows, n),
        .rate = crd_lab_numbers(workspace, rows, 1),
        .bias = crd_lab_numbers(workspace, rows, 1),
        .gradient = crd_lab_numbers(workspace, rows, n),
    };
    if (workspace->empty) return crd_fail_memory(workspace->error);
    workspace->rhs++;
    CardanStatus status = problem->terms(problem->data, t, z, problem->order == 2 ? z + n : NULL, terms);
    if (status >= 0) return status;
    if (problem->said != NULL && problem->said->text[0] != '\0')
        return crd_fail(workspace->error, status, "%s", problem->said->text);
    return crd_fail(workspace->error, status, "problem '%s': its terms could not be evaluated at t = %.9g",
                    problem->name, t);
}

/* Puts block (rows x n) into H at block row i, block column j. */
static void put_block(const CrdLabProblem *problem, const double *block, int i, int j, double *jacobian) {
    int width = crd_lab_state(problem);
    for (int r = 0; r < problem->rows; r++)
        memcpy(jacobian + (i * problem->rows + r) * width + j * problem->n, block + r * problem->n,
               (size_t)problem->n * sizeof *block);
}

void crd_lab_invariant(const CrdLabProblem *problem, const double *z, const CrdLabTerms *terms, double *h,
                       double *jacobian) {
    const CrdLabProblem *p = problem;
    size_t height = (size_t)crd_lab_invariants(p), width = (size_t)crd_lab_state(p);
    memcpy(h, terms->g, (size_t)p->rows * sizeof *h);
    if (p->order == 2) {
        memcpy(h + p->rows, terms->rate, (size_t)p->rows * sizeof *h);
        crd_add_product(p->rows, p->n, 1, 1.0, terms->jacobian, z + p->n, h + p->rows);
    }
    if (jacobian == NULL) return;
    memset(jacobian, 0, height * width * sizeof *jacobian);
    for (int level = 0; level < crd_lab_levels(p); level++) put_block(p, terms->jacobian, level, level, jacobian);
    if (p->order == 2) put_block(p, terms->gradient, 1, 0, jacobian);
}
