/* The state-space form: R picks coordinates u of the manifold,
 *     [R; G] dx = [u - R x; -g]      Newton for x(u)
 *     [R; G] v = [u'; -g_t]
 *     (u, u')' = R f^
 * (AP93, 3.16 and 3.17, with R' = 0). Without a given R the free coordinates are those that elimination with complete
 * pivoting on G leaves over; they are kept until the determinant of the dependent columns is small beside the best. */
#include <math.h>
#include <string.h>

#include "core/numbers.h"
#include "lab/formulation.h"

/* ---- choosing R ---- */

/* Eliminates a (rows x n) with pivots among the columns marked free (all when NULL); marks those taken. Gives the
 * product of the pivots, the size of a determinant. */
static double eliminate(int rows, int n, double *a, const bool *allowed, bool *taken) {
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
static void dependent_of(const CrdLabProblem *p, const double *r, bool *dependent) {
    for (int j = 0; j < p->n; j++) {
        dependent[j] = true;
        for (int i = 0; i < p->n - p->rows; i++)
            if (r[i * p->n + j] != 0.0) dependent[j] = false;
    }
}

static CardanStatus choose(CrdLabSetting *s, double t, const CrdLabTerms *terms, CrdLabDesk *desk) {
    const CrdLabProblem *p = s->problem;
    size_t n = (size_t)p->n, bytes = (size_t)p->rows * n * sizeof(double);
    double *a = crd_lab_numbers(desk, p->rows, p->n);
    bool *best = crd_lab_take(desk, n, sizeof *best), *now = crd_lab_take(desk, n, sizeof *now),
         *taken = crd_lab_take(desk, n, sizeof *taken);
    if (desk->empty) return crd_fail_memory(desk->error);
    memcpy(a, terms->jacobian, bytes);
    double reachable = eliminate(p->rows, p->n, a, NULL, best);
    if (!(reachable > 0.0))
        return crd_fail(desk->error, CARDAN_ERR_NUMERIC,
                        "the rows of G are dependent at t = %.9g: no coordinates to choose", t);
    dependent_of(p, s->chart.r, now);
    memcpy(a, terms->jacobian, bytes);
    if (s->chart.switches > 0 && eliminate(p->rows, p->n, a, now, taken) >= CRD_LAB_SWITCH * reachable)
        return CARDAN_OK;
    memset(s->chart.r, 0, (n - (size_t)p->rows) * n * sizeof(double));
    for (int j = 0, i = 0; j < p->n; j++)
        if (!best[j]) s->chart.r[i++ * p->n + j] = 1.0;
    s->chart.switches++;
    return CARDAN_OK;
}

/* ---- to the coordinates and back ---- */

static void select_levels(const CrdLabSetting *s, const double *z, double *u) {
    const CrdLabProblem *p = s->problem;
    int free = p->n - p->rows;
    memset(u, 0, (size_t)(free * crd_lab_levels(p)) * sizeof *u);
    for (int level = 0; level < crd_lab_levels(p); level++)
        crd_lab_add_product(free, p->n, 1, 1.0, s->chart.r, z + level * p->n, u + level * free);
}

CardanStatus crd_lab_open_chart(CrdLabSetting *setting, CrdLabDesk *desk) {
    const CrdLabProblem *p = setting->problem;
    setting->chart = (CrdLabChart){.r = crd_lab_numbers(desk, p->n - p->rows, p->n),
                                   .guess = crd_lab_numbers(desk, crd_lab_state(p), 1)};
    return desk->empty ? crd_fail_memory(desk->error) : CARDAN_OK;
}

CardanStatus crd_lab_enter_chart(CrdLabSetting *setting, double t, const double *z, double *u, CrdLabDesk *desk) {
    const CrdLabProblem *p = setting->problem;
    CrdLabMark mark = crd_lab_mark(desk);
    CrdLabTerms terms;
    CRD_TRY(crd_lab_terms(p, t, z, desk, &terms));
    if (setting->selection != NULL)
        memcpy(setting->chart.r, setting->selection, (size_t)((p->n - p->rows) * p->n) * sizeof(double));
    else
        CRD_TRY(choose(setting, t, &terms, desk));
    memcpy(setting->chart.guess, z, (size_t)crd_lab_state(p) * sizeof *z);
    select_levels(setting, z, u);
    crd_lab_back(desk, mark);
    return CARDAN_OK;
}

/* x <- [R; G]^-1 (free part, rows part) */
static CardanStatus solve_stacked(const CrdLabSetting *s, const CrdLabTerms *terms, double t, double *x,
                                  CrdLabDesk *desk) {
    const CrdLabProblem *p = s->problem;
    int free = p->n - p->rows;
    CrdLabMark mark = crd_lab_mark(desk);
    double *stacked = crd_lab_numbers(desk, p->n, p->n);
    if (desk->empty) return crd_fail_memory(desk->error);
    memcpy(stacked, s->chart.r, (size_t)(free * p->n) * sizeof *stacked);
    memcpy(stacked + free * p->n, terms->jacobian, (size_t)(p->rows * p->n) * sizeof *stacked);
    CRD_TRY(crd_lab_solve((CrdLabPlace){"[R; G] of the state-space form", t, desk}, p->n, 1, stacked, x));
    crd_lab_back(desk, mark);
    return CARDAN_OK;
}

/* The positions of z on the manifold, from the guess. */
static CardanStatus find_positions(const CrdLabSetting *s, double t, const double *u, double *z, CrdLabDesk *desk) {
    const CrdLabProblem *p = s->problem;
    int free = p->n - p->rows;
    double *change = crd_lab_numbers(desk, p->n, 1), size = (double)INFINITY, before;
    CrdLabTerms terms;
    if (desk->empty) return crd_fail_memory(desk->error);
    CrdLabMark mark = crd_lab_mark(desk);
    memcpy(z, s->chart.guess, (size_t)crd_lab_state(p) * sizeof *z);
    for (int i = 0; i < CRD_LAB_ITERATIONS; i++) {
        crd_lab_back(desk, mark);
        CRD_TRY(crd_lab_terms(p, t, z, desk, &terms));
        memcpy(change, u, (size_t)free * sizeof *change);
        crd_lab_add_product(free, p->n, 1, -1.0, s->chart.r, z, change);
        for (int k = 0; k < p->rows; k++) change[free + k] = -terms.g[k];
        CRD_TRY(solve_stacked(s, &terms, t, change, desk));
        for (int k = 0; k < p->n; k++) z[k] += change[k];
        before = size;
        size = crd_lab_largest(change, p->n) / fmax(1.0, crd_lab_largest(z, p->n));
        if (size <= CRD_LAB_NEWTON || (size <= CRD_LAB_NEWTON_ROUNDING && size >= 0.5 * before)) return CARDAN_OK;
    }
    return crd_fail(desk->error, CARDAN_ERR_NUMERIC, "the manifold was not found from its coordinates at t = %.9g", t);
}

CardanStatus crd_lab_leave_chart(const CrdLabSetting *setting, double t, const double *u, double *z, CrdLabDesk *desk) {
    const CrdLabProblem *p = setting->problem;
    int free = p->n - p->rows;
    CrdLabMark mark = crd_lab_mark(desk);
    CrdLabTerms terms;
    CRD_TRY(find_positions(setting, t, u, z, desk));
    if (p->order == 2) {
        CRD_TRY(crd_lab_terms(p, t, z, desk, &terms));
        memcpy(z + p->n, u + free, (size_t)free * sizeof *z);
        for (int k = 0; k < p->rows; k++) z[p->n + free + k] = -terms.rate[k];
        CRD_TRY(solve_stacked(setting, &terms, t, z + p->n, desk));
    }
    crd_lab_back(desk, mark);
    return CARDAN_OK;
}

CardanStatus crd_lab_chart_rates(const void *setting, double t, const double *u, double *out, CrdLabDesk *desk) {
    const CrdLabSetting *s = setting;
    int state = crd_lab_state(s->problem);
    double *z = crd_lab_numbers(desk, state, 1), *rates = crd_lab_numbers(desk, state, 1);
    CrdLabTerms terms;
    if (desk->empty) return crd_fail_memory(desk->error);
    CRD_TRY(crd_lab_leave_chart(s, t, u, z, desk));
    CRD_TRY(crd_lab_terms(s->problem, t, z, desk, &terms));
    CRD_TRY(crd_lab_rates(s->problem, &s->law, t, z, &terms, rates, NULL, desk));
    select_levels(s, rates, out);
    return CARDAN_OK;
}
