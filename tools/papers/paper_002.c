/* Tables of document 002 (LEC10): backward Euler on example 10.1, half-explicit methods and the midpoint rule on
 * semi-explicit equations, consistent starts. Post-stabilisation is in paper_poststab.c. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "paper.h"

/* `steps` steps of a stepper on a system; w goes along. */
static CardanStatus advance(const CrdLabSystem *system, const char *stepper, double end, int steps, double *w,
                            CrdLabWorkspace *workspace) {
    CrdLabMark mark = crd_lab_mark(workspace);
    CrdLabStepping stepping;
    double h = end / steps;
    CardanStatus status = crd_lab_stepping_begin(&stepping, crd_lab_stepper(stepper), system, workspace);
    for (int i = 0; i < steps && status >= 0; i++) status = crd_lab_step(&stepping, i * h, h, w);
    crd_lab_back(workspace, mark);
    return status;
}

/* ---- example 10.1 ---- */

static CardanStatus example101(PapersTable *table, int variant) {
    static const struct {
        const char *key;
        double eta;
    } rows[] = {{"0.0", 0.0},     {"1.0", 1.0},   {"-0.25", -0.25}, {"-0.4", -0.4}, {"-0.5", -0.5}, {"-0.6", -0.6},
                {"-0.75", -0.75}, {"-0.9", -0.9}, {"-1.0", -1.0},   {"-1.5", -1.5}, {"-3.0", -3.0}};
    (void)variant;
    papers_table_object(table, NULL);
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        CrdLabSystem system = crd_lab_coupled(&rows[r].eta);
        papers_table_array(table, rows[r].key);
        for (int steps = 10; steps <= 80; steps *= 2) {
            double y[2] = {0.0, -1.0};
            CrdError error = {0};
            CrdLabWorkspace workspace = {.error = &error};
            CardanStatus status = advance(&system, "backward_euler", 1.0, steps, y, &workspace);
            crd_lab_clear(&workspace);
            if (status == CARDAN_ERR_NUMERIC)
                papers_table_none(table, NULL, error.text);
            else if (status < 0)
                return crd_fail(&table->error, status, "%s", error.text);
            else
                papers_table_number(table, NULL, fabs(y[1] + cos(1.0)));
        }
        papers_table_end(table);
    }
    papers_table_end(table);
    return CARDAN_OK;
}

/* ---- half-explicit methods and the midpoint rule ---- */

static double distance(const double *x, const double *y, int n) {
    double max = 0.0;
    for (int i = 0; i < n; i++) max = fmax(max, fabs(x[i] - y[i]));
    return max;
}

/* (e^t, e^-2t, e^2t) */
static void power_exact(double t, double *w) {
    for (int i = 0; i < 3; i++) w[i] = exp((i == 0 ? 1.0 : i == 1 ? -2.0 : 2.0) * t);
}

static CardanStatus half_explicit_row(PapersTable *table, const char *label, const char *stepper, int index) {
    const CrdLabSystem *system = index == 1 ? &crd_lab_cubic_index1 : &crd_lab_power_index2;
    int sizes = index == 1 ? 3 : 4;
    double count[4], error[4], end = index == 1 ? 1.0 : 0.5, exact[3] = {sin(1.0), 0.0, 0.0};
    char key[32];
    if (index == 2) power_exact(end, exact);
    for (int i = 0; i < sizes; i++) {
        double w[3] = {index == 1 ? 0.0 : 1.0, 1.0, 1.0};
        count[i] = 20 << i;
        CRD_TRY(advance(system, stepper, end, 20 << i, w, &table->workspace));
        error[i] = distance(w, exact, system->n);
    }
    snprintf(key, sizeof key, "herk%d_%s", index, label);
    papers_table_object(table, key);
    papers_table_numbers(table, "N", count, sizes);
    papers_table_numbers(table, "err", error, sizes);
    papers_table_end(table);
    return CARDAN_OK;
}

/* x <- x + f_a lambda with g(x) = 0, f_a = (2 x1 x2^2 a, -3 x2^2) at the end of the step with the stage's multiplier a.
 */
static CardanStatus project_power(double a, double *w) {
    const double along[2] = {2.0 * w[0] * w[1] * w[1] * a, -3.0 * w[1] * w[1]}, start[2] = {w[0], w[1]};
    double lambda = 0.0;
    for (int i = 0; i < 10; i++) { /* one number, from O(h^2) away: quadratic convergence needs 4 */
        double slope = 2.0 * w[0] * w[1] * along[0] + w[0] * w[0] * along[1];
        if (slope == 0.0) return CARDAN_ERR_NUMERIC;
        lambda -= (w[0] * w[0] * w[1] - 1.0) / slope;
        for (int k = 0; k < 2; k++) w[k] = start[k] + lambda * along[k];
    }
    return CARDAN_OK;
}

/* The multiplier that the differentiated constraint G f(x, a) = 0 gives at x: the root of a quadratic near guess. */
static double power_multiplier(const double *x, double guess) {
    double a = guess;
    for (int i = 0; i < 20; i++) { /* Newton from the right side of the larger root */
        double x1 = x[0], x2 = x[1];
        double value = 2.0 * x1 * x2 * x1 * x2 * x2 * a * a + x1 * x1 * (x1 * x1 * x2 * x2 - 3.0 * x2 * x2 * a);
        double slope = 4.0 * x1 * x2 * x1 * x2 * x2 * a - 3.0 * x1 * x1 * x2 * x2;
        a -= value / slope;
    }
    return a;
}

/* Rows of error in x, error of the multiplier as stepped, of the multiplier found from x, and |g|. */
static CardanStatus midpoint_rows(PapersTable *table, const char *key, bool projected) {
    const CrdLabSystem *system = &crd_lab_power_index2;
    double exact[3], end = 0.5;
    power_exact(end, exact);
    papers_table_array(table, key);
    for (int i = 0; i < 5; i++) {
        int steps = 10 << i;
        double w[3] = {1.0, 1.0, 1.0}, h = end / steps;
        CrdLabStepping stepping;
        CardanStatus status =
            crd_lab_stepping_begin(&stepping, crd_lab_stepper("implicit_midpoint"), system, &table->workspace);
        for (int n = 0; n < steps && status >= 0; n++) {
            double before = w[2];
            status = crd_lab_step(&stepping, n * h, h, w);
            if (status >= 0 && projected) status = project_power(0.5 * (before + w[2]), w);
        }
        CRD_TRY(status);
        double row[4] = {distance(w, exact, 2), fabs(w[2] - exact[2]), fabs(power_multiplier(w, exact[2]) - exact[2]),
                         fabs(w[0] * w[0] * w[1] - 1.0)};
        papers_table_numbers(table, NULL, row, 4);
    }
    papers_table_end(table);
    return CARDAN_OK;
}

static CardanStatus half_explicit(PapersTable *table, int variant) {
    static const struct {
        const char *label, *name;
    } steppers[] = {{"euler", "half_explicit_euler"},
                    {"emid", "half_explicit_midpoint"},
                    {"heun2", "half_explicit_heun"},
                    {"kutta3", "half_explicit_kutta3"},
                    {"rk4", "half_explicit_rk4"}};
    (void)variant;
    papers_table_object(table, NULL);
    for (int s = 0; s < 5; s++)
        for (int index = 1; index <= 2; index++)
            CRD_TRY(half_explicit_row(table, steppers[s].label, steppers[s].name, index));
    CRD_TRY(midpoint_rows(table, "mid2_proj0", false));
    CRD_TRY(midpoint_rows(table, "mid2_proj1", true));
    papers_table_end(table);
    return CARDAN_OK;
}

/* ---- consistent starts, section 10.1.4 with q1 = 1 + t, q2 = cos t, u(0) = 1 ---- */

/* u' = -(u + v)/2 + q1, 0 = (u - v)/2 - q2: index 1 in v. */
static CardanStatus start_rates(const void *user, double t, const double *w, double *out, CrdLabWorkspace *workspace) {
    (void)user, (void)workspace;
    out[0] = -0.5 * (w[0] + w[1]) + 1.0 + t;
    out[1] = 0.5 * (w[0] - w[1]) - cos(t);
    return CARDAN_OK;
}

/* The multiplier of the pendulum that holds it at q with velocity v. */
static CardanStatus pendulum_multiplier(const double *z, double *y, CrdLabWorkspace *workspace) {
    CrdLabTerms terms;
    CrdLabLaw law = {0};
    double rates[4];
    CRD_TRY(crd_lab_terms(&crd_lab_pendulum, 0.0, z, workspace, &terms));
    return crd_lab_rates(&crd_lab_pendulum, &law, 0.0, z, &terms, rates, y, workspace);
}

static CardanStatus consistent(PapersTable *table, int variant) {
    const CrdLabSystem system = {.n = 1, .algebraic = 1, .index = 1, .affine = true, .rates = start_rates};
    double w[2] = {1.0, 0.0}, out[2], spinning, hanging;
    char text[200];
    (void)variant;
    CRD_TRY(crd_lab_solve_multipliers(&system, 0.0, w, &table->workspace));
    CRD_TRY(system.rates(NULL, 0.0, w, out, &table->workspace));
    /* u = y1 + y2, v = y1 - y2. Of y' the equations give y1' + y2'; the constraint differentiated gives y2' = q2'(0).
     */
    double y[2] = {0.5 * (w[0] + w[1]), 0.5 * (w[0] - w[1])}, matrix[4] = {1.0, 1.0, 0.0, 1.0},
           slopes[2] = {out[0], 0.0};
    CRD_TRY(
        crd_lab_solve((CrdLabPlace){"matrix of the consistent slopes", 0.0, &table->workspace}, 2, 1, matrix, slopes));
    CRD_TRY(pendulum_multiplier((const double[]){1.0, 0.0, 0.0, 2.0}, &spinning, &table->workspace));
    CRD_TRY(pendulum_multiplier((const double[]){0.6, -0.8, 0.0, 0.0}, &hanging, &table->workspace));
    snprintf(text, sizeof text,
             "q0=(1,0),v0=(0,w): lam0=w^%g (q''=-q lam+(0,-g)), q0=(0.6,-0.8), v0=0: lam0=0.8*9.81=%.4g",
             log2(spinning), hanging);
    papers_table_object(table, NULL);
    papers_table_number(table, "v0", w[1]);
    papers_table_number(table, "udot0", out[0]);
    papers_table_number(table, "y1_0", y[0]);
    papers_table_number(table, "y2_0", y[1]);
    papers_table_number(table, "y1dot0", slopes[0]);
    papers_table_text(table, "pendulum", text);
    papers_table_end(table);
    return CARDAN_OK;
}

const CrdPaper crd_papers_002[] = {
    {"002_poststab_orders", "drift and order of post-stabilised Runge-Kutta methods", crd_paper_poststab, 0, NULL,
     NULL},
    {"002_example10.1", "backward Euler on a coupled index-2 problem", example101, 0, NULL, NULL},
    {"002_herk_midpoint", "half-explicit methods and the midpoint rule on index 1 and 2", half_explicit, 0, NULL, NULL},
    {"002_consistent_init", "consistent starts", consistent, 0, NULL, NULL},
    {.name = NULL},
};
