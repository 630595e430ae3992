/* Tables of document 003 (PRM97): orders of the regularisations for constraints of constant deficient rank. The
 * examples with singular points are in paper_crossing.c and paper_fold.c. */
#include <math.h>
#include <stdio.h>

#include "paper.h"

/* Largest error of the exponentials over the steps. */
static int watch_error(void *user, double t, const double *w, const double *rates) {
    double *largest = user, exact[2];
    (void)rates;
    crd_lab_exponential(t, exact, 2);
    for (int i = 0; i < 2; i++) *largest = fmax(*largest, fabs(w[i] - exact[i]));
    return 0;
}

static CardanStatus regularised_error(const CrdLabRegulariser *regulariser, CrdLabSpan span, double gamma, double eps,
                                      double *largest, CrdLabWorkspace *workspace) {
    CrdLabProblem problem = crd_lab_deficient(&span);
    CrdLabSetting setting = {.problem = &problem, .formulation = &crd_lab_reduced};
    setting.law = (CrdLabLaw){.damping = {gamma}, .regulariser = regulariser, .eps = eps};
    CrdLabSystem system = crd_lab_system(&setting);
    const CrdLabTolerance tolerance = {.rtol = 1e-13, .atol = 1e-13, .h_max = 0.01};
    double x[2];
    crd_lab_exponential(0.0, x, 2);
    *largest = 0.0;
    return crd_lab_integrate(&crd_dop853, &system, tolerance, 0.0, 1.0, x, (CrdLabWatcher){watch_error, largest},
                             workspace);
}

static CardanStatus constant_rank(PapersTable *table, int variant) {
    static const struct {
        const char *name;
        const CrdLabRegulariser *regulariser;
        CrdLabSpan span;
    } kinds[] = {{"direct", &crd_lab_direct, CRD_LAB_SPAN_C},
                 {"trust", &crd_lab_trust, CRD_LAB_SPAN_C},
                 {"trustB", &crd_lab_trust, CRD_LAB_SPAN_OTHER}};
    static const double gammas[] = {10.0, 1000.0}, eps[] = {1e-1, 1e-2, 1e-3, 1e-4, 1e-5, 1e-6};
    (void)variant;
    papers_table_array(table, NULL);
    for (int k = 0; k < 3; k++)
        for (int g = 0; g < 2; g++) {
            double before = 0.0, largest;
            for (int e = 0; e < 6; e++, before = largest) {
                char text[80], order[24] = "";
                CRD_TRY(regularised_error(kinds[k].regulariser, kinds[k].span, gammas[g], eps[e], &largest,
                                          &table->workspace));
                if (e > 0) snprintf(order, sizeof order, "order %.3f", log10(before / largest));
                snprintf(text, sizeof text, "%s %.1f %g %.4e %s", kinds[k].name, gammas[g], eps[e], largest, order);
                papers_table_text(table, NULL, text);
            }
        }
    papers_table_end(table);
    return CARDAN_OK;
}

const CrdPaper crd_papers_003[] = {
    {"003_constant_rank_orders", "regularisation of two dependent rows: error against eps", constant_rank, 0, NULL,
     NULL},
    {"003_example5.1", "regularised passage through a singular point, linear", crd_paper_crossing, 0, NULL, NULL},
    {"003_example5.2", "regularised passage of a slider-crank through its dead centre", crd_paper_fold, 0, NULL, NULL},
    {.name = NULL},
};
