/* Document 003 (PRM97), example 5.1: the error e = x - t - 1 of the regularised equations on [-1, 1], which peaks in a
 * layer after t = 0. The step is capped so that no integrator strides over the layer, and the error control is
 * relative, so that steps shrink with the distance to it. */
#include <math.h>
#include <stdio.h>

#include "core/numbers.h"
#include "paper.h"

typedef struct Peak {
    const CrdLabSystem *system;
    double t, e, rate; /* the step before */
    double top, t_top; /* largest e met and where */
    CrdLabWorkspace *workspace;
    CardanStatus status;
} Peak;

/* The place in a step where the rate changes its sign, by halving the step that leads there. */
static CardanStatus refine(Peak *peak, double h) {
    double low = 0.0, high = h, end = peak->e, rate;
    CrdLabMark mark = crd_lab_mark(peak->workspace);
    CrdLabStepping stepping;
    CRD_TRY(crd_lab_stepping_begin(&stepping, crd_lab_stepper("radau5"), peak->system, peak->workspace));
    for (int i = 0; i < 60; i++) { /* to the last bit of h */
        double middle = 0.5 * (low + high);
        end = peak->e;
        CRD_TRY(crd_lab_step(&stepping, peak->t, middle, &end));
        CRD_TRY(peak->system->rates(peak->system->user, peak->t + middle, &end, &rate, peak->workspace));
        *(rate > 0.0 ? &low : &high) = middle;
    }
    if (end > peak->top) {
        peak->top = end;
        peak->t_top = peak->t + low;
    }
    crd_lab_back(peak->workspace, mark);
    return CARDAN_OK;
}

static int watch_peak(void *user, double t, const double *e, const double *rates) {
    Peak *peak = user;
    if (peak->rate > 0.0 && rates[0] <= 0.0) peak->status = refine(peak, t - peak->t);
    peak->t = t;
    peak->e = e[0];
    peak->rate = rates[0];
    return peak->status < 0;
}

/* The regularised equations from -1 to 1, with e (times) at the ascending times. */
static CardanStatus pass(const CrdLabRegulariser *regulariser, double gamma, double eps, const double *times, int count,
                         double *e, Peak *peak, CrdLabWorkspace *workspace) {
    CrdLabSetting setting = {.problem = &crd_lab_crossing, .formulation = &crd_lab_reduced};
    setting.law = (CrdLabLaw){.damping = {gamma}, .regulariser = regulariser, .eps = eps};
    CrdLabSystem system = crd_lab_system(&setting);
    /* Away from the layer e is about eps / gamma, and 1 - t y leaves e' with the rounding of 1. */
    const CrdLabTolerance tolerance = {.rtol = 1e-8, .atol = fmax(1e-8 * eps, 20.0 * CRD_EPS) / gamma, .h_max = 1e-3};
    double now = -1.0, state = 0.0;
    *peak = (Peak){.system = &system, .t = now, .workspace = workspace};
    CRD_TRY(system.rates(system.user, now, &state, &peak->rate, workspace));
    for (int i = 0; i < count; i++) {
        CRD_TRY(crd_lab_integrate(&crd_radau5_strict, &system, tolerance, now, times[i], &state,
                                  (CrdLabWatcher){watch_peak, peak}, workspace));
        CRD_TRY(peak->status);
        now = times[i];
        e[i] = state;
    }
    return CARDAN_OK;
}

static CardanStatus put_curve(PapersTable *table, const char *key, const CrdLabRegulariser *regulariser, double eps) {
    enum { TIMES = 13 };
    static const double times[TIMES] = {-0.5, -0.1, -0.02, -0.01, -0.001, 0.0, 0.001, 0.01, 0.02, 0.05, 0.1, 0.5, 1.0};
    static const char *const keys[TIMES] = {"-0.5", "-0.1", "-0.02", "-0.01", "-0.001", "0",  "0.001",
                                            "0.01", "0.02", "0.05",  "0.1",   "0.5",    "1.0"};
    double e[TIMES];
    Peak peak;
    CRD_TRY(pass(regulariser, 1000.0, eps, times, TIMES, e, &peak, &table->workspace));
    papers_table_object(table, key);
    papers_table_number(table, "peak", peak.top);
    papers_table_number(table, "t_peak", peak.t_top);
    papers_table_object(table, "e");
    for (int i = 0; i < TIMES; i++) papers_table_number(table, keys[i], e[i]);
    papers_table_end(table);
    papers_table_end(table);
    return CARDAN_OK;
}

static CardanStatus put_orders(PapersTable *table, const char *key, const CrdLabRegulariser *regulariser,
                               double gamma) {
    enum { SIZES = 6 };
    static const double eps[SIZES] = {1e-4, 1e-6, 1e-8, 1e-9, 1e-10, 1e-12}, end = 1.0;
    double top[SIZES], where[SIZES], order[SIZES - 1], e;
    for (int i = 0; i < SIZES; i++) {
        Peak peak;
        CRD_TRY(pass(regulariser, gamma, eps[i], &end, 1, &e, &peak, &table->workspace));
        top[i] = peak.top;
        where[i] = peak.t_top;
        if (i > 0) order[i - 1] = log(top[i - 1] / top[i]) / log(eps[i - 1] / eps[i]);
    }
    papers_table_object(table, key);
    papers_table_numbers(table, "eps", eps, SIZES);
    papers_table_numbers(table, "peak", top, SIZES);
    papers_table_numbers(table, "t_peak", where, SIZES);
    papers_table_numbers(table, "order", order, SIZES - 1);
    papers_table_end(table);
    return CARDAN_OK;
}

CardanStatus crd_paper_crossing(PapersTable *table, int variant) {
    static const struct {
        const char *key;
        const CrdLabRegulariser *regulariser;
        double eps;
    } curves[] = {{"direct gam=1000 eps=1e-06", &crd_lab_direct, 1e-6},
                  {"trust gam=1000 eps=1e-06", &crd_lab_trust, 1e-6},
                  {"trust gam=1000 eps=1e-09", &crd_lab_trust, 1e-9},
                  {"direct gam=1000 eps=1e-09", &crd_lab_direct, 1e-9}};
    static const CrdLabRegulariser *const regularisers[] = {&crd_lab_direct, &crd_lab_trust};
    static const double gammas[] = {10.0, 1000.0, 1e6};
    (void)variant;
    papers_table_object(table, NULL);
    papers_table_object(table, "curves");
    for (int i = 0; i < 4; i++) CRD_TRY(put_curve(table, curves[i].key, curves[i].regulariser, curves[i].eps));
    papers_table_end(table);
    papers_table_object(table, "orders");
    for (int r = 0; r < 2; r++)
        for (int g = 0; g < 3; g++) {
            char key[32];
            snprintf(key, sizeof key, "%s gam=%g", regularisers[r]->name, gammas[g]);
            CRD_TRY(put_orders(table, key, regularisers[r], gammas[g]));
        }
    papers_table_end(table);
    papers_table_text(
        table, "formula_peak",
        "layers thinner than 1/gamma: direct about sqrt(eps) with a logarithm, trust eps^(1/4); thicker ones: "
        "direct 1.794 (eps/gamma)^(1/3), trust 1.949 (eps/gamma)^(1/5)");
    papers_table_end(table);
    return CARDAN_OK;
}
