/* The state-space form: R picks coordinates u of the manifold,
 *     [R; G] dx = [u - R x; -g]      Newton for x(u)
 *     [R; G] v = [u'; -g_t]
 *     (u, u')' = R f^
 * (AP93, 3.16 and 3.17, with R' = 0). Without a given R the free coordinates are those that elimination with complete
 * pivoting on G leaves over; they are kept until the determinant of the dependent columns is small beside the best. */
#include <assert.h>
#include <math.h>
#include <string.h>

#include "core/numbers.h"
#include "lab/formulation.h"

/* The coordinates of a state-space form are chosen anew when the determinant of the dependent columns of G falls below
 * this part of the best one. */
#define CRD_LAB_SWITCH 0.5

/* ---- choosing R ---- */

/* Eliminates a (rows x n) with pivots among the columns marked free (all when NULL); marks those taken. Gives the
 * product of the pivots, the size of a determinant. */
static double eliminate(int rows, int n, double *a, const bool *allowed, bool *taken) {
    assert(rows <= n);
    double product = 1.0;
    for (int j = 0; j < n; j++) taken[j] = false;
    for (int k = 0; k < rows; k++) {
        int row = k, column = -1;
        double best = 0.0;
        for (int i = k; i < rows; i++)
            for (int j = 0; j < n; j++)
                if (!taken[j] && (allowed == NULL || allowed[j]) && fabs(a[i * n + j]) > best)
                    best = fabs(a[i * n + j]), row = i, column = j;
        if (column < 0) return 0.0;
        taken[column] = true;
        product *= best;
        for (int j = 0; j < n; j++) {
            double swap = a[k * n + j];
            a[k * n + j] = a[row * n + j];
            a[row * n + j] = swap;
        }
        for (int i = k + 1; i < rows; i++) {
            double factor = a[i * n + column] / a[k * n + column];
            for (int j = 0; j < n; j++) a[i * n + j] -= factor * a[k * n + j];
        }
    }
    return product;
}

/* The coordinates that R, made of unit rows, leaves dependent. */
static void dependent_of(const CrdLabProblem *problem, const double *r, bool *dependent) {
    for (int j = 0; j < problem->n; j++) {
        dependent[j] = true;
        for (int i = 0; i < problem->n - problem->rows; i++)
            if (r[i * problem->n + j] != 0.0) dependent[j] = false;
    }
}

static CardanStatus choose(CrdLabSetting *setting, double t, const CrdLabTerms *terms, CrdLabWorkspace *workspace) {
    const CrdLabProblem *problem = setting->problem;
    int n = problem->n, rows = problem->rows;
    size_t width = (size_t)n, bytes = (size_t)rows * width * sizeof(double);
    double *a = crd_lab_numbers(workspace, rows, n), *r = setting->chart.r;
    bool *best = crd_lab_take(workspace, width, sizeof *best), *now = crd_lab_take(workspace, width, sizeof *now),
         *taken = crd_lab_take(workspace, width, sizeof *taken);
    if (workspace->empty) return crd_fail_memory(workspace->error);
    memcpy(a, terms->jacobian, bytes);
    double reachable = eliminate(rows, n, a, NULL, best);
    if (!(reachable > 0.0))
        return crd_fail(workspace->error, CARDAN_ERR_NUMERIC,
                        "the rows of G are dependent at t = %.9g: no coordinates to choose", t);
    dependent_of(problem, r, now);
    memcpy(a, terms->jacobian, bytes);
    if (setting->chart.switches > 0 && eliminate(rows, n, a, now, taken) >= CRD_LAB_SWITCH * reachable)
        return CARDAN_OK;
    memset(r, 0, (size_t)(n - rows) * width * sizeof *r);
    for (int j = 0, i = 0; j < n; j++)
        if (!best[j]) r[i++ * n + j] = 1.0;
    setting->chart.switches++;
    return CARDAN_OK;
}

/* ---- to the coordinates and back ---- */

static void select_levels(const CrdLabSetting *setting, const double *z, double *u) {
    const CrdLabProblem *problem = setting->problem;
    int free = problem->n - problem->rows;
    memset(u, 0, (size_t)(free * crd_lab_levels(problem)) * sizeof *u);
    for (int level = 0; level < crd_lab_levels(problem); level++)
        crd_add_product(free, problem->n, 1, 1.0, setting->chart.r, z + level * problem->n, u + level * free);
}

CardanStatus crd_lab_open_chart(CrdLabSetting *setting, CrdLabWorkspace *workspace) {
    const CrdLabProblem *problem = setting->problem;
    assert(setting->formulation->charted && problem->n > problem->rows);
    setting->chart = (CrdLabChart){.r = crd_lab_numbers(workspace, problem->n - problem->rows, problem->n),
                                   .guess = crd_lab_numbers(workspace, crd_lab_state(problem), 1)};
    return workspace->empty ? crd_fail_memory(workspace->error) : CARDAN_OK;
}

CardanStatus crd_lab_enter_chart(CrdLabSetting *setting, double t, const double *z, double *u,
                                 CrdLabWorkspace *workspace) {
    const CrdLabProblem *problem = setting->problem;
    CrdLabMark mark = crd_lab_mark(workspace);
    CrdLabTerms terms;
    CRD_TRY(crd_lab_terms(problem, t, z, workspace, &terms));
    if (setting->selection != NULL)
        memcpy(setting->chart.r, setting->selection,
               (size_t)((problem->n - problem->rows) * problem->n) * sizeof(double));
    else
        CRD_TRY(choose(setting, t, &terms, workspace));
    memcpy(setting->chart.guess, z, (size_t)crd_lab_state(problem) * sizeof *z);
    select_levels(setting, z, u);
    crd_lab_back(workspace, mark);
    return CARDAN_OK;
}

/* x <- [R; G]^-1 (free part, rows part) */
static CardanStatus solve_stacked(const CrdLabSetting *setting, const CrdLabTerms *terms, double t, double *x,
                                  CrdLabWorkspace *workspace) {
    const CrdLabProblem *problem = setting->problem;
    int free = problem->n - problem->rows;
    assert(setting->chart.r != NULL && free > 0);
    CrdLabMark mark = crd_lab_mark(workspace);
    double *stacked = crd_lab_numbers(workspace, problem->n, problem->n);
    if (workspace->empty) return crd_fail_memory(workspace->error);
    memcpy(stacked, setting->chart.r, (size_t)(free * problem->n) * sizeof *stacked);
    memcpy(stacked + free * problem->n, terms->jacobian, (size_t)(problem->rows * problem->n) * sizeof *stacked);
    CRD_TRY(crd_lab_solve((CrdLabPlace){"[R; G] of the state-space form", t, workspace}, problem->n, 1, stacked, x));
    crd_lab_back(workspace, mark);
    return CARDAN_OK;
}

/* The positions of z on the manifold, from the guess. */
static CardanStatus find_positions(const CrdLabSetting *setting, double t, const double *u, double *z,
                                   CrdLabWorkspace *workspace) {
    const CrdLabProblem *problem = setting->problem;
    int free = problem->n - problem->rows;
    double *change = crd_lab_numbers(workspace, problem->n, 1), size = (double)INFINITY, before;
    CrdLabTerms terms;
    if (workspace->empty) return crd_fail_memory(workspace->error);
    CrdLabMark mark = crd_lab_mark(workspace);
    memcpy(z, setting->chart.guess, (size_t)crd_lab_state(problem) * sizeof *z);
    for (int i = 0; i < CRD_LAB_ITERATIONS; i++) {
        crd_lab_back(workspace, mark);
        CRD_TRY(crd_lab_terms(problem, t, z, workspace, &terms));
        memcpy(change, u, (size_t)free * sizeof *change);
        crd_add_product(free, problem->n, 1, -1.0, setting->chart.r, z, change);
        for (int k = 0; k < problem->rows; k++) change[free + k] = -terms.g[k];
        CRD_TRY(solve_stacked(setting, &terms, t, change, workspace));
        for (int k = 0; k < problem->n; k++) z[k] += change[k];
        before = size;
        size = crd_largest(change, problem->n) / fmax(1.0, crd_largest(z, problem->n));
        if (size <= CRD_LAB_NEWTON || (size <= CRD_LAB_NEWTON_ROUNDING && size >= 0.5 * before)) return CARDAN_OK;
    }
    return crd_fail(workspace->error, CARDAN_ERR_NUMERIC, "the manifold was not found from its coordinates at t = %.9g",
                    t);
}

CardanStatus crd_lab_leave_chart(const CrdLabSetting *setting, double t, const double *u, double *z,
                                 CrdLabWorkspace *workspace) {
    const CrdLabProblem *problem = setting->problem;
    int free = problem->n - problem->rows;
    CrdLabMark mark = crd_lab_mark(workspace);
    CrdLabTerms terms;
    CRD_TRY(find_positions(setting, t, u, z, workspace));
    if (problem->order == 2) {
        CRD_TRY(crd_lab_terms(problem, t, z, workspace, &terms));
        memcpy(z + problem->n, u + free, (size_t)free * sizeof *z);
        for (int k = 0; k < problem->rows; k++) z[problem->n + free + k] = -terms.rate[k];
        CRD_TRY(solve_stacked(setting, &terms, t, z + problem->n, workspace));
    }
    crd_lab_back(workspace, mark);
    return CARDAN_OK;
}

CardanStatus crd_lab_chart_rates(const void *setting, double t, const double *u, double *out,
                                 CrdLabWorkspace *workspace) {
    const CrdLabSetting *s = setting;
    int state = crd_lab_state(s->problem);
    double *z = crd_lab_numbers(workspace, state, 1), *rates = crd_lab_numbers(workspace, state, 1);
    CrdLabTerms terms;
    if (workspace->empty) return crd_fail_memory(workspace->error);
    CRD_TRY(crd_lab_leave_chart(s, t, u, z, workspace));
    CRD_TRY(crd_lab_terms(s->problem, t, z, workspace, &terms));
    CRD_TRY(crd_lab_rates(s->problem, &s->law, t, z, &terms, rates, NULL, workspace));
    select_levels(s, rates, out);
    return CARDAN_OK;
}
